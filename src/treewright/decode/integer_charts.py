"""The highest value of a projective tree over integer scores: dynamic programs, written for `verify` only."""

from __future__ import annotations

import numpy as np

from treewright.decode.integer_scores import Integers, Scores

DENSE_NODES = 40  # by convention: longer sentences, whose parts are pruned, have a chart over candidate arcs only


def best_projective(scores: Scores, single_root: bool) -> int:
    """The highest value of a projective tree; far below that of the tree to check when there is none."""
    if not (scores.has_tables or scores.has_grand):
        return _first_order(scores, single_root)
    if scores.nodes <= DENSE_NODES or scores.given.arrays:
        return _Chart(scores, single_root).best()
    return _over_candidates(scores, single_root)


def _first_order(scores: Scores, single_root: bool) -> int:
    """Eisner's recurrence, all spans of one width at a time.

    right[i, w] is the best structure over i .. i + w with the head i, left[j, w] over j - w .. j with the head j;
    `ends` holds the right ones by their last word, `begins` the left ones by their first. In right_arc and left_arc
    the modifier is at the other end, and only its side towards the head is there.
    """
    arc = np.maximum(scores.arc, scores.floor)  # sums of `never` could leave the range of int64
    inner = arc[1:, 1:] if single_root else arc
    n = len(inner)
    right, left, ends, begins, right_arc, left_arc = np.zeros((6, n, n), dtype=arc.dtype)
    largest = np.maximum.reduce
    for w in range(1, n):
        low, high = slice(0, n - w), slice(w, n)
        pair = largest(right[low, :w] + left[high, w - 1 :: -1], axis=1)
        right_arc[low, w] = pair + inner.diagonal(w)
        left_arc[high, w] = pair + inner.diagonal(-w)
        right[low, w] = ends[high, w] = largest(right_arc[low, 1 : w + 1] + ends[high, w - 1 :: -1], axis=1)
        left[high, w] = begins[low, w] = largest(left_arc[high, 1 : w + 1] + begins[low, w - 1 :: -1], axis=1)
    if not single_root:
        return int(right[0, n - 1])
    words = np.arange(n)
    return int((arc[0, 1:] + left[words, words] + right[words, n - 1 - words]).max())


