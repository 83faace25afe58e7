"""What the tagger sees of a word: hashed atoms and candidates, kept for every form that occurred."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from treewright.features.atoms import shape
from treewright.tagger.lexicon import Labels

REACH = 2  # how far from a word templates may look
REMEMBERED = 1 << 17  # words

Indices = NDArray[np.int32]
Hashes = NDArray[np.uint32]

# Atoms of a word, in the order of `word_atoms`.
ATOMS = (
    *("form", "lower", "end1", "end2", "end3", "end4", "end5", "start1", "start2", "start3", "start4"),
    *("shape", "kind", "class", "end6", "end7", "ending"),
)
TEMPLATES = (
    *("0.form", "0.lower", "0.end1", "0.end2", "0.end3", "0.end4", "0.end5"),
    *("0.start1", "0.start2", "0.start3", "0.start4", "0.shape", "0.kind", "0.class"),
    *("-1.lower", "+1.lower", "-2.lower", "+2.lower", "-1.lower 0.lower", "0.lower +1.lower", "-1.lower +1.lower"),
    *("-1.class", "+1.class", "+1.class +2.class", "-1.class +1.class", "-1.end3", "+1.end3", "0.end3 +1.class"),
    *("0.end6", "0.end7", "0.ending", "0.ending +1.class", "-1.class 0.ending", "-1.end3 0.ending"),
    *("-1.kind 0.kind", "0.shape +1.kind", "-1.lower 0.end3", "0.class +1.class", "-1.class 0.class"),
)


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


def kind(form: str) -> str:
    """Capitals, digits and hyphens of a form, and whether it has letters at all.

    >>> kind("Dogs"), kind("NATO"), kind("x-ray"), kind("3rd"), kind("...")
    ('A', 'AA', 'a-', 'a0', '.')
    """
    letters = "".join(letter for letter in form if letter.isalpha())
    found = ""
    if letters:
        capitals = "AA" if len(letters) > 1 and letters.isupper() else "A"
        found = capitals if form[0].isupper() else "aA" if letters != letters.lower() else "a"
    found += "0" if any(letter.isdigit() for letter in form) else ""
    found += "-" if letters and "-" in form else ""
    return found or "."


def word_atoms(form: str, is_known: bool, is_known_lower: bool, klass: str, ending: str) -> list[str]:
    """The atoms of a word. Rare words are one word, that the model may learn what to make of words it never saw."""
    lower = form.lower()
    return [
        form if is_known else "<rare>",
        lower if is_known_lower else "<rare>",
        *(lower[-length:] if length <= len(lower) else f"<{lower}" for length in range(1, 6)),
        *(lower[:length] if length <= len(lower) else f"{lower}>" for length in range(1, 5)),
        shape(form),
        kind(form),
        klass,
        *(lower[-length:] if length <= len(lower) else f"<{lower}" for length in (6, 7)),
        ending,
    ]


Description = tuple[Iterable[str], Labels]  # atoms, candidates


class WordTable:
    """The rows that the kernel reads: atoms and candidates of each word; describe(key) gives those of a new one.

    >>> table = WordTable(1, lambda word: ([word], (0, len(word))))
    >>> table.rows(["a", "bc", "a"]).tolist(), table.pool[:4].tolist()
    ([4, 5, 4], [0, 1, 0, 2])
    """

    def __init__(self, width: int, describe: Callable[[str], Description]) -> None:
        self.width = width
        self.describe = describe
        self._forget()

    def _forget(self) -> None:
        self._places: dict[str, int] = {}
        self.atoms = np.zeros((1024, self.width), dtype=np.uint32)
        self.begin = np.zeros(1025, dtype=np.int32)
        self.pool = np.zeros(4096, dtype=np.int32)
        for row in range(2 * REACH):
            self.atoms[row] = [hashed(f"<{row}>{atom}") for atom in range(self.width)]

    def rows(self, keys: Sequence[str]) -> Indices:
        """The row of each word."""
        if len(self._places) > REMEMBERED:
            self._forget()
        places = self._places
        return np.array([places.get(key) or self._remember(key) for key in keys], dtype=np.int32)

    def _remember(self, key: str) -> int:
        row = 2 * REACH + len(self._places)
        if row == len(self.atoms):
            self.atoms = np.concatenate([self.atoms, np.zeros_like(self.atoms)])
            self.begin = np.concatenate([self.begin, np.zeros_like(self.begin[1:])])
        atoms, candidates = self.describe(key)
        self.atoms[row] = [hashed(atom) for atom in atoms]
        first = int(self.begin[row])
        last = first + len(candidates)
        while last > len(self.pool):
            self.pool = np.concatenate([self.pool, np.zeros_like(self.pool)])
        self.pool[first:last] = candidates
        self.begin[row + 1] = last
        self._places[key] = row
        return row
