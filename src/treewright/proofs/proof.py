"""A proof that no tree is better: a search tree with multipliers at its leaves, as data that can be written as JSON.

`verify` checks it. What the numbers mean is explained in docs/proofs.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.caching import cached_property
from treewright.calls import explained_methods
from treewright.checks import described
from treewright.errors import InputError

Arc = tuple[int, int]  # head, modifier
Kind = Literal["search", "chart"]
Floats = NDArray[np.float64]
KINDS: tuple[Kind, ...] = ("search", "chart")
ITEMS = ("halves", "incomplete")
MAX_WORD = 2**16  # in a set of words: the scores of longer sentences do not fit into memory
LARGEST = 1e300  # stands for infinity, which JSON does not have


class WordSet(NamedTuple):
    """A set of words that every tree enters at least once, and its multiplier, which is not negative."""

    slack: float
    bits: int  # bit m: m is in the set

    @classmethod
    def of(cls, slack: float, words: Iterable[int]) -> WordSet:
        """The set of these words.

        >>> WordSet.of(0.5, [1, 3])
        WordSet(slack=0.5, bits=10)
        """
        bits = 0
        for word in words:
            if word > MAX_WORD:
                raise ValueError(f"word {word} of a set")
            bits |= 1 << word
        return cls(slack, bits)

    @property
    def words(self) -> list[int]:
        """The words in order."""
        return [m for m in range(self.bits.bit_length()) if self.bits >> m & 1]


class Point(NamedTuple):
    """The multipliers of one bound: u and v of arcs (zero where none is given), of the root arcs and of word sets."""

    arcs: Sequence[tuple[int, int, float, float]]  # h, m, u, v
    penalty: float
    sets: Sequence[WordSet]


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


class Recorded(Protocol):
    """What the core recorded of a search, with arcs by number."""

    def nodes(self) -> Sequence[tuple[int, int, bool, Sequence[tuple[int, Sequence[int], Sequence[int]]], int]]: ...

    def point(self, number: int) -> tuple[Any, Any, float, Sequence[float], Sequence[int], Sequence[int]]: ...


class TreeDual(Protocol):
    """The solution of the dual program of the best tree, as the core gives it."""

    @property
    def penalty(self) -> float: ...
    @property
    def slack(self) -> Sequence[float]: ...
    @property
    def set_begin(self) -> Sequence[int]: ...
    @property
    def words(self) -> Sequence[int]: ...


Content = tuple[Sequence[Node], Sequence[Point]]


@explained_methods
class Proof:
    """Why no tree has a value above the bound of the parse that it belongs to.

    kind is "search" (nodes and points as above; a first-order tree that may cross has one node), or "chart": the tree
    is projective. halves [h, boundary] and incomplete [h, m] are then the values of the chart's items; where they are
    None, `verify` solves the dynamic program again with code of its own.
    """

    kind: Kind
    halves: Floats | None = None
    incomplete: Floats | None = None  # of second-order trees
    _dual: TreeDual | None = None
    _recorded: Callable[[], Content] | None = None

    def __init__(
        self,
        kind: Kind,
        nodes: Sequence[Node] = (),
        points: Sequence[Point] = (),
        halves: Floats | None = None,
        incomplete: Floats | None = None,
    ) -> None:
        self.kind = kind
        self.halves, self.incomplete = halves, incomplete
        self._content = (nodes, points)

    @classmethod
    def of_search(cls, recorded: Recorded, heads: NDArray[np.int32], modifiers: NDArray[np.int32]) -> Proof:
        """The proof of a search over the arcs (heads, modifiers), read from what was recorded when it is first used."""
        self = cls.__new__(cls)
        self.kind = "search"
        self._recorded = lambda: _content(recorded, list(zip(heads.tolist(), modifiers.tolist(), strict=True)))
        return self

    @classmethod
    def of_tree(cls, dual: TreeDual) -> Proof:
        """The proof of a first-order tree: one node, bounded by the solution of the tree's dual program."""
        self = cls.__new__(cls)
        self.kind, self._dual = "search", dual
        return self

    @cached_property
    def _content(self) -> Content:
        """Nodes and points, read when they are first used; the core makes proofs with `_dual` or `halves` only."""
        if self._recorded is not None:
            return self._recorded()
        if self._dual is None:
            return (), ()
        sets = _sets(self._dual.slack, self._dual.set_begin, self._dual.words)
        return [Node(-1, None, False, (), 0)], [Point((), self._dual.penalty, sets)]

    @property
    def nodes(self) -> Sequence[Node]:
        """The nodes of the search, each after its parent."""
        return self._content[0]

    @property
    def points(self) -> Sequence[Point]:
        """The multipliers of the bounds."""
        return self._content[1]

    def to_dict(self) -> dict[str, Any]:
        """As values that JSON has; `from_dict` reads them."""
        if self.kind == "chart":
            items = {name: getattr(self, name) for name in ITEMS}
            rows = {name: np.maximum(found, -LARGEST).tolist() for name, found in items.items() if found is not None}
            return {"kind": self.kind, **rows}
        return {"kind": self.kind, "nodes": [_node(n) for n in self.nodes], "points": [_point(p) for p in self.points]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Proof:
        """The proof that `to_dict` wrote; an InputError for anything else."""
        if not isinstance(data, Mapping):
            raise InputError(f"data is {described(data)}; expected a proof as Proof.to_dict writes it")
        try:
            kind = data["kind"]
            nodes = [_read_node(node) for node in data.get("nodes", ())]
            points = [_read_point(point) for point in data.get("points", ())]
            items = {name: np.array(data[name], dtype=np.float64) for name in ITEMS if data.get(name) is not None}
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InputError(f"data is not a proof as Proof.to_dict writes it: {error!r}") from None
        if kind not in KINDS:
            raise InputError(f"a proof of the kind {kind!r}; there are {', '.join(KINDS)}")
        return cls(kind, nodes, points, **items)

    def __reduce__(self) -> tuple[Any, ...]:
        return Proof, (self.kind, self.nodes, self.points, self.halves, self.incomplete)

    def __repr__(self) -> str:
        return f"Proof({self.kind!r}, {len(self.nodes)} nodes, {len(self.points)} points)"


def _content(recorded: Recorded, arcs: Sequence[Arc]) -> Content:
    """Nodes and points with arcs by name; only the points that the proof needs."""
    found = recorded.nodes()
    divided = {parent for parent, *_ in found}
    numbers: dict[int, int] = {}  # of the points that are used, in the order of their use

    def number(point: int) -> int:
        return numbers.setdefault(point, len(numbers))

    def named(chosen: Sequence[int]) -> list[Arc]:
        return [arcs[arc] for arc in chosen]

    nodes = []
    for place, (parent, arc, has_arc, fixed, point) in enumerate(found):
        fixings = [Fixing(number(at), named(required), named(excluded)) for at, required, excluded in fixed]
        is_leaf = place not in divided and point >= 0
        nodes.append(Node(parent, None if arc < 0 else arcs[arc], has_arc, fixings, number(point) if is_leaf else None))
    return nodes, [_recorded_point(recorded, at, arcs) for at in numbers]


def _recorded_point(recorded: Recorded, number: int, arcs: Sequence[Arc]) -> Point:
    u, v, penalty, slack, begin, words = recorded.point(number)
    rows = [(h, m, a, b) for (h, m), a, b in zip(arcs, u.tolist(), v.tolist(), strict=True) if a or b]
    return Point(rows, penalty, _sets(slack, begin, words))


def _sets(slack: Sequence[float], begin: Sequence[int], words: Sequence[int]) -> list[WordSet]:
    return [WordSet.of(x, words[begin[k] : begin[k + 1]]) for k, x in enumerate(slack)]


def _node(node: Node) -> dict[str, Any]:
    fixings = [
        {"point": f.point, "required": [list(a) for a in f.required], "excluded": [list(a) for a in f.excluded]}
        for f in node.fixings
    ]
    place = {} if node.arc is None else {"parent": node.parent, "arc": list(node.arc), "has_arc": node.has_arc}
    return place | ({"fixings": fixings} if fixings else {}) | ({} if node.point is None else {"point": node.point})


def _point(point: Point) -> dict[str, Any]:
    sets = [[one.slack, one.words] for one in point.sets]
    return {"arcs": [list(row) for row in point.arcs], "penalty": point.penalty, "sets": sets}


def _read_node(data: Mapping[str, Any]) -> Node:
    fixings = [
        Fixing(int(f["point"]), list(_pairs(f["required"])), list(_pairs(f["excluded"])))
        for f in data.get("fixings", ())
    ]
    point = None if data.get("point") is None else int(data["point"])
    if "arc" not in data:
        return Node(-1, None, False, fixings, point)
    return Node(int(data["parent"]), next(_pairs([data["arc"]])), bool(data["has_arc"]), fixings, point)


def _pairs(rows: Sequence[Any]) -> Iterator[Arc]:
    for h, m in rows:
        yield int(h), int(m)


def _read_point(data: Mapping[str, Any]) -> Point:
    arcs = [(int(h), int(m), float(u), float(v)) for h, m, u, v in data["arcs"]]
    sets = [WordSet.of(float(x), map(int, words)) for x, words in data["sets"]]
    return Point(arcs, float(data["penalty"]), sets)
