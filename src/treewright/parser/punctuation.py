"""Punctuation in trees with crossing arcs: as the guidelines ask, it is attached at the highest head without a gap.

An arc has a gap if its head does not dominate all words below it. Punctuation makes a gap if its own arc has one, or if
it is all there is in the gap of another arc; `treewright check` reports both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from treewright.decode import Parse
from treewright.trees import gap_of

Arc = tuple[int, int]  # head, modifier
DETACHED = -1  # the head of punctuation that is not attached yet; it is in no gap


@dataclass(eq=False, slots=True)
class MovedParse(Parse):
    """A tree in which punctuation was moved; its bound and proof come from `searched`, the tree before that."""

    searched: Parse | None = None

    @classmethod
    def of(cls, searched: Parse, heads: NDArray[np.int32], score: float) -> MovedParse:
        """Replace the tree by one that may have further arcs; the bound is not below its score."""
        values = {field.name: getattr(searched, field.name) for field in fields(Parse)}
        bound = max(searched.bound, score)
        changed = {"heads": heads, "score": score, "bound": bound, "gap": bound - score, "evidence": "bound"}
        return cls(**{**values, **changed, "proof": None, "searched": searched})


def crossing_marks(heads: NDArray[np.int32], marks: NDArray[np.int32]) -> list[Arc]:
    """Return the arcs to marks that make gaps.

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


def movable_marks(heads: NDArray[np.int32], marks: NDArray[np.int32], require: Collection[Arc] = ()) -> list[int]:
    """Return the marks that make gaps and those below them, but for the ones with a required arc or other dependents.

    >>> movable_marks(np.array([-1, 2, 0, 2, 1]), np.array([4]))
    [4]
    """
    tree = heads.tolist()
    crossing = {mark for _, mark in crossing_marks(heads, marks)}
    moved = {mark for mark in marks.tolist() if not crossing.isdisjoint(ancestors(tree, mark))}
    moved -= {modifier for _, modifier in require}
    while heads_of_others := moved.intersection(tree[word] for word in range(1, len(tree)) if word not in moved):
        moved -= heads_of_others
    return sorted(moved)


def attach_marks(
    heads: NDArray[np.int32], marks: NDArray[np.int32], moved: Iterable[int], forbid: Collection[Arc] = ()
) -> NDArray[np.int32]:
    """Return the tree in which each moved mark has the highest head that makes no gap.

    There is always one, unless it is among the forbidden arcs: the mark then keeps its head. A moved mark without a
    head (-1) is attached for the first time. marks: all punctuation of the sentence; only moved marks have moved heads.

    >>> attach_marks(np.array([-1, 2, 0, 2, 1]), np.array([4]), [4]).tolist()
    [-1, 2, 0, 2, 2]
    """
    tree, of_marks, order = heads.tolist(), set(marks.tolist()), list(moved)
    for mark in order:
        tree[mark] = DETACHED
    for mark in order:
        free = [head for head in heads_without_gap(tree, mark, of_marks) if (head, mark) not in forbid]
        highest = min(free, key=lambda head: (len(ancestors(tree, head)), abs(head - mark)), default=None)
        tree[mark] = int(heads[mark]) if highest is None else highest
    return np.array(tree, dtype=np.int32)


def heads_without_gap(tree: list[int], mark: int, marks: Collection[int]) -> Iterator[int]:
    """Yield the heads with which a detached mark of a tree makes no gap.

    They dominate the nearest attached words on either side that are below their arcs, so that one of both neighbours or
    one above it is such a head.
    """
    attached = [word for word in range(1, len(tree)) if tree[word] != DETACHED]
    above = {tree[word] for word in attached if tree[word] > 0 and covers(tree, word, mark, marks)}
    chains = [
        ancestors(tree, max((word for word in attached if word < mark), default=0)),
        ancestors(tree, min((word for word in attached if word > mark), default=0)),
    ]
    for head in {head for chain in chains for head in chain}:
        is_leaf = head in marks and tree[head] > 0 and head not in tree
        if not is_leaf and above.issubset(ancestors(tree, head)) and not attached_gap(tree, head, mark):
            yield head


def covers(tree: list[int], word: int, mark: int, marks: Collection[int]) -> bool:
    """Whether the arc to a word is above a mark, and has no gap if its head dominates the mark."""
    if not min(tree[word], word) < mark < max(tree[word], word):
        return False
    gap = attached_gap(tree, tree[word], word)
    return not gap if word in marks else all(inner in marks for inner in gap)


def attached_gap(tree: list[int], head: int, word: int) -> list[int]:
    """Return the gap of the arc from head to word, without marks that are detached."""
    nodes = [*tree[:word], head, *tree[word + 1 :]]
    return [inner for inner in gap_of(nodes, word) if tree[inner] != DETACHED]


def ancestors(tree: list[int], node: int) -> list[int]:
    """Return a word and the words above it, upwards; nothing for the root.

    >>> ancestors([-1, 2, 0, 2], 1)
    [1, 2]
    """
    chain = []
    while node > 0:
        chain.append(node)
        node = tree[node]
    return chain
