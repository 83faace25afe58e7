"""Every tree over n <= 5 words, and the value of a tree by the definition of the parts. Slow and plain on purpose."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

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


def parts_of(heads: Any, arc: Any, sib: Any = None, grand: Any = None, stop: Any = None) -> list[float]:
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
                inner = m
            if stop is not None and (h, side) != (0, 0):
                found.append(stop[h, inner, side])
    return [float(score) for score in found]


def value(heads: Any, arc: Any, sib: Any = None, grand: Any = None, stop: Any = None) -> float:
    """The value of a tree: the sum of its parts' scores, in the order of the parts."""
    return float(sum(parts_of(heads, arc, sib, grand, stop)))
