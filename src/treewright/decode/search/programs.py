"""Integer and linear programs for the best tree (Martins, Smith and Xing 2009), solved by HiGHS through SciPy.

Arcs z[h, m] in 0..1: each word has one head; single root: one arc leaves 0.

Flow, "single": one commodity, 0 sends n units, every word keeps one, f[h, m] <= n z[h, m]. O(n²) rows.
"multi": a commodity k for each word, f[k, h, m] <= z[h, m]; with the heads' rows exactly the hull of trees. O(n³) rows.

Siblings, per side of a head, candidates outwards, x[p, q] = "q comes next after p".
"automaton": x is a path from START to END through the modifiers, the hull of the side's automaton; that of the root
counts its modifiers, at least one or exactly one.
"product": x <= z_p, x <= z_q, x <= 1 - z_r between them, x >= z_p + z_q - 1 - sum of z_r.

Grandparents y[g, h, m], "tight": y <= z[g, h], sum over g of y = z[h, m] (Riedel, Smith and McCallum 2012).
"product": y <= z[g, h], y <= z[h, m], y >= z[g, h] + z[h, m] - 1.
"automaton": a path on both sides of h for each head g it may have; the relaxation that dual decomposition with
grandparent automata solves (Koo et al. 2010).

Projective, for k between i and j: z[i, j] + z[j, i] + (arcs into k from outside i..j) <= 1. That leaves arcs that cross
without entering each other's span, b -> a and c -> d with a < c < b < d: c's head and b's head are then inside, so
that b would dominate c and c would dominate b, which no tree allows.

Only the arcs must be integers: the rest follows from them. The linear program's value bounds every tree.
"""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.decode.constraints import infeasible
from treewright.decode.problem import Problem
from treewright.decode.result import TOLERANCE, Parse, check_tolerance
from treewright.errors import BudgetError, InputError

Columns = NDArray[np.intp]
INTEGRAL = 1e-6  # a share of an arc nearer than this to 0 or 1 is whole: HiGHS's own tolerance
# Scores below 1 are multiplied by this, because the tolerances of HiGHS are absolute. By 2^10 a third of 1,800 random
# programs of up to four words was certified at the default tolerance, by 2^20 four fifths, in the same time; 45 of 8 to
# 15 words took 59 s by 2^20, 62 s by 2^10.
OBJECTIVE_SCALE = 2.0**20
HIGHS_TOLERANCE = 1e-6 / OBJECTIVE_SCALE  # the largest of them (feasibility, integrality, gap), for scores below 1
_SHARPENED = 1e3  # gaps up to this many times the tolerance may be due to HIGHS_TOLERANCE; not tuned
LARGEST_PROGRAM = 2_000_000  # variables, not tuned; HiGHS needs about a kilobyte for each
VARIABLES_PER_SECOND = 200_000  # of a program that is written down; not tuned: 290,000 took 0.8 s
# Variables from which HiGHS runs in a process that can be ended, because it looks at the clock rarely: with 27,000
# variables it took 4.9 s of 1.8, with 290,000 variables 2.5 s of 1.2. Such a process takes 0.9 s to start.
MIN_SEPARATE = 10_000
HIGHS_TIME_SHARE = 0.8  # of the time left that HiGHS is told, so that it can answer before it is ended; not tuned
HIGHS_SCRIPT = """
import pickle, sys
from scipy.optimize import milp
scores, keywords = pickle.load(sys.stdin.buffer)
pickle.dump(milp(scores, **keywords), sys.stdout.buffer)
"""

Flow = Literal["multi", "single"]
SiblingForm = Literal["automaton", "product"]
GrandForm = Literal["tight", "product", "automaton"]


def ilp(
    problem: Problem,
    *,
    flow: Flow = "single",
    siblings: SiblingForm = "automaton",
    grandparents: GrandForm = "tight",
    tolerance: float = TOLERANCE,
    max_seconds: float | None = None,
) -> Parse:
    """Find the best tree by the integer program, or the best one in max_seconds with a valid bound.

    HiGHS computes with tolerances of its own, which the gap includes. The single commodity is the looser relaxation
    and, being small, the faster integer program.
    """
    program = _Program(problem, (flow, siblings, grandparents), tolerance, max_seconds)
    return program.solve("ilp", is_integer=True)


