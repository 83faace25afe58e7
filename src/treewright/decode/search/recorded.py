"""Proofs of the trees that the core finds, from what its algorithms record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from treewright import _core
from treewright.proofs.proof import Fixing, Node, Point, Proof


def proof_of_search(search: Any, heads: NDArray[Any], modifiers: NDArray[Any]) -> Proof:
    """Read the proof that a search over the arcs (heads, modifiers) recorded; only the points in use are kept."""
    arcs = list(zip(heads.tolist(), modifiers.tolist(), strict=True))
    recorded = search.nodes()
    divided = {parent for parent, *_ in recorded}
    numbers: dict[int, int] = {}  # of the points that are used, in the order of their use

    def number(point: int) -> int:
        return numbers.setdefault(point, len(numbers))

    nodes = []
    for place, (parent, arc, has_arc, fixed, point) in enumerate(recorded):
        fixings = [Fixing(number(at), [arcs[a] for a in ins], [arcs[a] for a in outs]) for at, ins, outs in fixed]
        leaf = number(point) if place not in divided and point >= 0 else None
        nodes.append(Node(parent, None if arc < 0 else arcs[arc], has_arc, fixings, leaf))
    points = []
    for point in numbers:
        u, v, penalty, slack, begin, words = search.point(point)
        rows = [(h, m, x, y) for (h, m), x, y in zip(arcs, u.tolist(), v.tolist(), strict=True) if x or y]
        points.append(Point(rows, penalty, _sets(slack, begin, words)))
    return Proof("search", nodes, points)


def proof_of_tree(parts: _core.Parts, single_root: bool) -> Proof:
    """Make the proof of the best first-order tree: one node, bounded by the solution of the tree's dual program."""
    penalty, slack, begin, words = _core.tree_dual(parts, single_root)
    point = Point((), penalty, _sets(slack, begin, words))
    return Proof("search", [Node(-1, None, False, (), 0)], [point])


def _sets(slack: Sequence[float], begin: Sequence[int], words: Sequence[int]) -> list[tuple[float, Sequence[int]]]:
    return [(x, words[begin[k] : begin[k + 1]]) for k, x in enumerate(slack)]
