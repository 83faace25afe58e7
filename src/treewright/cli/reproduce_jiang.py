"""`treewright reproduce jiang2017`: parsing with no treebank."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.options import Json, PlainCommand, Quiet, examples, new_app, output_option
from treewright.cli.reproduce_options import Treebank, Treebanks, data_argument, echo_json, names_of
from treewright.cli.tables import show_lines, stage_printer

TABLE1_HELP = (
    "How accurate are six systems that are trained on tags without trees (Table 1)?\n\n"
    "DATA has a folder for each treebank of UD 1.4. Trained on sentences of at most 15 words, tested on at most 40; "
    "directed accuracy without punctuation. The paper's figures are in brackets."
) + examples(
    "treewright reproduce jiang2017 table1 data/ud-1.4 --treebanks English,Gothic",
)
TABLE2_HELP = (
    "Does Convex-MST learn from the DMV to prefer short arcs (Table 2)?\n\n"
    "The mean length of the arcs of its parses of the test sentences (at most 40 words, and 15), trained alone (M) and "
    "together (M-J), beside the gold trees'; the root's arc is not counted."
) + examples(
    "treewright reproduce jiang2017 table2 data/ud-1.4",
)
FIGURE1_HELP = (
    "Does the DMV learn rules from Convex-MST (Figure 1)?\n\n"
    "How many arcs in a hundred of its parses of the test sentences follow each rule, trained alone (D) and together "
    "(D-J), beside the gold trees'; -o draws it."
) + examples(
    "treewright reproduce jiang2017 figure1 data/ud-1.4 -o rules.svg",
)
DataFolder = Annotated[Path, data_argument(" of UD 1.4, such as English")]
jiang2017 = new_app("Jiang, Han & Tu (2017): parsing with no treebank.")


@jiang2017.command("table1", help=TABLE1_HELP, cls=PlainCommand)
def table1(
    data: DataFolder,
    treebanks: Treebanks = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    from treewright.reproduce.jiang2017 import PUBLISHED, SYSTEMS, WHAT, average
    from treewright.reproduce.jiang2017 import table1 as run

    show_stage = stage_printer(quiet)
    rows = []
    for row in run(data, names_of(treebanks, PUBLISHED), report=lambda name, done: show_stage(f"{name}: {done.stage}")):
        rows.append(row)
        if as_json:
            typer.echo(json.dumps(asdict(row)))
    if as_json:
        return
    lines = []
    for row in [*rows, average(rows)] if len(rows) > 1 else rows:
        beside = {system: f" ({row.published[system]:.1f})" if system in row.published else "" for system in SYSTEMS}
        lines.append([row.treebank, *(f"{row.at_most_40[system]:.1f}{beside[system]}" for system in SYSTEMS)])
        lines.append(["  at most 15 words", *(f"{row.at_most_15[system]:.1f}" for system in SYSTEMS)])
    show_lines(("treebank", *SYSTEMS), lines)
    typer.echo("; ".join(f"{system}: {what}" for system, what in WHAT.items()) + ".")


@jiang2017.command("table2", help=TABLE2_HELP, cls=PlainCommand)
def table2(
    data: DataFolder,
    treebank: Treebank = "English",
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    from treewright.reproduce.jiang2017_trees import table2 as run

    show_stage = stage_printer(quiet)
    rows = run(data, treebank, report=lambda done: show_stage(f"{treebank}: {done.stage}"))
    if as_json:
        echo_json(rows)
        return
    lines = [[row.system, f"{row.at_most_40:.3f}", f"{row.at_most_15:.3f}"] for row in rows]
    show_lines(("mean length of arcs", "at most 40 words", "at most 15"), lines)


@jiang2017.command("figure1", help=FIGURE1_HELP, cls=PlainCommand)
def figure1(
    data: DataFolder,
    treebank: Treebank = "English",
    output: Annotated[Path | None, output_option("an SVG file with the figure.")] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    from treewright.reproduce.jiang2017_trees import draw_shares
    from treewright.reproduce.jiang2017_trees import figure1 as run
    from treewright.reproduce.plots import ensure_matplotlib

    if output is not None:
        ensure_matplotlib()
    show_stage = stage_printer(quiet)
    rows = run(data, treebank, report=lambda done: show_stage(f"{treebank}: {done.stage}"))
    if output is not None:
        draw_shares(rows, output)
    if as_json:
        echo_json(rows)
        return
    systems = list(rows[0].percent)
    lines = [[f"{row.head} -> {row.modifier}", *(f"{row.percent[system]:.2f}" for system in systems)] for row in rows]
    lines.append(["all rules", *(f"{sum(row.percent[system] for row in rows):.2f}" for system in systems)])
    show_lines(("% of all arcs", *systems), lines)
