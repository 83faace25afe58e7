"""Items of lists and abbreviations: where sentences end whatever the model says, and the views of the training text."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.pipelines import written

import treewright as tw
from treewright.learn import Learning
from treewright.tokeniser import Tokeniser, TokeniserOptions, rebuild_text
from treewright.tokeniser.boundaries import join_paragraphs
from treewright.tokeniser.corrections import ABBREVIATIONS, BEFORE_LOWER, BEFORE_TOKEN
from treewright.tokeniser.text import Text

SMALL = TokeniserOptions(learning=Learning(bits=12, epochs=2), boundaries=Learning(bits=12, epochs=2))


@pytest.fixture(scope="module")
def learned() -> Tokeniser:
    return Tokeniser.train(written(60, 3), options=SMALL)


def texts(tokeniser: Tokeniser, text: str) -> list[str]:
    return [sentence.text or "" for sentence in tokeniser(text)]


@pytest.mark.parametrize("mark", ["-", "*", "+", "•", "1.", "12)", "b)", "(3)", "[10:30]"])
def test_each_item_of_a_list_is_a_sentence(learned: Tokeniser, mark: str) -> None:
    items = [f"{mark} the dog", f"{mark} sees", f"{mark} a house"]
    assert texts(learned, "\n".join(items)) == items
    assert texts(learned, "\r\n".join(items)) == items
    assert len(texts(learned, " ".join(items))) != len(items)  # in one line it is for the model to decide


def test_items_as_long_as_lines_of_a_paragraph_are_not_joined(learned: Tokeniser) -> None:
    items = [f"- the {'old ' * number}dog sees a house" for number in (9, 12, 10)]
    assert Text.of("\n".join(items)).canonical == "\n".join(items) + "\n\n"
    assert texts(learned, "\n".join(items)) == items


def test_a_dash_at_the_start_of_a_wrapped_line_is_no_item() -> None:
    text = f"{'the dog sees ' * 5}a house - and a cat {'the dog sees ' * 4}it and so on."
    lines = textwrap.fill(text, text.index(" -"))
    assert lines.split("\n")[1].startswith("- and")
    assert Text.of(lines).canonical == f"{text}\n\n"


@pytest.mark.parametrize("name", BEFORE_TOKEN)
def test_no_sentence_ends_after_an_abbreviation(learned: Tokeniser, name: str) -> None:
    for written_so in (name, name.capitalize(), name.upper()):
        [sentence] = learned(f"the dog sees {written_so}. House here")
        assert sentence.forms[3] == f"{written_so}."


@pytest.mark.parametrize("name", BEFORE_LOWER)
def test_no_sentence_ends_between_an_abbreviation_and_a_word_in_lower_case(learned: Tokeniser, name: str) -> None:
    [sentence] = learned(f"the dog sees at {name}. a house")
    assert sentence.forms[4] == f"{name}."


def test_abbreviations_that_end_sentences_of_the_treebank_are_dropped() -> None:
    ended = [tw.Sentence.from_words(["It", "was", "Gen."]), tw.Sentence.from_words(["A", "dog", "."])]
    tokeniser = Tokeniser.train([*ended * 3, *written(20, 1)], options=SMALL)
    assert tokeniser.model is not None
    assert set(ABBREVIATIONS) - set(tokeniser.model.corrections.abbreviations.names) == {"Gen"}


@given(st.lists(st.text("ab.", min_size=1, max_size=5), min_size=1, max_size=6), st.integers(0, 99))
def test_joined_paragraphs_keep_their_labels(paragraphs: list[str], seed: int) -> None:
    text = "".join(f"{paragraph}\n\n" for paragraph in paragraphs)
    labels = np.array([0 if letter.isspace() else 1 + place % 2 for place, letter in enumerate(text)], dtype=np.int32)
    joined, kept = join_paragraphs(text, labels, seed)
    assert joined.split() == text.split()
    assert len(kept) == len(joined)
    assert kept[kept > 0].tolist() == labels[labels > 0].tolist()
    assert [letter.isspace() for letter in joined] == (kept == 0).tolist()


def texts_of(text: str) -> list[str]:
    """Return the text of each sentence that the rules find; the written text comes back from them."""
    sentences = Tokeniser()(text)
    assert rebuild_text(sentences) == text
    assert all(text[word.begin : word.end] == word.form for sentence in sentences for word in sentence)
    return [sentence.text for sentence in sentences]


def test_a_list_without_marks_has_an_item_a_line() -> None:
    assert texts_of("To buy\n\nmilk\neggs\nbrown bread\n") == ["To buy", "milk", "eggs", "brown bread"]
    assert texts_of("Name\nAda Lovelace\nCity\nLondon") == ["Name", "Ada Lovelace", "City", "London"]


def test_wrapped_text_is_no_list() -> None:
    wrapped = (
        "This is a text that was wrapped\nat a width of about forty columns,\nand it is no list, because\nit is text."
    )
    assert len(texts_of(wrapped)) == 1
    assert len(texts_of("We saw\nmilk.")) == 1


def test_quoted_lines_of_an_e_mail_are_joined_without_their_marks() -> None:
    text = "> I think we should go\n> home now.\nYes, let us go.\n> > Who said that?\n>\n> Me.\n"
    assert texts_of(text) == ["I think we should go home now.", "Yes, let us go.", "Who said that?", "Me."]


def test_other_signs_are_words() -> None:
    assert texts_of("It was > 5 degrees.") == ["It was > 5 degrees."]
    assert texts_of("> Yes.") == ["> Yes."]
    together = Tokeniser().batch(["> a", "> b\n> c"])
    assert [[sentence.forms for sentence in text] for text in together] == [[[">", "a"]], [["b", "c"]]]
