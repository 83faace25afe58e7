"""Training a graph parser: paths and labels are read off the graphs, weights are learned edge by edge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.graphs.checks import Edge, check_graph, cycle_error, find_cycle, has_graph, missing_arc_error
from treewright.graphs.features import TEMPLATES, EdgeFeatures
from treewright.graphs.labels import COPY, templates_for
from treewright.graphs.model import Choices, Chooser, Decision, GraphModel, PathLabels, score_edges
from treewright.graphs.options import GraphOptions
from treewright.graphs.paths import MAX_STEPS, Pair, path_between, steps_of
from treewright.graphs.view import TreeView
from treewright.learn import AveragedCells, Judgement, Numbers, Observer, Stage, State, Weights, run

SENTENCES_PER_STEP = 16  # not tuned
MIN_GRADIENT = 1e-6  # labels with a smaller gradient are left out of a step; not tuned
NO_EDGE, UNKNOWN_LABEL = -1, -2  # in place of the number of the gold label

Cells = NDArray[np.int32]
PlacedEdge = tuple[int, int, int, str]  # sentence, head, modifier, label


class Example(NamedTuple):
    """A tree and the edges of its graph: label by head and modifier."""

    view: TreeView
    edges: dict[Edge, str]


def examples_of(sentences: Iterable[Sentence]) -> list[Example]:
    """Return the sentences that have a graph, checked, without those with empty nodes, which are not learned."""
    return [example_of(sentence) for sentence in sentences if has_graph(sentence) and not sentence.empty_nodes]


def example_of(sentence: Sentence) -> Example:
    """Return a sentence with its graph; of two edges between the same words the first is taken."""
    check_graph(sentence)
    edges: dict[Edge, str] = {}
    for edge in sentence.graph:
        edges.setdefault((int(edge.head), int(edge.modifier)), edge.label)
    return Example(TreeView(sentence), edges)


def checked_examples(sentences: Iterable[Sentence], options: GraphOptions) -> tuple[list[Example], GraphOptions]:
    """Return the sentences that have a graph, and the options with what is read off them; an error without any."""
    examples = examples_of(sentences)
    if not examples:
        raise InputError("the training data has no graph to learn from: DEPS is empty, or every graph has empty nodes")
    return examples, resolve(options, examples)


def resolve(options: GraphOptions, examples: Sequence[Example]) -> GraphOptions:
    """Return the options with what is read off the data: whether graphs have cycles, and all arcs of their trees.

    Options that are given and do not hold in the data are an error that names the first sentence.
    """
    cycles = ((example, find_cycle(example.view.nodes, example.edges)) for example in examples)
    cyclic = next(((example, cycle) for example, cycle in cycles if cycle), None)
    if options.acyclic and cyclic:
        raise cycle_error(cyclic[0].view.sentence, cyclic[1])
    gaps = ((example, missing_arcs(example)) for example in examples)
    incomplete = next(((example, words) for example, words in gaps if words), None)
    if options.keep_tree and incomplete:
        raise missing_arc_error(incomplete[0].view.sentence, incomplete[1][0])
    return replace(
        options,
        acyclic=cyclic is None if options.acyclic is None else options.acyclic,
        keep_tree=incomplete is None if options.keep_tree is None else options.keep_tree,
    )


def missing_arcs(example: Example) -> list[int]:
    """Return the words whose tree arc is no edge of the graph."""
    heads = enumerate(example.view.heads)
    return [modifier for modifier, head in heads if modifier and (head, modifier) not in example.edges]


def pair_on(view: TreeView, path: str, head: int, modifier: int) -> Pair:
    """Return the pair of an edge with its path; the number of the path is left out."""
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
    """Return the paths of the edges in a treebank with the templates of their labels."""
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
    paths = []
    for path, seen in sorted(matches.items()):
        is_tree = path[0] == "="
        if not is_tree and (len(seen) < options.min_paths or steps_of(path) > MAX_STEPS):
            continue
        optional = not is_tree or (not options.keep_tree and removed[path] >= options.min_paths)
        labels = preferred(seen, options.min_labels, is_tree)
        if not is_tree or optional or labels != (COPY,):
            paths.append(PathLabels(path, labels, optional))
    return tuple(paths)


def preferred(seen: Sequence[tuple[str, list[str]]], least: int, is_tree: bool) -> tuple[str, ...]:
    """Return the templates of a path, those that explain most edges first, then literal labels for the other edges."""
    left = list(seen)
    chosen: list[str] = []
    while left:
        counts = Counter(template for _, templates in left for template in templates)
        counts.update(f"={label}" for label, _ in left)
        best, count = max(counts.items(), key=lambda item: (item[1], item[0][0] != "=", -len(item[0]), item[0]))
        if count < least and chosen:
            break
        chosen.append(best)
        left = [(label, templates) for label, templates in left if best not in templates and best != f"={label}"]
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
        paths = read_paths(self.examples, self.options)
        self.untrained = GraphModel(self.options, paths, Weights.zeros(self.options.bits), templates)
        self.data = Data.of(self.examples, self.untrained)
        self.dev = examples_of(dev)
        self.dev_data = Data.of(self.dev, self.untrained) if self.dev else None

    def stage(self) -> Stage[AveragedCells]:
        """Return the stage that learns the weights of edges and labels."""

        def learn(learner: AveragedCells, first: int) -> float:
            last = min(first + SENTENCES_PER_STEP, len(self.examples))
            return self.data.step(learner, first, last, self.options)

        return Stage(
            "graphs",
            learner=lambda: AveragedCells(self.options.bits),
            learn=learn,
            examples=range(0, len(self.examples), SENTENCES_PER_STEP),
            size=sum(example.view.nodes - 1 for example in self.examples),
            epochs=self.options.epochs,
            judge=self._judge if self.dev else None,
        )

    def run(self, state: State | None = None, observer: Observer | None = None) -> GraphModel:
        """Train every epoch that is left, and return the model."""
        return self.model(run([self.stage()], seed=self.options.seed, state=state, observer=observer)["graphs"])

    def model(self, weights: Numbers) -> GraphModel:
        """Return the model with these weights."""
        return replace(self.untrained, weights=Weights.of(weights))

    def _judge(self, average: Numbers) -> Judgement:
        model = self.model(average)
        assert self.dev_data is not None
        scored = score_edges(self.dev_data.choices, self.dev_data.cells, model.table())
        gold: set[PlacedEdge] = set()
        system: set[PlacedEdge] = set()
        for number, (example, edges) in enumerate(zip(self.dev, scored, strict=True)):
            gold |= {(number, *edge, label) for edge, label in example.edges.items()}
            system |= {(number, *edge) for edge in Decision(model, example.view, edges, {}).edges()}
        extra = (
            {(i, h, m, label) for i, h, m, label in edges if self.dev[i].view.heads[m] != h} for edges in (gold, system)
        )
        elas = edge_f1(gold, system)
        return Judgement(elas, {"elas": elas, "extra": edge_f1(*extra)})


def edge_f1(gold: set[PlacedEdge], system: set[PlacedEdge]) -> float:
    """Return F1 of labelled edges, in per cent."""
    return 200 * len(gold & system) / max(len(gold) + len(system), 1)


class Data:
    """Edges and labels of sentences as arrays."""

    def __init__(self, choices: Choices, cells: Cells, gold: NDArray[np.int64], optional: NDArray[np.bool_]) -> None:
        self.choices, self.cells, self.gold, self.optional = choices, cells, gold, optional
        self.first_pair = np.concatenate([[0], np.cumsum([len(pairs) for pairs in choices.pairs])])

    @classmethod
    def of(cls, examples: Sequence[Example], model: GraphModel) -> Data:
        """Return the possible edges of sentences, with the gold graphs as what is to be learned."""
        views = [example.view for example in examples]
        choices = Chooser(model.paths).choices(views)
        cells = choices.cells(EdgeFeatures(model.templates).of(views, choices.pairs), model.options.bits)
        begin = choices.begin.tolist()
        gold: list[int] = []
        for example, pairs in zip(examples, choices.pairs, strict=True):
            for pair in pairs:
                labels = choices.labels[begin[len(gold)] : begin[len(gold) + 1]]
                label = example.edges.get((pair.head, pair.modifier))
                index = labels.index(label) if label in labels else -1
                gold.append(NO_EDGE if label is None else UNKNOWN_LABEL if index < 0 else begin[len(gold)] + index)
        optional = [model.paths[pair.path].optional for pairs in choices.pairs for pair in pairs]
        return cls(choices, cells, np.array(gold, np.int64), np.array(optional, bool))

    def step(self, learner: AveragedCells, first: int, last: int, options: GraphOptions) -> float:
        """Make one update on the possible edges of the sentences from first to last - 1; return the loss.

        Each edge is log-linear over its labels and its absence, with a margin for every wrong choice (softmax-margin;
        Gimpel & Smith 2010): false positives and false negatives count alike. An edge whose label is not among those
        of its path is left out.
        """
        step = learner.next_step()
        low, high = self.first_pair[first], self.first_pair[last]
        if low == high:
            return 0.0
        begin = self.choices.begin[low : high + 1]
        labels = slice(begin[0], begin[-1])
        cells, pair_of, gold = self.cells[labels], self.choices.pair_of[labels] - low, self.gold[low:high]
        is_edge = gold >= 0
        right = gold[is_edge] - begin[0]
        scores = learner.cells[cells, 0].sum(axis=1).astype(np.float64) + options.margin
        scores[right] -= options.margin
        absent = np.where(self.optional[low:high], np.where(is_edge, options.margin, 0.0), -np.inf)
        total = np.logaddexp(np.logaddexp.reduceat(scores, begin[:-1] - begin[0]), absent)
        gradient = np.exp(scores - total[pair_of])
        gradient[right] -= 1
        gradient[(gold == UNKNOWN_LABEL)[pair_of]] = 0
        adagrad_step(learner.cells, cells, gradient, step, options)
        return float(total[gold != UNKNOWN_LABEL].sum() - scores[right].sum())


def adagrad_step(
    table: Numbers, cells: Cells, gradient: NDArray[np.float64], step: float, options: GraphOptions
) -> None:
    """Subtract gradients from the weights of cells: rows of cells, with a gradient for each row.

    The columns of `table` are those of `AveragedCells`.
    """
    active = np.abs(gradient) > MIN_GRADIENT
    rows = cells[active]
    index, inverse = np.unique(rows.ravel(), return_inverse=True)
    gradients = np.repeat(gradient[active], rows.shape[1])
    summed = np.bincount(inverse.ravel(), gradients, len(index)).astype(np.float32)
    squares = table[index, 1] + summed**2
    delta = -np.float32(options.rate) * summed / np.sqrt(squares + np.float32(options.adagrad_epsilon))
    table[index, 1] = squares
    table[index, 0] += delta
    table[index, 3] += np.float32(step) * delta
