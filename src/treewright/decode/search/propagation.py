"""Propagation of constraints on the shape of a tree: arcs that no tree within the rules can have are removed.

What is found is implied by single limits and paths; where it ends, a tree within the rules may still not exist.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.decode.structure import ArcSet, Cardinality, Rules


def propagate(rules: Rules, allowed: ArcSet) -> bool:
    """Remove arcs from `allowed` that no tree within the rules can have; return False if there is no such tree."""
    while True:
        before = int(allowed.sum())
        if not (_propagate_limits(rules, allowed) and _propagate_below(rules, allowed)):
            return False
        if rules.depth is not None and not _propagate_depth(rules.depth, allowed):
            return False
        if not allowed[:, 1:].any(axis=0).all():
            return False
        if int(allowed.sum()) == before:
            return True


def open_words(limit: Cardinality, allowed: ArcSet) -> NDArray[np.intp]:
    """List the words that can have their head arc in the set of a limit or outside it."""
    return np.flatnonzero((allowed & limit.arcs).any(axis=0) & (allowed & ~limit.arcs).any(axis=0))


def _propagate_limits(rules: Rules, allowed: ArcSet) -> bool:
    for limit in rules.cardinalities:
        words = open_words(limit, allowed)
        low = int(((allowed & limit.arcs).any(axis=0) & ~(allowed & ~limit.arcs).any(axis=0)).sum())
        high = low + len(words)
        if low > limit.high or high < limit.low:
            return False
        if low == limit.high:
            allowed[:, words] &= ~limit.arcs[:, words]
        elif high == limit.low:
            allowed[:, words] &= limit.arcs[:, words]
    return True


def _propagate_below(rules: Rules, allowed: ArcSet) -> bool:
    """Above the words that are fixed between the modifier and the head, the path must not end at the root."""
    for modifier, head in rules.below:
        chain = [modifier]
        while chain[-1] != head:
            heads = np.flatnonzero(allowed[:, chain[-1]])
            if len(heads) != 1 or int(heads[0]) in (0, *chain):
                break
            chain.append(int(heads[0]))
        if chain[-1] == head:
            continue
        allowed[0, chain[-1]] = False
        allowed[chain, head] = False
        if not allowed[:, chain[-1]].any():
            return False
    return True


def _propagate_depth(depth: int, allowed: ArcSet) -> bool:
    """A word is at least as deep as the shortest path to it, and the words that are fixed below it are deeper."""
    nodes = len(allowed)
    shortest = np.full(nodes, nodes)
    frontier = np.arange(nodes) == 0
    shortest[0] = 0
    for level in range(1, depth + 1):
        frontier = allowed[frontier].any(axis=0) & (shortest == nodes)
        shortest[frontier] = level
    if (shortest == nodes).any():
        return False
    below = _fixed_depth_below(allowed)
    allowed &= shortest[:, None] + 1 + below[None, :] <= depth
    return True


def _fixed_depth_below(allowed: ArcSet) -> NDArray[np.intp]:
    """Count the arcs of the longest path of fixed arcs below each node."""
    nodes = len(allowed)
    above = np.where(allowed.sum(axis=0) == 1, allowed.argmax(axis=0), -1)
    above[0] = -1
    below = np.zeros(nodes, dtype=np.intp)
    for word in range(1, nodes):
        node, steps = int(above[word]), 1
        while node > 0 and steps < nodes:
            below[node] = max(below[node], steps)
            node, steps = int(above[node]), steps + 1
    return below
