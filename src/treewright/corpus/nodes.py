"""The parts of a sentence as plain records: multiword tokens, empty nodes, edges."""

from __future__ import annotations

from typing import NamedTuple

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
