"""Tables 1 to 3 of McDonald and Pereira (2006): second-order trees, crossing arcs, and several heads a word.

The treebanks of Tables 1 and 2, the Penn and the Prague treebank, are not free; others stand in for them, so that the
steps between rows compare, not their levels. Table 3 is measured on the same treebank, Danish, with another split.
Parsers learn by MIRA, as published, unless another learner is asked for; trees that cross are found by rearranging, in
training and in parsing, with the exact search beside. "Several heads" is the paper's parser: arcs and siblings of a
graph are scored and searched together. "Two stages" are ours: trees of `treewright.parser` and further heads of
`treewright.graphs`, which sees the whole tree where the paper's parser sees pairs of arcs.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright import decode
from treewright.cli.options import Json, LearnerOption, PlainCommand, Quiet, examples, new_app
from treewright.corpus import Sentence
from treewright.evaluate import evaluate
from treewright.features import Templates
from treewright.features.kernels import Scorer
from treewright.features.standard import STANDARD
from treewright.graphs import GraphOptions, GraphParser
from treewright.learn import Averaged, Training, Weights
from treewright.learn.averaged import step_size
from treewright.papers.common import (
    MaxSentences,
    Report,
    Steps,
    Treebank,
    corpus,
    data_argument,
    show_rows,
    silence,
    steps,
    training,
    with_option_groups,
)
from treewright.papers.feature_sets import FeaturesOption, templates_of
from treewright.parser import Parser, ParserOptions, ParserSettings, resolve
from treewright.parser.decisions import Arc
from treewright.parser.model import new_scorer
from treewright.parser.stages import train_model
from treewright.parser.stages.data import Example, TrainingData
from treewright.parser.stages.pruner import prune_examples, train_pruners
from treewright.parser.stages.updates import mira_step

# System -> UAS and complete trees, in per cent; Table 1 without punctuation.
PUBLISHED1 = {"first order": (90.7, 36.7), "second order": (91.5, 42.1)}
PUBLISHED2 = {
    "first order, projective": (83.0, 30.6),
    "second order, projective": (84.2, 33.1),
    "first order": (84.1, 32.2),
    "second order, approximate": (85.2, 35.9),
}
# System -> precision, recall and F1 of all edges.
PUBLISHED3 = {
    "projective tree": (86.4, 81.7, 83.9),
    "non-projective tree": (86.9, 82.2, 84.4),
    "several heads": (86.2, 84.9, 85.6),
    "two stages": (),
}


PUBLISHED = ParserOptions(learner="mira")


@dataclass(frozen=True)
class TreeRow:
    """A parser of Table 1 or 2: per cent of right heads and of complete trees, CPU seconds for the test set."""

    system: str
    uas: float
    complete: float
    seconds: float
    published: tuple[float, ...]


@dataclass(frozen=True)
class GraphRow:
    """A parser of Table 3: precision, recall and F1 of all edges, and of those outside the tree if it has one."""

    system: str
    precision: float
    recall: float
    f1: float
    extra_precision: float | None
    extra_recall: float | None
    seconds: float
    published: tuple[float, ...]


@dataclass(frozen=True)
class Study:
    """The treebank of a table, how its parsers are trained, and where steps are reported."""

    data: Path
    treebank: str
    options: ParserOptions = PUBLISHED
    features: str = "standard"
    sentences: int | None = None  # of each part; None: all
    report: Report = silence

    def parts(self) -> tuple[list[Sentence], list[Sentence], list[Sentence]]:
        """Read the training, development and test data."""
        return parts_of(self.data, self.treebank, self.sentences)


def table1(study: Study) -> Iterator[TreeRow]:
    """First and second order, both projective; punctuation is not counted."""
    train, dev, test = study.parts()
    options, treebank = study.options, study.treebank
    step = Steps(study.report, 2)
    for system, model in (("first order", "arc"), ("second order", "sib")):
        step(f"{treebank}: {system}")
        parser = Parser.train(
            *(train, dev),
            model=model,
            projective=True,
            options=options,
            templates=templates_of(study.features, model),
        )
        yield tree_row(system, test, *timed(parser, test), PUBLISHED1[system], punct=False)


def table2(study: Study) -> Iterator[TreeRow]:
    """Projective trees and others; the second order by the approximation of the paper, and exactly."""
    train, dev, test = study.parts()
    options, treebank = study.options, study.treebank
    templates = templates_of(study.features, "sib")
    step = Steps(study.report, 5)
    for model, order in (("arc", "first order"), ("sib", "second order")):
        for projective in (True, False):
            system = f"{order}, projective" if projective else order
            if model == "sib" and not projective:
                if options.learner == "mira":
                    step(f"{treebank}: {system}, approximate")
                    parser = train_by_rearranging(train, dev, options, templates)
                    parsed = timed(parser, test, method="rearrange")
                    yield tree_row(f"{system}, approximate", test, *parsed, PUBLISHED2[f"{system}, approximate"])
                system = f"{system}, exact"
            step(f"{treebank}: {system}")
            parser = Parser.train(train, dev, model=model, projective=projective, options=options, templates=templates)
            yield tree_row(system, test, *timed(parser, test), PUBLISHED2.get(system, ()))
            if system == "second order, exact":
                yield tree_row("second order, exact in training alone", test, *timed(parser, test, "rearrange"), ())


def table3(study: Study) -> Iterator[GraphRow]:
    """Parse trees, whose recall is limited to one head a word, and graphs: by one parser, and on top of the trees."""
    train, dev, test = study.parts()
    options, treebank = study.options, study.treebank
    templates = templates_of(study.features, "sib")
    step = Steps(study.report, 4)
    step(f"{treebank}: projective tree")
    parser = Parser.train(train, dev, model="sib", projective=True, options=options, templates=templates)
    trees, seconds = timed(parser, test)
    yield graph_row("projective tree", test, [with_tree_as_graph(sentence) for sentence in trees], seconds)
    step(f"{treebank}: non-projective tree")
    if options.learner == "mira":
        parser = train_by_rearranging(train, dev, options, templates)
    else:
        parser = Parser.train(train, dev, model="sib", projective=False, options=options, templates=templates)
    trees, seconds = timed(parser, test, method="rearrange")
    yield graph_row("non-projective tree", test, [with_tree_as_graph(sentence) for sentence in trees], seconds)
    if options.learner == "mira":
        step(f"{treebank}: several heads")
        parser = train_on_graphs(train, options, templates)
        start = time.process_time()
        parsed = [parse_graph(parser, sentence) for sentence in test]
        row = graph_row("several heads", test, parsed, time.process_time() - start)
        yield replace(row, extra_precision=None, extra_recall=None)  # no head is that of a tree
    step(f"{treebank}: two stages")
    graphs = GraphParser.train(train, dev, options=GraphOptions())
    start = time.process_time()
    parsed = list(graphs.parse(trees))
    yield graph_row("two stages", test, parsed, seconds + time.process_time() - start)


def train_by_rearranging(
    train: Sequence[Sentence], dev: Sequence[Sentence], options: ParserOptions, templates: Templates = STANDARD
) -> Parser:
    """Train a second-order parser by MIRA whose trees are found by rearranging, as published."""
    settings = resolve(replace(options, model="sib", projective=False), train)
    return Parser(
        train_model(train, dev, settings, Training(settings.seed), templates=templates, update=rearranging_mira)
    )


def rearranging_mira(
    settings: ParserSettings, scorer: Scorer, learner: Averaged, parts: decode.Parts, example: Example
) -> float:
    """Take the step of MIRA against the tree that rearranging finds, which need not be the best."""
    best = decode.tree(parts, root=settings.root, method="rearrange").heads
    return mira_step(settings, scorer, learner, parts, example, best)


def train_on_graphs(train: Sequence[Sentence], options: ParserOptions, templates: Templates = STANDARD) -> Parser:
    """Train a second-order parser on graphs by MIRA, as published; `parse_graph` parses with it.

    Its candidate arcs are chosen as those of trees, to which training adds the gold arcs.
    """
    settings = resolve(replace(options, model="sib", projective=False, root="multi"), train)
    data, training = TrainingData.of(train, [], settings, templates, None), Training(settings.seed)
    pruners = train_pruners(data, settings, training)
    gold = [arcs_between_words(sentence) for sentence in train]
    candidates = [
        add_arcs(arcs, extra) for arcs, extra in zip(prune_examples(data, settings, pruners), gold, strict=True)
    ]
    scorer = new_scorer(settings, data.templates)

    def learn(learner: Averaged, number: int) -> float:
        [core] = scorer.parts(
            data.examples[number].batch, [candidates[number]], True, False, learner.weights, 1.0, False
        )
        return graph_mira_step(scorer, learner, decode.Parts.of(core), gold[number])

    stage = data.stage("scorer", settings.scoring, learn, data.decided)
    weights = training.run(replace(stage, restarts=settings.scoring.restarts))
    return Parser(data.model(settings, pruner=pruners.weights, scorer=Weights.of(weights)))


def arcs_between_words(sentence: Sentence) -> list[Arc]:
    """Return the arcs of the graph once each, without relations; empty nodes have none."""
    return sorted({(h, m) for h, m, _ in sentence.graph if isinstance(h, int) and isinstance(m, int)})


def add_arcs(candidates: decode.Candidates, arcs: Sequence[Arc]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the heads and the modifiers of candidate arcs and of some others, by modifier."""
    pairs = {*zip(candidates.modifier.tolist(), candidates.head.tolist(), strict=True), *((m, h) for h, m in arcs)}
    modifier, head = np.array(sorted(pairs), dtype=np.int32).T
    return np.ascontiguousarray(head), np.ascontiguousarray(modifier)


