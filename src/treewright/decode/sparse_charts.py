"""The highest value of a projective tree over few candidate arcs, in lists; written for `verify` only.

The recurrence is that of candidate_charts.py. Where words have few candidate heads, few spans can be covered at all:
only items of spans that can be are kept, in dictionaries.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from treewright.decode.candidate_charts import LEFT, RIGHT, Columns


class SparseChart:
    """One sentence, in doubles. Arcs are numbered by distance. A context is an arc into a node; the last is node 0.

    half[side][x] has the values of half(x, w) by w, in this order.
    """

    def __init__(self, scores: Columns, single_root: bool) -> None:
        self.nodes, self.single_root = scores.nodes, single_root
        columns = zip(*(column.tolist() for column in scores.arcs), strict=True)
        self.arcs = sorted([(abs(m - h), h, m, score) for h, m, score in columns])
        self.sib, self.grand, self.stop = (self._by_nodes(scores, name) for name in ("sib", "grand", "stop"))
        self.into: list[list[int]] = [[] for _ in range(self.nodes)]  # the contexts of each node
        for arc, (_, _, m, _) in enumerate(self.arcs):
            self.into[m].append(arc)
        if not single_root:
            self.into[0].append(len(self.arcs))
        self.outwards: list[tuple[list[int], list[int]]] = [([], []) for _ in range(self.nodes)]  # the arcs so far
        ends = [(h, m) for _, h, m, _ in self.arcs] + [(-1, 0)]
        self.half = [[{0: self.stop.get(self._key(m, m, side), 0.0)} for _, m in ends] for side in (LEFT, RIGHT)]
        last = self.nodes - 1
        self.limit = (  # the words on that side that a context can have without crossing its arc
            [m - 1 if m < h or h < 0 else m - h - 1 for h, m in ends],
            [last - m if m > h else h - m - 1 for h, m in ends],
        )
        self.path: list[dict[int, float]] = [{} for _ in ends]  # of a context, by arc
        self.closed: list[list[tuple[int, float]]] = [[] for _ in self.arcs]  # of an arc: contexts of its head, values
        self.pending: list[tuple[dict[int, float], dict[int, float]]] = [({}, {}) for _ in range(self.nodes)]

    def _by_nodes(self, scores: Columns, name: str) -> dict[int, float]:
        """The scores of one kind of part."""
        if name not in scores.rows:
            return {}
        columns = [column.tolist() for column in scores.rows[name]]
        return dict(zip(map(self._key, *columns[:-1]), columns[-1], strict=True))

    def _key(self, first: int, second: int, third: int) -> int:
        """Three nodes, or two nodes and a side, as one number."""
        return (first * self.nodes + second) * self.nodes + third

    def best(self) -> float:
        """The value of the best tree; -inf if there is none."""
        arc = 0
        for width in range(1, self.nodes):
            while arc < len(self.arcs) and self.arcs[arc][0] == width:
                self._add_paths(arc)
                arc += 1
            for side, found in enumerate(self.pending[width]):
                for x, value in found.items():
                    self.half[side][x][width] = value
                    if x < arc and (self.arcs[x][2] > self.arcs[x][1]) == side:
                        self._close(x, side, ((width, value),))
        return self._goal()

    def _add_paths(self, arc: int) -> None:
        """path(x, m) of an arc for all contexts of its head."""
        distance, h, m, score = self.arcs[arc]
        side = int(m > h)
        facing, inner = self.half[1 - side][arc], self.outwards[h][side]
        begin = facing.get(distance - 1, -math.inf) + self.sib.get(self._key(h, m, h), 0.0)
        meetings = [(s, met) for s in inner if (met := self._meet(s, arc, facing)) > -math.inf]
        inner.append(arc)
        if begin == -math.inf and not meetings:
            return
        stop = self.stop.get(self._key(h, m, side), 0.0)
        for x in self.into[h]:
            path = self.path[x]
            best = max([begin, *[path[s] + met for s, met in meetings if s in path]])
            if best > -math.inf:
                grand = self.grand.get(self._key(self.arcs[x][1], h, m), 0.0) if h and self.grand else 0.0
                path[arc] = best = best + (score + grand)
                self.closed[arc].append((x, best + stop))
        self._close(arc, side, self.half[side][arc].items())

    def _meet(self, s: int, arc: int, facing: dict[int, float]) -> float:
        """meet(h, s, m) with the score of the siblings; s is the arc of the inner one."""
        _, h, m, _ = self.arcs[arc]
        inner = self.arcs[s][2]
        between = abs(m - inner) - 1
        met = [value + facing[between - w] for w, value in self.half[m > h][s].items() if between - w in facing]
        return max(met) + self.sib.get(self._key(h, m, inner), 0.0) if met else -math.inf

    def _close(self, arc: int, side: int, outer: Iterable[tuple[int, float]]) -> None:
        """half(x, w) of all contexts of a head, from its arc and the halves of the modifier that follow it."""
        distance, limit = self.arcs[arc][0], self.limit[side]
        for x, closed in self.closed[arc]:
            for width, value in outer:
                if distance + width > limit[x]:
                    break
                found = self.pending[distance + width][side]
                value += closed
                if value > found.get(x, -math.inf):
                    found[x] = value

    def _goal(self) -> float:
        last = self.nodes - 1
        if not self.single_root:
            return self.half[RIGHT][-1].get(last, -math.inf)
        values = [-math.inf]
        for arc in self.outwards[0][RIGHT]:
            _, _, m, score = self.arcs[arc]
            left, right = self.half[LEFT][arc].get(m - 1), self.half[RIGHT][arc].get(last - m)
            if left is not None and right is not None:
                sib, stop = self.sib.get(self._key(0, m, 0), 0.0), self.stop.get(self._key(0, m, RIGHT), 0.0)
                values.append(score + sib + stop + left + right)
        return max(values)
