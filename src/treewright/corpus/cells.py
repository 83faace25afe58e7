"""The lines of a sentence, cut into cells and checked; and the cells of sentences that come from no file.

Cutting is one `replace` and one `split` for the whole sentence. Every line break is first made a cell boundary
followed by a mark, so that the cells of column c are `fields[c::width]`, and the ID column reads "1", mark "2",
mark "3", ...: if it equals that list, then the ids are right and every line has exactly `width` cells. Only a
sentence with multiword tokens, empty nodes or mistakes is examined line by line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treewright.corpus.checks import check_cell, check_cells
from treewright.corpus.graph import Token, is_number
from treewright.corpus.layout import CONLLU, Layout
from treewright.corpus.reader import shown

MARK = "\n"
FIRST_IDS = ["1"] + [f"{MARK}{number}" for number in range(2, 1001)]

Rows = list[int] | None  # the rows that are words, if some are not


class BadRow(Exception):
    """A mistake in a row, counted from 0 without comments; the caller adds file and line and raises a FormatError."""

    def __init__(self, row: int, problem: str) -> None:
        super().__init__(row, problem)
        self.row = row
        self.problem = problem


class HeadNumbers(dict[str, int]):
    """The value of a HEAD cell: its number, or -1 for "_". Numbers above the stored ones are computed on demand."""

    def __missing__(self, cell: str) -> int:
        if is_number(cell):
            return int(cell)
        raise KeyError(cell)


HEAD_NUMBERS = HeadNumbers({"_": -1} | {str(number): number for number in range(1001)})


def cut(body: str, layout: Layout) -> tuple[list[str], Rows, list[int]]:
    """Return all cells of the lines `body`, row after row, the rows that are words, and the heads; or raise BadRow."""
    if "\r" in body:
        body = body.replace("\r\n", "\n").removesuffix("\r")
    if "\n#" in body:
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
    if "HEAD" in layout.index:
        heads = _read_heads(column_of(fields, width, layout.index["HEAD"], rows), rows)
    else:
        heads = [-1] * (words if rows is None else len(rows))
    return fields, rows, heads


def column_of(fields: list[str], width: int, number: int, rows: Rows) -> list[str]:
    """Return the cells of a column, of the given rows or of all."""
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
            columns = f"{width} column{'s' * (width > 1)} in {shown(line)}"
            raise BadRow(row, f"{columns}; expected the {layout.width} of {layout.format}, separated by tabs{hint}")


def find_rows(fields: list[str], layout: Layout) -> list[int]:
    """Return the rows that are words, or raise BadRow if a multiword token or an empty node is out of place."""
    if "ID" not in layout.index:
        return list(range(len(fields) // layout.width))
    ids = column_of(fields, layout.width, layout.index["ID"], None)
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


def _read_heads(cells: list[str], rows: Rows) -> list[int]:
    words = len(cells)
    try:
        heads = list(map(HEAD_NUMBERS.__getitem__, cells))
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


def first_ids(words: int) -> list[str]:
    """Return the ID column of a sentence that has words only, as `cut` leaves it."""
    if words <= len(FIRST_IDS):
        return FIRST_IDS[:words]
    return FIRST_IDS + [f"{MARK}{number}" for number in range(len(FIRST_IDS) + 1, words + 1)]


def _read_id(id_: str) -> tuple[str, int, int]:
    """Return ("word", 3, 0), ("token", 3, 4) for 3-4, ("empty", 8, 1) for 8.1, or ("", 0, 0)."""
    for kind, sign in (("token", "-"), ("empty", ".")):
        first, separator, second = id_.partition(sign)
        if separator and is_number(first) and is_number(second):
            return kind, int(first), int(second)
    return ("word", int(id_), 0) if is_number(id_) else ("", 0, 0)


def _wrong_id(id_: str, kind: str, words: int, last_of_token: int) -> str:
    place = f"ID {shown(id_)} follows word {words}" if words else f"ID {shown(id_)} comes first"
    if kind == "token" and words < last_of_token:
        return f"{place}; expected no token within the multiword token that ends with word {last_of_token}"
    if kind == "token":
        return f"{place}; expected a multiword token here to begin with {words + 1} and end with that or a later word"
    if kind == "empty":
        return f"{place}; expected empty nodes here to be {words}.1, {words}.2 and so on"
    return f"{place}; expected {words + 1}"


# -- sentences that come from no file


def build(columns: Mapping[str, Sequence[str]], heads: list[int], tokens: Sequence[Token]) -> tuple[list[str], Rows]:
    """Return the cells of a new CoNLL-U sentence and the rows of its words; a column that is not given holds "_"."""
    words = len(heads)
    for name, values in columns.items():
        if len(values) != words:
            raise ValueError(f"{name} has {len(values)} entries; the sentence has {words} words")
        check_cells(values, name)
    for token in tokens:
        _check_token(token, words)
    numbers = {"HEAD": ["_" if head < 0 else str(head) for head in heads]} if max(heads) >= 0 else {}
    fields = ["_"] * (words * CONLLU.width)
    for name, values in {"ID": first_ids(words), **columns, **numbers}.items():
        fields[CONLLU.index[name] :: CONLLU.width] = values
    if not tokens:
        return fields, None
    for token in sorted(tokens, reverse=True):  # each has a row before that of its first word
        start = (token.first - 1) * CONLLU.width
        fields[start:start] = [f"{token.first}-{token.last}", token.form, *["_"] * 7, token.misc]
    ids = column_of(fields, CONLLU.width, 0, None)
    fields[:: CONLLU.width] = [ids[0], *(MARK + id_ for id_ in ids[1:])]
    return fields, find_rows(fields, CONLLU)


def _check_token(token: Token, words: int) -> None:
    check_cell(token.form, f"the token {token.first}-{token.last}")
    check_cell(token.misc, f"MISC of the token {token.first}-{token.last}")
    if not 1 <= token.first <= token.last <= words:
        raise ValueError(f"{token}: expected words from 1 to {words}")


def join_rows(fields: list[str]) -> str:
    """Return the lines of the rows, without a line break at the end: what `cut` cuts."""
    return "\t".join(fields).replace("\t" + MARK, MARK)