def graph_mira_step(scorer: Scorer, learner: Averaged, parts: decode.Parts, gold: Sequence[Arc]) -> float:
    """Take the shortest step after which the graph found is worse than the gold one by its wrong and missing arcs."""
    system = decode.graph(parts, root="multi")
    arcs = [(h, m) for h, m in system.arcs.tolist()]
    errors = len(set(arcs) ^ set(gold))
    scorer.add_parts(learner.learner, graph_difference(parts, gold, arcs).core)
    learner.move(step_size(errors + system.score - graph_value(parts, gold), learner.squared_length()))
    return float(errors)


def graph_value(parts: decode.Parts, arcs: Sequence[Arc]) -> float:
    """Return the value of the graph with these arcs, which are candidates."""
    members, (head, modifier, _) = set(arcs), parts.arcs
    pairs = zip(head.tolist(), modifier.tolist(), strict=True)
    return decode.graph(parts.prune([pair in members for pair in pairs]), root="multi", require=arcs).score


def graph_difference(parts: decode.Parts, gold: Sequence[Arc], others: Sequence[Arc]) -> decode.Parts:
    """Return the counts of the arcs, siblings and stops of one graph minus those of another."""
    siblings: Counter[tuple[int, int, int]] = Counter()
    stops: Counter[tuple[int, int, int]] = Counter()
    for arcs, sign in ((gold, 1), (others, -1)):
        modifiers: dict[tuple[int, int], list[int]] = {(h, side): [] for h in range(parts.nodes) for side in (0, 1)}
        for h, m in arcs:
            modifiers[h, int(m > h)].append(m)
        for (h, side), below in modifiers.items():
            inner = h
            for m in sorted(below, reverse=side == 0):
                siblings[h, m, inner] += sign
                inner = m
            stops[h, inner, side] += sign
    head, modifier, _ = parts.arcs
    signs = Counter(gold)
    signs.subtract(others)
    counts = [float(signs[pair]) for pair in zip(head.tolist(), modifier.tolist(), strict=True)]
    del stops[0, 0, 0]  # nothing is to the left of the root
    return decode.Parts(parts.nodes, (head, modifier, counts), rows_of(siblings), stops=rows_of(stops))


