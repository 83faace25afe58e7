"""Checks the proof that no tree is better, with none of the code that found the tree.

A proof of the kind "search" divides the trees into pieces and gives multipliers for each, at which Lagrangian duality
bounds every tree of the piece (integer_bound.py). A proof of the kind "chart" is checked by solving the dynamic program
of projective trees (integer_charts.py). Numbers are integers (integer_scores.py), so that a bound is exact; first-order
trees are first tried in doubles with the rounding added (float_bound.py). Nothing here imports a decoder.
docs/proofs.md explains it.

The claim that is checked is that of the parse, by the definition of result.py: that no tree is better by more than
tolerance * spread if it is certified, and by more than its gap, within the same tolerance, otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from treewright.calls import explained
from treewright.decode.float_bound import upper_bound
from treewright.decode.float_charts import arc_gap, sibling_gap
from treewright.decode.integer_bound import Bound, Multipliers, State
from treewright.decode.integer_charts import best_projective
from treewright.decode.integer_scores import Arc, Given, Rounding, Scores, exact_sum, rounded_up
from treewright.decode.proof import Fixing, Node, Proof
from treewright.decode.result import Parse
from treewright.errors import InputError, ProofError


class Verified(NamedTuple):
    """What was proved: the tree has that value, and no tree has one above `bound`; gap is bound - value, rounded up."""

    value: float
    bound: float
    gap: float


@explained
def verify(
    arc: Any,
    parse: Parse,
    *,
    sib: ArrayLike | None = None,
    grand: ArrayLike | None = None,
    stop: ArrayLike | None = None,
    projective: bool = False,
    root: str = "single",
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
    head_first: bool = True,
) -> Verified:
    """Check `parse.proof` under the scores and constraints given; a ProofError names what does not hold.

    The arguments other than parse are those of `tree`. What is checked: the heads form a tree that meets the
    constraints; its value is parse.score; and no other tree is better by more than the parse claims: by more than
    parse.tolerance * parse.spread if it is certified, or than parse.gap. The gap of the result is what is proved.

    >>> from treewright import decode
    >>> scores = [[0, 9, 2], [0, 0, 7], [0, 3, 0]]
    >>> verify(scores, decode.tree(scores, proof=True))
    Verified(value=16.0, bound=16.0, gap=0.0)
    >>> verify([[0, 9, 12], [0, 0, 7], [0, 3, 0]], decode.tree(scores, proof=True))
    Traceback (most recent call last):
    ...
    treewright.errors.ProofError: refused: ...
    """
    if parse.proof is None:
        raise ProofError("the parse has no proof: decode with tree(..., proof=True)")
    if root not in ("single", "multi"):
        raise InputError(f"root is {root!r}; it is 'single' (one child of node 0) or 'multi'")
    given = Given(arc, sib, grand, stop, require, forbid, head_first)
    if not all(map(math.isfinite, (parse.score, parse.bound, parse.gap, parse.tolerance * parse.spread))):
        raise ProofError("refused: score, bound, gap or tolerance * spread is not finite")
    heads: list[int] = np.asarray(parse.heads).tolist()
    own = _check_tree(given, heads, projective, root == "single")
    parts = given.parts_of(heads, own)
    _check_value(parts, parse.score)
    found = _check_in_doubles(given, parse, own, parts, root == "single", projective)
    if found is not None:
        return found
    value = exact_sum(parts)
    try:
        return _check_bound(Scores(given, parse.score, Rounding.up), parse, value, projective, root == "single")
    except ProofError:  # rounding may be the reason
        return _check_bound(Scores(given, parse.score, Rounding.none), parse, value, projective, root == "single")


def _check_tree(given: Given, heads: Sequence[int], projective: bool, single_root: bool) -> list[float]:
    """The scores of the arcs into words 1, 2, ..."""
    if len(heads) != given.nodes or heads[0] != -1:
        raise ProofError(f"refused: heads has {len(heads)} entries; -1 and one head a word are {given.nodes}")
    for m, h in enumerate(heads[1:], start=1):
        if not 0 <= h < given.nodes:
            raise ProofError(f"refused: the arc ({h}, {m}) is not allowed")
    own: list[float] = given.arc.reshape(-1).take([h * given.nodes + m for m, h in enumerate(heads) if m]).tolist()
    if -math.inf in own:
        m = 1 + own.index(-math.inf)
        raise ProofError(f"refused: the arc ({heads[m]}, {m}) is not allowed")
    if single_root and heads.count(0) != 1:
        raise ProofError(f"refused: node 0 has {heads.count(0)} children; with root='single' it has one")
    reached_from = [0] * given.nodes  # the word whose path to node 0 has the node first
    for m in range(1, given.nodes):
        node = m
        while node and not reached_from[node]:
            reached_from[node] = m
            node = heads[node]
        if node and reached_from[node] == m:
            raise ProofError(f"refused: the heads above word {m} form a cycle")
    if projective and _crosses(heads):
        raise ProofError("refused: arcs of the tree cross")
    return own


def _crosses(heads: Sequence[int]) -> bool:
    """Whether two arcs cross: each word between the ends of an arc must stay between them with its own head."""
    spans = sorted([(h, -m) if h < m else (m, -h) for m, h in enumerate(heads) if m])  # by begin, the longest first
    open_ends = [len(heads)]
    for begin, end in spans:
        while open_ends[-1] <= begin:
            open_ends.pop()
        if -end > open_ends[-1]:
            return True
        open_ends.append(-end)
    return False


def _check_value(parts: Sequence[float], score: float) -> None:
    """The score is the sum of the parts, in any order and with the rounding of it."""
    if not all(map(math.isfinite, parts)):
        raise ProofError("refused: the tree has a part with the score -inf")
    rounding = len(parts) * math.fsum(map(abs, parts)) * 2.0**-52
    if abs(math.fsum([*parts, -score])) > rounding:
        raise ProofError(f"refused: the tree has the value {math.fsum(parts)!r}, not {score!r}")


def _check_in_doubles(
    given: Given, parse: Parse, own: Sequence[float], parts: Sequence[float], single_root: bool, projective: bool
) -> Verified | None:
    """The check of a first-order tree, or of a chart with its items, in doubles; None where it decides nothing."""
    nearest = math.fsum(parts)
    error = math.fsum([*parts, -nearest])  # the value is the number nearest to it and this one
    lower = nearest if error >= 0 else math.nextafter(nearest, -math.inf)
    upper = nearest if error <= 0 else math.nextafter(nearest, math.inf)
    is_first_order = len(parts) == len(own)
    if is_first_order and given.best[1:] == own:  # the best head of every word: no tree is better
        return Verified(lower, upper, 0.0)
    gap = _gap_in_doubles(given, parse.proof, own, lower, single_root, projective)  # type: ignore[arg-type]
    if not gap <= _allowed_gap(parse, lower):
        return None
    return Verified(lower, math.nextafter(upper + gap, math.inf), gap)


def _gap_in_doubles(
    given: Given, proof: Proof, own: Sequence[float], value: float, single_root: bool, projective: bool
) -> float:
    """An upper bound on what another tree gains over the one with that value; +inf or NaN if there is none."""
    is_first_order = not (given.arrays or given.rows)
    if proof.kind == "chart" and projective and proof.halves is not None and not (given.rows or given.has("grand")):
        best = [0.0, *given.best[1:]]
        if is_first_order:
            loss = math.nextafter(math.fsum([*best, *(-x for x in own)]), math.inf)
            return arc_gap(given.arc, best, loss, proof.halves, single_root)
        if proof.incomplete is not None:
            scores, items = (given.arrays.get("sib"), given.arrays.get("stop")), (proof.halves, proof.incomplete)
            return sibling_gap(given.arc, best, *scores, value, items, single_root)
    if proof.kind != "search" or not is_first_order or len(proof.nodes) != 1 or len(proof.points) != 1:
        return math.inf
    if proof.nodes[0].fixings:
        return math.inf
    return math.nextafter(upper_bound(given.arc, proof.points[0], single_root) - value, math.inf)


def _allowed_gap(parse: Parse, value: float | Fraction) -> float:
    """What the parse claims, by the definition of `Parse.certified`; rounded downwards."""
    tolerance = parse.tolerance * parse.spread
    if parse.certified:
        return tolerance
    claimed = min(parse.gap, math.nextafter(float(Fraction(parse.bound) - Fraction(value)), -math.inf))
    return math.nextafter(max(claimed, 0.0) + tolerance, 0.0)


def _check_bound(scores: Scores, parse: Parse, value: Fraction, projective: bool, single_root: bool) -> Verified:
    top = scores.integer(value + Fraction(_allowed_gap(parse, value)))
    proof: Proof = parse.proof  # type: ignore[assignment]
    if proof.kind == "search":
        found = Search(scores, single_root, top).check(proof)
    elif projective:
        found = best_projective(scores, single_root)
    else:
        raise ProofError("refused: a proof by a chart is one about projective trees")
    bound = max(scores.exact(found), value)
    if found > top:
        raise ProofError(f"refused: the proof bounds trees by {rounded_up(bound)!r}, not by {parse.bound!r}")
    return Verified(-rounded_up(-value), rounded_up(bound), rounded_up(bound - value))


class Search:
    """The check of a search tree over integer scores; `top` is the bound to prove."""

    def __init__(self, scores: Scores, single_root: bool, top: int) -> None:
        self.scores = scores
        self.single_root = single_root
        self.top = top
        self.highest = scores.never  # bound of anything so far
        self.points: dict[int, Multipliers] = {}

    def check(self, proof: Proof) -> int:
        """The highest bound of a piece; a ProofError when pieces are missing or a bound is above the top."""
        nodes = proof.nodes
        if not nodes or nodes[0].arc is not None:
            raise ProofError("refused: the first node of the proof is not the root of a search")
        children: list[list[Node]] = [[] for _ in nodes]
        for place, node in enumerate(nodes[1:], start=1):
            if node.arc is None or not 0 <= node.parent < place:
                raise ProofError(f"refused: node {place} has no parent before it")
            children[node.parent].append(node)
        if len(nodes) == 1 and not nodes[0].fixings and nodes[0].point is not None and self._is_first_order():
            self._bound(Bound(self.scores, self._multipliers(proof, nodes[0].point), None).value, "the tree")
            return self.highest
        states: list[State | None] = []
        for place, node in enumerate(nodes):
            state = self._state(node, states, proof)
            states.append(state)
            if state is None or self._is_divided(children[place]):
                continue
            if node.point is None:
                raise ProofError(f"refused: node {place} has neither two children nor a bound")
            self._bound(Bound(self.scores, self._multipliers(proof, node.point), state).value, f"node {place}")
        return self.highest

    def _is_first_order(self) -> bool:
        return not (self.scores.has_tables or self.scores.has_grand)

    def _is_divided(self, children: Sequence[Node]) -> bool:
        return len(children) == 2 and children[0].arc == children[1].arc and children[0].has_arc != children[1].has_arc

    def _bound(self, bound: int, place: str) -> None:
        self.highest = max(self.highest, bound)
        if bound > self.top:
            found = rounded_up(self.scores.exact(bound))
            raise ProofError(f"refused: the bound of {place} is {found!r}, above the one claimed")

    def _multipliers(self, proof: Proof, number: int) -> Multipliers:
        if number not in self.points:
            if not 0 <= number < len(proof.points):
                raise ProofError(f"refused: there is no point {number}")
            self.points[number] = Multipliers(self.scores, self.single_root, proof.points[number])
        return self.points[number]

    def _state(self, node: Node, states: Sequence[State | None], proof: Proof) -> State | None:
        """The piece of a node: that of its parent, divided, with what follows and what bounds decide; None: no tree."""
        if node.arc is None:
            state = [set(heads) for heads in self.scores.heads_of]
        else:
            parent = states[node.parent]
            if parent is None:
                return None
            state = [set(heads) for heads in parent]
            self._decide(state, node.arc, node.has_arc)
        if not _propagate(state, self.single_root):
            return None
        for fixing in node.fixings:
            self._check_fixing(fixing, state, self._multipliers(proof, fixing.point))
            for arcs, is_in in ((fixing.required, True), (fixing.excluded, False)):
                for arc in arcs:
                    self._decide(state, arc, is_in)
            if not _propagate(state, self.single_root):
                return None
        return state

    def _check_arc(self, arc: Arc) -> None:
        if arc not in self.scores.rank:
            raise ProofError(f"refused: the arc {arc} of the proof is not allowed")

    def _decide(self, state: State, arc: Arc, has_arc: bool) -> None:
        self._check_arc(arc)
        h, m = arc
        state[m] = state[m] & {h} if has_arc else state[m] - {h}

    def _check_fixing(self, fixing: Fixing, state: State, point: Multipliers) -> None:
        """The trees without a required arc, and those with an excluded one, are bounded."""
        bound = Bound(self.scores, point, state)
        for arcs, is_in in ((fixing.required, False), (fixing.excluded, True)):
            for arc in arcs:
                self._check_arc(arc)
                found = bound.with_arc(arc, is_in, self.top)
                self._bound(found, f"the trees {'with' if is_in else 'without'} the arc {arc}")


def _propagate(state: State, single_root: bool) -> bool:
    """Remove the arcs that no tree of the piece has; False when a word has none left.

    Words with one head form a forest: an arc from below to the top of a path in it would close a cycle. When the
    root has its only modifier, no other word has the root as its head.
    """
    before = -1
    while before != (before := sum(map(len, state))):
        only = [next(iter(heads)) if len(heads) == 1 else -1 for heads in state]
        if single_root and only.count(0):
            child = only.index(0)
            for m in range(1, len(state)):
                if m != child:
                    state[m].discard(0)
        for h in range(1, len(state)):
            up, steps = only[h], 0
            while up > 0:
                if up == h or steps == len(state):
                    return False
                state[up].discard(h)
                up, steps = only[up], steps + 1
        if not all(state[1:]):
            return False
    return True
