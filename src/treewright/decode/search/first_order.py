"""Reduced costs of arcs in the first-order non-projective problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.decode.constraints import infeasible
from treewright.decode.problem import Problem, Scores
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.decode.options import ProblemOptions


def reduced_costs(arc: Scores, **options: Unpack[ProblemOptions]) -> NDArray[np.float64]:
    """[h, m]: the value of every tree with that arc is at least this much below that of the best tree.

    0 on the arcs of the best tree, +inf where no tree can have the arc. A bound for all arcs at the cost of one
    decoding; `why_not` gives the exact loss of one arc. Scores, root, require and forbid are those of `tree`. With
    head_first=False scores and result are [m, h].

    >>> reduced_costs([[0, 9, 2], [0, 0, 7], [0, 3, 0]]).tolist()
    [[inf, 0.0, 5.0], [inf, inf, 0.0], [inf, 6.0, inf]]
    """
    problem = Problem.of(arc, **options).refuse_labels()
    if problem.projective or problem.order == 2:
        raise InputError("reduced_costs are those of arc scores and trees that may cross; leave out the other keywords")
    value, costs = _core.reduced_costs(problem.matrix, problem.single_root)
    if value == -np.inf:
        raise infeasible(problem)
    return costs if problem.head_first else costs.T
