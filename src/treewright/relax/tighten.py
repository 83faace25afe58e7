"""Closing a gap: share products of variables on which oracles disagree, or branch on these variables.

Oracles can agree on the average of every variable and still have no common structure, because they disagree on
combinations of variables (Rush et al. 2010, appendix A). `tighten` adds products of variables to the shared variables,
so that the oracles must agree on these combinations. `branch` is branch and bound over the variables; it is exact.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treewright.calls import explained
from treewright.relax.engine import MAX_ITERATIONS, Relaxation, RelaxOptions, checked_weights, relax
from treewright.relax.oracle import Oracle, Refinable, Restrictable
from treewright.relax.shift import Shift

if TYPE_CHECKING:
    from typing_extensions import Unpack

FRACTIONAL = 0.45  # averages nearer to 0.5 than this are fractional, the others have converged; by convention


@explained
def tighten(
    oracles: Sequence[Oracle], *, rounds: int = 5, variables: int = 6, **options: Unpack[RelaxOptions]
) -> Relaxation:
    """Relax; while a gap remains, share the products of the variables with most disagreements, and relax again.

    variables is the number of variables whose pairs are added in a round. options are those of `relax`, for each round;
    max_seconds limits all rounds together. The oracles that decide both variables of a pair must be `Refinable`. The
    answer and the averages are over the caller's variables; iterations, disputes and the trace are those of all rounds.

    >>> from treewright.relax import Table
    >>> equal, different = Table([0, 1], [[0, 0], [1, 1]]), Table([0, 1], [[0, 1], [1, 0], [0, 0]], [0, 0, -1])
    >>> relax([equal, different]).certified, tighten([equal, different]).certified
    (False, True)
    """
    shift, deadline = _shift(oracles, options), _deadline(options)
    oracles = shift.oracles
    result = relax(oracles, **options)
    shared, count = set[tuple[int, int]](), len(result.averages)
    total = count
    for _ in range(rounds):
        if result.certificate is not None or time.monotonic() >= deadline:
            break
        pairs = _open_pairs(oracles, result, count, shared, variables)
        if not pairs:
            break
        shared.update(pairs)
        oracles = [_with_products(oracle, pairs, total) for oracle in oracles]
        total += len(pairs)
        start = [
            np.pad(old, (0, len(oracle.keys) - len(old)))
            for old, oracle in zip(result.multipliers, oracles, strict=True)
        ]
        options["start"], options["max_seconds"] = start, deadline - time.monotonic()
        result = _joined(result, relax(oracles, **options), count)
    return shift.undone(result)


def _shift(oracles: Sequence[Oracle], options: RelaxOptions) -> Shift:
    """The oracles without the constants of their scores, which all runs then share."""
    weight = checked_weights(options.get("weights"), len(oracles))
    return Shift.of(oracles, weight, options.get("step"), options.get("primal"))


def _deadline(options: RelaxOptions) -> float:
    """When the last of several runs ends that begin now."""
    return time.monotonic() + options.get("max_seconds", math.inf)


def _open_pairs(
    oracles: Sequence[Oracle], result: Relaxation, count: int, shared: set[tuple[int, int]], variables: int
) -> list[tuple[int, int]]:
    """Pairs of variables with most disagreements that two oracles can share and do not share yet."""
    ranked = sorted((-result.disputes[s], abs(result.averages[s] - 0.5), s) for s in range(count))
    candidates = [s for disputes, distance, s in ranked if disputes < 0 or distance < FRACTIONAL]
    refinable = [set(oracle.keys.tolist()) for oracle in oracles if isinstance(oracle, Refinable)]
    pairs = []
    for place, a in enumerate(candidates):  # in the order of the variable with fewer disagreements
        for b in candidates[:place]:
            pair = (min(a, b), max(a, b))
            if pair not in shared and sum(set(pair) <= keys for keys in refinable) >= 2:
                pairs.append(pair)
    return pairs[: variables * (variables - 1) // 2]


def _with_products(oracle: Oracle, pairs: Sequence[tuple[int, int]], first: int) -> Oracle:
    keys = set(oracle.keys.tolist())
    own = [i for i, pair in enumerate(pairs) if set(pair) <= keys]
    if not own or not isinstance(oracle, Refinable):
        return oracle
    return oracle.with_products([pairs[i] for i in own], [first + i for i in own])


def _joined(before: Relaxation, after: Relaxation, count: int) -> Relaxation:
    """The results of two runs combined: the better answer, the lower bound, the sums of counts."""
    kept = after if after.value >= before.value else before
    answer = kept.answer[:count] if isinstance(kept.answer, np.ndarray) else kept.answer
    bound = max(min(before.bound, after.bound), kept.value) if after.bound > -math.inf else after.bound
    disputes = after.disputes[:count] + before.disputes[:count]
    return replace(
        after,
        value=kept.value,
        answer=answer,
        structures=kept.structures,
        bound=bound,
        gap=0.0 if bound == -math.inf else max(0.0, bound - kept.value) + kept.rounding,
        rounding=kept.rounding,
        ceiling=before.ceiling,
        iterations=before.iterations + after.iterations,
        averages=after.averages[:count],
        disputes=disputes,
        trace=before.trace + after.trace,
    )


@explained
def branch(
    oracles: Sequence[Oracle],
    *,
    max_nodes: int = 1000,
    node_iterations: int | None = None,
    total_iterations: float = math.inf,
    **options: Unpack[RelaxOptions],
) -> Relaxation:
    """Branch and bound: relax; while a gap remains, fix a variable to off and to on, in the node of largest bound.

    oracles and options are those of `relax`, for each node; node_iterations replaces max_iterations in the nodes after
    the first. Every oracle must be `Restrictable`. The answer is certified by its bound unless there are max_nodes, or
    total_iterations or max_seconds in all nodes together; bound and gap are valid in any case.

    >>> from treewright.relax import Table
    >>> equal, different = Table([0, 1], [[0, 0], [1, 1]]), Table([0, 1], [[0, 1], [1, 0], [0, 0]], [0, 0, -1])
    >>> found = branch([equal, different])
    >>> found.value, found.answer.tolist(), found.certified
    (-1.0, [0.0, 0.0], True)
    """
    shift, deadline = _shift(oracles, options), _deadline(options)
    root = relax(shift.oracles, **options)
    if _is_decided(root):
        return shift.undone(root)
    if node_iterations is not None:
        options["max_iterations"] = node_iterations
    search = _Search(shift.oracles, root, options, total_iterations, deadline)
    while not search.is_finished and search.nodes < max_nodes:
        search.expand()
    return shift.undone(search.result())


class _Search:
    """The state of branch and bound: open nodes by their bound, the best answer, the bound of nodes that are done."""

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
        self.decided = -math.inf  # upper bound on the answers of nodes that are done
        self.open = [(-root.bound, 0, dict[int, bool](), root)]
        self.nodes, self.iterations, self.trace = 1, root.iterations, root.trace

    @property
    def bound(self) -> float:
        """Of all answers."""
        return max(self.decided, -self.open[0][0]) if self.open else self.decided

    @property
    def is_finished(self) -> bool:
        is_limit = self.iterations >= self.total_iterations or time.monotonic() >= self.deadline
        return is_limit or not self.open or _bounded(self.best, self.bound).certified

    def expand(self) -> None:
        """Fix a variable of the node of largest bound."""
        _, _, fixed, parent = heapq.heappop(self.open)
        variable = _branching_variable(parent, fixed)
        if variable is None:
            raise ValueError(
                "a node with a gap has no free variable; each oracle must break ties in the same way every time"
            )
        self.options["start"] = parent.multipliers
        for on in (True, False):
            self._solve(fixed | {variable: on}, parent.bound)

    def _solve(self, fixed: dict[int, bool], bound: float) -> None:
        """Solve a node; bound is that of the node above."""
        self.nodes += 1
        restricted = [_restricted(oracle, i, fixed) for i, oracle in enumerate(self.oracles)]
        limit = min(self.options.get("max_iterations", MAX_ITERATIONS), self.total_iterations - self.iterations)
        options = RelaxOptions(**self.options)
        options["known"], options["max_iterations"] = self.best, int(limit)
        options["max_seconds"] = self.deadline - time.monotonic()
        node = relax(restricted, **options)
        self.iterations += node.iterations
        self.trace += node.trace
        if node.value > self.best.value:
            self.best = replace(node, ceiling=self.ceiling)
        bound = min(node.bound, bound)
        if _is_decided(node) or bound <= self.best.target:
            self.decided = max(self.decided, bound)
        else:
            heapq.heappush(self.open, (-bound, self.nodes, fixed, node))

    def result(self) -> Relaxation:
        found = _bounded(self.best, self.bound)
        return replace(found, iterations=self.iterations, nodes=self.nodes, trace=self.trace, evidence="bound")


def _is_decided(node: Relaxation) -> bool:
    """Whether no better answer of the node is to be found: it is certified, or all oracles agree but for rounding."""
    return node.certificate is not None or node.evidence == "agreement"


def _bounded(best: Relaxation, bound: float) -> Relaxation:
    bound = max(bound, best.value)
    return replace(best, bound=bound, gap=0.0 if bound == -math.inf else bound - best.value + best.rounding)


def _restricted(oracle: Oracle, i: int, fixed: dict[int, bool]) -> Oracle:
    if not isinstance(oracle, Restrictable):
        raise ValueError(f"oracles[{i}] has no restrict(fixed), which branch needs")
    return oracle.restrict(fixed)


def _branching_variable(node: Relaxation, fixed: dict[int, bool]) -> int | None:
    """The free variable with the average nearest 0.5; of equal ones that with most disagreements, then the first."""
    free = [s for s in range(len(node.disputes)) if s not in fixed]
    return min(free, key=lambda s: (abs(node.averages[s] - 0.5), -node.disputes[s], s), default=None)
