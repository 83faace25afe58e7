"""Randomized greedy hill climbing over any parts (Zhang et al. 2014), and the number of local optima."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from treewright import _core
from treewright._core import ClimbOptions
from treewright.decode import arrays, exact
from treewright.decode.problem import Problem
from treewright.decode.result import TOLERANCE, Parse, check_tolerance
from treewright.errors import InputError

__all__ = ["ClimbOptions", "count_optima", "restart_options", "solve"]

Start = Literal["first-order", "uniform", "map"]


def solve(
    problem: Problem,
    *,
    start: Start = "first-order",
    patience: int = 300,
    max_restarts: int | None = None,
    max_seconds: float | None = None,
    seed: int = 0,
    trace: bool = False,
    tolerance: float = TOLERANCE,
) -> Parse:
    """Find the best tree of many climbs, each from a random tree up to one that no single change of a head improves.

    start is the distribution of the random trees: "first-order" (by their arc scores), "uniform", or "map": one climb
    from the best first-order tree. Restarts end when `patience` in a row found nothing better. The result depends on
    the seed alone, unless max_seconds ends the search. The trace is the best value after each
    restart. There is no bound: no tree is certified, whatever the tolerance.
    """
    check_tolerance(tolerance)
    if start not in ("first-order", "uniform", "map"):
        raise InputError(f"start is {start!r}; it is 'first-order', 'uniform' or 'map'")
    for name, number in (("patience", patience), ("max_restarts", max_restarts), ("max_seconds", max_seconds)):
        if number is not None and not number > 0:
            raise InputError(f"{name} is {number}; it must be positive, or None for no limit")
    first = exact.solve_directly(problem, exact.first_order(problem.projective)).heads if start == "map" else None
    options = restart_options(
        projective=problem.projective,
        root=problem.root,
        by_score=start == "first-order",
        patience=0 if start == "map" else patience,
        max_restarts=max_restarts or 0,
        seed=seed,
    )
    seconds = math.inf if max_seconds is None else float(max_seconds)
    heads, value, best = _core.climb(problem.parts, options, first, seconds)
    if value == -math.inf:
        raise InputError(
            f"{len(best)} climbs ended at no tree without a part of the score -inf; "
            "method='exact' decides whether there is one"
        )
    rows = {"value": best} if trace else None
    return Parse(heads, value, math.inf, "climb", tolerance=tolerance, iterations=len(best), trace=rows)


def restart_options(
    *, projective: bool, root: str, patience: int, max_restarts: int = 0, by_score: bool = True, seed: int = 0
) -> ClimbOptions:
    """The options of a search as the core takes them; max_restarts 0: no limit."""
    return ClimbOptions(
        single_root=root == "single",
        projective=projective,
        by_score=by_score,
        patience=patience,
        max_restarts=max_restarts,
        seed=seed % 2**64,
    )


def count_optima(arc: ArrayLike, cap: int = 10_000, *, head_first: bool = True) -> int:
    """Count the trees that no single change of a head improves, by their arcs; cap + 1 when there are more than cap.

    arc and head_first are those of `tree`.
    The root may have several modifiers. Scores must not tie; add noise if they may. A count of 1 means that one climb
    finds the best tree, from wherever it begins; there can be 2^(n - 1) (Zhang et al. 2014, theorem 1).

    >>> count_optima([[0, 1, 2], [0, 0, 4], [0, 3, 0]])  # each of the words 1 and 2 is the best head of the other
    2
    """
    if cap < 1:
        raise InputError(f"cap is {cap}; it must be at least 1")
    matrix = np.array(arrays.arc_matrix(arc, head_first))
    np.fill_diagonal(matrix, -np.inf)
    return _core.count_optima(matrix, int(cap))
