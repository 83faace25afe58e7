"""The Lagrangian bound of docs/proofs.md: a lower bound on the loss of every tree of a piece, over integers.

For any multipliers u and v of the arcs, any slack >= 0 of sets of words and any penalty of the root arcs, every tree of
a piece loses at least

    sum over words m of  min over h of  arc - u - v - (slack of the sets that the arc enters) + (penalty, if h = 0)
    + sum of all slack - penalty                                                            (the tree)
    + sum over nodes h of  min over sequences of modifiers of h  of  their parts + u + v    (the automata)

because a tree enters each set at least once, and with a single root has one root arc. Losses are limited to `cap`,
which is also the loss of what a piece does not have: lower losses make the bound lower, never wrong.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from treewright.errors import ProofError
from treewright.proofs.losses import IntegerLosses, Integers
from treewright.proofs.proof import Point
from treewright.proofs.scores import Indices, Scores

Piece = list[set[int]]  # the heads that each word may have in the trees of a piece; a word with one head has that arc


def size_of(point: Point) -> Fraction:
    """An upper limit of what the multipliers of a point add to a part; points that are not finite prove nothing."""
    numbers = [x for *_, u, v in point.arcs for x in (u, v)]
    if not all(map(math.isfinite, [*numbers, point.penalty, *(slack for slack, _ in point.sets)])):
        return Fraction(0)
    slack = sum((Fraction(slack) for slack, _ in point.sets), Fraction(0))
    return 2 * Fraction(max(map(abs, numbers), default=0.0)) + abs(Fraction(point.penalty)) + abs(slack)


class Multipliers:
    """A point of a proof as integers; every choice of multipliers gives a bound, so that they may be rounded.

    Those of the proof are about scores. In losses, a head that chooses a modifier loses the best scores of its place.
    """

    def __init__(self, scores: Scores, losses: IntegerLosses, single_root: bool, point: Point) -> None:
        self.u, self.v = -losses.shift_of_arc, np.zeros_like(losses.arc)
        for h, m, u, v in point.arcs:
            if not (0 <= h < scores.nodes and 0 <= m < scores.nodes and scores.number[h, m] >= 0):
                raise ProofError(f"refused: a multiplier of the arc ({h}, {m}), which is not allowed")
            arc = scores.number[h, m]  # of an arc that occurs twice the last row counts: sums could overflow
            self.u[arc] = losses.scaled(u) - losses.shift_of_arc[arc]
            self.v[arc] = losses.scaled(v)
        if not scores.has_grand:  # an automaton does not choose the head of its node: one multiplier an arc
            self.u, self.v = self.u + self.v, np.zeros_like(self.v)
        self.penalty = losses.scaled(point.penalty)
        if point.penalty and not single_root:
            raise ProofError("refused: a penalty of the root arcs, of which there may be several")
        self.slack = np.zeros(len(point.sets), dtype=losses.arc.dtype)
        is_member = np.zeros((len(point.sets), scores.nodes), dtype=bool)
        for number, (slack, words) in enumerate(point.sets):
            if slack < 0 or not words or not all(0 < m < scores.nodes for m in words):
                raise ProofError("refused: a set of words is empty, has negative slack, or has a word that is none")
            self.slack[number] = losses.scaled(slack)
            is_member[number, words] = True
        enters = is_member[:, scores.modifier] & ~is_member[:, scores.head]
        self.entered = (enters * self.slack[:, None]).sum(axis=0)  # the slack of the sets that each arc enters


class Bound:
    """The bound of one piece at one point: `loss`, and `with_arcs` for the trees of the piece with each arc."""

    def __init__(self, scores: Scores, losses: IntegerLosses, at: Multipliers, piece: Piece) -> None:
        self.scores, self.losses, self.at = scores, losses, at
        heads = scores.head.tolist()
        self.is_in = np.array([h in piece[m] for h, m in zip(heads, scores.modifier.tolist(), strict=True)])
        is_forced = np.array([len(heads) == 1 for heads in piece])[scores.modifier] & self.is_in
        self.forced_before = np.concatenate([[0], np.cumsum(is_forced)])  # of the first arcs
        self._bound_tree()
        self._read_sides()
        self.steps = _steps(scores)
        self._fill_after()
        self._bound_automata()

    def _bound_tree(self) -> None:
        scores, at, cap = self.scores, self.at, self.losses.cap
        cost = self.losses.arc - at.u - at.v - at.entered
        cost[scores.head == 0] += at.penalty
        self.cost = np.where(self.is_in, cost, cap)
        best = np.full(scores.nodes, cap, dtype=cost.dtype)
        np.minimum.at(best, scores.modifier, self.cost)
        self.best = best
        self.loss = int(sum(best[1:].tolist())) + int(sum(at.slack.tolist())) - at.penalty

    def _read_sides(self) -> None:
        """Losses of sibling parts and stops, without those that pass over a modifier that the piece requires."""
        scores, losses, forced = self.scores, self.losses, self.forced_before
        begin = scores.side_begin[scores.side[scores.sib_arc]]
        passes = forced[scores.sib_arc] > forced[begin + scores.sib_state]
        self.sib = np.where(passes, losses.cap, losses.sib)
        begin = scores.side_begin[scores.stop_side]
        passes = forced[begin + scores.side_size[scores.stop_side]] > forced[begin + scores.stop_state]
        self.stop = np.where(passes, losses.cap, losses.stop)
        self.gain = np.where(self.is_in[:, None], losses.grand + self.at.u[:, None], losses.cap)
        self.state = scores.first_stop[scores.side] + scores.position  # of each arc, numbered as stops are

    def _fill_after(self) -> None:
        """after[state, k]: the smallest loss beyond a state of a side, under head k of its node."""
        self.after = np.repeat(self.stop[:, None], self.scores.heads, axis=1)
        for arcs, parts, states in reversed(self.steps):  # the outermost arcs first
            reached = np.minimum(self.gain[arcs] + self.after[self.state[arcs]], self.losses.cap)
            self.after[states] = np.minimum(self.after[states], self.sib[parts][..., None] + reached[:, None])

    def _bound_automata(self) -> None:
        """The automaton of each node under each head, and the best of them."""
        scores, cap = self.scores, self.losses.cap
        start = scores.first_stop.reshape(scores.nodes, 2)
        self.of_side = self.after[start]  # [node, side, k]
        self.upper = np.zeros((scores.nodes, scores.heads), dtype=self.after.dtype)  # of the choice of a head
        if scores.has_grand:
            self.upper[1:] = cap
            self.upper[scores.modifier, scores.rank] = np.where(self.is_in, self.at.v, cap)
        self.automata = np.minimum((self.of_side.sum(axis=1) + self.upper).min(axis=1), cap)
        self.loss += sum(self.automata.tolist())

    def with_arcs(self) -> Integers:
        """The bound on the trees of the piece that have each arc."""
        scores, cap = self.scores, self.losses.cap
        before = np.full_like(self.after, cap)  # [state, k]: the smallest loss up to a state
        before[scores.first_stop] = 0
        for arcs, parts, states in self.steps:
            reached = np.minimum.reduce(self.sib[parts][..., None] + before[states], axis=1)
            before[self.state[arcs]] = np.minimum(reached + self.gain[arcs], cap)
        other = self.of_side[scores.head, 1 - scores.side % 2] + self.upper[scores.head]
        with_modifier = np.minimum.reduce(before[self.state] + self.after[self.state] + other, axis=1)
        loss = self.loss + (self.cost - self.best[scores.modifier]) + (with_modifier - self.automata[scores.head])
        if scores.has_grand:
            under_head = self.of_side.sum(axis=1) + self.upper
            loss = loss + under_head[scores.modifier, scores.rank] - self.automata[scores.modifier]
        return np.where(self.is_in, loss, cap)


def _steps(scores: Scores) -> list[tuple[Indices, Indices, Indices]]:
    """The arcs in each position of their sides, from the innermost on, with their sibling parts and the states before.

    One side has one arc in a position: no state occurs twice.
    """
    steps = []
    for position in range(1, int(scores.side_size.max()) + 1):
        arcs = np.flatnonzero(scores.position == position)
        inner = np.arange(position)
        states = scores.first_stop[scores.side[arcs]][:, None] + inner
        steps.append((arcs, scores.first_sib[arcs][:, None] + inner, states))
    return steps
