"""Proofs of parsed sentences as lines of JSON, and their check against a parser and the sentences as written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from treewright import proofs
from treewright.corpus import Sentence
from treewright.decode import Parse
from treewright.decode.result import TOLERANCE, joined_status
from treewright.errors import InputError, ProofError
from treewright.parser.long_sentences import cut_sentence, is_long
from treewright.parser.parser import Parser
from treewright.parser.punctuation import MovedParse
from treewright.proofs import Proof, Verified
from treewright.trees import from_conll, what_is_wrong

NUMBERS = ("score", "bound", "gap", "spread", "tolerance")
FLAGS = ("certified", "projective", "all_arcs")


def proof_record(parser: Parser, sentence: Sentence, projective: bool | None) -> dict[str, Any]:
    """Return what the parse of a sentence claims, with its proof, as values that JSON has.

    projective is the option that the sentence was parsed with: as the model was trained if None. A tree that was joined
    from those of parts claims nothing, and its record says so. Where punctuation was moved, the record has the claim
    and the proof of the tree before, and the gap of the tree itself, which follows from its value.
    """
    parse = sentence.parse
    if isinstance(parse, Parse) and parse.parts > 1:
        return {"heads": parse.heads[1:].tolist(), "certified": False, "parts": parse.parts, "proof": None}
    if isinstance(parse, MovedParse):
        searched = claim_of(parser, parse.searched, projective)
        return {"heads": parse.heads[1:].tolist(), "gap": parse.gap, "searched": searched, "proof": None}
    return claim_of(parser, parse, projective)


def claim_of(parser: Parser, parse: object, projective: bool | None) -> dict[str, Any]:
    """Return what a parse claims; `proof_record` describes projective."""
    if not isinstance(parse, Parse) or parse.proof is None:
        raise InputError("the sentence has no proof: parse with proof=True")
    return {
        "heads": parse.heads[1:].tolist(),
        **{name: getattr(parse, name) for name in NUMBERS},
        "certified": parse.certified,
        "projective": parser.model.projective if projective is None else projective,
        "all_arcs": not parse.pruned,
        "proof": parse.proof.to_dict(),
    }


class Record(NamedTuple):
    """A line of a file of proofs: the parse, and the options that it was found with."""

    parse: Parse
    projective: bool
    all_arcs: bool


def check_joined(sentence: Sentence, data: Mapping[str, Any]) -> str:
    """Check the record of a tree that was joined from those of parts; return the comment of its sentence.

    A ProofError says why the sentence cannot have such a record.
    """
    parts = len(cut_sentence(sentence)) if is_long(sentence) else 1
    if data != {"heads": sentence.heads.tolist(), "certified": False, "parts": parts, "proof": None} or parts == 1:
        raise ProofError("refused: its record has no proof, and is not that of a long sentence that is parsed in parts")
    return joined_status(parts)


def check_moved(parser: Parser, sentence: Sentence, data: Mapping[str, Any]) -> tuple[str, float]:
    """Check the record of a tree in which punctuation was moved; return the comment of its sentence, and its gap.

    No tree is better than the bound that is proved for the tree before by more than the rounding of scores.
    """
    if data.keys() != {"heads", "gap", "searched", "proof"} or not isinstance(data["searched"], dict):
        raise ProofError("refused: not a record as `treewright parse --proofs` writes it")
    if data["heads"] != sentence.heads.tolist() or type(data["gap"]) is not float or not data["gap"] >= 0:
        raise ProofError("refused: the record is about another tree than that of the sentence, or has no gap")
    record = read_record(data["searched"])
    verified = check_record(parser, sentence, record)
    heads = from_conll(sentence.heads)
    if what_is_wrong(heads, parser.model.root) is not None:
        raise ProofError("refused: the heads of the sentence are no tree")
    gap = verified.bound - parser.value(sentence, heads)
    if data["gap"] < gap - TOLERANCE * record.parse.spread:
        raise ProofError(f"refused: a gap of {gap!r} follows from the proof, not of {data['gap']!r}")
    return Parse(heads, 0.0, 0.0, "proof", data["gap"]).status, data["gap"]


def read_record(data: Mapping[str, Any]) -> Record:
    """Read what `proof_record` wrote; a ProofError for anything else."""
    try:
        heads = np.array([-1, *data["heads"]])
        score, bound, gap, spread, tolerance = (float(data[name]) for name in NUMBERS)
        certified, projective, all_arcs = (data[name] for name in FLAGS)
        proof = Proof.from_dict(data["proof"])
    except InputError as error:
        raise ProofError(f"refused: {error}") from None
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ProofError(f"refused: not a record as `treewright parse --proofs` writes it: {error!r}") from None
    if not all(map(math.isfinite, (score, bound, gap, spread, tolerance))):
        raise ProofError(f"refused: {', '.join(NUMBERS)} are finite numbers")
    if not all(isinstance(flag, bool) for flag in (certified, projective, all_arcs)):
        raise ProofError(f"refused: {', '.join(FLAGS)} are true or false")
    parse = Parse(
        heads,
        score=score,
        bound=bound,
        method="proof",
        gap=gap,
        spread=spread,
        tolerance=tolerance,
        pruned=not all_arcs,
        proof=proof,
    )
    if certified != parse.certified:
        raise ProofError("refused: certified means that the gap is at most tolerance * spread")
    return Record(parse, projective, all_arcs)


def check_record(parser: Parser, sentence: Sentence, record: Record) -> Verified:
    """Check the claim of a record about a sentence and a tree; a ProofError says why it does not hold.

    The parts are scored again by the parser. Nothing else of the decoder is used.
    """
    if is_long(sentence):
        raise ProofError(f"refused: a sentence of {len(sentence)} words is parsed in parts, and its tree has no proof")
    parts = parser.parts(sentence, projective=record.projective, all_arcs=record.all_arcs)
    return proofs.verify(parts, record.parse, projective=record.projective, root=parser.model.root)
