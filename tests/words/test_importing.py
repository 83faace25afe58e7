"""Vectors and classes of other programs: all formats give the same table; bad lines are named by file and line."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from treewright.errors import FormatError

WORDS = ["the", "dog", "café", "🙂", "new york"]
TABLE = np.array([[0.5, -1.0], [0.25, 0.125], [3.0, 1.5], [0.0, 0.0], [-2.0, 2.0]], np.float32)
ROUNDING = 2 / 127  # of eight bits, for numbers up to 2 in a row


def rows_of_text(table: np.ndarray = TABLE) -> str:
    return "".join(
        f"{word} {' '.join(map(str, row))}\n" for word, row in zip(WORDS, table.astype(float).tolist(), strict=True)
    )


def write_glove(path: Path) -> Path:
    path.write_text(rows_of_text(), encoding="utf-8")
    return path


def write_word2vec(path: Path) -> Path:
    path.write_text("5 2\n" + rows_of_text(), encoding="utf-8")
    return path


def write_windows(path: Path) -> Path:
    path.write_bytes(("5 2\n" + rows_of_text()).replace("\n", " \r\n").encode())
    return path


def write_gzip(path: Path) -> Path:
    path.write_bytes(gzip.compress(("5 2\n" + rows_of_text()).encode()))
    return path


FORMATS = [write_glove, write_word2vec, write_windows, write_gzip]


@pytest.mark.parametrize("write", FORMATS)
def test_every_format_gives_the_same_table(write: Callable[[Path], Path], tmp_path: Path) -> None:
    words = tw.Words.from_vectors(write(tmp_path / "vectors"))
    assert words.vocabulary == tuple(WORDS)
    np.testing.assert_allclose(words.vectors, TABLE, atol=ROUNDING)


def test_max_words_reads_the_first_ones(tmp_path: Path) -> None:
    for write in FORMATS:
        words = tw.Words.from_vectors(write(tmp_path / "vectors"), max_words=2)
        assert words.vocabulary == ("the", "dog")


def test_words_may_have_blanks_and_repeated_ones_are_counted(tmp_path: Path) -> None:
    notes: list[str] = []
    (tmp_path / "v.vec").write_text("The 1 2\ndog 1 1\n. . . 2 2\nthe 9 9\nTHE 8 8\n", encoding="utf-8")
    words = tw.Words.from_vectors(tmp_path / "v.vec", note=notes.append)
    assert words.vocabulary == ("the", "dog", ". . .")
    np.testing.assert_allclose(words.vectors[0], [1, 2], atol=ROUNDING)
    assert notes == [f"{tmp_path}/v.vec:4: the word 'the' has a vector already; 2 such words are left out"]


LONG = "".join(f"w{number} 1 2 3\n" for number in range(1, 2000))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", r"v\.vec: the file is empty; expected a word and its vector"),
        (b" \n\n", r"v\.vec: the file is empty; expected"),
        (LONG.encode() + b"short 1 2\n", r"v\.vec:2000: 2 numbers after 'short'; expected 3"),
        (LONG.encode() + b"long 1 2 3 4\n", r"v\.vec:2000: 4 numbers after 'long'; expected 3"),
        (LONG.encode() + b"odd 1 x 3\n", r"v\.vec:2000: 'x' is no number; expected a word and 3 numbers"),
        (LONG.encode() + b"odd 1 nan 3\n", r"v\.vec:2000: the vector of 'odd' has numbers that are not finite"),
        (LONG.encode() + b"odd 1 inf 3\n", r"v\.vec:2000: the vector of 'odd' has numbers that are not finite"),
        (LONG.encode() + b"\xff\xfe 1 2 3\n", r"v\.vec:2000: byte 1 of the line is not UTF-8"),
        (LONG.encode() + b" 1 2 3\n", r"v\.vec:2000: a vector without a word"),
        (b"It rains today.\nStay here.\n", r"v\.vec:1: 'It rains today\.' has no numbers after a word; expected"),
        (b"5 2\nthe 1 2\n", r"v\.vec: it has 1 vectors, its first line says 5; get the file again"),
        (b"5 0\nthe 1 2\n", r"v\.vec:1: 0 numbers a vector; expected 1 to 16384"),
        (b"PK\x03\x04rest of an archive", r"v\.vec: this is a zip archive; unpack it first"),
        (b"\x10\0\0\0\0\0\0\0{}              ", r"v\.vec: this is a model file; expected a word and its vector"),
        (gzip.compress(LONG.encode())[:-20], r"v\.vec: the gzip data is damaged or cut short"),
    ],
)
def test_a_bad_file_of_vectors_is_refused_by_place(text: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "v.vec").write_bytes(text)
    with pytest.raises(FormatError, match=message):
        tw.Words.from_vectors(tmp_path / "v.vec")


@pytest.mark.parametrize("text", ["00\tthe\t9\n01\tDog\t3\n01\tdog\t2\n", "the\t00\nDog\t01\ndog\t01\n"])
def test_both_orders_of_columns_of_classes_are_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "paths").write_bytes(gzip.compress(text.replace("\n", "\r\n").encode()))
    found = tw.Words.from_classes(tmp_path / "paths")
    assert dict(found.classes) == {"the": "00", "Dog": "01", "dog": "01"}
    assert [found.class_of(form) for form in ("The", "DOG", "cat")] == ["00", "01", ""]
    assert found.members("dog") == ["Dog", "dog"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", r"paths: the file has no word classes; expected lines of path, word and count"),
        (
            b"00\tthe\t1\n01 dog 1\n",
            r"paths:2: '01 dog 1'; expected lines of path, word and count",
        ),
        (b"00\tthe\t1\n" * 200 + b"02\tdog\t1\n", r"paths:201: neither '02' nor 'dog' is a path of 0 and 1"),
        (b"the\t0.5\ndog\t1\n", r"paths:1: neither 'the' nor '0\.5' is a path of 0 and 1; expected lines of path"),
        (b"00\t\xff\n", r"paths:1: byte 4 of the line is not UTF-8"),
    ],
)
def test_a_bad_file_of_classes_is_refused_by_place(text: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "paths").write_bytes(text)
    with pytest.raises(FormatError, match=message):
        tw.Words.from_classes(tmp_path / "paths")
