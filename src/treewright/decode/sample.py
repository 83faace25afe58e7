"""Random trees by their score; the same for the same seed.

First order: Wilson's algorithm, or the inside chart for projective trees. Second order: the inside chart over parts for
projective trees, rejection from first-order proposals (rejection.py) for trees that may cross. All draws are exact.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import index

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.decode import rejection
from treewright.decode.constraints import infeasible
from treewright.decode.marginals import ensure_finite_value, scores_of
from treewright.decode.parts import Parts
from treewright.decode.problem import Arc, Problem
from treewright.errors import InputError


def sample(
    arc: ArrayLike | Parts,
    size: int,
    *,
    sib: ArrayLike | None = None,
    grand: ArrayLike | None = None,
    stop: ArrayLike | None = None,
    projective: bool = False,
    root: str = "single",
    seed: int = 0,
    uniform: bool = False,
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
    head_first: bool = True,
) -> NDArray[np.int32]:
    """[size, nodes]: heads of trees drawn independently, each with probability exp(value) / Z.

    Scores and constraints are those of `tree`. seed determines the trees.
    uniform: all trees that the scores do not forbid have the same probability. The first trees of a larger sample are
    those of a smaller one. Second-order trees that may cross are drawn by rejection: sentences of more than 8 to 15
    words, depending on how strong the second-order scores are, are refused with an InputError when they would take too
    long. projective=True has no such limit.

    >>> trees = sample([[0, 9, 2], [0, 0, 7], [0, 3, 0]], 1000, uniform=True, seed=1)
    >>> trees.shape, sorted(set(map(tuple, trees.tolist())))
    ((1000, 3), [(-1, 0, 1), (-1, 2, 0)])
    """
    count, start = _whole_number(size, "size", 2**31), _whole_number(seed, "seed", 2**64)
    problem = Problem.of(
        arc, sib, grand, stop, projective=projective, root=root, require=require, forbid=forbid, head_first=head_first
    )
    if problem.order == 2 and not problem.projective:
        ensure_finite_value(problem)
    source = problem.unscored() if uniform else problem
    trees = _drawn(source, max(count, 1), start)
    if not len(trees):
        raise infeasible(problem)
    return trees[:count]


def _drawn(problem: Problem, count: int, seed: int) -> NDArray[np.int32]:
    """Independent draws; none when there is no tree."""
    if problem.order == 2 and not problem.projective:
        return rejection.draw(problem, count, seed)
    if problem.order == 2:
        return _core.sample_parts(problem.parts, problem.single_root, count, seed)
    draw = _core.projective_sample if problem.projective else _core.sample
    return draw(scores_of(problem), problem.single_root, count, seed)


def _whole_number(given: int, name: str, limit: int) -> int:
    try:
        number = index(given)
    except TypeError:
        raise InputError(f"{name} is {given!r}; give a whole number") from None
    if not 0 <= number < limit:
        raise InputError(f"{name} is {number}; give at least 0, below {limit}")
    return number
