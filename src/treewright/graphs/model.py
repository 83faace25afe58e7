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
from treewright.graphs.checks import Edge, find_cycle, reached_from_root
from treewright.graphs.features import TEMPLATES, EdgeFeatures, Hashes, Indices, mix
from treewright.graphs.labels import label_of
from treewright.graphs.options import GraphOptions
from treewright.graphs.paths import Pair, Paths
from treewright.graphs.view import TreeView
from treewright.learn import Weights

LabelledEdge = tuple[int, int, str]  # head, modifier, label
Kept = Mapping[int, Sequence[tuple[int, str]]]  # of words whose edges are decided: heads and labels


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

    def table(self) -> NDArray[np.float32]:
        """Return the weights as floats."""
        return self.weights.values.astype(np.float32) * np.float32(self.weights.scale)


class Choices(NamedTuple):
    """The possible edges of sentences, and for each edge the labels that it may have."""

    pairs: list[list[Pair]]  # by sentence
    pair_of: Indices  # of each label, over the pairs of all sentences
    template: Hashes  # the hash of each label's template
    labels: list[str]  # filled in
    begin: Indices  # the first label of each pair, and the number of labels

    def cells(self, features: Hashes, bits: int) -> NDArray[np.int32]:
        """Return the weights of each label: a row of cells."""
        cells = mix(features[self.pair_of], self.template[:, None]) >> np.uint32(32 - bits)
        return np.asarray(cells, dtype=np.int32)


class Chooser:
    """Finds the possible edges of trees and their labels, by paths that a treebank has."""

    def __init__(self, paths: Sequence[PathLabels]) -> None:
        self._paths = Paths(entry.path for entry in paths)
        self._templates = [[(template, crc32(template.encode())) for template in entry.labels] for entry in paths]

    def choices(self, views: Sequence[TreeView]) -> Choices:
        """Return the possible edges of trees."""
        pairs: list[list[Pair]] = []
        labels: list[str] = []
        templates: list[int] = []
        counts: list[int] = []
        for view in views:
            pairs.append([])
            for pair in self._pairs(view):
                before = len(labels)
                for label, hashed in self._labels(view, pair):
                    labels.append(label)
                    templates.append(hashed)
                if len(labels) > before:
                    pairs[-1].append(pair)
                    counts.append(len(labels) - before)
        begin = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        pair_of = np.repeat(np.arange(len(counts)), counts)
        return Choices(pairs, pair_of, np.array(templates, np.uint32), labels, begin)

    def _pairs(self, view: TreeView) -> Iterable[Pair]:
        """The arcs of the tree whose label or presence is open, and the pairs of words that a path joins."""
        for modifier in range(1, view.nodes):
            number = self._paths.tree.get(view.bases[modifier])
            if number is not None:
                above = view.heads[modifier]
                yield Pair(number, modifier, above, above, modifier, above)
        yield from self._paths.pairs(view)

    def _labels(self, view: TreeView, pair: Pair) -> Iterable[tuple[str, int]]:
        """The labels that an edge may have, each once, with the hash of the first template that gives it."""
        hashes: dict[str, int] = {}
        for template, hashed in self._templates[pair.path]:
            label = label_of(template, view, pair)
            if label is not None:
                hashes.setdefault(label, hashed)
        return hashes.items()


class Scored(NamedTuple):
    """The possible edges of one sentence with their log odds and best labels."""

    pairs: list[Pair]
    odds: list[float]
    labels: list[str]


def score_edges(choices: Choices, cells: NDArray[np.int32], table: NDArray[np.float32]) -> list[Scored]:
    """Return the log odds and the best label of each possible edge, by sentence; `table` are the weights."""
    if not len(cells):
        return [Scored([], [], []) for _ in choices.pairs]
    scores = table[cells].sum(axis=1)
    first = choices.begin[:-1]
    odds = np.logaddexp.reduceat(scores, first).tolist()
    labels = [choices.labels[index] for index in best_labels(scores, choices.pair_of, first).tolist()]
    ends = np.cumsum([0, *map(len, choices.pairs)]).tolist()
    each = zip(choices.pairs, ends[:-1], ends[1:], strict=True)
    return [Scored(pairs, odds[low:high], labels[low:high]) for pairs, low, high in each]


