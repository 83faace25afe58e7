"""Level 1: line breaks, blank lines, comments, white space and Unicode normalisation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from treewright.checking.block import Block, Row
from treewright.checking.findings import Problem
from treewright.corpus.layout import CONLLU

SPACES_INSIDE = {"FORM", "LEMMA", "MISC"}  # the columns whose cells may have spaces
BAD_SPACE = re.compile(r"^\s|\s$|\s\s|[^\S ]")  # at an end, repeated, or another character than the space


def layout_problems(block: Block, is_first: bool, is_last: bool) -> Iterator[Problem]:
    yield from line_problems(block, is_first, is_last)
    for row in block.rows:
        yield from space_problems(row)
    for number, text in block.lines:
        if not unicodedata.is_normalized("NFC", text):
            yield Problem("unicode", number, "", "the line is not in normalisation form C (NFC)")


def line_problems(block: Block, is_first: bool, is_last: bool) -> Iterator[Problem]:
    """Check line breaks, blank lines and the place of comments."""
    first_number, first_text = block.lines[0]
    if is_first and first_text.startswith("\ufeff"):
        yield Problem("byte-order-mark", first_number, "", "a byte order mark; expected none")
    blank = [number for number, text in block.lines[:-1] if not text.strip()]
    last_row = block.rows[-1].line
    has_end = not block.lines[-1][1].strip() and bool(blank) and blank[-1] > last_row
    if is_last and not has_end:
        yield Problem("end-of-file", block.lines[-1][0], "", "the file ends without a blank line")
    for number in blank:
        if number != last_row + 1:
            yield Problem("blank-line", number, "", "a blank line that ends no sentence")
    for number, text in block.lines:
        if text.endswith("\r"):
            yield Problem("line-break", number, "", "the line ends with CR; expected LF alone")
            break  # it is the same in all lines
    for number, text in block.lines:
        if text.startswith("#") and block.first_line < number < last_row:
            yield Problem("comment-place", number, "", "a comment between words; expected before the first")
        if text and not text.strip() and text.strip("\r"):
            yield Problem("blank-line", number, "", "a line of white space; expected an empty line")


def space_problems(row: Row) -> Iterator[Problem]:
    """Check white space in cells."""
    for column, cell in zip(CONLLU.columns, row[1:], strict=True):
        if BAD_SPACE.search(cell):
            yield Problem("white-space", row.line, row.id, f"{column} {cell!r} has white space at an end, or repeated")
        elif " " in cell and column not in SPACES_INSIDE:
            yield Problem("white-space", row.line, row.id, f"{column} {cell!r} has a space")
