"""Why no tree meets the constraints: a smallest set of them that cannot hold together, with the reason in words.

The constraints are the required and the forbidden arcs, the single root, projectivity, for each word what its scores
allow, and those on the shape of the tree. QuickXplain (Junker 2004) finds a set of them that is infeasible while every
proper subset is feasible, in few trials even among thousands. Then all smaller sets are tried, up to a limit of trials.
A trial is one first-order decoding with scores 0 and -inf, or a search where there are constraints on the shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.decode.parts import Parts, arc_matrix
from treewright.decode.problem import Arc, Problem
from treewright.decode.structure import TreeConstraint
from treewright.errors import InfeasibleError

# Not tuned.
_MAX_TRIALS = 20_000  # in the search for a smaller set; fewer when sentences are long
_MAX_WORK = 10**8  # cells of charts in this search
_MAX_NAMED = 8  # words named in a message


@dataclass(frozen=True)
class Constraint:
    """One constraint on the tree. "scores": word m has one of the heads whose arc scores are above -inf."""

    kind: Literal["require", "forbid", "root", "projective", "scores", "shape"]
    h: int = -1
    m: int = -1
    shape: TreeConstraint | None = None


def ensure_feasible(problem: Problem) -> None:
    """Raise InfeasibleError, with its reasons, when there is no tree of allowed arcs."""
    if not is_feasible(problem):
        raise infeasible(problem)


def is_feasible(problem: Problem) -> bool:
    """Whether there is a tree of allowed arcs, by one first-order decoding; second-order scores are not read."""
    weights = np.where(problem.matrix > -np.inf, 0.0, -np.inf)
    return _core.best_tree(weights, problem.projective, problem.single_root)[1] == 0


def infeasible(problem: Problem, shapes: Sequence[TreeConstraint] = ()) -> InfeasibleError:
    """Explain why there is no tree of finite value; shapes are constraints on the shape of the tree."""
    question = _Question(problem, shapes)
    if question.is_feasible():
        return InfeasibleError(
            "every tree that the arcs allow has a sibling, grandparent or stop part with the score -inf; "
            "make one of those parts finite"
        )
    conflict = _irreducible(question)
    if any(constraint.kind == "shape" for constraint in conflict):  # a trial is a search: no smaller set is looked for
        names = tuple(question.name(constraint) for constraint in conflict)
        return InfeasibleError(_no_shape(names), names, _arcs(conflict))
    conflict = _smallest(_Question(problem), conflict)
    names = tuple(question.name(constraint) for constraint in conflict)
    if len(names) == 1:  # no other constraint is one that nothing can meet
        return InfeasibleError(f"there is no such tree: {names[0]}; allow word {conflict[0].m} one", names)
    return InfeasibleError(
        f"there is no such tree: {_listed(names)} cannot hold together, for {question.reason(conflict)}; "
        "give up one of them",
        names,
        _arcs(conflict),
    )


def _arcs(conflict: Iterable[Constraint]) -> list[Arc]:
    """Return the required and forbidden arcs of a conflict."""
    return [(constraint.h, constraint.m) for constraint in conflict if constraint.kind in ("require", "forbid")]


def _no_shape(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"there is no such tree: no tree of this sentence has {names[0]}; give it up"
    return f"there is no such tree: {_listed(names)} cannot hold together; give up one of them"


class _Question:
    """A problem as a list of constraints; the feasibility of each subset can be tested."""

    def __init__(self, problem: Problem, shapes: Sequence[TreeConstraint] = ()) -> None:
        self.nodes = problem.nodes
        self.open = _open_arcs(problem)
        self.constraints = [
            *(Constraint("shape", shape=shape) for shape in dict.fromkeys(shapes)),
            *(Constraint("require", h, m) for h, m in dict.fromkeys(problem.require)),
            *(Constraint("forbid", h, m) for h, m in dict.fromkeys(problem.forbid)),
            *([Constraint("root")] if problem.single_root else []),
            *([Constraint("projective")] if problem.projective else []),
            *(Constraint("scores", m=m) for m in range(1, self.nodes) if self.open[:, m].sum() < self.nodes - 1),
        ]

    def is_feasible(self, chosen: Iterable[Constraint] | None = None) -> bool:
        """Whether some tree meets the chosen constraints (all of them by default)."""
        chosen = self.constraints if chosen is None else list(chosen)
        kinds = {constraint.kind for constraint in chosen}
        weights = np.where(self.allowed(chosen), 0.0, -np.inf)
        shapes = [constraint.shape for constraint in chosen if constraint.shape is not None]
        problem = Problem(self.nodes, weights, projective="projective" in kinds, single_root="root" in kinds)
        if not shapes:
            return is_feasible(problem)
        from treewright.decode.search import constrained  # imported on first use: it needs the decoders

        return constrained.search(problem, shapes) is not None

    def allowed(self, chosen: Iterable[Constraint]) -> NDArray[np.bool_]:
        """Return [h, m]: whether the chosen constraints allow the arc."""
        allowed = ~np.eye(self.nodes, dtype=np.bool_)
        for c in chosen:
            if c.kind == "require":
                allowed[: c.h, c.m] = allowed[c.h + 1 :, c.m] = False
            elif c.kind == "forbid":
                allowed[c.h, c.m] = False
            elif c.kind == "scores":
                allowed[:, c.m] &= self.open[:, c.m]
        return allowed

    def name(self, constraint: Constraint) -> str:
        """Name the constraint as a keyword of `tree` or a column of the scores."""
        if constraint.kind in ("require", "forbid"):
            return f"{constraint.kind} ({constraint.h}, {constraint.m})"
        if constraint.kind == "shape":
            return repr(constraint.shape)
        if constraint.kind == "root":
            return "root='single'"
        if constraint.kind == "projective":
            return "projective=True"
        heads = np.flatnonzero(self.open[:, constraint.m]).tolist()
        if not heads:
            return f"arc[:, {constraint.m}] is -inf for every head"
        return f"arc[:, {constraint.m}] with only {_nodes(heads, 'head')} above -inf"

    def reason(self, conflict: Sequence[Constraint]) -> str:
        """Say in words why the constraints conflict."""
        required = [(c.h, c.m) for c in conflict if c.kind == "require"]
        kinds = [c.kind for c in conflict]
        if len({m for _, m in required}) < len(required):
            return f"word {required[0][1]} can have one head only"
        if kinds == ["require", "forbid"] and (conflict[1].h, conflict[1].m) in required:
            return "they name the same arc"
        if "projective" in kinds:
            if kinds == ["require", "require", "projective"] and _cross(*required):
                return "the two arcs cross"
            several = "gives node 0 several children" if "root" in kinds else "has crossing arcs"
            return f"every {'projective ' * ('root' in kinds)}tree that is left {several}"
        if "root" in kinds:
            return "every tree that is left gives node 0 several children"
        if set(kinds) == {"require"}:
            return f"the arcs run in a circle ({' -> '.join(map(str, _circle({m: h for h, m in required})))})"
        cut_off = sorted(_unreachable(self.allowed(conflict)))
        if len(cut_off) == 1:
            return f"word {cut_off[0]} is left without a head"
        return f"no head outside {_nodes(cut_off, 'word')} is left to any of them"


def _open_arcs(problem: Problem) -> NDArray[np.bool_]:
    given = problem.given
    open_arcs: NDArray[np.bool_] = (arc_matrix(given.core) if isinstance(given, Parts) else given) > -np.inf
    open_arcs = open_arcs.copy()
    np.fill_diagonal(open_arcs, False)
    return open_arcs


def _irreducible(question: _Question) -> list[Constraint]:
    """Find a conflict whose proper subsets are all feasible (QuickXplain); constraints early in the list first."""

    def needed(background: list[Constraint], added: bool, candidates: list[Constraint]) -> list[Constraint]:
        if added and not question.is_feasible(background):
            return []
        if len(candidates) == 1:
            return candidates
        half = len(candidates) // 2
        first, second = candidates[:half], candidates[half:]
        of_second = needed(background + first, True, second)
        of_first = needed(background + of_second, bool(of_second), first)
        return of_first + of_second

    candidates = question.constraints
    for kind in ("projective", "root"):  # trials without them are faster
        others = [constraint for constraint in candidates if constraint.kind != kind]
        candidates = candidates if question.is_feasible(others) else others
    return needed([], False, candidates)


def _smallest(question: _Question, conflict: list[Constraint]) -> list[Constraint]:
    """Find a conflict of the smallest size that the limit of trials allows."""
    projective = any(constraint.kind == "projective" for constraint in question.constraints)
    trials = min(_MAX_TRIALS, _MAX_WORK // question.nodes ** (3 if projective else 2))
    for size in range(1, len(conflict)):
        trials -= comb(len(question.constraints), size)
        if trials < 0:
            break
        for chosen in combinations(question.constraints, size):
            if not question.is_feasible(chosen):
                return list(chosen)
    return conflict


def _cross(one: Arc, other: Arc) -> bool:
    (a, b), (c, d) = sorted((sorted(one), sorted(other)))
    return a < c < b < d


def _circle(head_of: dict[int, int]) -> list[int]:
    start = min(head_of)
    circle = [start]
    while head_of[circle[-1]] != start:
        circle.append(head_of[circle[-1]])
    return [*circle, start]


def _unreachable(allowed: NDArray[np.bool_]) -> set[int]:
    reached, fresh = {0}, [0]
    while fresh:
        fresh = list(set(np.flatnonzero(allowed[fresh].any(axis=0)).tolist()) - reached)
        reached.update(fresh)
    return set(range(len(allowed))) - reached


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _nodes(nodes: Sequence[int], noun: str) -> str:
    shown = ", ".join(map(str, nodes[:_MAX_NAMED]))
    if len(nodes) > _MAX_NAMED:
        shown += f" and {len(nodes) - _MAX_NAMED} more"
    return f"{noun}{'s' * (len(nodes) > 1)} {shown}"
