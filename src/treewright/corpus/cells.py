"""The lines of a sentence, cut into cells and checked.

Cutting is one `replace` and one `split` for the whole sentence. Every line break is first made a cell boundary
followed by a mark, so that the cells of column c are `fields[c::width]`, and the ID column reads "1", mark "2",
mark "3", ...: if it equals that list, then the ids are right and every line has exactly `width` cells. Only a
sentence with multiword tokens, empty nodes or mistakes is examined line by line.
"""

from __future__ import annotations

from typing import NamedTuple

from treewright.corpus.layout import Layout
from treewright.corpus.reader import shown

MARK = "\n"
FIRST_IDS = ["1"] + [f"{MARK}{number}" for number in range(2, 1001)]


class BadRow(Exception):
    """A mistake in a row, counted from 0 without comments; the caller adds file and line and raises a FormatError."""

    def __init__(self, row: int, problem: str) -> None:
        super().__init__(row, problem)
        self.row = row
        self.problem = problem


class Numbers(dict[str, int]):
    """The value of a HEAD cell: its number, or -1 for "_". Numbers above the stored ones are computed on demand."""

    def __missing__(self, cell: str) -> int:
        if is_number(cell):
            return int(cell)
        raise KeyError(cell)


NUMBERS = Numbers({"_": -1} | {str(number): number for number in range(1001)})


class Cells(NamedTuple):
    """All cells of a sentence, row after row; which rows are words (None: all); the heads as numbers."""

    layout: Layout
    fields: list[str]
    rows: list[int] | None
    heads: list[int]
    has_comments: bool = False  # between the rows

    def words(self) -> int:
        return len(self.heads)

    def column(self, name: str) -> list[str]:
        """The words' cells of a column; "_" throughout if there is no such column."""
        number = self.layout.index.get(name)
        return ["_"] * self.words() if number is None else _column(self.fields, self.layout.width, number, self.rows)

    def row(self, word: int) -> int:
        return word if self.rows is None else self.rows[word]

    def cell(self, row: int, name: str) -> str:
        number = self.layout.index.get(name)
        return "_" if number is None else self.fields[row * self.layout.width + number].removeprefix(MARK)

    def other_rows(self, sign: str) -> list[tuple[int, str]]:
        """Row and id of the multiword tokens ("-") or the empty nodes (".")."""
        if self.rows is None or "ID" not in self.layout.index:
            return []
        ids = _column(self.fields, self.layout.width, self.layout.index["ID"], None)
        return [(row, id_) for row, id_ in enumerate(ids) if sign in id_]


def cut(body: str, layout: Layout) -> Cells:
    """The cells of the lines `body`, or a BadRow."""
    if "\r" in body:
        body = body.replace("\r\n", "\n").removesuffix("\r")
    has_comments = "\n#" in body
    if has_comments:
        body = "\n".join(line for line in body.split("\n") if not line.startswith("#"))
    width = layout.width
    fields = body.replace("\n", "\t" + MARK).split("\t")
    ids = fields[::width]
    words = len(ids)
    plain = ids == first_ids(words)
    if plain and len(fields) == words * width and layout.columns[0] == "ID":
        rows = None
    else:
        _check_width(body, fields, layout)
        rows = find_rows(fields, layout)
    heads = [-1] * words
    if "HEAD" in layout.index:
        heads = _read_heads(_column(fields, width, layout.index["HEAD"], rows), rows)
    elif rows is not None:
        heads = [-1] * len(rows)
    return Cells(layout, fields, rows, heads, has_comments)


def _column(fields: list[str], width: int, number: int, rows: list[int] | None) -> list[str]:
    cells = fields[number::width]
    if number == 0:
        cells = [cell.removeprefix(MARK) for cell in cells]
    return cells if rows is None else [cells[row] for row in rows]


