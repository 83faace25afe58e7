"""First-order decoding: arcs alone decide. Chu-Liu-Edmonds in O(n²), Eisner in O(n³) when arcs may not cross."""

from __future__ import annotations

from treewright import _core
from treewright.decode.problem import Problem
from treewright.decode.result import Parse
from treewright.errors import InputError


def solve(problem: Problem) -> Parse:
    """The best tree by its arcs."""
    if not problem.projective:
        raise InputError("non-projective first-order decoding is not part of this version of Treewright")
    heads, value = _core.eisner(problem.matrix, problem.single_root)
    return Parse(heads, value, value, "eisner")
