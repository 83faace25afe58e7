"""`treewright reproduce PAPER TABLE`: the experiments of the papers, run again, with the printed figures beside."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from treewright.reproduce.koo2010 import Row

app = typer.Typer(add_completion=False, help="Run an experiment of a paper again; its printed figures stand beside.")
koo2010 = typer.Typer(add_completion=False, help="Koo, Rush, Collins, Jaakkola & Sontag (2010): head automata.")
app.add_typer(koo2010, name="koo2010")

TABLE2_HELP = (
    "How often are relaxations exact when scores are random (Table 2, last column)?\n\n"
    "Linear programs with single (S) and multi-commodity (M) flow, the integer program, dual decomposition as "
    "published and the exact search, all on the same random sentences, for models with siblings (Sib) and with "
    "grandparents and siblings (G+S). The encoding of a program is told, for the paper does not tell its own.\n\n"
    "  treewright reproduce koo2010 table2 --instances 20\n\n"
    "  treewright reproduce koo2010 table2 --scores uniform --seed 7 --json\n\n"
)


class Draw(str, Enum):
    normal = "normal"
    uniform = "uniform"


@koo2010.callback()
def papers_tables() -> None:
    """So that the table is named even where a paper has one only."""


@koo2010.command(help=TABLE2_HELP)
def table2(
    instances: Annotated[int, typer.Option(min=1, help="Random sentences for each model.")] = 100,
    words: Annotated[int, typer.Option(min=1, help="Words a sentence.")] = 10,
    scores: Annotated[Draw, typer.Option(help="How the scores of transitions are drawn.")] = Draw.normal,
    seed: Annotated[int, typer.Option(min=0, help="Of the random scores.")] = 0,
    max_seconds: Annotated[float, typer.Option(min=0, help="For the integer program, a sentence.")] = 60.0,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    from treewright.reproduce.koo2010 import table2 as run

    with progress("random sentences, every method", quiet) as report:
        rows = run(
            instances=instances, words=words, scores=scores.value, seed=seed, max_seconds=max_seconds, report=report
        )
    if as_json:
        settings = {"instances": instances, "words": words, "scores": scores.value, "seed": seed}
        typer.echo(json.dumps({**settings, "rows": [asdict(row) for row in rows]}, indent=2))
        return
    show(rows)
    typer.echo(f"{instances} sentences of {words} words a model, {scores.value} scores, seed {seed}; root: multi.")
    typer.echo("exact: integral (LP), solved (ILP), certified; agree: of which z = y; best: trees of the best value.")
    typer.echo("The paper's exact is for random sentences of 10 words, its seconds are for a treebank and Gurobi.")


@contextmanager
def progress(what: str, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar with the time that is left, on a terminal's standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def show(rows: list[Row]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    names = ("model", "method", "encoding", "exact %", "agree %", "best %", "CPU s", "paper: exact %", "seconds")
    for number, name in enumerate(names):
        table.add_column(name, justify="left" if number < 3 else "right", no_wrap=True)
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        table.add_row(
            row.model,
            row.method,
            row.encoding,
            *(f"{share:.1f}" if share is not None else "" for share in (row.exact, row.agreed, row.best)),
            f"{row.seconds:.4f}",
            "" if row.published_exact is None else f"{row.published_exact:.1f}",
            "" if row.published_seconds is None else f"{row.published_seconds:.2f}",
            end_section=following is not None and following.model != row.model,
        )
    console = Console()
    (console if console.is_terminal else Console(width=120)).print(table)
