"""Training a graph parser: paths and labels are read off the graphs, weights are learned.

A first-order model learns edge by edge, a second-order model from the graphs that its search finds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.graphs.checks import check_graph, cycle_error, find_cycle, has_graph, missing_arc_error
from treewright.graphs.features import TEMPLATES, EdgeFeatures
from treewright.graphs.labels import COPY, templates_for
from treewright.graphs.links import LINK_TEMPLATES, Links, value_of
from treewright.graphs.model import (
    Choices,
    Chooser,
    Decision,
    GraphModel,
    LabelledEdge,
    PathLabels,
    Scored,
    best_labels,
    scored,
    tables_of,
)
from treewright.graphs.options import GraphOptions
from treewright.graphs.paths import MAX_STEPS, Pair, path_between, steps_of
from treewright.graphs.view import TreeView
from treewright.learn import AveragedCells, Judgement, Numbers, Observer, Stage, State, Weights, run

SENTENCES_PER_STEP = 16  # by convention
MIN_GRADIENT = 1e-6  # labels with a smaller gradient are left out of a step; by convention
NO_EDGE, UNKNOWN_LABEL = -1, -2  # in place of the number of the gold label

Cells = NDArray[np.int32]


class Example(NamedTuple):
    """A tree and the edges of its graph: label by head and modifier."""

    view: TreeView
    edges: dict[tuple[int, int], str]


def examples_of(sentences: Iterable[Sentence]) -> list[Example]:
    """The sentences that have a graph, checked; those with empty nodes, which are not learned, are left out."""
    return [example(sentence) for sentence in sentences if has_graph(sentence) and not sentence.empty_nodes]


def example(sentence: Sentence) -> Example:
    """A sentence with its graph; of two edges between the same words the first is taken."""
    check_graph(sentence)
    edges: dict[tuple[int, int], str] = {}
    for edge in sentence.graph:
        edges.setdefault((int(edge.head), int(edge.modifier)), edge.label)
    return Example(TreeView(sentence), edges)


def checked_examples(sentences: Iterable[Sentence], options: GraphOptions) -> tuple[list[Example], GraphOptions]:
    """The sentences that have a graph, and the options with what is read off them; an error if there are none."""
    examples = examples_of(sentences)
    if not examples:
        raise InputError("the training data has no graph to learn from: DEPS is empty, or every graph has empty nodes")
    return examples, resolve(options, examples)


def resolve(options: GraphOptions, examples: Sequence[Example]) -> GraphOptions:
    """The options with what is read off the training data: whether graphs have cycles, and all arcs of their trees.

    Options that are given and do not hold in the data are an error that names the first sentence.
    """
    acyclic, keep_tree = options.acyclic, options.keep_tree
    cyclic = first_of(examples, lambda one: find_cycle(one.view.nodes, one.edges))
    if acyclic and cyclic is not None:
        raise cycle_error(cyclic.view.sentence, find_cycle(cyclic.view.nodes, cyclic.edges))
    lost = first_of(examples, missing_arcs)
    if keep_tree and lost is not None:
        raise missing_arc_error(lost.view.sentence, missing_arcs(lost)[0])
    return replace(
        options,
        acyclic=cyclic is None if acyclic is None else acyclic,
        keep_tree=lost is None if keep_tree is None else keep_tree,
    )


def first_of(examples: Sequence[Example], find: Callable[[Example], list[int]]) -> Example | None:
    """The first example in which something is found."""
    return next((one for one in examples if find(one)), None)


def missing_arcs(one: Example) -> list[int]:
    """The words whose tree arc is no edge of the graph."""
    return [modifier for modifier, head in enumerate(one.view.heads) if modifier and (head, modifier) not in one.edges]


def pair_on(view: TreeView, path: str, head: int, modifier: int) -> Pair:
    """The pair of an edge with its path; the number of the path is left out."""
    if path[0] == "=":
        return Pair(-1, modifier, head, head, modifier, head)
    ups = sum(step[0] == "<" for step in path.split())
    top = upper = modifier
    for _ in range(ups):
        upper, top = top, view.heads[top]
    near = view.heads[modifier]
    if not ups:
        near = head
        while view.heads[near] != modifier:
            near = view.heads[near]
    return Pair(-1, modifier, head, top, upper, near)


def read_paths(examples: Sequence[Example], options: GraphOptions) -> tuple[PathLabels, ...]:
    """The paths of the edges in a treebank with the templates of their labels."""
    matches: dict[str, list[tuple[str, list[str]]]] = {}  # by path: label and templates of each edge
    removed: Counter[str] = Counter()
    for view, edges in examples:
        for (head, modifier), label in edges.items():
            path = path_between(view, head=head, modifier=modifier)
            pair = pair_on(view, path, head, modifier)
            matches.setdefault(path, []).append((label, templates_for(label, view, pair)))
        for modifier in range(1, view.nodes):
            if (view.heads[modifier], modifier) not in edges:
                removed[f"={view.bases[modifier]}"] += 1
    found = []
    for path, seen in sorted(matches.items()):
        is_tree = path[0] == "="
        if not is_tree and (len(seen) < options.min_paths or steps_of(path) > MAX_STEPS):
            continue
        optional = not is_tree or (not options.keep_tree and removed[path] >= options.min_paths)
        labels = preferred(seen, options.min_labels, is_tree)
        if not is_tree or optional or labels != (COPY,):
            found.append(PathLabels(path, labels, optional))
    return tuple(found)


def preferred(seen: Sequence[tuple[str, list[str]]], least: int, is_tree: bool) -> tuple[str, ...]:
    """The templates of a path, those first that explain more edges; then literal labels that no template explains."""
    left = list(seen)
    chosen: list[str] = []
    while left:
        counts = Counter(template for _, templates in left for template in templates)
        counts.update(f"={label}" for label, _ in left)
        best, count = max(counts.items(), key=lambda item: (item[1], item[0][0] != "=", -len(item[0]), item[0]))
        if count < least and chosen:
            break
        chosen.append(best)
        left = [one for one in left if best not in one[1] and best != f"={one[0]}"]
    if is_tree and COPY not in chosen:
        chosen.append(COPY)
    return tuple(chosen)


class Trainer:
    """The stage of a training and what it needs: examples with cells and gold labels, development data."""

    def __init__(
        self,
        sentences: Sequence[Sentence],
        dev: Sequence[Sentence],
        options: GraphOptions,
        templates: tuple[str, ...] = TEMPLATES,
    ) -> None:
        self.examples, self.options = checked_examples(sentences, options)
        self.untrained = GraphModel(
            self.options,
            read_paths(self.examples, self.options),
            Weights.zeros(self.options.bits),
            templates,
            LINK_TEMPLATES if self.options.model == "second" else (),
        )
        self.data = Data.of(self.examples, self.untrained)
        self.dev = examples_of(dev)
        self.dev_data = Data.of(self.dev, self.untrained) if self.dev else None

    def stage(self) -> Stage[AveragedCells]:
        """The weights of edges and labels."""
        options, data = self.options, self.data

        def learn(learner: AveragedCells, first: int) -> float:
            last = min(first + SENTENCES_PER_STEP, len(self.examples))
            if options.model == "first":
                return data.step(learner, first, last, options)
            return GraphStep(data, first, last, learner.cells, options).take(learner, self.examples, self.untrained)

        return Stage(
            "graphs",
            learner=lambda: AveragedCells(options.bits),
            learn=learn,
            examples=range(0, len(self.examples), SENTENCES_PER_STEP),
            size=sum(one.view.nodes - 1 for one in self.examples),
            epochs=options.epochs,
            judge=self._judge if self.dev else None,
        )

    def run(self, state: State | None = None, observer: Observer | None = None) -> GraphModel:
        """Every epoch that is left, and the model."""
        return self.model(run([self.stage()], seed=self.options.seed, state=state, observer=observer)["graphs"])

    def model(self, weights: Numbers) -> GraphModel:
        """The model with these weights."""
        return replace(self.untrained, weights=Weights.of(weights))

    def _judge(self, average: Numbers) -> Judgement:
        model = self.model(average)
        assert self.dev_data is not None
        found = self.dev_data.scored(model.weights)
        counts = Counts()
        for one, some in zip(self.dev, found, strict=True):
            counts.add(one, Decision(model, one.view, some, {}).edges())
        return Judgement(counts.all.f1, {"elas": counts.all.f1, "extra": counts.extra.f1})


class Tally:
    """Right edges, edges found and gold edges."""

    right = found = gold = 0

    @property
    def f1(self) -> float:
        """In per cent."""
        return 200 * self.right / max(self.found + self.gold, 1)


class Counts:
    """Labelled edges of graphs: all, and those outside the tree."""

    def __init__(self) -> None:
        self.all, self.extra = Tally(), Tally()

    def add(self, gold: Example, found: Iterable[LabelledEdge]) -> None:
        """Count the edges found for a sentence with a gold graph."""
        heads = gold.view.heads
        for head, modifier, label in found:
            right = gold.edges.get((head, modifier)) == label
            for tally in (self.all, self.extra) if heads[modifier] != head else (self.all,):
                tally.found += 1
                tally.right += right
        self.all.gold += len(gold.edges)
        self.extra.gold += sum(heads[modifier] != head for head, modifier in gold.edges)


class Data:
    """Edges and labels of sentences as arrays."""

    def __init__(
        self,
        choices: Choices,
        tables: tuple[Cells, Links | None, Cells | None],
        gold: NDArray[np.int64],
        optional: NDArray[np.bool_],
    ) -> None:
        self.choices, self.gold, self.optional = choices, gold, optional
        self.cells, self.links, self.link_cells = tables
        counts = [len(some) for some in choices.pairs]
        self.first_pair = np.concatenate([[0], np.cumsum(counts)])

    @classmethod
    def of(cls, examples: Sequence[Example], model: GraphModel) -> Data:
        """The possible edges of sentences, with the gold graphs as what is to be learned; weights are not used."""
        views = [one.view for one in examples]
        paths = model.paths
        choices = Chooser(paths).choices(views)
        features = EdgeFeatures((*model.templates, *model.link_templates)).of(views, choices.pairs)
        tables = tables_of(model, features, choices)
        begin = choices.begin.tolist()
        gold: list[int] = []
        for one, pairs in zip(examples, choices.pairs, strict=True):
            for pair in pairs:
                labels = choices.labels[begin[len(gold)] : begin[len(gold) + 1]]
                label = one.edges.get((pair.head, pair.modifier))
                place = labels.index(label) if label in labels else -1
                gold.append(NO_EDGE if label is None else UNKNOWN_LABEL if place < 0 else begin[len(gold)] + place)
        optional = [paths[pair.path].optional for pairs in choices.pairs for pair in pairs]
        return cls(choices, tables, np.array(gold, np.int64), np.array(optional, bool))

    def scored(self, weights: Weights) -> list[Scored]:
        """The possible edges of each sentence under a model with these weights."""
        table = weights.values.astype(np.float32) * np.float32(weights.scale)
        of_links = None if self.link_cells is None else table[self.link_cells].sum(axis=1)
        return scored(self.choices, table[self.cells].sum(axis=1), self.links, of_links)

    def step(self, learner: AveragedCells, first: int, last: int, options: GraphOptions) -> float:
        """One update on the possible edges of some sentences; returns the loss.

        Each edge is log-linear over its labels and its absence, with a margin for every wrong choice (softmax-margin;
        Gimpel & Smith 2010): false positives and false negatives count alike. An edge whose label is not among those
        of its path is left out.
        """
        step = learner.next_step()
        low, high = self.first_pair[first], self.first_pair[last]
        if low == high:
            return 0.0
        begin = self.choices.begin[low : high + 1]
        some = slice(begin[0], begin[-1])
        cells, pair_of, gold = self.cells[some], self.choices.pair_of[some] - low, self.gold[low:high]
        is_edge = gold >= 0
        right = gold[is_edge] - begin[0]
        scores = learner.cells[cells, 0].sum(axis=1).astype(np.float64) + options.margin
        scores[right] -= options.margin
        absent = np.where(self.optional[low:high], np.where(is_edge, options.margin, 0.0), -np.inf)
        total = np.logaddexp(np.logaddexp.reduceat(scores, begin[:-1] - begin[0]), absent)
        gradient = np.exp(scores - total[pair_of])
        gradient[right] -= 1
        gradient[(gold == UNKNOWN_LABEL)[pair_of]] = 0
        adagrad_step(learner.cells, [(cells, gradient)], step, options)
        return float(total[gold != UNKNOWN_LABEL].sum() - scores[right].sum())


class GraphStep:
    """An update of a second-order model: the graphs that the search finds for some sentences against the gold ones.

    The loss counts false positives, false negatives and wrong labels. The search maximises value plus loss; where the
    graph found exceeds the gold graph, the weights take a step along the difference of their features (structured
    hinge loss with the step sizes of AdaGrad, in place of MIRA's).
    """

    def __init__(self, data: Data, first: int, last: int, table: Numbers, options: GraphOptions) -> None:
        assert data.links is not None
        assert data.link_cells is not None
        self.data, self.options, self.span = data, options, (first, last)
        self.low, self.high = int(data.first_pair[first]), int(data.first_pair[last])
        begin = data.choices.begin[self.low : self.high + 1]
        self.base = int(begin[0])
        self.cells = data.cells[self.base : begin[-1]]
        links = slice(int(data.links.begin[first]), int(data.links.begin[last]))
        self.first_link = links.start
        self.link_cells = data.link_cells[links]
        self.of_links = table[self.link_cells, 0].sum(axis=1).astype(np.float64)
        self.gradient, self.link_gradient = np.zeros(len(self.cells)), np.zeros(len(self.of_links))
        if self.low < self.high:
            self._find_labels(table[self.cells, 0].sum(axis=1).astype(np.float64), begin[:-1] - self.base)

    def _find_labels(self, scores: NDArray[np.float64], begin: NDArray[np.int64]) -> None:
        """The best label of each edge with and without the loss, and its gold label; the values of edges."""
        data, margin = self.data, self.options.margin
        pair_of = data.choices.pair_of[self.base : self.base + len(scores)] - self.low
        gold = data.gold[self.low : self.high]
        likely = best_labels(scores, pair_of, begin)
        self.is_gold = gold != NO_EDGE
        self.right = np.where(gold >= 0, gold - self.base, likely)  # the gold label, the best one where it is unknown
        cost = np.where(self.is_gold[pair_of], 0.0, margin)
        cost[(gold == UNKNOWN_LABEL)[pair_of]] = -margin
        cost[self.right[self.is_gold]] = -margin
        self.best = best_labels(scores + cost, pair_of, begin)
        self.value, self.gold_value = (scores + cost)[self.best], (scores + cost)[self.right]
        self._learn_required(gold)

    def _learn_required(self, gold: NDArray[np.int64]) -> None:
        """The gradient of edges that are always there: of their labels alone."""
        wrong = np.flatnonzero(~self.data.optional[self.low : self.high] & (gold >= 0) & (self.best != self.right))
        np.add.at(self.gradient, self.best[wrong], 1)
        np.add.at(self.gradient, self.right[wrong], -1)
        self.loss = float((self.value - self.gold_value)[wrong].sum())

    def take(self, learner: AveragedCells, examples: Sequence[Example], model: GraphModel) -> float:
        """Search the graphs and change the weights; returns the loss."""
        step = learner.next_step()
        if self.low == self.high:
            return 0.0
        for number in range(*self.span):
            self._learn_graph(number, examples[number].view, model)
        tables = [(self.cells, self.gradient), (self.link_cells, self.link_gradient)]
        adagrad_step(learner.cells, tables, step, self.options)
        return self.loss

    def _learn_graph(self, number: int, view: TreeView, model: GraphModel) -> None:
        """Add the difference between the graph found and the gold graph of a sentence to the gradient."""
        data, links = self.data, self.data.links
        assert links is not None
        begin, end = data.first_pair[number] - self.low, data.first_pair[number + 1] - self.low
        span = slice(int(links.begin[number]), int(links.begin[number + 1]))
        ends = links.first[span] - self.low - begin, links.second[span] - self.low - begin
        scores = self.of_links[span.start - self.first_link : span.stop - self.first_link]
        linked = list(zip(ends[0].tolist(), ends[1].tolist(), scores.tolist(), strict=True))
        pairs, values = data.choices.pairs[number], self.value[begin:end].tolist()
        chosen = Decision(model, view, Scored(pairs, values, [""] * len(pairs), linked), {}).chosen()
        optional = np.flatnonzero(data.optional[self.low + begin : self.low + end]).tolist()
        found = {place for place in optional if (pairs[place].head, pairs[place].modifier) in chosen}
        gold = {place for place in optional if self.is_gold[begin + place]}
        gold_values = self.gold_value[begin:end].tolist()
        short = value_of(values, linked, found) - value_of(gold_values, linked, gold)
        if short <= 0:
            return
        self.loss += short
        for place in found:
            self.gradient[self.best[begin + place]] += 1
        for place in gold:
            self.gradient[self.right[begin + place]] -= 1
        for offset, (one, other, _) in enumerate(linked, span.start - self.first_link):
            both = (one in found and other in found) - (one in gold and other in gold)
            self.link_gradient[offset] += both


def adagrad_step(
    table: Numbers, tables: Iterable[tuple[Cells, NDArray[np.float64]]], step: float, options: GraphOptions
) -> None:
    """Subtract gradients from the weights of cells: rows of cells, with a gradient for each row.

    The columns of `table` are those of `AveragedCells`.
    """
    indices, gradients = [], []
    for cells, gradient in tables:
        active = np.abs(gradient) > MIN_GRADIENT
        rows = cells[active]
        indices.append(rows.ravel())
        gradients.append(np.repeat(gradient[active], rows.shape[1]))
    index, inverse = np.unique(np.concatenate(indices), return_inverse=True)
    summed = np.bincount(inverse.ravel(), np.concatenate(gradients), len(index)).astype(np.float32)
    squares = table[index, 1] + summed**2
    delta = -np.float32(options.rate) * summed / np.sqrt(squares + np.float32(options.adagrad_epsilon))
    table[index, 1] = squares
    table[index, 0] += delta
    table[index, 3] += np.float32(step) * delta
