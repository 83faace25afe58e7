"""A table of word vectors, stored with eight bits a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from treewright.caching import cached_property
from treewright.corpus.typography import canonical

MAX_CODE = 127  # of an eight-bit number with a sign; -128 is not used


def key_of(form: str) -> str:
    """Return the spelling under which a vector is looked up: canonical marks, lower case.

    >>> key_of("DOG’S")
    "dog's"
    """
    return canonical(form).lower()


@dataclass(frozen=True)
class Vectors:
    """The words that have a vector, most frequent first, and their vectors: row i is codes[i] * scales[i]."""

    vocabulary: tuple[str, ...] = ()
    codes: NDArray[np.int8] = field(default_factory=lambda: np.zeros((0, 0), np.int8))
    scales: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))

    @classmethod
    def of(cls, vocabulary: Sequence[str], numbers: NDArray[np.float32]) -> Vectors:
        """Round vectors to eight bits: the largest number of each row is 127 times its scale.

        >>> Vectors.of(["a"], np.array([[0.5, -0.25]], np.float32)).numbers.round(3).tolist()
        [[0.5, -0.25200000405311584]]
        """
        largest = np.abs(numbers).max(axis=1, initial=0).astype(np.float32)
        scales = (largest / MAX_CODE).astype(np.float32)
        divisors = np.where(scales > 0, scales, 1).astype(np.float32)
        codes = np.rint(numbers / divisors[:, None]).clip(-MAX_CODE, MAX_CODE).astype(np.int8)
        return cls(tuple(vocabulary), codes, scales)

    @cached_property
    def numbers(self) -> NDArray[np.float32]:
        """The vectors as float32, [rows, size]."""
        return np.asarray(self.codes * self.scales[:, None], dtype=np.float32)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each word."""
        return {word: row for row, word in enumerate(self.vocabulary)}

    @cached_property
    def directions(self) -> NDArray[np.float32]:
        """The vectors divided by their lengths; a vector of zeros stays one."""
        lengths = np.linalg.norm(self.numbers, axis=1, keepdims=True)
        return np.asarray(self.numbers / np.where(lengths > 0, lengths, 1), dtype=np.float32)

    def keep(self, rows: int) -> Vectors:
        """Keep the vectors of the first words."""
        return Vectors(self.vocabulary[:rows], self.codes[:rows].copy(), self.scales[:rows].copy())
