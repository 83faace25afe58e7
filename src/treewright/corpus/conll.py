"""Reading and writing CoNLL-U, CoNLL-U Plus and CoNLL-X: sentences separated by blank lines.

A block is a sentence with the blank lines after it; comments and blank lines that belong to no sentence go with
the next one, at the end of a file with the last, so that the blocks together are the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from treewright.corpus.block import BLANK_LINES, end_of_opening
from treewright.corpus.files import extension_of
from treewright.corpus.layout import CONLLU, CONLLX, CONLLX_EXTENSIONS, CONLLX_WIDTHS, Layout
from treewright.corpus.reader import LONGEST_ITEM, Lines, Problems, check_utf8, nothing_in
from treewright.corpus.sentence import Sentence, read_sentence
from treewright.errors import FormatError

DECLARATION = "# global.columns"
PLAIN_TEXT = re.compile(r"^[^\W\d]\S*(?: +\S|[.!?。！？]$)", re.M)  # a line begins with a word, and goes on or ends


def sentences(lines: Lines, format: str | None, problems: Problems, check: str) -> Iterator[Sentence]:
    """Yield the sentences of a file; report what cannot be read to `problems`."""
    layout = None
    line = 1
    for text, start, end in _sentence_blocks(lines):
        if layout is None:
            layout = layout_of(lines.name, format, text, start)
        try:
            if lines.suspect:
                check_utf8(text, lines.name, line)
            sentence = read_sentence(text, start, end, layout, lines.name, line)
            if check != "format":
                sentence.check(check)
        except FormatError as error:
            problems.report(_with_hint(error, text, line))
        else:
            yield sentence
        line += text.count("\n")
    if layout is None:
        problems.report(nothing_in(lines, "sentence"))


def _sentence_blocks(lines: Lines) -> Iterator[tuple[str, int, int]]:
    """Yield every block that has words, with the place of their lines: text[start:end]."""
    lead = ""
    waiting: tuple[str, int, int] | None = None
    for text, end in _blocks(lines):
        start = end_of_opening(text)
        if start >= len(text):
            lead += text
            continue
        if waiting:
            yield waiting
        waiting = (lead + text, len(lead) + start, len(lead) + end)
        lead = ""
        if not lines.is_file:
            yield waiting
            waiting = None
    if waiting:
        text, start, end = waiting
        yield text + lead, start, end


def _blocks(lines: Lines) -> Iterator[tuple[str, int]]:
    """Yield the text between runs of blank lines, such a run included, and where the run begins."""
    text = ""
    unseen = 0  # blank lines cannot begin before this
    for piece in lines:
        text += piece
        begin = 0
        for blank in BLANK_LINES.finditer(text, unseen):
            if blank.end() == len(text) and lines.is_file:
                unseen = blank.start() - begin  # the run may go on in the next piece
                break
            yield text[begin : blank.end()], blank.start() - begin
            begin = blank.end()
        else:
            unseen = max(0, len(text) - begin - 1)
        text = text[begin:]
        if len(text) > LONGEST_ITEM:
            problem = f"no blank line in {len(text) >> 20} MB; expected one after every sentence"
            raise FormatError(lines.name, 0, problem)
    if text:
        last = BLANK_LINES.search(text, unseen)
        yield text, last.start() if last else len(text) - text.endswith("\n")


def layout_of(name: str, format: str | None, text: str, start: int) -> Layout:
    """Return the columns of a file, from its format or, without one, from its name and its first sentence."""
    if text.startswith("(", start):
        line = 1 + text.count("\n", 0, start)
        raise FormatError(name, line, "a bracketed tree; expected columns (treewright.read_trees reads brackets)")
    opening = text[:start].lstrip("\ufeff")
    if format == "conllup" or (format is None and opening.startswith(DECLARATION)):
        first, _, _ = opening.partition("\n")
        columns = tuple(first.partition("=")[2].split())
        if not opening.startswith(DECLARATION) or not columns:
            raise FormatError(name, 1, f"{first!r}; expected the first line to be '{DECLARATION} = ID FORM ...'")
        if len(set(columns)) < len(columns):
            raise FormatError(name, 1, f"{first!r}; expected each column once")
        return Layout("conllup", columns)
    old = extension_of(name) in CONLLX_EXTENSIONS and "#" not in opening
    if format == "conllx" or (format is None and old):
        width = text[start:].partition("\n")[0].count("\t") + 1
        return Layout("conllx", CONLLX.columns[:width]) if width in CONLLX_WIDTHS else CONLLX
    return CONLLU


def _with_hint(error: FormatError, text: str, line: int) -> FormatError:
    """Recognise plain text, and a file that was cut short: it ends in the middle of a line."""
    if "\t" not in text and PLAIN_TEXT.search(text):
        problem = "plain text, without tabs; expected CoNLL-U (`treewright parse en FILE` reads plain text)"
        return FormatError(error.source, error.line, problem)
    if not text.endswith("\n") and error.line == line + text.count("\n"):
        problem = f"{error.problem} (the file ends here without a line break: cut short?)"
        return FormatError(error.source, error.line, problem)
    return error
