"""Paths between two words of a tree by their relations, and the pairs of words that paths of a treebank join.

The path of an edge from h to m goes up from m to the lowest common ancestor and down to h. It is written with the
relations it passes, without subtypes: "<conj <obj" is the head's head of a conjunct that is an object, "<nsubj >xcomp"
an open complement beside a subject, ">acl" a relative clause below its noun. An edge of the tree itself is "=nsubj".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from treewright.graphs.view import TreeView

MAX_STEPS = 6  # of a path; not tuned

# Possible edges of a word: far above what occurs, so that memory grows with the number of words alone.
MAX_PAIRS = 50


class Pair(NamedTuple):
    """A possible edge from `head` to `modifier`, and the nodes of its path that features and labels look at."""

    path: int
    modifier: int
    head: int
    top: int  # the lowest common ancestor
    upper: int  # the highest node on the way up below the ancestor; the modifier itself if the path only goes down
    near: int  # the neighbour of the modifier on the path


class _Node:
    """A node of the trie of paths: the number of the path that ends here, or -1, and its continuations."""

    __slots__ = ("down", "number", "up")

    def __init__(self) -> None:
        self.number = -1
        self.up: dict[str, _Node] = {}
        self.down: dict[str, _Node] = {}


class Paths:
    """Numbered paths as a trie, which finds all pairs of words that one of them joins.

    >>> from treewright.corpus import Sentence
    >>> columns = {"heads": [2, 0, 4, 2], "deprels": ["nsubj", "root", "cc", "conj"]}
    >>> view = TreeView(Sentence.from_words(["It", "rains", "and", "snows"], **columns))
    >>> path_between(view, head=4, modifier=1)
    '<nsubj >conj'
    >>> [(pair.head, pair.modifier) for pair in Paths(["<nsubj >conj", "<cc <conj"]).pairs(view)]
    [(4, 1), (2, 3)]
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._start = _Node()
        self.tree: dict[str, int] = {}  # the numbers of paths that are an edge of the tree, by its relation
        for number, path in enumerate(paths):
            if path[0] == "=":
                self.tree[path[1:]] = number
            else:
                self._add(path, number)

    def _add(self, path: str, number: int) -> None:
        node = self._start
        for step in path.split():
            branches = node.up if step[0] == "<" else node.down
            node = branches.setdefault(step[1:], _Node())
        node.number = number

    def pairs(self, view: TreeView) -> Iterator[Pair]:
        """Yield the pairs that a path joins, by modifier; at most MAX_PAIRS for each."""
        for modifier in range(1, view.nodes):
            yield from islice(self._pairs_of(view, modifier), MAX_PAIRS)

    def _pairs_of(self, view: TreeView, modifier: int) -> Iterator[Pair]:
        heads, bases, modifiers = view.heads, view.bases, view.modifiers
        node: _Node | None = self._start
        below, top = modifier, modifier
        while node is not None:
            if node.number >= 0:
                yield Pair(node.number, modifier, top, top, below, heads[modifier])
            if node.down and len(modifiers[top]) > (below != top):
                yield from _pairs_below(view, node, modifier, top, below)
            node = node.up.get(bases[top]) if top else None
            below, top = top, heads[top]


def _pairs_below(view: TreeView, node: _Node, modifier: int, top: int, below: int) -> Iterator[Pair]:
    """The pairs whose path goes down from `top`, not back to `below`."""
    waiting = [(node, top, -1)]
    while waiting:
        reached, at, first = waiting.pop()
        for child in view.modifiers[at]:
            after = reached.down.get(view.bases[child])
            if after is None or child == below:
                continue
            near = child if first < 0 else first
            if after.number >= 0:
                yield Pair(after.number, modifier, child, top, below, near if top == modifier else view.heads[modifier])
            if after.down:
                waiting.append((after, child, near))


def path_between(view: TreeView, *, head: int, modifier: int) -> str:
    """Write the path of an edge."""
    if view.heads[modifier] == head:
        return f"={view.bases[modifier]}"
    above = {modifier: 0}
    node = modifier
    while node:
        node = view.heads[node]
        above[node] = len(above)
    down = []
    node = head
    while node not in above:
        down.append(node)
        node = view.heads[node]
    up = list(above)[: above[node]]
    steps = [f"<{view.bases[step]}" for step in up] + [f">{view.bases[step]}" for step in reversed(down)]
    return " ".join(steps)


def steps_of(path: str) -> int:
    """Return how many arcs of the tree a path passes."""
    return len(path.split())


def is_path(text: str) -> bool:
    """Return whether a text is a path in writing.

    >>> is_path("<nsubj >conj"), is_path("=obl"), is_path(">acl <obj")
    (True, True, False)
    """
    if text[:1] == "=":
        return True
    directions = "".join(step[0] for step in text.split())
    return bool(directions) and set(directions) <= {"<", ">"} and "><" not in directions
