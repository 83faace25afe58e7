"""Second-order projective decoding by dynamic programming: siblings and stops in O(n³), with grandparents in O(n⁴)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.decode.constraints import infeasible
from treewright.decode.parts import Parts
from treewright.decode.problem import Problem
from treewright.decode.result import Parse
from treewright.errors import InputError

LARGEST_CHART = 2 * 2**30  # bytes; about 400 words when every arc is a candidate


def siblings(problem: Problem) -> Parse:
    """The best projective tree over arcs, siblings and stops."""
    if isinstance(problem.given, Parts):
        heads, value = _core.sibling_eisner_parts(problem.parts, problem.single_root)
    else:
        # The kernel looks at neither the diagonal nor column 0: without constraints the array needs no copy.
        arc = problem.matrix if problem.is_constrained else problem.given
        heads, value = _core.sibling_eisner(arc, problem.sib, problem.stop, problem.single_root)
    return answer(problem, heads, value, "sibling-eisner")


def grandparents(problem: Problem) -> Parse:
    """The best projective tree over arcs, grandparents, siblings and stops."""
    wanted = _core.grand_eisner_bytes(problem.parts)
    if wanted > LARGEST_CHART:
        raise InputError(
            f"the chart of {problem.nodes - 1} words with {problem.parts.arcs} candidate arcs would take "
            f"{wanted / 2**20:.1f} MiB, more than the {LARGEST_CHART / 2**20:.1f} MiB allowed "
            "(treewright.decode.dynamic.LARGEST_CHART): keep fewer candidate heads a word, or use method='dd'"
        )
    heads, value = _core.grand_eisner(problem.parts, problem.single_root)
    return answer(problem, heads, value, "grand-eisner")


def answer(problem: Problem, heads: NDArray[np.int32], value: float, method: str) -> Parse:
    """The tree, or the reason why there is none."""
    if value == -np.inf:
        raise infeasible(problem)
    return Parse.exact(heads, value, method)
