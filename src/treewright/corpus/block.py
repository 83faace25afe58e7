"""The text of one sentence in a file: what comes before it, its comments, the lines of its words, blank lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from treewright.corpus.cells import MARK, BadRow, Rows, build, column_of, cut, join_rows
from treewright.corpus.graph import Token
from treewright.corpus.layout import CONLLU, Layout
from treewright.corpus.reader import shown
from treewright.errors import FormatError

BLANK_LINES = re.compile(r"\n(?:[ \t\r]*\n|[ \t\r]+\Z)+")
# What may stand before the first word: a byte order mark, blank lines, comments.
OPENING = re.compile(r"\ufeff?(?:[ \t\r]*\n|[ \t\r]+\Z|#[^\n]*(?:\n|\Z))*")


class Block(NamedTuple):
    """A sentence as it was read: text[start:end] are the lines of its words, `fields` their cells, row after row."""

    text: str
    start: int
    end: int
    layout: Layout
    fields: list[str]
    rows: Rows
    heads: list[int]

    def column(self, name: str) -> list[str]:
        """Return the words' cells of a column; "_" throughout if there is no such column."""
        number = self.layout.index.get(name)
        if number is None:
            return ["_"] * len(self.heads)
        return column_of(self.fields, self.layout.width, number, self.rows)

    def row(self, word: int) -> int:
        """Return the row of a word, counted from 0."""
        return word if self.rows is None else self.rows[word]

    def cell(self, row: int, name: str) -> str:
        """Return one cell."""
        number = self.layout.index.get(name)
        return "_" if number is None else self.fields[row * self.layout.width + number].removeprefix(MARK)

    def other_rows(self, sign: str) -> list[tuple[int, str]]:
        """Return row and id of the multiword tokens ("-") or the empty nodes (".")."""
        if self.rows is None or "ID" not in self.layout.index:
            return []
        ids = column_of(self.fields, self.layout.width, self.layout.index["ID"], None)
        return [(row, id_) for row, id_ in enumerate(ids) if sign in id_]

    def comments(self) -> list[str]:
        """Return the comments before the first word."""
        start = comment_start(self.text, self.start)
        return [line.removesuffix("\r") for line in self.text[start : self.start].split("\n")[:-1]]

    def put(self, fields: list[str], name: str, rows: Rows, values: Sequence[str]) -> None:
        """Write the values of a column into the cells of a sentence, in these rows or in all (None)."""
        width, number = self.layout.width, self.layout.index[name]
        if number == 0:  # every row but the first begins with a mark
            values = [MARK * (row > 0) + value for row, value in zip(rows or range(len(values)), values, strict=True)]
        if rows is None:
            fields[number::width] = values
            return
        for row, value in zip(rows, values, strict=True):
            fields[row * width + number] = value

    def rewrite(self, fields: list[str] | None, comments: list[str] | None) -> tuple[str, str, str]:
        """Return the text before the sentence's own lines, those lines with new cells and comments, the text after.

        fields are all cells, row after row; None if no cell has changed, and for comments if they have not.
        """
        start = comment_start(self.text, self.start)
        opening, body = self.text[start : self.start], self.text[self.start : self.end]
        if comments is not None and comments != self.comments():
            opening = comment_block(comments, newline_of(self.text))
        rows = body if fields is None else rewrite_rows(body, fields)
        return self.text[:start], opening + rows, self.text[self.end :]