def lp(
    problem: Problem,
    *,
    flow: Flow = "multi",
    siblings: SiblingForm = "automaton",
    grandparents: GrandForm = "tight",
    tolerance: float = TOLERANCE,
    max_seconds: float | None = None,
) -> Parse:
    """Solve the linear relaxation and round it to a tree, certified when its value is the bound; `arcs` has it.

    The gap includes the tolerances of HiGHS, as for the integer program.
    """
    program = _Program(problem, (flow, siblings, grandparents), tolerance, max_seconds)
    return program.solve("lp", is_integer=False)


class _Program:
    """A tree problem solved by HiGHS over conditioned scores (core/trees/conditioning.hpp).

    As in core/trees/stages.hpp, large penalties are left out at first, and parts that lose more than the tree found
    are left out of a second solution if the first one is not certified.
    """

    def __init__(
        self, problem: Problem, forms: tuple[str, str, str], tolerance: float, max_seconds: float | None
    ) -> None:
        check_tolerance(tolerance)
        self.problem, self.forms, self.tolerance, self.max_seconds = problem, forms, tolerance, max_seconds
        self.deadline = None if max_seconds is None else time.monotonic() + max_seconds
        self.conditioned = _core.Conditioned(problem.parts, problem.single_root)

    def solve(self, method: str, is_integer: bool) -> Parse:
        best = None
        for threshold in [*self.conditioned.thresholds(), math.inf]:
            best = self._stage(threshold, method, is_integer) or best
            if best is not None and self.conditioned.loss(best.heads) <= threshold:
                break
        if best is None:
            raise self._nothing_found()
        loss = self.conditioned.loss(best.heads)
        if not best.certified and best.gap <= _SHARPENED * self.tolerance * best.spread and self.max_seconds is None:
            return self._stage(loss, method, is_integer) or best
        return best

    def _stage(self, threshold: float, method: str, is_integer: bool) -> Parse | None:
        """Solve without the parts that lose at least the threshold; None if no tree was found."""
        problem = self.problem.with_parts(self.conditioned.below(threshold))
        solved, z = self._solve(problem, is_integer)
        if solved.infeasible and threshold == math.inf:
            raise infeasible(self.problem)
        if solved.infeasible:
            return None
        heads = _finite_tree(problem, problem.parts.arc if solved.x is None else solved.x[z])
        if heads is None:
            return None
        value = problem.value(heads)
        bound = max(solved.bound, value) + HIGHS_TOLERANCE * problem.nodes
        arcs = None if is_integer or solved.x is None else _arc_matrix(problem, solved.x[z])
        score, upper, gap, spread = self.conditioned.bounds(heads, value, bound)
        return Parse(heads, score, upper, method, gap, spread, self.tolerance, "bound", nodes=solved.nodes, arcs=arcs)

    def _solve(self, problem: Problem, is_integer: bool) -> tuple[Solution, Columns]:
        """Solve the program of a problem, unless there is no time to write it down; the columns of arcs."""
        flow, _, grandparents = self.forms
        seconds = self._seconds_left()
        if seconds is not None and program_size(problem, flow, grandparents) > VARIABLES_PER_SECOND * seconds:
            return Solution(None, np.inf, 0), np.empty(0, np.intp)
        model, z = _tree_model(problem, *self.forms)
        return model.solve(z if is_integer else None, self._seconds_left()), z

    def _seconds_left(self) -> float | None:
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    def _nothing_found(self) -> InputError:
        if self.max_seconds is not None:
            return BudgetError(
                f"no tree without a part of the score -inf was found within max_seconds={self.max_seconds}; raise it"
            )
        return InputError(
            "the solution was rounded to trees with a part of the score -inf only; method='exact' decides whether "
            "there is another"
        )


