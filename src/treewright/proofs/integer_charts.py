"""The highest value of a projective tree over integer scores: dynamic programs, written for `verify` only."""

from __future__ import annotations

import numpy as np

from treewright.proofs.candidate_charts import best_values, columns_of
from treewright.proofs.integer_scores import Integers, Scores


def best_projective(scores: Scores, single_root: bool) -> int:
    """The highest value of a projective tree; far below that of the tree to check when there is none."""
    if not (scores.has_tables or scores.has_grand):
        return _first_order(scores, single_root)
    if scores.given.arrays:
        return _Chart(scores, single_root).best()
    return int(best_values([columns_of(scores.given, scores.integers)], single_root, scores.never)[0])


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
