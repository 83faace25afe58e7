"""The Lagrangian bound of docs/proofs.md over integer scores, written for `verify` only.

For any multipliers u and v of the arcs, any slack >= 0 of sets of words and any penalty of the root arcs, every tree of
a piece has a value of at most

    sum over words m of  max over h of  arc + u + v + (slack of the sets that the arc enters) - (penalty, if h = 0)
    - sum of all slack + penalty                                                            (the tree)
    + sum over nodes h of  max over sequences of modifiers of h  of  their parts - u - v    (the automata)

because a tree enters each set at least once, and with a single root has one root arc.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.errors import ProofError
from treewright.proofs.integer_scores import Arc, Integers, Scores
from treewright.proofs.proof import Point

State = list[set[int]]  # a piece: the heads that each word may have; a word with one head has that arc


class Multipliers:
    """A point of a proof as integers."""

    def __init__(self, scores: Scores, single_root: bool, point: Point) -> None:
        self.single_root = single_root
        self.u: dict[Arc, int] = {}
        self.v: dict[Arc, int] = {}
        if point.arcs:
            self._read_arcs(scores, point)
        self.penalty = scores.multiplier(point.penalty)
        if self.penalty and not single_root:
            raise ProofError("refused: a penalty of the root arcs, of which there may be several")
        self.slack = [scores.multiplier(x) for x, _ in point.sets]
        self.members = np.zeros((len(point.sets), scores.nodes), dtype=np.int64)
        for row, x, one in zip(self.members, self.slack, point.sets, strict=True):
            if x < 0 or not one.bits or one.bits & 1 or one.bits >> scores.nodes:
                raise ProofError(
                    "refused: a set of words is empty, or has negative slack or a word that does not exist"
                )
            row[one.words] = 1

    def _read_arcs(self, scores: Scores, point: Point) -> None:
        h, m, u, v = zip(*point.arcs, strict=True)
        arcs = list(zip(h, m, strict=True))
        if not scores.rank.keys() >= set(arcs):
            raise ProofError("refused: a multiplier of an arc that is not allowed")
        self.u = dict(zip(arcs, scores.multipliers(u), strict=True))
        self.v = dict(zip(arcs, scores.multipliers(v), strict=True))
        if not scores.has_grand:  # an automaton does not choose the head of its node: one multiplier an arc
            self.u = {arc: x + self.v[arc] for arc, x in self.u.items()}
            self.v = {}


class Bound:
    """The bound of one piece at one point; state None is the piece of all trees over the candidate arcs."""

    def __init__(self, scores: Scores, at: Multipliers, state: State | None) -> None:
        self.scores = scores
        self.at = at
        self.weights, self.best, self.value = self._tree(state)
        if state is None and not (at.u or scores.has_tables or scores.has_grand):
            return  # every automaton is zero
        self.state: State = state or [set(heads) for heads in scores.heads_of]
        self.sides = [[self._side(h, right) for right in (0, 1)] for h in range(1, scores.nodes)]
        self.automata = [self._root(), *(max(self._by_upper(h, *sides)) for h, sides in enumerate(self.sides, start=1))]
        self.value += sum(self.automata)

    def with_arc(self, arc: Arc, has_arc: bool, enough: int) -> int:
        """A bound on the trees of the piece that have the arc, or on those that lack it; computed until enough."""
        (h, m), state = arc, self.state
        before, heads = state[m], state[m] & {h} if has_arc else state[m] - {h}
        if not heads:
            return self.scores.never
        value = self.value - (int(self.best[m] - self.weights[h, m]) if has_arc else 0)
        state[m] = heads
        try:
            if self.scores.has_grand:
                value += max(self._by_upper(m, *self.sides[m - 1])) - self.automata[m]
            if value > enough:
                value += self._automaton_with(h, m) - self.automata[h]
        finally:
            state[m] = before
        return value

    def _automaton_with(self, h: int, m: int) -> int:
        """The automaton of h again, after a change of the heads of m."""
        if h == 0:
            return self._root()
        left, right = self.sides[h - 1]
        sides = (left, self._side(h, 1)) if m > h else (self._side(h, 0), right)
        return max(self._by_upper(h, *sides))

    def _tree(self, state: State | None) -> tuple[Integers, Integers, int]:
        """The weight of each arc with the slack of the sets that it enters, the best into each word, and the bound."""
        scores, at = self.scores, self.at
        is_small = sum(at.slack) + abs(at.penalty) < -scores.never
        kind = scores.arc.dtype if is_small else np.dtype(object)
        if state is None and not at.u:
            weights = scores.arc.astype(kind)
        else:
            weights = np.full((scores.nodes, scores.nodes), scores.never, dtype=kind)
            u, v, arcs = at.u, at.v, scores.arcs
            candidates = [(h, m) for m, heads in enumerate(state or scores.heads_of) for h in heads]
            rows, columns = zip(*candidates, strict=True)
            weights[rows, columns] = [arcs[a[0]][a[1]] + u.get(a, 0) + v.get(a, 0) for a in candidates]
        if at.slack:
            members = at.members.astype(kind)
            inside = members * np.array(at.slack, dtype=kind)[:, None]
            weights += inside.sum(axis=0) - members.T @ inside
        if at.penalty:
            weights[0] -= at.penalty
        best = weights.max(axis=0)
        return weights, best, sum(best[1:].tolist()) - sum(at.slack) + at.penalty

    def _by_upper(self, h: int, left: Sequence[int], right: Sequence[int]) -> list[int]:
        """The value of the automaton of h under each head that h may have."""
        if not self.scores.has_grand:
            return [left[0] + right[0]]
        heads, v, may_be = self.scores.heads_of[h], self.at.v, self.state[h]
        return [x + y - v.get((g, h), 0) for g, x, y in zip(heads, left, right, strict=True) if g in may_be]

    def _root(self) -> int:
        if not self.at.single_root:
            return self._side(0, 1)[0]
        table, u = self.scores.tables[0][1], self.at.u
        children = [(q, m) for q, m in enumerate(self.scores.sides[0][1]) if 0 in self.state[m]]
        children = [child for child in children if len(self.state[child[1]]) == 1] or children
        values = [table[0][q] + table[q + 1][-1] - u.get((0, m), 0) for q, m in children]
        return max(values, default=self.scores.never)

    def _side(self, h: int, right: int) -> list[int]:
        """The best sequence of modifiers on one side of h, under each head of h, from the outermost inwards."""
        scores, state, u = self.scores, self.state, self.at.u
        side, table = scores.sides[h][right], scores.tables[h][right]
        grands = scores.grands[h] if scores.has_grand and h else None
        end = len(side)
        best = [table[end][end]] * (len(scores.heads_of[h]) if grands is not None else 1)
        zero = [0] * len(best)
        ahead = [(end, zero)]  # the states that may come next, outermost first: what is reached from there on
        for p in range(end - 1, -1, -1):
            m, row = side[p], table[p]
            if h in state[m]:
                gain = u.get((h, m), 0)
                if grands is None:
                    found = [x - gain for x in best]
                else:
                    found = [x - gain + y for x, y in zip(best, grands[m], strict=True)]
                if len(state[m]) == 1:  # it may not be passed over
                    ahead = []
                ahead.append((p, found))
            options = [[row[q] + x for x in reached] for q, reached in ahead]
            best = options[0] if len(options) == 1 else list(map(max, *options))
        return best