def rows_of(counts: Counter[tuple[int, int, int]]) -> tuple[list[int], list[int], list[int], list[float]]:
    """Return three index columns and the counts that are not zero."""
    rows = [(*key, float(count)) for key, count in counts.items() if count]
    first, second, third, count = zip(*rows, strict=True) if rows else ([], [], [], [])
    return list(first), list(second), list(third), list(count)


def parse_graph(parser: Parser, sentence: Sentence) -> Sentence:
    """Parse by a parser of `train_on_graphs`; return a copy with the graph, and each word's best head as a tree."""
    parts = parser.parts(sentence)
    head, modifier, scores = parts.arcs
    score = dict(zip(zip(head.tolist(), modifier.tolist(), strict=True), scores.tolist(), strict=True))
    system, copy = decode.graph(parts, root="multi"), sentence.copy()
    copy.heads = [max(heads, key=lambda h: score[h, m]) for m, heads in enumerate(system.heads) if m]
    copy.graph = [(h, m, "dep") for h, m in system.arcs.tolist()]
    return copy


def parts_of(data: Path, treebank: str, sentences: int | None) -> tuple[list[Sentence], list[Sentence], list[Sentence]]:
    """Training, development and test sentences."""
    return training(data, treebank, sentences), corpus(data, treebank, "dev"), corpus(data, treebank, "test")


def timed(parser: Parser, test: Sequence[Sentence], method: str = "exact") -> tuple[list[Sentence], float]:
    """Return the parses of a test set, and the CPU seconds they took."""
    start = time.process_time()
    parsed = list(parser.parse(test, confidence=False, method=method))
    return parsed, time.process_time() - start


def tree_row(
    system: str,
    gold: Sequence[Sentence],
    found: Sequence[Sentence],
    seconds: float,
    published: tuple[float, ...],
    *,
    punct: bool = True,
) -> TreeRow:
    scores = evaluate(gold, found, punct=punct)
    return TreeRow(system, 100 * scores["UAS"].f1, 100 * scores["UEM"].f1, seconds, published)


