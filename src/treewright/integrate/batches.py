"""A function from batches of texts to batches of parsed sentences, for libraries that map over tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from treewright.corpus import Document
from treewright.errors import InputError
from treewright.integrate.arrow import load_pyarrow, row_of, schema


@dataclass(frozen=True)
class BatchParser:
    """Parses the texts of a batch: a mapping of columns, or a table of pandas, Polars or Arrow; returns the same kind.

    The result has a row for each sentence, with the columns of `treewright.integrate.arrow.schema`; doc_id is that of
    the text in id_column. A text that is null has no sentences. It pickles, with the model.
    """

    parse_texts: Callable[..., Iterable[Document]]  # `Pipeline.pipe`
    column: str = "text"
    id_column: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, batch: Any) -> Any:
        arrow = load_pyarrow("map_batch")
        texts = ["" if is_null(text) else text for text in values_of(batch, self.column)]
        names = [None] * len(texts) if self.id_column is None else map(str, values_of(batch, self.id_column))
        documents = zip(names, self.parse_texts(texts, **self.options), strict=True)
        rows = [row_of(sentence, number, name) for name, text in documents for number, sentence in enumerate(text)]
        return like(batch, arrow.Table.from_pylist(rows, schema=schema()))


def values_of(batch: Any, column: str) -> list[Any]:
    """Return the values of a column of a batch."""
    names = list(getattr(batch, "column_names", getattr(batch, "columns", batch)))
    if column not in names:
        raise InputError(f"the batch has no column {column!r}; it has {', '.join(map(str, names)) or 'none'}")
    values = batch[column]
    for method in ("to_pylist", "tolist", "to_list"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)


def is_null(value: Any) -> bool:
    """Return whether a value is what some library has for a missing one.

    >>> is_null(None), is_null(float("nan")), is_null("None"), is_null("")
    (True, True, False, False)
    """
    return not isinstance(value, str) and str(value) in ("None", "nan", "<NA>")


def like(batch: Any, table: Any) -> Any:
    """Return an Arrow table as the library of a batch has it."""
    library = type(batch).__module__.partition(".")[0]
    if library == "pyarrow":
        return table
    if library == "pandas":
        return table.to_pandas()
    if library == "polars":
        return import_module("polars").from_arrow(table)
    return table.to_pydict()
