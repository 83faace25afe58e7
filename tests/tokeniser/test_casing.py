"""Sentences in capitals are tagged as in lower case; a share of the training sentences is in lower case."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.treebank import tagged_treebank

import treewright as tw
from treewright.learn import Learning
from treewright.tagger import Tagger, TaggerOptions
from treewright.tokeniser import Tokeniser, TokeniserOptions
from treewright.tokeniser.casing import with_case_noise, with_noisy_paragraphs, without_capitals

SMALL = TaggerOptions(tags=Learning(bits=14, epochs=4), lemmas=Learning(bits=12, epochs=4), case_noise=0.4)
TRAIN, TEST = tagged_treebank(120), tagged_treebank(40, seed=2)


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger.train(TRAIN, options=SMALL)


def in_capitals(sentence: tw.Sentence) -> tw.Sentence:
    return tw.Sentence.from_words([form.upper() for form in sentence.forms])


def in_lower_case(sentence: tw.Sentence) -> tw.Sentence:
    return tw.Sentence.from_words([form.lower() for form in sentence.forms])


def names_and_verbs(count: int, seed: int) -> list[tw.Sentence]:
    """Names are always capitalised, verbs never; both have the same random letters."""
    dice = Random(seed)

    def word() -> str:
        return "".join(dice.choice("abcdefgh") for _ in range(5))

    return [
        tw.Sentence.from_words(["The", word(), word().capitalize(), "."], upos=["DET", "VERB", "PROPN", "PUNCT"])
        for _ in range(count)
    ]


def test_capitals_have_the_tags_and_lemmas_of_lower_case(tagger: Tagger) -> None:
    for sentence in TEST:
        [capitals] = tagger.tag([in_capitals(sentence)])
        [lower] = tagger.tag([in_lower_case(sentence)])
        assert (capitals.upos, capitals.xpos, capitals.feats) == (lower.upos, lower.xpos, lower.feats)
        assert [lemma.lower() for lemma in capitals.lemmas] == [lemma.lower() for lemma in lower.lemmas]
        assert capitals.forms == [form.upper() for form in sentence.forms]


def test_names_without_capitals_are_found_with_case_noise_only() -> None:
    train, test = names_and_verbs(300, 1), names_and_verbs(40, 2)
    found = {}
    for share in (0.0, 0.3):
        learned = Tagger.train(train, columns=["upos"], options=replace(SMALL, case_noise=share))
        for name, change in (("lower", in_lower_case), ("capitals", in_capitals)):
            tagged = learned.tag([change(sentence) for sentence in test])
            found[share, name] = sum(one.upos == gold.upos for one, gold in zip(tagged, test, strict=True))
    assert found[0.3, "lower"] == found[0.3, "capitals"] == len(test)
    assert found[0.0, "lower"] < len(test)


@given(st.integers(0, 60), st.floats(0, 1), st.integers(0, 5))
def test_the_share_is_exact_and_the_same_for_the_same_seed(count: int, share: float, seed: int) -> None:
    sentences = [tw.Sentence.from_words(["It", str(number)]) for number in range(count)]
    found = with_case_noise(sentences, share, seed)
    assert sum(sentence.forms[0] == "it" for sentence in found) == int(share * count)
    assert [sentence.forms[1] for sentence in found] == [sentence.forms[1] for sentence in sentences]
    assert found == with_case_noise(sentences, share, seed)
    assert all(sentence.forms[0] == "It" for sentence in sentences)


@given(st.lists(st.text(min_size=1, max_size=6), max_size=6))
def test_only_sentences_whose_letters_are_all_capitals_change(forms: list[str]) -> None:
    letters = [letter for form in forms for letter in form if letter.isupper() or letter.islower() or letter.istitle()]
    are_capitals = len(letters) >= 2 and all(map(str.isupper, letters))
    assert without_capitals(forms) == ([form.lower() for form in forms] if are_capitals else forms)


PARAGRAPHS = st.lists(st.text(alphabet=st.characters(exclude_characters="\n"), max_size=12), max_size=12)


@given(PARAGRAPHS, st.floats(0, 1), st.integers(0, 5))
def test_a_share_of_the_paragraphs_has_another_casing_letter_by_letter(
    paragraphs: list[str], share: float, seed: int
) -> None:
    text = "".join(f"{paragraph}\n\n" for paragraph in paragraphs)
    found = with_noisy_paragraphs(text, share, seed)
    assert found == with_noisy_paragraphs(text, share, seed)
    assert len(found) == len(text)
    pairs = list(zip(text.split("\n\n"), found.split("\n\n"), strict=True))
    assert sum(one != other for one, other in pairs) <= int(share * len(pairs))
    assert all(b in (a, a.lower(), a.upper()) for a, b in zip(text, found, strict=True))


def test_the_tokeniser_splits_text_in_capitals_with_case_noise_only() -> None:
    sentences = [
        tw.Sentence.from_words(
            ["Dogs", "did", "n't", "bark", "."], misc=["_", "SpaceAfter=No", "_", "SpaceAfter=No", "_"]
        )
        for _ in range(60)
    ]
    for number, sentence in enumerate(sentences):
        sentence.comments = [f"# newpar id = {number}"] if number % 2 else []
    text = "DOGS DIDN'T BARK. DOGS DIDN'T BARK."
    found = {}
    for share in (0.0, 0.4):
        tokeniser = Tokeniser.train(sentences, options=TokeniserOptions(case_noise=share))
        found[share] = [sentence.forms for sentence in tokeniser(text)]
    assert found[0.4] == [["DOGS", "DID", "N'T", "BARK", "."]] * 2
    assert found[0.0] != found[0.4]


def test_the_share_is_saved_with_the_model(tagger: Tagger, tmp_path: Path) -> None:
    tagger.save(tmp_path / "my.tagger")
    again = Tagger.load(tmp_path / "my.tagger")
    assert again.model.options.case_noise == 0.4
    written = [in_capitals(sentence) for sentence in TEST]
    assert list(again.tag(written)) == list(tagger.tag(written))
