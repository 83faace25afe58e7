"""The certificate of a tree as text: the comment `# treewright = ...` of a sentence, and a line for a terminal."""

from __future__ import annotations

from typing import Any

from treewright.corpus import Sentence

COMMENT = "treewright"  # the name of the sentence comment


def set_certificate(sentence: Sentence, parse: Any) -> None:
    """Write the certificate of a parse into the comments of its sentence, in formats that have comments."""
    if sentence.layout.format != "conllx":
        sentence.set_comment(COMMENT, parse.status)


def drop_certificate(sentence: Sentence) -> None:
    """Remove the certificate comment, if there is one: the input may have that of another parse."""
    if sentence.comment(COMMENT) is not None:
        sentence.comments = [line for line in sentence.comments if not line.startswith(f"# {COMMENT} =")]


def certificate_line(sentence: Sentence) -> str:
    """The certificate as it is printed below a drawing."""
    parse = sentence.parse
    return "certified: no tree scores higher" if parse.certified else f"{parse.status}: a tree may score higher"
