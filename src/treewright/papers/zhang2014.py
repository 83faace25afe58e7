"""Tables 1 to 6 and Figures 4 to 6 of Zhang et al. (2014): the figures of the paper, drawings, and the commands.

The experiments are in zhang2014_tables.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import numpy as np
import typer

from treewright.cli.options import Json, PlainCommand, Quiet, examples, new_app, output_option
from treewright.papers.climbing import Climbing
from treewright.papers.common import (
    MaxSentences,
    Treebanks,
    axes,
    data_argument,
    echo_json,
    ensure_matplotlib,
    names_of,
    show_lines,
    show_rows,
    stage_printer,
    with_option_groups,
)
from treewright.papers.feature_sets import FeaturesOption
from treewright.papers.zhang2014_tables import (
    COLUMNS4,
    MARKS,
    MAX_OPTIMA,
    SHORT,
    STARTS,
    SYSTEMS4,
    TREEBANKS,
    Gain,
    Point,
    Row6,
    Study,
    figure6,
    gains,
    table1,
    table2,
    table3,
    table4,
    table5,
    table6,
)

# Language -> the figures of the paper's tables, column by column.
PUBLISHED1 = {"Slovene": (83.7, 84.2), "Arabic": (79.0, 79.2), "Japanese": (93.4, 93.7), "English": (91.6, 91.9)}
PUBLISHED2 = {  # local optima of 50, 70 and 90 % of the sentences, success up to 15 words and above; inf: over 10,000
    "Turkish": (1.0, 1.0, 2.0, 100.0, 100.0),
    "Slovene": (2.0, 20.0, 3647.0, 100.0, 98.1),
    "English": (21.0, 121.0, 2443.0, 100.0, 99.3),
    "Arabic": (2.0, 35.0, np.inf, 100.0, 99.1),
}
PUBLISHED3 = {  # certified; dual decomposition better, equal, worse: trained with climbing, then with the other
    "Turkish": (98.7, 0.0, 99.8, 0.2, 98.7, 0.0, 100.0, 0.0),
    "Slovene": (94.5, 0.0, 98.7, 1.3, 92.3, 0.2, 99.0, 0.8),
    "English": (94.5, 0.3, 98.7, 1.0, 94.6, 0.5, 98.7, 0.8),
    "Arabic": (78.8, 3.4, 93.9, 2.7, 75.3, 4.7, 88.4, 6.9),
}
PUBLISHED4 = {  # by climbing: first order, third, full without and with the tensor; the first order exactly
    "Arabic": (78.98, 79.95, 79.38, 80.24, 79.22),
    "Bulgarian": (92.15, 93.38, 93.69, 93.72, 92.24),
    "Chinese": (91.20, 93.00, 92.76, 93.04, 91.17),
    "Czech": (87.65, 90.11, 90.34, 90.77, 87.82),
    "Danish": (90.50, 91.43, 91.66, 91.86, 90.56),
    "Dutch": (84.49, 86.43, 87.04, 87.39, 84.79),
    "English": (91.85, 93.01, 93.20, 93.25, 91.94),
    "German": (90.52, 91.91, 92.64, 92.67, 90.54),
    "Japanese": (93.78, 93.80, 93.35, 93.56, 93.74),
    "Portuguese": (91.12, 92.07, 92.60, 92.36, 91.16),
    "Slovene": (84.29, 86.48, 87.06, 86.72, 84.15),
    "Spanish": (85.52, 87.87, 88.17, 88.75, 85.59),
    "Swedish": (89.89, 91.17, 91.35, 91.08, 89.78),
    "Turkish": (76.57, 76.80, 76.13, 76.68, 76.40),
    "Average": (87.75, 89.10, 89.24, 89.44, 87.79),
}
PUBLISHED5 = {  # UAS and accuracy of the starting trees: MAP-1st, Uniform, Rnd-1st
    "Slovene": (85.2, 80.1, 86.7, 13.7, 86.7, 34.2),
    "Arabic": (78.8, 75.1, 79.7, 12.4, 80.2, 32.8),
    "English": (91.1, 82.0, 93.3, 39.6, 93.3, 55.6),
    "Chinese": (87.2, 75.3, 93.2, 36.8, 93.0, 54.5),
    "Dutch": (84.8, 79.5, 87.0, 26.9, 87.4, 45.6),
    "Average": (85.4, 78.4, 88.0, 25.9, 88.1, 44.5),
}
PUBLISHED6 = {"Slovene": (100.0, 98.11), "English": (100.0, 99.12)}

# Safe for colour-blind readers (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
GROUPS = {"short": f"up to {SHORT} words", "long": f"more than {SHORT} words"}


def draw_gains(gains: Mapping[str, Gain], system: str, path: Path) -> None:
    """Figure 4: two bars a treebank."""
    places = np.arange(len(gains))
    with axes(path) as axis:
        for shift, (group, label) in zip((-0.2, 0.2), GROUPS.items(), strict=True):
            heights = [getattr(gain, group) for gain in gains.values()]
            axis.bar(places + shift, heights, width=0.4, label=label, color=COLOURS[shift > 0])
        axis.axhline(0, color="black", linewidth=0.8)
        axis.set_xticks(places, [short_name(name) for name in gains])
        axis.set(ylabel=f"gain of {system} over the first order, UAS")
        axis.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)  # bars leave no space inside


def draw_restarts(rows: Sequence[Row6], path: Path) -> None:
    """Figure 5: the value of the best tree by the number of restarts; dashed: short sentences."""
    with axes(path) as axis:
        for row, colour in zip(rows, COLOURS, strict=False):
            label: str | None = short_name(row.treebank)
            for curve, style in ((row.long_curve, "-"), (row.short_curve, "--")):
                if curve:
                    axis.plot(np.arange(1, len(curve) + 1), curve, style, color=colour, linewidth=1.2, label=label)
                    label = None  # one entry of the legend for both curves
        axis.set(xscale="log", xlabel="restarts", ylabel="value, relative to the best of all restarts")
        axis.legend(frameon=False, title=f"dashed: {GROUPS['short']}")


def draw_speed(points: Sequence[Point], path: Path) -> None:
    """Figure 6: accuracy by the CPU time of a word."""
    with axes(path) as axis:
        names = list(dict.fromkeys(point.treebank for point in points))
        for name, colour in zip(names, COLOURS, strict=False):
            own = [point for point in points if point.treebank == name]
            seconds, uas = [1e6 * point.seconds for point in own], [point.uas for point in own]
            axis.plot(seconds, uas, "o-", color=colour, markersize=3, label=short_name(name))
        axis.set(xlabel="CPU time a word, microseconds", ylabel="UAS", xlim=(0, None))
        axis.legend(frameon=False)


def short_name(treebank: str) -> str:
    """Return the language of a treebank."""
    return treebank.rpartition("/")[2].partition("-")[0]


# -- commands

T = TypeVar("T")
app = new_app("Zhang, Lei, Barzilay & Jaakkola (2014): randomized greedy search, third-order and global features.")
DATA = (
    "Parsers are trained on each treebank under DATA and parse its test set, crossing arcs allowed; UAS is without "
    "punctuation. "
)
LEARNING = (
    " --learner climbing (the default) trains as the paper does, by passive-aggressive updates against the trees of "
    "hill climbing; crf by our likelihood, in stages."
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
    "a certified optimum (by branch and bound) on which hill climbing finds it. As published, models are trained by "
    "both searches: climbing, and dual decomposition (dd)."
) + examples(
    "treewright reproduce zhang2014 table3 data --max-sentences 1000",
    "treewright reproduce zhang2014 table3 data --learners climbing,crf",
)
TABLE4_HELP = (
    "What do third-order and global features gain (Table 4)?\n\n" + DATA + "UAS of models of every order: trained and "
    "parsed by hill climbing the first order (1st), the third order (3rd) and with global features (full, without and "
    "with its tensor); exactly, by the likelihood of trees, the first and the second order." + LEARNING
) + examples("treewright reproduce zhang2014 table4 data --keep models")
TABLE5_HELP = (
    "Where should climbs begin (Table 5)?\n\n"
    + DATA
    + "UAS of the result, and of the trees at which climbs begin: the "
    "best first-order tree (one climb), uniform random trees, and random first-order trees." + LEARNING
) + examples("treewright reproduce zhang2014 table5 data --model grand")
TABLE6_HELP = (
    "How many restarts are needed (Table 6)?\n\n"
    "The share of the test sentences whose best tree of all restarts is found within the first 300." + LEARNING
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


ModelOption = Annotated[
    Literal["grand", "third", "full"],
    typer.Option("--model", help="Model order: grand (second order), third, or full (global features)."),
]


LearnerOption = Annotated[Literal["climbing", "crf"], typer.Option("--learner", help="Of the paper, or ours.")]
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
    features: FeaturesOption = "standard"
    epochs: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Of learning by climbing or dd; 10 if not given, 20 for full."),
    ] = None
    train_patience: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="Restarts without a better tree in learning by climbing; 300 as published."
        ),
    ] = Climbing.patience
    quiet: Quiet = False
    as_json: Json = False

    def rows(self, table: Callable[..., Iterator[T]], **given: object) -> list[T]:
        """Return the rows of a table."""
        return list(table(self._study(), names_of(self.treebanks, TREEBANKS), **given))

    def _study(self) -> Study:
        shown = stage_printer(self.quiet)
        climbing = Climbing(epochs=self.epochs, patience=self.train_patience)
        return Study(self.data, self.sentences, self.count, self.keep, shown, self.features, climbing)


def published_lines(published: Mapping[str, Sequence[float]], digits: int) -> list[list[str]]:
    """Return a line for each language of a table of the paper."""
    return [
        [f"  the paper's {name}", *(number(figure, digits) for figure in figures)]
        for name, figures in published.items()
    ]


def number(figure: float, digits: int) -> str:
    """Return a figure of a table; empty if there is none."""
    return "" if figure != figure else f"{figure:.{digits}f}"


def optima(count: float) -> str:
    """Return a number of local optima; above the largest that is counted, that."""

    return f"> {MAX_OPTIMA}" if count > MAX_OPTIMA else f"{count:.0f}"


@app.command("table1", help=TABLE1_HELP, cls=PlainCommand)
@with_option_groups
def table1_command(options: Options) -> None:
    rows = options.rows(table1)
    lines = [[row.treebank, number(row.independent, 1), number(row.tree, 1)] for row in rows]
    show_rows(rows, options.as_json, ("UAS", "independent heads", "trees"), lines + published_lines(PUBLISHED1, 1))


@app.command("table2", help=TABLE2_HELP, cls=PlainCommand)
@with_option_groups
def table2_command(options: Options) -> None:
    rows = options.rows(table2)
    ours = [(row.treebank, row.optima, (row.short, row.long)) for row in rows]
    theirs = [(f"  the paper's {name}", figures[:3], figures[3:]) for name, figures in PUBLISHED2.items()]
    lines = [
        [name, *map(optima, counts), *(number(share, 1) for share in success)]
        for name, counts, success in [*ours, *theirs]
    ]
    show_rows(
        rows, options.as_json, ("local optima, success %", "50 %", "70 %", "90 %", "<= 15 words", "> 15 words"), lines
    )


@app.command("table3", help=TABLE3_HELP, cls=PlainCommand)
@with_option_groups
def table3_command(
    options: Options,
    learners: Annotated[
        str,
        typer.Option(
            "--learners", metavar="NAMES", help="Learners of the models, separated by commas: climbing, dd, crf, pa."
        ),
    ] = "climbing,dd",
) -> None:
    rows = options.rows(table3, learners=names_of(learners, ()))
    if options.as_json:
        echo_json(rows)
        return
    lines = []
    for row in rows:
        figures = (row.certified, row.dual_better, row.equal, row.climb_better, row.optimal, row.exact_certified)
        lines.append([row.treebank, row.learner, *(number(figure, 1) for figure in figures), number(row.uas, 2)])
    for name, published in PUBLISHED3.items():
        for learner, some in (("climbing", published[:4]), ("dd", published[4:])):
            lines.append([f"  the paper's {name}", learner, *(number(figure, 1) for figure in some), "", "", ""])
    show_lines(
        ("% of the sentences", "learner", "dd cert", "dd >", "equal", "dd <", "optimal", "exact cert", "UAS"), lines
    )
    typer.echo(
        "dd: dual decomposition with 5,000 iterations; >, equal, <: its value against that of hill climbing; optimal: "
        "hill climbing finds the certified optimum, of those that have one (exact cert); UAS of the exact trees."
    )


@app.command("table4", help=TABLE4_HELP, cls=PlainCommand)
@with_option_groups
def table4_command(
    options: Options,
    systems: Annotated[
        str | None,
        typer.Option("--systems", metavar="NAMES", help="Our columns, separated by commas. All if not given."),
    ] = None,
    learner: LearnerOption = "climbing",
) -> None:
    names = names_of(systems, SYSTEMS4)
    rows = options.rows(table4, systems=names, learner=learner)
    table = [(row.treebank, row.uas) for row in rows]
    if len(rows) > 1:
        table.append(("average", {name: sum(row.uas[name] for row in rows) / len(rows) for name in names}))
    for language, figures in PUBLISHED4.items():
        table.append((f"  the paper's {language}", dict(zip(COLUMNS4, figures, strict=True))))
    columns = [*COLUMNS4, *(name for name in names if name not in COLUMNS4)]
    lines = [[name, *(number(uas.get(column, float("nan")), 2) for column in columns)] for name, uas in table]
    show_rows(rows, options.as_json, ("UAS", *columns), lines)


@app.command("table5", help=TABLE5_HELP, cls=PlainCommand)
@with_option_groups
def table5_command(options: Options, model: ModelOption = "full", learner: LearnerOption = "climbing") -> None:
    rows = options.rows(table5, model=model, learner=learner)
    lines = []
    for row in rows:
        pairs = [(row.uas[name], row.start[name]) for name in STARTS]
        lines.append([row.treebank, *(number(figure, 1) for pair in pairs for figure in pair)])
    columns = [column for name in STARTS for column in (name, "start")]
    show_rows(rows, options.as_json, (f"UAS, {model}", *columns), lines + published_lines(PUBLISHED5, 1))


@app.command("table6", help=TABLE6_HELP, cls=PlainCommand)
@with_option_groups
def table6_command(
    options: Options,
    model: ModelOption = "full",
    restarts: Climbs = 3000,
    learner: LearnerOption = "climbing",
) -> None:
    rows = options.rows(table6, model=model, restarts=restarts, learner=learner)
    lines = [[row.treebank, number(row.short, 2), number(row.long, 2)] for row in rows]
    columns = (f"% found within 300 of {restarts}, {model}", "<= 15 words", "> 15 words")
    show_rows(rows, options.as_json, columns, lines + published_lines(PUBLISHED6, 2))


@app.command("figure4", help=FIGURE4_HELP, cls=PlainCommand)
@with_option_groups
def figure4_command(
    options: Options,
    output: Picture = None,
    of: Annotated[str, typer.Option("--system", metavar="NAME", help="A column of table4.")] = "full",
    learner: LearnerOption = "climbing",
) -> None:
    if output is not None:
        ensure_matplotlib()
    rows = options.rows(table4, systems=("1st", of), learner=learner)
    by_treebank = gains(rows, of)
    if output is not None:
        draw_gains(by_treebank, of, output)
    lines = [[name, number(gain.short, 2), number(gain.long, 2)] for name, gain in by_treebank.items()]
    show_rows(rows, options.as_json, (f"UAS of {of} over 1st", "<= 15 words", "> 15 words"), lines)


@app.command("figure5", help=FIGURE5_HELP, cls=PlainCommand)
@with_option_groups
def figure5_command(
    options: Options,
    output: Picture = None,
    model: ModelOption = "full",
    restarts: Climbs = 3000,
    learner: LearnerOption = "climbing",
) -> None:
    if output is not None:
        ensure_matplotlib()
    rows = options.rows(table6, model=model, restarts=restarts, learner=learner)
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
    show_lines((f"value after restarts, {model}", *map(str, marks)), lines)
    typer.echo(f"Relative to the best of {restarts} restarts. The paper: converged after about 500.")


@app.command("figure6", help=FIGURE6_HELP, cls=PlainCommand)
@with_option_groups
def figure6_command(
    options: Options,
    output: Picture = None,
    model: ModelOption = "full",
    learner: LearnerOption = "climbing",
) -> None:
    if output is not None:
        ensure_matplotlib()
    rows = options.rows(figure6, model=model, learner=learner)
    if output is not None:
        draw_speed(rows, output)
    lines = [[row.treebank, str(row.restarts), number(row.uas, 2), f"{1e6 * row.seconds:.0f}"] for row in rows]
    show_rows(rows, options.as_json, (model, "restarts", "UAS", "CPU us a word"), lines)
