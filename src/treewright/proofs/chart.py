"""The smallest loss of a projective tree: Eisner's dynamic program with siblings and grandparents over integers.

What is left of a head is right of it in the mirrored sentence, so that everything is written for the right side only:
the first axis of all arrays is the direction d, and position i is node i or, mirrored, node n - 1 - i. The last axis is
k: the head's own head is number k of its candidates. With j = i + w:

    half[d, i, w, k]   i and its modifiers up to j
    back[d, i, w, k]   i and its modifiers on the other side (half, mirrored)
    pair[d, i, w, k]   the siblings i and j under head k of i, and all between them:
                       min over v of  half[d, i, v, k] + back[d, j, w - 1 - v, the same head]
    path[d, i, w, k]   i and its modifiers up to j, of which only the side towards i is there:
                       arc + grand + min( sib(first) + back[d, j, w - 1, head i],
                                          min over v of  path[d, i, v, k] + sib(i + v) + pair[d, i + v, w - v, head i] )
    half[d, i, w, k] = min over v of  path[d, i, v, k] + stop(i + v) + half[d, i + v, w - v, head i]

Losses are not negative and limited to `cap`: the items of arcs that are no candidates need no care, nor do those of
further children of a root that may have one, whose sibling parts lose as much.
O(n^3) for each candidate head, in O(n) array operations.
"""

from __future__ import annotations

import numpy as np

from treewright.proofs.losses import IntegerLosses
from treewright.proofs.scores import Scores


class Chart:
    """The dynamic program; `smallest_loss` is its result, at most the cap."""

    def __init__(self, scores: Scores, losses: IntegerLosses) -> None:
        self.scores, self.losses = scores, losses
        self.n = n = scores.nodes
        node = np.arange(n)
        self.node = np.stack([node[::-1], node])  # [d, position]
        # One more arc, with the loss `cap`, stands for all that are no candidates.
        self.gain = np.full((scores.arcs + 1, scores.heads), losses.cap, dtype=losses.arc.dtype)
        self.gain[:-1] = losses.arc[:, None] + losses.grand
        self.rank, self.position = np.append(scores.rank, 0), np.append(scores.position, 1)
        self.first_sib = np.append(scores.first_sib, 0)
        i, v = np.arange(n)[:, None], np.arange(n)
        modifier = self.node[:, np.minimum(i + v, n - 1)]
        self.arcs = np.where(i + v < n, scores.number[self.node[:, :, None], modifier], -1)  # [d, i, v]: to i + v
        self.states = self.position[self.arcs]
        first_stop = scores.first_stop[2 * self.node + np.array([[0], [1]])]
        self.stops = losses.stop.take(first_stop[..., None] + self.states, mode="clip")
        # pair and half, with a flat axis for [d, i, w, k]
        self.items = np.full((2, 2 * n * n * scores.heads), losses.cap, dtype=losses.arc.dtype)
        shape = (2, n, n, scores.heads)
        self.pair, self.half = self.items[0].reshape(shape), self.items[1].reshape(shape)
        self.path = np.full(shape, losses.cap, dtype=losses.arc.dtype)
        self.half[:, :, 0] = losses.stop[first_stop][..., None]
        # of [d, i + v, -v, the head i] and of the other side of i + v, [d, i + v, 0, the head i], in the flat axis
        d, rank = np.arange(2)[:, None, None], self.rank[self.arcs]
        self.outward = ((d * n + i + v) * n - v) * scores.heads + rank
        self.inward = (((1 - d) * n + n - 1 - i - v) * n) * scores.heads + rank

    def smallest_loss(self) -> int:
        """The smallest loss of a projective tree."""
        for width in range(1, self.n):
            self._add_pairs(width)
            self._add_paths(width)
        return int(self.half[1, 0, self.n - 1, 0])

    def _add_pairs(self, w: int) -> None:
        """pair[d, i, w, k] of all i."""
        n, heads = self.n, self.scores.heads
        begin, end = slice(0, n - w), slice(w, n)
        rank = np.zeros(1, dtype=np.intp)
        if heads > 1:  # of head k of i among those of j
            uppers = self.scores.heads_of[self.node[:, begin]]
            rank = self.rank[self.scores.number[uppers, self.node[:, end, None]]]
        j = np.arange(w, n)[:, None]
        at_zero = ((np.arange(1, -1, -1)[:, None, None] * n + n - 1 - j) * n) * heads + rank
        outer = self.items[1].take(at_zero[:, :, None] + np.arange((w - 1) * heads, -1, -heads)[:, None])
        self.pair[:, begin, w] = np.minimum(np.minimum.reduce(self.half[:, begin, :w] + outer, axis=2), self.losses.cap)

    def _add_paths(self, w: int) -> None:
        """path[d, i, w, k] and half[d, i, w, k] of all i."""
        losses, heads = self.losses, self.scores.heads
        begin = slice(0, self.n - w)
        arc = self.arcs[:, begin, w]
        first_sib = self.first_sib[arc]
        pair, half = self.items.take(self.outward[:, begin, 1 : w + 1] + w * heads, axis=1)
        best = (self.items[1].take(self.inward[:, begin, w] + (w - 1) * heads) + losses.sib[first_sib])[..., None]
        if w > 1:  # items of inner siblings that are no candidates lose `cap`, whatever is read for them here
            sib = losses.sib.take(first_sib[..., None] + self.states[:, begin, 1:w], mode="clip")
            step = pair[..., :-1] + sib
            best = np.minimum(best, np.minimum.reduce(self.path[:, begin, 1:w] + step[..., None], axis=2))
        self.path[:, begin, w] = np.minimum(best + self.gain[arc], losses.cap)
        rest = half + self.stops[:, begin, 1 : w + 1]
        closed = np.minimum.reduce(self.path[:, begin, 1 : w + 1] + rest[..., None], axis=2)
        self.half[:, begin, w] = np.minimum(closed, losses.cap)
