"""Word classes with their bit paths: the leaves of a binary tree in which similar classes share a prefix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from treewright.caching import cached_property
from treewright.corpus.typography import canonical
from treewright.words.shapes import shapes


@dataclass(frozen=True)
class Classes:
    """The number of the class of each word, most frequent words first, and the bit path of each class.

    Words that are not in the list have the class of their shape, if the classes were learned from text.
    """

    words: tuple[str, ...] = ()
    numbers: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    paths: tuple[str, ...] = ()
    shapes: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> Classes:
        """Make classes of pairs of a word and a path.

        >>> Classes.of([("a", "01"), ("the", "01"), ("dog", "1")]).numbers.tolist()
        [0, 0, 1]
        """
        words, numbers, number_of = [], [], dict[str, int]()
        for word, path in pairs:
            words.append(word)
            numbers.append(number_of.setdefault(path, len(number_of)))
        return cls(tuple(words), np.array(numbers, np.int32), tuple(number_of))

    @cached_property
    def number_of(self) -> dict[str, int]:
        """The class of each word."""
        return dict(zip(self.words, self.numbers.tolist(), strict=True))

    def path(self, form: str) -> str:
        """Return the bit path of a form: as canonically spelled, else in lower case, else of its shape; "" if none."""
        spelled = canonical(form)
        for key in (spelled, spelled.lower()):
            if key in self.number_of:
                return self.paths[self.number_of[key]]
        for shape in shapes(spelled) if self.shapes else ():
            if shape in self.shapes:
                return self.paths[self.shapes[shape]]
        return ""

    def members(self, path: str) -> Sequence[str]:
        """Return the words of a class, most frequent first."""
        if path not in self.paths:
            return []
        rows = np.flatnonzero(self.numbers == self.paths.index(path))
        return [self.words[row] for row in rows.tolist()]

    def keep(self, words: int) -> Classes:
        """Keep the classes of the first words, and of shapes; classes without any of them are left out."""
        numbers = self.numbers[:words]
        used = sorted({*numbers.tolist(), *self.shapes.values()})
        new = np.full(len(self.paths), -1, np.int32)
        new[used] = np.arange(len(used), dtype=np.int32)
        kept_shapes = {shape: int(new[number]) for shape, number in self.shapes.items()}
        return Classes(self.words[:words], new[numbers], tuple(self.paths[number] for number in used), kept_shapes)
