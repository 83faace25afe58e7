"""Tables 1 to 3 of McDonald and Pereira (2006): second-order trees, crossing arcs, and several heads a word.

The treebanks of Tables 1 and 2, the Penn and the Prague treebank, are not free; others stand in for them, so that the
steps between rows compare, not their levels. Table 3 is measured on the same treebank, Danish, with another split; its
trees are those of `treewright.parser`, the further heads those of `treewright.graphs`, which sees the whole tree
where the paper's parser sees pairs of arcs. Parsers learn by MIRA, as published, unless another learner is asked for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

from treewright.cli.options import Json, Learner, LearnerOption, PlainCommand, Quiet, examples, new_app
from treewright.corpus import Sentence
from treewright.evaluate import evaluate
from treewright.graphs import GraphOptions, GraphParser
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
from treewright.parser import Parser, ParserOptions

ENGLISH, DANISH = "ud/English-EWT", "graphs/Danish-DDT"
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
}


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
    """A parser of Table 3: precision, recall and F1 of all edges, and what was found of those outside the tree."""

    system: str
    precision: float
    recall: float
    f1: float
    extra_precision: float
    extra_recall: float
    seconds: float
    published: tuple[float, ...]


def table1(
    data: Path,
    treebank: str = ENGLISH,
    *,
    options: ParserOptions | None = None,
    sentences: int | None = None,
    report: Report = silence,
) -> Iterator[TreeRow]:
    """First and second order, both projective; punctuation is not counted."""
    train, dev, test = parts_of(data, treebank, sentences)
    step = Steps(report, 2)
    for system, model in (("first order", "arc"), ("second order", "sib")):
        step(f"{treebank}: {system}")
        parser = Parser.train(train, dev, model=model, projective=True, options=options or published_options())
        yield tree_row(system, test, *timed(parser, test), PUBLISHED1[system], punct=False)


def table2(
    data: Path,
    treebank: str = DANISH,
    *,
    options: ParserOptions | None = None,
    sentences: int | None = None,
    report: Report = silence,
) -> Iterator[TreeRow]:
    """Projective trees and others; the second order by the approximation of the paper, and exactly."""
    train, dev, test = parts_of(data, treebank, sentences)
    step = Steps(report, 4)
    for model, order in (("arc", "first order"), ("sib", "second order")):
        for projective in (True, False):
            system = f"{order}, projective" if projective else order
            step(f"{treebank}: {system}")
            parser = Parser.train(
                train, dev, model=model, projective=projective, options=options or published_options()
            )
            if model == "sib" and not projective:
                found = timed(parser, test, method="rearrange")
                yield tree_row(f"{system}, approximate", test, *found, PUBLISHED2[f"{system}, approximate"])
                system = f"{system}, exact"
            yield tree_row(system, test, *timed(parser, test), PUBLISHED2.get(system, ()))


def table3(
    data: Path,
    treebank: str = DANISH,
    *,
    options: ParserOptions | None = None,
    sentences: int | None = None,
    report: Report = silence,
) -> Iterator[GraphRow]:
    """Trees, whose recall is limited to one head a word, and graphs on top of the best of them."""
    train, dev, test = parts_of(data, treebank, sentences)
    step = Steps(report, 3)
    found: list[Sentence] = []
    seconds = 0.0
    for projective in (True, False):
        system = "projective tree" if projective else "non-projective tree"
        step(f"{treebank}: {system}")
        parser = Parser.train(train, dev, model="sib", projective=projective, options=options or published_options())
        found, seconds = timed(parser, test, method="exact" if projective else "rearrange")
        yield graph_row(system, test, [with_tree_as_graph(sentence) for sentence in found], seconds)
    step(f"{treebank}: several heads")
    graphs = GraphParser.train(train, dev, options=GraphOptions())
    start = time.process_time()
    found = list(graphs.parse(found))
    yield graph_row("several heads", test, found, seconds + time.process_time() - start)


def published_options() -> ParserOptions:
    """MIRA, as published."""
    return ParserOptions(learner="mira")


def parts_of(data: Path, treebank: str, sentences: int | None) -> tuple[list[Sentence], list[Sentence], list[Sentence]]:
    """Training, development and test sentences."""
    return training(data, treebank, sentences), corpus(data, treebank, "dev"), corpus(data, treebank, "test")


def timed(parser: Parser, test: Sequence[Sentence], method: str = "exact") -> tuple[list[Sentence], float]:
    """Return the parses of a test set, and the CPU seconds they took."""
    start = time.process_time()
    found = list(parser.parse(test, confidence=False, method=method))
    return found, time.process_time() - start


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
    "Parsers of both orders with projective trees and with any; second-order trees by rearranging, as published, and "
    "exactly. The paper's figures are those of Czech."
) + examples("treewright reproduce mcdonald2006 table2 data")
TABLE3_HELP = (
    "What do several heads a word gain (Table 3)?\n\n"
    "Precision, recall and F1 of all edges of the Danish graphs (DEPS), for trees and for a graph parser on top of "
    "them; extra P and R are those of the edges outside the tree."
) + examples("treewright reproduce mcdonald2006 table3 data")
app = new_app("McDonald & Pereira (2006): second-order trees, and graphs with several heads a word.")


@dataclass(frozen=True)
class Options:
    """The options of all tables."""

    data: Annotated[Path, data_argument(", such as graphs/Danish-DDT")]
    sentences: MaxSentences = None
    learner: LearnerOption = Learner.mira
    quiet: Quiet = False
    as_json: Json = False

    def rows(self, table: Callable[..., Iterator[Row]], treebank: str) -> list[Row]:
        """Train the parsers of a table and evaluate them."""
        from treewright.parser import ParserOptions

        options = ParserOptions(learner=self.learner.value)
        with steps(self.quiet) as report:
            return list(table(self.data, treebank, options=options, sentences=self.sentences, report=report))


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
        ours = zip((row.precision, row.recall, row.f1), row.published, strict=True)
        extra = [f"{row.extra_precision:.1f}", f"{row.extra_recall:.1f}"]
        lines.append([row.system, *(f"{a:.1f} ({b:.1f})" for a, b in ours), *extra, f"{row.seconds:.1f}"])
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
