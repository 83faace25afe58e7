"""The best tree under constraints on its shape: Lagrangian relaxation within branch and bound.

A node of the search is a set of allowed arcs. Every limit lo <= x(S) <= hi on the number of words whose head arc is in
a set S has a multiplier w; the exact decoder finds the best tree when each arc of S costs w, and

    value(T) - sum of w x_T(S) + sum of (w hi if w > 0, w lo if w < 0)      for the best such tree T

is an upper bound on every tree within the limits, for every w. Subgradient steps lower it. A tree that breaks a limit
or has a gap is excluded by fixing for one word whether its head arc is in S. A tree with a path that is too long, or
that misses the word it must lead through, is excluded by removing one arc of the path: the i-th branch keeps the arcs
before the i-th one and removes that one. What fixed arcs imply for the other words is propagated in each node
(Held and Karp 1971; Savelsbergh 1994).
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.decode import exact
from treewright.decode.budget import UNLIMITED, Budget
from treewright.decode.parts import Parts
from treewright.decode.problem import Problem
from treewright.decode.result import TOLERANCE, Parse
from treewright.decode.search import branch
from treewright.decode.search.propagation import open_words, propagate
from treewright.decode.structure import ArcSet, Rules, TreeConstraint, path_to_root, rules_of
from treewright.errors import InfeasibleError, InputError
from treewright.relax import best_first
from treewright.relax.steps import Descent, PolyakStep

ROUNDS_AT_ROOT = 40  # subgradient steps at the root of the search; not tuned
ROUNDS = 8  # in the other nodes, which begin with the multipliers of their parent; not tuned
# Of the tolerance: what bounds may use, the rest is for the rounding of conditioned scores, as in node_descent.hpp; and
# the tolerance of searches within the search. Not tuned.
BOUND_SHARE = 0.25
INNER_SHARE = 0.1

Heads = NDArray[np.int32]
Vector = NDArray[np.float64]


class NotFoundError(InputError):
    """The search ended at its limit before it found a tree, and without the proof that there is none."""


class _Limits(NamedTuple):
    deadline: float  # of time.monotonic
    max_nodes: int
    tolerance: float  # of the gap, relative to the spread


class _Node(NamedTuple):
    """Trees of the allowed arcs, a bound on their values, and the tree that has it under the multipliers."""

    bound: float
    allowed: ArcSet
    multipliers: Vector
    heads: Heads


def search(
    problem: Problem,
    constraints: Iterable[TreeConstraint],
    budget: Budget = UNLIMITED,
    *,
    trace: bool = False,
    tolerance: float = TOLERANCE,
) -> Parse | None:
    """Find the best tree of a problem under checked constraints; None when there is none.

    The search runs on conditioned scores in stages, as those of core/trees/stages.hpp: large penalties are left out at
    first, and parts that lose more than the tree found are left out of a second search if the tree is not certified.
    """
    limits = _Limits(time.monotonic() + budget.seconds, budget.nodes, tolerance)
    conditioned = _core.Conditioned(problem.parts, problem.single_root)
    rules = rules_of(constraints, problem.nodes)

    def stage(threshold: float) -> Parse | None:
        return _Search(problem.with_parts(conditioned.below(threshold)), conditioned, rules, limits).run(trace)

    best: Parse | None = None
    for threshold in [*conditioned.thresholds(), math.inf]:
        best = stage(threshold) or best
        if best is not None and conditioned.loss(best.heads) <= threshold:
            break
    if best is None or best.certified or budget != UNLIMITED:
        return best
    again = stage(conditioned.loss(best.heads))
    return again if again is not None and again.gap < best.gap else best


class _Search:
    """The problem of one stage for branch and bound, and the best tree found."""

    def __init__(self, problem: Problem, conditioned: _core.Conditioned, rules: Rules, limits: _Limits) -> None:
        self.problem, self.conditioned, self.rules, self.limits = problem, conditioned, rules, limits
        self.matrix = problem.matrix
        self.largest = _largest(problem)
        self.best: Heads | None = None
        self.value = self.cutoff = -math.inf  # no better tree than the best is in nodes with bounds up to the cutoff
        self.decodings = 0

    def run(self, trace: bool) -> Parse | None:
        """Search until no better tree can be found, or to a limit; None when there is no tree."""
        allowed, multipliers = self.rules.allowed & (self.matrix > -np.inf), np.zeros(len(self.rules.cardinalities))
        root = self._solve(allowed, multipliers, ROUNDS_AT_ROOT)
        bound, nodes, rows = best_first.search(self, [] if root is None else [root])
        if bound == -math.inf:
            return None
        if self.best is None:
            raise NotFoundError("no tree that meets the constraints was found; give more max_seconds or max_nodes")
        score, upper, gap, spread = self.conditioned.bounds(self.best, self.value, bound)
        table = score + (np.array(rows).reshape(-1, 2) - self.value) / self.conditioned.scale
        return Parse(
            *(self.best, score, upper, "constrained branch and bound", gap, spread, self.limits.tolerance, "bound"),
            iterations=self.decodings,
            nodes=nodes,
            trace={"bound": table[:, 0], "best": table[:, 1]} if trace else None,
        )

    def is_stopped(self, nodes: int) -> bool:
        """Return whether there are no more nodes or seconds."""
        return nodes >= self.limits.max_nodes or self._is_late()

    def split(self, node: _Node) -> Iterator[_Node] | None:
        """Exclude the tree of a node in several ways, and solve the nodes; None if it is the best of its node."""
        divided = self._divide(node)
        if divided is None:
            return None
        return filter(None, (self._solve(allowed, node.multipliers, ROUNDS, node.bound) for allowed in divided))

    def _is_late(self) -> bool:
        return time.monotonic() > self.limits.deadline

    # -- one node

    def _solve(self, allowed: ArcSet, multipliers: Vector, rounds: int, above: float = math.inf) -> _Node | None:
        """Lower the bound of a node by subgradient steps from these multipliers; None if it has no tree."""
        if not propagate(self.rules, allowed):
            return None
        are_open = [len(open_words(limit, allowed)) > 0 for limit in self.rules.cardinalities]
        w = np.where(are_open, multipliers, 0.0)
        descent = Descent(PolyakStep(), self.largest / 2)
        node: _Node | None = None
        for _ in range(rounds):
            decoded = self._decode(allowed, w)
            if decoded is None:
                return None
            heads, bound = decoded
            direction = self._direction(heads, w)
            if self.best is None and (descent.iterations == 1 or not direction.any()):  # one step may be enough
                self._dive(allowed, w, heads)
            if node is None or bound < node.bound:
                node = _Node(min(bound, above), allowed, w, heads)
            if node.bound <= self.cutoff or not direction.any() or self._is_late():
                break
            descent.record(bound, bound)
            moved = w - descent.step(self.value, float(direction @ direction)) * direction
            w = np.where(w * moved < 0, 0.0, moved)
        return node

    def _decode(self, allowed: ArcSet, w: Vector) -> tuple[Heads, float] | None:
        """Find the best tree under the multipliers, and the bound that they give."""
        self.decodings += 1
        penalty = np.zeros_like(self.matrix)
        constant = 0.0
        for weight, limit in zip(w.tolist(), self.rules.cardinalities, strict=True):
            penalty[limit.arcs] += weight
            constant += weight * (limit.high if weight > 0 else limit.low)
        tree = self._tree(allowed, penalty)
        if tree is None:
            return None
        heads, bound = tree
        self._propose(heads)
        # More than the error of a sum of penalised scores.
        error = 8 * np.finfo(np.float64).eps * self.problem.nodes * (self.largest + np.abs(w).sum()) if w.any() else 0.0
        return heads, bound + constant + float(error)

    def _tree(self, allowed: ArcSet, penalty: Vector) -> tuple[Heads, float] | None:
        """Find the best tree of the allowed arcs, whose scores are less by the penalty, and a bound on all of them."""
        problem = self.problem
        scores = np.where(allowed, self.matrix - penalty, -np.inf)
        heads, value = _core.best_tree(scores, problem.projective, problem.single_root)
        if value == -math.inf or problem.order == 1:
            return None if value == -math.inf else (heads, value)
        core = problem.parts
        if penalty.any():
            core = core.adjusted(-penalty[core.head, core.modifier])
        keep = allowed[core.head, core.modifier]
        penalised = problem.with_parts(core if keep.all() else core.restricted(keep))
        try:
            if problem.projective:
                parse = exact.solve(penalised)
            else:
                budget = Budget(max(0.0, self.limits.deadline - time.monotonic()))
                parse = branch.solve(penalised, budget, tolerance=INNER_SHARE * self.limits.tolerance)
        except InfeasibleError:
            return None
        if parse.bound == -math.inf:
            return None
        return heads if parse.score == -math.inf else parse.heads, parse.bound  # -inf: the time is up

    def _propose(self, heads: Heads) -> None:
        """Keep a tree that meets the constraints and is better than the best one."""
        value = self.problem.value(heads)
        if value > self.value and self.rules.hold(heads):
            self.best, self.value = heads, value
            *_, spread = self.conditioned.bounds(heads, value, value)
            self.cutoff = value + BOUND_SHARE * self.limits.tolerance * spread * self.conditioned.scale

    def _direction(self, heads: Heads, w: Vector) -> Vector:
        """Return the subgradient of the bound: 0 where the tree is within a limit that has no multiplier."""
        direction = np.zeros_like(w)
        for i, limit in enumerate(self.rules.cardinalities):
            count = limit.count(heads)
            if w[i] > 0 or (w[i] == 0 and count > limit.high):
                direction[i] = limit.high - count
            elif w[i] < 0 or count < limit.low:
                direction[i] = limit.low - count
        return direction

    # -- branching

    def _divide(self, node: _Node) -> Iterator[ArcSet] | None:
        """Sets of arcs that together have all trees of the node within the rules; None if its tree is the best one."""
        path = self.rules.broken_path(node.heads)
        if path is not None:
            return _without_path(node.allowed, path)
        excess = [
            (limit.excess(node.heads), abs(w), -i)
            for i, (limit, w) in enumerate(zip(self.rules.cardinalities, node.multipliers.tolist(), strict=True))
            if len(open_words(limit, node.allowed))
        ]
        broken, w, i = max(excess, default=(0, 0.0, 0))
        if not broken and not w:  # the tree is the best one of the node, up to rounding
            return None
        limit = self.rules.cardinalities[-i]
        words = open_words(limit, node.allowed)
        word = int(words[np.abs(self._gains(limit.arcs, node.allowed, words)).argmin()])
        return _on_both_sides(node.allowed, limit.arcs, word)

    def _gains(self, arcs: ArcSet, allowed: ArcSet, words: NDArray[np.intp]) -> Vector:
        """Return the best score of each word with a head arc in the set less the best without."""
        inside = np.where(allowed & arcs, self.matrix, -np.inf)[:, words].max(axis=0)
        outside = np.where(allowed & ~arcs, self.matrix, -np.inf)[:, words].max(axis=0)
        return np.asarray(inside - outside)

    # -- a first tree

    def _dive(self, allowed: ArcSet, w: Vector, heads: Heads) -> None:
        """Take away what breaks a rule at the least loss of arc scores, decode, and repeat until a tree is found."""
        allowed = allowed.copy()
        while self.best is None and not self._is_late():
            before = int(allowed.sum())
            if self.rules.below or self.rules.depth is not None:
                self._exclude_paths(allowed, heads)
            self._exclude_limits(allowed, heads)
            decoded = self._decode(allowed, w) if propagate(self.rules, allowed) else None
            if decoded is None or int(allowed.sum()) == before:
                return
            heads, _ = decoded

    def _exclude_limits(self, allowed: ArcSet, heads: Heads) -> None:
        """Move the head arcs of words out of sets that have too many, and into sets that have too few."""
        for limit in self.rules.cardinalities:
            excess, words = limit.excess(heads), open_words(limit, allowed)
            is_more = limit.count(heads) > limit.high
            words = words[limit.arcs[heads[words], words] == is_more]
            gains = self._gains(limit.arcs, allowed, words)
            moved = words[np.argsort(gains if is_more else -gains)[:excess]]
            allowed[:, moved] &= (~limit.arcs if is_more else limit.arcs)[:, moved]

    def _exclude_paths(self, allowed: ArcSet, heads: Heads) -> None:
        """A modifier gets a head in the subtree it must be in, a word that is too deep one that is less deep."""
        above = [{h for h, _ in path_to_root(heads, word)} for word in range(len(heads))]
        depths = np.array([len(nodes) for nodes in above])
        wanted = [
            (modifier, np.array([word == head or head in nodes for word, nodes in enumerate(above)]))
            for modifier, head in self.rules.below
            if head not in above[modifier]
        ]
        if self.rules.depth is not None:
            deep = np.flatnonzero(depths == self.rules.depth + 1)
            wanted += [(int(word), depths < self.rules.depth) for word in deep]
        for word, candidates in wanted:
            kept = allowed[:, word] & candidates
            if kept.any():  # otherwise another path has to change first
                allowed[:, word] = kept


def _on_both_sides(allowed: ArcSet, arcs: ArcSet, word: int) -> Iterator[ArcSet]:
    """Require that the head arc of a word is in a set of arcs, and that it is not."""
    for side in (arcs, ~arcs):
        kept = allowed.copy()
        kept[:, word] &= side[:, word]
        yield kept


def _without_path(allowed: ArcSet, path: list[tuple[int, int]]) -> Iterator[ArcSet]:
    """The i-th set keeps the arcs of the path before the i-th one and lacks that one; fixed arcs stay."""
    kept = allowed.copy()
    for h, m in path:
        if kept[:, m].sum() > 1:
            without = kept.copy()
            without[h, m] = False
            yield without
        kept[:, m] = False
        kept[h, m] = True


def _largest(problem: Problem) -> float:
    """Return the largest absolute score of a part."""
    scores = [problem.matrix.ravel()]
    if problem.order == 2:
        parts = Parts.of(problem.parts)
        scores += [parts.siblings.score, parts.grandparents.score, parts.stops.score]
    finite = np.concatenate(scores)
    return float(np.abs(finite[finite > -np.inf]).max(initial=0.0))
