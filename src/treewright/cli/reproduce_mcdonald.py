"""`treewright reproduce mcdonald2006`: second-order trees, and graphs with several heads a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from treewright.cli.options import Json, Learner, LearnerOption, PlainCommand, Quiet, examples, new_app
from treewright.cli.reproduce_options import (
    MaxSentences,
    Treebank,
    data_argument,
    echo_json,
    steps,
    with_option_groups,
)
from treewright.cli.tables import show_lines

if TYPE_CHECKING:
    from treewright.reproduce.mcdonald2006 import TreeRow

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
mcdonald2006 = new_app("McDonald & Pereira (2006): second-order trees, and graphs with several heads a word.")


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


@mcdonald2006.command("table1", help=TABLE1_HELP, cls=PlainCommand)
@with_option_groups
def table1(*, treebank: Treebank = "ud/English-EWT", options: Options) -> None:
    from treewright.reproduce.mcdonald2006 import table1 as table

    show_trees(options.rows(table, treebank), f"{treebank} (published: WSJ)", options.as_json)


@mcdonald2006.command("table2", help=TABLE2_HELP, cls=PlainCommand)
@with_option_groups
def table2(*, treebank: Treebank = "graphs/Danish-DDT", options: Options) -> None:
    from treewright.reproduce.mcdonald2006 import table2 as table

    show_trees(options.rows(table, treebank), f"{treebank} (published: Czech)", options.as_json)


@mcdonald2006.command("table3", help=TABLE3_HELP, cls=PlainCommand)
@with_option_groups
def table3(*, treebank: Treebank = "graphs/Danish-DDT", options: Options) -> None:
    from treewright.reproduce.mcdonald2006 import table3 as table

    rows = options.rows(table, treebank)
    if options.as_json:
        echo_json(rows)
        return
    lines = []
    for row in rows:
        ours = zip((row.precision, row.recall, row.f1), row.published, strict=True)
        extra = [f"{row.extra_precision:.1f}", f"{row.extra_recall:.1f}"]
        lines.append([row.system, *(f"{a:.1f} ({b:.1f})" for a, b in ours), *extra, f"{row.seconds:.1f}"])
    columns = ("precision", "recall", "F1", "extra P", "extra R", "CPU s")
    show_lines((f"{treebank} (published: Danish)", *columns), lines)


def show_trees(rows: list[TreeRow], title: str, as_json: bool) -> None:
    """Table 1 or 2, ours beside theirs."""
    if as_json:
        echo_json(rows)
        return
    lines = []
    for row in rows:
        theirs = [f" ({figure:.1f})" for figure in row.published] or ["", ""]
        ours = [f"{figure:.1f}" for figure in (row.uas, row.complete)]
        cells = [a + b for a, b in zip(ours, theirs, strict=True)]
        lines.append([row.system, *cells, f"{row.seconds:.1f}"])
    show_lines((title, "right heads", "complete", "CPU s"), lines)
