"""Word classes by the likelihood of a class bigram model, and their bit paths (see core/text/word_classes.hpp)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from treewright._core import WordClasses
from treewright.errors import InputError
from treewright.words.units import Units

MIN_MOVED_SHARE = 1e-3  # the search ends when a sweep moves no more of the words; not tuned
SLICE = 256  # units between two calls of a progress function; not tuned

Ints = NDArray[np.int32]


class Exchange:
    """The search for classes: sweeps that move each unit to its best class, most frequent units first."""

    def __init__(self, units: Units, classes: int, class_of: Ints | None = None) -> None:
        """class_of: the classes to start from, by default one for each of the most frequent units."""
        if classes < 2:
            raise InputError(f"{classes} word classes are too few; give 2 or more")
        if len(units.names) <= classes:
            raise InputError(f"{classes} word classes are too many for {len(units.names)} different words")
        if len(units.text) > np.iinfo(np.int32).max:
            raise InputError(f"{len(units.text)} words of text are too many; word classes are learned of up to 2^31")
        self._units = units
        first, second, counts = units.bigrams()
        start = np.zeros(0, np.int32) if class_of is None else class_of
        self._kernel = WordClasses(units.edge + 1, classes, first, second, counts, start)

    def sweep(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Move every unit to its best class; return how many moved. progress gets the units done and their number."""
        moved, units = 0, self._units.edge
        for begin in range(0, units, SLICE):
            if progress:
                progress(begin, units)
            moved += self._kernel.sweep(begin, min(begin + SLICE, units))
        return moved

    def is_done(self, moved: int) -> bool:
        """Return whether a sweep that moved so many units was the last."""
        return moved <= MIN_MOVED_SHARE * self._units.edge

    def value(self) -> float:
        """Return the log likelihood of the text: each class given the previous one, each unit given its class."""
        return self._kernel.value()

    def value_a_word(self) -> float:
        """Return the log likelihood divided by the length of the text."""
        return self.value() / (len(self._units.text) - 1)

    @property
    def class_of(self) -> Ints:
        """The class of each unit, the boundary last."""
        return self._kernel.class_of()

    def merges(self) -> list[tuple[int, int]]:
        """Return the merges of two classes, the second into the first, until one is left; the cheapest first."""
        return self._kernel.merges()


def paths_of(merges: Sequence[tuple[int, int]], classes: int) -> list[str]:
    """Return the bit paths of classes in the tree of their merges.

    >>> paths_of([(1, 2), (0, 1)], 3)
    ['0', '10', '11']
    """
    paths = [""] * classes
    for first, second in reversed(merges):  # the last merge is the root of the tree
        paths[first], paths[second] = paths[first] + "0", paths[first] + "1"
    return paths
