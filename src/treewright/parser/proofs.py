"""Proofs of parsed sentences as lines of JSON, and their check against a parser and the sentences as written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from treewright import decode
from treewright.corpus import Sentence
from treewright.decode import Parse, Parts, Proof, Verified
from treewright.errors import InputError, ProofError
from treewright.parser.parser import Parser


def proof_record(parser: Parser, sentence: Sentence, projective: bool | None) -> dict[str, Any]:
    """What the parse of a sentence claims, with its proof, as values that JSON has.

    projective is the option that the sentence was parsed with: as the model was trained if None.
    """
    parse = sentence.parse
    if not isinstance(parse, Parse) or parse.proof is None:
        raise InputError("the sentence has no proof: parse with proof=True")
    return {
        "heads": parse.heads[1:].tolist(),
        "score": parse.score,
        "bound": parse.bound,
        "gap": parse.gap,
        "spread": parse.spread,
        "tolerance": parse.tolerance,
        "certified": parse.certified,
        "projective": parser.model.projective if projective is None else projective,
        "all_arcs": not parse.pruned,
        "proof": parse.proof.to_dict(),
    }


class Claimed(NamedTuple):
    """What a record claims about the parts of a sentence."""

    parts: Parts
    parse: Parse
    projective: bool


def check_records(
    parser: Parser, sentences: Sequence[Sentence], records: Sequence[Mapping[str, Any] | ProofError]
) -> list[Verified | InputError]:
    """Check the claim of each record about a sentence with heads; where it does not hold, a ProofError says why.

    A ProofError among the records says why there is none.

    The parts are scored again by the parser. Nothing else of the decoder is used.
    """
    found: dict[int, Verified | InputError] = {}
    claims: dict[int, Claimed] = {}
    for place, (sentence, record) in enumerate(zip(sentences, records, strict=True)):
        if isinstance(record, ProofError):
            found[place] = record
            continue
        try:
            claims[place] = _claimed(parser, sentence, record)
        except ProofError as error:
            found[place] = error
    for projective in (False, True):
        places = [place for place, claim in claims.items() if claim.projective == projective]
        batch, parses = [claims[place].parts for place in places], [claims[place].parse for place in places]
        checked = decode.verify_batch(batch, parses, projective=projective, root=parser.model.root, errors="return")
        found.update(zip(places, checked, strict=True))
    return [found[place] for place in range(len(records))]


def _claimed(parser: Parser, sentence: Sentence, record: Mapping[str, Any]) -> Claimed:
    try:
        heads = [int(h) for h in record["heads"]]
        score, bound, gap = float(record["score"]), float(record["bound"]), float(record["gap"])
        spread, tolerance = float(record["spread"]), float(record["tolerance"])
        certified, projective, all_arcs = (record[name] is True for name in ("certified", "projective", "all_arcs"))
        proof = Proof.from_dict(record["proof"])
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise ProofError(f"refused: {error}") from None
        raise ProofError(f"refused: not a record as `treewright parse --proofs` writes it: {error!r}") from None
    if heads != sentence.heads.tolist():
        raise ProofError("refused: the proof is about another tree than that of the sentence")
    tree = np.array([-1, *heads], dtype=np.int32)
    parse = Parse(tree, score, bound, "proof", gap, spread, tolerance, evidence="bound", proof=proof)
    if certified != parse.certified:
        raise ProofError("refused: certified means that the gap is at most tolerance * spread")
    return Claimed(parser.parts(sentence, projective=projective, all_arcs=all_arcs), parse, projective)