def graph_row(system: str, gold: Sequence[Sentence], found: Sequence[Sentence], seconds: float) -> GraphRow:
    scores = evaluate(gold, found)
    edges, extra = scores["Edges"], scores["Extra"]
    return GraphRow(
        system,
        precision=100 * edges.precision,
        recall=100 * edges.recall,
        f1=100 * edges.f1,
        extra_precision=100 * extra.precision,
        extra_recall=100 * extra.recall,
        seconds=seconds,
        published=PUBLISHED3[system],
    )


def with_tree_as_graph(sentence: Sentence) -> Sentence:
    """Return a copy whose graph is its tree."""
    copy = sentence.copy()
    words = enumerate(zip(sentence.heads.tolist(), sentence.deprels, strict=True), 1)
    copy.graph = [(head, word, label) for word, (head, label) in words]
    return copy


# -- commands

Row = TypeVar("Row")
TABLE1_HELP = (
    "What does the second order gain in projective trees (Table 1)?\n\n"
    "A first-order and a second-order parser are trained on a treebank under DATA. Heads and complete trees of its "
    "test set, without punctuation, in per cent; the paper's figures are those of the Wall Street Journal."
) + examples("treewright reproduce mcdonald2006 table1 data --max-sentences 4000")
TABLE2_HELP = (
    "What do crossing arcs gain, and what does the approximate search for them cost (Table 2)?\n\n"
    "Parsers of both orders with projective trees and with any; second-order trees by rearranging, in training and in "
    "parsing, as published, and exactly. The paper's figures are those of Czech."
) + examples("treewright reproduce mcdonald2006 table2 data")
TABLE3_HELP = (
    "What do several heads a word gain (Table 3)?\n\n"
    "Precision, recall and F1 of all edges of the Danish graphs (DEPS), for trees, for one parser of graphs, as "
    "published, and for a graph parser on top of the trees; extra P and R are those of the edges outside the tree."
) + examples("treewright reproduce mcdonald2006 table3 data")
app = new_app("McDonald & Pereira (2006): second-order trees, and graphs with several heads a word.")


@dataclass(frozen=True)
class Options:
    """The options of all tables."""

    data: Annotated[Path, data_argument(", such as graphs/Danish-DDT")]
    sentences: MaxSentences = None
    learner: LearnerOption = "mira"
    features: FeaturesOption = "standard"
    quiet: Quiet = False
    as_json: Json = False

    def rows(self, table: Callable[[Study], Iterator[Row]], treebank: str) -> list[Row]:
        """Train the parsers of a table and evaluate them."""
        options = ParserOptions(learner=self.learner)
        with steps(self.quiet) as report:
            return list(table(Study(self.data, treebank, options, self.features, self.sentences, report)))


@app.command("table1", help=TABLE1_HELP, cls=PlainCommand)
@with_option_groups
def table1_command(*, treebank: Treebank = "ud/English-EWT", options: Options) -> None:
    show_trees(options.rows(table1, treebank), f"{treebank} (published: WSJ)", options.as_json)


@app.command("table2", help=TABLE2_HELP, cls=PlainCommand)
@with_option_groups
def table2_command(*, treebank: Treebank = "graphs/Danish-DDT", options: Options) -> None:
    show_trees(options.rows(table2, treebank), f"{treebank} (published: Czech)", options.as_json)


@app.command("table3", help=TABLE3_HELP, cls=PlainCommand)
@with_option_groups
def table3_command(*, treebank: Treebank = "graphs/Danish-DDT", options: Options) -> None:
    rows = options.rows(table3, treebank)
    lines = []
    for row in rows:
        theirs = [f" ({figure:.1f})" for figure in row.published] or [""] * 3
        ours = zip((row.precision, row.recall, row.f1), theirs, strict=True)
        extra = ["" if share is None else f"{share:.1f}" for share in (row.extra_precision, row.extra_recall)]
        lines.append([row.system, *(f"{a:.1f}{b}" for a, b in ours), *extra, f"{row.seconds:.1f}"])
    columns = ("precision", "recall", "F1", "extra P", "extra R", "CPU s")
    show_rows(rows, options.as_json, (f"{treebank} (published: Danish)", *columns), lines)


def show_trees(rows: list[TreeRow], title: str, as_json: bool) -> None:
    """Table 1 or 2, ours beside theirs."""
    lines = []
    for row in rows:
        theirs = [f" ({figure:.1f})" for figure in row.published] or ["", ""]
        ours = [f"{figure:.1f}" for figure in (row.uas, row.complete)]
        cells = [a + b for a, b in zip(ours, theirs, strict=True)]
        lines.append([row.system, *cells, f"{row.seconds:.1f}"])
    show_rows(rows, as_json, (title, "right heads", "complete", "CPU s"), lines)
