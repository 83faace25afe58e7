"""Constraints on the shape of a tree, beyond single arcs: typed objects, and the rules that a search works with.

The number of root children, the valency of a head and a span that forms a subtree are limits on how many words have
their head arc in a set of arcs. Words 3..6 form a subtree if no arc leaves them and exactly one enters them. "Below"
and the depth limit paths from the root.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import index
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError

ArcSet = NDArray[np.bool_]  # [h, m]
Side = Literal["left", "right"]


class TreeConstraint:
    """A constraint on the shape of a tree: RootChildren, Valency, Span, Below or Depth."""


@dataclass(frozen=True)
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

    def __repr__(self) -> str:
        return f"RootChildren({_limits_shown(self)})"


@dataclass(frozen=True)
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

    def __repr__(self) -> str:
        side = "" if self.side is None else f", side={self.side!r}"
        return f"Valency({self.head}, {_limits_shown(self)}{side})"


@dataclass(frozen=True)
class Span(TreeConstraint):
    """The words first..last form a subtree: one of them has its head outside, and no other word has its head inside.

    >>> import treewright as tw
    >>> scores = [[0, 9, 2, 1], [0, 0, 7, 8], [0, 3, 0, 1], [0, 1, 1, 0]]
    >>> tw.decode.tree(scores, constraints=[Span(2, 3)]).heads.tolist()
    [-1, 0, 3, 1]
    """

    first: int
    last: int

    def __repr__(self) -> str:
        return f"Span({self.first}, {self.last})"


@dataclass(frozen=True)
class Below(TreeConstraint):
    """The word `modifier` is in the subtree of the word `head`, directly or through others.

    >>> import treewright as tw
    >>> scores = [[0, 9, 2, 1], [0, 0, 7, 8], [0, 3, 0, 1], [0, 1, 1, 0]]
    >>> tw.decode.tree(scores, constraints=[Below(3, 2)]).heads.tolist()
    [-1, 0, 1, 2]
    """

    modifier: int
    head: int

    def __repr__(self) -> str:
        return f"Below({self.modifier}, {self.head})"


@dataclass(frozen=True)
class Depth(TreeConstraint):
    """No word is more than at_most arcs away from the root; a child of the root has the depth 1.

    >>> import treewright as tw
    >>> scores = [[0, 9, 2, 1], [0, 0, 7, 1], [0, 3, 0, 8], [0, 1, 1, 0]]
    >>> [tw.decode.tree(scores, constraints=[Depth(depth)]).heads.tolist() for depth in (3, 2)]
    [[-1, 0, 1, 2], [-1, 0, 1, 1]]
    """

    at_most: int

    def __repr__(self) -> str:
        return f"Depth({self.at_most})"


@dataclass(frozen=True, eq=False)
class Cardinality:
    """At least `low` and at most `high` words have their head arc in the set."""

    arcs: ArcSet
    low: int
    high: int

    def count(self, heads: NDArray[np.int32]) -> int:
        """How many words of a tree have their head arc in the set."""
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
        """Arcs (h, m) of a tree that cannot all stay, from a word upwards; None when every path is as it must be."""
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
    """The arcs (h, m) from a word up to the root."""
    path = []
    while word != 0:
        above = int(heads[word])
        path.append((above, word))
        word = above
    return path


def checked(given: Iterable[TreeConstraint], nodes: int) -> tuple[TreeConstraint, ...]:
    """The constraints, after the checks of their types and of the words that they name."""
    if isinstance(given, TreeConstraint) or not isinstance(given, Iterable):
        raise InputError(f"constraints is {given!r}; give a list, for example [Depth(4)]")
    found = tuple(given)
    for place, constraint in enumerate(found):
        if not isinstance(constraint, TreeConstraint):
            names = "RootChildren, Valency, Span, Below or Depth"
            raise InputError(f"constraints[{place}] is {constraint!r}; give a {names}")
        problem = _problem(constraint, nodes - 1)
        if problem:
            raise InputError(f"constraints[{place}] is {constraint}: {problem}")
    return found


def rules_of(constraints: Iterable[TreeConstraint], nodes: int) -> Rules:
    """The rules of checked constraints."""
    allowed = ~np.eye(nodes, dtype=np.bool_)
    allowed[:, 0] = False
    cardinalities, below, depths = [], [], []
    for constraint in constraints:
        if isinstance(constraint, Below):
            below.append((constraint.modifier, constraint.head))
        elif isinstance(constraint, Depth):
            depths.append(constraint.at_most)
        elif isinstance(constraint, RootChildren | Valency | Span):
            cardinalities.append(_cardinality(constraint, nodes))
        if isinstance(constraint, Span):
            allowed &= ~_arcs_out_of(constraint, nodes)
    return Rules(allowed, tuple(cardinalities), tuple(below), min(depths, default=None))


def _cardinality(constraint: RootChildren | Valency | Span, nodes: int) -> Cardinality:
    arcs = np.zeros((nodes, nodes), dtype=np.bool_)
    if isinstance(constraint, Span):
        inside = _inside(constraint, nodes)
        return Cardinality(~inside[:, None] & inside[None, :], 1, 1)
    head = 0 if isinstance(constraint, RootChildren) else constraint.head
    side = None if isinstance(constraint, RootChildren) else constraint.side
    arcs[head, 1:] = True
    arcs[head, head] = False
    if side == "left":
        arcs[head, head:] = False
    if side == "right":
        arcs[head, :head] = False
    low = constraint.at_least if constraint.exactly is None else constraint.exactly
    high = constraint.at_most if constraint.exactly is None else constraint.exactly
    return Cardinality(arcs, 0 if low is None else low, nodes if high is None else high)


def _inside(span: Span, nodes: int) -> NDArray[np.bool_]:
    places = np.arange(nodes)
    inside: NDArray[np.bool_] = (places >= span.first) & (places <= span.last)
    return inside


def _arcs_out_of(span: Span, nodes: int) -> ArcSet:
    inside = _inside(span, nodes)
    return inside[:, None] & ~inside[None, :]


def _check_limits(given: RootChildren | Valency) -> None:
    name = type(given).__name__
    limits = {"at_least": given.at_least, "at_most": given.at_most, "exactly": given.exactly}
    for keyword, limit in limits.items():
        if limit is not None and not _is_whole(limit, 0):
            raise InputError(f"{name}: {keyword} is {limit!r}; give a whole number, at least 0")
    if all(limit is None for limit in limits.values()):
        raise InputError(f"{name} has no limit; give at_least, at_most or exactly")
    if given.exactly is not None and (given.at_least is not None or given.at_most is not None):
        raise InputError(f"{name}: give exactly, or at_least and at_most")
    if given.at_least is not None and given.at_most is not None and given.at_least > given.at_most:
        raise InputError(f"{name}: at_least is {given.at_least}, more than at_most, which is {given.at_most}")


def _limits_shown(given: RootChildren | Valency) -> str:
    limits = {"at_least": given.at_least, "at_most": given.at_most, "exactly": given.exactly}
    return ", ".join(f"{keyword}={limit}" for keyword, limit in limits.items() if limit is not None)


def _problem(constraint: TreeConstraint, words: int) -> str | None:
    """What is wrong with a constraint on a sentence of so many words; None when nothing is."""
    if isinstance(constraint, Depth):
        return None if _is_whole(constraint.at_most, 1) else "give a whole number, at least 1"
    named: tuple[int, ...] = ()
    if isinstance(constraint, Valency):
        named = (constraint.head,)
    if isinstance(constraint, Span):
        named = (constraint.first, constraint.last)
    if isinstance(constraint, Below):
        named = (constraint.modifier, constraint.head)
    for word in named:
        if not _is_whole(word, 1) or word > words:
            return f"there is no word {word!r}; words are 1..{words}"
    if isinstance(constraint, Span) and constraint.first > constraint.last:
        return "first is after last"
    if isinstance(constraint, Below) and constraint.modifier == constraint.head:
        return "a word is not below itself"
    return None


def _is_whole(number: object, least: int) -> bool:
    try:
        return index(number) >= least  # type: ignore[arg-type]
    except TypeError:
        return False