def fractional_arcs(parse: Parse) -> list[tuple[int, int, float]]:
    """The arcs (h, m, share) that a linear program left undecided; none when its solution is a tree.

    >>> import treewright as tw
    >>> fractional_arcs(tw.decode.tree([[0, 9, 2], [0, 0, 7], [0, 3, 0]], method="lp"))
    []
    """
    if parse.arcs is None:
        raise InputError(f"this parse was found by {parse.method!r}; only method 'lp' has a fractional solution")
    undecided = np.argwhere(np.abs(parse.arcs - np.round(parse.arcs)) > INTEGRAL)
    return [(int(h), int(m), float(parse.arcs[h, m])) for h, m in undecided]


@dataclass(frozen=True)
class Solution:
    """The answer of HiGHS, as a maximum."""

    x: NDArray[np.float64] | None  # None when the time was over before anything was found
    bound: float
    nodes: int
    infeasible: bool = False


class Model:
    """A linear program that is written down part by part: maximise scores . x, 0 <= x <= upper, low <= rows <= high."""

    def __init__(self) -> None:
        self.count = 0
        self._scores: list[NDArray[np.float64]] = []
        self._upper: list[NDArray[np.float64]] = []
        self._rows: list[Columns] = []
        self._columns: list[Columns] = []
        self._values: list[NDArray[np.float64]] = []
        self._low: list[NDArray[np.float64]] = []
        self._high: list[NDArray[np.float64]] = []
        self._next_row = 0

    def add(self, scores: ArrayLike, upper: float | NDArray[np.float64] = 1.0) -> Columns:
        """Add variables, one a score; -inf keeps a variable at zero."""
        scores = np.asarray(scores, dtype=np.float64).ravel()
        allowed = scores > -np.inf
        self._scores.append(np.where(allowed, scores, 0.0))
        self._upper.append(np.where(allowed, upper, 0.0))
        columns = np.arange(self.count, self.count + len(scores))
        self.count += len(scores)
        return columns

    def rows(
        self,
        count: int,
        *terms: tuple[ArrayLike, ArrayLike, ArrayLike | float],
        low: ArrayLike | float = -np.inf,
        high: ArrayLike | float = np.inf,
    ) -> None:
        """Add rows 0..count-1, each the sum of its terms (row, column, factor)."""
        for row, column, factor in terms:
            row, column, factor = np.broadcast_arrays(np.asarray(row), np.asarray(column), np.asarray(factor, float))
            self._rows.append(row.ravel().astype(np.intp) + self._next_row)
            self._columns.append(column.ravel().astype(np.intp))
            self._values.append(factor.ravel())
        self._low.append(np.broadcast_to(np.asarray(low, dtype=np.float64), count))
        self._high.append(np.broadcast_to(np.asarray(high, dtype=np.float64), count))
        self._next_row += count

    def solve(self, integer: Columns | None, max_seconds: float | None) -> Solution:
        """Find the best x, for scores below 1 in magnitude; `integer` variables take whole values."""
        from scipy.optimize import Bounds, LinearConstraint
        from scipy.sparse import csr_matrix

        scores, upper = np.concatenate(self._scores), np.concatenate(self._upper)
        where = (np.concatenate(self._rows), np.concatenate(self._columns))
        matrix = csr_matrix((np.concatenate(self._values), where), shape=(self._next_row, self.count))
        integrality = np.zeros(self.count)
        if integer is not None:
            integrality[integer] = 1
        answer = run_highs(
            -OBJECTIVE_SCALE * scores,
            max_seconds,
            integrality=integrality,
            bounds=Bounds(np.zeros(self.count), upper),
            constraints=LinearConstraint(matrix, np.concatenate(self._low), np.concatenate(self._high)),
        )
        if answer is None:
            return Solution(None, np.inf, 0)
        if answer.status == 2:
            return Solution(None, -np.inf, 0, infeasible=True)
        if answer.status not in (0, 1):
            raise InputError(f"HiGHS could not solve the program: {answer.message}; are scores far beyond 1e15 in it?")
        bound = -answer.fun if answer.status == 0 and integer is None else np.inf
        if integer is not None and answer.mip_dual_bound is not None:
            bound = -answer.mip_dual_bound
        return Solution(answer.x, float(bound) / OBJECTIVE_SCALE, int(answer.mip_node_count or 0))


