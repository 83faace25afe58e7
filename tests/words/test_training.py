"""Learning from text: words of one use, the same file for one seed and after an interruption, small texts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.errors import InputError
from treewright.words import WordsOptions
from treewright.words.options import resolve
from treewright.words.units import Units

NOUNS, VERBS = ["dog", "cat", "man", "bird", "horse"], ["sees", "eats", "hears", "finds"]
OPTIONS = WordsOptions(classes=5, size=4)


def sentences(count: int = 200, seed: int = 1) -> list[tw.Sentence]:
    random = np.random.default_rng(seed)

    def phrase() -> list[str]:
        return [str(random.choice(["the", "a"])), str(random.choice(NOUNS))]

    return [
        tw.Sentence.from_words([*phrase(), str(random.choice(VERBS)), *phrase(), str(random.choice([".", "!"]))])
        for _ in range(count)
    ]


def saved(words: tw.Words, folder: Path) -> bytes:
    words.save(folder / "saved.words")
    return (folder / "saved.words").read_bytes()


def test_words_of_one_use_share_a_class_and_are_neighbours() -> None:
    words = tw.Words.train(sentences(), options=OPTIONS)
    assert words.paths == tuple(dict.fromkeys(words.paths))
    for kind in (NOUNS, VERBS, [".", "!"]):
        assert len({words.class_of(word) for word in kind}) == 1
    assert words.class_of("the")[:-1] == words.class_of("a")[:-1]  # siblings in the tree
    assert len({words.class_of(word) for word in ("dog", "sees", "the", ".")}) == 4
    assert {word for word, _ in words.neighbours("dog", 4)} == set(NOUNS) - {"dog"}
    assert words.vocabulary[0] in ("the", "a")
    assert words.members("dog", 3) == [word for word in words.classes if word in NOUNS][:3]


def test_rare_and_unknown_words_have_the_class_of_their_shape() -> None:
    text = [*sentences(), *(tw.Sentence.from_words(["the", f"{stem}ing", "sees", "Tom", "."]) for stem in "bcdfghjklm")]
    words = tw.Words.train(text, options=OPTIONS)
    assert "sing" not in words.classes
    assert words.row("sing") == -1
    assert words.class_of("sing") != ""
    assert words.class_of("swimming") == words.class_of("sing")


def test_one_seed_gives_one_file(tmp_path: Path) -> None:
    files = {saved(tw.Words.train(sentences(), options=OPTIONS, seed=3), tmp_path) for _ in range(2)}
    assert len(files) == 1


class StopError(Exception):
    pass


def test_an_interrupted_training_ends_with_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treewright.model.checkpoint.CHECKPOINT_TIME_SHARE", 1e9)  # every state is saved
    reports: list[Any] = []
    expected = saved(tw.Words.train(sentences(), options=OPTIONS, report=reports.append), tmp_path)
    assert {report.stage for report in reports} == {"word classes", "class tree", "vectors"}
    for stop in range(len(reports)):
        checkpoint = tmp_path / f"{stop}.checkpoint"
        left = [stop]

        def count(report: Any, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise StopError

        with pytest.raises(StopError):
            tw.Words.train(sentences(), options=OPTIONS, report=count, checkpoint=checkpoint)
        again = tw.Words.train(sentences(), options=OPTIONS, checkpoint=checkpoint, resume=True)
        assert saved(again, tmp_path) == expected
    with pytest.raises(InputError, match="the checkpoint of another training: other training data"):
        tw.Words.train(sentences(50), options=OPTIONS, checkpoint=checkpoint, resume=True)


def test_sentences_are_read_once() -> None:
    def stream() -> Iterator[tw.Sentence]:
        yield from sentences(50)

    assert tw.Words.train(stream(), options=OPTIONS).size == 4


def test_a_part_only_is_learned_where_the_other_is_not_wanted() -> None:
    assert tw.Words.train(sentences(50), options=WordsOptions(classes=0, size=3)).paths == ()
    assert tw.Words.train(sentences(50), options=WordsOptions(classes=3, size=0)).size == 0


def test_small_texts_have_fewer_classes_and_smaller_vectors() -> None:
    assert resolve(WordsOptions(), 50_000) == WordsOptions(classes=1000, size=64)
    assert resolve(WordsOptions(), 300) == WordsOptions(classes=30, size=30)
    assert resolve(WordsOptions(classes=7, size=5), 3) == WordsOptions(classes=7, size=5)


def test_texts_that_are_too_small_are_refused() -> None:
    with pytest.raises(InputError, match="the training data has no words"):
        tw.Words.train([])
    with pytest.raises(InputError, match="50 word classes are too many for 13 different words"):
        tw.Words.train(sentences(50), options=WordsOptions(classes=50))
    with pytest.raises(InputError, match="vectors of 50 numbers are too long for 13 different words; give fewer"):
        tw.Words.train(sentences(50), options=WordsOptions(classes=0, size=50))


def test_half_of_a_surrogate_pair_is_refused_before_the_training() -> None:
    text = [*sentences(20), tw.Sentence.from_words(["a", "\ud83d", "\ud83d"])]
    with pytest.raises(InputError, match=r"the training data has the word '\\ud83d', which has half of a surrogate"):
        tw.Words.train(text, options=OPTIONS)


def test_units_are_words_by_frequency_and_shapes_of_rare_words() -> None:
    units = Units.of([["A", "b", "a", "B", "a"], [], ["Xing", "9", "😀", "<b>"]], 2)
    assert units.names == ("a", "<a>", "b", "<0>", "<A>")
    assert units.is_shape == (False, True, False, True, True)
    assert units.text.tolist() == [5, 0, 2, 0, 2, 0, 5, 4, 3, 1, 1, 5]
    assert units.counts.tolist() == [3, 2, 2, 1, 1, 2]


@pytest.mark.parametrize("chunk", [1, 3, 100])
def test_pairs_are_counted_by_their_definition(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treewright.words.units.CHUNK", chunk)
    units = Units.of([sentence.forms for sentence in sentences(8)], 1)
    text = units.text.tolist()
    table = np.zeros((units.edge + 1, units.edge + 1))
    for first, second in pairwise(text):
        table[first, second] += 1
    found = np.zeros_like(table)
    first, second, counts = units.bigrams()
    found[first, second] = counts
    np.testing.assert_array_equal(found, table)
