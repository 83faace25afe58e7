"""The plan of a job: what is parsed, how, and in which shards. It is written once and decides the bytes of the output.

A shard is a list of pieces of input files, about `shard_size` megabytes of text. Pieces are byte ranges of the unpacked
content, or ranges of rows of a Parquet file; they end where documents or passages end.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, BinaryIO

from treewright.corpus.files import extension_of
from treewright.errors import InputError, MissingExtra
from treewright.pipeline.reading import BY_EXTENSION, guess_content
from treewright.scale import files
from treewright.scale.files import JOB, Folder
from treewright.streams import groups_of

PLAN = f"{JOB}/plan.json"
KINDS = ("text", "paragraphs", "lines", "conllu", "json", "parquet")
MEGABYTE = 1 << 20
WINDOW = 1 << 16  # bytes read at a time in search of the end of a piece; not tuned
MAX_WINDOW = 1 << 20  # bytes without a blank line after which a piece of running text ends with a line; not tuned
BLANK = re.compile(rb"\n[ \t\r]*\n")
NEWDOC = re.compile(rb"^# newdoc(?: id = ([^\r\n]*))?", re.MULTILINE)


@dataclass(frozen=True)
class Settings:
    """What the output depends on beside model and inputs. Each field is named as the option of `treewright parse`."""

    to: str = "parquet"
    input: str | None = None  # the kind of all inputs; None: by each extension, else by the first bytes
    text_column: str = "text"
    id_column: str | None = None  # None: id, if there is one
    fast: bool = False
    method: str = "exact"
    max_seconds: float = 2.0
    projective: bool | None = None
    all_arcs: bool = False
    confidence: bool = False  # in the MISC of CoNLL-U; Parquet always has the confidence of heads
    comment: bool = True  # of CoNLL-U
    document_seconds: float = 60.0  # time limit of a passage, plus a second for each thousand characters
    shard_size: float = 4.0  # megabytes of text; 700,000 words, or some minutes


@dataclass(frozen=True)
class Source:
    """An input file."""

    name: str
    kind: str
    size: int  # bytes, as it is stored


@dataclass(frozen=True)
class Piece:
    """A part of a source: bytes of its unpacked content, or rows of a table, from `begin` to before `end`."""

    source: int  # place in Plan.sources
    begin: int
    end: int
    size: int  # bytes of text, estimated for tables
    is_whole: bool  # the piece is the source
    document: str | None = None  # CoNLL-U: the id of the document that goes on from the piece before
    sentence: int = 0  # CoNLL-U: sentences of this document before the piece


@dataclass(frozen=True)
class Plan:
    """Model, settings and shards of a job."""

    version: str  # of Treewright
    model: str  # a name, or an absolute path or a URL
    model_sha256: str
    licence: str
    settings: Settings
    sources: Sequence[Source]
    shards: Sequence[Sequence[Piece]]

    def to_json(self) -> bytes:
        return json.dumps(asdict(self), ensure_ascii=False, indent=None, separators=(",", ":")).encode() + b"\n"

    @classmethod
    def from_json(cls, data: bytes) -> Plan:
        values = json.loads(data)
        values["settings"] = Settings(**values["settings"])
        values["sources"] = [Source(**source) for source in values["sources"]]
        values["shards"] = [[Piece(**piece) for piece in shard] for shard in values["shards"]]
        return cls(**values)

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.to_json()).hexdigest()

    def size(self, shard: int) -> int:
        """Return the bytes of text of a shard."""
        return sum(piece.size for piece in self.shards[shard])


def read_plan(folder: Folder) -> Plan | None:
    """Read the plan of a folder; None if it has none."""
    data = folder.read(PLAN)
    return None if data is None else Plan.from_json(data)


def check_same(folder: Folder, begun: Plan, now: Plan) -> None:
    """Refuse to continue a job with another model, other options or other inputs; the message names the difference."""
    remedy = "to continue, give what it was begun with; else choose another folder"
    for field in fields(Settings):
        before, after = getattr(begun.settings, field.name), getattr(now.settings, field.name)
        if before != after:
            option = "--" + field.name.replace("_", "-")
            raise InputError(f"{folder.name} was begun with {option} {shown(before)}, not {shown(after)}; {remedy}")
    if begun.version != now.version:
        raise InputError(f"{folder.name} was begun with Treewright {begun.version}, not {now.version}; {remedy}")
    if begun.model_sha256 != now.model_sha256:
        raise InputError(f"{folder.name} was begun with another MODEL ({begun.model}), not {now.model}; {remedy}")
    for before, after in zip(begun.sources, now.sources, strict=False):
        if before != after:
            files_differ = f"INPUT {before.name} ({before.size} bytes), not {after.name} ({after.size} bytes)"
            raise InputError(f"{folder.name} was begun with {files_differ}; {remedy}")
    if len(begun.sources) != len(now.sources):
        counts = f"{len(begun.sources)} inputs, not {len(now.sources)}"
        raise InputError(f"{folder.name} was begun with {counts}; {remedy}")


def shown(value: Any) -> str:
    """Write the value of an option for a message.

    >>> shown(2.0), shown(True), shown(None)
    ('2', 'on', 'not given')
    """
    if value is None:
        return "not given"
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def source_of(name: str, kind: str | None) -> Source:
    """Describe an input; its kind is the one given, or follows from its extension or its first bytes."""
    guess = "parquet" if extension_of(name) == ".parquet" else kind or BY_EXTENSION.get(extension_of(name))
    if guess is None:
        with files.open_unpacked(name) as file:
            opening = file.peek(WINDOW)
        guess = "parquet" if opening.startswith(b"PAR1") else guess_content(opening)
    if guess not in KINDS:
        raise InputError(f"{name}: {guess} is no input of a job in shards; expected {', '.join(KINDS)} (--input)")
    return Source(name, guess, files.size_of(name))


def shards_of(sources: Sequence[Source], settings: Settings) -> list[list[Piece]]:
    """Cut the sources into pieces, and put pieces that follow each other into shards."""
    size = max(1, int(settings.shard_size * MEGABYTE))
    pieces = (piece for place, source in enumerate(sources) for piece in pieces_of(place, source, settings, size))
    return list(groups_of(pieces, lambda piece: piece.size, size + size // 4))  # a piece ends somewhat after `size`


def pieces_of(place: int, source: Source, settings: Settings, size: int) -> Iterator[Piece]:
    """Cut a source into pieces of about `size` bytes of text."""
    if source.kind == "parquet":
        yield from row_pieces(place, source, settings, size)
        return
    with files.open_unpacked(source.name) as file, files.open_unpacked(source.name) as again:
        cuts = [0, *ends_of_pieces(Content(file), source.kind, size)]
        content = Content(again)
        document: str | None = None
        sentence = 0
        for begin, end in pairwise(cuts):
            piece = Piece(place, begin, end, end - begin, len(cuts) == 2, document, sentence)
            yield piece
            if source.kind == "conllu" and end < cuts[-1]:
                document, sentence = after_piece(content.read(begin, end - begin), piece, source.name)


class Content:
    """The unpacked content of a file. Where it is packed, the places that are read must not decrease."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._is_seekable = file.seekable()
        self._held, self._begin = b"", 0  # unpacked bytes from a place on
        self.end = 0  # of what was read last, or the end of the file before it

    def read(self, begin: int, count: int) -> bytes:
        """Read `count` bytes from the place `begin` on, or up to the end of the file."""
        return self._read_stored(begin, count) if self._is_seekable else self._read_packed(begin, count)

    def _read_stored(self, begin: int, count: int) -> bytes:
        begin = min(begin, self._file.seek(0, io.SEEK_END))
        self._file.seek(begin)
        data = self._file.read(count)
        self.end = begin + len(data)
        return data

    def _read_packed(self, begin: int, count: int) -> bytes:
        while self._begin + len(self._held) < begin + count and (data := self._file.read(files.STEP)):
            dropped = min(max(0, begin - self._begin), len(self._held))
            self._held, self._begin = self._held[dropped:] + data, self._begin + dropped
        wanted = self._held[max(0, begin - self._begin) :][:count]
        self.end = min(begin, self._begin + len(self._held)) + len(wanted)
        return wanted


