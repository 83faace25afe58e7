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
from treewright.graphs.links import Link, Links, climb, upper_bound, value_of
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
    link_templates: tuple[str, ...] = ()  # of a second-order model
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


def tables_of(
    model: GraphModel, features: Hashes, choices: Choices
) -> tuple[NDArray[np.int32], Links | None, NDArray[np.int32] | None]:
    """The weights of labels; in a second-order model, the links and their weights."""
    bits, width = model.options.bits, features.shape[1] - len(model.link_templates)
    cells = cells_of(features[:, :width], choices, bits)
    if not model.link_templates:
        return cells, None, None
    links = Links.of(choices.pairs, [one.optional for one in model.paths])
    return cells, links, links.cells(features[:, width:], bits)


class Scored(NamedTuple):
    """The possible edges of one sentence with their log odds and best labels; the links of a second-order model."""

    pairs: list[Pair]
    odds: list[float]
    labels: list[str]
    links: Sequence[Link] = ()


class GraphWorker:
    """Finds graphs with a model. It caches words: each thread needs its own."""

    def __init__(self, model: GraphModel) -> None:
        self.model = model
        self.features = EdgeFeatures((*model.templates, *model.link_templates))
        self.chooser = Chooser(model.paths)
        self._weights = model.weights.values.astype(np.float32) * np.float32(model.weights.scale)

    def score(self, views: Sequence[TreeView]) -> list[Scored]:
        """The possible edges of each sentence."""
        if not views:
            return []
        choices = self.chooser.choices(views)
        features = self.features.of(views, choices.pairs)
        cells, links, of_links = tables_of(self.model, features, choices)
        scores = None if of_links is None else self._weights[of_links].sum(axis=1)
        return scored(choices, self._weights[cells].sum(axis=1), links, scores)

    def graphs(self, views: Sequence[TreeView], kept: Sequence[Kept] | None = None) -> list[list[LabelledEdge]]:
        """The best graph of each sentence; `kept` are the edges of words that are decided."""
        decided: Sequence[Kept] = [{}] * len(views) if kept is None else kept
        each = zip(views, self.score(views), decided, strict=True)
        return [Decision(self.model, *one).edges() for one in each]

    def decode(self, view: TreeView) -> GraphParse:
        """The best set of edges of one sentence, with value and bound."""
        [found] = self.score([view])
        return Decision(self.model, view, found, {}).decode()


def best_labels(scores: NDArray[Any], pair_of: Indices, begin: Indices) -> Indices:
    """The place of the best label of each edge, the first of several; labels of edge e begin at begin[e]."""
    largest = np.maximum.reduceat(scores, begin)
    at_best = np.flatnonzero(scores == largest[pair_of])
    return np.asarray(at_best[np.searchsorted(pair_of[at_best], np.arange(len(begin)))])


def scored(
    choices: Choices, scores: Scores, links: Links | None = None, of_links: Scores | None = None
) -> list[Scored]:
    """The log odds and the best label of each possible edge, by sentence.

    In a second-order model, with `links` and their scores, the score of the best label takes the place of the log odds.
    """
    if not len(scores):
        return [Scored([], [], []) for _ in choices.pairs]
    first = choices.begin[:-1]
    best = best_labels(scores, choices.pair_of, first)
    odds = (np.logaddexp.reduceat(scores, first) if links is None else scores[best]).tolist()
    labels = [choices.labels[place] for place in best.tolist()]
    ends = np.cumsum([0, *map(len, choices.pairs)]).tolist()
    linked = [()] * len(choices.pairs) if links is None or of_links is None else links.scored(of_links, ends[:-1])
    each = zip(choices.pairs, ends[:-1], ends[1:], linked, strict=True)
    return [Scored(pairs, odds[low:high], labels[low:high], some) for pairs, low, high, some in each]


