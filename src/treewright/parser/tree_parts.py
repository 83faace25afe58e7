"""The scored parts of one tree: which arcs, siblings, grandparents and stops its value is the sum of."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.decode import Parts
from treewright.trees import inner_and_last_modifiers

Kind = Literal["arc", "siblings", "grandparent", "stop"]


class Part(NamedTuple):
    """A part of a tree and its score; nodes are numbers of words, 0 is the root.

    | kind | nodes |
    |---|---|
    | `arc` | head, modifier |
    | `siblings` | head, modifier, its inner neighbour on the same side (the head itself: the modifier is the first) |
    | `grandparent` | head of the head, head, modifier |
    | `stop` | head, its last modifier on a side (the head itself: it has none there), side (0 left, 1 right) |
    """

    kind: Kind
    nodes: tuple[int, ...]
    score: float

    def described(self, forms: list[str]) -> str:
        """Return the part in words; forms are those of the sentence.

        >>> Part("arc", (2, 1), 0.5).described(["Dogs", "bark"])
        'arc bark -> Dogs'
        """
        names = [named(node, forms) for node in self.nodes]
        if self.kind == "arc":
            return f"arc {names[0]} -> {names[1]}"
        if self.kind == "grandparent":
            return f"grandparent {names[0]} -> {names[1]} -> {names[2]}"
        if self.kind == "siblings":
            return self._siblings(names)
        side = "right" if self.nodes[2] else "left"
        if self.nodes[1] == self.nodes[0]:
            return f"no modifier of {names[0]} on the {side}"
        return f"{names[1]} is the last modifier of {names[0]} on the {side}"

    def _siblings(self, names: list[str]) -> str:
        head, modifier, inner = self.nodes
        if inner == head:
            side = "right" if modifier > head else "left"
            return f"{names[1]} is the first modifier of {names[0]} on the {side}"
        return f"siblings {names[2]} and {names[1]} under {names[0]}"


def named(node: int, forms: list[str]) -> str:
    """Return the form of a word, with its number where the sentence has the form several times; 0 is "root".

    >>> named(2, ["a", "b", "a"]), named(3, ["a", "b", "a"]), named(0, ["a"])
    ('b', 'a (3)', 'root')
    """
    if node == 0:
        return "root"
    if not node <= len(forms):
        return str(node)
    form = forms[node - 1]
    return f"{form} ({node})" if forms.count(form) > 1 else form


def parts_of_tree(parts: Parts, heads: NDArray[np.int32]) -> list[Part]:
    """Return the parts of a tree whose scores are not zero, and all its arcs; the sum of their scores is its value."""
    inner, last = inner_and_last_modifiers(heads)
    arcs, siblings, grandparents, stops = parts.arcs, parts.siblings, parts.grandparents, parts.stops
    has_siblings = (heads[siblings.m] == siblings.h) & (inner[siblings.m] == siblings.s)
    has_grandparent = (heads[grandparents.m] == grandparents.h) & (heads[grandparents.h] == grandparents.g)
    if parts.outermost:
        has_grandparent &= last[grandparents.h, (grandparents.m > grandparents.h).astype(int)] == grandparents.m
    return [
        *_rows("arc", arcs, heads[arcs.m] == arcs.h),
        *_rows("siblings", siblings, has_siblings),
        *_rows("grandparent", grandparents, has_grandparent),
        *_rows("stop", stops, last[stops.h, stops.side] == stops.s),
    ]


def _rows(
    kind: Kind, rows: tuple[NDArray[np.int32] | NDArray[np.float64], ...], chosen: NDArray[np.bool_]
) -> list[Part]:
    *columns, scores = (column[chosen].tolist() for column in rows)
    return [Part(kind, tuple(nodes), score) for *nodes, score in zip(*columns, scores, strict=True)]
