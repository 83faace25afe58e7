"""The enhanced graph of a sentence: DEPS cells as edges, and edges as DEPS cells."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from treewright.corpus.cells import is_number
from treewright.corpus.nodes import Edge, Id


class BadEdge(Exception):
    """A part of a DEPS cell that is not head:label with a node of the sentence as head."""


def edges_in(cell: str, modifier: Id, nodes: Collection[Id]) -> Iterator[Edge]:
    """The edges of one DEPS cell; `nodes` are the ids that a head may have."""
    for part in cell.split("|") if cell not in ("_", "") else ():
        head, colon, label = part.partition(":")
        head_id = int(head) if is_number(head) else head
        if not colon or head_id not in nodes:
            raise BadEdge(part)
        yield Edge(head_id, modifier, label)


def cells_of_edges(edges: Iterable[tuple[Id, Id, str]]) -> dict[Id, str]:
    """The DEPS cell of each modifier: head:label, ordered by head, then by label."""
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
