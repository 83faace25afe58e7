"""Text as numbers: a unit is a word in lower case or, for a rare word, its shape."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright.words.shapes import shapes

if TYPE_CHECKING:  # imported on use: models with word classes load without SciPy
    from scipy import sparse

MIN_ENDING_TOKENS = 10  # a shape with an ending is used if so many rare words have it; not tuned
CHUNK = 1 << 22  # tokens whose neighbours are counted together, to bound memory; not tuned

Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Units:
    """Units by falling frequency, and the text in their numbers; `edge` stands before, between and after sentences."""

    names: tuple[str, ...]
    is_shape: tuple[bool, ...]
    text: Ints

    @property
    def edge(self) -> int:
        """The number of the boundary of a sentence."""
        return len(self.names)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How often each unit occurs, the boundary last."""
        return np.bincount(self.text[1:], minlength=self.edge + 1)

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]], min_count: int) -> Units:
        """Return the units of sentences; words that occur less often than `min_count` are represented by their shapes.

        >>> units = Units.of([["The", "dog"], ["the", "cat"]], 2)
        >>> units.names, units.text.tolist()
        (('<a>', 'the'), [2, 1, 0, 2, 1, 0, 2])
        """
        number_of: dict[str, int] = {}
        text = array("i", [-1])
        for forms in sentences:
            if len(forms):
                text.extend([number_of.setdefault(form, len(number_of)) for form in forms])
                text.append(-1)
        numbers = np.frombuffer(text, np.int32)
        counts = np.bincount(numbers[numbers >= 0], minlength=len(number_of)).tolist()
        unit_of = units_of(list(number_of), counts, min_count)
        totals: Counter[tuple[str, bool]] = Counter()
        for unit, count in zip(unit_of, counts, strict=True):
            totals[unit] += count
        order = sorted(totals, key=lambda unit: (-totals[unit], unit))
        rank = {unit: number for number, unit in enumerate(order)}
        table = np.array([*(rank[unit] for unit in unit_of), len(order)], np.int32)  # -1 is the last entry
        return cls(tuple(name for name, _ in order), tuple(is_shape for _, is_shape in order), table[numbers])

    def bigrams(self) -> tuple[Ints, Ints, Ints]:
        """Count the pairs of units in a row, boundaries included: first, second, count."""
        pairs = self._pairs(1, across=True).tocoo()
        return pairs.row.astype(np.int32), pairs.col.astype(np.int32), pairs.data.astype(np.int32)

    def neighbours(self, window: int) -> sparse.csr_matrix:
        """Count how often each unit is at each distance before and after another, [units, 2 * window * (units + 1)].

        The boundary of a sentence is a neighbour too, but only the words of one sentence are neighbours.
        """
        from scipy import sparse

        blocks = []
        for distance in range(1, window + 1):
            pairs = self._pairs(distance, across=distance == 1)
            blocks += [pairs.T, pairs]
        return sparse.hstack(blocks, format="csr")[: self.edge]

    def _pairs(self, distance: int, *, across: bool) -> sparse.csr_matrix:
        """Count the pairs of units at a distance; across: those with the boundary of a sentence too."""
        from scipy import sparse

        size = self.edge + 1
        counts = sparse.csr_matrix((size, size))
        for begin in range(0, len(self.text) - distance, CHUNK):
            part = self.text[begin : begin + CHUNK + distance]
            first, second = part[:-distance], part[distance:]
            if not across:
                sentence = np.cumsum(part == self.edge)
                inside = (sentence[:-distance] == sentence[distance:]) & (first != self.edge)
                first, second = first[inside], second[inside]
            ones = np.ones(len(first))
            counts = counts + sparse.coo_matrix((ones, (first, second)), shape=(size, size)).tocsr()
        return counts


def units_of(forms: Sequence[str], counts: Sequence[int], min_count: int) -> list[tuple[str, bool]]:
    """Return the unit of each form, and whether it is a shape."""
    words: Counter[str] = Counter()
    for form, count in zip(forms, counts, strict=True):
        words[form.lower()] += count
    rare: Counter[str] = Counter()
    for form, count in zip(forms, counts, strict=True):
        if words[form.lower()] < min_count:
            for shape in shapes(form):
                rare[shape] += count

    def unit(form: str) -> tuple[str, bool]:
        if words[form.lower()] >= min_count:
            return form.lower(), False
        described = shapes(form)
        return next((shape for shape in described[:-1] if rare[shape] >= MIN_ENDING_TOKENS), described[-1]), True

    return [unit(form) for form in forms]