class _Chart:
    """Eisner's recurrence with siblings and grandparents, all spans of one width at a time.

    Structures to the left of a head are structures to the right of it in the mirrored sentence: the first axis is the
    direction, and everything is written for the right side only. n positions are the words, and node 0 before them
    if the root may have several modifiers; the last axis, of a head's own head g, has one more entry for node 0 above
    the words, or one entry if there are no grandparent scores.

        right[i, w, g]    i and its modifiers, over i .. i + w
        left[i, w, g]     i and its modifiers on the other side, over i - w .. i (right, mirrored)
        pair[i, w, g]     max over k of  right[i, k, g] + left[i + w, w - 1 - k, g]
        path[i, w, g]     i and its modifiers up to i + w, of which only the side towards i is there:
                          arc + grand + max( sib(first) + left[i + w, w - 1, i],
                                             max over v of  path[i, v, g] + pair[i + v, w - v, i] + sib(i + v) )
        right[i, w, g]  = max over v of  path[i, v, g] + right[i + v, w - v, i] + stop(i + v)
    """

    def __init__(self, scores: Scores, single_root: bool) -> None:
        self.scores, self.single_root = scores, single_root
        self.first = 1 if single_root else 0
        self.n = scores.nodes - self.first
        n, first = self.n, self.first
        self.arc = np.maximum(scores.arc, scores.floor)  # sums of `never` could leave the range of int64
        kind = self.arc.dtype
        self.uppers = n + first if scores.has_grand else 1
        self.by_distance = np.arange(n)[:, None] + np.arange(n)  # [i, w] -> i + w, to be cut off at n - 1
        nodes = np.minimum(self.by_distance, n - 1)
        i = np.arange(n)[:, None]
        self.gain = self._both(self.arc[first:, first:])[:, i, nodes][..., None]
        given = scores.dense("grand")
        if given is not None:
            grand = np.moveaxis(given, 0, 2)[first:, first:].copy()  # [h, m, g]
            if not single_root:
                grand[0] = 0  # node 0 has no head
            order = [*range(first, n + first), *([0] * first)]  # node 0 last
            mirrored = [*range(n + first - 1, first - 1, -1), *([0] * first)]
            grand = np.stack([grand[..., order], grand[::-1, ::-1][..., mirrored]])
            self.gain = self.gain + grand[:, i, nodes]
        self.range, self.zero = np.arange(n + 1), np.zeros(n + 1, dtype=np.int64)
        self.sib = self.stop = None
        if scores.has_tables:
            sib, stop = scores.dense("sib"), scores.dense("stop")
            if sib is not None:
                inner = nodes[:, None, :]
                self.sib = self._both(sib[first:, first:, first:])[:, i[:, None], nodes[:, :, None], inner]
            if stop is not None:
                own = stop[first:, first:]
                self.stop = np.stack([own[..., 1], own[::-1, ::-1, 0]])[:, i, nodes]
        self.right, self.left, self.pair, self.path = np.zeros((4, 2, n, n, self.uppers), dtype=kind)

    def _both(self, array: Integers) -> Integers:
        return np.stack([array, array[(slice(None, None, -1),) * array.ndim]])

    def best(self) -> int:
        """The value of the best tree."""
        n, scores = self.n, self.scores
        if self.stop is not None:
            self.right[:, :, 0] = self.stop[:, :, :1]
            self.left[:, :, 0] = self.right[::-1, ::-1, 0]
        for w in range(1, n):
            self._add_width(w)
        if not self.single_root:
            return int(self.right[0, 0, n - 1, 0])
        words, upper = np.arange(n), self.uppers - 1
        total = self.arc[0, 1:] + self.left[0, words, words, upper] + self.right[0, words, n - 1 - words, upper]
        if scores.has_tables:
            sib, stop = scores.dense("sib"), scores.dense("stop")
            total = total if sib is None else total + sib[0, 1:, 0]
            total = total if stop is None else total + stop[0, 1:, 1]
        return int(total.max())

    def _add_width(self, w: int) -> None:
        n, has_grand = self.n, self.scores.has_grand
        begin, end = slice(0, n - w), slice(w, n)
        right, left, pair, path, sib = self.right, self.left, self.pair, self.path, self.sib
        i = self.range[begin]
        head = i if has_grand else self.zero[begin]  # as the g of a modifier
        pair[:, begin, w] = largest(right[:, begin, :w] + left[:, end, w - 1 :: -1])
        best = left[:, i + w, w - 1, head]
        best = (best if sib is None else best + sib[:, begin, w, 0])[..., None]
        if w > 1:
            step = pair[:, i[:, None] + self.range[1:w], self.range[w - 1 : 0 : -1], head[:, None]]
            step = step if sib is None else step + sib[:, begin, w, 1:w]
            best = np.maximum(best, largest(path[:, begin, 1:w] + step[..., None]))
        path[:, begin, w] = best + self.gain[:, begin, w]
        rest = right[:, i[:, None] + self.range[1 : w + 1], self.range[w - 1 :: -1], head[:, None]]
        rest = rest if self.stop is None else rest + self.stop[:, begin, 1 : w + 1]
        right[:, begin, w] = best = largest(path[:, begin, 1 : w + 1] + rest[..., None])
        mirrored = best[::-1, ::-1]
        left[:, end, w] = mirrored
        if has_grand:
            left[:, end, w, :n] = mirrored[..., n - 1 :: -1] if self.single_root else mirrored[..., ::-1]


def largest(options: Integers) -> Integers:
    """The maximum over the third axis."""
    found: Integers = np.maximum.reduce(options, axis=2)
    return found


