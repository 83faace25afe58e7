"""The best tree and the best graph around it, jointly, by dual decomposition.

    maximise  value(tree) + the sum of edge[h, m] over the arcs of the graph    such that the graph contains the tree

The tree is scored by parts of any order, the graph by its arcs. One subproblem is the best tree; the other is the best
graph in which one arc of each word is marked. They must agree on the marked arcs (treewright.relax): multipliers are
added to the scores of the tree and are the bonus of marked arcs in the graph (treewright.decode.subgraph). Where both
have the same arcs, tree and graph are optimal. Every tree of the first subproblem with the best graph around it is an
answer, so that there is one after each iteration, with a bound and a gap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.calls import explained
from treewright.decode import arrays
from treewright.decode.methods import tree
from treewright.decode.parts import Parts
from treewright.decode.problem import Problem
from treewright.decode.search.graph import GraphParse, graph
from treewright.decode.search.subgraph import Subgraph
from treewright.errors import InfeasibleError, InputError
from treewright.relax import Answer, Oracle, relax
from treewright.relax.engine import TOLERANCE
from treewright.streams import check_count, check_seconds

# Relaxations of the graph without cycles in one iteration; at this limit, the bound of the search stands for its value.
# By convention: with random scores of 11 words, few iterations need more.
BRANCHES_PER_ITERATION = 50

Vector = NDArray[np.float64]
Indices = NDArray[np.int32]


@dataclass(frozen=True, eq=False, kw_only=True)
class TreeAndGraph(GraphParse):
    """A graph and the tree in it; score, bound and gap are those of both together."""

    tree: Indices  # the head of each node; -1 for node 0


@explained
def tree_and_graph(
    arc: ArrayLike | Parts,
    edge: ArrayLike,
    *,
    sib: ArrayLike | None = None,
    grand: ArrayLike | None = None,
    stop: ArrayLike | None = None,
    projective: bool = False,
    root: str = "single",
    acyclic: bool = True,
    max_iterations: int = 200,
    max_seconds: float | None = None,
    tolerance: float = TOLERANCE,
) -> TreeAndGraph:
    """The best tree and graph around it, as a TreeAndGraph with bound and gap.

    arc, sib, grand, stop, projective and root are those of `tree`: they score the tree. edge[h, m] is added for every
    arc of the graph, which has those of the tree and others; -inf forbids. acyclic=False allows cycles in the graph.
    The search ends after max_iterations or max_seconds; it is certified if the gap is at most tolerance times the
    spread.

    >>> arc = [[0, 9, 2, 0], [0, 0, 7, 2], [0, -3, 0, 4], [0, -9, -9, 0]]
    >>> found = tree_and_graph(arc, [[-1, -1, -1, -1], [-1, -1, -1, 3], [-1, -1, -1, -1], [-1, -1, -1, -1]])
    >>> found.tree.tolist(), found.heads, found.score, found.certified
    ([-1, 0, 1, 2], [[], [0], [1], [1, 2]], 20.0, True)
    """
    problem = Problem.of(arc, sib, grand, stop, projective=projective, root=root)
    scores = arrays.arc_matrix(edge, name="edge")
    if len(scores) != problem.nodes:
        raise InputError(f"edge has {len(scores)} nodes, but arc has {problem.nodes}; give both for the same sentence")
    check_seconds(max_seconds)
    check_count(max_iterations, "max_iterations")
    search = _Joint(problem, scores, acyclic)
    seconds = math.inf if max_seconds is None else float(max_seconds)
    found = relax(
        search.oracles,
        primal=search.answer,
        max_iterations=max_iterations,
        max_seconds=seconds,
        tolerance=tolerance,
    )
    if found.answer is None:
        raise InfeasibleError("no graph contains a tree over the arcs that arc and edge allow; allow further arcs")
    heads, around = found.answer
    return TreeAndGraph(
        *(around.arcs, problem.nodes, found.value, found.bound, "relax", found.gap, found.spread, tolerance),
        iterations=found.iterations,
        tree=heads,
    )


class _Joint:
    """The two subproblems over the arcs that both may have."""

    def __init__(self, problem: Problem, edge: Vector, acyclic: bool) -> None:
        self.problem, self.edge, self.acyclic = problem, edge, acyclic
        parts = Parts.of(problem.parts)
        keep = edge[parts.arcs.h, parts.arcs.m] > -np.inf
        self.parts = parts if keep.all() else parts.prune(keep)
        self.of_graph = Problem.of(edge, root=problem.root)
        arcs = self.of_graph.parts
        self.place = np.full(edge.shape, -1)  # of each arc of the tree among the arcs of the graph
        self.place[arcs.head, arcs.modifier] = np.arange(len(arcs.head))
        self.arcs = self.parts.arcs
        self.oracles: list[Oracle] = [_Trees(self), _Graphs(self)]

    def answer(self, answers: Sequence[Answer]) -> tuple[float, tuple[Indices, GraphParse] | None]:
        """The tree of the first subproblem with the best graph around it."""
        heads = answers[0].structure
        if heads is None:
            return -math.inf, None
        arcs = [(int(heads[m]), m) for m in range(1, self.problem.nodes)]
        try:
            around = graph(self.edge, root=self.problem.root, require=arcs, method="branch", acyclic=self.acyclic)
        except InfeasibleError:
            return -math.inf, None
        return self.parts.value(heads) + around.score, (heads, around)


class _Trees:
    """The best tree with multipliers on its arcs."""

    def __init__(self, joint: _Joint) -> None:
        self.joint = joint
        self.keys = np.arange(len(joint.arcs.h))

    def solve(self, multipliers: Vector) -> Answer:
        """The best tree; the bound of one that is not certified."""
        joint, problem = self.joint, self.joint.problem
        try:
            found = tree(joint.parts.adjusted(multipliers), projective=problem.projective, root=problem.root)
        except InfeasibleError:
            return Answer(-math.inf, np.zeros(len(self.keys)))
        chosen = (found.heads[joint.arcs.m] == joint.arcs.h).astype(np.float64)
        return Answer(found.score if found.certified else found.bound, chosen, found.heads)


class _Graphs:
    """The best graph with a marked arc for each word."""

    def __init__(self, joint: _Joint) -> None:
        self.joint = joint
        self.keys = np.arange(len(joint.arcs.h))

    def solve(self, multipliers: Vector) -> Answer:
        """The best graph; only arcs that a tree may have are marked."""
        joint = self.joint
        core = joint.of_graph.parts
        bonus = np.full(len(core.head), -np.inf)
        own = joint.place[joint.arcs.h, joint.arcs.m]
        bonus[own] = multipliers
        search = Subgraph(joint.of_graph, np.zeros(len(core.head), bool), acyclic=joint.acyclic, bonus=bonus)
        try:
            found = search.search(BRANCHES_PER_ITERATION, math.inf)
        except InfeasibleError:
            return Answer(-math.inf, np.zeros(len(self.keys)))
        marks = search.marked(found.relaxed)
        if found.on is None:  # the relaxation has a cycle: without a mark of its last word no tree agrees with it
            marks = marks[:-1]
        marked = np.zeros(len(core.head))
        marked[marks] = 1
        return Answer(found.bound, marked[own])
