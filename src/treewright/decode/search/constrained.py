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

import heapq
import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.decode import exact
from treewright.decode.parts import Parts
from treewright.decode.problem import Problem
from treewright.decode.result import TOLERANCE, Parse
from treewright.decode.search import branch
from treewright.decode.structure import ArcSet, Cardinality, Rules, TreeConstraint, path_to_root, rules_of
from treewright.errors import InfeasibleError, InputError

ROUNDS_AT_ROOT = 40  # subgradient steps at the root of the search, by convention
ROUNDS = 8  # in the other nodes, which begin with the multipliers of their parent; by convention
# Of the tolerance: what bounds may use, the rest is for the rounding of conditioned scores, as in node_descent.hpp; and
# the tolerance of searches within the search. By convention.
BOUND_SHARE = 0.25
INNER_SHARE = 0.1

Heads = NDArray[np.int32]
Vector = NDArray[np.float64]


class NotFoundError(InputError):
    """The search ended at its limit before it found a tree, and without the proof that there is none."""


@dataclass(frozen=True)
class _Limits:
    deadline: float  # of time.monotonic
    max_nodes: int | None
    tolerance: float  # of the gap, relative to the spread

    @property
    def are_given(self) -> bool:
        return self.deadline < math.inf or self.max_nodes is not None

    def are_reached(self, nodes: int) -> bool:
        return time.monotonic() > self.deadline or (self.max_nodes is not None and nodes >= self.max_nodes)


@dataclass(frozen=True, eq=False)
class _Node:
    """Trees of the allowed arcs, a bound on their values, and the tree that has it under the multipliers."""

    bound: float
    allowed: ArcSet
    multipliers: Vector
    heads: Heads

    def __lt__(self, other: _Node) -> bool:
        return self.bound > other.bound


def search(
    problem: Problem,
    constraints: Iterable[TreeConstraint],
    *,
    max_seconds: float | None = None,
    max_nodes: int | None = None,
    trace: bool = False,
    tolerance: float = TOLERANCE,
) -> Parse | None:
    """The best tree of a problem under checked constraints; None when there is none.

    The search runs on conditioned scores in stages, as those of core/trees/stages.hpp: large penalties are left out at
    first, and parts that lose more than the tree found are left out of a second search if the tree is not certified.
    """
    limits = _Limits(math.inf if max_seconds is None else time.monotonic() + max_seconds, max_nodes, tolerance)
    conditioned = _core.Conditioned(problem.parts, problem.single_root)
    rules = rules_of(constraints, problem.nodes)

    def stage(threshold: float) -> Parse | None:
        return _Search(problem.with_parts(conditioned.below(threshold)), conditioned, rules, limits).run(trace)

    best: Parse | None = None
    for threshold in [*conditioned.thresholds(), math.inf]:
        best = stage(threshold) or best
        if best is not None and conditioned.loss(best.heads) <= threshold:
            break
    if best is None or best.certified or limits.are_given:
        return best
    again = stage(conditioned.loss(best.heads))
    return again if again is not None and again.gap < best.gap else best


def is_feasible(allowed: ArcSet, projective: bool, single_root: bool, constraints: Iterable[TreeConstraint]) -> bool:
    """Whether a tree of the allowed arcs meets the constraints."""
    nodes = len(allowed)
    scores = np.where(allowed, 0.0, -np.inf)
    problem = Problem(nodes, scores, projective=projective, single_root=single_root)
    return search(problem, constraints) is not None


