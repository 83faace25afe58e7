"""Marks that a treebank writes apart from words are found where a text attaches them."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.pipelines import written

from treewright.corpus import Sentence
from treewright.learn import Learning
from treewright.tokeniser import Tokeniser, TokeniserOptions
from treewright.tokeniser.spacing import attach_marks
from treewright.tokeniser.tokeniser import treebank_labels

SMALL = TokeniserOptions(learning=Learning(bits=14, epochs=3, rate=0.2), boundaries=Learning(bits=14, epochs=2))


def apart(sentence: Sentence) -> Sentence:
    """The sentence with blanks around every word."""
    return Sentence.from_words(sentence.forms, upos=sentence.upos, text=" ".join(sentence.forms))


def test_a_treebank_with_blanks_before_marks_teaches_marks_without_them() -> None:
    tokeniser = Tokeniser.train([apart(sentence) for sentence in written(80, 3)], options=SMALL)
    for text in ("the dog sees a house.", "the dog sees a house ."):
        assert [sentence.forms for sentence in tokeniser(text)] == [["the", "dog", "sees", "a", "house", "."]]


def test_marks_that_are_attached_stay() -> None:
    text, labels = treebank_labels(written(20, 1))
    same, same_labels = attach_marks(text, labels, 1)
    assert same == text
    assert np.array_equal(same_labels, labels)


@pytest.mark.parametrize("seed", range(5))
def test_only_blanks_are_removed_and_tokens_stay(seed: int) -> None:
    forms = ["He", "asked", ":", '"', "Why", "(", "me", ")", "?", '"', "No", "."]
    text, labels = treebank_labels([Sentence.from_words(forms, text=" ".join(forms))] * 10)
    attached, kept = attach_marks(text, labels, seed)
    assert attached.replace(" ", "") == text.replace(" ", "")
    assert len(attached) < len(text)
    ends = np.flatnonzero(kept) + 1
    tokens = [attached[begin:end].strip() for begin, end in zip([0, *ends[:-1]], ends, strict=True)]
    assert tokens == forms * 10