def best_labels(scores: NDArray[Any], pair_of: Indices, begin: Indices) -> Indices:
    """Return the place of the best label of each edge, the first of several; labels of edge e begin at begin[e]."""
    largest = np.maximum.reduceat(scores, begin)
    at_best = np.flatnonzero(scores == largest[pair_of])
    return np.asarray(at_best[np.searchsorted(pair_of[at_best], np.arange(len(begin)))])


class GraphWorker:
    """Finds graphs with a model. It caches words: each thread needs its own."""

    def __init__(self, model: GraphModel) -> None:
        self.model = model
        self._features = EdgeFeatures(model.templates)
        self._chooser = Chooser(model.paths)
        self._table = model.table()

    def decisions(self, views: Sequence[TreeView], kept: Sequence[Kept]) -> list[Decision]:
        """Return the choice of edges of each sentence; `kept` are the edges of words that are decided."""
        if not views:
            return []
        choices = self._chooser.choices(views)
        cells = choices.cells(self._features.of(views, choices.pairs), self.model.options.bits)
        scored = score_edges(choices, cells, self._table)
        return [Decision(self.model, *sentence) for sentence in zip(views, scored, kept, strict=True)]


class Decision:
    """The choice of the edges of one sentence.

    An edge is in the graph if its log odds are positive. Where that leaves a word without a path from the root, or
    closes a cycle in a model without cycles, the best admissible set is searched (treewright.decode.graph).
    """

    def __init__(self, model: GraphModel, view: TreeView, scored: Scored, kept: Kept) -> None:
        self.acyclic, self.view, self.kept = bool(model.options.acyclic), view, kept
        self.required: dict[Edge, str] = {
            (head, modifier): view.relations[modifier]
            for modifier, head in enumerate(view.heads)
            if modifier and modifier not in kept
        }
        self.optional: dict[Edge, tuple[float, str]] = {}
        for pair, odds, label in zip(*scored, strict=True):
            edge = pair.head, pair.modifier
            if pair.modifier in kept:
                continue
            if model.paths[pair.path].optional:
                self.required.pop(edge, None)
                self.optional[edge] = odds, label
            else:
                self.required[edge] = label

    def edges(self) -> list[LabelledEdge]:
        """Return the best graph."""
        chosen = {edge for edge, (odds, _) in self.optional.items() if odds > 0}
        if not self._is_admissible(chosen):
            chosen = set(map(tuple, self.decode().arcs.tolist()))
        edges = [(*edge, label) for edge, label in self.required.items()]
        edges += [(*edge, label) for edge, (_, label) in self.optional.items() if edge in chosen]
        return edges + [(head, modifier, label) for modifier, heads in self.kept.items() for head, label in heads]

    def decode(self) -> GraphParse:
        """Return the best admissible set of edges with value and bound; those required have the score 0."""
        fixed = self._fixed()
        scores = dict.fromkeys(fixed, 0.0) | {edge: odds for edge, (odds, _) in self.optional.items()}
        arcs = np.array(list(scores), dtype=np.int32)
        parts = Parts(self.view.nodes, (arcs[:, 0], arcs[:, 1], np.array(list(scores.values()))))
        try:
            return graph(parts, root="multi", require=sorted(fixed), method="branch", acyclic=self.acyclic)
        except InfeasibleError as error:
            sentence = self.view.sentence
            problem = f"no graph has all edges of DEPS that are given: {error}"
            raise FormatError(sentence.source, sentence.line, problem) from None

    def _fixed(self) -> set[Edge]:
        return {*self.required, *((head, modifier) for modifier, heads in self.kept.items() for head, _ in heads)}

    def _is_admissible(self, chosen: set[Edge]) -> bool:
        outside = [edge for edge in chosen if self.view.heads[edge[1]] != edge[0]]
        if self.acyclic and (outside or self.kept) and find_cycle(self.view.nodes, self._fixed() | chosen):
            return False
        has_tree = not self.kept and len(self.required) + len(chosen) - len(outside) == self.view.nodes - 1
        return has_tree or len(reached_from_root(self._fixed() | chosen)) == self.view.nodes
