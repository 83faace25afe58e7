"""Sums over all trees, where a tree has the probability exp(value) / Z: arc marginals, log Z and entropy.

| scores | any tree | projective |
|---|---|---|
| arcs | matrix-tree theorem, O(n³), exact | inside and outside, O(n³), exact |
| second order | loopy belief propagation, approximate | inside and outside over parts, O(n⁴), exact |
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.decode.constraints import ensure_feasible, infeasible
from treewright.decode.methods import tree
from treewright.decode.parts import Parts
from treewright.decode.problem import Arc, Problem
from treewright.decode.result import ArrayResult, FloatResult

# Belief propagation ends earlier when no message changes. With normal scores of 5 and 20 words no belief changes by
# more than 0.01 after 30 rounds (tests/decode/test_second_order_sums.py); after 20 some still do.
ROUNDS = 30


def marginals(
    arc: ArrayLike | Parts,
    *,
    sib: ArrayLike | None = None,
    grand: ArrayLike | None = None,
    stop: ArrayLike | None = None,
    projective: bool = False,
    root: str = "single",
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
) -> ArrayResult:
    """[h, m]: the probability of each arc when trees are drawn by their score; each word's column sums to one.

    Column 0 and the diagonal are zero. The result's attribute `exact` is False for trees that may cross with
    second-order scores, whose marginals are approximate; otherwise the marginals are the derivative of `log_partition`
    with respect to arc.

    >>> found = marginals([[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    >>> found.tolist(), found.exact
    ([[0.0, 0.5, 0.5], [0.0, 0.0, 0.5], [0.0, 0.5, 0.0]], True)
    """
    problem = Problem.of(arc, sib, grand, stop, projective=projective, root=root, require=require, forbid=forbid)
    return marginals_of(problem)


def log_partition(
    arc: ArrayLike | Parts,
    *,
    sib: ArrayLike | None = None,
    grand: ArrayLike | None = None,
    stop: ArrayLike | None = None,
    projective: bool = False,
    root: str = "single",
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
) -> FloatResult:
    """The log of the sum over all trees of the exponential of their value.

    >>> import math
    >>> n = 4
    >>> round(math.exp(log_partition([[0] * (n + 1)] * (n + 1))))  # the number of trees: n to the power n - 1
    64
    """
    problem = Problem.of(arc, sib, grand, stop, projective=projective, root=root, require=require, forbid=forbid)
    return log_partition_of(problem)


def entropy(
    arc: ArrayLike | Parts,
    *,
    sib: ArrayLike | None = None,
    grand: ArrayLike | None = None,
    stop: ArrayLike | None = None,
    projective: bool = False,
    root: str = "single",
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
) -> FloatResult:
    """The entropy of the distribution over trees in nats: log Z less the expected value; 0 when one tree has it all.

    >>> import math
    >>> round(math.exp(entropy([[0] * 5] * 5)))  # 64 trees with the same probability
    64
    """
    problem = Problem.of(arc, sib, grand, stop, projective=projective, root=root, require=require, forbid=forbid)
    if problem.order == 1:
        log_z, marginal = _first_order(problem)
        return FloatResult(max(0.0, log_z - _dot(marginal, problem.matrix)))
    log_z, expected, exact = _second_order(problem)
    difference = log_z - _expected_value(problem.parts, expected)
    return FloatResult(max(0.0, difference) if exact else difference, exact=exact)


def marginals_of(problem: Problem) -> ArrayResult:
    """The marginals of a checked problem."""
    if problem.order == 1:
        return ArrayResult(_first_order(problem)[1], exact=True)
    _, expected, exact = _second_order(problem)
    found = np.zeros((problem.nodes, problem.nodes))
    found[expected.head, expected.modifier] = expected.arc
    return ArrayResult(found, exact=exact)


def log_partition_of(problem: Problem) -> FloatResult:
    """The log partition of a checked problem."""
    if problem.order == 2:
        log_z, _, exact = _second_order(problem)
        return FloatResult(log_z, exact=exact)
    log_sum = _core.projective_log_partition if problem.projective else _core.log_partition
    found = log_sum(scores_of(problem), problem.single_root)
    if found == -np.inf:
        raise infeasible(problem)
    return FloatResult(found)


def scores_of(problem: Problem) -> NDArray[np.float64]:
    """arc[h, m] for kernels that read neither the diagonal nor column 0: without constraints no copy is needed."""
    given = problem.given
    return problem.matrix if isinstance(given, Parts) or problem.is_constrained else given


def _first_order(problem: Problem) -> tuple[float, NDArray[np.float64]]:
    sums = _core.projective_marginals if problem.projective else _core.marginals
    found, log_z = sums(scores_of(problem), problem.single_root)
    if log_z == -np.inf:
        raise infeasible(problem)
    return log_z, found


def _second_order(problem: Problem) -> tuple[float, _core.Parts, bool]:
    """The log partition, parts with each one's expectation as its score, and whether both are exact."""
    if problem.projective:
        log_z, expected = _core.expectations(problem.parts, problem.single_root)
        if log_z == -np.inf:
            raise infeasible(problem)
        return log_z, expected, True
    ensure_finite_value(problem)
    log_z, expected = _core.beliefs(problem.parts, problem.single_root, ROUNDS)
    return log_z, expected, False


def ensure_finite_value(problem: Problem) -> None:
    """Raise InfeasibleError when no tree that may cross has a finite value."""
    ensure_feasible(problem)
    unscored = Parts.of(problem.parts).unscored()
    if unscored.core.has_transitions or unscored.core.has_grand:
        tree(unscored, root=problem.root)


def _expected_value(parts: _core.Parts, expected: _core.Parts) -> float:
    """The sum over all parts of score times expectation."""
    total = _dot(expected.arc, parts.arc)
    for kind in ("siblings", "grandparents", "stops"):
        *places, score = getattr(parts, kind)
        *found_places, found = getattr(expected, kind)
        place, found_place = _numbers(places, parts.nodes), _numbers(found_places, parts.nodes)
        _, here, there = np.intersect1d(place, found_place, assume_unique=True, return_indices=True)
        total += _dot(found[there], score[here])
    return total


def _numbers(places: Sequence[NDArray[np.int32]], nodes: int) -> NDArray[np.int64]:
    """One number for each part of a kind."""
    return np.asarray(np.ravel_multi_index(tuple(places), (nodes,) * len(places)), dtype=np.int64)


def _dot(expectation: NDArray[np.float64], score: NDArray[np.float64]) -> float:
    """The sum of their products; parts that are forbidden by -inf have the expectation 0 and do not count."""
    return float((expectation * np.where(score > -np.inf, score, 0.0)).sum())
