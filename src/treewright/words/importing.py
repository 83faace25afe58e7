"""Word vectors and classes of other programs: word2vec, GloVe, fastText, NumPy; Brown clusters.

| file | content |
|---|---|
| text of word2vec, fastText `.vec` | a line with the number of words and the size of vectors, then a line a word |
| text of GloVe | the same without the first line |
| binary of word2vec | the same first line, then each word, a blank and its vector as float32 |
| `vectors.npy` | a table of NumPy; `vectors.txt` beside it has the words, one a line |
| Brown clusters | lines of path, word and count, or of word and path, separated by tabs |

Text may be compressed. Words are lower-cased in canonical spelling; of words that are then the same the first is kept.
"""

from __future__ import annotations

import io
import os
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import open_input
from treewright.corpus.reader import shown
from treewright.corpus.typography import canonical
from treewright.errors import FormatError
from treewright.model.component import MAX_WEIGHT
from treewright.words.classes import Classes
from treewright.words.vectors import Vectors, key_of

ShareDone = Callable[[float], None]  # called with the share of the file that has been read

PEEK = 1 << 16  # bytes that decide between text and binary; by convention
GUESSED = 100  # lines that decide which column has the paths; by convention
MAX_SIZE = 1 << 14  # numbers of a vector; by convention, far above any use
EXPECTED = "expected a word and its vector: word2vec, GloVe, fastText .vec, or a .npy file with a .txt beside it"
MAGIC = {
    b"\xba\x16\x4f\x2f": "a binary model of fastText; fastText's print-word-vectors makes a .vec file of it",
    b"PK\x03\x04": "a zip archive; unpack it first",
}


@dataclass
class Skipped:
    """A kind of line of a file that needs a remark: how many there are, and the first."""

    what: str
    count: int = 0
    first: int = 0
    example: str = ""

    def add(self, line: int, word: str) -> None:
        """Count a line."""
        if not self.count:
            self.first, self.example = line, word
        self.count += 1

    def note(self, path: str | os.PathLike[str]) -> str:
        """The remark."""
        return f"{path}:{self.first}: {self.what.format(word=shown(self.example), count=self.count)}"


@dataclass
class Rows:
    """The words and vectors read so far."""

    path: str
    words: dict[str, None] = field(default_factory=dict)
    numbers: array[float] = field(default_factory=lambda: array("f"))
    size: int = 0
    repeated: Skipped = field(
        default_factory=lambda: Skipped("the word {word} has a vector already; {count} such words are left out")
    )
    with_blanks: Skipped = field(
        default_factory=lambda: Skipped("the word {word} has a blank; {count} such words are kept")
    )

    def add(self, line: int, word: str, numbers: array[float]) -> None:
        """Add a row, after a check of its numbers."""
        key = key_of(word)
        if not key.strip() or "\n" in key:
            problem = f"the word {shown(word)} has a line break" if key.strip() else "a vector without a word"
            raise FormatError(self.path, line, f"{problem}; {EXPECTED}")
        for number in numbers:
            if not abs(number) <= MAX_WEIGHT:
                problem = f"the vector of {shown(word)} has the number {number}; expected finite numbers"
                raise FormatError(self.path, line, problem)
        if key in self.words:
            self.repeated.add(line, word)
            return
        if " " in word:
            self.with_blanks.add(line, word)
        self.words[key] = None
        self.numbers.extend(numbers)

    def vectors(self) -> Vectors:
        """All rows."""
        if not self.words:
            raise FormatError(self.path, 0, f"the file has no vectors; {EXPECTED}")
        table = np.frombuffer(self.numbers, np.float32).reshape(len(self.words), self.size)
        return Vectors.of(tuple(self.words), table)

    def notes(self) -> list[str]:
        """Remarks for the user."""
        return [one.note(self.path) for one in (self.repeated, self.with_blanks) if one.count]


def read_vectors(
    path: str | os.PathLike[str], *, max_words: int | None = None, progress: ShareDone | None = None
) -> tuple[Vectors, list[str]]:
    """The vectors of a file, at most those of its first `max_words` lines, and remarks about them."""
    rows = Rows(os.fspath(path))
    with watched(path, progress) as file:
        opening = file.peek(PEEK)
        check_kind(rows.path, opening)
        if opening.startswith(b"\x93NUMPY"):
            return read_table(Path(path), max_words)
        first = opening.partition(b"\n")[0].rstrip(b"\r")
        header = header_of(first)
        if header is not None:
            file.readline()
            count, rows.size = header
            check_size(rows.path, rows.size)
            limit = count if max_words is None else min(count, max_words)
            is_text = is_text_row(opening[len(first) :].lstrip(b"\r\n"), rows.size)
            done = read_text(file, rows, 2, limit) if is_text else read_binary(file, rows, limit)
            if done < limit:
                problem = f"it has {done} vectors, its first line says {count}; get the file again"
                raise FormatError(rows.path, 0, problem)
        else:
            read_text(file, rows, 1, max_words)
    return rows.vectors(), rows.notes()