def _check_width(body: str, fields: list[str], layout: Layout) -> None:
    lines = body.count("\n") + 1
    # Every line break is a mark; if all of them are in the first column, every line has the right width.
    if len(fields) == lines * layout.width and "".join(fields[:: layout.width]).count(MARK) == lines - 1:
        return
    for row, line in enumerate(body.split("\n")):
        width = line.count("\t") + 1
        if width != layout.width:
            hint = "; there are spaces where tabs should be" if width == 1 and len(line.split()) > 1 else ""
            found = f"{width} column{'s' * (width > 1)} in {shown(line)}"
            raise BadRow(row, f"{found}; expected the {layout.width} of {layout.format}, separated by tabs{hint}")


def find_rows(fields: list[str], layout: Layout) -> list[int]:
    """The rows that are words; a BadRow if a multiword token or an empty node is out of place."""
    if "ID" not in layout.index:
        return list(range(len(fields) // layout.width))
    ids = _column(fields, layout.width, layout.index["ID"], None)
    rows: list[int] = []
    next_id, last_of_token, minor = "1", 0, 0
    for row, id_ in enumerate(ids):
        if id_ == next_id:
            rows.append(row)
            next_id = str(len(rows) + 1)
            minor = 0
            continue
        kind, first, second = _read_id(id_)
        if kind == "token" and first == len(rows) + 1 and first > last_of_token and second >= first:
            last_of_token = second
        elif kind == "empty" and first == len(rows) and second > minor:
            minor = second
        else:
            raise BadRow(row, _wrong_id(id_, kind, len(rows), last_of_token))
    if not rows:
        raise BadRow(0, f"no words, only {shown(ids[0])}; expected a line whose ID is 1")
    if last_of_token > len(rows):
        ending = f"the sentence ends with word {len(rows)}"
        raise BadRow(len(ids) - 1, f"the last multiword token continues to word {last_of_token}; {ending}")
    return rows


def _read_heads(cells: list[str], rows: list[int] | None) -> list[int]:
    words = len(cells)
    try:
        heads = list(map(NUMBERS.__getitem__, cells))
        if max(heads) <= words:
            return heads
    except KeyError:
        pass
    word = next(word for word, cell in enumerate(cells) if not _is_head(cell, words))
    expected = f"0 (the root), a word from 1 to {words}, or _"
    row = word if rows is None else rows[word]
    raise BadRow(row, f"HEAD of word {word + 1} is {shown(cells[word])}; expected {expected}")


def _is_head(cell: str, words: int) -> bool:
    return cell == "_" or (is_number(cell) and int(cell) <= words)


def is_number(text: str) -> bool:
    """Plain digits, and not too many of them."""
    return text.isascii() and text.isdigit() and len(text) <= 9


def first_ids(words: int) -> list[str]:
    """The ID column of a sentence that has words only, as `cut` leaves it."""
    if words <= len(FIRST_IDS):
        return FIRST_IDS[:words]
    return FIRST_IDS + [f"{MARK}{number}" for number in range(len(FIRST_IDS) + 1, words + 1)]


def _read_id(id_: str) -> tuple[str, int, int]:
    """("word", 3, 0), ("token", 3, 4) for 3-4, ("empty", 8, 1) for 8.1, or ("", 0, 0)."""
    for kind, sign in (("token", "-"), ("empty", ".")):
        first, found, second = id_.partition(sign)
        if found and is_number(first) and is_number(second):
            return kind, int(first), int(second)
    return ("word", int(id_), 0) if is_number(id_) else ("", 0, 0)


def _wrong_id(id_: str, kind: str, words: int, last_of_token: int) -> str:
    found = f"ID {shown(id_)} follows word {words}" if words else f"ID {shown(id_)} comes first"
    if kind == "token" and words < last_of_token:
        return f"{found}; expected no token within the multiword token that ends with word {last_of_token}"
    if kind == "token":
        return f"{found}; expected a multiword token here to begin with {words + 1} and end with that or a later word"
    if kind == "empty":
        return f"{found}; expected empty nodes here to be {words}.1, {words}.2 and so on"
    return f"{found}; expected {words + 1}"
