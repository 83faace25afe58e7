"""Word vectors and classes of other programs: word2vec, GloVe, fastText; Brown clusters.

| file | content |
|---|---|
| text of word2vec, fastText `.vec` | a line with the number of words and the size of vectors, then a line a word |
| text of GloVe | a line a word |
| Brown clusters | lines of path, word and count, or of word and path, separated by tabs |

Text may be compressed. Words are lower-cased in canonical spelling; of words that are then the same the first is kept.
"""

from __future__ import annotations

import io
import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from treewright.corpus import open_input
from treewright.corpus.reader import shown
from treewright.corpus.typography import canonical
from treewright.errors import FormatError
from treewright.model.component import MAX_WEIGHT
from treewright.words.classes import Classes
from treewright.words.vectors import Vectors, key_of

Note = Callable[[str], None]  # called with remarks for the user
ShareDone = Callable[[float], None]  # called with the share of the file that has been read
Row = tuple[int, str, bytes]  # the line of a word, the word, and its vector as float32

PEEK = 1 << 16  # bytes that show the kind of a file; not tuned
MAX_SIZE = 1 << 14  # numbers of a vector; far above any use
EXPECTED = "expected a word and its vector: word2vec (text), GloVe or fastText .vec"
EXPECTED_CLASSES = "expected lines of path, word and count, or of word and path, separated by tabs"
OTHER_FILES = {
    b"\xba\x16\x4f\x2f": "a binary model of fastText; fastText's print-word-vectors makes a .vec file of it",
    b"PK\x03\x04": "a zip archive; unpack it first",
}


def note_repeated(path: str, repeated: Sequence[tuple[int, str]], what: str, note: Note) -> None:
    """Remark on words, with their lines, that have a vector or class already; nothing without such words."""
    for line, word in repeated[:1]:
        note(f"{path}:{line}: the word {shown(word)} has a {what} already; {len(repeated)} such words are left out")


def read_vectors(
    path: str | os.PathLike[str], note: Note, *, max_words: int | None = None, progress: ShareDone | None = None
) -> Vectors:
    """Read the vectors of a file, at most those of its first `max_words` words."""
    name = os.fspath(path)
    with open_watched(path, progress) as file:
        opening = file.peek(PEEK)
        check_kind(name, opening)
        if header := header_of(opening.partition(b"\n")[0]):
            file.readline()
            rows = rows_after_header(name, file, *header)
        else:
            rows = text_rows(name, file, 1)
        return collect_vectors(name, islice(rows, max_words), note)


def collect_vectors(path: str, rows: Iterable[Row], note: Note) -> Vectors:
    """Join the rows, the first of each word, into one table."""
    lines: dict[str, int] = {}  # of each word
    numbers = array("f")
    repeated: list[tuple[int, str]] = []
    for line, word, row in rows:
        key = key_of(word)
        if not key.strip():
            raise FormatError(path, line, f"a vector without a word; {EXPECTED}")
        if key in lines:
            repeated.append((line, word))
            continue
        lines[key] = line
        numbers.frombytes(row)
    if not lines:
        raise FormatError(path, 0, f"the file has no vectors; {EXPECTED}")
    table = np.frombuffer(numbers, np.float32).reshape(len(lines), -1)
    is_bad = ~(np.abs(table) <= MAX_WEIGHT).all(axis=1)
    if is_bad.any():
        word, line = list(lines.items())[int(is_bad.argmax())]
        raise FormatError(path, line, f"the vector of {shown(word)} has numbers that are not finite")
    note_repeated(path, repeated, "vector", note)
    return Vectors.of(tuple(lines), table)


def open_watched(path: str | os.PathLike[str], progress: ShareDone | None) -> io.BufferedReader:
    """Open a file, unpacked if it is compressed; `progress` is called while it is read."""
    return open_input(path) if progress is None else open_input(path, WatchedFile(path, progress))


class WatchedFile(io.FileIO):
    """A file that reports the share of its bytes that have been read."""

    def __init__(self, path: str | os.PathLike[str], progress: ShareDone) -> None:
        super().__init__(path)
        self._size = max(os.fstat(self.fileno()).st_size, 1)
        self._progress = progress

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count = super().readinto(buffer) or 0
        self._progress(min(self.tell() / self._size, 1.0))
        return count


def check_kind(path: str, opening: bytes) -> None:
    """Refuse an empty file and files of other kinds."""
    if not opening.strip():
        raise FormatError(path, 0, f"the file is empty; {EXPECTED}")
    for magic, kind in OTHER_FILES.items():
        if opening.startswith(magic):
            raise FormatError(path, 0, f"this is {kind}")
    if opening[8:9] == b"{" and int.from_bytes(opening[:8], "little") < 1 << 32:
        raise FormatError(path, 0, f"this is a model file; {EXPECTED}")


