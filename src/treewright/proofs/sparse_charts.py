"""The highest value of a projective tree over few candidate arcs, in lists; written for `verify` only.

The recurrence is that of candidate_charts.py. Where words have few candidate heads, few spans can be covered at all:
only items of spans that can be are kept, in dictionaries.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from treewright.proofs.candidate_charts import LEFT, RIGHT
from treewright.proofs.integer_scores import Given

MARGIN = 2.0**-30  # relative to the sum of all terms of a bound; far above their rounding
Arcs = list[tuple[int, int, int, float]]  # distance, head, modifier, score, in this order


def useful_arcs(given: Given, value: float) -> Arcs:
    """The arcs that trees above that value may have.

    With the best score of each kind of part that can go with it, an arc loses something against the best arc into the
    same word. No tree that is better loses more than a tree of that value, against the best arcs into all words.
    """
    nodes, upper, stops = given.nodes, given.arc.reshape(-1).copy(), np.zeros(2 * given.nodes)
    with np.errstate(over="ignore", invalid="ignore"):
        for name, (first, second, third, scores) in given.rows.items():
            if name == "stop":
                np.maximum.at(stops, 2 * first + third, scores)
            else:
                gain = np.zeros_like(upper)
                np.maximum.at(gain, first * nodes + second if name == "sib" else second * nodes + third, scores)
                upper += gain
        matrix = upper.reshape(nodes, nodes)
        best = np.maximum.reduce(matrix)
        terms = [*best[1:].tolist(), *stops.tolist(), -value]
        loss = math.fsum(terms) + MARGIN * math.fsum(map(abs, terms))
        h, m = np.nonzero((given.arc > -np.inf) & ~(matrix < best - loss))
    columns = zip(h.tolist(), m.tolist(), given.arc[h, m].tolist(), strict=True)
    return sorted([(abs(m - h), h, m, score) for h, m, score in columns])


class SparseChart:
    """One sentence, in doubles. Arcs are numbered by distance. A context is an arc into a node; the last is node 0.

    The place of half(x, w) on a side is 2 * x + side, where `half` has its values by w, in this order. The scores of
    parts are found by three nodes, or by two nodes and a side, as one number.
    """

    def __init__(self, given: Given, arcs: Arcs, single_root: bool) -> None:
        self.nodes, self.arcs, self.single_root = given.nodes, arcs, single_root
        self.sib, self.grand, self.stop = (self._by_number(given, name) for name in ("sib", "grand", "stop"))
        self.into: list[list[int]] = [[] for _ in range(self.nodes)]  # the contexts of each node
        self.above: list[int] = []  # of each context: the number of its grandparent parts, less the modifier
        self.half: list[dict[int, float]] = []
        self.limit: list[int] = []  # the words on that side that a context can have without crossing its arc
        last, row = self.nodes - 1, self.nodes * (self.nodes + 1)
        for x, (_, h, m, _) in enumerate([*self.arcs, (0, -1, 0, 0.0)]):
            self.into[m].append(x)
            self.above.append((h * self.nodes + m) * self.nodes)
            self.half += [{0: self.stop.get(m * row + LEFT, 0.0)}, {0: self.stop.get(m * row + RIGHT, 0.0)}]
            self.limit += [m - h - 1, last - m] if h < m else [m - 1, h - m - 1]
        if single_root:
            self.into[0] = []
        self.inner: list[list[int]] = [[] for _ in range(2 * self.nodes)]  # the arcs of a node on a side so far
        self.path: dict[int, dict[int, float]] = {}  # of an arc: the values of path(x, m) by x
        # By the place of a half that can follow an arc: the distance of the arc; for each path, the place of the half
        # that it becomes, its value with the stop behind m, and how many words may follow.
        self.closed: dict[int, tuple[int, list[tuple[int, float, int]]]] = {}
        self.pending: list[dict[int, float]] = [{} for _ in range(self.nodes)]  # of a width, by place

    def _by_number(self, given: Given, name: str) -> dict[int, float]:
        """The scores of one kind of part."""
        if name not in given.rows:
            return {}
        first, second, third, scores = given.rows[name]
        numbers = (first.astype(np.int64) * self.nodes + second) * self.nodes + third
        return dict(zip(numbers.tolist(), scores.tolist(), strict=True))

    def best(self) -> float:
        """The value of the best tree; -inf if there is none."""
        arc = 0
        for width in range(1, self.nodes):
            while arc < len(self.arcs) and self.arcs[arc][0] == width:
                self._add_paths(arc)
                arc += 1
            for place, value in self.pending[width].items():
                self.half[place][width] = value
                if place in self.closed:
                    self._close(place, ((width, value),))
        return self._goal()

    def _add_paths(self, arc: int) -> None:
        """path(x, m) of an arc, for the contexts x of its head that it does not cross."""
        distance, h, m, score = self.arcs[arc]
        side, part = int(m > h), (h * self.nodes + m) * self.nodes
        contexts = [x for x in self.into[h] if distance <= self.limit[2 * x + side]]
        facing, inner = self.half[2 * arc + 1 - side], self.inner[2 * h + side]
        meetings = [found for s in inner if (found := self._meeting(s, m, facing, part))] if contexts else []
        if not contexts or (distance - 1 not in facing and not meetings):
            return
        begin = facing.get(distance - 1, -math.inf) + self.sib.get(part + h, 0.0)
        stop, path, closed = self.stop.get(part + side, 0.0), {}, []
        for x in contexts:
            best = max([begin, *[values[x] + met for values, met in meetings]]) if meetings else begin
            path[x] = best = best + (score + self.grand.get(self.above[x] + m, 0.0))
            closed.append((2 * x + side, best + stop, self.limit[2 * x + side] - distance))
        inner.append(arc)
        self.path[arc], self.closed[2 * arc + side] = path, (distance, closed)
        self._close(2 * arc + side, self.half[2 * arc + side].items())

    def _meeting(self, s: int, m: int, facing: dict[int, float], part: int) -> tuple[dict[int, float], float] | None:
        """path(x, s) by x, and meet(h, s, m) with the score of the siblings; s is the arc of the inner one."""
        _, h, sibling, _ = self.arcs[s]
        between = abs(m - sibling) - 1
        outward = self.half[2 * s + (m > h)]
        met = [value + facing[between - w] for w, value in outward.items() if between - w in facing]
        return (self.path[s], max(met) + self.sib.get(part + sibling, 0.0)) if met else None

    def _close(self, place: int, outer: Iterable[tuple[int, float]]) -> None:
        """half(x, w) of all contexts of a head, from its arc and the halves of the modifier that follow it."""
        distance, paths = self.closed[place]
        for target, closed, limit in paths:
            for width, value in outer:
                if width > limit:
                    break
                found = self.pending[distance + width]
                value += closed
                if value > found.get(target, -math.inf):
                    found[target] = value

    def _goal(self) -> float:
        last = self.nodes - 1
        if not self.single_root:
            return self.half[-1].get(last, -math.inf)
        values = [-math.inf]
        for arc, (_, h, m, score) in enumerate(self.arcs):
            left, right = self.half[2 * arc].get(m - 1), self.half[2 * arc + 1].get(last - m)
            if h == 0 and left is not None and right is not None:
                sib, stop = self.sib.get(m * self.nodes, 0.0), self.stop.get(m * self.nodes + RIGHT, 0.0)
                values.append(score + sib + stop + left + right)
        return max(values)