def run_highs(scores: NDArray[np.float64], max_seconds: float | None, **program: Any) -> Any:
    """Return the answer of HiGHS to a program; None if there is none after max_seconds."""
    from scipy.optimize import milp

    options: dict[str, Any] = {"mip_rel_gap": 0.0}
    if max_seconds is None:
        return milp(scores, **program, options=options)
    if len(scores) < MIN_SEPARATE:
        return milp(scores, **program, options={**options, "time_limit": float(max_seconds)})
    options["time_limit"] = HIGHS_TIME_SHARE * max_seconds
    question = pickle.dumps((scores, {**program, "options": options}))
    command = [sys.executable, "-c", HIGHS_SCRIPT]
    try:
        done = subprocess.run(command, input=question, stdout=subprocess.PIPE, timeout=max_seconds, check=True)
    except subprocess.TimeoutExpired:
        return None
    return pickle.loads(done.stdout)


def _tree_model(problem: Problem, flow: str, siblings: str, grandparents: str) -> tuple[Model, Columns]:
    """The program of a tree and the columns of its arcs."""
    for name, value, known in (
        ("flow", flow, ("multi", "single")),
        ("siblings", siblings, ("automaton", "product")),
        ("grandparents", grandparents, ("tight", "product", "automaton")),
    ):
        if value not in known:
            raise InputError(f"{name} is {value!r}; it is one of {', '.join(map(repr, known))}")
    if problem.has_grandsib and grandparents != "automaton":
        raise InputError("the programs have grandsib scores in one form only; give grandparents='automaton'")
    check_size(problem, flow, grandparents)
    model, arcs = Model(), Arcs(problem.parts, problem.single_root)
    z = model.add(problem.parts.arc)
    model.rows(arcs.nodes - 1, (arcs.modifier - 1, z, 1.0), low=1, high=1)
    if problem.single_root:
        model.rows(1, (0, z[arcs.head == 0], 1.0), low=1, high=1)
    (add_multi_flow if flow == "multi" else add_single_flow)(model, arcs, z)
    if problem.projective:
        add_projectivity(model, arcs, z)
    joint = problem.has_grand and grandparents == "automaton"
    if joint:
        add_grand_automata(model, arcs, z)
    elif problem.has_siblings:
        (add_sibling_automata if siblings == "automaton" else add_sibling_products)(model, arcs, z)
    if problem.has_grand and not joint:
        (add_tight_grandparents if grandparents == "tight" else add_grand_products)(model, arcs, z)
    return model, z


def program_size(problem: Problem, flow: str, grandparents: str) -> int:
    """Return the number of variables of a program."""
    head, modifier = problem.parts.head.astype(np.int64), problem.parts.modifier
    sides = np.bincount(2 * head + (modifier > head), minlength=2 * problem.nodes)
    heads = np.bincount(modifier, minlength=problem.nodes)
    paths = (sides + 1) * (sides + 2) // 2
    variables = len(head) * (1 + (problem.nodes - 1 if flow == "multi" else 1))
    if problem.has_grand and grandparents == "automaton":
        variables += int((np.repeat(np.maximum(heads, 1), 2) * paths).sum())
    else:
        variables += int(paths.sum()) if problem.has_siblings else 0
        variables += int((heads * (sides[0::2] + sides[1::2])).sum()) if problem.has_grand else 0
    return variables


def check_size(problem: Problem, flow: str, grandparents: str) -> None:
    """Refuse a program that would not fit, before anything is built."""
    variables = program_size(problem, flow, grandparents)
    if variables > LARGEST_PROGRAM:
        raise InputError(
            f"the program of {problem.nodes - 1} words with {len(problem.parts.head)} candidate arcs would have "
            f"{variables} variables, more than {LARGEST_PROGRAM} (treewright.decode.programs.LARGEST_PROGRAM): "
            "keep fewer candidate heads a word, or use another method"
        )


