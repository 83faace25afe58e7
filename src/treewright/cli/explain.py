"""`treewright explain`: what a tag, relation or feature means."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.cli import options as opt
from treewright.guidelines import explain as explain_name

app, command = opt.new_command(
    "explain",
    "Each name gets a sentence and the address of its guideline.",
    "treewright explain obl:unmarked",
    "treewright explain AUX aux Number=Plur",
)


@command
def explain(
    names: Annotated[list[str], opt.argument("NAME...", "A tag, a relation, a feature or its value.")],
) -> None:
    for name in names:
        typer.echo(explain_name(name))
