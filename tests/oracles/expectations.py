"""Sums over enumerated trees: the log partition and the expectation of every part, by definition."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from oracles.trees import Tree, sides
from scipy.special import logsumexp

from treewright.caching import cached_property

Expected = dict[tuple[int, ...], float]


@dataclass(frozen=True)
class Distribution:
    """Trees with values; a tree's probability is proportional to the exponential of its value."""

    trees: list[Tree]
    values: list[float]

    @cached_property
    def log_partition(self) -> float:
        return float(logsumexp(self.values))

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        return np.exp(np.array(self.values) - self.log_partition)

    def expected(self, parts_of: Any) -> Expected:
        """The expected number of each part; parts_of(tree) lists those of a tree."""
        sums: Expected = defaultdict(float)
        for tree, probability in zip(self.trees, self.probabilities, strict=True):
            for part in parts_of(tree):
                sums[part] += float(probability)
        return sums

    def arcs(self) -> NDArray[np.float64]:
        """marginals[h, m]"""
        nodes = len(self.trees[0])
        found = np.zeros((nodes, nodes))
        for part, probability in self.expected(arcs_of).items():
            found[part] = probability
        return found


def arcs_of(tree: Tree) -> list[tuple[int, ...]]:
    return [(tree[m], m) for m in range(1, len(tree))]


def grandparents_of(tree: Tree) -> list[tuple[int, ...]]:
    """(g, h, m)"""
    return [(tree[h], h, m) for m, h in enumerate(tree) if m and h]


def siblings_of(tree: Tree) -> list[tuple[int, ...]]:
    """(h, m, s): s is the inner neighbour of m, h itself for the first modifier of a side."""
    return [(h, m, s) for h in range(len(tree)) for side in sides(tree, h) for s, m in pairwise([h, *side])]


def stops_of(tree: Tree) -> list[tuple[int, ...]]:
    """(h, s, side): s is the outermost modifier of the side, h itself if there is none; node 0 has no left side."""
    both = [(h, side, modifiers) for h in range(len(tree)) for side, modifiers in enumerate(sides(tree, h))]
    return [(h, [h, *modifiers][-1], side) for h, side, modifiers in both if h or side]
