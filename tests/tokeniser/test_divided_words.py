"""Words that are divided at the ends of lines by a hyphen are one token; compounds keep their hyphen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.tokeniser import Tokeniser, rebuild_text
from treewright.tokeniser.text import Text


def forms(tokeniser: Tokeniser, text: str) -> list[str]:
    return [form for sentence in tokeniser(text) for form in sentence.forms]


@pytest.mark.parametrize("line_break", ["\n", "\r\n", " \n", "\n    ", "\u2028"])
def test_a_divided_word_is_one_token_with_its_place_and_spelling(line_break: str) -> None:
    text = f"The inter-{line_break}est rates rose."
    [sentence] = Tokeniser()(text)
    assert sentence.forms == ["The", "interest", "rates", "rose", "."]
    assert sentence.text == "The interest rates rose."
    assert f"TokenRange=4:{text.index('est') + 3}" in sentence.misc[1]
    assert rebuild_text([sentence]) == text


def test_a_word_may_be_divided_twice() -> None:
    assert forms(Tokeniser(), "the inter-\nna-\ntional law") == ["the", "international", "law"]


@pytest.mark.parametrize(
    "text", ["well-\nKnown", "3-\nfold", "well -\nknown", "well- known", "well-\n\nknown", "-\nknown"]
)
def test_other_hyphens_stay(text: str) -> None:
    assert not Text.of(text).has_divisions


def test_a_part_that_is_a_word_keeps_its_hyphen_unless_the_whole_is_one() -> None:
    known = {"known", "tory", "history"}.__contains__
    assert Text.of("a well-\nknown part of his-\ntory", is_word=known).canonical == "a well-\nknown part of history\n\n"
    assert Text.of("wellknown. A well-\nknown part", is_word=known).canonical == "wellknown. A wellknown part\n\n"


@given(st.text(alphabet="ab-\n .é‐|\\", max_size=40))
def test_any_text_is_rebuilt(text: str) -> None:
    sentences = Tokeniser()(text)
    assert not sentences or rebuild_text(sentences) == text
    assert all("\n" not in form for sentence in sentences for form in sentence.forms)


def test_english_words_are_joined_and_compounds_are_not() -> None:
    text = "Many people in this coun-\ntry have long been af-\nfected by the ill-\nadvised taxes of the govern-\nment."
    tokens = forms(tw.load("en").tokeniser, text)
    assert {"country", "affected", "government", "advised"} <= set(tokens)
