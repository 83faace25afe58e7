"""Code that all formats share: text in whole lines, the handling of errors, and the iterator that users get."""

from __future__ import annotations

import codecs
import io
import os
import re
import stat
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import IO, Any, Generic, TypeVar

from treewright.checks import describe_value
from treewright.corpus.files import Source, name_of, open_input
from treewright.errors import FormatError, InputError

CHUNK = 1 << 18  # bytes read at a time; not tuned
LONGEST_LINE = 1 << 26  # bytes without a line break, not tuned; longer input is not text
LONGEST_ITEM = 1 << 28  # characters of a sentence or tree, not tuned; a longer one lacks separators
KEPT_ERRORS = 100  # not tuned; further ones are only counted
OPENING = 1 << 10  # bytes in which a zero byte shows that a file is binary; not tuned
SHORTEST = 16  # bytes from which UTF-16 without a mark is recognised; not tuned
BINARY = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF": "a PDF document",
    b"\x7fELF": "a program",
    b"PK\x03\x04": "a ZIP archive or an office document",
}

_SURROGATE = re.compile("[\ud800-\udfff]")

T = TypeVar("T")


class Lines:
    """A file's text in pieces that end with a line break, the last one perhaps not.

    Bytes that are not UTF-8 become lone surrogates and set `suspect`: the error is then raised for the sentence
    that holds them, and those before it are read.
    """

    def __init__(self, source: Source) -> None:
        if isinstance(source, str) and "\n" in source and not os.path.exists(source):
            raise InputError(f"{shown(source)} is text; expected a path (read(io.StringIO(text)) reads text)")
        if not isinstance(source, (str, os.PathLike)) and not hasattr(source, "read"):
            raise TypeError(f"source is {describe_value(source)}; expected a path, '-' or an open file")
        self.name = name_of(source)
        self.suspect = False
        self.is_empty = True
        self._ours = isinstance(source, (str, os.PathLike)) and source != "-"
        self._file: IO[Any] = open_input(source) if isinstance(source, (str, os.PathLike)) else source
        # The sender at a terminal or pipe may wait for results before it sends more; a file can be read ahead.
        self.is_file = _is_file(self._file)

    def __iter__(self) -> Iterator[str]:
        read: Callable[[int], bytes | str] = getattr(self._file, "read1", self._file.read)
        held: list[Any] = []  # bytes, or strings of a file that is open as text
        length = 0
        while data := read(CHUNK):
            if self.is_empty:
                opening = data[:OPENING]
                check_is_text(encode_text(opening) if isinstance(opening, str) else opening, self.name)
            self.is_empty = False
            cut = (data.rfind("\n") if isinstance(data, str) else data.rfind(b"\n")) + 1
            if cut:
                yield self._decode([*held, data[:cut]])
                held, length = [], 0
            held.append(data[cut:])
            length += len(data) - cut
            if length > LONGEST_LINE:
                raise FormatError(self.name, 0, f"no line break in {length >> 20} MB; expected lines of text")
        if any(held):
            yield self._decode(held)

    def _decode(self, parts: list[Any]) -> str:
        if isinstance(parts[0], str):
            text = "".join(parts)
            if not _SURROGATE.search(text):
                return text
            data = encode_text(text)
        else:
            data = b"".join(parts)
        try:
            return data.decode()
        except UnicodeDecodeError:
            self.suspect = True
            return data.decode("utf-8", "surrogateescape")

    @property
    def share(self) -> float:
        """The share of a file on disk that has been read, 1 when it is closed; 0 for anything else."""
        if not (self._ours and self.is_file):
            return 0.0
        return 1.0 if self._file.closed else min(1.0, self._file.tell() / max(1, os.path.getsize(self.name)))

    def close(self) -> None:
        if self._ours:
            self._file.close()


def encode_text(text: str) -> bytes:
    """Return a text as bytes; lone surrogates become bytes that are not UTF-8."""
    return text.encode("utf-8", "surrogatepass")


