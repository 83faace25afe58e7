"""`treewright pack`: a tokeniser, a tagger and a parser in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.shared import note

app = typer.Typer(add_completion=False)

HELP = (
    "Join a tagger, a parser and, if there is one, a tokeniser in one model, which parses raw text.\n\n"
    "The files may be named in any order: each tells what it is. Without a tokeniser rules cut the text.\n\n"
    "  treewright tag train-tokeniser train.conllu -o en.tokeniser\n\n"
    "  treewright tag train train.conllu --dev dev.conllu -o en.tagger\n\n"
    "  treewright train train.conllu --dev dev.conllu -o en.parser\n\n"
    "  treewright pack en.tokeniser en.tagger en.parser -o en.tw\n\n"
    "  treewright parse en.tw letter.txt\n\n"
)


@app.command(help=HELP)
def pack(
    models: Annotated[list[str], typer.Argument(metavar="MODEL...", help="The files to join.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Where to save the pipeline.")],
    light: Annotated[
        float,
        typer.Option(min=0.0, max=1.0, help="Drop weights below this share of the largest: smaller, less accurate."),
    ] = 0.0,
    name: Annotated[str, typer.Option(help="What the model is called when it is shown.")] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No summary.")] = False,
) -> None:
    from treewright.pipeline import Pipeline, prune_weights

    pipeline = Pipeline.join(*models, metadata={"name": name or output.stem})
    if light:
        pipeline = prune_weights(pipeline, parser=light, tagger=light, tokeniser=light)
    pipeline.save(output)
    if not quiet:
        note(f"{output}: {pipeline}, {output.stat().st_size / 1e6:.1f} MB")
