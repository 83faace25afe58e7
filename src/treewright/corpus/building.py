"""Sentences that come from no file: columns and multiword tokens as cells, without text that is parsed again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treewright.corpus.cells import MARK, Cells, find_rows, first_ids
from treewright.corpus.checks import check_cell, check_cells
from treewright.corpus.layout import CONLLU
from treewright.corpus.nodes import Token


def cells_of(columns: Mapping[str, Sequence[str]], heads: list[int], tokens: Sequence[Token]) -> Cells:
    """The cells of a new CoNLL-U sentence; a column that is not given holds "_"."""
    words = len(heads)
    for name, values in columns.items():
        if len(values) != words:
            raise ValueError(f"{name} has {len(values)} entries; the sentence has {words} words")
        check_cells(values, name)
    for token in tokens:
        _check_token(token, words)
    numbers = {"HEAD": ["_" if head < 0 else str(head) for head in heads]} if max(heads) >= 0 else {}
    if tokens:
        return _with_tokens({**columns, **numbers}, heads, sorted(tokens))
    fields = ["_"] * (words * CONLLU.width)
    for name, values in {"ID": first_ids(words), **columns, **numbers}.items():
        fields[CONLLU.index[name] :: CONLLU.width] = values
    return Cells(CONLLU, fields, None, heads)


def _with_tokens(columns: Mapping[str, Sequence[str]], heads: list[int], tokens: Sequence[Token]) -> Cells:
    """Each multiword token has a row before that of its first word."""
    rows: list[list[str]] = []
    begins: dict[int, list[Token]] = {}
    for token in tokens:
        begins.setdefault(token.first, []).append(token)
    for word in range(1, len(heads) + 1):
        for token in begins.get(word, ()):
            rows.append([f"{token.first}-{token.last}", token.form, *["_"] * 7, token.misc])
        row = [str(word), *["_"] * 9]
        for name, values in columns.items():
            row[CONLLU.index[name]] = values[word - 1]
        rows.append(row)
    fields = [cell for row in rows for cell in row]
    fields[CONLLU.width :: CONLLU.width] = [MARK + row[0] for row in rows[1:]]
    return Cells(CONLLU, fields, find_rows(fields, CONLLU), heads)


def _check_token(token: Token, words: int) -> None:
    check_cell(token.form, f"the token {token.first}-{token.last}")
    check_cell(token.misc, f"MISC of the token {token.first}-{token.last}")
    if not 1 <= token.first <= token.last <= words:
        raise ValueError(f"{token}: expected words from 1 to {words}")


def text_of(cells: Cells) -> str:
    """The lines of the rows, without a line break at the end: what `cells.cut` cuts."""
    return "\t".join(cells.fields).replace("\t" + MARK, MARK)
