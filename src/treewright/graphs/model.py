"""A trained graph parser as data, and a worker that finds the graphs of sentences with trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from treewright.decode import GraphParse, Parts, graph
from treewright.errors import FormatError, InfeasibleError
from treewright.graphs.features import TEMPLATES, EdgeFeatures, Hashes, Indices, mixed
from treewright.graphs.labels import label_of
from treewright.graphs.options import GraphOptions
from treewright.graphs.paths import Pair, Paths
from treewright.graphs.view import TreeView
from treewright.learn import Weights

Edge = tuple[int, int]  # head, modifier
LabelledEdge = tuple[int, int, str]  # head, modifier, label
Kept = Mapping[int, Sequence[tuple[int, str]]]  # of words whose edges are decided: heads and labels
Scores = NDArray[np.float32]


class PathLabels(NamedTuple):
    """A path, the label templates of its edges in order of preference, and whether it may have no edge."""

    path: str
    labels: tuple[str, ...]
    optional: bool = True


@dataclass(frozen=True, eq=False)
class GraphModel:
    """A trained graph parser; `metadata` describe its training data."""

    options: GraphOptions
    paths: tuple[PathLabels, ...]
    weights: Weights
    templates: tuple[str, ...] = TEMPLATES
    metadata: Mapping[str, Any] = field(default_factory=dict)


class Choices(NamedTuple):
    """The possible edges of sentences, and for each edge the labels that it may have."""

    pairs: list[list[Pair]]  # by sentence
    pair_of: Indices  # of each label, over the pairs of all sentences
    template: Hashes  # the hash of each label's template
    labels: list[str]  # filled in
    begin: Indices  # the first label of each pair, and the number of labels


class Chooser:
    """Finds the possible edges of trees and their labels, by paths that a treebank has."""

    def __init__(self, paths: Sequence[PathLabels]) -> None:
        self.entries = paths
        self._paths = Paths(entry.path for entry in paths)
        self._templates = [[(template, crc32(template.encode())) for template in entry.labels] for entry in paths]

    def choices(self, views: Sequence[TreeView]) -> Choices:
        """The possible edges of trees."""
        pairs: list[list[Pair]] = []
        labels: list[str] = []
        templates: list[int] = []
        counts: list[int] = []
        for view in views:
            some: list[Pair] = []
            for pair in self.pairs(view):
                before = len(labels)
                for label, hashed in self._labels(view, pair):
                    labels.append(label)
                    templates.append(hashed)
                if len(labels) > before:
                    some.append(pair)
                    counts.append(len(labels) - before)
            pairs.append(some)
        begin = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        pair_of = np.repeat(np.arange(len(counts)), counts)
        return Choices(pairs, pair_of, np.array(templates, np.uint32), labels, begin)

    def pairs(self, view: TreeView) -> Iterable[Pair]:
        """The arcs of the tree whose label or presence is open, and the pairs of words that a path joins."""
        for modifier in range(1, view.nodes):
            number = self._paths.tree.get(view.bases[modifier])
            if number is not None:
                above = view.heads[modifier]
                yield Pair(number, modifier, above, above, modifier, above)
        yield from self._paths.pairs(view)

    def _labels(self, view: TreeView, pair: Pair) -> Iterable[tuple[str, int]]:
        """The labels that an edge may have, each once, with the hash of the first template that gives it."""
        found: dict[str, int] = {}
        for template, hashed in self._templates[pair.path]:
            label = label_of(template, view, pair)
            if label is not None:
                found.setdefault(label, hashed)
        return found.items()


def cells_of(features: Hashes, choices: Choices, bits: int) -> NDArray[np.int32]:
    """The weights of each label: a row of cells."""
    cells = mixed(features[choices.pair_of], choices.template[:, None]) >> np.uint32(32 - bits)
    return np.asarray(cells, dtype=np.int32)


class Scored(NamedTuple):
    """The possible edges of one sentence with their log odds and best labels."""

    pairs: list[Pair]
    odds: list[float]
    labels: list[str]


class GraphWorker:
    """Finds graphs with a model. It caches words: each thread needs its own."""

    def __init__(self, model: GraphModel) -> None:
        self.model = model
        self.features = EdgeFeatures(model.templates)
        self.chooser = Chooser(model.paths)
        self._weights = model.weights.values.astype(np.float32) * np.float32(model.weights.scale)

    def score(self, views: Sequence[TreeView]) -> list[Scored]:
        """The possible edges of each sentence."""
        if not views:
            return []
        choices = self.chooser.choices(views)
        features = self.features.of(views, choices.pairs)
        cells = cells_of(features, choices, self.model.options.bits)
        return scored(choices, self._weights[cells].sum(axis=1))

    def graphs(self, views: Sequence[TreeView], kept: Sequence[Kept] | None = None) -> list[list[LabelledEdge]]:
        """The best graph of each sentence; `kept` are the edges of words that are decided."""
        decided: Sequence[Kept] = [{}] * len(views) if kept is None else kept
        each = zip(views, self.score(views), decided, strict=True)
        return [Decision(self.model, *one).edges() for one in each]

    def decode(self, view: TreeView) -> GraphParse:
        """The best set of edges of one sentence, with value and bound."""
        [found] = self.score([view])
        return Decision(self.model, view, found, {}).decode()


def scored(choices: Choices, scores: Scores) -> list[Scored]:
    """The log odds and the best label of each possible edge, by sentence."""
    if not len(scores):
        return [Scored([], [], []) for _ in choices.pairs]
    first = choices.begin[:-1]
    largest = np.maximum.reduceat(scores, first)
    at_best = np.flatnonzero(scores == largest[choices.pair_of])
    best = at_best[np.searchsorted(choices.pair_of[at_best], np.arange(len(first)))].tolist()
    odds = np.logaddexp.reduceat(scores, first).tolist()
    found = []
    begin = 0
    for pairs in choices.pairs:
        end = begin + len(pairs)
        found.append(Scored(pairs, odds[begin:end], [choices.labels[place] for place in best[begin:end]]))
        begin = end
    return found


class Decision:
    """The choice of the edges of one sentence.

    An edge is in the graph if its log odds are positive. Where that leaves a word without a path from the root, or
    closes a cycle in a model without cycles, the best admissible set is searched (treewright.decode.graph).
    """

    def __init__(self, model: GraphModel, view: TreeView, found: Scored, kept: Kept) -> None:
        self.model, self.view, self.kept = model, view, kept
        self.required: dict[Edge, str] = {
            (head, modifier): view.relations[modifier]
            for modifier, head in enumerate(view.heads)
            if modifier and modifier not in kept
        }
        self.optional: dict[Edge, tuple[float, str]] = {}
        for pair, odds, label in zip(*found, strict=True):
            edge = pair.head, pair.modifier
            if pair.modifier in kept:
                continue
            if model.paths[pair.path].optional:
                self.required.pop(edge, None)
                self.optional[edge] = odds, label
            else:
                self.required[edge] = label

    def edges(self) -> list[LabelledEdge]:
        """The best graph."""
        chosen = {edge for edge, (odds, _) in self.optional.items() if odds > 0}
        if self._needs_search(chosen):
            chosen = set(map(tuple, self.decode().arcs.tolist()))
        found = [(*edge, label) for edge, label in self.required.items()]
        found += [(*edge, label) for edge, (_, label) in self.optional.items() if edge in chosen]
        return found + [(head, modifier, label) for modifier, some in self.kept.items() for head, label in some]

    def decode(self) -> GraphParse:
        """The best admissible set of edges; those that are required have the score 0."""
        fixed = {*self.required, *((head, modifier) for modifier, some in self.kept.items() for head, _ in some)}
        scores = dict.fromkeys(fixed, 0.0) | {edge: odds for edge, (odds, _) in self.optional.items()}
        arcs = np.array(list(scores), dtype=np.int32)
        parts = Parts(self.view.nodes, (arcs[:, 0], arcs[:, 1], np.array(list(scores.values()))))
        acyclic = bool(self.model.options.acyclic)
        try:
            return graph(parts, root="multi", require=sorted(fixed), method="branch", acyclic=acyclic)
        except InfeasibleError as error:
            sentence = self.view.sentence
            problem = f"no graph has all edges of DEPS that are given: {error}"
            raise FormatError(sentence.source, sentence.line, problem) from None

    def _needs_search(self, chosen: set[Edge]) -> bool:
        """Whether the edges with positive log odds are no admissible graph."""
        outside = [edge for edge in chosen if self.view.heads[edge[1]] != edge[0]]
        if self.model.options.acyclic and (outside or self.kept) and self._has_cycle(chosen):
            return True
        is_tree_kept = not self.kept and len(self.required) + len(chosen) - len(outside) == self.view.nodes - 1
        return not is_tree_kept and not self._reaches_all(chosen)

    def _below(self, chosen: set[Edge]) -> list[list[int]]:
        below: list[list[int]] = [[] for _ in self.view.heads]
        for head, modifier in (*self.required, *chosen):
            below[head].append(modifier)
        for modifier, some in self.kept.items():
            for head, _ in some:
                below[head].append(modifier)
        return below

    def _reaches_all(self, chosen: set[Edge]) -> bool:
        below = self._below(chosen)
        reached, waiting = {0}, [0]
        while waiting:
            for node in below[waiting.pop()]:
                if node not in reached:
                    reached.add(node)
                    waiting.append(node)
        return len(reached) == self.view.nodes

    def _has_cycle(self, chosen: set[Edge]) -> bool:
        below = self._below(chosen)
        waiting = [0] * len(below)
        for some in below:
            for node in some:
                waiting[node] += 1
        free = [node for node, count in enumerate(waiting) if not count]
        removed = 0
        while free:
            removed += 1
            for node in below[free.pop()]:
                waiting[node] -= 1
                if not waiting[node]:
                    free.append(node)
        return removed < len(below)