class _Search:
    """Best-first branch and bound; until the first tree is found, the best branch of the last node comes first."""

    def __init__(self, problem: Problem, conditioned: _core.Conditioned, rules: Rules, limits: _Limits) -> None:
        self.problem, self.conditioned, self.rules, self.limits = problem, conditioned, rules, limits
        self.deadline = limits.deadline
        self.matrix = problem.matrix
        self.largest = _largest(problem)
        self.tolerance = 0.0  # of a bound: a share of that of the best tree
        self.best: Heads | None = None
        self.value = -math.inf
        self.closed = -math.inf  # the highest bound of nodes that were left because no better tree is in them
        self.decodings = 0

    def run(self, trace: bool) -> Parse | None:
        limits = len(self.rules.cardinalities)
        allowed = self.rules.allowed & (self.matrix > -np.inf)
        root = self._evaluated(allowed, np.zeros(limits), math.inf, ROUNDS_AT_ROOT)
        queue = [] if root is None else [root]
        rows: list[tuple[float, float]] = []
        nodes = 1
        next_node = None
        while queue or next_node:
            top = max(node.bound for node in (*queue[:1], *filter(None, [next_node])))
            rows.append((max(top, self.value, self.closed), self.value))
            if top <= self.value + self.tolerance or self.limits.are_reached(nodes):
                break
            node = next_node or heapq.heappop(queue)
            if self.best is None:
                self._dive(node)
            children = [child for child in self._children(node) if child is not None]
            nodes += len(children)
            next_node = max(children, key=lambda child: child.bound) if children and self.best is None else None
            for child in children:
                if child is not next_node:
                    heapq.heappush(queue, child)
        left = [node.bound for node in (*queue, *filter(None, [next_node]))]
        return self._result(max([self.value, self.closed, *left]), nodes, rows if trace else None)

    def _result(self, bound: float, nodes: int, rows: list[tuple[float, float]] | None) -> Parse | None:
        if bound == -math.inf:
            return None
        if self.best is None:
            raise NotFoundError("no tree that meets the constraints was found; give more max_seconds or max_nodes")
        scale = self.conditioned.scale
        score, upper, gap, spread = self.conditioned.bounds(self.best, self.value, bound)
        columns = None
        if rows is not None:
            table = score + (np.array(rows, dtype=np.float64).reshape(-1, 2) - self.value) / scale
            columns = {"bound": table[:, 0], "best": table[:, 1]}
        return Parse(
            self.best,
            score,
            upper,
            "constrained branch and bound",
            gap,
            spread,
            self.limits.tolerance,
            "bound",
            self.decodings,
            nodes,
            columns,
        )

    # -- one node

    def _evaluated(self, allowed: ArcSet, multipliers: Vector, above: float, rounds: int) -> _Node | None:
        """The node after subgradient steps; None when it is empty or contains no better tree than the best."""
        if not propagate(self.rules, allowed):
            return None
        w = np.where(self._are_decided(allowed), 0.0, multipliers)
        node: _Node | None = None
        for step in range(rounds):
            found = self._decoded(allowed, w)
            if found is None:
                return None
            heads, bound = found
            self._propose(heads)
            if node is None or bound < node.bound:
                node = _Node(min(bound, above), allowed, w, heads)
            if node.bound <= self.value + self.tolerance:
                self.closed = max(self.closed, node.bound)
                return None
            direction = self._direction(heads, w)
            if not direction.any() or time.monotonic() > self.deadline:
                break
            w = self._stepped(w, direction, bound, step)
        return node

    def _decoded(self, allowed: ArcSet, w: Vector) -> tuple[Heads, float] | None:
        """The best tree under the multipliers, and the bound that they give."""
        self.decodings += 1
        penalty = np.zeros_like(self.matrix)
        constant = 0.0
        for weight, rule in zip(w.tolist(), self.rules.cardinalities, strict=True):
            penalty[rule.arcs] += weight
            constant += weight * (rule.high if weight > 0 else rule.low)
        found = self._tree(allowed, penalty)
        if found is None:
            return None
        heads, bound = found
        return heads, bound + constant + self._rounding(w)

    def _rounding(self, w: Vector) -> float:
        """More than the error of a sum of penalised scores; 0 without multipliers."""
        if not w.any():
            return 0.0
        return float(8 * np.finfo(np.float64).eps * self.problem.nodes * (self.largest + np.abs(w).sum()))

    def _tree(self, allowed: ArcSet, penalty: Vector) -> tuple[Heads, float] | None:
        problem = self.problem
        kernel = _core.eisner if problem.projective else _core.chu_liu_edmonds
        weights = np.where(allowed, self.matrix - penalty, -np.inf)
        heads, value = kernel(weights, problem.single_root)
        if value == -math.inf or problem.order == 1:
            return None if value == -math.inf else (heads, value)
        parts = _penalised(problem.parts, allowed, penalty)
        rest = None if self.deadline == math.inf else max(0.0, self.deadline - time.monotonic())
        given = Problem(problem.nodes, parts, projective=problem.projective, single_root=problem.single_root)
        try:
            if problem.projective:
                parse = exact.solve(given)
            else:
                parse = branch.solve(given, max_seconds=rest, tolerance=INNER_SHARE * self.limits.tolerance)
        except InfeasibleError:
            return None
        if parse.bound == -math.inf:
            return None
        return heads if parse.score == -math.inf else parse.heads, parse.bound  # -inf: the time is up

    def _propose(self, heads: Heads) -> None:
        if self.rules.hold(heads):
            value = self.problem.value(heads)
            if value > self.value:
                self.best, self.value = heads, value
                *_, spread = self.conditioned.bounds(heads, value, value)
                self.tolerance = BOUND_SHARE * self.limits.tolerance * spread * self.conditioned.scale

    def _direction(self, heads: Heads, w: Vector) -> Vector:
        """The subgradient of the bound: 0 where the tree is within a limit that has no multiplier."""
        found = np.zeros_like(w)
        for place, rule in enumerate(self.rules.cardinalities):
            count = rule.count(heads)
            if w[place] > 0 or (w[place] == 0 and count > rule.high):
                found[place] = rule.high - count
            elif w[place] < 0 or count < rule.low:
                found[place] = rule.low - count
        return found

    def _stepped(self, w: Vector, direction: Vector, bound: float, step: int) -> Vector:
        """Polyak's step towards the best value; without one, steps that shrink from the size of the scores."""
        size = float((direction**2).sum())
        length = (bound - self.value) / size if self.best is not None else self.largest / (math.sqrt(size) * (step + 2))
        moved = w - length * direction
        return np.where(w * moved < 0, 0.0, moved)

    def _are_decided(self, allowed: ArcSet) -> NDArray[np.bool_]:
        """Of each limit, whether every tree of the allowed arcs has the same number of arcs in its set."""
        return np.array([not len(_open_words(rule, allowed)) for rule in self.rules.cardinalities], dtype=np.bool_)

    # -- branching

    def _children(self, node: _Node) -> Iterator[_Node | None]:
        for allowed in self._branches(node):
            yield self._evaluated(allowed, node.multipliers, node.bound, ROUNDS)

    def _branches(self, node: _Node) -> Iterator[ArcSet]:
        """Sets of arcs that together have all trees of the node within the rules."""
        path = self.rules.broken_path(node.heads)
        if path is not None:
            yield from _without_path(node.allowed, path)
            return
        place = self._limit_to_branch_on(node)
        if place is None:  # the tree is the best one of the node, up to rounding
            self.closed = max(self.closed, node.bound)
            return
        rule = self.rules.cardinalities[place]
        word = self._word_to_branch_on(node, rule)
        for arcs in (rule.arcs, ~rule.arcs):
            allowed = node.allowed.copy()
            allowed[:, word] &= arcs[:, word]
            yield allowed

    def _limit_to_branch_on(self, node: _Node) -> int | None:
        """The limit that is broken most, or else one with a multiplier; None when all limits are decided."""
        excess = []
        for place, rule in enumerate(self.rules.cardinalities):
            count = rule.count(node.heads)
            broken = max(rule.low - count, count - rule.high, 0)
            if len(_open_words(rule, node.allowed)):
                excess.append((broken, abs(node.multipliers[place]), -place))
        if not excess or max(excess)[:2] == (0, 0.0):
            return None
        return -max(excess)[2]

    def _word_to_branch_on(self, node: _Node, rule: Cardinality) -> int:
        """Of the words that can have their head arc in the set or not: the one whose best arcs differ least."""
        words = _open_words(rule, node.allowed)
        return int(words[np.abs(self._losses(rule.arcs, node.allowed, words)).argmin()])

    def _losses(self, arcs: ArcSet, allowed: ArcSet, words: NDArray[np.intp]) -> Vector:
        """Of each word, its best score with a head arc in the set less that without."""
        inside = np.where(allowed & arcs, self.matrix, -np.inf)[:, words].max(axis=0)
        outside = np.where(allowed & ~arcs, self.matrix, -np.inf)[:, words].max(axis=0)
        return np.asarray(inside - outside)

    # -- a first tree

    def _dive(self, node: _Node) -> None:
        """Take away what breaks a rule at the least loss of arc scores, decode, and repeat until a tree is found."""
        allowed, heads = node.allowed.copy(), node.heads
        while self.best is None and time.monotonic() < self.deadline:
            before = int(allowed.sum())
            self._exclude(allowed, heads)
            found = self._decoded(allowed, node.multipliers) if propagate(self.rules, allowed) else None
            if found is None or int(allowed.sum()) == before:
                return
            heads = found[0]
            self._propose(heads)

    def _exclude(self, allowed: ArcSet, heads: Heads) -> None:
        """Remove arcs so that the tree is no longer allowed, for each rule that it breaks."""
        self._exclude_paths(allowed, heads)
        for rule in self.rules.cardinalities:
            count = rule.count(heads)
            words = _open_words(rule, allowed)
            is_inside = rule.arcs[heads[words], words]
            if count > rule.high:
                words = words[is_inside]
                leave = words[np.argsort(self._losses(rule.arcs, allowed, words))[: count - rule.high]]
                allowed[:, leave] &= ~rule.arcs[:, leave]
            if count < rule.low:
                words = words[~is_inside]
                enter = words[np.argsort(-self._losses(rule.arcs, allowed, words))[: rule.low - count]]
                allowed[:, enter] &= rule.arcs[:, enter]

    def _exclude_paths(self, allowed: ArcSet, heads: Heads) -> None:
        """A modifier gets a head in the subtree it must be in, a word that is too deep one that is less deep."""
        above = [{h for h, _ in path_to_root(heads, word)} for word in range(len(heads))]
        for modifier, head in self.rules.below:
            if head not in above[modifier]:
                self._limit_heads(
                    allowed, modifier, [word == head or head in nodes for word, nodes in enumerate(above)]
                )
        depths = [len(nodes) for nodes in above]
        for word, depth in enumerate(depths):
            if self.rules.depth is not None and depth == self.rules.depth + 1:
                self._limit_heads(allowed, word, [other < depth - 1 for other in depths])

    def _limit_heads(self, allowed: ArcSet, word: int, heads: list[bool]) -> None:
        """Allow only these heads; if none of them is allowed, another path has to change first."""
        kept = allowed[:, word] & heads
        if kept.any():
            allowed[:, word] = kept


