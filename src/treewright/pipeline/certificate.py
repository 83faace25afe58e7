"""The certificate of a tree as text: the comment `# treewright = ...` of a sentence, and a line for a terminal.

A certificate is about the model: of all trees over the arcs in its scope (those that pruning left, or all of them),
none has a higher value. It does not say that the tree is right. docs/parser.md explains its scope, which the comment
leaves out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright.corpus import Sentence
from treewright.corpus.confidence import CERTIFICATE, without_certificate
from treewright.corpus.sentence import ParseResult
from treewright.errors import ProofError
from treewright.parser import Parser
from treewright.parser.proofs import check_joined, check_moved, check_record, read_record


def set_certificate(sentence: Sentence, parse: ParseResult) -> None:
    """Write the certificate of a parse into the comments of its sentence, in formats that have comments."""
    if sentence.layout.format != "conllx":
        sentence.set_comment(CERTIFICATE, parse.status)


def drop_certificate(sentence: Sentence) -> None:
    """Remove the certificate comment, if there is one: the input may have that of another parse."""
    if sentence.comment(CERTIFICATE) is not None:
        sentence.comments = without_certificate(sentence.comments)


def check_proof(parser: Parser, sentence: Sentence, data: Mapping[str, Any]) -> tuple[bool, float] | None:
    """Check a record that `proof_record` returned, and the comment of its sentence.

    Return whether the tree is certified, and the gap that is proved; None for a tree that was joined from those of
    parts and claims nothing. A ProofError says why the record does not hold.
    """
    if "searched" in data:
        comment, gap = check_moved(parser, sentence, data)
        check_comment(sentence, comment)
        return False, gap
    if data.get("proof") is None:
        check_comment(sentence, check_joined(sentence, data))
        return None
    record = read_record(data)
    if record.parse.heads[1:].tolist() != sentence.heads.tolist():
        raise ProofError("refused: the proof is about another tree than that of the sentence")
    check_comment(sentence, record.parse.status)
    verified = check_record(parser, sentence, record)
    return record.parse.certified, verified.gap


def check_comment(sentence: Sentence, expected: str) -> None:
    """Refuse a sentence whose comment says something else than its proof."""
    comment = sentence.comment(CERTIFICATE)
    if comment not in (None, expected):
        raise ProofError(f"refused: the comment of the sentence says {comment!r}, its proof {expected!r}")


def certificate_line(sentence: Sentence) -> str:
    """Write the certificate as it is printed below a drawing."""
    parse = sentence.parse
    if parse.certified:
        return f"certified: the model's best tree over {parse.scope}; it may still be wrong"
    if parse.parts > 1:
        return f"{parse.status}: the sentence is longer than the parser takes at once"
    return f"{parse.status}: under the model another tree over {parse.scope} may score higher"
