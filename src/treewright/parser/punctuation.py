"""Punctuation in trees with crossing arcs: as the guidelines want it, it is attached without making gaps."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from treewright.decode import Candidates
from treewright.trees import gap_of

Arc = tuple[int, int]  # head, modifier
MAX_ROUNDS = 5  # of decoding without the arcs that cross; then the tree is projective. Not tuned.


def crossing_marks(heads: NDArray[np.int32], marks: NDArray[np.int32]) -> list[Arc]:
    """Return the arcs to marks that break a rule of the guidelines: they have a gap, or are the gap of another arc.

    heads: of a tree, with node 0 the root. marks: the punctuation.

    >>> crossing_marks(np.array([-1, 2, 0, 2, 1]), np.array([4]))
    [(1, 4)]
    """
    tree, of_marks = heads.tolist(), set(marks.tolist())
    crossing = set()
    for word in range(1, len(tree)):
        gap = gap_of(tree, word)
        if word in of_marks:
            crossing.update([word] if gap else [])
        elif of_marks.issuperset(gap):
            crossing.update(gap)
    return [(tree[mark], mark) for mark in sorted(crossing)]


def without_arcs(arcs: Candidates, removed: Iterable[Arc]) -> Candidates:
    """Return the candidate arcs that are left without some."""
    gone = set(removed)
    kept = [pair not in gone for pair in zip(arcs.head.tolist(), arcs.modifier.tolist(), strict=True)]
    return Candidates(arcs.head[kept], arcs.modifier[kept], arcs.marginal)