class Arcs:
    """Candidate arcs and the scores of their parts, as columns for the builders."""

    def __init__(self, parts: _core.Parts, single_root: bool) -> None:
        self.nodes: int = parts.nodes
        self.single_root = single_root
        self.head: Columns = parts.head.astype(np.intp)
        self.modifier: Columns = parts.modifier.astype(np.intp)
        self.count = len(self.head)
        self.number = np.full((self.nodes, self.nodes), -1, dtype=np.intp)  # of arc (h, m)
        self.number[self.head, self.modifier] = np.arange(self.count)
        self.sib = _lookup(parts.siblings)
        self.stop = _lookup(parts.stops)
        self.grand = _lookup(parts.grandparents)
        self.grandsib = _lookup(parts.grandsiblings)

    def sides(self) -> list[tuple[int, int, Columns]]:
        """(h, side, its candidate arcs outwards), but for the root's left."""
        bins = 2 * self.head + (self.modifier > self.head)
        begin = np.searchsorted(bins, np.arange(2 * self.nodes + 1))
        return [(b // 2, b % 2, np.arange(begin[b], begin[b + 1])) for b in range(1, 2 * self.nodes)]

    def pairs_above(self) -> tuple[Columns, Columns]:
        """Every pair of arcs (g, h), (h, m) with g != m: the upper ones and the lower ones."""
        upper, lower = [], []
        for h in range(1, self.nodes):
            above, below = np.flatnonzero(self.modifier == h), np.flatnonzero(self.head == h)
            pairs = np.array([(a, b) for a in above for b in below if self.head[a] != self.modifier[b]], dtype=np.intp)
            upper.append(pairs.reshape(-1, 2)[:, 0])
            lower.append(pairs.reshape(-1, 2)[:, 1])
        return np.concatenate([np.empty(0, np.intp), *upper]), np.concatenate([np.empty(0, np.intp), *lower])

    def grand_scores(self, upper: Columns, lower: Columns) -> NDArray[np.float64]:
        names = zip(self.head[upper].tolist(), self.head[lower].tolist(), self.modifier[lower].tolist(), strict=True)
        return np.array([self.grand.get(name, 0.0) for name in names])

    def grandsib_scores(self, upper: int, arcs: Columns) -> NDArray[np.float64]:
        """Of every step of a side under the arc `upper`, in the order of `steps`."""
        g, h, m = int(self.head[upper]), int(self.modifier[upper]), self.modifier[arcs].tolist()
        inner = [h, *m]
        return np.array(
            [
                0.0 if q == len(m) else self.grandsib.get((g, h, m[q], inner[p]), 0.0)
                for p, q in zip(*steps(len(m)), strict=True)
            ]
        )

    def automaton_scores(self, h: int, side: int, arcs: Columns) -> NDArray[np.float64]:
        """`transition_scores`, where the root's automaton has at least one modifier, with a single root exactly one."""
        scores = self.transition_scores(h, side, arcs)
        if h == 0:
            p, q = steps(len(arcs))
            scores[(p == 0) & (q == len(arcs))] = -np.inf
            if self.single_root:
                scores[(p > 0) & (q < len(arcs))] = -np.inf
        return scores

    def transition_scores(self, h: int, side: int, arcs: Columns) -> NDArray[np.float64]:
        """Of every (p, q) in the order of `steps`: q after p, q == len(arcs) the end."""
        m = self.modifier[arcs].tolist()
        inner = [h, *m]
        return np.array(
            [
                self.stop.get((h, inner[p], side), 0.0) if q == len(m) else self.sib.get((h, m[q], inner[p]), 0.0)
                for p, q in zip(*steps(len(m)), strict=True)
            ]
        )


def _lookup(columns: tuple[Any, ...]) -> dict[tuple[int, ...], float]:
    *nodes, score = (column.tolist() for column in columns)
    return dict(zip(zip(*nodes, strict=True), score, strict=True))


def steps(size: int) -> tuple[Columns, Columns]:
    """The moves of a side's automaton: p = 0 START, p = i its i-th candidate; q = j its j-th from 0, q = size END."""
    p, q = np.triu_indices(size + 1)
    return p, q


def add_single_flow(model: Model, arcs: Arcs, z: Columns) -> None:
    words = arcs.nodes - 1
    f = model.add(np.zeros(arcs.count), upper=float(words))
    model.rows(1, (0, f[arcs.head == 0], 1.0), low=words, high=words)
    leaving = arcs.head > 0
    model.rows(words, (arcs.modifier - 1, f, 1.0), (arcs.head[leaving] - 1, f[leaving], -1.0), low=1, high=1)
    every = np.arange(arcs.count)
    model.rows(arcs.count, (every, f, 1.0), (every, z, -float(words)), high=0)


def add_multi_flow(model: Model, arcs: Arcs, z: Columns) -> Columns:
    """f[k - 1, arc]; returned so that others may read who dominates whom."""
    words = arcs.nodes - 1
    sink = np.arange(1, words + 1)[:, None]
    blocked = arcs.head == sink  # nothing flows on from its sink
    f = model.add(np.where(blocked, -np.inf, 0.0)).reshape(words, arcs.count)
    model.rows(words, (sink - 1, f[:, arcs.head == 0], 1.0), low=1, high=1)
    node = (sink - 1) * words + (arcs.modifier - 1)
    leaving = arcs.head > 0
    out = (sink - 1) * words + (arcs.head[leaving] - 1)
    kept = np.eye(words).ravel()
    model.rows(words * words, (node, f, 1.0), (out, f[:, leaving], -1.0), low=kept, high=kept)
    every = np.arange(words * arcs.count).reshape(words, arcs.count)
    model.rows(words * arcs.count, (every, f, 1.0), (every, np.broadcast_to(z, f.shape), -1.0), high=0)
    return f


def add_projectivity(model: Model, arcs: Arcs, z: Columns) -> None:
    rows, columns, count = [], [], 0
    for i in range(arcs.nodes - 2):
        for j in range(i + 2, arcs.nodes):
            between = [arc for arc in (arcs.number[i, j], arcs.number[j, i]) if arc >= 0]
            for k in range(i + 1, j) if between else ():
                entering = np.concatenate([arcs.number[:i, k], arcs.number[j + 1 :, k]])
                entering = entering[entering >= 0]
                if len(entering):
                    columns.extend([*between, *entering])
                    rows.extend([count] * (len(between) + len(entering)))
                    count += 1
    if count:
        model.rows(count, (rows, z[np.array(columns)], 1.0), high=1)


def add_sibling_automata(model: Model, arcs: Arcs, z: Columns) -> None:
    for h, side, candidates in arcs.sides():
        size = len(candidates)
        p, q = steps(size)
        x = model.add(arcs.automaton_scores(h, side, candidates))
        model.rows(1, (0, x[p == 0], 1.0), low=1, high=1)
        each = np.arange(size)
        model.rows(size, (q[q < size], x[q < size], 1.0), (each, z[candidates], -1.0), low=0, high=0)
        model.rows(size, (p[p > 0] - 1, x[p > 0], 1.0), (each, z[candidates], -1.0), low=0, high=0)


def add_sibling_products(model: Model, arcs: Arcs, z: Columns) -> None:
    for h, side, candidates in arcs.sides():
        size = len(candidates)
        p, q = steps(size)
        x = model.add(arcs.transition_scores(h, side, candidates))
        ends = [
            [*([a - 1] if a > 0 else []), *([b] if b < size else [])]
            for a, b in zip(p.tolist(), q.tolist(), strict=True)
        ]
        _product_rows(
            model, x, [z[candidates[end]] for end in ends], [z[candidates[a:b]] for a, b in zip(p, q, strict=True)]
        )


def _product_rows(model: Model, x: Columns, on: list[Columns], off: list[Columns]) -> None:
    """x[i] = 1 exactly when the variables on[i] are one and off[i] zero, once those are whole numbers."""
    for product, ones, zeros in zip(x, on, off, strict=True):
        model.rows(len(ones), (np.arange(len(ones)), product, 1.0), (np.arange(len(ones)), ones, -1.0), high=0)
        model.rows(len(zeros), (np.arange(len(zeros)), product, 1.0), (np.arange(len(zeros)), zeros, 1.0), high=1)
        model.rows(1, (0, product, 1.0), (0, ones, -1.0), (0, zeros, 1.0), low=1 - len(ones))


def add_grand_products(model: Model, arcs: Arcs, z: Columns) -> None:
    upper, lower = arcs.pairs_above()
    y = model.add(arcs.grand_scores(upper, lower))
    every = np.arange(len(y))
    model.rows(len(y), (every, y, 1.0), (every, z[upper], -1.0), high=0)
    model.rows(len(y), (every, y, 1.0), (every, z[lower], -1.0), high=0)
    model.rows(len(y), (every, y, 1.0), (every, z[upper], -1.0), (every, z[lower], -1.0), low=-1)


def add_tight_grandparents(model: Model, arcs: Arcs, z: Columns) -> None:
    upper, lower = arcs.pairs_above()
    y = model.add(arcs.grand_scores(upper, lower))
    every = np.arange(len(y))
    model.rows(len(y), (every, y, 1.0), (every, z[upper], -1.0), high=0)
    deep = np.flatnonzero(arcs.head > 0)
    row = np.full(arcs.count, -1)
    row[deep] = np.arange(len(deep))
    model.rows(len(deep), (row[lower], y, 1.0), (row[deep], z[deep], -1.0), low=0, high=0)


def add_grand_automata(model: Model, arcs: Arcs, z: Columns) -> None:
    for h, side, candidates in arcs.sides():
        size = len(candidates)
        p, q = steps(size)
        scores = arcs.automaton_scores(h, side, candidates)
        each = np.arange(size)
        taken: list[tuple[Any, Any, float]] = [(each, z[candidates], -1.0)]
        above = np.flatnonzero(arcs.modifier == h) if h else [None]
        for upper in above:
            bonus = np.zeros(size + 1)
            pairs: NDArray[np.float64] | float = 0.0
            if upper is not None:
                pairs = arcs.grandsib_scores(int(upper), candidates)
                bonus[:size] = arcs.grand_scores(np.full(size, upper), candidates)
                bonus[:size][arcs.modifier[candidates] == arcs.head[upper]] = -np.inf  # g cannot be below h
            x = model.add(scores + bonus[q] + pairs)
            start: list[tuple[Any, Any, float]] = [(0, x[p == 0], 1.0)]
            if upper is not None:
                start.append((0, z[upper], -1.0))
            model.rows(1, *start, low=upper is None, high=upper is None)
            into, out = q < size, p > 0
            model.rows(size, (q[into], x[into], 1.0), (p[out] - 1, x[out], -1.0), low=0, high=0)
            taken.append((q[into], x[into], 1.0))
        model.rows(size, *taken, low=0, high=0)


def _finite_tree(problem: Problem, z: NDArray[np.float64]) -> NDArray[np.int32] | None:
    """The tree with most of a solution's arcs, rearranged if it has a forbidden part; None if that does not help."""
    heads = _round_to_tree(problem, np.where(problem.parts.arc > -np.inf, z, -np.inf))
    if not (heads[1:] >= 0).all():
        return None
    if problem.value(heads) == -np.inf:
        heads, _ = _core.rearrange(problem.parts, heads, problem.single_root, problem.projective, 0)
    return heads if problem.value(heads) > -np.inf else None


def _round_to_tree(problem: Problem, z: NDArray[np.float64]) -> NDArray[np.int32]:
    return _core.best_tree(_arc_matrix(problem, z, -np.inf), problem.projective, problem.single_root)[0]


def _arc_matrix(problem: Problem, z: NDArray[np.float64], absent: float = 0.0) -> NDArray[np.float64]:
    arcs = np.full((problem.nodes, problem.nodes), absent)
    arcs[problem.parts.head, problem.parts.modifier] = np.clip(z, None, 1) if absent else np.clip(z, 0, 1)
    return arcs
