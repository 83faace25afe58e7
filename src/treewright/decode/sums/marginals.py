"""Sums over all trees, where a tree has the probability exp(value) / Z: arc marginals, log Z and entropy.

| scores | any tree | projective |
|---|---|---|
| arcs | matrix-tree theorem, O(n³), exact | inside and outside, O(n³), exact |
| second order | loopy belief propagation, approximate | inside and outside over parts, O(n⁴), exact |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.calls import explained
from treewright.decode.batch import Errors, attempt, batch_error, check_arguments, run
from treewright.decode.constraints import ensure_feasible, infeasible
from treewright.decode.methods import tree
from treewright.decode.padded import Padded
from treewright.decode.parts import Parts
from treewright.decode.problem import Arc, Problem, is_single
from treewright.decode.result import ArrayResult, FloatResult
from treewright.errors import InputError

# Belief propagation ends earlier when no message changes. With normal scores of 5 and 20 words no belief changes by
# more than 0.01 after 30 rounds (tests/decode/test_second_order_sums.py); after 20 some still do.
ROUNDS = 30


@explained
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
    head_first: bool = True,
    rounds: int = ROUNDS,
    lengths: ArrayLike | None = None,
    threads: int = 2,
    errors: Errors = "raise",
) -> ArrayResult:
    """[h, m]: the probability of each arc when trees are drawn by their score; each word's column sums to one.

    Scores and constraints are those of `tree`; the probabilities are those among the trees that meet the constraints.

    Column 0 and the diagonal are zero. With head_first=False scores and result are [m, h]. The result's attribute
    `exact` is False for trees that may cross with second-order scores, whose marginals are approximate, by at most
    `rounds` rounds of belief propagation; otherwise the marginals are the derivative of `log_partition` with respect to
    arc.

    With labelled scores arc[h, m, l] the sums run over labelled trees, and the result is [h, m, l].

    lengths, threads and errors are those of `trees`: with lengths, arc is a padded batch, and so is the result, 0 in
    the padding. With errors="return" a sentence with an error has NaN, and the attribute `failed` has the errors.

    >>> found = marginals([[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    >>> found.tolist(), found.exact
    ([[0.0, 0.5, 0.5], [0.0, 0.0, 0.5], [0.0, 0.5, 0.0]], True)
    """
    if lengths is not None:
        options = {"sib": sib, "grand": grand, "stop": stop, "projective": projective, "root": root}
        options |= {"require": tuple(require), "forbid": tuple(forbid), "head_first": head_first}
        options["rounds"] = rounds
        return _of_batch(marginals, _marginals_of_padded, arc, lengths, options, threads, errors)
    problem = Problem.of(
        arc,
        sib,
        grand,
        stop,
        projective=projective,
        root=root,
        require=require,
        forbid=forbid,
        head_first=head_first,
        labelled=True,
    )
    found = marginals_of(problem.summed(), rounds)
    values = np.asarray(found)
    if problem.label_scores is not None:
        values = values[:, :, None] * problem.label_probabilities()
    return ArrayResult(values if head_first else values.swapaxes(0, 1), exact=found.exact)


@overload
def log_partition(
    arc: ArrayLike | Parts,
    *,
    sib: ArrayLike | None = ...,
    grand: ArrayLike | None = ...,
    stop: ArrayLike | None = ...,
    projective: bool = ...,
    root: str = ...,
    require: Iterable[Arc] = ...,
    forbid: Iterable[Arc] = ...,
    head_first: bool = ...,
    lengths: None = ...,
    threads: int = ...,
    errors: Errors = ...,
) -> FloatResult: ...


@overload
def log_partition(
    arc: ArrayLike | Parts,
    *,
    sib: ArrayLike | None = ...,
    grand: ArrayLike | None = ...,
    stop: ArrayLike | None = ...,
    projective: bool = ...,
    root: str = ...,
    require: Iterable[Arc] = ...,
    forbid: Iterable[Arc] = ...,
    head_first: bool = ...,
    lengths: ArrayLike,
    threads: int = ...,
    errors: Errors = ...,
) -> ArrayResult: ...


@explained
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
    head_first: bool = True,
    lengths: ArrayLike | None = None,
    threads: int = 2,
    errors: Errors = "raise",
) -> FloatResult | ArrayResult:
    """The log of the sum over all trees of the exponential of their value; of each sentence if lengths are given.

    Scores and constraints are those of `tree`; lengths, threads and errors are those of `marginals`. With labelled
    scores arc[h, m, l] the sum runs over labelled trees. The attribute `exact` is False for an approximation.

    >>> import math
    >>> n = 4
    >>> round(math.exp(log_partition([[0] * (n + 1)] * (n + 1))))  # the number of trees: n to the power n - 1
    64
    """
    if lengths is not None:
        options = {"sib": sib, "grand": grand, "stop": stop, "projective": projective, "root": root}
        options |= {"require": tuple(require), "forbid": tuple(forbid), "head_first": head_first}
        return _of_batch(log_partition, _log_partitions_of_padded, arc, lengths, options, threads, errors)
    problem = Problem.of(
        arc,
        sib,
        grand,
        stop,
        projective=projective,
        root=root,
        require=require,
        forbid=forbid,
        head_first=head_first,
        labelled=True,
    )
    return log_partition_of(problem.summed())


@explained
def tree_confidence(
    batch: Sequence[Parts],
    trees: Sequence[NDArray[np.int32]],
    *,
    temperature: float = 1.0,
    projective: bool = False,
    root: str = "single",
    rounds: int = ROUNDS,
) -> NDArray[np.float64]:
    """The probability of the arc into each word of trees, of all sentences one after the other.

    These are entries of `marginals` of the parts with their scores divided by the temperature, computed in one call to
    the core; every arc of the trees must be a candidate. projective, root and rounds are those of `marginals`.

    >>> parts = Parts.from_arrays([[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    >>> tree_confidence([parts, parts], [np.array([-1, 0, 1], dtype=np.int32)] * 2).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    if not (temperature > 0 and np.isfinite(temperature)):
        raise InputError(f"temperature is {temperature}; expected a positive number")
    cores = [parts.core for parts in batch]
    return _core.arc_confidence(cores, list(trees), temperature, projective, is_single(root), rounds)


@explained
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
    head_first: bool = True,
) -> FloatResult:
    """The entropy of the distribution over trees in nats: log Z less the expected value; 0 when one tree has it all.

    Scores and constraints are those of `tree`. The attribute `exact` is False for an approximation.

    >>> import math
    >>> round(math.exp(entropy([[0] * 5] * 5)))  # 64 trees with the same probability
    64
    """
    problem = Problem.of(
        arc, sib, grand, stop, projective=projective, root=root, require=require, forbid=forbid, head_first=head_first
    )
    problem, _ = problem.relative()
    if problem.order == 1:
        log_z, marginal = _first_order(problem)
        return FloatResult(max(0.0, log_z - _dot(marginal, problem.matrix)))
    log_z, expected, exact = _second_order(problem)
    difference = log_z - _expected_value(problem.parts, expected)
    return FloatResult(max(0.0, difference) if exact else difference, exact=exact)


def marginals_of(problem: Problem, rounds: int = ROUNDS) -> ArrayResult:
    """The marginals of a checked problem."""
    if rounds < 1:
        raise InputError(f"rounds is {rounds}; expected at least 1")
    if problem.order == 1:
        return ArrayResult(_first_order(problem)[1], exact=True)
    _, expected, exact = _second_order(problem.relative()[0], rounds)
    found = np.zeros((problem.nodes, problem.nodes))
    found[expected.head, expected.modifier] = expected.arc
    return ArrayResult(found, exact=exact)


def log_partition_of(problem: Problem) -> FloatResult:
    """The log partition of a checked problem."""
    if problem.order == 2:
        relative, lost = problem.relative()
        log_z, _, exact = _second_order(relative)
        return FloatResult(log_z + lost, exact=exact)
    log_sum = _core.projective_log_partition if problem.projective else _core.log_partition
    found = log_sum(scores_of(problem), problem.single_root)
    if found == -np.inf:
        raise infeasible(problem)
    return FloatResult(found)


PaddedKernel = Callable[[Padded, bool, bool, int], tuple[NDArray[np.float64], NDArray[np.float64]]]


def _of_batch(
    function: Callable[..., ArrayResult | FloatResult],
    kernel: PaddedKernel,
    arc: ArrayLike | Parts,
    lengths: ArrayLike,
    options: dict[str, Any],
    threads: int,
    errors: Errors,
) -> ArrayResult:
    """`function` for each item of a padded batch; kernel does the same for first-order scores without constraints."""
    check_arguments(threads, errors)
    padded, others = Padded.of(arc, lengths, options)
    if padded.is_plain and not others["require"] and not others["forbid"]:
        sums, log_z = kernel(padded, bool(others["projective"]), is_single(others["root"]), threads)
        items = padded.items(others)
        places = np.flatnonzero(~(log_z > -np.inf)).tolist()
        found = {place: attempt(function, *items[place]) for place in places}  # again, for the text of the error
    else:
        found = dict(enumerate(run(function, padded.items(others), threads)))
        sums = np.zeros(padded.scores.shape if function is marginals else len(padded.lengths))
        _fill(sums, found)
    failed = {place: error for place, error in found.items() if isinstance(error, InputError)}
    sums[list(failed)] = np.nan
    result = ArrayResult(sums, exact=all(getattr(each, "exact", True) for each in found.values()))
    result.failed = failed
    if failed and errors == "raise":
        raise batch_error(failed, result)
    return result


def _fill(sums: NDArray[np.float64], found: Mapping[int, ArrayResult | FloatResult | InputError]) -> None:
    """Write each item's sums to its place; the padding stays as it is."""
    for place, each in found.items():
        if isinstance(each, ArrayResult):
            sums[place, : len(each), : len(each)] = each
        elif isinstance(each, FloatResult):
            sums[place] = each


def _marginals_of_padded(
    padded: Padded, projective: bool, single_root: bool, threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    kernel = _core.padded_projective_marginals if projective else _core.padded_marginals
    return kernel(padded.scores, padded.lengths, padded.head_first, single_root, threads)


def _log_partitions_of_padded(
    padded: Padded, projective: bool, single_root: bool, threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    kernel = _core.padded_projective_log_partition if projective else _core.padded_log_partition
    log_z = kernel(padded.scores, padded.lengths, padded.head_first, single_root, threads)
    return log_z, log_z


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


def _second_order(problem: Problem, rounds: int = ROUNDS) -> tuple[float, _core.Parts, bool]:
    """The log partition, parts with each one's expectation as its score, and whether both are exact."""
    if problem.projective:
        log_z, expected = _core.expectations(problem.parts, problem.single_root)
        if log_z == -np.inf:
            raise infeasible(problem)
        return log_z, expected, True
    ensure_finite_value(problem)
    log_z, expected = _core.beliefs(problem.parts, problem.single_root, rounds)
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
