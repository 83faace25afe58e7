"""Tables of experiments on standard output, and the stage that an experiment has reached on standard error."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import typer


def stage_printer(quiet: bool) -> Callable[[str], None]:
    """Prints a line on standard error when it differs from the one before."""
    last = ""

    def show_stage(line: str) -> None:
        nonlocal last
        if line != last and not quiet:
            typer.echo(line, err=True)
        last = line

    return show_stage


def show_lines(columns: Sequence[str], lines: list[list[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(columns):
        table.add_column(name, justify="right" if number else "left", no_wrap=True)
    for line in lines:
        table.add_row(*line)
    console = Console()
    (console if console.is_terminal else Console(width=120)).print(table)
