"""The highest values of projective trees over candidate arcs, of many sentences at once; written for `verify` only.

Eisner's recurrence with siblings and grandparents. A context of a node is its arc to a candidate head, or the node
itself where there are no grandparent scores. With x a context of h, x' the context of m that its arc from h is, and the
width w of a span the number of its words beside h, on either side of h:

    half(x, 0)  =  stop(h, h)
    half(x, w)  =  max over m of  path(x, m) + stop(h, m) + half(x', w - |m - h|)       the same side of m
    path(x, m)  =  arc(h, m) + grand(x, m) + max( sib(h, m, h) + half(x', |m - h| - 1)  the other side of m
                                                  max over s of  path(x, s) + sib(h, m, s) + meet(h, s, m) )
    meet(h, s, m)  =  max over i of  half(of s away from h, i) + half(of m towards h, |m - s| - 1 - i)

The arcs of one head on one side are numbered outwards, one after the other, so that inner siblings precede an arc. All
sentences share one numbering, and all items of one width are computed at once. Numbers are doubles or integers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.proofs.integer_scores import Floats, Given

Numbers = NDArray[Any]  # doubles, int64 or Python integers
Places = NDArray[np.intp]
LEFT, RIGHT = 0, 1


class Columns(NamedTuple):
    """The scores of one sentence over its candidate arcs: columns of nodes, then scores."""

    nodes: int
    arcs: Sequence[Numbers]  # h, m, score
    rows: Mapping[str, Sequence[Numbers]]  # sib: h, m, s, score; grand: g, h, m, score; stop: h, s, side, score


def columns_of(given: Given, numbers: Callable[[Floats], Numbers]) -> Columns:
    """The scores as numbers of any kind."""
    h, m = np.nonzero(given.arc > -np.inf)
    rows = {name: [*columns[:-1], numbers(columns[-1])] for name, columns in given.rows.items()}
    return Columns(given.nodes, (h, m, numbers(given.arc[h, m])), rows)


def best_values(sentences: Sequence[Columns], single_root: bool, never: Any) -> list[Any]:
    """The highest value of a projective tree of each sentence; at most `never` where there is none."""
    return Chart(Numbered(sentences, single_root), never).best()


class Numbered:
    """The arcs, contexts and parts of several sentences in one numbering."""

    def __init__(self, sentences: Sequence[Columns], single_root: bool) -> None:
        self.single_root = single_root
        self.sizes = np.array([one.nodes for one in sentences])
        self.roots = np.cumsum(self.sizes) - self.sizes  # node 0 of each
        self.nodes = int(self.sizes.sum())
        self.sentence = np.repeat(np.arange(len(sentences)), self.sizes)  # of each node
        self.kind = sentences[0].arcs[2].dtype
        self._number_arcs(sentences)
        self._number_contexts(any("grand" in one.rows for one in sentences))
        self._number_pairs()
        self._read_scores(sentences)

    def _number_arcs(self, sentences: Sequence[Columns]) -> None:
        offset = self._offsets(range(len(sentences)), [len(one.arcs[0]) for one in sentences])
        h, m = (_joined([one.arcs[k] for one in sentences]) + offset for k in (0, 1))
        outward = m - h
        order = np.lexsort((abs(outward), outward > 0, h))
        self.h, self.m, outward = h[order], m[order], outward[order]
        self.arc = _joined([one.arcs[2] for one in sentences])[order]
        self.side = (outward > 0).astype(np.intp)
        self.distance = abs(outward)
        group = 2 * self.h + self.side
        self.group_size = np.bincount(group, minlength=2 * self.nodes)
        self.group_begin = self.group_size.cumsum() - self.group_size
        numbers = np.arange(len(group))
        self.rank = numbers - self.group_begin[group]
        squares = self.sizes**2
        row = squares.cumsum() - squares - self.roots * (self.sizes + 1)
        self.row_begin = row[self.sentence] + np.arange(self.nodes) * self.sizes[self.sentence]
        self.numbers = np.full(int(squares.sum()), -1)
        self.numbers[self.row_begin[self.h] + self.m] = numbers

    def _offsets(self, owners: Sequence[int], counts: Sequence[int]) -> Any:
        """What turns nodes of these sentences, in so many rows each, into nodes of all."""
        return self.roots[owners[0]] if len(owners) == 1 else np.repeat(self.roots[list(owners)], counts)

    def number(self, h: Places, m: Places) -> Places:
        """The number of each arc, -1 for what is no candidate."""
        found: Places = self.numbers[self.row_begin[h] + m]
        return found

    def _number_contexts(self, has_grand: bool) -> None:
        """Contexts of one node follow each other; node 0 has one unless it has one modifier only."""
        roots = self.roots[: 0 if self.single_root else None]
        if has_grand:
            node = np.concatenate([self.m, roots])
            order = np.argsort(node, kind="stable")
            self.context = np.argsort(order)[: len(self.m)]  # of the modifier of each arc
            node = node[order]
        else:
            node = np.delete(np.arange(self.nodes), self.roots if self.single_root else [])
            self.context = np.searchsorted(node, self.m)
        self.contexts = len(node)
        self.context_node = node
        self.root_context = np.searchsorted(node, roots)

    def _number_pairs(self) -> None:
        """A row is a context on one side; its pairs are those with each arc of its node on that side, outwards."""
        group = np.concatenate([2 * self.context_node + side for side in (LEFT, RIGHT)])
        size = self.group_size[group]
        self.pair_begin = np.cumsum(size) - size  # of each row
        self.pair_row, within = spread_out(size)
        self.pair_arc = self.group_begin[group][self.pair_row] + within
        self.inner = np.where(np.bincount(self.context_node, minlength=self.nodes)[self.h] > 0, self.rank, 0)
        self.sibling_begin = np.cumsum(self.inner) - self.inner  # of each arc: the pairs with its inner siblings

    def row(self, side: Places, context: Places) -> Places:
        """The row of a context on a side."""
        return side * self.contexts + context

    def _read_scores(self, sentences: Sequence[Columns]) -> None:
        zeros = [len(self.arc), int(self.inner.sum()), len(self.arc), 2 * self.nodes]
        self.first, self.later, self.stop, self.none = (np.zeros(size, dtype=self.kind) for size in zeros)
        self.gain = self.arc[self.pair_arc]
        for name, read in (("sib", self._read_sib), ("grand", self._read_grand), ("stop", self._read_stop)):
            owners = [k for k, one in enumerate(sentences) if name in one.rows]
            if owners:
                rows = [sentences[k].rows[name] for k in owners]
                *nodes, scores = map(_joined, zip(*rows, strict=True))
                read(nodes, self._offsets(owners, [len(columns[0]) for columns in rows]), scores)

    def _read_sib(self, nodes: Sequence[Places], offset: Places, scores: Numbers) -> None:
        h, m, s = (column + offset for column in nodes)
        arc, is_first = self.number(h, m), h == s
        chosen = is_first & (arc >= 0)
        self.first[arc[chosen]] = scores[chosen]
        inner = self.number(h, np.where(is_first, m, s))
        chosen = ~is_first & (arc >= 0) & (inner >= 0)
        chosen &= (self.rank[inner] < self.inner[arc]) & ((s > h) == (m > h))
        arc, inner = arc[chosen], inner[chosen]
        self.later[self.sibling_begin[arc] + self.rank[inner]] = scores[chosen]

    def _read_grand(self, nodes: Sequence[Places], offset: Places, scores: Numbers) -> None:
        g, h, m = (column + offset for column in nodes)
        upper, arc = self.number(g, h), self.number(h, m)
        chosen = (upper >= 0) & (arc >= 0)
        upper, arc = upper[chosen], arc[chosen]
        pair = self.pair_begin[self.row(self.side[arc], self.context[upper])] + self.rank[arc]
        self.gain[pair] += scores[chosen]

    def _read_stop(self, nodes: Sequence[Places], offset: Places, scores: Numbers) -> None:
        h, s, side = nodes[0] + offset, nodes[1] + offset, nodes[2]
        is_none = h == s
        self.none[(2 * h + side)[is_none]] = scores[is_none]
        arc = self.number(h, s)
        chosen = ~is_none & (arc >= 0)
        chosen &= self.side[arc] == side
        self.stop[arc[chosen]] = scores[chosen]


class Chart:
    """half[row, zero + w], path[pair] and meet[pair of siblings]; columns before `zero` stay `never`."""

    def __init__(self, items: Numbered, never: Any) -> None:
        self.items, self.never = items, never
        self.zero = int(items.sizes.max())
        self.columns = 2 * self.zero
        self.half = np.full(2 * items.contexts * self.columns, never, dtype=items.kind)
        none = items.none[np.concatenate([2 * items.context_node + side for side in (LEFT, RIGHT)])]
        self.half[self.zero :: self.columns] = none
        self.path = np.full(len(items.pair_arc), never, dtype=items.kind)
        self.closed = self.path.copy()  # with the stop behind m
        own, other = (items.row(side, items.context) for side in (items.side, 1 - items.side))
        self.outward = own * self.columns + self.zero  # half(x', 0) of each arc, away from h
        self.inward = other * self.columns + self.zero
        self._list_paths()
        self._list_meetings()
        self._list_steps()
        self._list_halves()

    def _list_paths(self) -> None:
        """The pairs by the distance of their arc, and what begins each path."""
        items = self.items
        self.pairs, self.pair_ends = self._by_distance(items.pair_arc)
        arc = items.pair_arc[self.pairs]
        self.begin, self.begin_score = self.inward[arc] + items.distance[arc] - 1, items.first[arc]
        self.gain, self.stop = items.gain[self.pairs], items.stop[arc]

    def _list_meetings(self) -> None:
        """The pairs of siblings by the distance of the outer one."""
        items = self.items
        outer, within = spread_out(items.inner)
        inner = outer - items.inner[outer] + within
        order, self.meet_ends = self._by_distance(outer)
        self.meet_place = np.argsort(order)
        self.meet_score = items.later[order]
        self.meet_inner = self.outward[inner[order]]
        self.meet_outer = (self.inward[outer] + items.distance[outer] - items.distance[inner] - 1)[order]
        self.meet = np.empty_like(self.meet_score)

    def _list_steps(self) -> None:
        """The steps of a path from an inner sibling to an arc, by the distance of the arc; those of one pair adjoin."""
        items = self.items
        count = items.inner[items.pair_arc]
        pair, within = spread_out(count)
        order, self.step_ends = self._by_distance(items.pair_arc[pair])
        self.step_from = (pair - count[pair] + within)[order]
        self.step_meet = self.meet_place[(items.sibling_begin[items.pair_arc[pair]] + within)[order]]
        pair = pair[order]
        self.step_begin = np.flatnonzero(np.diff(pair, prepend=-1))
        self.step_pair = pair[self.step_begin]
        self.step_begin_ends = np.searchsorted(self.step_begin, self.step_ends)

    def _list_halves(self) -> None:
        """The pairs of each row that has some."""
        items = self.items
        self.rows = np.flatnonzero(np.bincount(items.pair_row))
        self.row_pairs = items.pair_begin[self.rows]
        self.row_zero = self.rows * self.columns + self.zero
        self.rest = self.outward[items.pair_arc] - items.distance[items.pair_arc]

    def _by_distance(self, arcs: Places) -> tuple[Places, list[int]]:
        """The places of a list of arcs in the order of their distance, and where those up to each distance end."""
        distance = self.items.distance[arcs]
        order = np.argsort(distance, kind="stable")
        ends: list[int] = np.searchsorted(distance[order], np.arange(self.zero + 1), side="right").tolist()
        return order, ends

    def best(self) -> list[Any]:
        """The value of the best tree of each sentence."""
        for width in range(1, self.zero):
            self._add_paths(width)
            if len(self.rows):
                options = self.closed + self.half.take(self.rest + width)
                self.half[self.row_zero + width] = self._limited(np.maximum.reduceat(options, self.row_pairs))
        return self._goals()

    def _add_paths(self, width: int) -> None:
        """path(x, m) of all arcs with that distance."""
        chosen = slice(self.pair_ends[width - 1], self.pair_ends[width])
        pairs = self.pairs[chosen]
        if not len(pairs):
            return
        self.path[pairs] = self.begin_score[chosen] + self.half.take(self.begin[chosen])
        if self.step_ends[width - 1] < self.step_ends[width]:
            self._add_meetings(width)
            self._add_steps(width)
        found = self._limited(self.path.take(pairs) + self.gain[chosen])
        self.path[pairs] = found
        self.closed[pairs] = found + self.stop[chosen]

    def _add_meetings(self, width: int) -> None:
        """meet(h, s, m) of all pairs of siblings whose outer arc has that distance, with the score of the pair."""
        chosen, i = slice(self.meet_ends[width - 1], self.meet_ends[width]), np.arange(width - 1)
        inner = self.half.take(self.meet_inner[chosen, None] + i)
        outer = self.half.take(self.meet_outer[chosen, None] - i)
        self.meet[chosen] = self._limited(np.maximum.reduce(inner + outer, axis=1)) + self.meet_score[chosen]

    def _add_steps(self, width: int) -> None:
        """path(x, m) over inner siblings."""
        begin, end = self.step_ends[width - 1], self.step_ends[width]
        options = self.path.take(self.step_from[begin:end]) + self.meet.take(self.step_meet[begin:end])
        chosen = slice(self.step_begin_ends[width - 1], self.step_begin_ends[width])
        best = np.maximum.reduceat(options, self.step_begin[chosen] - begin)
        pairs = self.step_pair[chosen]
        self.path[pairs] = np.maximum(self.path.take(pairs), best)

    def _limited(self, values: Numbers) -> Numbers:
        """Sums of `never` could leave the range of int64."""
        return values if values.dtype == np.float64 else np.maximum(values, self.never)

    def _goals(self) -> list[Any]:
        items = self.items
        last = items.sizes - 1
        if not items.single_root:
            right = np.ones_like(items.root_context)
            found: list[Any] = self.half[
                items.row(right, items.root_context) * self.columns + self.zero + last
            ].tolist()
            return found
        arc = np.flatnonzero(items.h == items.roots[items.sentence[items.h]])
        sentence = items.sentence[items.h[arc]]
        words = items.distance[arc]
        value = items.arc[arc] + items.first[arc] + items.stop[arc]
        value = value + self.half[self.inward[arc] + words - 1]
        value = value + self.half[self.outward[arc] + last[sentence] - words]
        best = [self.never] * len(items.sizes)
        for place, x in zip(sentence.tolist(), value.tolist(), strict=True):
            best[place] = max(best[place], x)
        return best


def _joined(columns: Sequence[Numbers]) -> Numbers:
    return columns[0] if len(columns) == 1 else np.concatenate(columns)


def spread_out(counts: Places) -> tuple[Places, Places]:
    """Each place as often as it counts, and the numbers 0, 1, ... of each."""
    places = np.repeat(np.arange(len(counts)), counts)
    return places, np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
