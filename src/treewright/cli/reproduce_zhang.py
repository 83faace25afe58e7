"""`treewright reproduce zhang2014`: hill climbing, third-order and global features."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from treewright.cli.options import Json, PlainCommand, Quiet, examples, new_app, output_option
from treewright.cli.reproduce_options import (
    MaxSentences,
    Treebanks,
    data_argument,
    echo_json,
    names_of,
    with_option_groups,
)
from treewright.cli.tables import show_lines, stage_printer

if TYPE_CHECKING:
    from treewright.reproduce.zhang2014 import Study

T = TypeVar("T")
zhang2014 = new_app(
    "Zhang, Lei, Barzilay & Jaakkola (2014): randomized greedy search, third-order and global features."
)
DATA = (
    "Parsers are trained on each treebank under DATA and parse its test set, crossing arcs allowed; UAS is without "
    "punctuation. "
)
TABLE1_HELP = (
    "How accurate are heads that are chosen one by one, beside trees (Table 1)?\n\n"
    + DATA
    + "Both are first-order models with the same features: a classifier of each word's head, and the best tree of a "
    "log-linear model of trees."
) + examples("treewright reproduce zhang2014 table1 data --max-sentences 1000")
TABLE2_HELP = (
    "How many local optima has a first-order model, and how often does hill climbing find the best tree (Table 2)?\n\n"
    "Local optima, over all arcs, that 50, 70 and 90 % of the test sentences do not exceed; the share of sentences of "
    "up to 15 words, and of longer ones, whose best tree is that of one of 300 climbs from uniform random trees."
) + examples("treewright reproduce zhang2014 table2 data --max-sentences 1000")
TABLE3_HELP = (
    "Does hill climbing find better second-order trees than dual decomposition (Table 3)?\n\n"
    "Models of siblings and grandparents. Dual decomposition as published: how many sentences it certifies, and how "
    "often its tree is better than that of hill climbing, equal and worse; optimal is the share of the sentences with "
    "a certified optimum (by branch and bound) on which hill climbing finds it."
) + examples(
    "treewright reproduce zhang2014 table3 data --max-sentences 1000",
    "treewright reproduce zhang2014 table3 data --learners crf,pa",
)
TABLE4_HELP = (
    "What do third-order and global features gain (Table 4)?\n\n" + DATA + "UAS of models of every order: by hill "
    "climbing the first order (1st), the third order (3rd) and with global features (full, without and with its "
    "tensor); exactly the first and the second order."
) + examples("treewright reproduce zhang2014 table4 data --keep models")
TABLE5_HELP = (
    "Where should climbs begin (Table 5)?\n\n"
    + DATA
    + "UAS of the result, and of the trees at which climbs begin: the "
    "best first-order tree (one climb), uniform random trees, and random first-order trees."
) + examples("treewright reproduce zhang2014 table5 data --model grand")
TABLE6_HELP = (
    "How many restarts are needed (Table 6)?\n\n"
    "The share of the test sentences whose best tree of all restarts is found within the first 300."
) + examples("treewright reproduce zhang2014 table6 data --climbs 1000")
FIGURE4_HELP = (
    "Which sentences gain by global features (Figure 4)?\n\n" + DATA + "What the full model gains over the first order "
    "in sentences of up to 15 words and in longer ones; -o draws it (pip install 'treewright[plots]')."
) + examples("treewright reproduce zhang2014 figure4 data -o gains.svg")
FIGURE5_HELP = (
    "How does the value of the best tree grow with restarts (Figure 5)?\n\n"
    "The mean value after each restart, relative to the best of all, of sentences of up to 15 words and of longer "
    "ones; -o draws it (pip install 'treewright[plots]')."
) + examples("treewright reproduce zhang2014 figure5 data -o restarts.svg")
FIGURE6_HELP = (
    "What does accuracy cost (Figure 6)?\n\n"
    "UAS and CPU seconds a word with 1, 3, 10, 30, 100 and 300 restarts; -o draws it (pip install 'treewright[plots]')."
) + examples("treewright reproduce zhang2014 figure6 data --model grand -o speed.svg")

Keep = Annotated[
    Path | None,
    typer.Option(
        "--keep", metavar="FOLDER", help="Keep finished steps in a folder; trained models, which later runs load."
    ),
]
Count = Annotated[int | None, typer.Option("--test-sentences", min=1, metavar="N", help="Parse N sentences only.")]


class Order(str, Enum):
    """The models whose climbs are measured."""

    grand = "grand"
    third = "third"
    full = "full"


ModelOption = Annotated[
    Order, typer.Option("--model", help="Model order: grand (second order), third, or full (global features).")
]
Climbs = Annotated[int, typer.Option("--climbs", min=1, metavar="N", help="Climbs of each sentence.")]
Picture = Annotated[Path | None, output_option("an SVG file with the figure.")]


@dataclass(frozen=True)
class Options:
    """The options of all tables and figures."""

    data: Annotated[Path, data_argument(", such as ud/English-EWT")]
    treebanks: Treebanks = None
    sentences: MaxSentences = None
    count: Count = None
    keep: Keep = None
    quiet: Quiet = False
    as_json: Json = False

    def rows(self, table: Callable[..., Iterator[T]], **given: object) -> list[T]:
        """The rows of a table."""
        from treewright.reproduce.zhang2014 import TREEBANKS

        return list(table(self._study(), names_of(self.treebanks, TREEBANKS), **given))

    def _study(self) -> Study:
        from treewright.reproduce.zhang2014 import Study

        return Study(self.data, self.sentences, self.count, self.keep, stage_printer(self.quiet))


def published_lines(published: Mapping[str, Sequence[float]], digits: int) -> list[list[str]]:
    """A line for each language of a table of the paper."""
    return [
        [f"  the paper's {name}", *(number(figure, digits) for figure in figures)]
        for name, figures in published.items()
    ]


def number(figure: float, digits: int) -> str:
    """A figure of a table; empty if there is none."""
    return "" if figure != figure else f"{figure:.{digits}f}"


def optima(count: float) -> str:
    """A number of local optima; above the largest that is counted, that."""
    from treewright.reproduce.zhang2014 import MAX_OPTIMA

    return f"> {MAX_OPTIMA}" if count > MAX_OPTIMA else f"{count:.0f}"


@zhang2014.command("table1", help=TABLE1_HELP, cls=PlainCommand)
@with_option_groups
def table1(options: Options) -> None:
    from treewright.reproduce.zhang2014 import PUBLISHED1
    from treewright.reproduce.zhang2014 import table1 as run

    rows = options.rows(run)
    if options.as_json:
        echo_json(rows)
        return
    lines = [[row.treebank, number(row.independent, 1), number(row.tree, 1)] for row in rows]
    show_lines(("UAS", "independent heads", "trees"), lines + published_lines(PUBLISHED1, 1))


@zhang2014.command("table2", help=TABLE2_HELP, cls=PlainCommand)
@with_option_groups
def table2(options: Options) -> None:
    from treewright.reproduce.zhang2014 import PUBLISHED2
    from treewright.reproduce.zhang2014 import table2 as run

    rows = options.rows(run)
    if options.as_json:
        echo_json(rows)
        return
    ours = [(row.treebank, row.optima, (row.short, row.long)) for row in rows]
    theirs = [(f"  the paper's {name}", figures[:3], figures[3:]) for name, figures in PUBLISHED2.items()]
    lines = [
        [name, *map(optima, counts), *(number(share, 1) for share in success)]
        for name, counts, success in [*ours, *theirs]
    ]
    show_lines(("local optima, success %", "50 %", "70 %", "90 %", "<= 15 words", "> 15 words"), lines)


@zhang2014.command("table3", help=TABLE3_HELP, cls=PlainCommand)
@with_option_groups
def table3(
    options: Options,
    learners: Annotated[
        str, typer.Option("--learners", metavar="NAMES", help="Learners of the models, separated by commas.")
    ] = "crf",
) -> None:
    from treewright.reproduce.zhang2014 import PUBLISHED3
    from treewright.reproduce.zhang2014 import table3 as run

    rows = options.rows(run, learners=names_of(learners, ()))
    if options.as_json:
        echo_json(rows)
        return
    lines = []
    for row in rows:
        figures = (row.certified, row.dual_better, row.equal, row.climb_better, row.optimal, row.exact_certified)
        lines.append([row.treebank, row.learner, *(number(figure, 1) for figure in figures)])
    for name, published in PUBLISHED3.items():
        for learner, some in (("climbing", published[:4]), ("dd", published[4:])):
            lines.append([f"  the paper's {name}", learner, *(number(figure, 1) for figure in some), "", ""])
    show_lines(("% of the sentences", "learner", "dd cert", "dd >", "equal", "dd <", "optimal", "exact cert"), lines)
    typer.echo(
        "dd: dual decomposition with 5,000 iterations; >, equal, <: its value against that of hill climbing; optimal: "
        "hill climbing finds the certified optimum, of the sentences that have one (exact cert)."
    )


@zhang2014.command("table4", help=TABLE4_HELP, cls=PlainCommand)
@with_option_groups
def table4(
    options: Options,
    systems: Annotated[
        str | None,
        typer.Option("--systems", metavar="NAMES", help="Our columns, separated by commas. All if not given."),
    ] = None,
) -> None:
    from treewright.reproduce.zhang2014 import COLUMNS4, PUBLISHED4, SYSTEMS4
    from treewright.reproduce.zhang2014 import table4 as run

    names = names_of(systems, SYSTEMS4)
    rows = options.rows(run, systems=names)
    if options.as_json:
        echo_json(rows)
        return
    table = [(row.treebank, row.uas) for row in rows]
    if len(rows) > 1:
        table.append(("average", {name: sum(row.uas[name] for row in rows) / len(rows) for name in names}))
    for language, figures in PUBLISHED4.items():
        table.append((f"  the paper's {language}", dict(zip(COLUMNS4, figures, strict=True))))
    columns = [*COLUMNS4, *(name for name in names if name not in COLUMNS4)]
    lines = [[name, *(number(uas.get(column, float("nan")), 2) for column in columns)] for name, uas in table]
    show_lines(("UAS", *columns), lines)


@zhang2014.command("table5", help=TABLE5_HELP, cls=PlainCommand)
@with_option_groups
def table5(options: Options, model: ModelOption = Order.full) -> None:
    from treewright.reproduce.zhang2014 import PUBLISHED5, STARTS
    from treewright.reproduce.zhang2014 import table5 as run

    rows = options.rows(run, model=model.value)
    if options.as_json:
        echo_json(rows)
        return
    lines = []
    for row in rows:
        pairs = [(row.uas[name], row.start[name]) for name in STARTS]
        lines.append([row.treebank, *(number(figure, 1) for pair in pairs for figure in pair)])
    columns = [column for name in STARTS for column in (name, "start")]
    show_lines((f"UAS, {model.value}", *columns), lines + published_lines(PUBLISHED5, 1))


@zhang2014.command("table6", help=TABLE6_HELP, cls=PlainCommand)
@with_option_groups
def table6(
    options: Options,
    model: ModelOption = Order.full,
    restarts: Climbs = 3000,
) -> None:
    from treewright.reproduce.zhang2014 import PUBLISHED6
    from treewright.reproduce.zhang2014 import table6 as run

    rows = options.rows(run, model=model.value, restarts=restarts)
    if options.as_json:
        echo_json(rows)
        return
    lines = [[row.treebank, number(row.short, 2), number(row.long, 2)] for row in rows]
    columns = (f"% found within 300 of {restarts}, {model.value}", "<= 15 words", "> 15 words")
    show_lines(columns, lines + published_lines(PUBLISHED6, 2))


@zhang2014.command("figure4", help=FIGURE4_HELP, cls=PlainCommand)
@with_option_groups
def figure4(
    options: Options,
    output: Picture = None,
    of: Annotated[str, typer.Option("--system", metavar="NAME", help="A column of table4.")] = "full",
) -> None:
    from treewright.reproduce.plots import ensure_matplotlib
    from treewright.reproduce.zhang2014 import gains
    from treewright.reproduce.zhang2014 import table4 as run
    from treewright.reproduce.zhang2014_figures import draw_gains

    if output is not None:
        ensure_matplotlib()
    rows = options.rows(run, systems=("1st", of))
    found = gains(rows, of)
    if output is not None:
        draw_gains(found, of, output)
    if options.as_json:
        echo_json(rows)
        return
    lines = [[name, number(gain.short, 2), number(gain.long, 2)] for name, gain in found.items()]
    show_lines((f"UAS of {of} over 1st", "<= 15 words", "> 15 words"), lines)


@zhang2014.command("figure5", help=FIGURE5_HELP, cls=PlainCommand)
@with_option_groups
def figure5(
    options: Options,
    output: Picture = None,
    model: ModelOption = Order.full,
    restarts: Climbs = 3000,
) -> None:
    from treewright.reproduce.plots import ensure_matplotlib
    from treewright.reproduce.zhang2014 import MARKS, table6
    from treewright.reproduce.zhang2014_figures import draw_restarts

    if output is not None:
        ensure_matplotlib()
    rows = options.rows(table6, model=model.value, restarts=restarts)
    if output is not None:
        draw_restarts(rows, output)
    if options.as_json:
        echo_json(rows)
        return
    marks = [mark for mark in MARKS if mark <= restarts]
    lines = []
    for row in rows:
        for group, curve in (("<= 15 words", row.short_curve), ("> 15 words", row.long_curve)):
            lines.append([f"{row.treebank}, {group}", *(f"{curve[mark - 1]:.5f}" if curve else "" for mark in marks)])
    show_lines((f"value after restarts, {model.value}", *map(str, marks)), lines)
    typer.echo(f"Relative to the best of {restarts} restarts. The paper: converged after about 500.")


@zhang2014.command("figure6", help=FIGURE6_HELP, cls=PlainCommand)
@with_option_groups
def figure6(options: Options, output: Picture = None, model: ModelOption = Order.full) -> None:
    from treewright.reproduce.plots import ensure_matplotlib
    from treewright.reproduce.zhang2014 import figure6 as run
    from treewright.reproduce.zhang2014_figures import draw_speed

    if output is not None:
        ensure_matplotlib()
    rows = options.rows(run, model=model.value)
    if output is not None:
        draw_speed(rows, output)
    if options.as_json:
        echo_json(rows)
        return
    lines = [[row.treebank, str(row.restarts), number(row.uas, 2), f"{1e6 * row.seconds:.0f}"] for row in rows]
    show_lines((model.value, "restarts", "UAS", "CPU us a word"), lines)
