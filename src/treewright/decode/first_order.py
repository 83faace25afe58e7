"""First-order decoding: arcs alone decide. Chu-Liu-Edmonds in O(n²), Eisner in O(n³) when arcs may not cross."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.decode.constraints import infeasible
from treewright.decode.parts import Parts
from treewright.decode.problem import Arc, Problem
from treewright.decode.result import Parse


def solve(problem: Problem) -> Parse:
    """The best tree by its arcs; the score -inf when there is none."""
    if problem.projective or problem.arc is not None:
        return decode(problem.matrix, problem.projective, problem.single_root)
    heads, value = _core.chu_liu_edmonds(problem.parts, problem.parts.arc, problem.single_root)
    return Parse.exact(heads, value, "chu-liu-edmonds")


def decode(arc: NDArray[np.float64], projective: bool, single_root: bool) -> Parse:
    """The same of a checked matrix; the kernels look at neither its diagonal nor its column 0."""
    if projective:
        return Parse.exact(*_core.eisner(arc, single_root), "eisner")
    return Parse.exact(*_core.chu_liu_edmonds(arc, single_root), "chu-liu-edmonds")


def reduced_costs(
    arc: ArrayLike | Parts, *, root: str = "single", require: Iterable[Arc] = (), forbid: Iterable[Arc] = ()
) -> NDArray[np.float64]:
    """[h, m]: every non-projective tree with that arc is worth at least this much less than the best one.

    0 on the arcs of the best tree, +inf where no tree can have the arc. A bound, found for all arcs at the price of
    one decoding; `why_not` gives the exact loss of one arc.

    >>> reduced_costs([[0, 9, 2], [0, 0, 7], [0, 3, 0]]).tolist()
    [[inf, 0.0, 5.0], [inf, inf, 0.0], [inf, 6.0, inf]]
    """
    problem = Problem.of(arc, root=root, require=require, forbid=forbid)
    _, value, costs = _core.reduced_costs(problem.matrix, problem.single_root)
    if value == -np.inf:
        raise infeasible(problem)
    return costs
