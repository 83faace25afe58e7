"""`read` and `write`: the doors of the room."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import IO

from treewright.corpus import conll
from treewright.corpus.files import Source, open_output
from treewright.corpus.reader import Lines, Problems, Reader
from treewright.corpus.sentence import BLANK_LINES, CHECKS, Sentence

FORMATS = ("conllu", "conllup", "conllx")
BATCH = 1 << 18  # characters written at a time


def read(
    source: Source, format: str | None = None, *, check: str = "format", on_error: str = "raise"
) -> Reader[Sentence]:
    """Stream the sentences of a file: a path, an open file, or "-" for standard input; gzip, xz, zstd are unpacked.

    format: "conllu", "conllup" (its first line names the columns) or "conllx"; by extension and first line if None.
    check: what else must hold of each sentence (see Sentence.check). on_error: "raise" a FormatError that names
    file and line, or "skip" the sentence, count it in the reader's `skipped` and go on.

    >>> import io
    >>> file = io.StringIO("1\\tRun\\trun\\tVERB\\t_\\t_\\t0\\troot\\t_\\tSpaceAfter=No\\n\\n")
    >>> [sentence.forms for sentence in read(file)]
    [['Run']]
    """
    if format is not None and format not in FORMATS:
        raise ValueError(f"format {format!r}: expected one of {', '.join(FORMATS)}")
    if check not in CHECKS:
        raise ValueError(f"check {check!r}: expected one of {', '.join(CHECKS)}")
    problems = Problems(on_error)
    lines = Lines(source)
    return Reader(lines, conll.sentences(lines, format, problems, check), problems)


def write(sentences: Iterable[Sentence], target: str | os.PathLike[str] | IO[bytes]) -> int:
    """Write sentences to a path ("-" is standard output) or a binary file; their number is returned.

    What was not changed is written as it was read, byte for byte. A path's file appears when it is complete.
    """
    if isinstance(target, (str, os.PathLike)):
        with open_output(target) as file:
            return _write(sentences, file)
    return _write(sentences, target)


def _write(sentences: Iterable[Sentence], file: IO[bytes]) -> int:
    count = 0
    for text in separated(sentences):
        file.write(text.encode())
        count += 1
    return count


def separated(sentences: Iterable[Sentence]) -> Iterator[str]:
    """The texts of sentences, with a blank line wherever a sentence's own file had none after it."""
    last = ""
    for sentence in sentences:
        text = sentence.written()
        if last:
            text = text.removeprefix("\ufeff")
            if not last.endswith("\n"):
                text = "\n\n" + text
            elif not _ends_with_blank_line(last):
                text = "\n" + text
        yield text
        last = text


def _ends_with_blank_line(text: str) -> bool:
    blank = BLANK_LINES.search(text, max(0, len(text) - 80))
    return blank is not None and blank.end() == len(text)
