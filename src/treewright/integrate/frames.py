"""Sentences as data frames of pandas: a row for each word, or for each sentence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from treewright.corpus import Sentence
from treewright.corpus.convert import COLUMNS, CONFIDENCE, load_package
from treewright.corpus.document import checked_sentences
from treewright.errors import InputError
from treewright.integrate.arrow import from_arrow, load_pyarrow, to_arrow

if TYPE_CHECKING:
    import pandas


def to_pandas(
    sentences: Sentence | Iterable[Sentence], per: Literal["word", "sentence"] = "word", *, doc_id: str | None = None
) -> pandas.DataFrame:
    """Return a pandas DataFrame of sentences with a row per word, or per sentence as `to_arrow` describes.

    Rows of words have the number of their sentence (from 0) if there are several, their cells, offsets (<NA> where they
    are not known) and probabilities. doc_id: the id of the document, for rows of sentences.
    """
    is_one = isinstance(sentences, Sentence)
    several = [sentences] if isinstance(sentences, Sentence) else sentences
    if per == "sentence":
        return to_arrow(several, doc_id=doc_id).to_pandas()
    if per != "word":
        raise InputError(f"per is {per!r}; expected 'word' or 'sentence'")
    frame = frame_of_words(several)
    return frame.drop(columns="sentence") if is_one else frame


def frame_of_words(sentences: Iterable[Sentence]) -> pandas.DataFrame:
    """Return a frame with a row for each word."""
    pandas = load_package("pandas", "to_pandas")
    rows: dict[str, list[Any]] = {"sentence": []}
    for number, sentence in enumerate(checked_sentences(sentences)):
        rows["sentence"] += [number] * len(sentence)
        for name, values in columns_of(sentence).items():
            rows.setdefault(name, []).extend(values)
    frame = pandas.DataFrame(rows)
    for name in ("begin", "end"):
        if name in frame:
            frame[name] = pandas.array(rows[name], dtype="Int64")  # integers, and <NA> where an offset is not known
    return frame


def columns_of(sentence: Sentence) -> dict[str, Sequence[Any]]:
    """Return what the rows of the words of a sentence have, by column."""
    words = len(sentence)
    columns: dict[str, Sequence[Any]] = {"id": range(1, words + 1), "form": sentence.forms}
    for name, attribute in COLUMNS.items():
        if name == "deprel":
            columns["head"] = sentence.heads.tolist()
        columns[name] = getattr(sentence, attribute)
    try:
        columns["begin"], columns["end"] = zip(*sentence.offsets(), strict=True)
    except InputError:
        columns["begin"] = columns["end"] = [None] * words
    for name in CONFIDENCE.values():
        probabilities = getattr(sentence, name)
        columns[name] = [math.nan] * words if probabilities is None else probabilities.tolist()
    return columns


def from_pandas(frame: pandas.DataFrame) -> list[Sentence]:
    """Return the sentences of a DataFrame that `to_pandas` made, with a row per word or per sentence.

    Rows of words need the columns id, which is 1 where a sentence begins, and form; other columns may be missing.
    """
    pandas = load_package("pandas", "from_pandas")
    if "form" not in frame:
        raise InputError(f"the frame has no column form; it has {', '.join(map(str, frame)) or 'none'}")
    if not len(frame):
        return []
    if not isinstance(frame["form"].iloc[0], str):
        return from_arrow(load_pyarrow("from_pandas").Table.from_pandas(frame, preserve_index=False))
    if "id" not in frame:
        raise InputError("the frame has no column id: the number of each word in its sentence, from 1")
    starts = (frame["id"] == 1).cumsum()
    return [sentence_of(rows, pandas) for _, rows in frame.groupby(starts.to_numpy(), sort=False)]


def sentence_of(rows: pandas.DataFrame, pandas: Any) -> Sentence:
    """Return the sentence of rows of words."""
    columns: dict[str, Any] = {
        column: ["_" if pandas.isna(cell) else cell for cell in rows[name]]
        for name, column in COLUMNS.items()
        if name in rows
    }
    if "head" in rows:
        columns["heads"] = rows["head"].fillna(-1).astype(int).tolist()
    sentence = Sentence.from_words(rows["form"].tolist(), **columns)
    for name in CONFIDENCE.values():
        if name in rows and rows[name].notna().any():
            setattr(sentence, name, np.array(rows[name], dtype=np.float64))
    return sentence
