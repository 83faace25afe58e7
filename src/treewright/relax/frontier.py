"""The open nodes of a best-first branch and bound.

A node is a set of answers with an upper bound on their values; it is split into nodes that together have its answers.
The node of the highest bound is split first, so that the bound on all answers falls as fast as it can. The search ends
when no open node can have an answer above the cutoff, which the best answer so far determines. Relaxations
(treewright.relax.branch), graphs and trees under constraints (treewright.decode.search) search in this way.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from typing import Generic, TypeVar

Node = TypeVar("Node")


class Frontier(Generic[Node]):
    """Open nodes by their bounds, and the highest bound of those that were closed."""

    def __init__(self, cutoff: Callable[[], float]) -> None:
        self.cutoff = cutoff  # no answer is looked for that is not above this; -inf until there is an answer
        self.nodes = 0  # that were added
        self.closed = -math.inf  # upper bound on the answers of nodes that were not split
        self._open: list[tuple[float, int, Node]] = []

    def add(self, node: Node, bound: float, *, is_decided: bool = False) -> None:
        """Add a node; one that is decided, or cannot have a better answer, is closed at once."""
        self.nodes += 1
        if is_decided or bound <= self.cutoff():
            self.close(bound)
        else:
            heapq.heappush(self._open, (-bound, self.nodes, node))

    def close(self, bound: float) -> None:
        """Leave a node that was taken unsplit."""
        self.closed = max(self.closed, bound)

    def take(self) -> Node:
        """Remove the node of the highest bound, to be split; of equal ones the oldest."""
        return heapq.heappop(self._open)[2]

    @property
    def bound(self) -> float:
        """Upper bound on the answers of all nodes."""
        return max(self.closed, -self._open[0][0]) if self._open else self.closed

    @property
    def is_finished(self) -> bool:
        """Whether no open node can have a better answer."""
        return not self._open or -self._open[0][0] <= self.cutoff()
