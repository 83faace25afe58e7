"""The best set of arcs under first-order scores: every word is reachable from the root, some arcs are required.

Without further conditions the best set has every arc with a positive score and, for a word without one, its best arc.
That relaxation is solved in one pass. Where its answer is no admissible graph, the search branches on what is wrong:

    a cycle                    one of its arcs is out: the i-th branch has the first i - 1 of them in and the i-th out
    words out of reach         one of the arcs that enter them is in, in the same manner
    several arcs from node 0   exactly one of the candidates is in

Every branch is a relaxation of its own, and the one with the highest value is solved first (best first), so that the
first admissible answer is optimal. The bound is the highest value that is left.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.decode.problem import Problem
from treewright.errors import InfeasibleError

Flags = NDArray[np.bool_]
State = NDArray[np.int8]  # of each candidate arc: IN, OUT, or FREE

FREE, IN, OUT = 0, 1, -1


class Found(NamedTuple):
    """The best admissible set of arcs found, None if there is none yet; its value, and a bound on all others."""

    on: Flags | None
    value: float
    bound: float
    nodes: int  # relaxations that were solved


class _Relaxed(NamedTuple):
    value: float
    on: Flags


class Subgraph:
    """The search for one sentence."""

    def __init__(self, problem: Problem, required: Flags, *, acyclic: bool) -> None:
        parts = problem.parts
        self.words, self.single_root, self.acyclic = problem.nodes - 1, problem.single_root, acyclic
        self.head, self.modifier, self.score = parts.head, parts.modifier, np.asarray(parts.arc)
        self.required = required

    def search(self, max_nodes: int, max_seconds: float) -> Found:
        """The best set, or with a limit the bound alone."""
        deadline = time.monotonic() + max_seconds
        start = np.where(self.required, IN, FREE).astype(np.int8)
        first = self._relaxed(start)
        if first is None:
            raise InfeasibleError("a word has no head: every arc to it is forbidden or has the score -inf")
        waiting = [(-first.value, 0, start, first.on)]
        count = 1
        while waiting:
            value, _, state, on = heapq.heappop(waiting)
            branches = self._branches(state, on)
            if branches is None:
                return Found(on, -value, -value, count)
            for branch in branches:
                solved = self._relaxed(branch)
                count += 1
                if solved is not None:
                    heapq.heappush(waiting, (-solved.value, count, branch, solved.on))
            if waiting and (count >= max_nodes or time.monotonic() > deadline):
                return Found(None, -np.inf, -waiting[0][0], count)
        raise InfeasibleError("no graph over the arcs that are allowed reaches every word; allow further arcs")

    def _relaxed(self, state: State) -> _Relaxed | None:
        """The best set in which every word has a head; None if a word cannot have one."""
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
            on = on.copy()
            on[best[first]] = True
        return _Relaxed(float(self.score[on].sum()), on)

    def _branches(self, state: State, on: Flags) -> list[State] | None:
        """What is wrong with a set of arcs, as branches that exclude it; None if nothing is."""
        from_root = np.flatnonzero(on & (self.head == 0))
        if self.single_root and len(from_root) > 1:
            return list(self._one_root(state))
        reached = self._reached(on)
        if not reached.all():
            entering = np.flatnonzero((state != OUT) & reached[self.head] & ~reached[self.modifier])
            return list(_first_in(state, entering))
        cycle = self._cycle(on) if self.acyclic else []
        return list(_first_out(state, np.array(cycle))) if cycle else None

    def _one_root(self, state: State) -> Iterator[State]:
        """A branch for each arc from node 0 that may be the only one."""
        arcs = np.flatnonzero(self.head == 0)
        fixed = [arc for arc in arcs if state[arc] == IN]
        for arc in arcs:
            if state[arc] == OUT or any(other != arc for other in fixed):
                continue
            branch = state.copy()
            branch[arcs] = OUT
            branch[arc] = IN
            yield branch

    def _reached(self, on: Flags) -> Flags:
        """The nodes that arcs lead to from node 0."""
        reached = np.zeros(self.words + 1, bool)
        reached[0] = True
        heads, modifiers = self.head[on], self.modifier[on]
        while True:
            new = modifiers[reached[heads] & ~reached[modifiers]]
            if not len(new):
                return reached
            reached[new] = True

    def _cycle(self, on: Flags) -> list[int]:
        """The arcs of a cycle, or none: nodes whose heads are all removed are removed until none is left."""
        arcs = np.flatnonzero(on)
        left = np.ones(self.words + 1, bool)
        while left.any():
            has_head = np.zeros(self.words + 1, bool)
            inside = arcs[left[self.head[arcs]]]
            has_head[self.modifier[inside]] = True
            if not (left & ~has_head).any():
                break
            left &= has_head
        if not left.any():
            return []
        arc_to = {}  # some arc to each node that is on or below a cycle
        for arc in arcs[left[self.head[arcs]] & left[self.modifier[arcs]]].tolist():
            arc_to[int(self.modifier[arc])] = arc
        node = next(iter(arc_to))
        seen: dict[int, int] = {}
        walked: list[int] = []
        while node not in seen:
            seen[node] = len(walked)
            walked.append(arc_to[node])
            node = int(self.head[arc_to[node]])
        return walked[seen[node] :]


def _first_out(state: State, arcs: NDArray[np.intp]) -> Iterator[State]:
    """Branches in which at least one of the arcs is out."""
    branch = state.copy()
    for arc in arcs:
        if state[arc] == IN:
            continue
        out = branch.copy()
        out[arc] = OUT
        yield out
        branch[arc] = IN


def _first_in(state: State, arcs: NDArray[np.intp]) -> Iterator[State]:
    """Branches in which at least one of the arcs is in."""
    branch = state.copy()
    for arc in arcs:
        inside = branch.copy()
        inside[arc] = IN
        yield inside
        branch[arc] = OUT
