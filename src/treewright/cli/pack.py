"""`treewright pack`: a tokeniser, a tagger and a parser in one file."""

from __future__ import annotations

from typing import Annotated

from treewright.cli import options as opt
from treewright.cli.shared import check_output, note
from treewright.pipeline import Pipeline, prune_weights

app, command = opt.new_command(
    "pack",
    "A tagger, a parser and, if there is one, a tokeniser make a model that parses raw text. A graph parser (`train "
    "--only graphs`) is added to the parser.\n\n"
    "The models may be given in any order, by file or by name (en). A parser may be trained or induced. Without a "
    "tokeniser, the text is split by Unicode rules. If one of the models is a pipeline, the others replace its "
    "components.",
    "treewright pack my.tokeniser my.tagger my.parser -o my.tw",
    "treewright pack en my.parser -o new.tw",
    "treewright pack my.tw -o small.tw --prune 0.01",
)


@command
def pack(
    models: Annotated[list[str], opt.argument("MODEL", "The models to join: files, or en.")],
    output: opt.ModelOutput,
    prune: Annotated[
        float, opt.share_option("Set weights below this share of the largest to zero: a smaller file, lower accuracy.")
    ] = 0.0,
    quiet: opt.Quiet = False,
) -> None:
    check_output(output)
    pipeline = Pipeline.join(*models, metadata={"name": output.stem})
    if prune:
        pipeline = prune_weights(pipeline, parser=prune, tagger=prune, tokeniser=prune)
    pipeline.save(output)
    if not quiet:
        note(f"{output}: {pipeline}, {output.stat().st_size / 1e6:.1f} MB")
