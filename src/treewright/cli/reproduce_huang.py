"""`treewright reproduce huang2010`: the grid of self-training."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli.options import Json, PlainCommand, Quiet, examples, new_app, output_option
from treewright.cli.reproduce_options import Treebank, data_argument

if TYPE_CHECKING:
    from treewright.reproduce.huang2010 import Row

HUANG = "Huang, Harper & Petrov (2010): self-training with products of latent-variable grammars."
GRID_HELP = (
    "What do products and self-training gain (the grid of conditions)?\n\n"
    "Latent-variable grammars with different seeds are trained on the first trees of a treebank under DATA (Regular), "
    "and on these and other sentences that the best of them (ST-Reg) or their product parses (ST-Prod; ST-Prod-Mult: "
    "each grammar has sentences of its own). Rounds are chosen on development trees. -o draws F1 against rounds "
    "(pip install 'treewright[plots]'). With --keep a killed run continues where it was; without, it begins again."
) + examples(
    "treewright reproduce huang2010 grid data -o rounds.svg --keep grid",
    "treewright reproduce huang2010 grid data --gold-trees 300 --rounds 2",
)
COLUMNS = (
    *("F1 on test", "round", "best on dev", "mean (range)", "p, above", "p, Regular"),
    *("product", "p, Regular", "raw text"),
)
huang2010 = new_app(HUANG)


def count_option(name: str, what: str) -> object:
    return typer.Option(name, min=1, metavar="N", help=what)


@huang2010.callback()
def papers() -> None:
    """Keep the name of the table on the command line although there is one only."""


@huang2010.command("grid", help=GRID_HELP, cls=PlainCommand)
def grid(
    data: Annotated[Path, data_argument(", such as trees/CRAFT")],
    output: Annotated[Path | None, output_option("F1 against rounds as SVG.", "FILE")] = None,
    treebank: Treebank = "trees/CRAFT",
    gold: Annotated[int, count_option("--gold-trees", "Trees that are used as trees.")] = 1000,
    raw: Annotated[int, count_option("--raw-sentences", "Further sentences that are used as raw text.")] = 2000,
    dev: Annotated[int, count_option("--dev-sentences", "Development sentences.")] = 200,
    test: Annotated[int, count_option("--test-sentences", "Parse N sentences only.")] = 400,
    grammars: Annotated[int, count_option("--grammars", "Grammars of each condition.")] = 4,
    rounds: Annotated[int, count_option("--rounds", "Number of rounds; of splitting and merging.")] = 4,
    conditions: Annotated[
        str | None,
        typer.Option(
            "--conditions",
            metavar="NAMES",
            help="Conditions, separated by commas; Regular always runs. All if not given.",
        ),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", metavar="FOLDER", help="Keep finished steps in a folder; a later run continues there."),
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    from treewright.cli.tables import show_lines, stage_printer
    from treewright.reproduce.huang2010 import CONDITIONS, PUBLISHED, Sizes, draw_curves
    from treewright.reproduce.huang2010 import grid as run
    from treewright.reproduce.plots import ensure_matplotlib

    if output is not None:
        ensure_matplotlib()
    sizes = Sizes(gold, raw, dev, test, grammars, rounds)
    chosen = CONDITIONS if conditions is None else conditions.split(",")
    rows, curves = run(data / treebank, sizes, stage_printer(quiet), chosen, keep)
    if output is not None:
        draw_curves(curves, output)
    if as_json:
        found = {"rows": [asdict(row) for row in rows], "curves": [asdict(curve) for curve in curves]}
        typer.echo(json.dumps(found))
        return
    show_lines(COLUMNS, [line_of(row) for row in rows])
    typer.echo(
        "p-values: paired bootstrap over sentences; the brackets of all grammars of a condition together, against the "
        "row above and against Regular, and the product against that of Regular."
    )
    for curve in curves:
        means = [sum(one[place] for one in curve.singles) / len(curve.singles) for place in range(rounds + 1)]
        typer.echo(
            f"{curve.condition}, dev by round: single {' '.join(f'{value:.1f}' for value in means)}; "
            f"product {' '.join(f'{value:.1f}' for value in curve.products)}"
        )
    typer.echo(f"Published (WSJ, self-trained): single {PUBLISHED['single']}, product {PUBLISHED['product']}.")


def line_of(row: Row) -> list[str]:
    """A row of the table as text."""
    f1 = [f"{row.best:.2f}", f"{row.mean:.2f} ({row.lowest:.2f}-{row.highest:.2f})"]
    p_values = [in_digits(value, 4) for value in (row.p_above, row.p_regular, row.p_product)]
    return [row.condition, str(row.round), *f1, *p_values[:2], f"{row.product:.2f}", p_values[2], in_digits(row.raw_f1)]


def in_digits(value: float | None, digits: int = 2) -> str:
    return "" if value is None else f"{value:.{digits}f}"
