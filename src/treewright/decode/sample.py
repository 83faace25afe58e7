"""Random trees by their score: Wilson's walks, or the inside chart for projective ones. The same for the same seed."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.decode.constraints import infeasible
from treewright.decode.marginals import scores_of
from treewright.decode.parts import Parts
from treewright.decode.problem import Arc, Problem
from treewright.errors import InputError


def sample(
    arc: ArrayLike | Parts,
    size: int,
    *,
    projective: bool = False,
    root: str = "single",
    seed: int = 0,
    uniform: bool = False,
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
) -> NDArray[np.int32]:
    """[size, nodes]: heads of trees drawn independently, each with probability exp(value) / Z.

    uniform: every tree that the scores do not forbid is as likely. The first trees of a larger sample are those of a
    smaller one.

    >>> trees = sample([[0, 9, 2], [0, 0, 7], [0, 3, 0]], 1000, uniform=True, seed=1)
    >>> trees.shape, sorted(set(map(tuple, trees.tolist())))
    ((1000, 3), [(-1, 0, 1), (-1, 2, 0)])
    """
    count, start = _whole_number(size, "size", 2**31), _whole_number(seed, "seed", 2**64)
    problem = Problem.of(arc, projective=projective, root=root, require=require, forbid=forbid)
    if problem.order > 1:
        raise InputError("sample takes arc scores only; the Parts given have siblings, grandparents or stops")
    scores = scores_of(problem)
    if uniform:
        scores = np.where(scores > -np.inf, 0.0, -np.inf)
    draw = _core.projective_sample if projective else _core.sample
    trees = draw(scores, problem.single_root, max(count, 1), start)
    if not len(trees):
        raise infeasible(problem)
    return trees[:count]


def _whole_number(given: int, name: str, limit: int) -> int:
    try:
        number = index(given)
    except TypeError:
        raise InputError(f"{name} is {given!r}; give a whole number") from None
    if not 0 <= number < limit:
        raise InputError(f"{name} is {number}; give at least 0, below {limit}")
    return number
