"""Second-order projective decoding by dynamic programming: siblings and stops in O(n³), with grandparents in O(n⁴)."""

from __future__ import annotations

from treewright import _core
from treewright.decode.problem import Problem
from treewright.decode.result import Parse
from treewright.errors import InputError

LARGEST_CHART = 2 * 2**30  # bytes; about 400 words when every arc is a candidate


def siblings(problem: Problem) -> Parse:
    """The best projective tree over arcs, siblings and stops."""
    if problem.arc is not None:
        heads, value = _core.sibling_eisner(problem.arc, problem.sib, problem.stop, problem.single_root)
    else:
        heads, value = _core.sibling_eisner_parts(problem.parts, problem.single_root)
    return Parse(heads, value, value, "sibling-eisner")


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
    return Parse(heads, value, value, "grand-eisner")
