"""The scores of one sentence as `verify` reads them: parts over candidate arcs, in flat arrays of doubles.

Arcs are sorted by head, then left before right, then outwards; `side` 2 h is the left and 2 h + 1 the right of node h.
The state p of a side is the number of its innermost candidates up to the last modifier chosen: 0 before the first.

    arc[a]                     arc a, from head[a] to modifier[a], which is number `position[a]` of its side (from 1)
    sib[first_sib[a] + p]      arc a after state p < position[a]
    stop[first_stop[side] + p] no further modifier after state p
    grand[a, k]                arc a under the k-th candidate head of its own head (`heads_of`)

-inf is the score of what no tree can have.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.errors import InputError, ProofError
from treewright.proofs.proof import Arc

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Rows = tuple[Indices, Indices, Indices, Floats]  # three nodes (or two and a side) of each part, and its score


class TreeParts(NamedTuple):
    """The places of the parts of a tree."""

    arc: Indices  # of each word
    sib: Indices
    stop: Indices
    head: Indices  # the k of grand[a, k] of each arc


class Scores:
    """The parts of a sentence over its candidate arcs, from arrays or from a treewright.decode.Parts."""

    def __init__(
        self,
        arc: Any,
        sib: ArrayLike | None,
        grand: ArrayLike | None,
        stop: ArrayLike | None,
        require: Iterable[Arc],
        forbid: Iterable[Arc],
    ) -> None:
        is_list = hasattr(arc, "grandparents")
        if is_list and arc.outermost:
            raise InputError("parts with outermost=True have no proofs; verify reads every grandparent part")
        if is_list:
            matrix = np.full((arc.nodes, arc.nodes), -np.inf)
            matrix[arc.arcs[0], arc.arcs[1]] = arc.arcs[2]
        else:
            matrix = _array(arc, "arc", None)
        self.nodes = len(matrix)
        matrix[:, 0] = -np.inf
        np.fill_diagonal(matrix, -np.inf)
        for h, m in require:
            matrix[np.arange(self.nodes) != h, m] = -np.inf
        for h, m in forbid:
            matrix[h, m] = -np.inf
        self._number_arcs(matrix)
        self.has_grand = arc.core.has_grand if is_list else grand is not None
        self._number_heads()
        self.sib, self.stop = np.zeros(len(self.sib_arc)), np.zeros(len(self.stop_side))
        if is_list:
            self._read_parts(arc.siblings, arc.stops, arc.grandparents)
        else:
            cube = (self.nodes,) * 3
            self._read_parts(_rows(sib, "sib", cube), _rows(stop, "stop", (*cube[:2], 2)), _rows(grand, "grand", cube))
        for scores in (self.arc, self.sib, self.stop, self.grand):
            if np.isnan(scores).any() or (scores == math.inf).any():
                raise InputError("arc, sib, grand or stop has NaN or +inf; write -inf to forbid a part")

    def _number_arcs(self, matrix: Floats) -> None:
        head, modifier = np.nonzero(~(matrix == -np.inf))  # NaN is refused later
        distance = abs(modifier - head)
        order = np.lexsort((distance, 2 * head + (modifier > head)))
        self.head, self.modifier = head[order], modifier[order]
        self.arc = matrix[self.head, self.modifier]
        self.arcs = len(self.arc)
        self.side = 2 * self.head + (self.modifier > self.head)
        self.side_size = np.bincount(self.side, minlength=2 * self.nodes)
        self.side_begin = self.side_size.cumsum() - self.side_size
        self.position = np.arange(self.arcs) - self.side_begin[self.side] + 1
        self.number = np.full((self.nodes, self.nodes), -1)  # [h, m] -> arc, -1: no candidate
        self.number[self.head, self.modifier] = np.arange(self.arcs)
        self.first_sib = self.position.cumsum() - self.position
        self.sib_arc = np.repeat(np.arange(self.arcs), self.position)
        self.sib_state = np.arange(len(self.sib_arc)) - self.first_sib[self.sib_arc]
        self.first_stop = self.side_begin + np.arange(2 * self.nodes)
        self.stop_side = np.repeat(np.arange(2 * self.nodes), self.side_size + 1)
        self.stop_state = np.arange(len(self.stop_side)) - self.first_stop[self.stop_side]

    def _number_heads(self) -> None:
        """Number the candidate heads of each node; without grandparent scores one number stands for all."""
        self.rank = np.zeros(self.arcs, dtype=np.intp)  # of the head of an arc among those of its modifier
        self.heads = 1
        if self.has_grand:
            order = np.argsort(self.modifier, kind="stable")
            count = np.bincount(self.modifier, minlength=self.nodes)
            self.rank[order] = np.arange(self.arcs) - (count.cumsum() - count)[self.modifier[order]]
            self.heads = int(count.max(initial=1))
        self.heads_of = np.full((self.nodes, self.heads), -1)  # [node, k]; -1: there are fewer
        self.heads_of[self.modifier, self.rank] = self.head
        self.grand = np.zeros((self.arcs, self.heads))
        if self.has_grand:
            upper = self.heads_of[self.head]
            self.grand[(self.head > 0)[:, None] & ((upper < 0) | (upper == self.modifier[:, None]))] = -np.inf

    def _read_parts(self, siblings: Rows, stops: Rows, grandparents: Rows) -> None:
        h, m, s, score = siblings
        arc, state = self.number[h, m], self._states(h, s)
        chosen = (arc >= 0) & (state >= 0) & ((s == h) | ((s > h) == (m > h))) & (state < self.position[arc])
        self.sib[(self.first_sib[arc] + state)[chosen]] = score[chosen]
        h, s, side, score = stops
        state = self._states(h, s)
        chosen = (state >= 0) & ((s == h) | ((s > h) == side)) & (2 * h + side > 0)
        self.stop[(self.first_stop[2 * h + side] + state)[chosen]] = score[chosen]
        g, h, m, score = grandparents
        upper, arc = self.number[g, h], self.number[h, m]
        chosen = (upper >= 0) & (arc >= 0) & (g != m)
        self.grand[arc[chosen], self.rank[upper[chosen]]] = score[chosen]

    def _states(self, h: Indices, s: Indices) -> Indices:
        """The state of a side of h with s as the last modifier, 0 if s is h; -1 where s is no candidate."""
        arc = self.number[h, s]
        return np.where(s == h, 0, np.where(arc >= 0, self.position[arc], -1))

    def check_tree(self, heads: Sequence[int], projective: bool, single_root: bool) -> None:
        """Refuse heads that are no tree of candidate arcs under these rules."""
        if len(heads) != self.nodes or heads[0] != -1:
            raise ProofError(f"refused: heads has {len(heads)} entries; -1 and one head a word are {self.nodes}")
        for m, h in enumerate(heads):
            if m and not (0 <= h < self.nodes and self.number[h, m] >= 0):
                raise ProofError(f"refused: the arc ({h}, {m}) is not allowed")
        if single_root and heads.count(0) != 1:
            raise ProofError(f"refused: node 0 has {heads.count(0)} children; with root='single' it has one")
        if any(is_above(heads, m, h) for m, h in enumerate(heads) if m):
            raise ProofError("refused: the heads form a cycle")
        if projective and _has_crossing(heads):
            raise ProofError("refused: arcs of the tree cross")

    def parts_of(self, heads: Sequence[int]) -> TreeParts:
        """Find the parts of a tree, by their definition."""
        used = self.number[heads[1:], np.arange(1, self.nodes)]
        state = [0] * (2 * self.nodes)
        sib = []
        for arc in np.sort(used).tolist():  # those of one side outwards
            sib.append(self.first_sib[arc] + state[self.side[arc]])
            state[self.side[arc]] = self.position[arc]
        head = np.where(self.head[used] > 0, self.rank[used[self.head[used] - 1]], 0)
        return TreeParts(used, np.array(sib), self.first_stop + state, head)

    def of_tree(self, tree: TreeParts) -> Floats:
        """The scores of the parts of a tree."""
        grand = self.grand[tree.arc, tree.head]
        return np.concatenate([self.arc[tree.arc], self.sib[tree.sib], self.stop[tree.stop], grand])


def _array(values: ArrayLike, name: str, shape: tuple[int, ...] | None) -> Floats:
    """A copy of an array of this shape; None: a square one."""
    array = np.array(values, dtype=np.float64)
    expected = shape or 2 * (max(2, *array.shape, 2),)  # a row for the root and each word
    if array.shape != expected:
        raise InputError(f"{name} has the shape {array.shape}, expected {expected}")
    return array


def _rows(values: ArrayLike | None, name: str, shape: tuple[int, ...]) -> Rows:
    """The parts in an array that have another score than 0."""
    array = np.zeros((0, 0, 0)) if values is None else _array(values, name, shape)
    first, second, third = np.nonzero(array)
    return first, second, third, array[first, second, third]


def is_above(heads: Sequence[int], upper: int, node: int) -> bool:
    """Whether upper is the node or on the path of heads from it, which may be a cycle."""
    for _ in heads:
        if node == upper or node <= 0:
            break
        node = heads[node]
    return node == upper


def _has_crossing(heads: Sequence[int]) -> bool:
    """Whether two arcs of a tree cross: one begins within another and ends beyond it."""
    spans = [(min(h, m), max(h, m)) for m, h in enumerate(heads) if m]
    return any(i < k < j < end for i, j in spans for k, end in spans)