class Decision:
    """The choice of the edges of one sentence.

    An edge is in the graph if its log odds are positive. Where that leaves a word without a path from the root, or
    closes a cycle in a model without cycles, the best admissible set is searched (treewright.decode.graph). If edges
    are linked, the search is greedy: from the tree, the best admissible change as long as one raises the value.
    """

    def __init__(self, model: GraphModel, view: TreeView, found: Scored, kept: Kept) -> None:
        self.model, self.view, self.kept = model, view, kept
        self.required: dict[Edge, str] = {
            (head, modifier): view.relations[modifier]
            for modifier, head in enumerate(view.heads)
            if modifier and modifier not in kept
        }
        self.optional: dict[Edge, tuple[float, str]] = {}
        places: dict[int, int] = {}  # of edges that are optional, by their number among the possible ones
        for number, (pair, odds, label) in enumerate(zip(found.pairs, found.odds, found.labels, strict=True)):
            edge = pair.head, pair.modifier
            if pair.modifier in kept:
                continue
            if model.paths[pair.path].optional:
                self.required.pop(edge, None)
                places[number] = len(self.optional)
                self.optional[edge] = odds, label
            else:
                self.required[edge] = label
        self.links = [
            (places[first], places[second], score)
            for first, second, score in found.links
            if first in places and second in places
        ]

    def edges(self) -> list[LabelledEdge]:
        """The best graph; with links, the best one found."""
        chosen = self.chosen()
        found = [(*edge, label) for edge, label in self.required.items()]
        found += [(*edge, label) for edge, (_, label) in self.optional.items() if edge in chosen]
        return found + [(head, modifier, label) for modifier, some in self.kept.items() for head, label in some]

    def chosen(self) -> set[Edge]:
        """The optional edges of the graph."""
        if self.links:
            return self._climbed()[0]
        chosen = {edge for edge, (odds, _) in self.optional.items() if odds > 0}
        return set(map(tuple, self._branched().arcs.tolist())) if self._needs_search(chosen) else chosen

    def decode(self) -> GraphParse:
        """The best admissible set of edges, or with links the best one found; those required have the score 0."""
        if not self.links:
            return self._branched()
        chosen, changes = self._climbed()
        scores = [odds for odds, _ in self.optional.values()]
        numbers = {number for number, edge in enumerate(self.optional) if edge in chosen}
        score, bound = value_of(scores, self.links, numbers), upper_bound(scores, self.links, self._one_of())
        parts = [(one, number in numbers) for number, one in enumerate(scores)]
        parts += [(one, first in numbers and second in numbers) for first, second, one in self.links]
        rounding = len(parts) * 2.0**-52 * sum(abs(one) for one, _ in parts)
        gap, spread = max(bound - score, 0.0) + rounding, sum(abs(one) for one, on in parts if on or one > 0)
        arcs = np.array(sorted({*self._fixed(), *chosen}, key=lambda edge: edge[::-1]), dtype=np.int32)
        return GraphParse(arcs, self.view.nodes, score, score + gap, "greedy", gap, spread, iterations=changes)

    def _climbed(self) -> tuple[set[Edge], int]:
        """The greedy search from the tree, and the number of its changes."""
        edges, heads = list(self.optional), self.view.heads
        start = {number for number, (head, modifier) in enumerate(edges) if heads[modifier] == head}
        if not self._reaches_all({edges[number] for number in start}):  # DEPS of people contradicts the tree
            arcs = set(map(tuple, self._branched().arcs.tolist()))
            start = {number for number, edge in enumerate(edges) if edge in arcs}

        def admits(after: set[int], added: int | None, removed: int | None) -> bool:
            some = {edges[number] for number in after}
            if added is not None and self.model.options.acyclic and self._has_cycle(some):
                return False
            return removed is None or self._reaches_all(some)

        scores = [odds for odds, _ in self.optional.values()]
        found, changes = climb(scores, self.links, [edge[1] for edge in edges], start, admits)
        return {edges[number] for number in found}, changes

    def _one_of(self) -> list[list[int]]:
        """The numbers of the optional edges of each word that no other edge gives a head."""
        with_head = {modifier for _, modifier in self._fixed()}
        found: dict[int, list[int]] = {}
        for number, (_, modifier) in enumerate(self.optional):
            if modifier not in with_head:
                found.setdefault(modifier, []).append(number)
        return list(found.values())

    def _fixed(self) -> set[Edge]:
        return {*self.required, *((head, modifier) for modifier, some in self.kept.items() for head, _ in some)}

    def _branched(self) -> GraphParse:
        """The best admissible set of edges, each with its own score."""
        fixed = self._fixed()
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