def propagate(rules: Rules, allowed: ArcSet) -> bool:
    """Remove arcs that no tree within the rules can have; False when it is found that there is no such tree."""
    while True:
        before = int(allowed.sum())
        if not (_propagate_limits(rules, allowed) and _propagate_below(rules, allowed)):
            return False
        if rules.depth is not None and not _propagate_depth(rules.depth, allowed):
            return False
        if not allowed[:, 1:].any(axis=0).all():
            return False
        if int(allowed.sum()) == before:
            return True


def _propagate_limits(rules: Rules, allowed: ArcSet) -> bool:
    for rule in rules.cardinalities:
        words = _open_words(rule, allowed)
        low = int(((allowed & rule.arcs).any(axis=0) & ~(allowed & ~rule.arcs).any(axis=0)).sum())
        high = low + len(words)
        if low > rule.high or high < rule.low:
            return False
        if low == rule.high:
            allowed[:, words] &= ~rule.arcs[:, words]
        elif high == rule.low:
            allowed[:, words] &= rule.arcs[:, words]
    return True


def _propagate_below(rules: Rules, allowed: ArcSet) -> bool:
    """Above the words that are fixed between the modifier and the head, the path must not end at the root."""
    for modifier, head in rules.below:
        chain = [modifier]
        while chain[-1] != head:
            heads = np.flatnonzero(allowed[:, chain[-1]])
            if len(heads) != 1 or int(heads[0]) in (0, *chain):
                break
            chain.append(int(heads[0]))
        if chain[-1] == head:
            continue
        allowed[0, chain[-1]] = False
        allowed[chain, head] = False
        if not allowed[:, chain[-1]].any():
            return False
    return True


