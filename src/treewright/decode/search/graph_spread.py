"""The spread of a graph: the scale of differences between graphs, which the tolerance of a certificate is relative to.

The definition is on docs/decoding.md, "What certified means".
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.decode.problem import Problem
from treewright.proofs.spread import FEW_WORDS, MAX_RATIO, Draws, limit_of_random_walk

# A negative score is a penalty if it begins a group of scores that is this many times as large as the next smaller one
# without signs, and so many times the best score; as in core/trees/losses.hpp; not tuned.
PENALTY, PENALTY_OF_BEST = 2.0**20, 2.0**10

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]  # one of each candidate arc


def spread_of(problem: Problem, scores: Floats, fixed: Flags, acyclic: bool, on: Flags) -> float:
    """Return the spread of the graph whose arcs are `on`; other graphs have the arcs `fixed` too.

    scores are the finite ones of all parts of the problem.
    """
    arc = np.asarray(problem.parts.arc)
    arc = np.where(np.isfinite(arc), arc, 0.0)
    loss = math.fsum(scores[scores > 0]) - math.fsum(_core.graph_scores(problem.parts, on))
    by_other_parts = max(0.0, loss - math.fsum(np.abs(arc[(arc > 0) != on])))
    sizes = np.append(np.abs(arc[(arc > 0) | on]), by_other_parts)
    ordinary = PENALTY_OF_BEST * scores.max(initial=0.0)
    least_penalty = min((size for size in penalties(scores) if size > ordinary), default=math.inf)
    spread = math.fsum(sizes[sizes < least_penalty])
    if spread == 0 or not _needs_random_graphs(problem, arc, spread):
        return spread
    walk = _Walk(problem, fixed, acyclic)
    limit = limit_of_random_walk(on.tolist(), 2 * problem.nodes, walk.from_graph, walk.parts_of)
    return min(spread, limit)


def penalties(scores: Floats) -> list[float]:
    """List magnitudes of negative scores that begin a group of much larger ones, increasing."""
    sizes = np.unique(np.abs(scores[scores != 0]))
    jumps = sizes[1:][sizes[1:] > PENALTY * sizes[:-1]]
    return [float(size) for size in jumps if (scores <= -size).any()]


def _needs_random_graphs(problem: Problem, arc: Floats, spread: float) -> bool:
    """Return whether the sizes may be those of scores that all graphs have.

    In more than a few words they may if they exceed what one arc changes: in the median word, its smallest score.
    """
    if problem.nodes <= FEW_WORDS + 1:
        return True
    smallest = np.full(problem.nodes, np.inf)
    np.minimum.at(smallest, problem.parts.modifier[arc != 0], np.abs(arc[arc != 0]))
    smallest = np.sort(smallest[smallest < np.inf])
    return bool(not len(smallest) or spread > MAX_RATIO * smallest[len(smallest) // 2])


class _Walk:
    """Random steps from graph to graph: an arc more or less, or another arc out of node 0 where there is one."""

    def __init__(self, problem: Problem, fixed: Flags, acyclic: bool) -> None:
        self.parts, self.nodes, self.single_root = problem.parts, problem.nodes, problem.single_root
        self.fixed, self.acyclic, self.draws = fixed, acyclic, Draws()
        self.arcs = list(zip(self.parts.head.tolist(), self.parts.modifier.tolist(), strict=True))
        self.number = {arc: number for number, arc in enumerate(self.arcs)}

    def parts_of(self, on: list[bool]) -> list[float]:
        return _core.graph_scores(self.parts, np.array(on))

    def from_graph(self, on: list[bool], steps: int) -> list[bool]:
        """Return the graph after this number of steps; those that lead to no graph are left out."""
        graph = {arc for arc, is_on in zip(self.arcs, on, strict=True) if is_on}
        for _ in range(steps):
            arc = self.draws.below(self.nodes), 1 + self.draws.below(self.nodes - 1)
            if arc in self.number and not self.fixed[self.number[arc]]:
                graph = self._change(graph, *arc) or graph
        return [arc in graph for arc in self.arcs]

    def _change(self, graph: set[tuple[int, int]], h: int, m: int) -> set[tuple[int, int]] | None:
        """Return the graph with an arc more or less, None if it is none; a single root moves."""
        if h == 0 and self.single_root:
            return None if (h, m) in graph else self._move_root(graph, m)
        changed = graph ^ {(h, m)}
        return changed if self._is_graph(changed) else None

    def _move_root(self, graph: set[tuple[int, int]], m: int) -> set[tuple[int, int]] | None:
        """Make m the only modifier of node 0, and the head of the one before."""
        old = next(modifier for h, modifier in graph if h == 0)
        out = {arc for arc in graph if arc == (0, old) or arc[1] == m}
        if (m, old) not in self.number or any(self.fixed[self.number[arc]] for arc in out):
            return None
        return (graph - out) | {(0, m), (m, old)}

    def _is_graph(self, graph: set[tuple[int, int]]) -> bool:
        """Return whether every word has a head, and no arc is on a cycle; or is reachable, if cycles are allowed."""
        done, size = {0}, 0
        while len(done) > size:
            size = len(done)
            for m in range(1, self.nodes):
                if m not in done:
                    above = [h in done for h, modifier in graph if modifier == m]
                    if above and (all(above) if self.acyclic else any(above)):
                        done.add(m)
        return size == self.nodes
