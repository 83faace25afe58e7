"""Tags given some of them: decided by enumeration of all sequences, and in whole pipelines."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest
from oracles.pipelines import pipeline
from oracles.treebank import treebank

from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.tagger import Tagger
from treewright.tagger.model import tags_like

FORMS = ["run", "fish", "light"]


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    """Every word has been seen with every tag, so that all are candidates."""
    dice, tags = Random(0), ["NOUN", "VERB", "ADJ"]
    rows = [[dice.choice(tags) for _ in FORMS] for _ in range(60)]
    return Tagger.train([Sentence.from_words(FORMS, upos=row) for row in rows], columns=["upos"])


def value(tagger: Tagger, tags: tuple[int, ...]) -> float:
    """The score of a sequence: that of the best one where every other tag is forbidden."""
    adjust = np.full((len(tags), len(tagger.tags)), -np.inf)
    adjust[range(len(tags)), tags] = 0
    return tagger.decode(Sentence.from_words(FORMS), adjust, confidence=False).value


@pytest.mark.parametrize("given", [("_", "_", "_"), ("VERB", "_", "_"), ("_", "NOUN", "_"), ("ADJ", "_", "VERB")])
def test_the_others_have_the_best_tags_given_these(tagger: Tagger, given: tuple[str, ...]) -> None:
    names = [tag[0] for tag in tagger.tags]
    sequences = [
        tags
        for tags in product(range(len(names)), repeat=3)
        if all(cell in ("_", names[tag]) for cell, tag in zip(given, tags, strict=True))
    ]
    values = np.array([value(tagger, tags) for tags in sequences])
    [tagged] = tagger.tag([Sentence.from_words(FORMS, upos=given)], keep=True)
    assert tagged.upos == [names[tag] for tag in sequences[int(values.argmax())]]
    calibration = tagger.model.calibration
    weights = np.exp((values - values.max()) / (1 if calibration is None else calibration.temperature))
    for word in range(3):
        found = dict(tagger.upos_probabilities(Sentence.from_words(FORMS, upos=given), word + 1))
        for number, name in enumerate(names):
            share = sum(w for w, tags in zip(weights, sequences, strict=True) if tags[word] == number) / weights.sum()
            assert found.get(name, 0.0) == pytest.approx(share, abs=1e-9)


def test_confidence_is_one_where_the_tag_is_given(tagger: Tagger) -> None:
    [tagged] = tagger.tag([Sentence.from_words(FORMS, upos=["VERB", "_", "_"])], keep=True)
    assert tagged.tag_confidence is not None
    assert tagged.tag_confidence[0] == 1
    assert 0 < tagged.tag_confidence[1] < 1


def test_an_unknown_tag_is_kept(tagger: Tagger) -> None:
    [tagged] = tagger.tag([Sentence.from_words(FORMS, upos=["XYZ", "_", "_"])], keep=True)
    [free] = tagger.tag([Sentence.from_words(FORMS)], keep=True)
    assert tagged.upos == ["XYZ", *free.upos[1:]]


def test_without_keep_everything_is_replaced(tagger: Tagger) -> None:
    [tagged] = tagger.tag([Sentence.from_words(FORMS, upos=["XYZ", "_", "_"])])
    assert "XYZ" not in tagged.upos


def test_values_that_go_together_restrict_the_tag() -> None:
    tags = [("NOUN", "NN", "Number=Sing"), ("NOUN", "NNS", "Number=Plur"), ("VERB", "VB", "_")]
    assert tags_like(tags, ["NOUN", "_", "Number=Plur"]) == [1]
    assert tags_like(tags, ["NOUN", "VB", "_"]) == []


def test_other_columns_follow_a_given_tag() -> None:
    bank = [
        Sentence.from_words(["run"], upos=["NOUN"], feats=["Number=Sing"], lemmas=["run"]),
        Sentence.from_words(["ran"], upos=["VERB"], feats=["Tense=Past"], lemmas=["run"]),
    ]
    tagger = Tagger.train(bank * 10, columns=["upos", "feats", "lemma"])
    [tagged] = tagger.tag([Sentence.from_words(["run", "ran"], upos=["VERB", "_"], lemmas=["_", "RAN"])], keep=True)
    assert tagged.upos == ["VERB", "VERB"]
    assert tagged.feats == ["Tense=Past", "Tense=Past"]
    assert tagged.lemmas[1] == "RAN"


def test_pipelines_fill_what_is_open_and_keep_what_is_given() -> None:
    nlp, forms = pipeline(), treebank(1)[0].forms
    [free] = nlp.parse([Sentence.from_words(forms)])
    given = ["ADV" if number == 1 else "_" for number in range(len(forms))]
    [parsed] = nlp.parse([Sentence.from_words(forms, upos=given)])
    [completed] = nlp.complete([Sentence.from_words(forms, upos=given)])
    assert parsed.upos[1] == completed.sentence.upos[1] == "ADV" != free.upos[1]
    assert "_" not in parsed.upos
    assert completed.sentence.upos == parsed.upos
    [whole] = nlp.parse([Sentence.from_words(forms, upos=["X"] * len(forms))])
    assert whole.upos == ["X"] * len(forms)


def test_a_tagger_without_upos_has_no_probabilities_of_it() -> None:
    bank = [Sentence.from_words(["runs"], lemmas=["run"])] * 5
    tagger = Tagger.train(bank, columns=["lemma"])
    with pytest.raises(InputError, match=r"^this tagger fills no UPOS$"):
        tagger.upos_probabilities(bank[0], 1)
