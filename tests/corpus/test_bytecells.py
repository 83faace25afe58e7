"""Byte ranges as strings: every operation against Python's own on lists of strings."""

from __future__ import annotations

import random

import numpy as np
import pytest

from treewright.corpus.bytecells import ByteCells, buffer_of, spread

ALPHABET = ["a", "b", ":", "|", "é", "日本", "0", "7", "12345678", "abcdefgh"]


def cells_of(texts: list[str]) -> ByteCells:
    ends = np.cumsum([len(text.encode()) + 1 for text in texts], dtype=np.int64) - 1
    begins = np.concatenate([[0], ends + 1])[: len(ends)].astype(np.int64)
    return ByteCells(buffer_of("\t".join(texts).encode()), begins, ends)


def texts_of(cells: ByteCells) -> list[str]:
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
    monkeypatch.setattr("treewright.corpus.bytecells.MIX", np.uint64(0))
    codes, known = cells_of(["x", "yy", "x", ""]).codes()
    assert [known[code] for code in codes] == ["x", "yy", "x", ""]


def test_no_cells_at_all() -> None:
    none = cells_of([])
    assert none.equal(none).tolist() == []
    assert none.codes()[1] == []
    assert none.numbers().tolist() == []
    assert len(none.split("|")[0]) == 0
    assert spread(np.zeros(0, np.int64), np.zeros(0, np.int64)).tolist() == []
