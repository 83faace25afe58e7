"""A sentence as the matcher sees it: nodes with features, basic and enhanced edges; columns are read on first use."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from treewright import trees
from treewright.caching import cached_property
from treewright.corpus import Edge, Sentence
from treewright.corpus.confidence import IN_MISC
from treewright.corpus.graph import EmptyNode, Id
from treewright.query.syntax import ENHANCED, label_parts

ROOT_FORM = "__0__"
COLUMNS = {"form": "FORM", "lemma": "LEMMA", "upos": "UPOS", "xpos": "XPOS"}
LAYER = re.compile(r"(\w+?)__(\w+)")  # Number__psor is Number[psor]

Node = int  # 0 is the root, then the words, then the empty nodes
Column = list[str | None]  # a value for each node, None where the feature is missing


class Graph:
    """The nodes and edges of a sentence. Empty nodes are nodes only with `is_enhanced`."""

    def __init__(self, sentence: Sentence, *, is_enhanced: bool = False) -> None:
        self.sentence, self.is_enhanced = sentence, is_enhanced
        self.words = len(sentence)
        self.heads: list[Node] = [-1, *sentence.head_numbers()]  # -1: no head
        self._features: dict[str, Column] = {}

    @cached_property
    def empty_nodes(self) -> list[EmptyNode]:
        return self.sentence.empty_nodes if self.is_enhanced else []

    @property
    def size(self) -> int:
        """The number of nodes."""
        return 1 + self.words + len(self.empty_nodes)

    @cached_property
    def labels(self) -> Column:
        """The label of the basic edge into each node; None without an edge."""
        labels: Column = [None, *self.sentence.column("DEPREL"), *[None] * len(self.empty_nodes)]
        if -1 in self.heads[1:]:
            for word, head in enumerate(self.heads):
                if head < 0:
                    labels[word] = None
        return labels

    @cached_property
    def children(self) -> list[list[Node]]:
        """The modifiers of each node by basic edges."""
        children: list[list[Node]] = [[] for _ in range(self.size)]
        for word, head in enumerate(self.heads):
            if head >= 0:
                children[head].append(word)
        return children

    @cached_property
    def _enhanced(self) -> tuple[list[list[tuple[Node, str]]], list[list[Node]]]:
        """Head and label of the enhanced edges into each node, and the modifiers of each node."""
        nodes: dict[Id, Node] = {word: word for word in range(self.words + 1)}
        nodes |= {empty.id: self.words + 1 + number for number, empty in enumerate(self.empty_nodes)}
        incoming: list[list[tuple[Node, str]]] = [[] for _ in range(self.size)]
        modifiers: list[dict[Node, None]] = [{} for _ in range(self.size)]
        for head, modifier, label in self.sentence.graph if self.is_enhanced else ():
            incoming[nodes[modifier]].append((nodes[head], ENHANCED + label))
            modifiers[nodes[head]][nodes[modifier]] = None
        return incoming, [list(below) for below in modifiers]

    def incoming(self, node: Node) -> Iterator[tuple[Node, str]]:
        """Yield head and label of every edge into a node, the basic one first."""
        label = self.labels[node]
        if label is not None:
            yield self.heads[node], label
        if self.is_enhanced:
            yield from self._enhanced[0][node]

    def heads_of(self, node: Node) -> list[Node]:
        """Return the nodes with an edge to this node, each once."""
        if self.is_enhanced:
            return list(dict.fromkeys(head for head, _ in self.incoming(node)))
        return [self.heads[node]] if self.heads[node] >= 0 else []

    def modifiers_of(self, node: Node) -> list[Node]:
        """Return the nodes that this node has an edge to, each once."""
        if self.is_enhanced:
            return list(dict.fromkeys(self.children[node] + self._enhanced[1][node]))
        return self.children[node]

    def position(self, node: Node) -> float:
        """Return the place of a node in the order of the sentence; empty nodes stand between words."""
        if node <= self.words:
            return node
        word, _, number = self.empty_nodes[node - self.words - 1].id.partition(".")
        return int(word) + int(number) / 1000

    def id_of(self, node: Node) -> Id:
        """Return the number of a node in the file: 0 the root, "8.1" an empty node."""
        return node if node <= self.words else self.empty_nodes[node - self.words - 1].id

    def edge(self, head: Node, modifier: Node, label: str) -> Edge:
        """Return an edge with the numbers of the file."""
        return Edge(self.id_of(head), self.id_of(modifier), label)

    # -- features

    def feature(self, name: str) -> Column:
        """Return the value of a feature at each node: a column, a key of FEATS or of MISC, `__id__` or `conf`."""
        column = self._features.get(name)
        if column is None:
            column = self._features[name] = self._read(name)
        return column

    def _read(self, name: str) -> Column:
        if name in COLUMNS:
            cells = [*self.sentence.column(COLUMNS[name]), *(getattr(node, name) for node in self.empty_nodes)]
            if name == "form":
                return [ROOT_FORM, *cells]  # a word may be "_"
            return [None, *(None if cell == "_" else cell for cell in cells)]
        if name == "__id__":
            return [str(self.id_of(node)) for node in range(self.size)]
        if name == "conf":
            return self._confidence()
        layer = LAYER.fullmatch(name)
        key = f"{layer[1]}[{layer[2]}]" if layer else name
        features = self._entries(key, "FEATS", "feats")
        others = self._entries(name, "MISC", "misc")
        return [other if value is None else value for value, other in zip(features, others, strict=True)]

    def _entries(self, key: str, column: str, attribute: str) -> Column:
        """Return the values of a key of FEATS or MISC."""
        cells = [*self.sentence.column(column), *(getattr(node, attribute) for node in self.empty_nodes)]
        return [None, *(value_in(cell, key) if key in cell else None for cell in cells)]

    def _confidence(self) -> Column:
        values = self.sentence.head_confidence
        if values is None:
            return self._entries(IN_MISC["head_confidence"], "MISC", "misc")
        known: Column = [None if np.isnan(value) else repr(value) for value in values.tolist()]
        return [None, *known, *[None] * len(self.empty_nodes)]

    # -- relations between nodes, and of the whole sentence

    def dominates(self, head: Node, modifier: Node) -> bool:
        """Return whether a path of basic edges leads from head to modifier."""
        seen = set()
        while 0 < modifier <= self.words and modifier not in seen:
            seen.add(modifier)
            modifier = self.heads[modifier]
            if modifier == head:
                return True
        return False

    def descendants(self, node: Node) -> list[Node]:
        """Return the nodes below a node by basic edges; the node itself is one of them if it is in a cycle."""
        below: dict[Node, None] = {}
        pending = [node]
        while pending:
            children = [child for child in self.children[pending.pop()] if child not in below]
            below |= dict.fromkeys(children)
            pending += children
        return list(below)

    def has_flag(self, flag: str) -> bool:
        """Return whether the basic edges are a tree, a forest, cyclic or projective."""
        heads = self.heads
        if flag == "tree":
            return trees.is_tree(heads)
        if flag == "projective" and trees.is_tree(heads):
            return trees.is_projective(heads)
        if flag == "projective":
            arcs = [(min(head, word), max(head, word)) for word, head in enumerate(heads) if head >= 0]
            return not any(a < c < b < d for a, b in arcs for c, d in arcs)
        is_cyclic = any(self.dominates(word, word) for word in range(1, self.words + 1))
        return is_cyclic if flag == "cyclic" else not is_cyclic


def value_in(cell: str, key: str) -> str | None:
    """Return the value of Key=Value in a cell; "" for a key alone, None if it is missing.

    >>> value_in("Case=Nom|Number=Plur", "Number"), value_in("Case=Nom", "Number")
    ('Plur', None)
    """
    for entry in cell.split("|"):
        name, _, value = entry.partition("=")
        if name == key:
            return value
    return None


def edge_value(edge: Edge, name: str) -> str | None:
    """Return `label`, `length`, `delta` or a part of the label of an edge."""
    if name == "label":
        return edge.label
    if name in ("length", "delta"):
        distance = number_of(edge.modifier) - number_of(edge.head)
        return f"{abs(distance) if name == 'length' else distance:g}"
    return label_parts(edge.label).get(name)


def number_of(node: Id) -> float:
    """Return the number of a node in the order of the sentence."""
    word, _, number = str(node).partition(".")
    return int(word) + int(number or 0) / 1000