def ends_of_pieces(content: Content, kind: str, size: int) -> Iterator[int]:
    """Yield the ends of pieces: the first places after `size` bytes and more where a document or a passage may end."""
    begin = 0
    while True:
        end, is_last = end_of_piece(content, kind, begin, size)
        if end > begin:
            yield end
        if is_last:
            return
        begin = end


def end_of_piece(content: Content, kind: str, begin: int, size: int) -> tuple[int, bool]:
    """Return the end of the piece from `begin` on, and whether the file ends there."""
    place, count = begin + size - 1, WINDOW
    while True:
        window = content.read(place, count)
        if cut := end_in(window, kind):
            return place + cut, False
        if len(window) < count:
            return content.end, True
        count *= 2


def end_in(window: bytes, kind: str) -> int:
    """Return the place after the first boundary in some bytes; 0 if there is none, or if it may go on behind them."""
    if kind in ("text", "conllu"):
        blank = BLANK.search(window)
        if blank and blank.end() < len(window):
            return blank.end()
        if kind == "conllu" or len(window) < MAX_WINDOW:
            return 0
    return window.find(b"\n") + 1


def after_piece(data: bytes, piece: Piece, name: str) -> tuple[str | None, int]:
    """Return the document that a piece of CoNLL-U ends in, and the number of its sentences so far."""
    openings = list(NEWDOC.finditer(data))
    if not openings:
        return piece.document, piece.sentence + len(BLANK.findall(data))
    last = openings[-1]
    block = max((blank.end() for blank in BLANK.finditer(data, 0, last.start())), default=0)
    return document_id(last, name, piece.begin + block), len(BLANK.findall(data, last.start()))


