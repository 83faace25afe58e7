"""Every acyclic graph over n <= 4 words, and its value by the definition of the parts. Slow and plain on purpose."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

Graph = tuple[tuple[int, int], ...]  # arcs (h, m)


def is_acyclic(n: int, arcs: Graph) -> bool:
    left = set(range(n + 1))
    while left:
        free = {node for node in left if not any(m == node and h in left for h, m in arcs)}
        if not free:
            return False
        left -= free
    return True


@cache
def all_graphs(n: int, *, root: str = "single") -> tuple[Graph, ...]:
    """Every acyclic graph in which each word has a head; root="single": one arc leaves 0."""
    pairs = [(h, m) for m in range(1, n + 1) for h in range(n + 1) if h != m]
    found = []
    for bits in product((False, True), repeat=len(pairs)):
        arcs = tuple(pair for pair, on in zip(pairs, bits, strict=True) if on)
        if len({m for _, m in arcs}) < n or (root == "single" and sum(h == 0 for h, _ in arcs) != 1):
            continue
        if is_acyclic(n, arcs):
            found.append(arcs)
    return tuple(found)


def graph_value(n: int, arcs: Any, arc: Any, sib: Any = None, grand: Any = None, stop: Any = None) -> float:
    arcs = {(int(h), int(m)) for h, m in arcs}
    total = sum(arc[h, m] for h, m in arcs)
    if grand is not None:
        total += sum(grand[g, h, m] for g, h in arcs for other, m in arcs if other == h)
    for h in range(n + 1):
        for side in (0, 1):
            inner = h
            outwards = range(h + 1, n + 1) if side else range(h - 1, 0, -1)
            for m in outwards:
                if (h, m) in arcs:
                    if sib is not None:
                        total += sib[h, m, inner]
                    inner = m
            if stop is not None and (h, side) != (0, 0):
                total += stop[h, inner, side]
    return float(total)
