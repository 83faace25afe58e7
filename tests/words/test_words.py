"""Words: looking up forms, keeping a part, files."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from treewright.errors import InputError
from treewright.model import component
from treewright.words.classes import Classes
from treewright.words.vectors import Vectors

TABLE = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.0, 0.0]], np.float32)


def small() -> tw.Words:
    pairs = [("dog", "00"), ("cat", "00"), ("I", "01"), ("run", "1"), ("don't", "01")]
    return tw.Words(Vectors.of(["dog", "cat", "run", "don't"], TABLE), Classes.of(pairs))


def test_forms_are_looked_up_in_canonical_spelling_and_lower_case() -> None:
    words = small()
    assert [words.row(form) for form in ("dog", "DOG", "Don’t", "I", "")] == [0, 0, 3, -1, -1]
    assert [words.class_of(form) for form in ("Dog", "I", "i", "DON’T", "wug")] == ["00", "01", "", "01", ""]


def test_vectors_of_eight_bits_are_close() -> None:
    random = np.random.default_rng(1)
    table = random.standard_normal((200, 16)).astype(np.float32) * random.uniform(1e-3, 1e3, (200, 1)).astype(
        np.float32
    )
    found = Vectors.of([str(number) for number in range(200)], table)
    error = np.abs(found.numbers - table).max(axis=1)
    assert (error <= np.abs(table).max(axis=1) / 127 * 0.51).all()
    assert Vectors.of(found.vocabulary, found.numbers).codes.tobytes() == found.codes.tobytes()


def test_neighbours_are_ordered_by_cosine() -> None:
    found = small().neighbours("DOG", 2)
    assert [word for word, _ in found] == ["cat", "run"]
    assert found[0][1] == pytest.approx(0.9939, abs=1e-2)
    assert small().neighbours("wug") == []


def test_a_part_has_the_first_words_and_their_classes() -> None:
    part = small().keep(2)
    assert part.vocabulary == ("dog", "cat")
    assert dict(part.classes) == {"dog": "00", "cat": "00"}
    assert part.paths == ("00",)
    np.testing.assert_array_equal(part.vectors, small().vectors[:2])
    assert len(small().keep(1, classes=5).classes) == 5
    assert small().keep(100).to_arrays()[0] == small().to_arrays()[0]


def test_files_and_pickles_give_the_same_words(tmp_path: Path) -> None:
    for words in (small(), small().keep(0), tw.Words(Vectors(), Classes()), small().keep(0, classes=3)):
        words.save(tmp_path / "my.words")
        for again in (tw.Words.load(tmp_path / "my.words"), pickle.loads(pickle.dumps(words))):
            assert again.vocabulary == words.vocabulary
            assert again.classes == words.classes
            assert again.vectors.tobytes() == words.vectors.tobytes()
            assert (again.row("cat"), again.class_of("cat")) == (words.row("cat"), words.class_of("cat"))


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("vocabulary", np.frombuffer(b"dog\ndog\nrun\nshe", np.uint8), "vocabulary has a word twice"),
        ("vocabulary", np.frombuffer(b"dog\ncat", np.uint8), "do not have one entry a word"),
        ("scales", np.array([1, -1, 1, 1], np.float32), "scales has a number below zero"),
        ("scales", np.array([1, np.nan, 1, 1], np.float32), "scales has numbers that are not finite"),
        ("class_numbers", np.array([0, 1, 2, 3, 0], np.int32), "the number of a class that has no path"),
        ("class_numbers", np.array([0, 1], np.int32), "class_words and class_numbers do not have one entry a word"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(name: str, array: np.ndarray, message: str) -> None:
    header, arrays = small().to_arrays()
    with pytest.raises(InputError, match=f"my.words: .*{message}"):
        component.restore(tw.Words, "my.words", {"format": tw.Words.FORMAT, **header}, {**arrays, name: array})
