"""Sums over all trees: the probability of every arc, and the log partition, of the distribution that scores define.

A tree has the probability exp(value) / Z. Non-projective trees by the matrix-tree theorem, projective ones by inside
and outside weights, O(n³) both; exact for scores that are hundreds apart.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.decode.constraints import infeasible
from treewright.decode.parts import Parts
from treewright.decode.problem import Arc, Problem
from treewright.errors import InputError


def marginals(
    arc: ArrayLike | Parts,
    *,
    projective: bool = False,
    root: str = "single",
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
) -> NDArray[np.float64]:
    """[h, m]: the probability that a tree drawn by its score has the arc; each word's column sums to one.

    Column 0 and the diagonal are zero. The derivative of `log_partition` with respect to arc.

    >>> marginals([[0, 1, 1], [0, 0, 0], [0, 0, 0]]).tolist()
    [[0.0, 0.5, 0.5], [0.0, 0.0, 0.5], [0.0, 0.5, 0.0]]
    """
    problem = first_order("marginals", arc, projective, root, require, forbid)
    sums = _core.projective_marginals if projective else _core.marginals
    found, log_z = sums(scores_of(problem), problem.single_root)
    if log_z == -np.inf:
        raise infeasible(problem)
    return found


def log_partition(
    arc: ArrayLike | Parts,
    *,
    projective: bool = False,
    root: str = "single",
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
) -> float:
    """The log of the sum over all trees of the exponential of their value.

    >>> import math
    >>> n = 4
    >>> round(math.exp(log_partition([[0] * (n + 1)] * (n + 1))))  # how many trees: n to the power n - 1
    64
    """
    problem = first_order("log_partition", arc, projective, root, require, forbid)
    log_sum = _core.projective_log_partition if projective else _core.log_partition
    found = log_sum(scores_of(problem), problem.single_root)
    if found == -np.inf:
        raise infeasible(problem)
    return found


def first_order(
    name: str, arc: ArrayLike | Parts, projective: bool, root: str, require: Iterable[Arc], forbid: Iterable[Arc]
) -> Problem:
    """The checked question of a function over arc scores; parts beyond arcs are refused."""
    problem = Problem.of(arc, projective=projective, root=root, require=require, forbid=forbid)
    if problem.order > 1:
        raise InputError(
            f"{name} looks at arcs only, and the Parts given have siblings, grandparents or stops; "
            "give Parts with arcs alone, or parts.core.dense_arc()"
        )
    return problem


def scores_of(problem: Problem) -> NDArray[np.float64]:
    """arc[h, m] for kernels that look at neither the diagonal nor column 0: without constraints no copy is needed."""
    given = problem.given
    return problem.matrix if isinstance(given, Parts) or problem.is_constrained else given
