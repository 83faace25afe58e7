"""First-order decoding: arcs alone decide. Chu-Liu-Edmonds in O(n²), Eisner in O(n³) when arcs may not cross."""

from __future__ import annotations

from treewright import _core
from treewright.decode.problem import Problem
from treewright.decode.result import Parse


def solve(problem: Problem) -> Parse:
    """The best tree by its arcs."""
    if problem.projective:
        heads, value = _core.eisner(problem.matrix, problem.single_root)
        return Parse(heads, value, value, "eisner")
    if problem.arc is not None:
        heads, value = _core.chu_liu_edmonds(problem.arc, problem.single_root)
    else:
        heads, value = _core.chu_liu_edmonds(problem.parts, problem.parts.arc, problem.single_root)
    return Parse(heads, value, value, "chu-liu-edmonds")
