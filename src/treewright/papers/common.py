"""What the papers share: treebanks of a data folder, options of commands, progress, rows as JSON, figures."""

from __future__ import annotations

import inspect
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, asdict, fields, is_dataclass
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import numpy as np
import typer
from numpy.typing import ArrayLike

from treewright.corpus import Sentence, read, replacing
from treewright.errors import InputError
from treewright.evaluate.significance import Counts, bootstrap, p_value

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

LINE_SECONDS = 10.0  # between two lines of progress in a log; not tuned
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
    """Return the command with each parameter whose type is a dataclass replaced by the fields of that class.

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
    """Return the fields of a dataclass as parameters by keyword."""
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
    """A bar with an estimate of the time left, on standard error; lines where that is no terminal."""
    if not quiet and not sys.stderr.isatty():
        yield ProgressLines(what)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=quiet) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total, now=what: bar.update(task, completed=done, total=total, description=now)


class ProgressLines:
    """Progress as lines on standard error, for a log: one when the step changes, and one every ten seconds."""

    def __init__(self, what: str) -> None:
        self._what, self._now = what, ""
        self._begin = self._last = time.monotonic()

    def __call__(self, done: int, total: int | None, now: str | None = None) -> None:
        """Print a line if it is time for one: how many are done of a total, and the time left."""
        step, clock = now or self._what, time.monotonic()
        if step == self._now and clock - self._last < LINE_SECONDS:
            return
        if step != self._now:
            self._now, self._begin = step, clock
        self._last = clock
        share = f": {done} of {total}" if total else ""
        left = f", about {(clock - self._begin) * (total - done) / done:.0f} s left" if total and done else ""
        typer.echo(f"{step}{share}{left if clock > self._begin else ''}", err=True)


STYLE: Any = {"svg.hashsalt": "treewright", "svg.fonttype": "none", "font.size": 9}
FORMATS = ("svg", "png", "pdf")
COLOURS = ("#0072b2", "#d55e00", "#009e73")  # of lines; safe for colour-blind readers (Okabe and Ito)


def ensure_matplotlib() -> None:
    """Raise an error with the remedy if Matplotlib is missing."""
    if find_spec("matplotlib") is None:
        raise InputError("figures are drawn with Matplotlib: pip install 'treewright[plots]'")


@contextmanager
def axes(path: Path, width: float = 6.0, height: float = 3.6) -> Iterator[Any]:
    """Axes to draw on, in inches; the file is written when the block ends, and only if nothing went wrong."""
    ensure_matplotlib()
    kind = path.suffix.lower().lstrip(".")
    if kind not in FORMATS:
        raise InputError(f"{path}: a figure is written as {', '.join(FORMATS)}; end the name with one of these")
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE), replacing(path) as beside:
        figure = Figure(figsize=(width, height), layout="constrained")
        axis = figure.subplots()
        axis.spines[["top", "right"]].set_visible(False)
        yield axis
        figure.savefig(beside, format=kind, metadata={"Date": None} if kind == "svg" else {})


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


def show_rows(rows: Sequence[DataclassInstance], as_json: bool, columns: Sequence[str], lines: list[list[str]]) -> None:
    """Print the rows of a table as JSON, or its lines."""
    if as_json:
        echo_json(rows)
    else:
        show_lines(columns, lines)


Report = Callable[[str, int, int], None]  # name of the step, steps done, total


class Steps:
    """Counts the steps and reports each one before it begins."""

    def __init__(self, report: Report, of: int) -> None:
        self.report, self.done, self.of = report, 0, of

    def __call__(self, what: str) -> None:
        self.report(what, self.done, self.of)
        self.done += 1


def silence(what: str, done: int, of: int) -> None:
    """The default: no report."""


def training(data: Path, treebank: str, sentences: int | None) -> list[Sentence]:
    """Return the first `sentences` training sentences, or all."""
    return list(islice(read(part(data, treebank, "train"), check="tree"), sentences))


def corpus(data: Path, treebank: str, split: str) -> list[Sentence]:
    """Return the sentences to parse."""
    return list(read(part(data, treebank, split), check="tree"))


def part(data: Path, treebank: str, split: str) -> Path:
    """Return the file of a split: CoNLL-U, or CoNLL-X."""
    for ending in ("conllu", "conll"):
        path = data / treebank / f"{split}.{ending}"
        if path.exists():
            return path
    raise InputError(f"{data / treebank}: no {split}.conllu or {split}.conll there")


def bracket_part(folder: Path, part: str) -> tuple[Path, slice]:
    """Return the file of a part of a treebank in Penn brackets, and which of its trees belong to the part.

    Where there is no test.mrg (trees/English-GUM), every second tree of dev.mrg is the test part.
    """
    path = folder / f"{part}.mrg"
    if part == "train" or (folder / "test.mrg").is_file():
        trees = slice(0, None, 1)
    else:
        path, trees = folder / "dev.mrg", slice(int(part == "test"), None, 2)
    if not path.is_file():
        raise InputError(f"{folder}: there is no {path.name}; DATA is a folder with treebanks such as trees/CRAFT")
    return path, trees


def p_value_of(a: ArrayLike, b: ArrayLike, samples: int) -> float:
    """Return the p-value of the difference of two shares by the paired bootstrap.

    a, b: [sentence, 2], parts and wholes.

    >>> p_value_of([[1, 2], [3, 4]], [[1, 2], [3, 4]], samples=9)
    1.0
    >>> p_value_of([[0, 1]] * 20, [[1, 1]] * 20, samples=99)
    0.01
    """

    def difference(sums: Counts) -> Counts:
        shares: Counts = sums[:, ::2] / np.maximum(sums[:, 1::2], 1)
        return shares[:, 1] - shares[:, 0]

    counts = np.column_stack([a, b]).astype(np.float64)
    drawn, whole = difference(bootstrap(counts, samples, seed=0)), difference(counts.sum(0)[None])
    return p_value(drawn, float(whole[0]))
