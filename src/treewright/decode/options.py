"""The keywords of `tree` as types, for functions that pass them on.

Which method takes which option is said by the signatures of the functions in `METHODS`; `MethodOptions` is their union
for type checkers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypedDict

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from treewright.decode.problem import Arc
    from treewright.decode.result import Multipliers
    from treewright.decode.search import climb, dual, programs, rearrange
    from treewright.decode.search.automata import HeadAutomata
    from treewright.decode.structure import TreeConstraint


class ArcConstraints(TypedDict, total=False):
    """Constraints on the arcs of a tree."""

    root: str  # "single": exactly one child of node 0; or "multi"
    require: Iterable[Arc]  # arcs (h, m) that the tree must have
    forbid: Iterable[Arc]  # arcs that it must not have


class ProblemOptions(ArcConstraints, total=False):
    """What makes arc scores a `Problem`: the keywords that every function of inference takes."""

    sib: ArrayLike | None  # sib[h, m, s]
    grand: ArrayLike | None  # grand[g, h, m]
    stop: ArrayLike | None  # stop[h, s, side]
    grandsib: ArrayLike | None  # grandsib[g, h, m, s]; for `tree`
    projective: bool  # no crossing arcs
    head_first: bool  # False: the array is arc[m, h]


class SearchOptions(TypedDict, total=False):
    """The options of the methods except for the time limit; the functions of the methods document them."""

    tolerance: float  # every method: the largest gap of a certified tree, relative to the spread of the scores
    max_nodes: int | None  # exact: nodes of the search tree
    constraints: Iterable[TreeConstraint]  # exact: on the shape of the tree
    automata: HeadAutomata | None  # exact, dd: scores of modifiers by automata with states
    trace: bool  # exact, dd, climb: keep one row an iteration
    proof: bool  # exact: keep what `verify` checks
    max_iterations: int  # dd
    steps: dual.Steps  # dd: the rule of the step sizes
    beta: float  # dd: the share of the arc scores in the tree's subproblem
    warm_start: Multipliers | None  # dd: `parse.multipliers` of a similar problem
    tighten: bool  # dd: fix arcs when the bound stops falling
    published: bool  # dd: the algorithm of Koo et al. (2010) to the letter
    start: climb.Start | rearrange.Start  # climb, rearrange: the first tree
    patience: int  # climb: restarts without a better tree before it ends
    max_restarts: int | None  # climb
    seed: int  # climb
    max_moves: int | None  # rearrange
    flow: programs.Flow  # ilp, lp: the rows that exclude cycles
    siblings: programs.SiblingForm  # ilp, lp
    grandparents: programs.GrandForm  # ilp, lp


class MethodOptions(SearchOptions, total=False):
    """The options of the methods of `tree`."""

    max_seconds: float | None  # every method but rearrange: wall clock; None is no limit


class ChosenMethod(MethodOptions, total=False):
    """A method by name, with its options."""

    method: str


class TreeOptions(MethodOptions, ProblemOptions, total=False):
    """The keywords of `tree` except for `method`."""
