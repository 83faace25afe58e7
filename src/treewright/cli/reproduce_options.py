"""What the commands of `treewright reproduce` share: options, groups of options, progress, rows as JSON."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, asdict, fields, is_dataclass
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

MaxSentences = Annotated[
    int | None,
    typer.Option("--max-sentences", min=1, metavar="N", help="Train on the first N sentences of each treebank."),
]
Treebanks = Annotated[
    str | None, typer.Option("--treebanks", metavar="NAMES", help="Folders under DATA, separated by commas.")
]
Treebank = Annotated[str, typer.Option("--treebank", metavar="NAME", help="A folder under DATA.")]


def data_argument(example: str) -> Any:
    return typer.Argument(metavar="DATA", help=f"A folder with treebanks{example}.")


def with_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """The command with each parameter whose type is a dataclass replaced by the fields of that class.

    The commands of a paper share most of their options; the dataclass lists these once.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Run:
    ...     data: str
    ...     count: int = 5
    >>> def table(*, seed: int = 0, run: Run) -> None:
    ...     print(run, seed)
    >>> with_option_groups(table)(data="ud", count=2, seed=1)
    Run(data='ud', count=2) 1
    >>> inspect.signature(with_option_groups(table))
    <Signature (*, seed: int = 0, data: str, count: int = 5)>
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if isinstance(hint, type) and is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name in groups:
            parameters += field_parameters(groups[name])
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name]))

    def run(**values: object) -> None:
        given = {name: group(**{f.name: values.pop(f.name) for f in fields(group)}) for name, group in groups.items()}
        command(**given, **values)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # Typer reads both attributes
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def field_parameters(group: type[DataclassInstance]) -> list[inspect.Parameter]:
    """The fields of a dataclass as parameters by keyword."""
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]


def echo_json(rows: Sequence[DataclassInstance]) -> None:
    """The rows of a table as one JSON list."""
    typer.echo(json.dumps([asdict(row) for row in rows]))


def names_of(given: str | None, otherwise: Iterable[str]) -> list[str]:
    return [name.strip() for name in given.split(",")] if given else list(otherwise)


@contextmanager
def steps(quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """The current step with a bar and an estimate of the time left, on a terminal's standard error."""
    with progress("reading", quiet) as report:
        yield lambda what, done, of: report(done, of, what)


@contextmanager
def progress(what: str, quiet: bool) -> Iterator[Callable[..., None]]:
    """A bar with an estimate of the time left, on a terminal's standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total, now=what: bar.update(task, completed=done, total=total, description=now)