def check_is_text(opening: bytes, name: str) -> None:
    """Refuse a file whose first bytes are those of a binary format, or of text that is not UTF-8."""
    first = opening[:OPENING]
    kind = next((kind for magic, kind in BINARY.items() if first.startswith(magic)), None)
    if first[6:9] == b"\0\0{":  # the end of eight bytes that hold the length of the index, and the index
        kind = "a model file"
    if first.startswith((b"\xff\xfe", b"\xfe\xff")) or _is_utf16(first):
        raise FormatError(name, 1, "text in UTF-16; expected UTF-8 (iconv -f UTF-16 -t UTF-8 converts it)")
    if kind is None and b"\0" in first and not _may_be_rows(first):
        kind = "a binary file, with zero bytes"
    if kind is not None:
        raise FormatError(name, 1, f"{kind}; expected text in UTF-8")


def _may_be_rows(data: bytes) -> bool:
    """Whether bytes may be comments and columns in UTF-8, in which a zero byte is odd but no error."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if error.start < len(data) - 3:  # else a character may be cut
            return False
    return b"\t" in data or data.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"#")


def _is_utf16(data: bytes) -> bool:
    """Whether every other byte is zero, as in UTF-16 without a mark: most of one half, none of the other."""
    zeros = sorted(half.count(0) for half in (data[::2], data[1::2]))
    return len(data) >= SHORTEST and zeros[0] == 0 and 4 * zeros[1] > len(data)


def _is_file(file: IO[Any]) -> bool:
    try:
        return stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except (OSError, AttributeError):
        return isinstance(file, (io.BytesIO, io.StringIO))


def nothing_in(lines: Lines, what: str) -> FormatError:
    """Return the error for a file without any sentence or tree."""
    content = "the file is empty" if lines.is_empty else "only blank lines and comments"
    return FormatError(lines.name, 0, f"{content}; expected at least one {what}")


def shown(text: str) -> str:
    """Return a text for a message: quoted, and shortened to 60 characters."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


ESCAPED_BYTES = range(0xDC80, 0xDD00)  # what "surrogateescape" makes of bytes that are not UTF-8


def check_utf8(text: str, source: str, line: int) -> None:
    """Raise a FormatError for the first byte, or character of a Python string, that is not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        line += text.count("\n", 0, error.start)
        where = error.start - text.rfind("\n", 0, error.start)
        code = ord(text[error.start])
        if code not in ESCAPED_BYTES:
            problem = f"character {where} is the lone surrogate U+{code:04X}, which no file can hold; replace it"
            raise FormatError(source, line, problem) from None
        byte = bytes([code - 0xDC00])
        if line == 1 and where == 1 and byte in (b"\xff", b"\xfe"):
            hint = "is it UTF-16? convert the file"
        elif "\0" in text:
            hint = "a binary file?"
        else:
            hint = f"in Latin-1 it would be {byte.decode('latin-1')!r}: convert the file"
        problem = f"byte 0x{byte.hex().upper()} at character {where} is not UTF-8; expected UTF-8 ({hint})"
        raise FormatError(source, line, problem) from None


class Problems:
    """The handling of bad input: raise the error, or count it and continue."""

    def __init__(self, on_error: str) -> None:
        if on_error not in ("raise", "skip"):
            raise ValueError(f"on_error is {on_error!r}; expected 'raise' or 'skip'")
        self._skip = on_error == "skip"
        self.skipped = 0
        self.errors: list[FormatError] = []

    def report(self, error: FormatError) -> None:
        if not self._skip:
            raise error
        self.skipped += 1
        if len(self.errors) < KEPT_ERRORS:
            self.errors.append(error)


class Reader(Generic[T]):
    """An iterator over the items of a file. Close it, or use it in a `with`, to stop before the end.

    `skipped` counts the items that on_error="skip" has left out so far, `errors` has the first hundred errors.
    """

    def __init__(self, lines: Lines, items: Iterator[T], problems: Problems) -> None:
        self._lines, self._items, self._problems = lines, items, problems

    @property
    def name(self) -> str:
        """The file's name, as messages give it."""
        return self._lines.name

    @property
    def share(self) -> float:
        """The share of the file that has been read; 0 if its size is not known."""
        return self._lines.share

    @property
    def skipped(self) -> int:
        """How many items on_error="skip" has left out so far."""
        return self._problems.skipped

    @property
    def errors(self) -> list[FormatError]:
        """The first hundred errors of the items left out."""
        return self._problems.errors

    def __iter__(self) -> Reader[T]:
        return self

    def __next__(self) -> T:
        try:
            return next(self._items)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file, if it was opened here."""
        self._lines.close()

    def __del__(self) -> None:
        self.close()

    def __enter__(self) -> Reader[T]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