class NewBlock:
    """A sentence that comes from no file. Its lines are assembled when they are needed, which is often never."""

    __slots__ = ("_assembled", "_columns", "_comments", "_tokens", "heads")

    def __init__(
        self, columns: Mapping[str, list[str]], heads: list[int], tokens: Sequence[Token], comments: list[str]
    ) -> None:
        self.heads = heads
        self._columns, self._tokens, self._comments = columns, tokens, comments
        self._assembled: Block | None = None

    layout = CONLLU

    def column(self, name: str) -> list[str]:
        """Return the words' cells of a column; "_" throughout if there is no such column."""
        if name in self._columns:
            return self._columns[name].copy()
        return ["_"] * len(self.heads) if name not in ("ID", "HEAD") else self.assemble().column(name)

    def comments(self) -> list[str]:
        """Return the comments before the first word."""
        return self._comments.copy()

    def other_rows(self, sign: str) -> list[tuple[int, str]]:
        """Return row and id of the multiword tokens ("-") or the empty nodes (".")."""
        return self.assemble().other_rows(sign) if self._tokens and sign == "-" else []

    def lines(self, columns: Mapping[str, list[str]], heads: list[int], comments: list[str] | None) -> str | None:
        """Return its lines with these columns in place of its own, and these comments, None for its own.

        None if they were assembled before, or if no file can hold them; `assemble` and `rewrite` say why.
        """
        if self._assembled is not None or not CONLLU.index.keys() >= columns.keys():
            return None
        try:
            fields, _ = build({**self._columns, **columns}, heads, self._tokens)
        except (ValueError, BadRow):
            return None
        return comment_block(self._comments if comments is None else comments) + join_rows(fields)

    def assemble(self) -> Block:
        """Return the same as if it had been read; raise ValueError or BadRow for what no file can hold."""
        if self._assembled is None:
            fields, rows = build(self._columns, self.heads, self._tokens)
            opening, body = comment_block(self._comments), join_rows(fields)
            end = len(opening) + len(body)
            text = f"{opening}{body}\n\n"
            self._assembled = Block(text, len(opening), end, CONLLU, fields, rows, self.heads)
        return self._assembled

    def __getattr__(self, name: str) -> Any:
        return getattr(self.assemble(), name)


def read_block(text: str, start: int, end: int, layout: Layout, source: str, line: int) -> Block:
    """Cut the lines text[start:end] into cells; a FormatError names source and line."""
    try:
        fields, rows, heads = cut(text[start:end], layout)
    except BadRow as error:
        raise FormatError(source, line + lines_before_row(text, start, end, error.row), error.problem) from None
    return Block(text, start, end, layout, fields, rows, heads)


def lines_before_row(text: str, start: int, end: int, row: int) -> int:
    """Return the number of lines of the text before a row; comments may stand between rows."""
    before = text.count("\n", 0, start)
    if text.find("\n#", start, end) < 0:
        return before + row
    lines = text[start:end].split("\n")
    return before + [number for number, line in enumerate(lines) if not line.startswith("#")][row]


def end_of_opening(text: str, position: int = 0) -> int:
    """Return where the line of the first word begins, or the end of the text."""
    match = OPENING.match(text, position)
    return match.end() if match else position


def comment_start(text: str, start: int) -> int:
    """Return where the comments of a sentence begin, whose words begin at `start`.

    Comments before a blank line are the file's.
    """
    while start > 0:
        line = text.rfind("\n", 0, start - 1) + 1
        line += text.startswith("\ufeff", line)
        if line == start or text[line] != "#":
            break
        start = line
    return start


def name_and_value(comment: str) -> tuple[str, str | None]:
    """Return the parts of "# name = value"; no value without an equals sign."""
    name, sign, value = comment[1:].partition("=")
    return name.strip(), value.strip() if sign else None


def set_comment(comments: list[str], name: str, value: str) -> None:
    """Put "# name = value" in the place of the comment of that name, or after the other comments."""
    line = f"# {name} = {value}"
    names = [name_and_value(comment)[0] for comment in comments]
    if name in names:
        comments[names.index(name)] = line
    else:
        comments.append(line)


def comment_block(comments: list[str], newline: str = "\n") -> str:
    """Return the comments as lines of a file."""
    for number, line in enumerate(comments):
        if not line.startswith("#") or "\n" in line:
            raise ValueError(f"comments[{number}] is {shown(line)}; expected one line that begins with #")
    return "".join(line + newline for line in comments)


def newline_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def rewrite_rows(body: str, fields: list[str]) -> str:
    """Return the lines of the words with new cells. Comments between them and the form of line breaks are kept."""
    rows = join_rows(fields)
    if "\r" not in body and "\n#" not in body:
        return rows
    new = iter(rows.split("\n"))
    return "\n".join(
        line if line.startswith("#") else next(new) + "\r" * line.endswith("\r") for line in body.split("\n")
    )
