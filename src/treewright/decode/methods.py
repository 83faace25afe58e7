"""The public decoder: `tree` checks the problem, finds the method by its name and calls it."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from treewright.decode import exact
from treewright.decode.constraints import ensure_feasible, infeasible
from treewright.decode.options import ProblemOptions
from treewright.decode.problem import Problem, Scores, is_single
from treewright.decode.result import Parse
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.decode.options import TreeOptions

# solve(problem, **options). The bound is -inf when there is no tree; methods other than `exact` are called only if the
# allowed arcs contain a tree.
Solver = Callable[..., Parse]

# name -> "module:function", imported when it is first used. A solver takes a Problem and its own options by keyword.
METHODS = {
    "exact": "treewright.decode.exact:solve",
    "dd": "treewright.decode.search.dual:solve",
    "climb": "treewright.decode.search.climb:solve",
    "rearrange": "treewright.decode.search.rearrange:solve",
    "ilp": "treewright.decode.search.programs:ilp",
    "lp": "treewright.decode.search.programs:lp",
}

PLAIN = frozenset({"projective", "root"})  # with no other keywords, the core decodes float64 arrays without a Problem


def tree(arc: Scores, *, method: str = "exact", **options: Unpack[TreeOptions]) -> Parse:
    """Find the best tree over the scores given: a Parse with its value, bound and certificate.

    arc[h, m] is the score of head h for modifier m, node 0 the root, words 1..n; -inf forbids, and the diagonal and
    column 0 are not read. A Parts in place of arc holds scores over candidate arcs only; a Problem holds scores and the
    keywords below. With labelled scores arc[h, m, l] an arc has the score of its best label, and `parse.labels` has the
    label of each word.

    sib[h, m, s], grand[g, h, m] and stop[h, s, side] score pairs of arcs and the ends of modifier lists, and
    grandsib[g, h, m, s] a sibling pair together with the head of its head (docs/decoding.md). projective=True excludes
    crossing arcs. root is "single" (exactly one child of node 0) or "multi". require and forbid are arcs (h, m) that
    the tree must, must not have. head_first=False says that the array is arc[m, h], as biaffine parsers compute it; the
    other arrays and the arcs of require and forbid keep their order.

    method is a name in METHODS; `MethodOptions` lists its options. constraints=[...] is an option of "exact": limits on
    the shape of the tree (RootChildren, Valency, Span, Below, Depth). automata=HeadAutomata(...), for "exact" and "dd",
    scores the modifiers of each head by automata with states in place of sib, grand and stop.

    >>> parse = tree([[0, 9, 2], [0, 0, 7], [0, 3, 0]])
    >>> parse.heads.tolist(), parse.score, parse.certified
    ([-1, 0, 1], 16.0, True)
    """
    if type(arc) is np.ndarray and method == "exact" and PLAIN.issuperset(options):
        single_root = is_single(options.get("root", "single"))
        parse = exact.solve_matrix(arc, bool(options.get("projective", False)), single_root)
        if parse.score > -math.inf:
            return parse  # otherwise the checks below explain what is wrong
    of_problem, of_method = split_options(options)
    problem = Problem.of(arc, **of_problem)
    solve = solver(method, of_method)
    if method != "exact":
        exact.refuse_outermost(problem)
        ensure_feasible(problem)
    parse = solve(problem, **of_method)
    if parse.bound == -math.inf:
        raise infeasible(problem)
    return parse if problem.label_scores is None else replace(parse, labels=problem.best_labels(parse.heads))


def split_options(options: Mapping[str, Any]) -> tuple[ProblemOptions, dict[str, Any]]:
    """Divide the keywords of `tree` into those of a Problem and those of a method."""
    names = ProblemOptions.__annotations__
    of_problem: Any = {name: value for name, value in options.items() if name in names}
    return of_problem, {name: value for name, value in options.items() if name not in names}


def solver(method: str, options: Iterable[str] = ()) -> Solver:
    """Return the function of a method; the errors for unknown names and options list the known ones."""
    known = options_of(method)
    for name in options:
        if name not in known:
            raise _no_such_option(method, name)
    return _load(METHODS[method])


def options_of(method: str) -> tuple[str, ...]:
    """The names of the options of a method: the keywords of its function.

    >>> options_of("rearrange")
    ('start', 'max_moves', 'tolerance')
    """
    if not isinstance(method, str) or method not in METHODS:
        raise InputError(f"there is no method {method!r}; there are {', '.join(METHODS)}")
    return _keywords(METHODS[method])


def _no_such_option(method: str, name: str) -> InputError:
    others = ", ".join(repr(other) for other in METHODS if name in options_of(other))
    belongs = f"; {name!r} is an option of {others}" if others else ""
    return InputError(f"method {method!r} has no option {name!r}; it has {', '.join(options_of(method))}{belongs}")


@cache
def _keywords(place: str) -> tuple[str, ...]:
    return tuple(name for name in inspect.signature(_load(place)).parameters if name != "problem")


@cache
def _load(place: str) -> Solver:
    module, _, name = place.partition(":")
    function: Solver = getattr(import_module(module), name)
    return function