def _over_candidates(scores: Scores, single_root: bool) -> int:
    """Sibling and grandparent scores over candidate arcs; structures that no tree has are left out.

    spans[right][h][e]: h with its modifiers on that side, over h .. e, under each candidate head of h
    path[h, m]: h with its modifiers up to m, of which only the side towards h is there
    waiting[right][w]: (h, m, rest): path[h, m] and the span of m to the end of a span of h that has the width w
    """
    nodes, last, has_grand = scores.nodes, scores.nodes - 1, scores.has_grand
    heads_of, sides, tables, rank, arcs = scores.heads_of, scores.sides, scores.tables, scores.rank, scores.arcs
    place = [{h: k if has_grand else 0 for k, h in enumerate(heads)} for heads in heads_of]
    count = [len(heads) if has_grand and heads else 1 for heads in heads_of]
    spans: list[list[dict[int, list[int]]]] = [[{} for _ in range(nodes)] for _ in (0, 1)]
    path: dict[tuple[int, int], list[int]] = {}
    waiting: list[list[list[tuple[int, int, int]]]] = [[[] for _ in range(2 * nodes)] for _ in (0, 1)]
    above: list[list[list[tuple[int, int, int]]]] = [[[] for _ in range(nodes)] for _ in (0, 1)]
    by_width: list[list[tuple[int, int]]] = [[] for _ in range(nodes)]
    for m, heads in enumerate(heads_of):
        for k, h in enumerate(heads):
            if h or not single_root:
                stop = tables[h][m > h][rank[h, m] + 1][-1]
                above[m > h][m].append((h, k if has_grand else 0, stop))
                by_width[abs(h - m)].append((h, m))

    def add_span(right: int, h: int, e: int, values: list[int]) -> None:
        spans[right][h][e] = values
        for g, k, stop in above[right][h]:
            waiting[right][abs(e - g)].append((g, h, values[k] + stop))

    for h in range(nodes):
        for right in (0, 1):
            add_span(right, h, h, [tables[h][right][0][-1]] * count[h])
    for width in range(1, nodes):
        for h, m in by_width[width]:
            right = m > h
            step = 1 if right else -1
            side, table, q = sides[h][right], tables[h][right], rank[h, m]
            inner, j = spans[not right][m], place[m][h]
            options = []
            if h + step in inner:
                options.append([table[0][q] + inner[h + step][j]] * count[h])
            for p in range(q):
                s = side[p]
                before = path.get((h, s))
                if before is None:
                    continue
                k = place[s][h]
                pairs = [x[k] + inner[e + step][j] for e, x in spans[right][s].items() if e + step in inner]
                if pairs:
                    gap = max(pairs) + table[p + 1][q]
                    options.append([x + gap for x in before])
            if options:
                best = options[0] if len(options) == 1 else list(map(max, *options))
                arc = arcs[h][m]
                if has_grand and h:
                    path[h, m] = [x + arc + y for x, y in zip(best, scores.grands[h][m], strict=True)]
                else:
                    path[h, m] = [x + arc for x in best]
        for right in (0, 1):
            closed: dict[int, list[list[int]]] = {}
            for h, m, rest in waiting[right][width]:
                if (h, m) in path:
                    closed.setdefault(h, []).append([x + rest for x in path[h, m]])
            for h, options in closed.items():
                best = options[0] if len(options) == 1 else list(map(max, *options))
                add_span(right, h, h + width if right else h - width, best)
    if not single_root:
        return spans[1][0].get(last, [scores.never])[0]
    best_value, table = scores.never, tables[0][1]
    for q, m in enumerate(sides[0][1]):
        if 1 in spans[0][m] and last in spans[1][m]:
            k = place[m][0]
            value = arcs[0][m] + table[0][q] + table[q + 1][-1] + spans[0][m][1][k] + spans[1][m][last][k]
            best_value = max(best_value, value)
    return best_value
