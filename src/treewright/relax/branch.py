"""Branch and bound over the variables on which oracles disagree: it closes the gap that a relaxation leaves.

Oracles can agree on the average of every variable and still have no common structure, because they disagree on
combinations of variables (Rush et al. 2010, appendix A). A variable of such a problem is fixed to off and to on.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from treewright.relax.engine import MAX_ITERATIONS, Relaxation, RelaxOptions, relax
from treewright.relax.frontier import Frontier
from treewright.relax.oracle import Oracle, Restrictable

if TYPE_CHECKING:
    from typing_extensions import Unpack


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
    search = _Search(oracles, root, options, total_iterations, deadline)
    while not search.is_finished and search.frontier.nodes < max_nodes:
        for node in search.split(search.frontier.take()):
            search.frontier.add(node, node.bound, is_decided=node.result.is_decided)
    return search.result()


@dataclass(frozen=True)
class _Node:
    fixed: dict[int, bool]  # variables
    bound: float
    result: Relaxation


class _Search:
    """The open nodes and the best answer."""

    def __init__(
        self,
        oracles: Sequence[Oracle],
        root: Relaxation,
        options: RelaxOptions,
        total_iterations: float,
        deadline: float,
    ) -> None:
        self.oracles, self.options, self.total_iterations, self.deadline = oracles, options, total_iterations, deadline
        self.best, self.ceiling = root, root.ceiling
        self.iterations, self.trace = root.iterations, root.trace
        self.frontier = Frontier[_Node](lambda: self.best.target)
        self.frontier.add(_Node({}, root.bound, root), root.bound)

    @property
    def is_finished(self) -> bool:
        """Whether the best answer is proved to be optimal, or a limit is reached."""
        is_limit = self.iterations >= self.total_iterations or time.monotonic() >= self.deadline
        return is_limit or self.frontier.is_finished

    def split(self, node: _Node) -> Iterator[_Node]:
        """Fix a variable of a node to on and to off, and solve both nodes."""
        variable = _branching_variable(node)
        if variable is None:
            raise ValueError(
                "a node with a gap has no free variable; each oracle must break ties in the same way every time"
            )
        for on in (True, False):
            yield self._solve(node, node.fixed | {variable: on})

    def _solve(self, parent: _Node, fixed: dict[int, bool]) -> _Node:
        limit = min(self.options.get("max_iterations", MAX_ITERATIONS), self.total_iterations - self.iterations)
        options = RelaxOptions(**self.options)
        options["start"], options["known"], options["max_iterations"] = parent.result.multipliers, self.best, int(limit)
        options["max_seconds"] = self.deadline - time.monotonic()
        result = relax([_restrict(oracle, i, fixed) for i, oracle in enumerate(self.oracles)], **options)
        self.iterations += result.iterations
        self.trace += result.trace
        if result.value > self.best.value:
            self.best = replace(result, ceiling=self.ceiling)
        return _Node(fixed, min(result.bound, parent.bound), result)

    def result(self) -> Relaxation:
        """Return the best answer with the bound on all nodes."""
        best, bound = self.best, max(self.frontier.bound, self.best.value)
        return replace(
            best,
            bound=bound,
            gap=0.0 if bound == -math.inf else bound - best.value + best.rounding,
            evidence="bound",
            iterations=self.iterations,
            nodes=self.frontier.nodes,
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
