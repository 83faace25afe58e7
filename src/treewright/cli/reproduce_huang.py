"""`treewright reproduce huang2010`: the grid of self-training."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.options import Json, PlainCommand, Quiet, examples, new_app, output_option

HUANG = "Huang, Harper & Petrov (2010): self-training with products of latent-variable grammars."
GRID_HELP = (
    "What do products and self-training gain (the grid of conditions)?\n\n"
    "Latent-variable grammars with different seeds are trained on the first trees of a treebank under DATA (Regular), "
    "and on these and other sentences that the best of them (ST-Reg) or their product parses (ST-Prod; ST-Prod-Mult: "
    "each grammar has sentences of its own). Rounds are chosen on development trees. -o draws F1 against rounds "
    "(pip install 'treewright[plots]')."
) + examples(
    "treewright reproduce huang2010 grid data -o rounds.svg",
    "treewright reproduce huang2010 grid data --gold-trees 300 --rounds 2",
)
huang2010 = new_app(HUANG)


def count_option(name: str, what: str) -> object:
    return typer.Option(name, min=1, metavar="N", help=what)


@huang2010.callback()
def papers() -> None:
    """Keep the name of the table on the command line although there is one only."""


@huang2010.command("grid", help=GRID_HELP, cls=PlainCommand)
def grid(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A folder with treebanks, such as trees/CRAFT.")],
    output: Annotated[Path | None, output_option("F1 against rounds as SVG.", "FILE")] = None,
    treebank: Annotated[str, typer.Option("--treebank", metavar="NAME", help="A folder under DATA.")] = ("trees/CRAFT"),
    gold: Annotated[int, count_option("--gold-trees", "Trees that are used as trees.")] = 1000,
    raw: Annotated[int, count_option("--raw-sentences", "Further sentences that are used as raw text.")] = 2000,
    dev: Annotated[int, count_option("--dev-sentences", "Development sentences.")] = 200,
    test: Annotated[int, count_option("--test-sentences", "Parse the first N sentences only.")] = 400,
    grammars: Annotated[int, count_option("--grammars", "Grammars of each condition.")] = 4,
    rounds: Annotated[int, count_option("--rounds", "Number of rounds; of splitting and merging.")] = 4,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    from treewright.cli.tables import show_lines, stage_printer
    from treewright.reproduce.huang2010 import PUBLISHED, Sizes, draw_curves
    from treewright.reproduce.huang2010 import grid as run
    from treewright.reproduce.plots import ensure_matplotlib

    if output is not None:
        ensure_matplotlib()
    rows, curves = run(data / treebank, Sizes(gold, raw, dev, test, grammars, rounds), stage_printer(quiet))
    if output is not None:
        draw_curves(curves, output)
    if as_json:
        found = {"rows": [asdict(row) for row in rows], "curves": [asdict(curve) for curve in curves]}
        typer.echo(json.dumps(found))
        return
    lines = [
        [row.condition, str(row.round), f"{row.best:.2f}", f"{row.mean:.2f} ({row.lowest:.2f}-{row.highest:.2f})"]
        + [f"{row.product:.2f}", "" if row.raw_f1 is None else f"{row.raw_f1:.2f}"]
        for row in rows
    ]
    names = ("F1 on test", "round", "single (best on dev)", "mean (range)", "product", "F1 of raw text")
    show_lines(names, lines)
    for curve in curves:
        means = [sum(one[place] for one in curve.singles) / len(curve.singles) for place in range(rounds + 1)]
        typer.echo(
            f"{curve.condition}, dev by round: single {' '.join(f'{value:.1f}' for value in means)}; "
            f"product {' '.join(f'{value:.1f}' for value in curve.products)}"
        )
    typer.echo(f"Published (WSJ, self-trained): single {PUBLISHED['single']}, product {PUBLISHED['product']}.")
