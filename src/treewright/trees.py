"""What a tree is: predicates, measures and conversions over head vectors. Depends on nothing but NumPy.

A tree over n words is a vector `heads` of n + 1 nodes: heads[m] is the head of word m, node 0 is the root and
heads[0] == -1. Words are 1..n. A CoNLL column has the same numbers without the first entry: `from_conll` and
`to_conll` go between the two.

An arc h -> m is non-projective when some word between h and m is not dominated by h; a tree is projective when
no arc is non-projective, which is the same as: the words that each word dominates are contiguous, and the same
as: no two arcs cross when the root is at the left end and all arcs are drawn on one side.

Costs are O(n) or O(n log n) unless a function states another; no function is recursive.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "check_tree", "crossing_pairs", "depths", "find_cycle", "from_conll", "is_projective", "is_tree", "modifiers",
    "nonprojective_arcs", "preorder", "roots", "to_conll",
]  # fmt: skip

Heads = NDArray[np.int32]

SHORT = 100  # number of nodes up to which all pairs of arcs are compared; not tuned, it changes the speed only


def from_conll(numbers: ArrayLike) -> Heads:
    """Return the head vector of a CoNLL HEAD column: the same numbers with the root's -1 before them.

    >>> from_conll([2, 0, 2]).tolist()
    [-1, 2, 0, 2]
    """
    return np.concatenate([[-1], as_integers(numbers, "numbers")]).astype(np.int32)


def to_conll(heads: ArrayLike) -> Heads:
    """Return the CoNLL HEAD column of a head vector: one number a word.

    >>> to_conll([-1, 2, 0, 2]).tolist()
    [2, 0, 2]
    """
    return np.array(as_heads(heads)[1:], np.int32)


def is_tree(heads: ArrayLike, *, root: str = "multi") -> bool:
    """Whether heads is a tree: node 0 dominates every word, with root="single" through exactly one modifier.

    >>> is_tree([-1, 2, 0, 2]), is_tree([-1, 2, 1, 0])
    (True, False)
    >>> is_tree([-1, 0, 0]), is_tree([-1, 0, 0], root="single")
    (True, False)
    """
    return what_is_wrong(heads, root) is None


def check_tree(heads: ArrayLike, *, root: str = "multi") -> Heads:
    """Return the heads as int32, or raise a ValueError that says what keeps them from being a tree.

    >>> check_tree([-1, 2, 3, 1])
    Traceback (most recent call last):
        ...
    ValueError: heads has a cycle: 1 <- 2 <- 3 <- 1; every word must be reachable from the root, node 0
    """
    wrong = what_is_wrong(heads, root)
    if wrong is not None:
        raise ValueError(wrong)
    return as_heads(heads)


def what_is_wrong(heads: ArrayLike, root: str = "multi") -> str | None:
    """Return a sentence on the first thing that keeps heads from being a tree; None when it is one.

    >>> what_is_wrong([-1, 0, 5])
    'heads[2] is 5; a head is between 0 (the root) and 2, the number of words'
    """
    if root not in ("single", "multi"):
        raise ValueError(f"root is {root!r}; it can be 'single' or 'multi'")
    try:
        vector = as_heads(heads)
    except ValueError as error:
        return str(error)
    words = len(vector) - 1
    outside = np.flatnonzero((vector[1:] < 0) | (vector[1:] > words)) + 1
    if len(outside):
        m = outside[0]
        return f"heads[{m}] is {vector[m]}; a head is between 0 (the root) and {words}, the number of words"
    cycle = find_cycle(vector)
    if cycle:
        if len(cycle) == 1:
            return f"heads[{cycle[0]}] is {cycle[0]}: a word cannot be its own head"
        path = " <- ".join(map(str, [*cycle, cycle[0]]))
        return f"heads has a cycle: {path}; every word must be reachable from the root, node 0"
    tops = roots(vector)
    if root == "single" and len(tops) != 1:
        if not len(tops):
            return "heads has no word; a single root needs one"
        return f"heads has {len(tops)} modifiers of the root: {', '.join(map(str, tops))}; expected exactly one"
    return None


def find_cycle(heads: ArrayLike) -> list[int]:
    """Return the words of a cycle, each followed by its head, from the smallest on; [] when there is none.

    >>> find_cycle([-1, 0, 4, 2, 3]), find_cycle([-1, 0, 1])
    ([2, 4, 3], [])
    """
    vector = as_heads(heads)
    above = ancestors_at_last(vector)
    trapped = np.flatnonzero(above)
    if not len(trapped):
        return []
    start = m = int(above[trapped[0]])  # so many steps up that it lies on the cycle
    cycle: list[int] = []
    while not cycle or m != start:
        cycle.append(m)
        m = int(vector[m])
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]


def ancestors_at_last(heads: Heads) -> Heads:
    """Return for each node where at least n steps upwards lead: 0, or a node of a cycle. O(n log n), by doubling."""
    up: Heads = np.array(heads)
    up[0] = 0
    for _ in range(len(up).bit_length()):
        up = np.take(up, up)
    return up


def roots(heads: ArrayLike) -> Heads:
    """Return the modifiers of node 0, in order.

    >>> roots([-1, 0, 1, 0]).tolist()
    [1, 3]
    """
    return np.flatnonzero(as_heads(heads) == 0).astype(np.int32)


def modifiers(heads: ArrayLike) -> list[tuple[list[int], list[int]]]:
    """Return for each node its modifiers on the left and on the right, each outwards from the node.

    >>> modifiers([-1, 3, 3, 0, 3])
    [([], [3]), ([], []), ([], []), ([2, 1], [4]), ([], [])]
    """
    vector = as_heads(heads).tolist()
    sides: list[tuple[list[int], list[int]]] = [([], []) for _ in vector]
    for m in range(1, len(vector)):
        if m > vector[m]:
            sides[vector[m]][1].append(m)
    for m in range(len(vector) - 1, 0, -1):
        if m < vector[m]:
            sides[vector[m]][0].append(m)
    return sides


def inner_and_last_modifiers(heads: Heads) -> tuple[Heads, Heads]:
    """Return the inner neighbour of each modifier on its side, and the last modifier [h, side] of each node.

    heads: a head vector in int32. Where there is no such modifier, both have the head itself.

    >>> inner, last = inner_and_last_modifiers(as_heads([-1, 3, 3, 0, 3]))
    >>> inner.tolist(), last.tolist()
    ([-1, 2, 3, 0, 3], [[0, 3], [1, 1], [2, 2], [1, 4], [4, 4]])
    """
    nodes = len(heads)
    inner = heads.copy()
    last = np.repeat(np.arange(nodes, dtype=np.int32)[:, None], 2, axis=1)
    for head, sides in enumerate(modifiers(heads)):
        for side, outwards in enumerate(sides):
            for modifier in outwards:
                inner[modifier], last[head, side] = last[head, side], modifier
    return inner, last


def depths(heads: ArrayLike) -> Heads:
    """Return the number of arcs between the root and each node. O(n log n), by doubling the steps upwards.

    >>> depths([-1, 2, 0, 2, 3]).tolist()
    [0, 2, 1, 2, 3]
    """
    return depths_of(check_tree(heads))


def is_projective(heads: ArrayLike) -> bool:
    """Whether the words that each word dominates are contiguous.

    >>> is_projective([-1, 2, 0, 2]), is_projective([-1, 3, 0, 2, 2, 1])
    (True, False)
    """
    tree = check_tree(heads)
    if len(tree) <= SHORT:
        return not arcs_cross(tree)
    return not len(nonprojective_of(tree))


def has_crossing_arcs(heads: list[int]) -> bool:
    """Whether two arcs of a tree cross, the root standing left of the first word; `is_projective` for plain numbers.

    >>> has_crossing_arcs([-1, 2, 0, 2]), has_crossing_arcs([-1, 3, 0, 2, 2, 1])
    (False, True)
    """
    ends: dict[int, list[int]] = {}  # right ends of arcs by their left ends
    for word, head in enumerate(heads[1:], 1):
        ends.setdefault(min(word, head), []).append(max(word, head))
    covering: list[int] = []  # right ends of the arcs around the current node, the innermost last
    for left in sorted(ends):
        while covering and covering[-1] <= left:
            covering.pop()
        for right in sorted(ends[left], reverse=True):
            if covering and covering[-1] < right:
                return True
            covering.append(right)
    return False


def nonprojective_arcs(heads: ArrayLike) -> Heads:
    """Return the words m whose arc heads[m] -> m spans a word that heads[m] does not dominate, in order. O(n log n).

    >>> nonprojective_arcs([-1, 3, 0, 2, 2, 1]).tolist()
    [1, 5]
    """
    return nonprojective_of(check_tree(heads))


def gap_of(heads: list[int], word: int) -> list[int]:
    """Return the words between a word and its head that the head does not dominate: the gap of an arc of a tree.

    >>> gap_of([-1, 3, 0, 2, 2, 1], 5)
    [2, 3, 4]
    """
    head, gap = heads[word], []
    for inner in range(min(head, word) + 1, max(head, word)) if head > 0 else ():
        above = inner
        while above > 0 and above != head:
            above = heads[above]
        if above != head:
            gap.append(inner)
    return gap


def crossing_pairs(heads: ArrayLike) -> Heads:
    """Return pairs (a, b) of words whose arcs cross, a's starting further left; arcs of the root start at 0.

    O(n + pairs of arcs of which one starts under the other).

    >>> crossing_pairs([-1, 3, 0, 2, 2, 1]).tolist()
    [[2, 1], [2, 5], [1, 4]]
    """
    tree = check_tree(heads)
    words = np.arange(1, len(tree))
    left, right = np.minimum(words, tree[1:]), np.maximum(words, tree[1:])
    order = np.lexsort((words, left))
    left, right, words = left[order], right[order], words[order]
    begin, end = np.searchsorted(left, left + 1), np.searchsorted(left, right)
    pairs = []
    for a in range(len(words)):
        under = np.arange(begin[a], end[a])
        crossing = words[under[right[under] > right[a]]]
        pairs.append(np.column_stack([np.full(len(crossing), words[a]), crossing]))
    return np.concatenate([np.empty((0, 2), np.int32), *pairs]).astype(np.int32)


def preorder(heads: ArrayLike) -> Heads:
    """Number the nodes: heads before modifiers, what a node dominates numbered without a gap.

    >>> preorder([-1, 2, 0, 2]).tolist()
    [0, 2, 1, 3]
    """
    tree = check_tree(heads)
    return preorder_of(tree, sizes_of(tree))


# From here on heads are known to be a tree.


def depths_of(heads: Heads) -> Heads:
    up = np.array(heads)
    up[0] = 0
    depth = np.ones(len(up), np.int32)
    depth[0] = 0
    while up.any():  # depth[m] is the number of arcs from up[m] to m
        depth += np.take(depth, up)
        up = np.take(up, up)
    return depth


def bottom_up(heads: Heads) -> list[int]:
    """Return the words, each after all that it dominates."""
    order: list[int] = np.argsort(depths_of(heads), kind="stable").tolist()
    return order[:0:-1]  # the root, alone at depth 0, left out


def sizes_of(heads: Heads) -> Heads:
    above = heads.tolist()
    size = [1] * len(above)
    for m in bottom_up(heads):
        size[above[m]] += size[m]
    return np.array(size, np.int32)


def preorder_of(heads: Heads, sizes: Heads) -> Heads:
    above, size = heads.tolist(), sizes.tolist()
    number = [0] * len(above)
    free = [1] * len(above)  # the next number for a modifier of each node, once the node has its own
    for m in reversed(bottom_up(heads)):
        h = above[m]
        number[m] = free[h]
        free[h] += size[m]
        free[m] = number[m] + 1
    return np.array(number, np.int32)


def arcs_cross(heads: Heads) -> bool:
    """Whether any two arcs cross, the root standing left of the first word: O(n²), but at once."""
    words = np.arange(1, len(heads), dtype=np.int32)
    left, right = np.minimum(words, heads[1:]), np.maximum(words, heads[1:])
    begins_inside = (left[:, None] < left) & (left < right[:, None])
    return bool((begins_inside & (right > right[:, None])).any())


def nonprojective_of(heads: Heads) -> Heads:
    """In preorder h dominates the numbers from its own on, as many as its size. So an arc is projective when the
    smallest and the largest number between its ends are among those of its head."""
    if len(heads) <= SHORT and not arcs_cross(heads):
        return np.empty(0, np.int32)
    words = np.arange(1, len(heads))
    begin, end = np.minimum(words, heads[1:]) + 1, np.maximum(words, heads[1:])  # strictly between, end excluded
    wide = np.flatnonzero(end > begin)
    begin, end, h = begin[wide], end[wide], heads[1:][wide]
    size = sizes_of(heads)
    number = preorder_of(heads, size)
    smallest = range_minima(number, begin, end)
    largest = -range_minima(-number, begin, end)
    inside = (number[h] <= smallest) & (largest < number[h] + size[h])
    return words[wide[~inside]].astype(np.int32)


def range_minima(values: Heads, begin: NDArray[np.int64], end: NDArray[np.int64]) -> Heads:
    """Return min(values[begin[i]:end[i]]) for every i, all ranges non-empty.

    O(n log n): a row of minima per power of two.
    """
    minima = np.empty(len(begin), values.dtype)
    widths = end - begin
    width = 1  # values[i] is the minimum of so many of the values given, from i on
    while width <= widths.max(initial=0):
        here = np.flatnonzero((widths >= width) & (widths < 2 * width))
        minima[here] = np.minimum(values[begin[here]], values[end[here] - width])
        values = np.minimum(values[:-width], values[width:])
        width *= 2
    return minima


def as_heads(heads: ArrayLike) -> Heads:
    """Return heads as int32, after a check of shape, type and first entry."""
    vector = as_integers(heads, "heads")
    if len(vector) == 0 or vector[0] != -1:
        start = "is empty" if len(vector) == 0 else f"starts with {vector[0]}"
        raise ValueError(f"heads {start}; heads[0] is the root's and must be -1 (from_conll converts a HEAD column)")
    return vector


def as_integers(numbers: ArrayLike, name: str) -> Heads:
    try:
        array = np.asarray(numbers)
    except ValueError as error:
        raise ValueError(f"{name} cannot be read as an array: {error}") from None
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; it must be one-dimensional")
    if array.size and array.dtype.kind not in "iu":
        raise ValueError(f"{name} has dtype {array.dtype}; it must hold integers")
    return array.astype(np.int32, copy=False)
