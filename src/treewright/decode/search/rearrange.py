"""Approximate non-projective decoding: the best projective tree, then single changes (McDonald and Pereira 2006)."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.decode import exact
from treewright.decode.problem import Problem
from treewright.decode.result import TOLERANCE, Parse, check_tolerance
from treewright.errors import InputError

Start = Literal["siblings", "grandparents", "arcs"]


def solve(
    problem: Problem, *, start: Start = "siblings", max_moves: int | None = None, tolerance: float = TOLERANCE
) -> Parse:
    """Rearrange the best projective tree, one head at a time, as long as that raises the value.

    start is what the projective tree takes into account: arcs, siblings and stops ("siblings", as published) or
    grandparents as well; "arcs" begins with the best spanning tree by its arcs instead, and so do the others when no
    projective tree is allowed. max_moves is M of the paper. iterations are the changes made. There is no
    bound: no tree is certified, whatever the tolerance.
    """
    check_tolerance(tolerance)
    if start not in ("siblings", "grandparents", "arcs"):
        raise InputError(f"start is {start!r}; it is 'siblings', 'grandparents' or 'arcs'")
    if max_moves is not None and not max_moves > 0:
        raise InputError(f"max_moves is {max_moves}; it must be positive, or None for no limit")
    heads, moves = _core.rearrange(
        problem.parts, starting_tree(problem, start), problem.single_root, problem.projective, max_moves or 0
    )
    value = problem.value(heads)
    if value == -math.inf:
        raise InputError(
            "rearranging ended at a tree with a part of the score -inf; method='exact' decides whether there is another"
        )
    return Parse(heads, value, math.inf, "rearrange", tolerance=tolerance, iterations=moves)


def starting_tree(problem: Problem, start: Start) -> NDArray[np.int32]:
    """The tree to rearrange; the caller has checked that there is one, but perhaps no projective one."""
    if start != "arcs":
        parse = exact.solve_directly(problem, "sibling-eisner" if start == "siblings" else "grand-eisner")
        if parse.score > -math.inf:
            return parse.heads
    return exact.solve_directly(problem, exact.first_order(problem.projective)).heads
