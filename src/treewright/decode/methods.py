"""The front door: `tree` checks the question, finds the method by its name and hands over."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import Any

from numpy.typing import ArrayLike

from treewright.decode import arrays, first_order
from treewright.decode.constraints import ensure_feasible, infeasible
from treewright.decode.parts import Parts
from treewright.decode.problem import Arc, Problem, is_single
from treewright.decode.result import Parse
from treewright.errors import InputError

# solve(problem, **options). The bound -inf says that there is no tree; only the direct algorithms of `exact` are asked
# without knowing that there is a tree of allowed arcs.
Solver = Callable[..., Parse]

_NONE: tuple[Arc, ...] = ()

# name -> "module:function", imported when it is first used. A solver takes a Problem and its own options by keyword.
METHODS = {
    "exact": "treewright.decode.methods:exact",
    "dd": "treewright.decode.dual:solve",
    "climb": "treewright.decode.climb:solve",
    "rearrange": "treewright.decode.rearrange:solve",
    "ilp": "treewright.decode.programs:ilp",
    "lp": "treewright.decode.programs:lp",
}

# The cheapest exact algorithm for each kind of question.
EXACT = {
    "first order": "treewright.decode.first_order:solve",
    "projective, siblings": "treewright.decode.dynamic:siblings",
    "projective, grandparents": "treewright.decode.dynamic:grandparents",
    "second order": "treewright.decode.branch:solve",
}


def tree(
    arc: ArrayLike | Parts,
    *,
    sib: ArrayLike | None = None,
    grand: ArrayLike | None = None,
    stop: ArrayLike | None = None,
    projective: bool = False,
    root: str = "single",
    require: Iterable[Arc] = _NONE,
    forbid: Iterable[Arc] = _NONE,
    method: str = "exact",
    **options: Any,
) -> Parse:
    """The best tree over the scores given, with what it is worth.

    arc[h, m] is the score of head h for modifier m, node 0 the root, words 1..n; -inf forbids, and the diagonal and
    column 0 are not looked at. sib[h, m, s], grand[g, h, m] and stop[h, s, side] score pairs of arcs and the ends of
    modifier lists (docs/decoding.md). A Parts in place of arc holds the same over candidate arcs only.

    root is "single" (exactly one child of node 0) or "multi". require and forbid are arcs (h, m) that the tree must,
    must not have. method is a name in METHODS, options are its own.

    >>> parse = tree([[0, 9, 2], [0, 0, 7], [0, 3, 0]])
    >>> parse.heads.tolist(), parse.score, parse.certified
    ([-1, 0, 1], 16.0, True)
    """
    is_plain = sib is None and grand is None and stop is None and require is _NONE and forbid is _NONE and not options
    if is_plain and method == "exact" and not isinstance(arc, Parts):
        # What is asked most, and often: straight to the kernel, which for 20 words takes less time than the rest.
        parse = first_order.decode(arrays.arc_matrix(arc), projective, is_single(root))
        if parse.score > -math.inf:
            return parse
    problem = Problem.of(arc, sib, grand, stop, projective=projective, root=root, require=require, forbid=forbid)
    solve = solver(method, options)
    if method != "exact":
        ensure_feasible(problem)
    parse = solve(problem, **options)
    if parse.bound == -math.inf:
        raise infeasible(problem)
    return parse


def solver(method: str, options: dict[str, Any]) -> Solver:
    """The function behind a method's name; unknown names and options answer with those there are."""
    if method not in METHODS:
        raise InputError(f"there is no method {method!r}; there are {', '.join(METHODS)}")
    function = _load(METHODS[method])
    if options:
        known = [name for name in inspect.signature(function).parameters if name != "problem"]
        for name in options:
            if name not in known:
                raise InputError(f"method {method!r} has no option {name!r}; it has {', '.join(known) or 'none'}")
    return function


def exact(
    problem: Problem, *, max_seconds: float | None = None, max_nodes: int | None = None, trace: bool = False
) -> Parse:
    """The cheapest algorithm that is exact for the problem; budget and trace matter where a search is needed."""
    if problem.order == 2 and not problem.projective:
        return _load(EXACT["second order"])(problem, max_seconds=max_seconds, max_nodes=max_nodes, trace=trace)
    if problem.order == 1:
        kind = "first order"
    else:
        kind = "projective, grandparents" if problem.has_grand else "projective, siblings"
    return _load(EXACT[kind])(problem)


@cache
def _load(place: str) -> Solver:
    module, _, name = place.partition(":")
    function: Solver = getattr(import_module(module), name)
    return function
