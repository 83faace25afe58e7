"""Typographic marks and their ASCII forms are the same to models; forms stay as they are written."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.corpus.typography import INVISIBLE, MARKS, TABLE, canonical
from treewright.features import Encoder
from treewright.learn import Learning
from treewright.tagger import Tagger, TaggerOptions

PAIRS = [(mark, ascii_form) for ascii_form, marks in MARKS.items() for mark in marks]
SMALL = TaggerOptions(tags=Learning(bits=12, epochs=3), lemmas=Learning(bits=10, epochs=3))
ROWS = [
    ('"', '"', "PUNCT"),
    ("Dogs", "dog", "NOUN"),
    ("n't", "not", "PART"),
    ("--", "--", "PUNCT"),
    ("bark", "bark", "VERB"),
    ("'s", "be", "AUX"),
    ("...", "...", "PUNCT"),
]


def sentence_of(forms: list[str]) -> tw.Sentence:
    lemmas, tags = ([row[place] for row in ROWS] for place in (1, 2))
    return tw.Sentence.from_words(forms, lemmas=lemmas, upos=tags, heads=[2, 5, 2, 5, 0, 5, 5], deprels=["dep"] * 7)


ASCII = sentence_of([form for form, _, _ in ROWS])
TYPOGRAPHIC = ["“", "Dogs", "n’t", "—", "bark", "’s", "…"]


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger.train([ASCII] * 20, columns=["upos", "lemma"], options=SMALL)


def test_each_mark_has_one_ascii_form() -> None:
    assert all(ascii_form.isascii() for ascii_form in MARKS)
    assert len(PAIRS) == len({mark for mark, _ in PAIRS}) == len(TABLE) - len(INVISIBLE)


@pytest.mark.parametrize(("mark", "ascii_form"), PAIRS)
def test_marks_are_canonical_as_ascii(mark: str, ascii_form: str) -> None:
    assert canonical(mark) == ascii_form
    assert canonical(f"a{mark}b") == f"a{ascii_form}b"


@given(st.text())
def test_canonical_spelling_is_a_fixed_point_and_blind_to_normal_forms(text: str) -> None:
    assert canonical(canonical(text)) == canonical(text)
    if set(text) - set(INVISIBLE):
        assert canonical(unicodedata.normalize("NFD", text)) == canonical(unicodedata.normalize("NFC", text))


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_is_canonical(text: str) -> None:
    assert canonical(text) == text


def test_only_invisible_characters_are_kept() -> None:
    assert canonical("\u200b") == "\u200b"


def test_tags_and_lemmas_of_typographic_forms_are_those_of_ascii(tagger: Tagger) -> None:
    [plain] = tagger.tag([tw.Sentence.from_words(ASCII.forms)])
    [found] = tagger.tag([tw.Sentence.from_words(TYPOGRAPHIC)])
    assert found.forms == TYPOGRAPHIC
    assert (found.upos, found.lemmas) == (plain.upos, plain.lemmas) == (ASCII.upos, ASCII.lemmas)
    assert found.tag_confidence is not None
    assert plain.tag_confidence is not None
    assert np.array_equal(found.tag_confidence, plain.tag_confidence)


def test_training_on_typographic_forms_is_training_on_ascii(tagger: Tagger) -> None:
    other = Tagger.train([sentence_of(TYPOGRAPHIC)] * 20, columns=["upos", "lemma"], options=SMALL)
    for name, array in tagger.to_arrays()[1].items():
        assert np.array_equal(array, other.to_arrays()[1][name]), name


def test_the_parser_sees_ascii_forms() -> None:
    written = sentence_of(TYPOGRAPHIC).with_columns(lemmas=["“", "dog", "not", "—", "bark", "be", "…"])
    encoder = Encoder([])
    assert np.array_equal(encoder.atoms([written]), encoder.atoms([ASCII]))


def test_the_case_of_lemmas_counts_unless_it_is_ignored() -> None:
    name = ASCII.with_columns(lemmas=['"', "Dog", "not", "--", "bark", "be", "..."])
    assert not np.array_equal(Encoder([]).atoms([name]), Encoder([]).atoms([ASCII]))
    lower = Encoder([], lower_lemmas=True)
    assert np.array_equal(lower.atoms([name]), lower.atoms([ASCII]))