def document_id(opening: re.Match[bytes], name: str, place: int) -> str:
    """Return the id in a comment `# newdoc`, or else the name of the input and the place of the block in it."""
    return (opening[1] or b"").decode("utf-8", "replace").strip() or f"{name}#{place}"


def row_pieces(place: int, source: Source, settings: Settings, size: int) -> Iterator[Piece]:
    """Cut a Parquet file into ranges of rows, by the sizes of its row groups."""
    with open_parquet(source.name) as file:
        columns, table = file.schema_arrow.names, file.metadata
    for column in filter(None, (settings.text_column, settings.id_column)):
        if column not in columns:
            option = "--text-column" if column == settings.text_column else "--id-column"
            raise InputError(f"{source.name}: no column {column!r}; choose {option} from {', '.join(columns)}")
    leaf = next(i for i in range(table.num_columns) if table.schema.column(i).path == settings.text_column)
    begin = 0
    for group in range(table.num_row_groups):
        rows = table.row_group(group).num_rows
        stored = table.row_group(group).column(leaf).total_uncompressed_size
        step = max(1, rows * size // max(stored, 1))
        for first in range(begin, begin + rows, step):
            last = min(first + step, begin + rows)
            yield Piece(place, first, last, stored * (last - first) // rows, rows == table.num_rows <= step)
        begin += rows


@contextmanager
def open_parquet(name: str) -> Iterator[Any]:
    """Open a Parquet file for reading row groups."""
    try:
        from pyarrow import ArrowInvalid, parquet
    except ImportError:
        raise MissingExtra("pyarrow", "arrow", f"{name}: Parquet") from None
    with files.open_stored(name) as stored:
        try:
            file = parquet.ParquetFile(stored, pre_buffer=False, buffer_size=WINDOW)
        except ArrowInvalid as error:
            raise InputError(f"{name}: not a whole Parquet file ({error})") from None
        yield file


def largest_first(plan: Plan, numbers: Iterable[int]) -> list[int]:
    """Return numbers of shards, the largest first: no large one is left for the end, when other workers are idle."""
    return sorted(numbers, key=lambda number: (-plan.size(number), number))