def _propagate_depth(depth: int, allowed: ArcSet) -> bool:
    """A word is at least as deep as the shortest path to it; below it are the words that are fixed there."""
    nodes = len(allowed)
    shortest = np.full(nodes, nodes)
    shortest[0] = 0
    frontier = np.zeros(nodes, dtype=np.bool_)
    frontier[0] = True
    for level in range(1, depth + 1):
        frontier = allowed[frontier].any(axis=0) & (shortest == nodes)
        shortest[frontier] = level
    if (shortest == nodes).any():
        return False
    below = _fixed_depth_below(allowed)
    allowed &= shortest[:, None] + 1 + below[None, :] <= depth
    return True


def _fixed_depth_below(allowed: ArcSet) -> NDArray[np.intp]:
    """Of each node, the number of arcs of the longest path of fixed arcs below it."""
    nodes = len(allowed)
    above = np.where(allowed.sum(axis=0) == 1, allowed.argmax(axis=0), -1)
    above[0] = -1
    below = np.zeros(nodes, dtype=np.intp)
    for word in range(1, nodes):
        node, steps = int(above[word]), 1
        while node > 0 and steps < nodes:
            below[node] = max(below[node], steps)
            node, steps = int(above[node]), steps + 1
    return below


def _open_words(rule: Cardinality, allowed: ArcSet) -> NDArray[np.intp]:
    """The words that can have their head arc in the set or outside it."""
    return np.flatnonzero((allowed & rule.arcs).any(axis=0) & (allowed & ~rule.arcs).any(axis=0))


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


def _penalised(core: _core.Parts, allowed: ArcSet, penalty: Vector) -> Parts:
    """The parts over the allowed arcs, each arc's score less its penalty."""
    parts = Parts.of(core)
    head, modifier, score = parts.arcs
    keep = allowed[head, modifier]
    if penalty.any():
        arcs = (head, modifier, score - penalty[head, modifier])
        siblings = parts.siblings if core.has_transitions else None
        stops = parts.stops if core.has_transitions else None
        parts = Parts(parts.nodes, arcs, siblings, parts.grandparents if core.has_grand else None, stops)
    return parts if keep.all() else parts.prune(keep)


def _largest(problem: Problem) -> float:
    """The largest absolute score of a part."""
    scores = [problem.matrix.ravel()]
    if problem.order == 2:
        parts = Parts.of(problem.parts)
        scores += [parts.siblings.score, parts.grandparents.score, parts.stops.score]
    finite = np.concatenate(scores)
    finite = finite[finite > -np.inf]
    return float(np.abs(finite).max()) if len(finite) else 0.0
