"""`treewright explain`: what a tag, relation or feature means."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.cli import options as opt

app = opt.new_app()

HELP = (
    "Explain tags, relations and features of Universal Dependencies.\n\n"
    "Each name gets a sentence and the address of its guideline."
) + opt.examples("treewright explain obl:unmarked", "treewright explain AUX aux Number=Plur")


@app.command(help=HELP, cls=opt.PlainCommand)
def explain(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="A tag, a relation, a feature or its value.")],
) -> None:
    from treewright.guidelines import explain as explain_name

    for name in names:
        typer.echo(explain_name(name))
