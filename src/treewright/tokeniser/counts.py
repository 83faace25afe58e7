"""Counts of strings by their hashes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.model.component import Arrays, check_array
from treewright.tokeniser.characters import Hashes

MAX_COUNT = 65535


@dataclass(frozen=True)
class Counts:
    """How often hashed strings occur: keys of 32 bits in ascending order, and a count for each.

    >>> counts = Counts.of(np.array([7, 7, 8], dtype=np.uint64))
    >>> counts.look_up(np.array([7, 8, 9], dtype=np.uint64)).tolist()
    [2, 1, 0]
    """

    keys: NDArray[np.uint32]
    counts: NDArray[np.uint16]

    @classmethod
    def of(cls, hashes: Hashes, min_count: int = 1) -> Counts:
        """Count hashes; those below `min_count` are left out."""
        keys, counts = np.unique(shorten(hashes), return_counts=True)
        is_kept = counts >= min_count
        return cls(keys[is_kept], np.minimum(counts[is_kept], MAX_COUNT).astype(np.uint16))

    def look_up(self, hashes: Hashes) -> NDArray[np.int64]:
        """Return the count of each hash."""
        if not len(self.keys):
            return np.zeros(len(hashes), dtype=np.int64)
        short = shorten(hashes)
        row = np.minimum(np.searchsorted(self.keys, short), len(self.keys) - 1)
        return np.where(self.keys[row] == short, self.counts[row], 0).astype(np.int64)

    def to_arrays(self, name: str) -> dict[str, NDArray[np.generic]]:
        """Return the arrays of a model file."""
        return {f"{name}.keys": self.keys, f"{name}.counts": self.counts}

    @classmethod
    def from_arrays(cls, arrays: Arrays, name: str) -> Counts:
        """Return the inverse of `to_arrays`."""
        keys, counts = arrays[f"{name}.keys"], arrays[f"{name}.counts"]
        check_array(f"{name}.keys", keys, np.uint32, (None,))
        check_array(f"{name}.counts", counts, np.uint16, (len(keys),))
        if (keys[1:] <= keys[:-1]).any():
            raise ValueError(f"the array {name}.keys is not sorted")
        return cls(keys, counts)


def shorten(hashes: Hashes) -> NDArray[np.uint32]:
    """Return 32 bits of each hash of `Substrings`; mixed, because its lower bits alone have the first character."""
    mixed = (hashes ^ (hashes >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(32)).astype(np.uint32)
