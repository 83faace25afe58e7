"""The files of a shard: sentences as rows of Parquet or as CoNLL-U. The same sentences give the same bytes."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from typing import IO, Any, Protocol

from treewright.corpus import Sentence
from treewright.corpus.confidence import write_confidence
from treewright.integrate.arrow import load_pyarrow, row_of, schema
from treewright.pipeline.certificate import set_certificate
from treewright.pipeline.reading import NEWDOC
from treewright.scale.plan import Plan

EXTENSIONS = {"parquet": ".parquet", "conllu": ".conllu.gz"}
BATCH_ROWS = 512  # rows that are converted at a time: as Python values they take ten times the memory; not tuned
GROUP_ROWS = 1 << 14  # rows of a row group of Parquet, about 300,000 words; not tuned
COMPRESSION_LEVEL = 6  # of gzip


class Part(Protocol):
    """A file that sentences are written to."""

    def write(self, sentence: Sentence, document: str, number: int) -> None:
        """Write a sentence; number is its place in its document, from 0."""

    def close(self) -> None:
        """Write what is held back; the file stays open."""


def open_part(file: IO[bytes], plan: Plan) -> Part:
    """Begin a part of the output of a plan."""
    if plan.settings.to == "parquet":
        return ParquetPart(file, metadata_of(plan))
    return ConlluPart(file, plan.settings.comment, plan.settings.confidence)


def metadata_of(plan: Plan) -> dict[str, str]:
    """Return the metadata of Parquet files, which say where the trees come from."""
    values = {"version": plan.version, "model": plan.model_sha256, "plan": plan.sha256, "licence": plan.licence}
    return {f"treewright.{name}": value for name, value in values.items()}


class ParquetPart:
    """A row for each sentence, see `treewright.integrate.arrow.schema`."""

    def __init__(self, file: IO[bytes], metadata: Mapping[str, str]) -> None:
        from pyarrow import parquet

        self._arrow = load_pyarrow("--to parquet")
        self._schema = schema().with_metadata(metadata)
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._rows: list[dict[str, Any]] = []
        self._group: list[Any] = []

    def write(self, sentence: Sentence, document: str, number: int) -> None:
        self._rows.append(row_of(sentence, number, document))
        if len(self._rows) == BATCH_ROWS:
            self._convert()
            if len(self._group) * BATCH_ROWS == GROUP_ROWS:
                self._write_group()

    def _convert(self) -> None:
        if self._rows:
            self._group.append(self._arrow.RecordBatch.from_pylist(self._rows, schema=self._schema))
        self._rows = []

    def _write_group(self) -> None:
        if self._group:
            table = self._arrow.Table.from_batches(self._group).combine_chunks()
            self._writer.write_table(table, row_group_size=GROUP_ROWS)
        self._group = []

    def close(self) -> None:
        self._convert()
        self._write_group()
        self._writer.close()


class ConlluPart:
    """CoNLL-U, compressed; a document begins with `# newdoc id`, and sentences are numbered in it."""

    def __init__(self, file: IO[bytes], comment: bool, confidence: bool) -> None:
        self._file = gzip.GzipFile("", "wb", COMPRESSION_LEVEL, file, mtime=0)  # no date: same input, same bytes
        self._comment, self._confidence = comment, confidence

    def write(self, sentence: Sentence, document: str, number: int) -> None:
        if sentence.sent_id is None or sentence.source == "<text>":
            sentence.sent_id = f"{document}-{number + 1}"
        others = [line for line in sentence.comments if not line.startswith(NEWDOC)]
        sentence.comments = [f"{NEWDOC} id = {document}", *others] if number == 0 else others
        if self._comment and sentence.parse is not None:
            set_certificate(sentence, sentence.parse)
        if self._confidence and sentence.head_confidence is not None:
            write_confidence(sentence)
        self._file.write(sentence.to_conllu().encode())

    def close(self) -> None:
        self._file.close()
