"""`treewright parse` of a corpus into a folder, in shards: options, progress, the last line."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from treewright.cli import options as opt
from treewright.cli.inputs import open_bar
from treewright.cli.shared import first_of, note, quantity
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.scale import Progress, Result

LINE_SECONDS = 30.0  # between lines of progress where standard error is no terminal; not tuned

Jobs = Annotated[
    int | None, opt.option("Worker processes of a corpus; by default one a core.", "--jobs", metavar="N", min=1)
]
EngineName = Annotated[
    Literal["local", "ray"] | None,
    opt.option("What runs the shards of a corpus: processes of this machine, or Ray.", "--engine"),
]
RayAddress = Annotated[
    str | None, opt.option("A Ray cluster; auto: the one of this machine.", "--ray-address", metavar="ADDRESS")
]
Shards = Annotated[
    str | None, opt.option("The I-th of N shares of a corpus, for array jobs.", "--shards", metavar="I/N")
]
ShardSize = Annotated[
    float | None, opt.option("Text of a shard; 4 MB if not given.", "--shard-size", metavar="MB", min=1e-4)
]
TextColumn = Annotated[
    str | None, opt.option("Column or JSON key of texts; text if not given.", "--text-column", metavar="NAME")
]
IdColumn = Annotated[
    str | None,
    opt.option("Column or JSON key of names of texts; by default id, if any.", "--id-column", metavar="NAME"),
]
DocumentSeconds = Annotated[
    float | None,
    opt.option(
        "Time limit of a passage of a corpus, plus 1 s for 1000 characters; 60 if not given.",
        "--document-seconds",
        metavar="SECONDS",
        min=0.1,
    ),
]


def is_corpus(to: str | None, own: Mapping[str, Any]) -> bool:
    """Return whether the command writes a folder of shards: --to parquet, or an option that only such a run has."""
    return to == "parquet" or any(value is not None for value in own.values())


def refuse(to: str | None, output: str, sources: Sequence[str], others: Mapping[str, Any]) -> None:
    """Refuse options that have no meaning for a corpus, and inputs and outputs that are no files and folders."""
    for option, value in others.items():
        if value:
            raise typer.BadParameter("a corpus in shards does not have it; leave it out", param_hint=option)
    if to not in (None, "parquet", "conllu"):
        raise typer.BadParameter(f"a corpus is written as parquet or conllu, not as {to}", param_hint="--to")
    if output == "-" or "-" in sources:
        raise InputError("a corpus is read from files and written into a folder; give INPUT and -o FOLDER")


def run(
    model: str, sources: Sequence[str], output: str, *, as_json: bool, quiet: bool, given: Mapping[str, Any]
) -> None:
    """Parse a corpus with the options given, show progress and print the counts; the status is 1 if any are missing."""
    from treewright.scale import parse_corpus

    options = {name: value for name, value in given.items() if value is not None}
    with progress_meter(quiet=quiet) as report:
        result = parse_corpus(model, sources, output, report=report, **options)
    if as_json:
        typer.echo(json.dumps(asdict(result)))
    elif not quiet:
        note(summary(result))
    if result.rejected:
        names = first_of(result.rejected_files, len(result.rejected_files), ", ")
        note(f"rejected {quantity(result.rejected, 'passage')}; the reasons are in {names}")
    if result.unfinished:
        shards = quantity(len(result.unfinished), "shard")
        note(f"gave up {shards} that ended too many processes; the same command tries again")
    if result.rejected or result.unfinished:
        raise typer.Exit(1)


def summary(result: Result) -> str:
    """Write the counts of a run in one line."""
    counts = [(result.shards, "shard"), (result.documents, "document"), (result.sentences, "sentence")]
    pieces = [quantity(number, what) for number, what in [*counts, (result.words, "word")]]
    if result.parsed_words:
        pieces.append(f"{result.parsed_words / max(result.seconds, 1e-9):.0f} words a second")
    if result.sentences > result.certified:
        pieces.append(f"{quantity(result.sentences - result.certified, 'tree')} not certified")
    return ", ".join(pieces)


@contextmanager
def progress_meter(*, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Yield a function that shows progress: a bar on a terminal, else a line every half minute."""
    if quiet:
        yield lambda progress: None
    elif sys.stderr.isatty():
        with progress_bar() as report:
            yield report
    else:
        last = time.monotonic()

        def write(progress: Progress) -> None:
            nonlocal last
            if time.monotonic() - last >= LINE_SECONDS and progress.done_shards < progress.shards:
                last = time.monotonic()
                note(in_words(progress))

        yield write


@contextmanager
def progress_bar() -> Iterator[Callable[[Progress], None]]:
    """Show a bar on standard error: shards, words a second, time left."""
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn

    with open_bar(BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[words]}")) as bar:
        task = bar.add_task("", total=None, words="")

        def show(progress: Progress) -> None:
            bar.update(task, total=progress.size, completed=progress.done_size, words=in_words(progress))

        yield show


def in_words(progress: Progress) -> str:
    """Write progress in one line, with the time left."""
    pieces = [f"{progress.done_shards} of {quantity(progress.shards, 'shard')}"]
    if progress.seconds_left is not None:
        pieces += [f"{progress.words / progress.seconds:.0f} words a second", f"{duration(progress.seconds_left)} left"]
    return ", ".join(pieces)


def duration(seconds: float) -> str:
    """Write a time in two units at most.

    >>> duration(42.4), duration(200), duration(9000)
    ('42 s', '3 min', '2 h 30 min')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
