"""The best set of arcs under first-order scores: every word is reachable from the root, some arcs are required.

Without further conditions the best set has every arc with a positive score and, for a word without one, its best arc.
That relaxation is solved in one pass. Where its answer is no admissible graph, the search branches on what is wrong:

    a cycle                    one of its arcs is out: the i-th branch has the first i - 1 of them in and the i-th out
    words out of reach         one of the arcs that enter them is in, in the same manner
    several arcs from node 0   exactly one of the candidates is in

The branch of the highest value is split first, so that the first admissible answer is optimal.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.decode.problem import Problem
from treewright.errors import InfeasibleError
from treewright.relax import best_first

Flags = NDArray[np.bool_]
State = NDArray[np.int8]  # of each candidate arc: IN, OUT, or FREE

FREE, IN, OUT = 0, 1, -1


class BestArcs(NamedTuple):
    """The best admissible set of arcs, None if none was found within the limits, and a bound on all such sets."""

    on: Flags | None
    bound: float
    nodes: int  # of the search


class _Node(NamedTuple):
    state: State
    on: Flags  # the best set of arcs in which every word has a head
    bound: float  # its value


class Subgraph:
    """The problem of one sentence for branch and bound."""

    def __init__(self, problem: Problem, required: Flags, *, acyclic: bool, max_nodes: int, max_seconds: float) -> None:
        parts = problem.parts
        self.words, self.single_root, self.acyclic = problem.nodes - 1, problem.single_root, acyclic
        self.head, self.modifier, self.score = parts.head, parts.modifier, np.asarray(parts.arc)
        self.required = required
        self.max_nodes, self.deadline = max_nodes, time.monotonic() + max_seconds
        self.best: Flags | None = None
        self.value = self.cutoff = -math.inf

    def search(self) -> BestArcs:
        """Find the best set, or at a limit the bound alone."""
        root = self._solve(np.where(self.required, IN, FREE).astype(np.int8))
        if root is None:
            raise InfeasibleError("a word has no head: every arc to it is forbidden or has the score -inf")
        bound, nodes, _ = best_first.search(self, [root])
        if bound == -math.inf:
            raise InfeasibleError("no graph over the arcs that are allowed reaches every word; allow further arcs")
        return BestArcs(self.best, bound, nodes)

    def is_stopped(self, nodes: int) -> bool:
        """Return whether there are no more nodes or seconds; the root is always split."""
        return nodes > 1 and (nodes >= self.max_nodes or time.monotonic() > self.deadline)

    def split(self, node: _Node) -> Iterator[_Node] | None:
        """Split on what is wrong with a set of arcs; None if nothing is: no other set can be better."""
        branches = self._branches(node.state, node.on)
        if branches is None:
            self.best, self.value, self.cutoff = node.on, node.bound, node.bound
            return None
        return filter(None, map(self._solve, branches))

    def _solve(self, state: State) -> _Node | None:
        """Find the best set in which every word has a head; None if a word cannot have one."""
        on = (state == IN) | ((state == FREE) & (self.score > 0))
        missing = np.ones(self.words + 1, bool)
        missing[0] = False
        missing[self.modifier[on]] = False
        if missing.any():
            possible = np.flatnonzero((state == FREE) & missing[self.modifier])
            best = possible[np.lexsort((-self.score[possible], self.modifier[possible]))]
            words, first = np.unique(self.modifier[best], return_index=True)
            if len(words) < missing.sum():
                return None
            on[best[first]] = True
        return _Node(state, on, float(self.score[on].sum()))

    def _branches(self, state: State, on: Flags) -> Iterator[State] | None:
        """Divide the sets of arcs with this state so that none has what is wrong with one of them."""
        if self.single_root and (on & (self.head == 0)).sum() > 1:
            return self._one_root(state)
        reached = self._reach(on)
        if not reached.all():
            entering = np.flatnonzero((state != OUT) & reached[self.head] & ~reached[self.modifier])
            return _in_turn(state, entering, IN)
        cycle = self._find_cycle(on) if self.acyclic else []
        free = [arc for arc in cycle if state[arc] != IN]
        return _in_turn(state, free, OUT) if cycle else None

    def _one_root(self, state: State) -> Iterator[State]:
        """Branch on the arc from node 0 that is the only one."""
        arcs = np.flatnonzero(self.head == 0)
        required = arcs[state[arcs] == IN]
        candidates = arcs[state[arcs] != OUT]
        for arc in candidates if not len(required) else required if len(required) == 1 else ():
            branch = state.copy()
            branch[arcs] = OUT
            branch[arc] = IN
            yield branch

    def _reach(self, on: Flags) -> Flags:
        """Mark the nodes that arcs lead to from node 0."""
        reached = np.zeros(self.words + 1, bool)
        reached[0] = True
        heads, modifiers = self.head[on], self.modifier[on]
        while True:
            new = modifiers[reached[heads] & ~reached[modifiers]]
            if not len(new):
                return reached
            reached[new] = True

    def _find_cycle(self, on: Flags) -> list[int]:
        """List the arcs of a cycle, or none: nodes whose heads are all removed are removed until none is left."""
        arcs = np.flatnonzero(on)
        left = np.ones(self.words + 1, bool)
        while True:
            arcs = arcs[left[self.head[arcs]]]
            has_head = np.zeros(self.words + 1, bool)
            has_head[self.modifier[arcs]] = True
            if not (left & ~has_head).any():
                break
            left &= has_head
        if not left.any():
            return []
        arc_to = {int(self.modifier[arc]): int(arc) for arc in arcs if left[self.modifier[arc]]}
        walked: dict[int, int] = {}  # the arc to each node, upwards from some node that is on or below a cycle
        node = next(iter(arc_to))
        while node not in walked:
            walked[node] = arc_to[node]
            node = int(self.head[arc_to[node]])
        nodes = list(walked)
        return [walked[other] for other in nodes[nodes.index(node) :]]


def _in_turn(state: State, arcs: Iterable[int], value: int) -> Iterator[State]:
    """Branches in which at least one of the arcs has the value IN or OUT: the i-th has it first at the i-th arc."""
    rest = state.copy()
    for arc in arcs:
        branch = rest.copy()
        branch[arc] = value
        yield branch
        rest[arc] = -value
