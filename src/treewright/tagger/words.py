"""What the tagger sees of a word: templates over atoms that the core makes of its letters (core/text/spelling.hpp)."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

REACH = 2  # how far from a word templates may look

Indices = NDArray[np.int32]

# Atoms of a word, in the order of TagWords::add and LemmaWords::add.
ATOMS = (
    *("form", "lower", "end1", "end2", "end3", "end4", "end5", "end6", "end7"),
    *("start1", "start2", "start3", "start4", "shape", "kind", "class", "ending", "stem", "stemclass", "rest"),
)
TEMPLATES = (
    *("0.form", "0.lower", "0.end1", "0.end2", "0.end3", "0.end4", "0.end5"),
    *("0.start1", "0.start2", "0.start3", "0.start4", "0.shape", "0.kind", "0.class"),
    *("-1.lower", "+1.lower", "-2.lower", "+2.lower", "-1.lower 0.lower", "0.lower +1.lower", "-1.lower +1.lower"),
    *("-1.class", "+1.class", "+1.class +2.class", "-1.class +1.class", "-1.end3", "+1.end3", "0.end3 +1.class"),
    *("0.end6", "0.end7", "0.ending", "0.ending +1.class", "-1.class 0.ending", "-1.end3 0.ending"),
    *("0.stem", "0.stemclass 0.rest", "0.stemclass 0.end3", "0.rest"),
    *("-1.kind 0.kind", "0.shape +1.kind", "-1.lower 0.end3", "0.class +1.class", "-1.class 0.class"),
)
LEMMA_ATOMS = (
    *("end1", "end2", "end3", "end4", "end5", "end6", "start1", "start2", "start3"),
    *("shape", "kind", "upos", "feats", "whole"),
)
LEMMA_TEMPLATES = (
    *(f"0.end{length} 0.{tag}" for length in range(1, 7) for tag in ("upos", "feats")),
    *(f"0.start{length} 0.{tag}" for length in range(1, 4) for tag in ("upos", "feats")),
    *("0.shape 0.upos", "0.kind 0.upos", "0.kind 0.feats", "0.upos 0.feats", "0.whole", "0.end2 0.start1 0.upos"),
)


class _Kinds(dict[int, str]):
    """For str.translate: A for capitals, a for other letters, 0 for digits, other characters as they are."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        kind = "A" if letter.isupper() else "a" if letter.isalpha() else "0" if letter.isdigit() else letter
        self[code] = kind
        return kind


KINDS = _Kinds()


def compiled(templates: Sequence[str], atoms: Sequence[str]) -> Indices:
    """Templates as rows of template, atom, offset.

    >>> compiled(["0.form", "-1.lower 0.form"], ["form", "lower"]).tolist()
    [[0, 0, 0], [1, 1, -1], [1, 0, 0]]
    """
    rows = []
    for number, template in enumerate(templates):
        for item in template.split():
            offset, _, atom = item.partition(".")
            rows.append((number, atoms.index(atom), int(offset)))
    return np.array(rows, dtype=np.int32)


def hashed(text: str) -> int:
    """Thirty-two bits of a string, the same everywhere."""
    return crc32(text.encode("utf-8", "surrogatepass"))