def watched(path: str | os.PathLike[str], progress: ShareDone | None) -> io.BufferedReader:
    """The bytes of a file, unpacked; `progress` is called while it is read."""
    if progress is None:
        return open_input(path)
    return open_input(path, WatchedFile(path, progress))


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
    for magic, kind in MAGIC.items():
        if opening.startswith(magic):
            raise FormatError(path, 0, f"this is {kind}")
    if opening[8:9] == b"{" and int.from_bytes(opening[:8], "little") < 1 << 32:
        raise FormatError(path, 0, f"this is a model file; {EXPECTED}")


def check_size(path: str, size: int) -> None:
    if not 1 <= size <= MAX_SIZE:
        raise FormatError(path, 1, f"{size} numbers a vector; expected 1 to {MAX_SIZE}")


def header_of(line: bytes) -> tuple[int, int] | None:
    """The number of words and of numbers a vector, if a first line is that of word2vec.

    >>> header_of(b"400000 100"), header_of(b"the 0.1 0.2")
    ((400000, 100), None)
    """
    fields = line.split()
    if len(fields) == 2 and all(field.isdigit() and len(field) < 12 for field in fields):
        return int(fields[0]), int(fields[1])
    return None


def is_text_row(data: bytes, size: int) -> bool:
    """Whether data begin with a line of text: a word and numbers. A line that is cut off counts if it has no others."""
    line, end, _ = data.partition(b"\n")
    fields = line.split(b" ")[1:]
    numbers = [field for field in fields[: None if end else -1] if field.strip()][-size:]
    return bool(numbers) and all(is_number(field) for field in numbers)


def is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def read_text(file: io.BufferedReader, rows: Rows, first: int, limit: int | None) -> int:
    """Add the rows of lines of text; returns their number."""
    done = 0
    for number, data in enumerate(file, first):
        if done == limit:
            break
        if not data.strip():
            continue
        word, numbers = text_row(rows, number, data)
        rows.add(number, word, numbers)
        done += 1
    return done


def text_row(rows: Rows, line: int, data: bytes) -> tuple[str, array[float]]:
    """The word and the vector of a line. The first line determines the size if no header does."""
    text = decoded(rows.path, line, data).rstrip(" \t\r\n")
    fields = text.replace("\t", " ").split(" ")
    if not rows.size:
        rows.size = trailing_numbers(fields)
        if rows.size == 0:
            raise FormatError(rows.path, line, f"{shown(text)} has no numbers after a word; {EXPECTED}")
        check_size(rows.path, rows.size)
    if len(fields) <= rows.size or trailing_numbers(fields[-rows.size - 1 :]) < rows.size:
        raise wrong_row(rows, line, fields)
    word = " ".join(fields[: -rows.size])
    if " " in word and trailing_numbers(["", *word.split(" ")]) > 0:
        raise wrong_row(rows, line, fields)  # too many numbers, rather than a word with a blank
    return word, array("f", map(float, fields[-rows.size :]))


def wrong_row(rows: Rows, line: int, fields: list[str]) -> FormatError:
    """The error for a line with another number of numbers, or with something else among them."""
    found = trailing_numbers(fields)
    if found == len(fields) - 1:
        return FormatError(rows.path, line, f"{found} numbers after {shown(fields[0])}; expected {rows.size}")
    wrong = next((field for field in reversed(fields) if not is_number(field.encode())), "")
    return FormatError(rows.path, line, f"{shown(wrong)} is no number; expected a word and {rows.size} numbers")


def trailing_numbers(fields: list[str]) -> int:
    """How many of the last fields are numbers; the first field is a word.

    >>> trailing_numbers([".", ".", "0.5", "1"]), trailing_numbers(["7", "0.5", "nan"])
    (2, 2)
    """
    found = 0
    for text in reversed(fields[1:]):
        if not is_number(text.encode()):
            break
        found += 1
    return found


