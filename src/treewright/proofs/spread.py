"""The spread of a tree: the scale of differences between trees, which the tolerance of a certificate is relative to.

The definition is on docs/decoding.md, "What certified means"; core/trees/spread.hpp has the same random walk.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from treewright.proofs.scores import Floats, Scores

FEW_WORDS, MAX_RATIO = 8, 2.0**9
TREES, MAX_ROUNDS, RANK = 15, 30, 1


def needs_random_trees(scores: Scores, loss: float, loss_of_arc: Floats) -> bool:
    """Whether a tree with this loss may have masks that other trees have too.

    loss_of_arc has the loss of every arc of scores against the best head of its word.
    """
    margin = np.full(scores.nodes, np.inf)
    is_worse = loss_of_arc > 0
    np.minimum.at(margin, scores.modifier[is_worse], loss_of_arc[is_worse])
    margins = np.sort(margin[margin < np.inf])
    middle = margins[len(margins) // 2] if len(margins) else 0.0
    return bool(scores.nodes <= FEW_WORDS + 1 or loss > MAX_RATIO * middle)


def max_spread(scores: Scores, heads: Sequence[int], single_root: bool) -> float:
    """Return a multiple of the difference in value between a tree and random trees; +inf if the walk found none.

    scores are those of the sentence, heads the tree. A walk goes from tree to tree, with fewer steps after it came to a
    part of -inf.
    """
    walk = _Walk(scores, single_root)
    own = scores.of_tree(scores.parts_of(heads))
    tree, steps, differences = list(heads), 2 * scores.nodes, list[float]()
    for _ in range(MAX_ROUNDS):
        if len(differences) == TREES:
            break
        following = walk.from_tree(tree, steps)
        parts: Floats = scores.of_tree(scores.parts_of(following))
        if (parts == -np.inf).any():
            steps = max(1, steps // 2)
            continue
        tree = following
        if tree != list(heads):
            differences.append(_size_of_sum([*own, *-parts]))
    return MAX_RATIO * sorted(differences)[RANK * len(differences) // TREES] if differences else math.inf


def _size_of_sum(numbers: Sequence[float]) -> float:
    try:
        return abs(math.fsum(numbers))
    except OverflowError:
        return math.inf


class _Walk:
    """Random steps from tree to tree over candidate arcs."""

    def __init__(self, scores: Scores, single_root: bool) -> None:
        self.is_candidate = (scores.number >= 0).tolist()
        self.nodes, self.single_root, self.state = scores.nodes, single_root, 0

    def from_tree(self, tree: Sequence[int], steps: int) -> list[int]:
        """Return the tree after this number of steps; those that lead to no tree are left out."""
        following = list(tree)
        for _ in range(steps):
            m, h = 1 + self._draw(self.nodes - 1), self._draw(self.nodes)
            if h == following[m] or not self.is_candidate[h][m]:
                continue
            if h == 0 and self.single_root:
                child = following.index(0)
                if not self.is_candidate[m][child]:
                    continue
                following[child] = m
            elif _is_above(following, m, h):
                continue
            following[m] = h
        return following

    def _draw(self, end: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 32) * end >> 32


def _is_above(tree: Sequence[int], upper: int, node: int) -> bool:
    """Whether upper is the node or on its path to the root."""
    while node > 0:
        if node == upper:
            return True
        node = tree[node]
    return False
