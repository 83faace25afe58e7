"""`treewright reproduce PAPER TABLE`: runs an experiment of a paper and prints the published figures beside."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer

from treewright.cli.options import PlainGroup, examples, new_app

PAPERS = ("koo2010", "rush2010", "mcdonald2006", "jiang2017", "zhang2014", "huang2010")
HELP = ("Run an experiment of a paper and print its published figures beside.") + examples(
    "treewright reproduce koo2010 table2", "treewright reproduce jiang2017 table1 data/ud-1.4"
)


class Papers(PlainGroup):
    """A group with a module of treewright.papers for each paper, imported when it is used."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(PAPERS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in PAPERS:
            return None
        command = typer.main.get_command(import_module(f"treewright.papers.{cmd_name}").app)
        command.name = cmd_name
        return command


app = new_app(HELP, cls=Papers)


@app.callback()
def reproduce() -> None:
    pass
