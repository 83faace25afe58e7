"""Branch and bound over the variables on which oracles disagree: it closes the gap that a relaxation leaves.

Oracles can agree on the average of every variable and still have no common structure, because they disagree on
combinations of variables (Rush et al. 2010, appendix A). A variable of such a problem is fixed to off and to on.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

from treewright.relax import best_first
from treewright.relax.engine import MAX_ITERATIONS, Relaxation, RelaxOptions, relax
from treewright.relax.oracle import Oracle, Restrictable


def branch(
    oracles: Sequence[Oracle],
    *,
    max_nodes: int = 1000,
    node_iterations: int | None = None,
    total_iterations: float = math.inf,
    **options: Unpack[RelaxOptions],
) -> Relaxation:
    """Relax; while a gap remains, fix a variable to off and to on, in the node of the highest bound.

    oracles and options are those of `relax`, for each node; node_iterations replaces max_iterations in the nodes after
    the first. Every oracle must have `restrict`. The answer is certified by its bound unless there are max_nodes, or
    total_iterations or max_seconds in all nodes together; bound and gap are valid in any case.

    >>> from treewright.relax import Table
    >>> equal, different = Table([0, 1], [[0, 0], [1, 1]]), Table([0, 1], [[0, 1], [1, 0], [0, 0]], [0, 0, -1])
    >>> result = branch([equal, different])
    >>> result.value, result.answer.tolist(), result.certified
    (-1.0, [0.0, 0.0], True)
    """
    deadline = time.monotonic() + options.get("max_seconds", math.inf)
    root = relax(oracles, **options)
    if root.is_decided:
        return root
    if node_iterations is not None:
        options["max_iterations"] = node_iterations
    return _Relaxations(oracles, root, options, max_nodes, total_iterations, deadline).search()


@dataclass(frozen=True)
class _Node:
    fixed: dict[int, bool]  # variables
    bound: float
    result: Relaxation


@dataclass
class _Relaxations:
    """The relaxations in the nodes of a search, and the best answer."""

    oracles: Sequence[Oracle]
    root: Relaxation
    options: RelaxOptions
    max_nodes: int
    total_iterations: float
    deadline: float

    def __post_init__(self) -> None:
        self.best, self.iterations, self.trace = self.root, self.root.iterations, self.root.trace

    @property
    def value(self) -> float:
        """The value of the best answer."""
        return self.best.value

    @property
    def cutoff(self) -> float:
        """The target of the best answer."""
        return self.best.target

    def is_stopped(self, nodes: int) -> bool:
        """Return whether there are no more nodes, iterations or seconds."""
        is_late = time.monotonic() >= self.deadline
        return nodes >= self.max_nodes or self.iterations >= self.total_iterations or is_late

    def split(self, node: _Node) -> Iterator[_Node] | None:
        """Fix a variable of a node to on and to off, and solve both nodes; None if the node is decided."""
        if node.result.is_decided:
            return None
        variable = _branching_variable(node)
        if variable is None:
            raise ValueError(
                "a node with a gap has no free variable; each oracle must break ties in the same way every time"
            )
        return (self._solve(node, node.fixed | {variable: on}) for on in (True, False))

    def _solve(self, parent: _Node, fixed: dict[int, bool]) -> _Node:
        limit = min(self.options.get("max_iterations", MAX_ITERATIONS), self.total_iterations - self.iterations)
        options = RelaxOptions(**self.options)
        options["start"], options["known"], options["max_iterations"] = parent.result.multipliers, self.best, int(limit)
        options["max_seconds"] = self.deadline - time.monotonic()
        result = relax([_restrict(oracle, i, fixed) for i, oracle in enumerate(self.oracles)], **options)
        self.iterations += result.iterations
        self.trace += result.trace
        if result.value > self.best.value:
            self.best = replace(result, ceiling=self.root.ceiling)
        return _Node(fixed, min(result.bound, parent.bound), result)

    def search(self) -> Relaxation:
        """Return the best answer with the bound on all nodes."""
        bound, nodes, _ = best_first.search(self, [_Node({}, self.root.bound, self.root)])
        return replace(
            self.best,
            bound=bound,
            gap=0.0 if bound == -math.inf else bound - self.best.value + self.best.rounding,
            evidence="bound",
            iterations=self.iterations,
            nodes=nodes,
            trace=self.trace,
        )


def _restrict(oracle: Oracle, i: int, fixed: dict[int, bool]) -> Oracle:
    if not isinstance(oracle, Restrictable):
        raise ValueError(f"oracles[{i}] has no restrict(fixed), which branch needs")
    return oracle.restrict(fixed)


def _branching_variable(node: _Node) -> int | None:
    """Choose the free variable with the average nearest 0.5; of equal ones that with most disagreements."""
    averages, disputes = node.result.averages, node.result.disputes
    free = [s for s in range(len(disputes)) if s not in node.fixed]
    return min(free, key=lambda s: (abs(averages[s] - 0.5), -disputes[s], s), default=None)
