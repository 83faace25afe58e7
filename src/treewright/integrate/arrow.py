"""Sentences as an Arrow table, a row for each: the schema of Parquet files, which pandas, Polars and DuckDB read too.

Multiword tokens, empty nodes and MISC are not in the table; CoNLL-U has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.corpus import Sentence
from treewright.corpus.document import checked_sentences
from treewright.errors import InputError, MissingExtra

if TYPE_CHECKING:
    import pyarrow

MAX_WORDS = (1 << 15) - 1  # of a sentence: heads are 16-bit numbers
CELLS = {"lemma": "lemmas", "upos": "upos", "xpos": "xpos", "feats": "feats", "deprel": "deprels", "deps": "deps"}
LEVELS = 255  # of a probability in one byte


def load_pyarrow(purpose: str) -> Any:
    """Import pyarrow; a MissingExtra names what to install."""
    try:
        return import_module("pyarrow")
    except ImportError as error:
        raise MissingExtra("pyarrow", "arrow", purpose) from error


def schema() -> pyarrow.Schema:
    """Return the schema of tables of sentences.

    Cells that are "_" in all words of a sentence are null together; head is 0 for the root and -1 where it is not
    known. head_conf is the confidence of each head in steps of 1/255. begin and end are places in the text of the
    document. score, gap and certified are taken from the parse.
    """
    arrow = load_pyarrow("a table of sentences")
    texts = arrow.list_(arrow.string())
    return arrow.schema(
        [
            ("doc_id", arrow.string()),
            ("sentence", arrow.int32()),
            ("begin", arrow.int64()),
            ("end", arrow.int64()),
            ("text", arrow.string()),
            ("form", texts),
            ("lemma", texts),
            ("upos", texts),
            ("xpos", texts),
            ("feats", texts),
            ("head", arrow.list_(arrow.int16())),
            ("deprel", texts),
            ("deps", texts),
            ("head_conf", arrow.list_(arrow.uint8())),
            ("score", arrow.float64()),
            ("gap", arrow.float64()),
            ("certified", arrow.bool_()),
        ]
    )


def to_arrow(sentences: Iterable[Sentence], *, doc_id: str | None = None) -> pyarrow.Table:
    """Return an Arrow table of sentences, a row for each; doc_id: the id of their document.

    `treewright.integrate.arrow.schema` describes the columns. It needs the extra arrow.
    """
    arrow = load_pyarrow("to_arrow")
    rows = [row_of(sentence, number, doc_id) for number, sentence in enumerate(checked_sentences(sentences))]
    return arrow.Table.from_pylist(rows, schema=schema())


def row_of(sentence: Sentence, number: int, doc_id: str | None) -> dict[str, Any]:
    """Return the row of a sentence; number is its place in its document, from 0."""
    if len(sentence) > MAX_WORDS:
        raise InputError(f"{sentence.place}: {len(sentence)} words; a table holds sentences of up to {MAX_WORDS} words")
    row: dict[str, Any] = {"doc_id": doc_id, "sentence": number, "text": sentence.text, "form": sentence.forms}
    row |= dict(zip(("begin", "end"), extent(sentence), strict=True))
    row |= {name: filled(getattr(sentence, column)) for name, column in CELLS.items()}
    row["head"] = sentence.heads.tolist() if (sentence.heads >= 0).any() else None
    if sentence.head_confidence is not None:
        row["head_conf"] = np.rint(LEVELS * np.nan_to_num(sentence.head_confidence)).astype(np.uint8).tolist()
    if (parse := sentence.parse) is not None:
        row |= {"score": parse.score, "gap": parse.gap, "certified": parse.certified}
    return row


def extent(sentence: Sentence) -> tuple[int | None, int | None]:
    """Return the places of the first and after the last character; None where they are not known."""
    try:
        offsets = sentence.offsets()
    except InputError:
        return None, None
    return offsets[0][0], offsets[-1][1]


def filled(cells: Sequence[str]) -> list[str] | None:
    """Return the cells of a column; None if all are "_"."""
    return None if all(cell == "_" for cell in cells) else list(cells)


def from_arrow(table: Any) -> list[Sentence]:
    """Return the sentences of a table that `to_arrow` made, or of another one with a column form of lists of words.

    table: an Arrow table, or what offers one by Arrow's interface, such as a Polars frame or a DuckDB relation.
    Columns that are missing are empty, and others are ignored. Comments are `# sent_id`, of doc_id and sentence, and
    `# text`.
    """
    arrow = load_pyarrow("from_arrow")
    rows = arrow.table(table) if not isinstance(table, arrow.Table) else table
    if "form" not in rows.column_names:
        columns = ", ".join(rows.column_names) or "none"
        raise InputError(f"the table has no column form, with the words of each sentence; it has {columns}")
    names = [name for name in schema().names if name in rows.column_names]
    return [sentence_of(row) for row in rows.select(names).to_pylist()]


def sentence_of(row: Mapping[str, Any]) -> Sentence:
    """Return the sentence of a row."""
    columns = {column: row[name] for name, column in CELLS.items() if row.get(name) is not None}
    if row.get("head") is not None:
        columns["heads"] = row["head"]
    sentence = Sentence.from_words(row["form"] or (), sent_id=name_of(row), text=row.get("text"), **columns)
    if row.get("head_conf") is not None:
        sentence.head_confidence = np.array(row["head_conf"]) / LEVELS
    return sentence


def name_of(row: Mapping[str, Any]) -> str | None:
    """Return the sent_id of a row, which counts from 1; None if there is no number."""
    if row.get("sentence") is None:
        return None
    document = row.get("doc_id")
    number = row["sentence"] + 1
    return str(number) if document is None else f"{document}-{number}"
