"""`treewright models`: what is installed and what can be had; models are removed, or packed as wheels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.cli import options as opt
from treewright.cli.shared import make_folder, note
from treewright.errors import InputError
from treewright.languages.catalogue import treebanks
from treewright.languages.installed import installed_models, remove_model
from treewright.languages.wheels import write_wheel
from treewright.model.registry import open_named


class ModelsGroup(opt.with_default("list")):  # type: ignore[misc]
    """A group whose command `list` runs without arguments too."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        parsed: list[str] = super().parse_args(ctx, args or [self.DEFAULT])
        return parsed


app = opt.new_group(
    "models",
    "`treewright models` is short for `treewright models list`.",
    "treewright models",
    "treewright models --available",
    "treewright models wheel de -o dist",
    cls=ModelsGroup,
)


@opt.subcommand(
    app,
    "List the models that are installed: those that come with Treewright, those that `treewright get` made, and those "
    "of packages; with language, treebank, licence, size, and LAS from the raw text of the test part.",
    "treewright models",
    "treewright models --available --json",
    name="list",
)
def list_models(
    available: Annotated[
        bool, opt.option("List the languages and treebanks that `treewright get` makes.", "--available")
    ] = False,
    as_json: opt.Json = False,
) -> None:
    rows = available_rows() if available else installed_rows()
    if as_json:
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    problems = [problem for row in rows if (problem := row.pop("problem", None))]
    typer.echo(table_of([tuple(rows[0]), *(tuple(map(cell_of, row.values())) for row in rows)]))
    for problem in problems:
        note(problem)


def installed_rows() -> list[dict[str, Any]]:
    """Return the facts about each installed model; None where its file does not say, or cannot be read."""

    rows = []
    for model in installed_models():
        try:
            metadata, problem = model.metadata(), None
        except InputError as error:
            metadata, problem = {}, str(error)
        rows.append(
            {
                "name": model.name,
                "language": metadata.get("language"),
                "treebank": metadata.get("treebank") or metadata.get("training_data"),
                "licence": metadata.get("licence"),
                "MB": round(model.path.stat().st_size / 1e6, 1),
                "LAS": round(metadata["figures"]["LAS"], 2) if "figures" in metadata else None,
                "from": model.origin,
                "problem": problem,
            }
        )
    return rows


def available_rows() -> list[dict[str, Any]]:
    """Return the facts about each treebank of the table; the first of a language is its default."""

    return [
        {
            "code": entry.code,
            "language": entry.language,
            "treebank": entry.treebank,
            "release": entry.release,
            "licence": entry.licence,
            "words": entry.words,
        }
        for entry in treebanks()
    ]


def cell_of(value: Any) -> str:
    """Write a value in a table."""
    return "-" if value is None else str(value)


def table_of(rows: list[tuple[str, ...]]) -> str:
    """Write rows in aligned columns.

    >>> print(table_of([("name", "MB"), ("en", "24.1")]))
    name  MB
    en    24.1
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


@opt.subcommand(app, "Delete models that `treewright get` made.", "treewright models remove de")
def remove(names: Annotated[list[str], opt.argument("NAME", "The names of models.")]) -> None:
    for name in names:
        note(f"removed {remove_model(name)}")


@opt.subcommand(
    app,
    "Write a wheel, an installable package, of a model.\n\n"
    "The package is called treewright-model-NAME and has the model, its licence and its card; its version begins with "
    'the format of the model file. Where it is installed (pip install FILE), tw.load("NAME") finds the model.',
    "treewright models wheel de -o dist",
    "treewright models wheel my.tw --licence 'CC BY 4.0'",
)
def wheel(
    model: Annotated[str, opt.argument("MODEL", "A model file, or the name of an installed model.")],
    output: Annotated[str, opt.output_option("a folder.", "DIR")] = ".",
    licence: Annotated[
        str | None, opt.option("The licence, for a model that does not say its own.", metavar="NAME")
    ] = None,
) -> None:
    folder = make_folder(output)
    typer.echo(str(write_wheel(Path(open_named(model).path), folder, licence)))
