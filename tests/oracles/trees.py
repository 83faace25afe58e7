"""Every tree over n <= 5 words: the value of a tree, sums over trees and constraints on shapes, by definition.

Slow and plain on purpose.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from treewright.caching import cached_property
from treewright.decode import Below, Depth, RootChildren, Span, TreeConstraint, Valency

Tree = tuple[int, ...]  # heads[0] == -1


@cache
def all_trees(n: int, *, projective: bool = False, root: str = "single") -> tuple[Tree, ...]:
    """Every head vector over n words that is a tree; root is "single" or "multi" as in `decode.tree`."""
    if root not in ("single", "multi"):
        raise ValueError(root)
    candidates = ((-1, *heads) for heads in product(range(n + 1), repeat=n))
    trees = (heads for heads in candidates if all(dominates(heads, 0, m) for m in range(1, n + 1)))
    return tuple(
        heads
        for heads in trees
        if (root == "multi" or heads.count(0) == 1) and not (projective and any_nonprojective(heads))
    )


def dominates(heads: Tree, h: int, m: int) -> bool:
    """Do steps upwards lead from m to h? (Every node dominates itself.)"""
    for _ in heads:
        if m == h:
            return True
        if m == 0:
            return False
        m = heads[m]
    return False


def is_nonprojective_arc(heads: Tree, m: int) -> bool:
    """Is some word between heads[m] and m not dominated by heads[m]?"""
    h = heads[m]
    return any(not dominates(heads, h, k) for k in range(min(h, m) + 1, max(h, m)))


def any_nonprojective(heads: Tree) -> bool:
    return any(is_nonprojective_arc(heads, m) for m in range(1, len(heads)))


def sides(heads: Tree, h: int) -> tuple[list[int], list[int]]:
    """The modifiers of h on its left and on its right, each outwards from h."""
    found = [m for m in range(1, len(heads)) if heads[m] == h]
    return [m for m in reversed(found) if m < h], [m for m in found if m > h]


def parts_of(
    heads: Any, arc: Any, sib: Any = None, grand: Any = None, stop: Any = None, grandsib: Any = None
) -> list[float]:
    """The scores of the parts of a tree (docs/decoding.md); an array that is None has no parts."""
    heads = tuple(int(h) for h in heads)
    words = range(1, len(heads))
    found = [arc[heads[m], m] for m in words]
    if grand is not None:
        found += [grand[heads[heads[m]], heads[m], m] for m in words if heads[m] != 0]
    for h in range(len(heads)):
        for side in (0, 1):
            inner = h
            for m in sides(heads, h)[side]:
                if sib is not None:
                    found.append(sib[h, m, inner])
                if grandsib is not None and h != 0:
                    found.append(grandsib[heads[h], h, m, inner])
                inner = m
            if stop is not None and (h, side) != (0, 0):
                found.append(stop[h, inner, side])
    return [float(score) for score in found]


def value(heads: Any, arc: Any, sib: Any = None, grand: Any = None, stop: Any = None, grandsib: Any = None) -> float:
    """The value of a tree: the sum of its parts' scores, in the order of the parts."""
    return float(sum(parts_of(heads, arc, sib, grand, stop, grandsib)))


# Constraints on the shape of a tree by their definitions, for enumeration; and random ones.


def heads_above(heads: Any, word: int) -> list[int]:
    """The nodes between a word and the root, and the root."""
    found = []
    while word:
        word = int(heads[word])
        found.append(word)
    return found


def holds(constraint: TreeConstraint, heads: Any) -> bool:
    """Whether a tree meets a constraint."""
    words = range(1, len(heads))
    if isinstance(constraint, Depth):
        return all(len(heads_above(heads, word)) <= constraint.at_most for word in words)
    if isinstance(constraint, Below):
        return constraint.head in heads_above(heads, constraint.modifier)
    if isinstance(constraint, Span):
        inside = set(range(constraint.first, constraint.last + 1))
        return any({word for word in words if top in (word, *heads_above(heads, word))} == inside for top in inside)
    assert isinstance(constraint, RootChildren | Valency)
    if isinstance(constraint, RootChildren):
        children = [word for word in words if heads[word] == 0]
    else:
        left, right = constraint.side in (None, "left"), constraint.side in (None, "right")
        own = [word for word in words if heads[word] == constraint.head]
        children = [word for word in own if (left if word < constraint.head else right)]
    low = constraint.at_least if constraint.exactly is None else constraint.exactly
    high = constraint.at_most if constraint.exactly is None else constraint.exactly
    return (low is None or len(children) >= low) and (high is None or len(children) <= high)


def trees_within(constraints: Iterable[TreeConstraint], words: int, **shape: Any) -> list[Tree]:
    """Every tree that meets all of them."""
    given = list(constraints)
    return [heads for heads in all_trees(words, **shape) if all(holds(constraint, heads) for constraint in given)]


def random_constraint(random: np.random.Generator, words: int) -> TreeConstraint:
    number = int(random.integers(3))
    limits: list[dict[str, Any]] = [
        {"at_least": number},
        {"at_most": number},
        {"exactly": number},
        {"at_least": 1, "at_most": 2},
    ]
    limit = limits[random.integers(4)]
    kind = random.integers(6)
    if kind == 0:
        return RootChildren(**limit)
    if kind <= 2:
        sides: list[Any] = [None, "left", "right"]
        return Valency(int(random.integers(1, words + 1)), **limit, side=sides[random.integers(3)])
    if kind == 3:
        first, last = sorted(random.integers(1, words + 1, 2).tolist())
        return Span(first, last)
    if kind == 4 and words > 1:
        modifier, head = (1 + random.permutation(words)[:2]).tolist()
        return Below(modifier, head)
    return Depth(int(random.integers(1, 5)))


# Sums over enumerated trees: the log partition and the expectation of every part, by definition.

Expected = dict[tuple[int, ...], float]


@dataclass(frozen=True)
class Distribution:
    """Trees with values; a tree's probability is proportional to the exponential of its value."""

    trees: list[Tree]
    values: Sequence[float] | NDArray[np.float64]

    @cached_property
    def log_partition(self) -> float:
        return float(logsumexp(self.values))

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        return np.exp(np.array(self.values) - self.log_partition)

    @property
    def entropy(self) -> float:
        present = self.probabilities[self.probabilities > 0]
        return float(-(present * np.log(present)).sum())

    def expected(self, parts_of: Any) -> Expected:
        """The expected number of each part; parts_of(tree) lists those of a tree."""
        sums: Expected = defaultdict(float)
        for tree, probability in zip(self.trees, self.probabilities, strict=True):
            for part in parts_of(tree):
                sums[part] += float(probability)
        return sums

    @property
    def marginals(self) -> NDArray[np.float64]:
        """[h, m]"""
        nodes = len(self.trees[0])
        sums = np.zeros((nodes, nodes))
        for tree, probability in zip(self.trees, self.probabilities, strict=True):
            sums[list(tree[1:]), np.arange(1, nodes)] += probability
        return sums

    def correct_heads(self, heads: Any) -> float:
        """How many words of a tree drawn from the distribution have these heads, on average."""
        agree = (np.array(self.trees)[:, 1:] == np.asarray(heads)[1:]).sum(axis=1)
        return float(agree @ self.probabilities)


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
