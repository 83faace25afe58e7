"""Byte ranges as strings: every operation against Python's own on lists of strings."""

from __future__ import annotations

import random

import numpy as np
import pytest

from treewright.evaluate.cells import Cells, buffer_of, spread
from treewright.evaluate.columns import from_conllu, from_sentences

ALPHABET = ["a", "b", ":", "|", "é", "日本", "0", "7", "12345678", "abcdefgh"]


def cells_of(texts: list[str]) -> Cells:
    ends = np.cumsum([len(text.encode()) + 1 for text in texts], dtype=np.int64) - 1
    begins = np.concatenate([[0], ends + 1])[: len(ends)].astype(np.int64)
    return Cells(buffer_of("\t".join(texts).encode()), begins, ends)


def texts_of(cells: Cells) -> list[str]:
    return [cells.text(i) for i in range(len(cells))]


def random_texts(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices(ALPHABET, k=rng.randrange(5))) for _ in range(count)]


@pytest.mark.parametrize("seed", range(5))
def test_operations_are_those_of_strings(seed: int) -> None:
    a, b = random_texts(300, seed), random_texts(300, seed + 100)
    one, other = cells_of(a), cells_of(b)
    assert texts_of(one) == a
    assert one.equal(other).tolist() == [x == y for x, y in zip(a, b, strict=True)]
    assert one.equal(cells_of(a)).all()
    assert texts_of(one.before(":")) == [text.partition(":")[0] for text in a]
    assert one.has("|").tolist() == ["|" in text for text in a]
    assert one.is_just("a").tolist() == [text == "a" for text in a]
    assert one.joined().tobytes().decode() == "".join(a)
    assert one.numbers().tolist() == [int(t) if t.isdecimal() and len(t) < 10 else -1 for t in a]
    pieces, counts = one.split("|")
    assert texts_of(pieces) == [piece for text in a for piece in text.split("|")]
    assert counts.tolist() == [len(text.split("|")) for text in a]
    codes, known = one.codes()
    assert [known[code] for code in codes] == a
    assert len(set(known)) == len(known)
    assert one.classify(lambda text: "b" in text).tolist() == ["b" in text for text in a]
    some = np.array([5, 3, 299])
    assert texts_of(one.take(some)) == [a[5], a[3], a[299]]


def test_equal_hashes_of_different_cells_do_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treewright.evaluate.cells.MIX", np.uint64(0))
    codes, known = cells_of(["x", "yy", "x", ""]).codes()
    assert [known[code] for code in codes] == ["x", "yy", "x", ""]


def test_no_cells_at_all() -> None:
    none = cells_of([])
    assert none.equal(none).tolist() == []
    assert none.codes()[1] == []
    assert none.numbers().tolist() == []
    assert len(none.split("|")[0]) == 0
    assert spread(np.zeros(0, np.int64), np.zeros(0, np.int64)).tolist() == []


ROW = "1\tRun\trun\tVERB\tVB\t_\t0\troot\t_\t_\n"


@pytest.mark.parametrize(
    "text",
    [
        ROW,  # no blank line at the end
        "\ufeff" + ROW + "\n",
        ROW + "\n\n",
        ROW + "# late\n" + ROW.replace("1\t", "2\t", 1) + "\n",
        ROW.replace("\t_\t_\n", "\t_\n") + "\n",  # nine columns
        ROW.replace("\t0\t", "\t_\t") + "\n",
        ROW.replace("\t0\t", "\t1\t") + "\n",  # its own head
        ROW.replace("\t0\t", "\t2\t") + "\n",
        ROW.replace("1\t", "2\t", 1) + "\n",
        ROW.replace("1\t", "x\t", 1) + "\n",
        ROW.replace("Run", "", 1) + "\n",
        ROW.replace("Run", " ", 1) + "\n",
        "1-2\tRun\t_\t_\t_\t_\t_\t_\t_\t_\n" + ROW + "\n",  # a token of two words over one
        "2-1\tRun\t_\t_\t_\t_\t_\t_\t_\t_\n" + ROW + "\n",
        "0.1\tRun\t_\t_\t_\t_\t_\t_\t_\t_\n\n",  # no word
        "# a comment alone\n\n",
        ROW.replace("run", "r\run") + "\n",
    ],
)
def test_the_fast_reader_leaves_odd_files_alone(text: str) -> None:
    assert from_conllu((ROW + "\n").encode(), "file") is not None
    assert from_conllu(text.encode(), "file") is None


def test_the_fast_reader_leaves_other_encodings_alone() -> None:
    assert from_conllu((ROW + "\n").replace("Run", "Zoë").encode("latin-1"), "file") is None


def test_no_sentence_is_an_error() -> None:
    with pytest.raises(ValueError, match="gold: there is no sentence; expected at least one"):
        from_sentences([], "gold", in_memory=True)
