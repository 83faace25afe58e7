"""Code that several commands use: options, notes, summaries, writing sentences."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import typer

from treewright.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from treewright.corpus import Sentence
    from treewright.corpus.sentence import ParseResult
    from treewright.errors import FormatError

WIDTH = 120  # minimum of columns of a table where the output is not a terminal; not tuned
MAX_NAMED = 3  # the number of errors that are printed in full; not tuned
T = TypeVar("T")


def check_output(output: Path) -> None:
    """Refuse a model file that cannot be written, before the training and not after it."""
    if str(output) == "-":
        raise typer.BadParameter("a model is a file; give it a name", param_hint="-o")
    if output.is_dir():
        raise InputError(f"{output}: a folder; give the name of a file, as in {output / 'model.tw'}")
    if not output.parent.is_dir():
        raise InputError(f"{output}: there is no folder {output.parent}; make it first")
    if not os.access(output if output.exists() else output.parent, os.W_OK):
        raise InputError(f"{output}: no permission to write it")


def make_folder(output: str) -> Path:
    """Make the folder of an output, unless it exists; a file or a device is refused."""
    folder = Path(output)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: a file; expected a folder")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


SENTENCE_EXTENSIONS = (".conllu", ".conllx", ".conll", ".tsv", ".txt")
PICTURES = {".svg": "svg", ".png": "png", ".html": "html", ".htm": "html"}  # forms by extension


def form_of(to: str | None, output: str, extensions: Mapping[str, str], default: str) -> str:
    """Return the output format: the one given, or by the output's extension, or the default."""
    from treewright.corpus.files import extension_of

    if to is not None:
        return to
    check_extension(output, tuple(extensions))
    return extensions.get(extension_of(output), default)


def check_extension(output: str, supported: Sequence[str]) -> None:
    """Refuse an output whose extension promises another format; a name without one, or with a number, is accepted."""
    from treewright.corpus.files import extension_of

    extension = extension_of(output)
    if extension and not extension[1:].isdecimal() and extension not in supported:
        raise InputError(f"{output}: {extension} is not a format of this command; supported are {', '.join(supported)}")


def read_text(path: str, what: str) -> str:
    """Read a file that a person has written."""
    try:
        return Path(path).read_text("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8; expected the text of {what}") from None


def note(text: str) -> None:
    """Print a line on standard error."""
    typer.echo(f"treewright: {text}", err=True)


def wide_console() -> Console:
    """Return a console for tables on standard output; where that is no terminal, no screen limits the width."""
    from rich.console import Console

    console = Console()
    return console if console.is_terminal else Console(width=max(console.width, WIDTH))


def first_of(texts: Sequence[object], count: int, separator: str) -> str:
    """Write the first of `count` things, and how many more there are."""
    more = f" and {count - MAX_NAMED} more" if count > MAX_NAMED else ""
    return separator.join(map(str, texts[:MAX_NAMED])) + more


def note_skipped(skipped: int, errors: list[FormatError]) -> None:
    """Report the sentences that --skip-bad left out."""
    if skipped:
        note(f"left out {quantity(skipped, 'bad sentence')}: {first_of(errors, skipped, '; ')}")


def note_long(places: Sequence[str]) -> None:
    """Report the sentences beyond the length limit, which were parsed in parts."""
    from treewright.parser.long_sentences import MAX_WHOLE

    if places:
        sentences = quantity(len(places), "sentence")
        note(f"parsed {sentences} of more than {MAX_WHOLE} words in parts: {first_of(places, len(places), ', ')}")


def quantity(number: int, what: str) -> str:
    """Write a number of things.

    >>> quantity(1, "word"), quantity(0, "word")
    ('1 word', '0 words')
    """
    return f"{number} {what}{'s' * (number != 1)}"


def quantity_by_name(name: str, number: int) -> str:
    """Write a number of things by the name of the count, which has a plural first.

    >>> quantity_by_name("heads_filled_in", 1), quantity_by_name("iterations", 2), quantity_by_name("without_tree", 1)
    ('1 head filled in', '2 iterations', '1 without tree')
    """
    first, *rest = name.split("_")
    what = quantity(number, first.removesuffix("s")) if first.endswith("s") else f"{number} {first}"
    return " ".join([what, *rest])