def check_size(path: str, size: int) -> None:
    """Refuse vectors of another number of numbers than is sensible."""
    if not 1 <= size <= MAX_SIZE:
        raise FormatError(path, 1, f"{size} numbers a vector; expected 1 to {MAX_SIZE}")


def header_of(line: bytes) -> tuple[int, int] | None:
    """Return the number of words and of numbers a vector, if a first line is that of word2vec.

    >>> header_of(b"400000 100"), header_of(b"the 0.1 0.2")
    ((400000, 100), None)
    """
    fields = line.split()
    if len(fields) == 2 and all(field.isdigit() and len(field) < 12 for field in fields):
        return int(fields[0]), int(fields[1])
    return None


def rows_after_header(path: str, file: io.BufferedReader, count: int, size: int) -> Iterator[Row]:
    """Yield the rows of a text file of word2vec, whose first line says their number and size."""
    check_size(path, size)
    done = 0
    for row in islice(text_rows(path, file, 2, size), count):
        yield row
        done += 1
    if done < count:
        raise FormatError(path, 0, f"it has {done} vectors, its first line says {count}; get the file again")


def text_rows(path: str, file: Iterable[bytes], first_line: int, size: int = 0) -> Iterator[Row]:
    """Yield the rows of lines of text. The first one determines the size of vectors if it is not given."""
    for line, data in enumerate(file, first_line):
        text = decode(path, line, data, EXPECTED).rstrip(" \t\r\n")
        if not text:
            continue
        fields = text.replace("\t", " ").split(" ")
        numbers = trailing_numbers(fields)
        if not size:
            size = len(numbers)
            if not size:
                raise FormatError(path, line, f"{shown(text)} has no numbers after a word; {EXPECTED}")
            check_size(path, size)
        if len(numbers) != size:
            if len(numbers) == len(fields) - 1:
                problem = f"{len(numbers)} numbers after {shown(fields[0])}; expected {size}"
            else:
                other = fields[-len(numbers) - 1]
                problem = f"{shown(other)} is no number; expected a word and {size} numbers"
            raise FormatError(path, line, problem)
        yield line, " ".join(fields[:-size]), array("f", numbers).tobytes()


def trailing_numbers(fields: Sequence[str]) -> list[float]:
    """Return the numbers at the end of a line, whose first field is a word.

    >>> trailing_numbers([".", ".", "0.5", "1"]), trailing_numbers(["7", "0.5", "2"])
    ([0.5, 1.0], [0.5, 2.0])
    """
    numbers = []
    for field in reversed(fields[1:]):
        try:
            numbers.append(float(field))
        except ValueError:
            break
    return numbers[::-1]


def decode(path: str, line: int, data: bytes, expected: str) -> str:
    """Decode a line as UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise FormatError(path, line, f"byte {error.start + 1} of the line is not UTF-8; {expected}") from None


def read_classes(path: str | os.PathLike[str], note: Note, *, progress: ShareDone | None = None) -> Classes:
    """Read the word classes of a file of Brown clusters."""
    name = os.fspath(path)
    with open_watched(path, progress) as file:
        rows = list(class_rows(name, file))
    if not rows:
        raise FormatError(name, 0, f"the file has no word classes; {EXPECTED_CLASSES}")
    column = path_column(name, rows)
    repeated: list[tuple[int, str]] = []
    path_of: dict[str, str] = {}
    for line, fields in rows:
        word = canonical(fields[1 - column])
        if word in path_of:
            repeated.append((line, fields[1 - column]))
        else:
            path_of[word] = fields[column]
    note_repeated(name, repeated, "class", note)
    return Classes.of(path_of.items())


def class_rows(path: str, file: Iterable[bytes]) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the fields of each line."""
    for line, data in enumerate(file, 1):
        text = decode(path, line, data, EXPECTED_CLASSES).rstrip("\r\n")
        if not text:
            continue
        fields = text.split("\t")
        if len(fields) not in (2, 3) or not fields[0].strip() or not fields[1].strip():
            raise FormatError(path, line, f"{shown(text)}; {EXPECTED_CLASSES}")
        yield line, fields


def path_column(path: str, rows: Sequence[tuple[int, list[str]]]) -> int:
    """Return which of the first two columns has the bit paths."""
    wrong = [next((row for row in rows if row[1][column].strip("01")), None) for column in (0, 1)]
    if None in wrong:
        return wrong.index(None)
    line, fields = max(row for row in wrong if row)  # of the column that has paths in more lines
    problem = f"neither {shown(fields[0])} nor {shown(fields[1])} is a path of 0 and 1"
    raise FormatError(path, line, f"{problem}; {EXPECTED_CLASSES}")
