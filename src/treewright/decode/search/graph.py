"""Graphs, several heads a word: greedy from a tree (McDonald and Pereira 2006, section 3), or exact.

Exact are an integer program (HiGHS), for any scores, and branch and bound, for first-order scores.

The value of a graph is the sum of `arc` over its arcs, of `sib` and `stop` over the sides of every head as in a tree,
each head's modifiers on their own, and of `grand[g, h, m]` over every pair of arcs (g, h), (h, m).
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from treewright import _core, trees
from treewright.decode.constraints import ensure_feasible
from treewright.decode.parts import Parts
from treewright.decode.problem import Arc, Problem, Scores
from treewright.decode.result import TOLERANCE, Certificate, Certified, check_tolerance
from treewright.decode.search import programs, rearrange
from treewright.decode.search.graph_spread import penalties, spread_of
from treewright.decode.search.subgraph import Subgraph
from treewright.errors import BudgetError, InfeasibleError, InputError
from treewright.streams import check_seconds

if TYPE_CHECKING:
    from treewright.decode.options import ProblemOptions

MAX_BRANCHES = 10_000  # nodes of one search by branch and bound; not tuned

OnArcs = NDArray[np.bool_]  # of each candidate arc: whether it is in the graph


@dataclass(frozen=True, eq=False)
class GraphParse(Certified):
    """A graph in which every word has at least one head, its value, and an upper bound on all such graphs.

    It is acyclic unless cycles were allowed. arcs has a row (h, m) for each arc, by modifier, then by head.
    """

    arcs: NDArray[np.int32]
    nodes: int  # words and root
    score: float
    bound: float
    method: str
    gap: float  # no graph is better by more than this
    spread: float  # the scale of the differences between graphs
    tolerance: float = TOLERANCE
    evidence: Certificate = "bound"
    iterations: int = 0  # changes made to the tree it began with

    @property
    def heads(self) -> list[list[int]]:
        """The heads of each node; heads[0] is empty."""
        heads: list[list[int]] = [[] for _ in range(self.nodes)]
        for h, m in self.arcs.tolist():
            heads[m].append(h)
        return heads


def graph(
    arc: Scores,
    *,
    method: Literal["rearrange", "exact", "branch"] = "rearrange",
    acyclic: bool = True,
    max_moves: int | None = None,
    max_seconds: float | None = None,
    tolerance: float = TOLERANCE,
    **options: Unpack[ProblemOptions],
) -> GraphParse:
    """Find the best acyclic graph in which words may have several heads, or a good one.

    Scores are those of `tree`. method="rearrange" is the published algorithm: from a tree, give a word another or a
    further head as long as that raises the value; max_moves limits the changes.
    method="exact" solves an integer program (small sentences); method="branch" is exact for arc scores alone, at any
    length where few arcs compete, as they do if the arcs of a tree are required. acyclic=False, for method="branch":
    cycles are allowed if every word can be reached from node 0. All end at max_seconds with the best graph found.
    root="single" allows one arc out of node 0. require and forbid are arcs that must, must not be there. A graph
    of the integer program is certified if no other can be better by more than tolerance times its spread; the gap
    includes the tolerances of HiGHS.

    >>> best = graph([[0, 9, 2, 0], [0, 0, 7, 2], [0, -3, 0, 4], [0, -9, -9, 0]])
    >>> best.heads, best.score
    ([[], [0], [1], [1, 2]], 22.0)
    """
    problem = Problem.of(arc, **options).refuse_grandsib("graph").refuse_labels()
    if problem.projective:
        raise InputError("projective=True is for trees; arcs of graphs may cross")
    required, problem = problem.require, replace(problem, require=())  # a word may have other heads beside these
    _check_required(problem, required, acyclic)
    check_tolerance(tolerance)
    check_seconds(max_seconds)
    if method == "branch":
        return _branch(problem, required, acyclic, tolerance, max_seconds)
    if not acyclic:
        raise InputError("acyclic=False is an option of method='branch'; the other methods find acyclic graphs")
    if method == "exact":
        return _Exact(problem, required, tolerance, max_seconds).solve()
    if method != "rearrange":
        raise InputError(f"there is no method {method!r} for graphs; there are 'rearrange', 'exact' and 'branch'")
    if max_moves is not None and not max_moves > 0:
        raise InputError(f"max_moves is {max_moves}; it must be positive, or None for no limit")
    fixed = _mask(problem, required)
    start = _starting_graph(problem, required) | fixed
    seconds = math.inf if max_seconds is None else float(max_seconds)
    on, moves = _core.graph_climb(problem.parts, start, fixed, problem.single_root, max_moves or 0, seconds)
    score = value_of(problem.parts, on)
    if score == -math.inf:
        raise InputError(
            "rearranging ended at a graph with a part of the score -inf; method='exact' decides if there is another"
        )
    arcs = _arc_rows(problem.parts, on)
    return GraphParse(arcs, problem.nodes, score, math.inf, "rearrange", math.inf, 0.0, tolerance, iterations=moves)


def _branch(
    problem: Problem, required: tuple[Arc, ...], acyclic: bool, tolerance: float, max_seconds: float | None
) -> GraphParse:
    """Search by branch and bound over arc scores; at its limits return the greedy graph with the bound."""
    if problem.has_siblings or problem.has_grand:
        raise InputError("method='branch' takes arc scores alone; use 'rearrange' or 'exact' for second-order scores")
    fixed = _mask(problem, required)
    seconds = math.inf if max_seconds is None else float(max_seconds)
    on, bound, nodes = Subgraph(problem, fixed, acyclic=acyclic, max_nodes=MAX_BRANCHES, max_seconds=seconds).search()
    if on is None:
        start = _starting_graph(problem, required) | fixed
        on = _core.graph_climb(problem.parts, start, fixed, problem.single_root, 0, math.inf)[0]
    parts = problem.parts
    score = value_of(parts, on)
    scores = np.asarray(parts.arc)
    sizes = np.abs(scores)[on | (scores > 0)]
    rounding = len(sizes) * 2.0**-52 * float(sizes.sum())  # of the sums that were compared
    gap = rounding + max(0.0, bound - score)
    arcs, spread = _arc_rows(parts, on), spread_of(problem, scores[np.isfinite(scores)], fixed, acyclic, on)
    return GraphParse(arcs, problem.nodes, score, score + gap, "branch", gap, spread, tolerance, iterations=nodes)


def value_of(parts: _core.Parts, on: OnArcs) -> float:
    """Return the value of a graph, rounded once."""
    return math.fsum(_core.graph_scores(parts, on))


def _arc_rows(parts: _core.Parts, on: OnArcs) -> NDArray[np.int32]:
    """Return the arcs as rows (h, m), by modifier, then by head."""
    h, m = parts.head[on], parts.modifier[on]
    return np.column_stack([h, m])[np.lexsort((h, m))]


def _check_required(problem: Problem, required: tuple[Arc, ...], acyclic: bool = True) -> None:
    """Refuse required arcs that are no candidates or, in acyclic graphs, close a cycle."""
    allowed = problem.matrix > -np.inf
    for h, m in required:
        if not allowed[h, m]:
            raise InfeasibleError(f"the arc ({h}, {m}) is required, but it is forbidden or has the score -inf")
    if problem.single_root:
        _check_required_root(required, acyclic)
    if acyclic and len(_topological(problem.nodes, required)) < problem.nodes:
        raise InfeasibleError(f"the required arcs {list(required)} close a cycle; give up one of them")


def _check_required_root(required: tuple[Arc, ...], acyclic: bool) -> None:
    """Refuse required arcs that do not fit a single root: all other words are below its modifier."""
    roots = sorted({m for h, m in required if h == 0})
    if len(roots) > 1:
        raise InfeasibleError(
            f"the required arcs {[(0, m) for m in roots]} and root='single' cannot hold together: one arc leaves node 0"
        )
    for h, m in required:
        if acyclic and m in roots and h != 0:
            raise InfeasibleError(
                f"the arcs (0, {m}) and ({h}, {m}) are required, but with root='single' word {h} is below word {m}, so "
                "that they close a cycle; give up one of them"
            )


def _topological(nodes: int, arcs: Iterable[Arc], rank: Sequence[int] | None = None) -> list[int]:
    """Sort the nodes, heads before modifiers, the lowest rank first; what is on or below a cycle is left out."""
    rank = range(nodes) if rank is None else rank
    below: list[set[int]] = [set() for _ in range(nodes)]
    for h, m in arcs:
        below[h].add(m)
    waiting = [sum(m in modifiers for modifiers in below) for m in range(nodes)]
    free = [(rank[node], node) for node in range(nodes) if not waiting[node]]
    heapq.heapify(free)
    order = []
    while free:
        node = heapq.heappop(free)[1]
        order.append(node)
        for m in below[node]:
            waiting[m] -= 1
            if not waiting[m]:
                heapq.heappush(free, (rank[m], m))
    return order


def _mask(problem: Problem, arcs: Iterable[Arc]) -> OnArcs:
    members = set(arcs)
    pairs = zip(problem.parts.head.tolist(), problem.parts.modifier.tolist(), strict=True)
    return np.array([pair in members for pair in pairs], dtype=np.bool_)


def _starting_graph(problem: Problem, required: tuple[Arc, ...]) -> OnArcs:
    """Find a tree that closes no cycle with the required arcs."""
    matrix = problem.matrix
    best: dict[int, int] = {}  # of each word with required heads, the one the tree has
    for h, m in required:
        if m not in best or matrix[h, m] > matrix[best[m], m]:
            best[m] = h
    chosen = tuple((h, m) for m, h in best.items())
    tree = _tree_within(problem, chosen, problem.forbid)
    if len(_topological(problem.nodes, (*tree, *required))) < problem.nodes:
        # Arcs that go forward in an order of the nodes which the required arcs follow close no cycle with them. Near
        # to the order of the tree, the root's modifier comes first and can be the head of every other word.
        rank = trees.preorder([-1, *(h for h, _ in tree)]).tolist()
        place = {node: i for i, node in enumerate(_topological(problem.nodes, required, rank))}
        backward = [(h, m) for h in place for m in place if m and h != m and place[h] > place[m]]
        try:
            tree = _tree_within(problem, chosen, (*problem.forbid, *backward))
        except InfeasibleError as error:
            raise InputError(
                f"no tree to begin with fits the required arcs {list(required)}; use method='exact'"
            ) from error
    return _mask(problem, tree)


def _tree_within(problem: Problem, require: tuple[Arc, ...], forbid: Iterable[Arc]) -> list[Arc]:
    within = replace(problem, require=tuple(require), forbid=tuple(forbid))
    ensure_feasible(within)
    heads, _ = _core.rearrange(within.parts, rearrange.starting_tree(within, "siblings"), within.single_root, False, 0)
    return [(int(heads[m]), m) for m in range(1, within.nodes)]


class _Exact:
    """The integer program over scores scaled by a power of two, first without large penalties, then with all parts.

    No graph has a higher value than the sum of all positive scores. A graph with a penalty p is at least p below that,
    so that penalties larger than what the graph found loses against the sum are in no better graph.
    """

    def __init__(
        self, problem: Problem, required: tuple[Arc, ...], tolerance: float, max_seconds: float | None
    ) -> None:
        programs.check_size(problem, "single", "product")
        self.problem, self.required, self.tolerance, self.max_seconds = problem, required, tolerance, max_seconds
        self.deadline = None if max_seconds is None else time.monotonic() + max_seconds
        given = Parts.of(problem.parts)
        self.columns = (given.arcs, given.siblings, given.grandparents, given.stops)
        scores = np.concatenate([rows.score for rows in self.columns])
        self.scores = scores[np.isfinite(scores)]
        self.positive = self.scores[self.scores > 0]
        self.fixed = _mask(problem, required)

    def solve(self) -> GraphParse:
        best, loss = None, math.inf
        for penalty in [*penalties(self.scores), math.inf]:
            best, loss = self._stage(penalty) or (best, loss)
            if best is not None and loss <= penalty:
                return best
        if best is None:
            raise BudgetError(
                f"no graph without a part of the score -inf was found within max_seconds={self.max_seconds}; raise it"
            )
        return best

    def _stage(self, penalty: float) -> tuple[GraphParse, float] | None:
        """Find the best graph without parts of the score -penalty or less, and its loss; None if none was found."""
        problem, scale = self._scaled(penalty)
        is_out = self.columns[0].score <= -penalty
        model, z = _graph_model(problem, is_out, self.fixed)
        seconds = None if self.deadline is None else max(0.0, self.deadline - time.monotonic())
        solved = model.solve(z, seconds)
        if solved.infeasible and penalty == math.inf:
            raise _no_graph(self.problem, self.required)
        if solved.infeasible:
            return None
        if solved.x is None:
            on = _starting_graph(self.problem, self.required) | self.fixed
        else:
            on = np.ascontiguousarray(solved.x[z] > 0.5)
        value, score = value_of(problem.parts, on), value_of(self.problem.parts, on)
        if value == -math.inf or score == -math.inf or (on & is_out).any():
            return None
        within = (max(solved.bound - value, 0.0) + programs.HIGHS_TOLERANCE * problem.nodes) / scale
        loss = self._loss(on)
        gap = max(min(max(within, loss - penalty), loss), 0.0)
        bound = self._rounded_up(score, gap, loss, on)
        arcs = _arc_rows(self.problem.parts, on)
        spread = spread_of(self.problem, self.scores, self.fixed, True, on)
        return GraphParse(arcs, problem.nodes, score, float(bound), "exact", gap, spread, self.tolerance), loss

    def _loss(self, on: OnArcs) -> float:
        """Return the sum of all positive scores less the value of a graph, rounded once, upwards."""
        loss = math.fsum([*self.positive, *(-score for score in _core.graph_scores(self.problem.parts, on))])
        return math.nextafter(loss, math.inf) if loss else 0.0

    def _scaled(self, penalty: float) -> tuple[Problem, float]:
        """Return the problem with scores below 1 in magnitude, and the factor; arcs that are penalties have 0."""
        kept = np.abs(self.scores[self.scores > -penalty])
        scale = 2.0 ** -max(math.frexp(kept.max(initial=0.0))[1], -1000)
        columns = [
            (
                *rows[:-1],
                np.where(rows.score > -penalty, rows.score * scale, 0.0 if rows is self.columns[0] else -np.inf),
            )
            for rows in self.columns
        ]
        siblings, grandparents, stops = (None if not len(rows[-1]) else rows for rows in columns[1:])
        parts = Parts(self.problem.nodes, columns[0], siblings, grandparents, stops)
        return self.problem.with_parts(parts.core), scale

    def _rounded_up(self, score: float, gap: float, loss: float, on: OnArcs) -> float:
        """Return an upper bound on the exact value of the graph plus its gap: the score is a sum in any order."""
        whole = (self.scores == np.floor(self.scores)) & (np.abs(self.scores) < 2.0**40)  # their sums are exact
        if gap == 0 and whole.all():
            return score
        count = int(on.sum()) * (self.problem.nodes + 2) + 2 * self.problem.nodes  # of its parts, at most
        size = math.fsum(self.positive) + loss  # of its positive parts, and of the others without signs
        return math.nextafter(score + gap + count * 2.0**-52 * size, math.inf)


def _graph_model(problem: Problem, is_out: OnArcs, fixed: OnArcs) -> tuple[programs.Model, Any]:
    """Build the program: arcs, and order[m] >= order[h] + 1 for arcs (h, m) (Miller, Tucker and Zemlin 1960).

    Arcs that are out are not in the graph, those that are fixed are.
    """
    model, arcs = programs.Model(), programs.Arcs(problem.parts, problem.single_root)
    words = problem.nodes - 1
    z = model.add(np.where(is_out, -np.inf, problem.parts.arc))
    model.rows(words, (arcs.modifier - 1, z, 1.0), low=1)
    if problem.single_root:
        model.rows(1, (0, z[arcs.head == 0], 1.0), low=1, high=1)
    on = np.flatnonzero(fixed)
    model.rows(len(on), (np.arange(len(on)), z[on], 1.0), low=1)
    order = model.add(np.zeros(words), upper=float(words - 1))
    deep = np.flatnonzero(arcs.head > 0)
    row = np.arange(len(deep))
    model.rows(
        len(deep),
        (row, order[arcs.modifier[deep] - 1], 1.0),
        (row, order[arcs.head[deep] - 1], -1.0),
        (row, z[deep], -float(words)),
        low=1 - words,
    )
    _forbid_pairs(model, arcs, z)
    if problem.has_siblings:
        programs.add_sibling_automata(model, arcs, z)
    if problem.has_grand:
        programs.add_grand_products(model, arcs, z)
    return model, z


def _forbid_pairs(model: programs.Model, arcs: programs.Arcs, z: Any) -> None:
    """Exclude both (h, m) and (m, h): implied by the order, but a fraction could have both halves."""
    back = arcs.number[arcs.modifier, arcs.head]
    once = np.flatnonzero((back >= 0) & (arcs.head < arcs.modifier))
    row = np.arange(len(once))
    model.rows(len(once), (row, z[once], 1.0), (row, z[back[once]], 1.0), high=1)


def _no_graph(problem: Problem, required: tuple[Arc, ...]) -> InfeasibleError:
    try:
        ensure_feasible(problem)
    except InfeasibleError as error:
        return error
    return InfeasibleError(
        f"no acyclic graph has the required arcs {list(required)} and only parts above -inf; give up one of them"
    )
