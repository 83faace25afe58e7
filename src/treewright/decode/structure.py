"""Constraints on the shape of a tree, beyond single arcs: typed objects, and the rules that a search works with.

The number of root children, the valency of a head and a span that forms a subtree are limits on how many words have
their head arc in a set of arcs. Words 3..6 form a subtree if no arc leaves them and exactly one enters them. "Below"
and the depth limit paths from the root.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, dataclass, fields
from operator import index
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError

ArcSet = NDArray[np.bool_]  # [h, m]
Side = Literal["left", "right"]


@dataclass(frozen=True, repr=False)
class TreeConstraint:
    """A constraint on the shape of a tree: RootChildren, Valency, Span, Below or Depth."""

    def __repr__(self) -> str:
        options = {field.name: getattr(self, field.name) for field in fields(self) if field.default is None}
        shown = [f"{name}={value!r}" for name, value in options.items() if value is not None]
        return f"{type(self).__name__}({', '.join([*map(str, self.required), *shown])})"

    @property
    def required(self) -> tuple[int, ...]:
        """The fields without a default: words, or the limit of Depth."""
        return tuple(getattr(self, field.name) for field in fields(self) if field.default is MISSING)


@dataclass(frozen=True, repr=False)
class RootChildren(TreeConstraint):
    """At least, at most or exactly so many words have the root as their head; more than one needs root="multi".

    >>> import treewright as tw
    >>> scores = [[0, 9, 2, 1], [0, 0, 7, 8], [0, 3, 0, 1], [0, 1, 1, 0]]
    >>> tw.decode.tree(scores, root="multi", constraints=[RootChildren(exactly=2)]).heads.tolist()
    [-1, 0, 0, 1]
    """

    at_least: int | None = None
    at_most: int | None = None
    exactly: int | None = None

    def __post_init__(self) -> None:
        _check_limits(self)


@dataclass(frozen=True, repr=False)
class Valency(TreeConstraint):
    """The word `head` has at least, at most or exactly so many modifiers, on one side or (side=None) on both together.

    >>> import treewright as tw
    >>> scores = [[0, 9, 2, 1], [0, 0, 7, 8], [0, 3, 0, 1], [0, 1, 1, 0]]
    >>> tw.decode.tree(scores, constraints=[Valency(1, at_most=1)]).heads.tolist()
    [-1, 0, 3, 1]
    """

    head: int
    at_least: int | None = None
    at_most: int | None = None
    exactly: int | None = None
    side: Side | None = None

    def __post_init__(self) -> None:
        _check_limits(self)
        if self.side is not None and (not isinstance(self.side, str) or self.side not in ("left", "right")):
            raise InputError(f"Valency: side is {self.side!r}; it is 'left', 'right' or None for both together")


@dataclass(frozen=True, repr=False)
class Span(TreeConstraint):
    """The words first..last form a subtree: one of them has its head outside, and no other word has its head inside.

    >>> import treewright as tw
    >>> scores = [[0, 9, 2, 1], [0, 0, 7, 8], [0, 3, 0, 1], [0, 1, 1, 0]]
    >>> tw.decode.tree(scores, constraints=[Span(2, 3)]).heads.tolist()
    [-1, 0, 3, 1]
    """

    first: int
    last: int


@dataclass(frozen=True, repr=False)
class Below(TreeConstraint):
    """The word `modifier` is in the subtree of the word `head`, directly or through others.

    >>> import treewright as tw
    >>> scores = [[0, 9, 2, 1], [0, 0, 7, 8], [0, 3, 0, 1], [0, 1, 1, 0]]
    >>> tw.decode.tree(scores, constraints=[Below(3, 2)]).heads.tolist()
    [-1, 0, 1, 2]
    """

    modifier: int
    head: int


@dataclass(frozen=True, repr=False)
class Depth(TreeConstraint):
    """No word is more than at_most arcs away from the root; a child of the root has the depth 1.

    >>> import treewright as tw
    >>> scores = [[0, 9, 2, 1], [0, 0, 7, 1], [0, 3, 0, 8], [0, 1, 1, 0]]
    >>> [tw.decode.tree(scores, constraints=[Depth(depth)]).heads.tolist() for depth in (3, 2)]
    [[-1, 0, 1, 2], [-1, 0, 1, 1]]
    """

    at_most: int


@dataclass(frozen=True, eq=False)
class Cardinality:
    """At least `low` and at most `high` words have their head arc in the set."""

    arcs: ArcSet
    low: int
    high: int

    def count(self, heads: NDArray[np.int32]) -> int:
        """Count the words of a tree that have their head arc in the set."""
        return int(self.arcs[heads[1:], np.arange(1, len(heads))].sum())

    def excess(self, heads: NDArray[np.int32]) -> int:
        """By how much a tree breaks the limit."""
        count = self.count(heads)
        return max(self.low - count, count - self.high, 0)


@dataclass(frozen=True, eq=False)
class Rules:
    """Constraints in the form that a search uses."""

    allowed: ArcSet  # arcs that no constraint excludes by itself
    cardinalities: tuple[Cardinality, ...]
    below: tuple[tuple[int, int], ...]  # modifier, head
    depth: int | None

    def hold(self, heads: NDArray[np.int32]) -> bool:
        """Whether a tree meets them all."""
        limits = all(rule.low <= rule.count(heads) <= rule.high for rule in self.cardinalities)
        is_allowed = bool(self.allowed[heads[1:], np.arange(1, len(heads))].all())
        return is_allowed and limits and self.broken_path(heads) is None

    def broken_path(self, heads: NDArray[np.int32]) -> list[tuple[int, int]] | None:
        """Find arcs (h, m) of a tree that cannot all stay, from a word upwards; None when every path is allowed."""
        for modifier, head in self.below:
            path = path_to_root(heads, modifier)
            if head not in [h for h, _ in path]:
                return path
        if self.depth is not None:
            paths = [path_to_root(heads, word) for word in range(1, len(heads))]
            longest = max(paths, key=len)
            if len(longest) > self.depth:
                return longest[-self.depth - 1 :]
        return None


def path_to_root(heads: NDArray[np.int32], word: int) -> list[tuple[int, int]]:
    """List the arcs (h, m) from a word up to the root."""
    path = []
    while word != 0:
        above = int(heads[word])
        path.append((above, word))
        word = above
    return path


def check_constraints(constraints: Iterable[TreeConstraint], nodes: int) -> tuple[TreeConstraint, ...]:
    """Check the types of constraints and the words that they name."""
    if isinstance(constraints, TreeConstraint) or not isinstance(constraints, Iterable):
        raise InputError(f"constraints is {constraints!r}; give a list, for example [Depth(4)]")
    checked = tuple(constraints)
    for i, constraint in enumerate(checked):
        if not isinstance(constraint, TreeConstraint):
            names = "RootChildren, Valency, Span, Below or Depth"
            raise InputError(f"constraints[{i}] is {constraint!r}; give a {names}")
        if fault := _fault(constraint, nodes - 1):
            raise InputError(f"constraints[{i}] is {constraint}: {fault}")
    return checked


def _fault(constraint: TreeConstraint, words: int) -> str | None:
    """Say what is wrong with a constraint on a sentence of so many words; None when nothing is."""
    if isinstance(constraint, Depth):
        return None if _is_whole(constraint.at_most, 1) else "give a whole number, at least 1"
    for word in constraint.required:
        if not _is_whole(word, 1) or word > words:
            return f"there is no word {word!r}; words are 1..{words}"
    if isinstance(constraint, Span) and constraint.first > constraint.last:
        return "first is after last"
    if isinstance(constraint, Below) and constraint.modifier == constraint.head:
        return "a word is not below itself"
    return None


def _check_limits(constraint: RootChildren | Valency) -> None:
    name, low, high, exactly = type(constraint).__name__, constraint.at_least, constraint.at_most, constraint.exactly
    for keyword, limit in {"at_least": low, "at_most": high, "exactly": exactly}.items():
        if limit is not None and not _is_whole(limit, 0):
            raise InputError(f"{name}: {keyword} is {limit!r}; give a whole number, at least 0")
    if low is None and high is None and exactly is None:
        raise InputError(f"{name} has no limit; give at_least, at_most or exactly")
    if exactly is not None and (low is not None or high is not None):
        raise InputError(f"{name}: give exactly, or at_least and at_most")
    if low is not None and high is not None and low > high:
        raise InputError(f"{name}: at_least is {low}, more than at_most, which is {high}")


def _is_whole(number: object, least: int) -> bool:
    try:
        return index(number) >= least  # type: ignore[arg-type]
    except TypeError:
        return False


def rules_of(constraints: Iterable[TreeConstraint], nodes: int) -> Rules:
    """Return checked constraints as rules."""
    allowed = ~np.eye(nodes, dtype=np.bool_)
    allowed[:, 0] = False
    limits: list[Cardinality] = []
    below: list[tuple[int, int]] = []
    depths: list[int] = []
    for constraint in constraints:
        if isinstance(constraint, Below):
            below.append((constraint.modifier, constraint.head))
        elif isinstance(constraint, Depth):
            depths.append(constraint.at_most)
        elif isinstance(constraint, Span):
            words = np.arange(nodes)
            inside = (words >= constraint.first) & (words <= constraint.last)
            allowed &= ~(inside[:, None] & ~inside)
            limits.append(Cardinality(~inside[:, None] & inside, 1, 1))
        elif isinstance(constraint, RootChildren | Valency):
            limits.append(_limit_on_modifiers(constraint, nodes))
    return Rules(allowed, tuple(limits), tuple(below), min(depths, default=None))


def _limit_on_modifiers(constraint: RootChildren | Valency, nodes: int) -> Cardinality:
    head, side = (constraint.head, constraint.side) if isinstance(constraint, Valency) else (0, None)
    arcs = np.zeros((nodes, nodes), dtype=np.bool_)
    first, last = (head if side == "right" else 1), (head if side == "left" else nodes)
    arcs[head, first:last] = True
    arcs[head, head] = False
    low = constraint.at_least if constraint.exactly is None else constraint.exactly
    high = constraint.at_most if constraint.exactly is None else constraint.exactly
    return Cardinality(arcs, 0 if low is None else low, nodes if high is None else high)