@dataclass
class Summary:
    """Counts of what a command did, updated sentence by sentence."""

    begin: float = field(default_factory=time.monotonic)
    sentences: int = 0
    words: int = 0
    trees: int = 0  # 0 for a command that makes none with certificates
    certified: int = 0  # trees with a certificate
    waited: float | None = None  # seconds in which sentences were awaited by `time`; None if it was not used
    climbs: int = 0  # by which a tree was found, at most; 0 without hill climbing
    gaps: list[str] = field(default_factory=list)  # the first sentences without a certificate, each with its gap
    further: dict[str, int] = field(default_factory=dict)

    def start(self) -> None:
        """Start the clock: when the first sentence is read, so that imports and the loading of models do not count."""
        self.begin = time.monotonic()

    def time(self, sentences: Iterable[T]) -> Iterator[T]:
        """Yield the sentences and measure how long they take, without what the caller does between them."""
        self.waited = self.waited or 0.0
        rest = iter(sentences)
        while True:
            before = time.monotonic()
            sentence = next(rest, None)
            self.waited += time.monotonic() - max(before, self.begin)  # `start` may have been called meanwhile
            if sentence is None:
                return
            yield sentence

    def count(self, sentence: Sized, certified: bool | None = None, **further: int) -> None:
        """Count a sentence."""
        self.sentences += 1
        self.words += len(sentence)
        if certified is not None:
            self.trees += 1
            self.certified += certified
        for name, value in further.items():
            self.further[name] = self.further.get(name, 0) + value

    def count_parse(self, sentence: Sentence, parse: ParseResult, **further: int) -> None:
        """Count a sentence with its tree."""
        self.count(sentence, parse.certified, **further)
        if parse.method == "climb":
            self.climbs = max(self.climbs, parse.iterations)
        elif not parse.certified and len(self.gaps) < MAX_NAMED:
            self.gaps.append(f"{sentence.sent_id or sentence.place} ({parse.status.removesuffix(', not certified')})")

    def as_dict(self) -> dict[str, Any]:
        """Return the counts, with the speed and the share of trees that are certified as the model's best."""
        seconds = time.monotonic() - self.begin if self.waited is None else self.waited
        share = {"certified": self.certified / self.trees} if self.trees else {}
        climbs = {"climbs": self.climbs} if self.climbs else {}
        return {
            "sentences": self.sentences,
            "words": self.words,
            **self.further,
            "seconds": round(seconds, 3),
            "words_per_second": round(self.words / max(seconds, 1e-9)),
            **share,
            **climbs,
        }

    def in_words(self) -> str:
        """Write the counts in one line."""
        counts = self.as_dict()
        pieces = [quantity(self.sentences, "sentence"), quantity(self.words, "word")]
        pieces += [quantity_by_name(name, value) for name, value in self.further.items()]
        pieces.append(f"{counts['words_per_second']} words a second")
        without = self.trees - self.certified
        if without and self.climbs:
            climbs = "1 climb" if self.climbs == 1 else f"up to {self.climbs} climbs"
            pieces.append(f"{quantity(without, 'tree')} not certified: the best of {climbs}")
        elif without:
            names = f": {first_of(self.gaps, without, ', ')}" if self.gaps else ""
            pieces.append(f"{quantity(without, 'tree')} not certified{names}")
        return ", ".join(pieces)

    def print(self, *, as_json: bool, quiet: bool, to_stdout: bool) -> None:
        """Print the counts: as JSON on standard output where that is free, everything else on standard error."""
        if as_json:
            typer.echo(json.dumps(self.as_dict()), err=not to_stdout)
        elif not quiet:
            note(self.in_words())


class KeptGraphs:
    """The DEPS cells of sentences on their way through a parser, to be set again; nothing is kept unless `is_on`."""

    def __init__(self, is_on: bool) -> None:
        self._is_on = is_on
        self._waiting: deque[Sentence] = deque()

    def keep(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Keep the cells of the sentences, and yield them unchanged."""
        for sentence in sentences:
            if self._is_on:
                self._waiting.append(sentence)
            yield sentence

    def restore(self, parsed: Sentence) -> None:
        """Set DEPS as it was. Sentences come in the order in which they were kept; one may come several times."""
        if self._is_on:
            from treewright.corpus.graph import copy_graph

            while self._waiting[0].place != parsed.place:
                self._waiting.popleft()
            copy_graph(parsed, self._waiting[0])


class Flushing:
    """A file that is flushed after each write."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, data: bytes) -> int:
        count = self._file.write(data)
        self._file.flush()
        return count


def write_sentences(sentences: Iterable[Sentence], output: str, part: str | None = None) -> None:
    """Write sentences one by one: to standard output, or to a file that appears when it is complete.

    part: a file that keeps the sentences if the process is interrupted.
    """
    from treewright.corpus import open_output, write

    check_extension(output, SENTENCE_EXTENSIONS)
    with open_output(output, part) as file:
        write(sentences, Flushing(file) if output == "-" else file)  # type: ignore[arg-type]


def write_lines(lines: Iterable[str], output: str) -> None:
    """Write texts with a line break after each: to standard output, or to a file that appears when it is complete."""
    from treewright.corpus import open_output

    with open_output(output) as file:
        target = Flushing(file) if output == "-" else file
        for line in lines:
            target.write(f"{line}\n".encode())
