"""Trees under head automata of your own (Koo et al. 2010, section 4.2): dual decomposition, and branch and bound on it.

Two kinds of problems share the arcs: the best tree by its arcs, and for each side of each head the best path through
its automaton. Each is exact on its own, and multipliers on the arcs make them agree (treewright.relax). An iteration
costs a spanning tree, and O(L S²) for each automaton whose multipliers changed, with L candidates and S states.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.decode.budget import Budget
from treewright.decode.problem import Problem
from treewright.decode.result import Parse
from treewright.decode.search.automata import HeadAutomata
from treewright.decode.search.dual import Steps
from treewright.errors import BudgetError, InfeasibleError, InputError
from treewright.relax import Answer, PolyakStep, Progress, Relaxation, branch, relax

NODE_ITERATIONS = 100  # of the relaxation in each node of branch and bound after the first; not tuned

Vector = NDArray[np.float64]


def dd(
    problem: Problem,
    automata: HeadAutomata,
    max_iterations: int,
    steps: Steps,
    tolerance: float,
    max_seconds: float | None,
    trace: bool,
) -> Parse:
    """Drive tree and automata to agree; return the best tree seen, certified when they do or the bound is met.

    The arguments are those of `dual.solve`, which has checked them.
    """
    oracles = _oracles(problem, automata)
    result = relax(
        oracles,
        step=_koo_step if steps == "koo" else PolyakStep(),
        max_iterations=max_iterations,
        max_seconds=math.inf if max_seconds is None else max_seconds,
        tolerance=tolerance,
        trace=trace,
    )
    return _parse(problem, result, "dd", trace, len(oracles) - 1)


def exact(problem: Problem, automata: HeadAutomata, budget: Budget, tolerance: float, trace: bool) -> Parse:
    """Find the best tree under automata by branch and bound on dual decomposition; a budget leaves a valid bound.

    The arguments are those of `exact.solve`.
    """
    oracles = _oracles(problem, automata)
    result = branch(
        oracles,
        max_nodes=budget.nodes,
        node_iterations=NODE_ITERATIONS,
        max_seconds=budget.seconds,
        tolerance=tolerance,
        trace=trace,
    )
    return _parse(problem, result, "branch and bound", trace, len(oracles) - 1)


def _koo_step(progress: Progress) -> float:
    """The rule of the paper; the first gap is the scale of the scores where the first tree has a forbidden path."""
    start = progress.first_gap if math.isfinite(progress.first_gap) else progress.scale
    return start / (1 + progress.increases)


@dataclass(frozen=True, eq=False)
class _Tree:
    """The oracle of trees: the best one by its arcs."""

    problem: Problem
    matrix: Vector  # arc[h, m] of the arcs that are left

    @property
    def keys(self) -> NDArray[np.intp]:
        """All candidate arcs."""
        return np.arange(self.problem.parts.arcs)

    def solve(self, multipliers: Vector) -> Answer:
        """Return the best tree under the multipliers."""
        parts = self.problem.parts
        matrix = self.matrix.copy()
        matrix[parts.head, parts.modifier] += multipliers
        heads, value = _core.best_tree(matrix, self.problem.projective, self.problem.single_root)
        chosen = (heads[parts.modifier] == parts.head).astype(np.float64)
        return Answer(value, chosen, heads)

    def score(self, assignment: Vector) -> float:
        """Return the value of the arcs of an assignment, which is that of a tree."""
        return math.fsum(self.problem.parts.arc[assignment > 0])

    def restrict(self, fixed: Mapping[int, bool]) -> _Tree:
        """Keep the trees that have the arcs fixed to on, and not those fixed to off."""
        matrix = self.matrix.copy()
        for arc, on in fixed.items():
            h, m = int(self.problem.parts.head[arc]), int(self.problem.parts.modifier[arc])
            matrix[np.arange(len(matrix)) != h if on else h, m] = -np.inf
        return replace(self, matrix=matrix)


@dataclass(frozen=True, eq=False)
class _Side:
    """The oracle of one automaton: the best path over the candidates of a side, outwards."""

    keys: NDArray[np.intp]
    start: Vector
    moves: Vector  # [candidate, s, t]
    stop: Vector
    forced: NDArray[np.bool_]

    def solve(self, multipliers: Vector) -> Answer:
        """Return the best path under the multipliers."""
        moves = self.moves + multipliers[:, None, None]
        value, entered = _core.state_automaton(self.start, moves, self.stop, self.forced)
        return Answer(value, (entered >= 0).astype(np.float64))

    def score(self, assignment: Vector) -> float:
        """Return the value of the best path that takes these candidates."""
        states = self.start
        for moves in self.moves[assignment > 0]:
            states = (states[:, None] + moves).max(axis=0)
        return float((states + self.stop).max())

    def restrict(self, fixed: Mapping[int, bool]) -> _Side:
        """Keep the paths that take the candidates fixed to on, and none fixed to off."""
        moves, forced = self.moves.copy(), self.forced.copy()
        for place, key in enumerate(self.keys.tolist()):
            if key in fixed:
                forced[place] = fixed[key]
                moves[place] += 0.0 if fixed[key] else -np.inf
        return replace(self, moves=moves, forced=forced)


def _oracles(problem: Problem, automata: HeadAutomata) -> list[_Tree | _Side]:
    """The tree, and an automaton for each side of each head; the root has a right side only."""
    if problem.refuse_labels().order == 2:
        raise InputError("automata score whole lists of modifiers; leave out sib, grand, stop and grandsib")
    if len(automata.moves) != problem.nodes:
        raise InputError(f"the automata are those of {len(automata.moves)} nodes, but arc has {problem.nodes}")
    parts = problem.parts
    sides = 2 * parts.head + (parts.modifier > parts.head)
    oracles: list[_Tree | _Side] = [_Tree(problem, problem.matrix)]
    for side in range(1, 2 * problem.nodes):
        h, keys = side // 2, np.flatnonzero(sides == side)
        moves = np.ascontiguousarray(automata.moves[h, parts.modifier[keys]])
        start, stop = automata.start[h, side % 2], automata.stop[h, side % 2]
        oracles.append(_Side(keys, start, moves, stop, np.zeros(len(keys), dtype=np.bool_)))
    return oracles


def _parse(problem: Problem, result: Relaxation, method: str, trace: bool, automata: int) -> Parse:
    if result.bound == -math.inf:
        raise InfeasibleError(
            "no tree has a path through every automaton: each one has a move, start or stop of -inf; make one finite"
        )
    if result.answer is None or result.value == -math.inf:
        raise BudgetError(
            f"no tree with a path through every automaton was found in {result.iterations} iterations; raise the "
            "limits, or use method='exact', which decides whether there is one"
        )
    parts = problem.parts
    heads = np.full(problem.nodes, -1, dtype=np.int32)
    chosen = result.answer > 0
    heads[parts.modifier[chosen]] = parts.head[chosen]
    arcs = np.zeros((problem.nodes, problem.nodes))
    arcs[parts.head, parts.modifier] = result.averages
    return Parse(
        *(heads, result.value, result.bound, method, result.gap, result.spread, result.tolerance, result.evidence),
        iterations=result.iterations,
        nodes=result.nodes if method != "dd" else 0,
        trace=_columns(result, automata) if trace else None,
        arcs=arcs,
    )


def _columns(result: Relaxation, automata: int) -> dict[str, NDArray[np.float64] | NDArray[np.int32]]:
    """The trace as that of dual decomposition: one entry an iteration, in each node of a search."""
    rows = result.trace
    return {
        "dual": np.array([row.dual for row in rows]),
        "best": np.array([row.value for row in rows]),
        "bound": np.array([row.bound for row in rows]),
        "disagreements": np.array([row.disagreements for row in rows], dtype=np.int32),
        "recomputed": np.array([row.solved for row in rows]) / (automata + 1),
    }
