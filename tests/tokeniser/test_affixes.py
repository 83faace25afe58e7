"""Multiword tokens of unseen form are split by the affixes of the treebank; forms of the treebank as there."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from oracles.pipelines import written

from treewright.corpus import Sentence, Token
from treewright.learn import Learning
from treewright.tokeniser import Tokeniser, TokeniserOptions
from treewright.tokeniser.affixes import NO_AFFIX, Affix, AffixTable, reading_of, stem_of
from treewright.tokeniser.multiwords import Words

SMALL = TokeniserOptions(learning=Learning(bits=12, epochs=1), affixes=Learning(bits=14, epochs=8))
PREFIXES: list[tuple[str, Words]] = [("", ()), ("wa", ("wa",)), ("be", ("be",)), ("wabe", ("wa", "be")), ("n", ("em",))]


def stems(count: int, dice: Random) -> list[str]:
    """Words of two syllables; none begins as a prefix does."""
    return ["".join(dice.choice("kgtdps") + dice.choice("aiou") for _ in range(2)) + "r" for _ in range(count)]


def sentence_of(tokens: list[tuple[str, Words]]) -> Sentence:
    forms = [word for _, words in tokens for word in words]
    ranges, at = [], 1
    for form, words in tokens:
        if len(words) > 1:
            ranges.append(Token(at, at + len(words) - 1, form, "_"))
        at += len(words)
    return Sentence.from_words(forms, tokens=ranges, text=" ".join(form for form, _ in tokens))


@pytest.fixture(scope="module")
def language() -> tuple[list[tuple[str, Words]], list[tuple[str, Words]]]:
    """Return tokens to learn from, and tokens of the same words that are not among them."""
    dice = Random(1)
    pairs = [(prefix + stem, (*words, stem)) for stem in stems(80, dice) for prefix, words in PREFIXES]
    dice.shuffle(pairs)
    return pairs[:250], [pair for pair in pairs[250:] if pair[0] not in {form for form, _ in pairs[:250]}]


@pytest.fixture(scope="module")
def learned(language: tuple[list[tuple[str, Words]], list[tuple[str, Words]]]) -> Tokeniser:
    return Tokeniser.train([sentence_of(language[0][at : at + 5]) for at in range(0, 250, 5)], options=SMALL)


def test_unseen_tokens_are_split(
    learned: Tokeniser, language: tuple[list[tuple[str, Words]], list[tuple[str, Words]]]
) -> None:
    assert learned.model is not None
    assert learned.model.affixes is not None
    unseen = dict(language[1])
    words = learned.split_tokens(unseen)
    right = sum(words[form] == unseen[form] for form in unseen)
    assert right >= 0.95 * len(unseen) > 100


def test_tokens_of_the_treebank_have_the_words_that_they_have_there(
    learned: Tokeniser, language: tuple[list[tuple[str, Words]], list[tuple[str, Words]]]
) -> None:
    seen = dict(language[0])
    assert learned.split_tokens(seen) == seen


def test_words_are_cased_as_their_token(learned: Tokeniser) -> None:
    assert learned.split_tokens(["WABEtugor", "Ntugor", "NTUGOR"]) == {
        "WABEtugor": ("WA", "BE", "tugor"),
        "Ntugor": ("Em", "tugor"),
        "NTUGOR": ("EM", "TUGOR"),
    }


def test_sentences_have_the_words_and_the_tokens(learned: Tokeniser) -> None:
    [sentence] = learned("wabetugor")
    assert sentence.forms == ["wa", "be", "tugor"]
    assert [token[:3] for token in sentence.tokens] == [(1, 3, "wabetugor")]


def test_a_loaded_tokeniser_splits_the_same(learned: Tokeniser, tmp_path: Path) -> None:
    learned.save(tmp_path / "a.tw")
    loaded = Tokeniser.load(tmp_path / "a.tw")
    forms = ["wabetugor", "ntugor", "tugor", "x", "waw"]
    assert loaded.split_tokens(forms) == learned.split_tokens(forms)


def test_a_damaged_table_is_refused(learned: Tokeniser) -> None:
    header, arrays = learned.to_arrays()
    wrong = {**arrays, "affixes.alone.keys": arrays["affixes.alone.keys"][::-1].copy()}
    with pytest.raises(ValueError, match=r"the array alone.keys is not sorted"):
        Tokeniser.from_arrays("x", header, wrong)
    del wrong["affixes.weights"]
    with pytest.raises(ValueError, match=r"the tokeniser lacks the array affixes.weights"):
        Tokeniser.from_arrays("x", header, wrong)


def test_a_treebank_with_few_multiword_tokens_has_no_affixes() -> None:
    model = Tokeniser.train(written(20, 0), options=SMALL).model
    assert model is not None
    assert model.affixes is None
    assert model.segmenter is None


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("nesses", ("em", "esses")),
        ("dámelo", ("da", "me", "lo")),
        ("du", ("de", "le")),
        ("مدرسته", ("مدرسة", "ه")),
        ("word", ("word",)),
    ],
)
def test_a_reading_has_the_words_of_its_token(form: str, words: Words) -> None:
    prefix, suffix = reading = reading_of(form, words)
    assert (*prefix.words, stem_of(form, reading), *suffix.words) == words
    table = AffixTable((NO_AFFIX, prefix), (NO_AFFIX, suffix))
    assert reading in table.readings(form)


def test_no_reading_leaves_an_empty_stem() -> None:
    table = AffixTable((NO_AFFIX, Affix("ab", ("ab",))), (NO_AFFIX, Affix("b", ("b",))))
    assert [stem_of("ab", reading) for reading in table.readings("ab")] == ["ab", "a"]


def test_training_twice_gives_the_same_weights() -> None:
    dice = Random(3)
    tokens = [(prefix + stem, (*words, stem)) for stem in stems(30, dice) for prefix, words in PREFIXES]
    sentences = [sentence_of(tokens[at : at + 5]) for at in range(0, len(tokens), 5)]
    models = [Tokeniser.train(sentences, options=SMALL).model for _ in range(2)]
    assert models[0] is not None
    assert models[1] is not None
    assert models[0].affixes is not None
    assert models[1].affixes is not None
    assert np.array_equal(models[0].affixes.weights.values, models[1].affixes.weights.values)
