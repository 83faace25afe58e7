"""The documents of a piece of input, in units that are parsed, and rejected, each by itself."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from treewright.corpus import Sentence, read
from treewright.corpus.reader import check_is_text, check_utf8, shown
from treewright.errors import FormatError, InputError
from treewright.pipeline.reading import text_passages
from treewright.scale import files
from treewright.scale.plan import BLANK, NEWDOC, Content, Piece, Settings, Source, document_id, open_parquet

ROWS = 256  # rows of a table that are read at a time; not tuned
LINE = re.compile("[^\n]*\n|[^\n]+")
EXPECTED = "a text, or an object with a text or with words"


@dataclass(frozen=True)
class Unit:
    """A passage of a document, or a sentence that is split into words; it is parsed, or rejected, as a whole."""

    document: str  # its id
    content: str | Sentence
    begin: int = 0  # the place of a passage in the text of its document
    is_first: bool = True  # of its document

    @property
    def is_sentence(self) -> bool:
        return isinstance(self.content, Sentence)

    @property
    def text(self) -> str:
        return self.content if isinstance(self.content, str) else self.content.text


@dataclass(frozen=True)
class Rejection:
    """A unit that has no tree, and why."""

    document: str
    begin: int
    text: str
    reason: str
    is_first: bool = True  # of its document
    is_sentence: bool = False  # which has a number in its document

    def to_json(self) -> bytes:
        """Return the line of the file of rejected documents."""
        record = {"document": self.document, "begin": self.begin, "reason": self.reason, "text": self.text}
        return json.dumps(record).encode() + b"\n"


def reject(unit: Unit, reason: str) -> Rejection:
    """Reject a unit for a reason."""
    return Rejection(unit.document, unit.begin, unit.text, reason, unit.is_first, unit.is_sentence)


def read_piece(piece: Piece, source: Source, settings: Settings) -> Iterator[Unit | Rejection]:
    """Yield the units of a piece in order; what cannot be read is rejected.

    The id of a document is that of its table, JSON object or `# newdoc`. Other documents have the name of the input,
    with `#` and the place where they begin, in bytes or rows, if there are several.
    """
    if source.kind == "parquet":
        return table_units(piece, source.name, settings)
    with files.open_unpacked(source.name) as file:
        data = Content(file).read(piece.begin, piece.end - piece.begin)
    if piece.begin == 0:
        check_is_text(data, source.name)
        data = data.removeprefix(b"\xef\xbb\xbf")
    name = source.name if piece.is_whole else f"{source.name}#{piece.begin}"
    if source.kind == "conllu":
        return conllu_units(data, source.name, piece)
    if source.kind == "json":
        return json_units(data, source.name, piece.begin, settings)
    text = data.decode("utf-8", "surrogateescape")
    return passages_of(text, name) if source.kind == "text" else lines_of(text, name)


def passages_of(text: str, document: str) -> Iterator[Unit | Rejection]:
    """Yield the passages of a text, which end at blank lines."""
    is_first = True
    for passage in text_passages([text]):
        if passage is not None:
            yield checked(Unit(document, passage.text, passage.begin, is_first))
            is_first = False
    if is_first:
        yield Unit(document, "")


def lines_of(text: str, document: str) -> Iterator[Unit | Rejection]:
    """Yield the lines of a text, each a unit."""
    for line in LINE.finditer(text):
        yield checked(Unit(document, line[0], line.start(), line.start() == 0))


def checked(unit: Unit) -> Unit | Rejection:
    """Return a unit, or reject it if it is not UTF-8."""
    try:
        check_utf8(unit.text, unit.document, 1)
    except FormatError as error:
        return reject(unit, error.problem)
    return unit


# -- JSON lines and tables


def json_units(data: bytes, name: str, begin: int, settings: Settings) -> Iterator[Unit | Rejection]:
    """Yield the units of JSON lines: texts, objects with a text, or sentences as `--to json` writes them."""
    for line in io.BytesIO(data):
        document = f"{name}#{begin}"
        begin += len(line)
        if line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                text = line.decode("utf-8", "replace")
                yield Rejection(document, 0, text, f"no JSON ({error}); expected {EXPECTED}")
                continue
            yield from value_units(value, document, settings)


def value_units(value: Any, document: str, settings: Settings) -> Iterator[Unit | Rejection]:
    """Yield the units of a JSON value."""
    values = value if isinstance(value, dict) else {settings.text_column: value}
    given = values.get(settings.id_column or "id")
    document = document if given is None else str(given)
    text = values.get(settings.text_column)
    if "words" in values:
        try:
            yield Unit(document, Sentence.from_dict(values))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            yield Rejection(document, 0, json.dumps(value), f"{error}; expected words as `--to json` writes them")
    elif isinstance(text, str):
        yield from passages_of(text, document)
    else:
        problem = f"no text in {settings.text_column!r}: {shown(json.dumps(value))}; expected {EXPECTED}"
        yield Rejection(document, 0, json.dumps(value), problem)


def table_units(piece: Piece, name: str, settings: Settings) -> Iterator[Unit | Rejection]:
    """Yield the units of rows of a Parquet file; a text that is null is empty."""
    with open_parquet(name) as file:
        ids = settings.id_column or ("id" if "id" in file.schema_arrow.names else None)
        columns = [settings.text_column, *([ids] if ids else [])]
        row = 0
        for group in range(file.metadata.num_row_groups):
            end = row + file.metadata.row_group(group).num_rows
            if end <= piece.begin or row >= piece.end:
                row = end
                continue
            for batch in file.iter_batches(ROWS, row_groups=[group], columns=columns):
                for values in batch.to_pylist():
                    if piece.begin <= row < piece.end:
                        yield from row_units(values, f"{name}#{row}", settings.text_column, ids)
                    row += 1


def row_units(values: Mapping[str, Any], place: str, text_column: str, ids: str | None) -> Iterator[Unit | Rejection]:
    """Yield the units of a row; place is the id of its document if it has none."""
    document = place if ids is None or values[ids] is None else str(values[ids])
    text = "" if values[text_column] is None else values[text_column]
    if isinstance(text, str):
        yield from passages_of(text, document)
    else:
        yield Rejection(document, 0, repr(text), f"{text_column} is no text; choose another column by --text-column")


# -- CoNLL-U


def conllu_units(data: bytes, name: str, piece: Piece) -> Iterator[Unit | Rejection]:
    """Yield the sentences of a piece of CoNLL-U, each a unit."""
    document, goes_on = piece.document or name, piece.begin > 0
    begin = 0
    for end in [*(blank.end() for blank in BLANK.finditer(data)), len(data)]:
        block, begin = data[begin:end], end
        if not block.strip():
            continue
        if opening := NEWDOC.search(block):
            document = document_id(opening, name, piece.begin + begin - len(block))
        is_first = opening is not None or not goes_on
        goes_on = True
        try:
            [sentence] = read(io.BytesIO(block), "conllu")
        except (InputError, ValueError) as error:
            problem = error.problem if isinstance(error, FormatError) else str(error)
            yield Rejection(document, 0, block.decode("utf-8", "replace"), problem, is_first, is_sentence=True)
        else:
            yield Unit(document, sentence, is_first=is_first)
