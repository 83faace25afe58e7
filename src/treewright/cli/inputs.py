"""Inputs and outputs of commands that read sentences and write them: several files, a folder, progress by bytes."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from treewright.cli.shared import note, note_skipped
from treewright.errors import InputError

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from treewright.corpus import Sentence

TEXT_KINDS = ("text", "paragraphs", "lines", "markdown", "html")  # of input
STEP = 1 << 14  # bytes read at a time while progress is shown, about 3,000 words of text; not tuned
EXTENSIONS = {"conllu": ".conllu", "json": ".jsonl", "text": ".txt", "html": ".html", "latex": ".tex"}
EXTENSIONS |= {"brackets": ".mrg"}
EXTENSIONS |= {"svg": "", "png": ""}  # a folder with a file for each sentence


def looks_like_model(name: str) -> bool:
    """Return whether a name names an installed model, or a file that begins as model files do."""
    from treewright.languages.installed import find_model

    path = Path(name)
    if path.suffix == ".tw" or find_model(name):
        return True
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(9)[8:] == b"{"  # eight bytes of length before a JSON index


def model_and_inputs(
    first: str | None, others: Sequence[str] | None, text: str | None = None
) -> tuple[str | None, list[str]]:
    """Return the model, if the first argument looks like one, and the inputs; standard input if there are none.

    What is no file counts as a model if it stands before other inputs or a text, or is a word without extension, so
    that the message about it lists the models.
    """
    inputs = list(others or ())
    if first is None or looks_like_model(first):
        return first, inputs or ["-"]
    is_word = not Path(first).suffix and Path(first).name == first
    if first != "-" and not Path(first).exists() and (inputs or text is not None or is_word):
        return first, inputs or ["-"]
    return None, [first, *inputs]


class Job(NamedTuple):
    """An input and where its result is written."""

    source: str
    output: str


def jobs_of(inputs: Sequence[str], output: str, form: str) -> list[Job]:
    """Choose an output for each input. In a folder it has the name of the input, with the extension of the form.

    The drawings of one input are numbered files in the folder; the drawings of several have a folder for each input.
    """
    for source in inputs:
        if source != "-" and not Path(source).exists():
            raise FileNotFoundError(2, os.strerror(2), source)
        if Path(source).is_dir():
            raise InputError(f"{source}: a folder; give its files, as in {Path(source) / '*.txt'}")
    if not is_folder(output):
        if len(inputs) > 1:
            raise InputError(
                f"{len(inputs)} inputs need a folder, in which each has its own output (-o parsed/); to join them, "
                "use `cat` and standard input"
            )
        check_not_lost(inputs[0], output, form)
        return [Job(inputs[0], output)]
    if len(inputs) == 1 and not EXTENSIONS[form]:
        return [Job(inputs[0], output)]
    if list(inputs) == ["-"]:
        named = os.path.join(output, f"parsed{EXTENSIONS[form]}")
        raise InputError(f"{output}: a folder, which is for files; give the name of a file, as in {named}")
    jobs = [Job(source, output_in(output, source, form)) for source in inputs]
    check_jobs(jobs)
    Path(jobs[0].output).parent.mkdir(parents=True, exist_ok=True)
    return jobs


def check_not_lost(source: str, output: str, form: str) -> None:
    """Refuse an output that replaces its input by another format; what was partial may be completed in place."""
    from treewright.pipeline import guess_input

    if "-" in (source, output) or os.path.realpath(source) != os.path.realpath(output):
        return
    if form != "mrg" and not form == guess_input(source) == "conllu":
        raise InputError(f"{output} is the input and would be overwritten; choose another name for the output")


def is_stream(source: str) -> bool:
    """Return whether a source can be read only once: standard input, or a pipe such as <(command)."""
    return source == "-" or (Path(source).exists() and not Path(source).is_file() and not Path(source).is_dir())


def is_folder(output: str) -> bool:
    return output != "-" and (output.endswith(("/", os.sep)) or Path(output).is_dir())


def output_in(folder: str, source: str, form: str) -> str:
    """Return the output of a source in a folder.

    >>> output_in("parsed/", "texts/letter.txt.gz", "conllu")
    'parsed/letter.conllu'
    """
    from treewright.corpus.files import extension_of

    name = "stdin" if source == "-" else Path(source).name
    stem = name[: name.lower().rfind(extension_of(name))] if extension_of(name) else name
    return str(Path(folder) / (stem + EXTENSIONS[form])) + os.sep * (not EXTENSIONS[form])


def check_jobs(jobs: Sequence[Job]) -> None:
    """Refuse two inputs with one output, and an output that is an input."""
    sources: dict[str, str] = {}
    inputs = {os.path.realpath(job.source): job.source for job in jobs if job.source != "-"}
    for source, output in jobs:
        if output in sources:
            raise InputError(
                f"{sources[output]} and {source} have the same output {output}; give them in two runs with two folders"
            )
        if os.path.realpath(output) in inputs:
            raise InputError(f"{output} is an input and would be overwritten; choose another folder")
        sources[output] = source


def each_job(jobs: Sequence[Job]) -> Iterator[Job]:
    """Yield the jobs one after another; an error ends them, after a note that counts the complete outputs."""
    for done, job in enumerate(jobs):
        try:
            yield job
        except BaseException:
            if len(jobs) > 1:
                note(f"stopped at {job.source}; the outputs of {done} of {len(jobs)} inputs are complete")
            raise


class Meter:
    """Progress on the terminal: the share of the bytes that are read, and the number of sentences."""

    def __init__(self, bar: Progress | None, start: Callable[[], None]) -> None:
        self._bar, self._start = bar, start  # None: nothing is shown
        self._has_started = False
        self._sentences = 0
        self._file: io.BufferedReader | None = None
        self._end = 0  # the bytes of all sources up to the end of the present one
        self._is_text = False

    def source(self, source: str, kind: str | None = None) -> str | io.BufferedReader:
        """Return the source; while progress is shown and its size is known, a file that reports what is read of it.

        Raw text may be read long before its sentences are parsed: there the sentences are measured, not the file.
        """
        size = size_of(source)
        if self._bar is None or size is None:
            return source
        from treewright.corpus.files import open_input

        self.close()
        self._end += size
        self._is_text = kind in TEXT_KINDS and not is_packed(source)
        if self._is_text:
            return source
        self._file = open_input(source, CountedFile(source, self._advance))
        return self._file

    def _advance(self, count: int) -> None:
        if self._bar is not None:
            self._bar.advance(self._bar.task_ids[0], count)

    def close(self) -> None:
        """Close the last source, if it was opened here."""
        if self._file is not None:
            self._file.close()

    def track(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Count sentences in passing. The clock of the summary starts with the first, after imports and loading."""
        for sentence in sentences:
            if not self._has_started:
                self._start()
                self._has_started = True
                if self._bar is not None:
                    self._bar.reset(self._bar.task_ids[0], completed=int(self._bar.tasks[0].completed))
            self._sentences += 1
            if self._bar is not None:
                self._bar.update(self._bar.task_ids[0], count=f"{self._sentences} sentences")
            if self._is_text:
                self._advance(len(sentence.text.encode()) + 1)  # and the space after it
            yield sentence
        if self._end and self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self._end)