def decoded(path: str, line: int, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        problem = f"byte {error.start + 1} of the line is not UTF-8; expected {EXPECTED.removeprefix('expected ')}"
        raise FormatError(path, line, problem) from None


def read_binary(file: io.BufferedReader, rows: Rows, limit: int) -> int:
    """Add the rows of a binary file of word2vec; returns their number."""
    width = 4 * rows.size
    for done in range(limit):
        word = b""
        while not word.endswith(b" "):
            character = file.read(1)
            if not character:
                return done
            word += character
            if len(word) > PEEK:
                raise FormatError(rows.path, 0, f"no blank after word {done + 1}; {EXPECTED}")
        data = file.read(width)
        if len(data) < width:
            return done
        numbers = array("f", np.frombuffer(data, "<f4").astype(np.float32).tobytes())
        rows.add(done + 2, decoded(rows.path, done + 2, word[:-1].lstrip(b"\n")), numbers)
    return limit


def read_table(path: Path, max_words: int | None) -> tuple[Vectors, list[str]]:
    """The vectors of a table of NumPy, with the words in a text file of the same name beside it."""
    beside = path.with_suffix(".txt")
    if not beside.is_file():
        raise FormatError(str(path), 0, f"there is no {beside} with the words of its rows, one a line")
    try:
        table = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise FormatError(str(path), 0, f"no table of NumPy ({error}); get the file again") from None
    if table.ndim != 2 or table.dtype.kind not in "fiu":
        raise FormatError(str(path), 0, f"{table.dtype}{list(table.shape)}; expected numbers [words, size]")
    check_size(str(path), table.shape[1])
    with open_input(beside) as file:
        words = [decoded(str(beside), line, data).strip("\r\n") for line, data in enumerate(file, 1)]
    if len(words) != len(table):
        raise FormatError(str(beside), 0, f"{len(words)} words, but {path} has {len(table)} vectors")
    rows = Rows(str(beside), size=table.shape[1])
    kept = table_rows(rows, words[:max_words])
    numbers = np.asarray(table[kept], dtype=np.float32)
    check_table(path, words, kept, numbers)
    if not rows.words:
        raise FormatError(str(path), 0, f"the file has no vectors; {EXPECTED}")
    return Vectors.of(tuple(rows.words), numbers), rows.notes()


def table_rows(rows: Rows, words: list[str]) -> NDArray[np.int64]:
    """The rows of a table that are kept: the first of each word."""
    kept = []
    for place, word in enumerate(words):
        before = len(rows.words)
        rows.add(place + 1, word, array("f"))
        if len(rows.words) > before:
            kept.append(place)
    return np.array(kept, np.int64)


def check_table(path: Path, words: list[str], kept: NDArray[np.int64], numbers: NDArray[np.float32]) -> None:
    is_bad = ~(np.abs(numbers) <= MAX_WEIGHT).all(axis=1)
    if is_bad.any():
        row = int(kept[is_bad.argmax()])
        raise FormatError(str(path), 0, f"row {row + 1}, {shown(words[row])}, has numbers that are not finite")


def read_classes(path: str | os.PathLike[str], *, progress: ShareDone | None = None) -> tuple[Classes, list[str]]:
    """The word classes of a file of Brown clusters, and remarks about it."""
    name = os.fspath(path)
    repeated = Skipped("the word {word} has a class already; {count} such words are left out")
    found: dict[str, str] = {}
    with watched(path, progress) as file:
        for line, word, bits in class_lines(name, file):
            key = canonical(word)
            if key in found:
                repeated.add(line, word)
            else:
                found[key] = bits
    if not found:
        raise FormatError(name, 0, "the file has no word classes; expected lines of path, word and count")
    return Classes.of(found.items()), [repeated.note(path)] * bool(repeated.count)


def class_lines(path: str, file: io.BufferedReader) -> Iterator[tuple[int, str, str]]:
    """Line, word and bit path."""
    lines = numbered_fields(path, file)
    opening = [row for row, _ in zip(lines, range(GUESSED), strict=False)]
    columns = [column for column in (0, 1) if all(is_path(fields[column]) for _, fields in opening)]
    if opening and not columns:
        line, fields = next(row for row in opening if not is_path(row[1][0]))
        wrong = f"neither {shown(fields[0])} nor {shown(fields[1])}" if len(fields) == 2 else shown(fields[0]) + " not"
        problem = f"{wrong} is a path of 0 and 1; expected lines of path, word and count, or of word and path"
        raise FormatError(path, line, problem)
    column = columns[0] if columns else 0
    for source in (opening, lines):
        for line, fields in source:
            if not is_path(fields[column]):
                raise FormatError(path, line, f"{shown(fields[column])} is no path of 0 and 1")
            yield line, fields[1 - column], fields[column]


def numbered_fields(path: str, file: io.BufferedReader) -> Iterator[tuple[int, list[str]]]:
    for line, data in enumerate(file, 1):
        text = decoded_classes(path, line, data).rstrip("\r\n")
        if not text:
            continue
        fields = text.split("\t")
        if len(fields) not in (2, 3) or not fields[0].strip() or not fields[1].strip():
            problem = f"{shown(text)}; expected path, word and count, or word and path, separated by tabs"
            raise FormatError(path, line, problem)
        yield line, fields


def decoded_classes(path: str, line: int, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        problem = f"byte {error.start + 1} of the line is not UTF-8; expected lines of path, word and count"
        raise FormatError(path, line, problem) from None


def is_path(text: str) -> bool:
    """Whether a text consists of 0 and 1."""
    return bool(text) and not text.strip("01")
