"""Best-first branch and bound over any problem that can bound a set of answers and divide it.

A node is a set of answers with an upper bound on their values; it is split into nodes that together have its answers.
The node of the highest bound is split first, so that the bound on all answers falls as fast as it can. The search ends
when no open node can have an answer above the cutoff, which the best answer so far determines. Relaxations
(treewright.relax.branch), graphs and trees under constraints (treewright.decode.search) are such problems.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable
from typing import NamedTuple, Protocol, TypeVar


class Node(Protocol):
    """A set of answers."""

    @property
    def bound(self) -> float:
        """Upper bound on the values of its answers."""


NodeT = TypeVar("NodeT", bound=Node)


class Branching(Protocol[NodeT]):
    """A problem of branch and bound, which keeps its best answer."""

    @property
    def value(self) -> float:
        """The value of the best answer, -inf until there is one."""

    @property
    def cutoff(self) -> float:
        """Nodes whose bounds are not above this are not split; -inf until there is an answer."""

    def split(self, node: NodeT) -> Iterable[NodeT] | None:
        """Divide the answers of a node; None if there is nothing to divide: its best answer is known."""

    def is_stopped(self, nodes: int) -> bool:
        """Return whether a limit is reached after this number of nodes."""


class Outcome(NamedTuple):
    """The end of a search."""

    bound: float  # upper bound on all answers; -inf: there is none
    nodes: int  # that were bounded
    trace: list[tuple[float, float]]  # bound and value of the best answer before each split


def search(problem: Branching[NodeT], roots: Iterable[NodeT]) -> Outcome:
    """Split the nodes of a problem, beginning with roots, until its best answer is proved or a limit is reached."""
    open_nodes: list[tuple[float, int, NodeT]] = []  # of equal bounds the oldest comes first
    nodes, closed = 0, -math.inf  # closed: upper bound on the answers of nodes that are not split
    trace: list[tuple[float, float]] = []
    children: Iterable[NodeT] = roots
    while True:
        for child in children:  # an iterator may find answers, so that the cutoff rises from child to child
            nodes += 1
            if child.bound > problem.cutoff:
                heapq.heappush(open_nodes, (-child.bound, nodes, child))
            else:
                closed = max(closed, child.bound)
        highest = -open_nodes[0][0] if open_nodes else -math.inf
        bound = max(closed, highest, problem.value)
        if not open_nodes or highest <= problem.cutoff:
            return Outcome(bound, nodes, trace)
        trace.append((bound, problem.value))
        if problem.is_stopped(nodes):
            return Outcome(bound, nodes, trace)
        node = heapq.heappop(open_nodes)[2]
        divided = problem.split(node)
        if divided is None:
            closed = max(closed, node.bound)
        children = divided or ()