def is_packed(source: str) -> bool:
    """Return whether a file is compressed; standard input counts as not compressed."""
    from treewright.corpus.files import MAGIC

    if source == "-":
        return False
    with open(source, "rb") as file:
        return file.read(6).startswith(tuple(MAGIC))


class CountedFile(io.FileIO):
    """A file, or standard input, that reports the bytes that are read."""

    def __init__(self, source: str, report: Callable[[int], None]) -> None:
        is_stdin = source == "-"
        super().__init__(sys.stdin.fileno() if is_stdin else source, closefd=not is_stdin)
        self.name = "<stdin>" if is_stdin else source
        self._report = report

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count = super().readinto(memoryview(buffer)[:STEP]) or 0
        self._report(count)
        return count


def size_of(source: str) -> int | None:
    """Return the bytes of a source that are not read yet; None for a pipe or a terminal."""
    try:
        status = os.fstat(sys.stdin.fileno()) if source == "-" else os.stat(source)
        begin = os.lseek(sys.stdin.fileno(), 0, os.SEEK_CUR) if source == "-" else 0
    except (OSError, ValueError):
        return None
    return status.st_size - begin if stat.S_ISREG(status.st_mode) else None


@contextmanager
def open_meter(
    sources: Sequence[str], *, quiet: bool, output: str, start: Callable[[], None] = lambda: None
) -> Iterator[Meter]:
    """Show a meter on standard error if that is a terminal, unless the output itself goes there.

    If the sizes of all sources are known, it shows the share of the bytes that are read, and the time left.
    """
    if quiet or not sys.stderr.isatty() or (output == "-" and sys.stdout.isatty()):
        yield Meter(None, start)
        return
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    sizes = [size_of(source) for source in sources]
    total = None if None in sizes else sum(size or 0 for size in sizes)
    columns = (SpinnerColumn(), TimeElapsedColumn()) if total is None else share_columns()
    with open_bar(*columns, TextColumn("{task.fields[count]}")) as bar:
        bar.add_task("", total=total, count="")
        meter = Meter(bar, start)
        try:
            yield meter
        finally:
            meter.close()


def each_file(
    jobs: Sequence[Job], *, skip_bad: bool = False, quiet: bool, output: str, start: Callable[[], None] = lambda: None
) -> Iterator[tuple[str, Iterator[Sentence]]]:
    """Yield each output with the sentences of its input, while a meter is shown; report those that are left out."""
    from treewright.corpus import read

    with open_meter([job.source for job in jobs], quiet=quiet, output=output, start=start) as meter:
        for source, target in each_job(jobs):
            with read(meter.source(source), on_error="skip" if skip_bad else "raise") as reader:
                yield target, meter.track(reader)
            note_skipped(reader.skipped, reader.errors)


@contextmanager
def show_share() -> Iterator[Callable[[float], None]]:
    """Show a bar with the time left on standard error, if that is a terminal; it is called with the share done."""
    with open_bar(*share_columns()) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda share: bar.update(task, completed=share)


def open_bar(*columns: ProgressColumn, quiet: bool = False) -> Progress:
    """Return a progress bar on standard error, which shows nothing unless that is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True, quiet=quiet, highlight=False, soft_wrap=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def share_columns() -> tuple[ProgressColumn, ...]:
    """Return columns: a bar, the share done and the time left."""
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

    return (BarColumn(), TaskProgressColumn(), TimeRemainingColumn(), TextColumn("left"))
