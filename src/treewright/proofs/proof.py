"""A proof that no tree is better: a search tree with multipliers at its leaves, as data that can be written as JSON.

`verify` checks it. What the numbers mean is explained in docs/proofs.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from treewright.checks import describe_value
from treewright.errors import InputError

Arc = tuple[int, int]  # head, modifier
Kind = Literal["search", "chart"]
KINDS: tuple[Kind, ...] = ("search", "chart")


class Point(NamedTuple):
    """The multipliers of one bound: u and v of arcs (zero where none is given), of the root arcs and of word sets."""

    arcs: Sequence[tuple[int, int, float, float]]  # h, m, u, v
    penalty: float
    sets: Sequence[tuple[float, Sequence[int]]]  # slack, words: every tree enters each set at least once


class Fixing(NamedTuple):
    """Arcs that the bound at a point decides: no tree without a required one or with an excluded one is better."""

    point: int
    required: Sequence[Arc]
    excluded: Sequence[Arc]


class Node(NamedTuple):
    """A node of the search: the trees of its parent that have the arc, or those that lack it.

    Two children divide it. Without children it is bounded at a point; None says that its arcs leave no tree.
    """

    parent: int  # -1: the root of the search, which holds all trees
    arc: Arc | None
    has_arc: bool
    fixings: Sequence[Fixing]
    point: int | None


@dataclass(frozen=True)
class Proof:
    """Why no tree has a value above the bound of the parse that it belongs to.

    kind is "search": nodes, each after its parent, and the points that bound them (a first-order tree that may cross
    has one node); or "chart": the tree is projective, and `verify` solves the dynamic program with code of its own.
    """

    kind: Kind
    nodes: Sequence[Node] = ()
    points: Sequence[Point] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the proof as values that JSON has; `from_dict` reads them."""
        if self.kind == "chart":
            return {"kind": self.kind}
        return {
            "kind": self.kind,
            "nodes": [_node_to_dict(node) for node in self.nodes],
            "points": [_point_to_dict(point) for point in self.points],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Proof:
        """Read a proof that `to_dict` wrote; an InputError for anything else."""
        if not isinstance(data, Mapping):
            raise InputError(f"data is {describe_value(data)}; expected a proof as Proof.to_dict writes it")
        try:
            kind = data["kind"]
            nodes = [_read_node(node) for node in data.get("nodes", ())]
            points = [_read_point(point) for point in data.get("points", ())]
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InputError(f"data is not a proof as Proof.to_dict writes it: {error!r}") from None
        if kind not in KINDS:
            raise InputError(f"a proof of the kind {kind!r}; there are {', '.join(KINDS)}")
        return cls(kind, nodes, points)

    def __repr__(self) -> str:
        return f"Proof({self.kind!r}, {len(self.nodes)} nodes, {len(self.points)} points)"


def _node_to_dict(node: Node) -> dict[str, Any]:
    data: dict[str, Any] = {}
    if node.arc is not None:
        data |= {"parent": node.parent, "arc": list(node.arc), "has_arc": node.has_arc}
    if node.fixings:
        data["fixings"] = [
            {"point": f.point, "required": [list(a) for a in f.required], "excluded": [list(a) for a in f.excluded]}
            for f in node.fixings
        ]
    if node.point is not None:
        data["point"] = node.point
    return data


def _point_to_dict(point: Point) -> dict[str, Any]:
    sets = [[slack, list(words)] for slack, words in point.sets]
    return {"arcs": [list(row) for row in point.arcs], "penalty": point.penalty, "sets": sets}


def _read_node(data: Mapping[str, Any]) -> Node:
    fixings = [
        Fixing(_integer(f["point"]), _read_arcs(f["required"]), _read_arcs(f["excluded"]))
        for f in data.get("fixings", ())
    ]
    point = None if data.get("point") is None else _integer(data["point"])
    if "arc" not in data:
        return Node(-1, None, False, fixings, point)
    if not isinstance(data["has_arc"], bool):
        raise ValueError(f"has_arc is {data['has_arc']!r}")
    return Node(_integer(data["parent"]), _read_arcs([data["arc"]])[0], data["has_arc"], fixings, point)


def _read_arcs(rows: Sequence[Any]) -> list[Arc]:
    return [(_integer(h), _integer(m)) for h, m in rows]


def _read_point(data: Mapping[str, Any]) -> Point:
    arcs = [(_integer(h), _integer(m), float(u), float(v)) for h, m, u, v in data["arcs"]]
    sets = [(float(slack), [_integer(m) for m in words]) for slack, words in data["sets"]]
    return Point(arcs, float(data["penalty"]), sets)


def _integer(number: Any) -> int:
    if not isinstance(number, int) or isinstance(number, bool):
        raise ValueError(f"{number!r} is not an integer")
    return number
