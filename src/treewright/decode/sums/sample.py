"""Random trees by their score; the same for the same seed.

First order: Wilson's algorithm, or the inside chart for projective trees. Second order: the inside chart over parts for
projective trees, rejection from first-order proposals (rejection.py) for trees that may cross. All draws are exact.
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.decode.constraints import infeasible
from treewright.decode.parts import Parts
from treewright.decode.problem import Problem, Scores
from treewright.decode.sums import rejection
from treewright.decode.sums.marginals import ensure_finite_value
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.decode.options import ProblemOptions


def sample(
    arc: Scores, size: int, *, seed: int = 0, uniform: bool = False, **options: Unpack[ProblemOptions]
) -> NDArray[np.int32]:
    """[size, nodes]: heads of trees drawn independently, each with probability exp(value) / Z.

    Scores and constraints are those of `tree`. seed determines the trees. With labelled scores arc[h, m, l] labelled
    trees are drawn: the result is [2, size, nodes], heads and labels.
    uniform: all trees that the scores do not forbid have the same probability. The first trees of a larger sample are
    those of a smaller one. Second-order trees that may cross are drawn by rejection: sentences of more than 8 to 15
    words, depending on how strong the second-order scores are, are refused with an InputError when they would take too
    long. projective=True has no such limit.

    >>> trees = sample([[0, 9, 2], [0, 0, 7], [0, 3, 0]], 1000, uniform=True, seed=1)
    >>> trees.shape, sorted(set(map(tuple, trees.tolist())))
    ((1000, 3), [(-1, 0, 1), (-1, 2, 0)])
    """
    count, start = _whole_number(size, "size", 2**31), _whole_number(seed, "seed", 2**64)
    problem = Problem.of(arc, **options).refuse_grandsib("sample")
    if problem.order == 2 and not problem.projective:
        ensure_finite_value(problem)
    source = _uniform(problem) if uniform else problem.sum_labels()
    trees = _draw(source, max(count, 1), start)
    if not len(trees):
        raise infeasible(problem)
    trees = trees[:count]
    return trees if problem.label_scores is None else np.stack([trees, _labels(problem, trees, start, uniform)])


def _uniform(problem: Problem) -> Problem:
    """The problem with scores of zero; the score of a labelled arc is the log of the number of its labels."""
    plain = problem.without_scores()
    if problem.label_scores is None:
        return plain
    parts = Parts.of(plain.parts)
    head, modifier, _ = parts.arcs  # with scores of 0
    counts = (problem.label_scores > -np.inf).sum(axis=2)[head, modifier]
    return plain.with_parts(parts.adjusted(np.log(counts)).core)


def _labels(problem: Problem, trees: NDArray[np.int32], seed: int, uniform: bool) -> NDArray[np.int32]:
    """Labels of the words of each tree, drawn by their scores: the largest with Gumbel noise. That of node 0 is -1."""
    assert problem.label_scores is not None
    scores = problem.label_scores[trees[:, 1:], np.arange(1, problem.nodes)]
    if uniform:
        scores = np.where(scores > -np.inf, 0.0, -np.inf)
    random = np.random.default_rng([seed, 1])  # not the numbers that the trees are drawn with
    labels = np.full(trees.shape, -1, dtype=np.int32)
    labels[:, 1:] = (scores + random.gumbel(size=scores.shape)).argmax(axis=2)
    return labels


def _draw(problem: Problem, count: int, seed: int) -> NDArray[np.int32]:
    """Draw independent trees; none when there is no tree."""
    if problem.order == 1:
        return _core.sample(problem.kernel_matrix, problem.projective, problem.single_root, count, seed)
    problem, _ = problem.subtract_best_for_sums()
    if not problem.projective:
        return rejection.draw(problem, count, seed)
    return _core.sample_parts(problem.parts, problem.single_root, count, seed)


def _whole_number(given: int, name: str, limit: int) -> int:
    try:
        number = index(given)
    except TypeError:
        raise InputError(f"{name} is {given!r}; give a whole number") from None
    if not 0 <= number < limit:
        raise InputError(f"{name} is {number}; give at least 0, below {limit}")
    return number
