"""Reduced costs of arcs in the first-order non-projective problem."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.calls import explained
from treewright.decode.constraints import infeasible
from treewright.decode.parts import Parts
from treewright.decode.problem import Arc, Problem


@explained
def reduced_costs(
    arc: ArrayLike | Parts,
    *,
    root: str = "single",
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
    head_first: bool = True,
) -> NDArray[np.float64]:
    """[h, m]: the value of every tree with that arc is at least this much below that of the best tree.

    0 on the arcs of the best tree, +inf where no tree can have the arc. A bound for all arcs at the cost
    of one decoding; `why_not` gives the exact loss of one arc. root, require and forbid are those of `tree`. With
    head_first=False scores and result are [m, h].

    >>> reduced_costs([[0, 9, 2], [0, 0, 7], [0, 3, 0]]).tolist()
    [[inf, 0.0, 5.0], [inf, inf, 0.0], [inf, 6.0, inf]]
    """
    problem = Problem.of(arc, root=root, require=require, forbid=forbid, head_first=head_first)
    _, value, costs = _core.reduced_costs(problem.matrix, problem.single_root)
    if value == -np.inf:
        raise infeasible(problem)
    return costs if head_first else costs.T
