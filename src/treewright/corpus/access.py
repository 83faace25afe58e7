"""Read and write files of sentences and trees."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from typing import IO, Any

from treewright.corpus import brackets, conll
from treewright.corpus.block import end_of_opening
from treewright.corpus.brackets import Tree
from treewright.corpus.checks import CHECKS
from treewright.corpus.files import Source, name_of, open_input, open_output
from treewright.corpus.layout import LAYOUTS, Layout
from treewright.corpus.reader import Lines, Problems, Reader
from treewright.corpus.sentence import Sentence, to_layout
from treewright.errors import InputError

FORMATS = ("conllu", "conllup", "conllx")


def read(
    source: Source, format: str | None = None, *, check: str = "format", on_error: str = "raise"
) -> Reader[Sentence]:
    """Stream the sentences of a source: a path, an open file, or "-" for standard input; gzip, xz, zstd are unpacked.

    format: "conllu", "conllup" (its first line names the columns) or "conllx"; by extension and first line if None.
    check: what else must hold of each sentence (see Sentence.check). on_error: "raise" a FormatError that names
    file and line, or "skip" the sentence, count it in the reader's `skipped` and continue.

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


def read_trees(source: Source, *, on_error: str = "raise") -> Reader[Tree]:
    """Stream the phrase-structure trees of a file in Penn brackets; source and on_error as in `read`.

    >>> import io
    >>> [tree.leaves() for tree in read_trees(io.StringIO("( (S (NP (NNS dogs)) (VP (VB run))))"))]
    [['dogs', 'run']]
    """
    problems = Problems(on_error)
    lines = Lines(source)
    return Reader(lines, brackets.trees(lines, problems), problems)


def format_of(source: str | os.PathLike[str] | IO[bytes]) -> str:
    """Return the format of a source (a path or an open file): "brackets", or one that `read` reads.

    An open file keeps its position.

    >>> format_of("sample.conllu")
    'conllu'

    To read standard input after that, open it once and use the open file:
    `file = open_input("-")`, `format_of(file)`, `read(file)`.
    """
    if isinstance(source, (str, os.PathLike)):
        with open_input(source) as file:
            return format_of(file)
    opening = source.peek(1 << 16).decode("utf-8", "replace")  # type: ignore[attr-defined]
    start = end_of_opening(opening)
    if opening.startswith("(", start):
        return "brackets"
    return conll.layout_of(name_of(source), None, opening, start).format


def write(
    items: Sentence | Tree | Iterable[Sentence | Tree],
    target: str | os.PathLike[str] | IO[bytes] | IO[str],
    format: str | None = None,
) -> int:
    """Write items (sentences or trees) to a target, a path ("-" is standard output) or an open file; return how many.

    What was not changed is written as it was read, byte for byte. A path's file appears when it is complete, packed
    if its name ends with .gz, .xz or .zst. format: "conllu" or "conllx" to convert sentences of another format.

    >>> import io
    >>> file = io.StringIO()
    >>> write(Sentence.from_words(["Run"], upos=["VERB"], heads=[0], deprels=["root"]), file)
    1
    >>> file.getvalue()
    '1\\tRun\\t_\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n'
    """
    if format is not None and format not in LAYOUTS:
        raise ValueError(f"format {format!r}: expected one of {', '.join(LAYOUTS)}")
    if isinstance(items, (str, os.PathLike)):
        raise InputError(f"items is {items!r}; the sentences are the first argument, the file is the second")
    texts = _texts([items] if isinstance(items, (Sentence, Tree)) else items, format)
    if isinstance(target, io.TextIOBase):
        return _write(texts, target)
    encoded = (text.encode() for text in texts)
    if isinstance(target, (str, os.PathLike)):
        with open_output(target) as file:
            return _write(encoded, file)
    return _write(encoded, target)


def _write(pieces: Iterable[Any], file: Any) -> int:
    count = 0
    for piece in pieces:
        file.write(piece)
        count += 1
    return count


def _texts(items: Iterable[Sentence | Tree], format: str | None) -> Iterator[str]:
    """Yield the text of each item so that it can follow the text before it."""
    last = ""
    layout: Layout | None = None
    ended: tuple[str, int] | None = None  # where the last tree ended: the next may stand on the same line
    for number, item in enumerate(items):
        if isinstance(item, Tree):
            text = item.written()
            apart = last[-1:].isspace() or text[:1].isspace() or (item.source, item.line) == ended
            gap = "" if apart else "\n"
            ended = (item.source, item.line + text.lstrip().count("\n"))
        elif not isinstance(item, Sentence):
            raise ValueError(f"item {number} is {item!r}; expected a Sentence or a Tree")
        else:
            sentence = item if format is None else to_layout(item, LAYOUTS[format])
            layout = layout or sentence.layout
            text = _with_declaration(sentence, layout, first=not last)
            gap = "" if _ends_with_blank_line(last) else "\n" if last.endswith("\n") else "\n\n"
        if last:
            # Only the byte order mark at the beginning of a file is one; others are characters of their files.
            text = gap + (text.removeprefix("\ufeff") if item.line == 1 else text)
        yield text
        last = text


def _with_declaration(sentence: Sentence, layout: Layout, first: bool) -> str:
    """Return its text; the line that declares columns stands at the beginning of the file, and there only."""
    if sentence.layout != layout:
        columns, others = " ".join(sentence.layout.columns), " ".join(layout.columns)
        raise InputError(f"{sentence.place}: its columns are {columns}; those before it have {others}")
    text = sentence.written()
    if layout.format != "conllup":
        return text
    declared = text.removeprefix("\ufeff").startswith(conll.DECLARATION)
    if first:
        return text if declared else f"{layout.declaration()}\n{text}"
    return text.partition("\n")[2] if declared else text


def _ends_with_blank_line(text: str) -> bool:
    last_line = text[text.rfind("\n", 0, len(text) - 1) + 1 :]
    return last_line.endswith("\n") and not last_line.strip(" \t\r\n")
