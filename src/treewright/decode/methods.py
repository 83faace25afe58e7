"""The public decoder: `tree` checks the problem, finds the method by its name and calls it."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from treewright import _core
from treewright.calls import CALL_ERRORS, explained, raise_explained
from treewright.decode import exact
from treewright.decode.constraints import ensure_feasible, infeasible
from treewright.decode.options import MethodOptions
from treewright.decode.parts import Parts
from treewright.decode.problem import Arc, Problem
from treewright.decode.result import Parse
from treewright.errors import InputError

if TYPE_CHECKING:
    from typing_extensions import Unpack

# solve(problem, **options). The bound is -inf when there is no tree; methods other than `exact` are called only if the
# allowed arcs contain a tree.
Solver = Callable[..., Parse]

_NONE: tuple[Arc, ...] = ()

# The calls to the core for one plain array, with the name of the algorithm.
_NONPROJECTIVE = (_core.parse_array, exact.first_order(projective=False))
_PROJECTIVE = (_core.projective_parse_array, exact.first_order(projective=True))

# name -> "module:function", imported when it is first used. A solver takes a Problem and its own options by keyword.
METHODS = {
    "exact": "treewright.decode.exact:solve",
    "dd": "treewright.decode.search.dual:solve",
    "climb": "treewright.decode.search.climb:solve",
    "rearrange": "treewright.decode.search.rearrange:solve",
    "ilp": "treewright.decode.search.programs:ilp",
    "lp": "treewright.decode.search.programs:lp",
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
    head_first: bool = True,
    method: str = "exact",
    **options: Unpack[MethodOptions],
) -> Parse:
    """The best tree over the scores given: a Parse with its value, bound and certificate.

    arc[h, m] is the score of head h for modifier m, node 0 the root, words 1..n; -inf forbids, and the diagonal and
    column 0 are not read. sib[h, m, s], grand[g, h, m] and stop[h, s, side] score pairs of arcs and the ends of
    modifier lists (docs/decoding.md). A Parts in place of arc holds the same over candidate arcs only. With labelled
    scores arc[h, m, l] an arc has the score of its best label, and `parse.labels` has the label of each word.

    head_first=False says that the array is arc[m, h], as biaffine parsers compute it; sib, grand, stop and the arcs of
    require and forbid keep their order. projective=True
    excludes crossing arcs. root is "single" (exactly one child of node 0) or "multi". require and forbid
    are arcs (h, m) that the tree must, must not have. method is a name in METHODS; `MethodOptions` lists its options.
    constraints=[...] is an option of "exact": limits on the shape of the tree (RootChildren, Valency, Span, Below,
    Depth).

    >>> parse = tree([[0, 9, 2], [0, 0, 7], [0, 3, 0]])
    >>> parse.heads.tolist(), parse.score, parse.certified
    ([-1, 0, 1], 16.0, True)
    """
    try:
        is_plain = (
            sib is None and grand is None and stop is None and require is _NONE and forbid is _NONE and head_first
        )
        if is_plain and method == "exact":
            # The most frequent calls: the core checks the array; the path below explains what is wrong with it.
            decode, name = _PROJECTIVE if projective else _NONPROJECTIVE
            found: Parse | None = None if options else decode(arc, root, Parse, name)
            if found is not None:
                return found
        problem = Problem.of(
            arc,
            sib,
            grand,
            stop,
            projective=projective,
            root=root,
            require=require,
            forbid=forbid,
            head_first=head_first,
            labelled=True,
        )
        solve = solver(method, options)
        if method != "exact":
            exact.refuse_outermost([arc.core] if isinstance(arc, Parts) else [])
            ensure_feasible(problem)
        parse = solve(problem, **options)
        if parse.bound == -math.inf:
            raise infeasible(problem)
        return parse if problem.label_scores is None else replace(parse, labels=problem.best_labels(parse.heads))
    except CALL_ERRORS as error:  # instead of the decorator `explained`, which costs a tenth of the shortest calls
        given = {"sib": sib, "grand": grand, "stop": stop, "projective": projective, "root": root, "require": require}
        given |= {"forbid": forbid, "head_first": head_first, "method": method}
        raise_explained(tree, (arc,), {**given, **options}, error)
        raise


@explained
def tree_batch(
    batch: Sequence[Parts],
    *,
    projective: bool = False,
    root: str = "single",
    method: str = "exact",
    **options: Unpack[MethodOptions],
) -> list[Parse]:
    """The Parse of each Parts of a batch, in order and on one thread; faster than `tree` where no search is needed.

    projective, root, method and its options are those of `tree`.

    >>> parts = Parts.from_arrays([[0, 9, 2], [0, 0, 7], [0, 3, 0]])
    >>> [parse.heads.tolist() for parse in tree_batch([parts, parts])]
    [[-1, 0, 1], [-1, 0, 1]]
    """
    if method != "exact":
        return [tree(parts, projective=projective, root=root, method=method, **options) for parts in batch]
    solver(method, options)
    if "constraints" in options:
        return [tree(parts, projective=projective, root=root, **options) for parts in batch]
    parses = exact.solve_batch(batch, projective, root, options)
    for parts, parse in zip(batch, parses, strict=True):
        if parse.bound == -math.inf:
            raise infeasible(Problem.of(parts, projective=projective, root=root))
    return parses


def solver(method: str, options: Iterable[str] = ()) -> Solver:
    """The function of a method; the errors for unknown names and options list the known ones."""
    if not isinstance(method, str) or method not in METHODS:
        raise InputError(f"there is no method {method!r}; there are {', '.join(METHODS)}")
    for name in options:
        if name not in options_of(method):
            raise _no_such_option(method, name)
    return _load(METHODS[method])


@cache
def options_of(method: str) -> tuple[str, ...]:
    """The names of the options of a method: the keywords of its function.

    >>> options_of("rearrange")
    ('start', 'max_moves', 'tolerance')
    """
    return tuple(name for name in inspect.signature(_load(METHODS[method])).parameters if name != "problem")


def _no_such_option(method: str, name: str) -> InputError:
    others = ", ".join(repr(other) for other in METHODS if name in options_of(other))
    belongs = f"; {name!r} is an option of {others}" if others else ""
    return InputError(f"method {method!r} has no option {name!r}; it has {', '.join(options_of(method))}{belongs}")


@cache
def _load(place: str) -> Solver:
    module, _, name = place.partition(":")
    function: Solver = getattr(import_module(module), name)
    return function
