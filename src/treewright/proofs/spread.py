"""The spread of a tree: the scale of differences between trees, which the tolerance of a certificate is relative to.

The definition is on docs/decoding.md, "What certified means"; core/trees/spread.hpp has the same random walk.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from treewright.proofs.scores import Floats, Scores, is_above

FEW_WORDS, MAX_RATIO = 8, 2.0**9
TREES, MAX_ROUNDS, RANK = 15, 30, 1
Structure = TypeVar("Structure", list[int], list[bool])  # the heads of a tree; which arcs a graph has


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
    """Return the largest spread of a tree, given by its heads, under the scores of its sentence."""
    is_candidate, draws = (scores.number >= 0).tolist(), Draws()

    def walk(tree: Sequence[int], steps: int) -> list[int]:
        """Return the tree after this number of random steps; those that lead to no tree are left out."""
        following = list(tree)
        for _ in range(steps):
            m, h = 1 + draws.below(scores.nodes - 1), draws.below(scores.nodes)
            if h == following[m] or not is_candidate[h][m]:
                continue
            if h == 0 and single_root:
                child = following.index(0)
                if not is_candidate[m][child]:
                    continue
                following[child] = m
            elif is_above(following, m, h):
                continue
            following[m] = h
        return following

    def parts_of(tree: Sequence[int]) -> list[float]:
        return [*map(float, scores.of_tree(scores.parts_of(tree)))]

    return limit_of_random_walk(list(heads), 2 * scores.nodes, walk, parts_of)


def limit_of_random_walk(
    start: Structure,
    steps: int,
    walk: Callable[[Structure, int], Structure],
    parts_of: Callable[[Structure], list[float]],
) -> float:
    """Return a multiple of the difference in value between a structure and random ones.

    walk goes from a structure by a number of steps to another: `steps`, and fewer after one with a part of -inf.
    parts_of lists the scores of its parts. The result is +inf if the walk found no other structure, and 0 if it found
    only ties.
    """
    own, structure, differences, has_tie = parts_of(start), start, list[float](), False
    for _ in range(MAX_ROUNDS):
        if len(differences) == TREES:
            break
        following = walk(structure, steps)
        parts = parts_of(following)
        if -math.inf in parts:
            steps = max(1, steps // 2)
            continue
        structure = following
        if structure != start:
            difference = _difference_of_sums(own, parts)
            if difference:
                differences.append(difference)
            else:
                has_tie = True
    if not differences:
        return 0.0 if has_tie else math.inf
    return MAX_RATIO * sorted(differences)[RANK * len(differences) // TREES]


def _difference_of_sums(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the size of the difference; 0 if it is at most what rounding each score to a double can make.

    one and other are the scores of the parts of two trees; equal ones cancel out. Rounding is half a unit in the last
    place of each score.
    """
    ones, others = Counter(one), Counter(other)
    rest = [*(ones - others).elements(), *(-score for score in (others - ones).elements())]
    try:
        size = abs(math.fsum(rest))
    except OverflowError:
        return math.inf
    return 0.0 if size <= sum(math.ldexp(1.0, math.frexp(score)[1] - 54) for score in rest if score) else size


class Draws:
    """Random numbers: a linear congruential generator, the same as in core/trees/spread.hpp."""

    state = 0

    def below(self, end: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 32) * end >> 32
