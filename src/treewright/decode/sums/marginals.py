"""Sums over all trees, where a tree has the probability exp(value) / Z: arc marginals, log Z and entropy.

| scores | any tree | projective |
|---|---|---|
| arcs | matrix-tree theorem, O(n³), exact | inside and outside, O(n³), exact |
| second order | loopy belief propagation, approximate | inside and outside over parts, O(n⁴), exact |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.decode.batch import batched
from treewright.decode.constraints import ensure_feasible, infeasible
from treewright.decode.methods import tree
from treewright.decode.parts import Parts
from treewright.decode.problem import Problem, Scores, is_single
from treewright.decode.result import ArrayResult, FloatResult
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.decode.options import ProblemOptions

# Belief propagation ends earlier when no message changes. With normal scores of 5 and 20 words no belief changes by
# more than 0.01 after 30 rounds (tests/decode/test_second_order_sums.py); after 20 some still do.
ROUNDS = 30


def marginals(arc: Scores, *, rounds: int = ROUNDS, **options: Unpack[ProblemOptions]) -> ArrayResult:
    """[h, m]: the probability of each arc when trees are drawn by their score; each word's column sums to one.

    Scores and constraints are those of `tree`; the probabilities are those among the trees that meet the constraints.

    Column 0 and the diagonal are zero. With head_first=False scores and result are [m, h]. The result's attribute
    `exact` is False for trees that may cross with second-order scores, whose marginals are approximate, by at most
    `rounds` rounds of belief propagation; otherwise the marginals are the derivative of `log_partition` with respect to
    arc. With labelled scores arc[h, m, l] the sums run over labelled trees, and the result is [h, m, l].

    >>> probability = marginals([[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    >>> probability.tolist(), probability.exact
    ([[0.0, 0.5, 0.5], [0.0, 0.0, 0.5], [0.0, 0.5, 0.0]], True)
    """
    problem = Problem.of(arc, **options).refuse_grandsib("marginals")
    arc_marginals = marginals_of(problem.sum_labels(), rounds)
    values = np.asarray(arc_marginals)
    if problem.label_scores is not None:
        values = values[:, :, None] * problem.label_probabilities()
    return ArrayResult(values if problem.head_first else values.swapaxes(0, 1), exact=arc_marginals.exact)


class PartMarginals(NamedTuple):
    """The log partition, and the probability that a tree has each part, in arrays like those of the scores.

    sib and stop are None if neither was given, grand if it was not. exact: False for approximations.
    """

    log_partition: float
    arc: NDArray[np.float64]
    sib: NDArray[np.float64] | None
    grand: NDArray[np.float64] | None
    stop: NDArray[np.float64] | None
    exact: bool


def part_marginals(arc: Scores, *, rounds: int = ROUNDS, **options: Unpack[ProblemOptions]) -> PartMarginals:
    """Return the log partition and its derivative with respect to the score of every part: the part's probability.

    arc, rounds and options have the meaning that they have in `marginals`. The result is head first.

    >>> arc, stop = [[0, 1, 1], [0, 0, 0], [0, 0, 0]], np.zeros((3, 3, 2))
    >>> part_marginals(arc, stop=stop, projective=True).stop[:, :, 1].tolist()
    [[0.0, 0.5, 0.5], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]]
    """
    problem = Problem.of(arc, **options).refuse_labels().refuse_grandsib("part_marginals")
    if problem.order == 1:
        log_z, matrix = _first_order(problem)
        return PartMarginals(log_z, matrix, None, None, None, exact=True)
    log_z, expected, exact = _second_order(problem, rounds)
    return PartMarginals(log_z, *expected.to_arrays(), exact=exact)


def padded_marginals(
    arc: NDArray[np.float64], lengths: NDArray[np.int32], *, projective: bool = False, root: str = "single"
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log partition of each sentence of a padded batch and its marginals [sentence, h, m], in one call.

    arc[b] has the scores of sentence b, which has lengths[b] words. Marginals are zero in the padding. projective and
    root choose the trees as in `tree`; an error names the sentence as in `batched`.

    >>> log_z, probability = padded_marginals(np.zeros((2, 4, 4)), np.array([3, 1], dtype=np.int32))
    >>> np.exp(log_z).round().tolist(), probability[1, 0].tolist()
    ([9.0, 1.0], [0.0, 1.0, 0.0, 0.0])
    """
    probabilities, log_partitions = _core.padded_marginals(arc, lengths, bool(projective), is_single(root))
    if not np.isfinite(log_partitions).all():
        batched(log_partition, arc, lengths=lengths, projective=projective, root=root)  # raises the error
    return log_partitions, probabilities


def log_partition(arc: Scores, **options: Unpack[ProblemOptions]) -> FloatResult:
    """The log of the sum over all trees of the exponential of their value.

    Scores and constraints are those of `tree`. With labelled scores arc[h, m, l] the sum runs over labelled trees. The
    attribute `exact` is False for an approximation.

    >>> import math
    >>> n = 4
    >>> round(math.exp(log_partition([[0] * (n + 1)] * (n + 1))))  # the number of trees: n to the power n - 1
    64
    """
    problem = Problem.of(arc, **options).refuse_grandsib("log_partition").sum_labels()
    if problem.order == 2:
        log_z, _, exact = _second_order(problem)
        return FloatResult(log_z, exact=exact)
    log_z = _core.log_partition(problem.kernel_matrix, problem.projective, problem.single_root)
    if log_z == -np.inf:
        raise infeasible(problem)
    return FloatResult(log_z)


def tree_confidence(
    batch: Sequence[Parts],
    trees: Sequence[NDArray[np.int32]],
    *,
    temperature: float = 1.0,
    projective: bool = False,
    root: str = "single",
    rounds: int = ROUNDS,
) -> NDArray[np.float64]:
    """Return the probability of the arc into each word of the trees of a batch, one sentence after the other.

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


def entropy(arc: Scores, **options: Unpack[ProblemOptions]) -> FloatResult:
    """The entropy of the distribution over trees in nats: log Z less the expected value; 0 when one tree has it all.

    Scores and constraints are those of `tree`. The attribute `exact` is False for an approximation.

    >>> import math
    >>> round(math.exp(entropy([[0] * 5] * 5)))  # 64 trees with the same probability
    64
    """
    unshifted = Problem.of(arc, **options).refuse_labels().refuse_grandsib("entropy")
    problem, _ = unshifted.subtract_best()
    if _core.is_wide(problem.parts) and (problem.order == 1 or problem.projective):
        return FloatResult(_entropy_of_wide_scores(unshifted))
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
    _, expected, exact = _second_order(problem, rounds)
    matrix = np.zeros((problem.nodes, problem.nodes))
    matrix[expected.head, expected.modifier] = expected.arc
    return ArrayResult(matrix, exact=exact)


def _first_order(problem: Problem) -> tuple[float, NDArray[np.float64]]:
    matrix, log_z = _core.marginals(problem.kernel_matrix, problem.projective, problem.single_root)
    if log_z == -np.inf:
        raise infeasible(problem)
    return log_z, matrix


def _second_order(problem: Problem, rounds: int = ROUNDS) -> tuple[float, _core.Parts, bool]:
    """The log partition, parts with each one's expectation as its score, and whether both are exact."""
    shifted, lost = problem.subtract_best_for_sums()
    if problem.projective:
        log_z, expected = _core.expectations(shifted.parts, problem.single_root)
        if log_z == -np.inf:
            raise infeasible(problem)
        return log_z + lost, expected, True
    ensure_finite_value(shifted)
    try:
        log_z, expected = _core.beliefs(shifted.parts, problem.single_root, rounds)
    except OverflowError:
        raise InputError(
            "scores are too large or too different for belief propagation over crossing trees; "
            "forbid parts by -inf instead of large masks, or ask for projective trees"
        ) from None
    return log_z + lost, expected, False


def _entropy_of_wide_scores(problem: Problem) -> float:
    """Return the entropy where masks would leave log Z less the expected value no digits."""
    if problem.order == 1:
        entropy = _core.entropy(problem.kernel_matrix, problem.projective, problem.single_root)
    else:
        entropy = _core.part_entropy(problem.parts, problem.single_root)
    if entropy == -np.inf:
        raise infeasible(problem)
    return entropy


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
        *expected_places, expectation = getattr(expected, kind)
        scored, counted = _numbers(places, parts.nodes), _numbers(expected_places, parts.nodes)
        _, of_score, of_expectation = np.intersect1d(scored, counted, assume_unique=True, return_indices=True)
        total += _dot(expectation[of_expectation], score[of_score])
    return total


def _numbers(places: Sequence[NDArray[np.int32]], nodes: int) -> NDArray[np.int64]:
    """One number for each part of a kind."""
    return np.asarray(np.ravel_multi_index(tuple(places), (nodes,) * len(places)), dtype=np.int64)


def _dot(expectation: NDArray[np.float64], score: NDArray[np.float64]) -> float:
    """The sum of their products; parts that are forbidden by -inf have the expectation 0 and do not count."""
    return float((expectation * np.where(score > -np.inf, score, 0.0)).sum())
