"""Multiword tokens, empty nodes and edges as plain records; the enhanced graph: DEPS cells as edges, and back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from treewright.corpus.sentence import Sentence

Id = int | str  # a word's number, or "8.1" for an empty node


class Token(NamedTuple):
    """A multiword token: the words from `first` to `last` are written together as `form`."""

    first: int
    last: int
    form: str
    misc: str = "_"


class Edge(NamedTuple):
    """An edge of the enhanced graph (DEPS). Word ids are numbers, 0 the root; empty nodes are strings: "8.1"."""

    head: Id
    modifier: Id
    label: str


class EmptyNode(NamedTuple):
    """A node of the enhanced graph that is not a word."""

    id: str
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    deps: str
    misc: str


class BadEdge(Exception):
    """A part of a DEPS cell that is not head:label with a node of the sentence as head."""


def is_number(text: str) -> bool:
    """Whether the text is plain digits, and not too many of them."""
    return text.isascii() and text.isdigit() and len(text) <= 9


def edges_in(cell: str, modifier: Id, nodes: Collection[Id]) -> Iterator[Edge]:
    """Yield the edges of one DEPS cell; `nodes` are the ids that a head may have."""
    for part in cell.split("|") if cell not in ("_", "") else ():
        head, colon, label = part.partition(":")
        head_id = int(head) if is_number(head) else head
        if not colon or head_id not in nodes:
            raise BadEdge(part)
        yield Edge(head_id, modifier, label)


def cells_of_edges(edges: Iterable[tuple[Id, Id, str]]) -> dict[Id, str]:
    """Return the DEPS cell of each modifier: head:label, ordered by head, then by label."""
    by_modifier: dict[Id, list[tuple[Id, str]]] = {}
    for head, modifier, label in edges:
        by_modifier.setdefault(modifier, []).append((head, label))
    return {
        modifier: "|".join(f"{head}:{label}" for head, label in sorted(heads, key=_order))
        for modifier, heads in by_modifier.items()
    }


def _order(edge: tuple[Id, str]) -> tuple[int, int, str]:
    head, label = edge
    major, _, minor = str(head).partition(".")
    return int(major), int(minor or 0), label


def clear_graph(sentence: Sentence) -> None:
    """Empty DEPS, also of empty nodes."""
    if "DEPS" in sentence.layout.index:
        if set(sentence.cells("DEPS")) != {("_",)}:
            sentence.deps = ["_"] * len(sentence)
        if nodes := sentence.empty_nodes:
            sentence.empty_nodes = [node._replace(deps="_") for node in nodes]


def copy_graph(sentence: Sentence, other: Sentence) -> None:
    """Copy DEPS, also of empty nodes, from another version of the sentence, cell by cell."""
    sentence.deps = other.deps.copy()
    sentence.empty_nodes = other.empty_nodes
