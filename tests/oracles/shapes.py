"""Constraints on the shape of a tree by their definitions, for enumeration; and random ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from oracles.trees import Tree, all_trees

from treewright.decode import Below, Depth, RootChildren, Span, TreeConstraint, Valency


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
