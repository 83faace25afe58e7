"""A proof that no tree is better: a search tree with multipliers at its leaves, as data that can be written as JSON.

`verify` checks it. What the numbers mean is explained in docs/proofs.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

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
        nodes = [node._asdict() | {"fixings": [fixing._asdict() for fixing in node.fixings]} for node in self.nodes]
        return {"kind": self.kind, "nodes": nodes, "points": [point._asdict() for point in self.points]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Proof:
        """Read a proof that `to_dict` wrote; an InputError for anything else."""
        try:
            kind, nodes, points = data["kind"], data.get("nodes", ()), data.get("points", ())
            proof = cls(kind, list(map(_read_node, nodes)), list(map(_read_point, points)))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InputError(f"data is not a proof as Proof.to_dict writes it: {error!r}") from None
        if kind not in KINDS:
            raise InputError(f"a proof of the kind {kind!r}; there are {', '.join(KINDS)}")
        return proof

    def __repr__(self) -> str:
        return f"Proof({self.kind!r}, {len(self.nodes)} nodes, {len(self.points)} points)"


def _read_node(data: Mapping[str, Any]) -> Node:
    fixings = [
        Fixing(_integer(f["point"]), _read_arcs(f["required"]), _read_arcs(f["excluded"])) for f in data["fixings"]
    ]
    arc = None if data["arc"] is None else _read_arcs([data["arc"]])[0]
    point = None if data["point"] is None else _integer(data["point"])
    if not isinstance(data["has_arc"], bool):
        raise ValueError(f"has_arc is {data['has_arc']!r}")
    return Node(_integer(data["parent"]), arc, data["has_arc"], fixings, point)


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
