"""Text without spaces between words is cut into tokens, each text as if it were alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.pipelines import written

from treewright.corpus import Sentence
from treewright.learn import Learning, Report
from treewright.tokeniser import Tokeniser, TokeniserOptions, rebuild_text
from treewright.tokeniser.tokeniser import stage_costs

SMALL = TokeniserOptions(learning=Learning(bits=12, epochs=1), segments=Learning(bits=14, epochs=4, rate=0.2))
CHARACTERS = "山水火木人大小日月天地心手口目"


def words(count: int, dice: Random) -> list[str]:
    return ["".join(dice.choices(CHARACTERS, k=dice.choice([1, 2, 2, 2, 3]))) for _ in range(count)]


def text_of(vocabulary: list[str], count: int, seed: int) -> list[Sentence]:
    dice = Random(seed)
    sentences = []
    for _ in range(count):
        forms = [*dice.choices(vocabulary, k=8), "。"]
        sentences.append(Sentence.from_words(forms, misc=["SpaceAfter=No"] * len(forms), text="".join(forms)))
    return sentences


VOCABULARY = words(40, Random(1))


@pytest.fixture(scope="module")
def learned() -> Tokeniser:
    return Tokeniser.train(text_of(VOCABULARY, 150, 2), options=SMALL)


def test_text_without_spaces_is_cut_into_tokens(learned: Tokeniser) -> None:
    gold = text_of(VOCABULARY, 30, 3)
    found = [form for sentence in learned("".join(sentence.text or "" for sentence in gold)) for form in sentence.forms]
    expected = {(at, form) for at, form in places([form for sentence in gold for form in sentence.forms])}
    right = len(expected & set(places(found)))
    assert right > 0.9 * len(expected)


def places(forms: list[str]) -> list[tuple[int, str]]:
    at, result = 0, []
    for form in forms:
        result.append((at, form))
        at += len(form.replace(" ", ""))
    return result


def test_texts_together_are_cut_as_each_alone(learned: Tokeniser) -> None:
    texts = ["".join(sentence.forms) for sentence in text_of(VOCABULARY, 5, 4)] + ["", "山", "山 水", "word 山水!"]
    assert [list(map(str, found)) for found in learned.batch(texts)] == [
        list(map(str, learned(text))) for text in texts
    ]
    assert [rebuild_text(found) for found in learned.batch(texts)] == texts


def test_spaces_always_end_tokens(learned: Tokeniser) -> None:
    assert not any(" " in form for sentence in learned("山 水 火\n木") for form in sentence.forms)


def test_a_loaded_tokeniser_cuts_the_same(learned: Tokeniser, tmp_path: Path) -> None:
    learned.save(tmp_path / "a.tw")
    text = "".join(sentence.text or "" for sentence in text_of(VOCABULARY, 5, 5))
    assert Tokeniser.load(tmp_path / "a.tw")(text) == learned(text)


def test_progress_reports_f1_of_tokens() -> None:
    reports: list[Report] = []
    dev = text_of(VOCABULARY, 20, 6)
    tokeniser = Tokeniser.train(text_of(VOCABULARY, 60, 7), dev, options=SMALL, report=reports.append)
    forms = [form for sentence in dev for form in sentence.forms]
    found = [form for sentence in tokeniser("".join(forms)) for form in sentence.forms]
    right = len(set(places(forms)) & set(places(found)))
    best = max(report.figures["tokens"] for report in reports if report.stage == "segments")
    assert best == pytest.approx(200 * right / (len(forms) + len(found)), abs=0.5)


SYLLABLES = ["ba", "co", "du", "ga", "ho", "ki", "la", "mo", "nu"]


def spaced_text(count: int, seed: int) -> list[Sentence]:
    """Sentences of tokens of one to three syllables, which blanks separate as they separate tokens."""
    lexicon = [" ".join(Random(1 + at).choices(SYLLABLES, k=1 + at % 3)) for at in range(30)]
    dice = Random(seed)
    sentences = []
    for _ in range(count):
        forms = [*dice.choices(lexicon, k=6), "."]
        misc = ["_"] * (len(forms) - 2) + ["SpaceAfter=No", "_"]
        sentences.append(Sentence.from_words(forms, misc=misc, text=" ".join(forms[:-1]) + "."))
    return sentences


@pytest.fixture(scope="module")
def joining() -> Tokeniser:
    return Tokeniser.train(spaced_text(150, 2), options=SMALL)


def test_syllables_are_joined_to_tokens_with_blanks(joining: Tokeniser) -> None:
    gold = spaced_text(30, 3)
    found = joining(" ".join(sentence.text or "" for sentence in gold))
    expected = places([form for sentence in gold for form in sentence.forms])
    right = set(expected) & set(places([form for sentence in found for form in sentence.forms]))
    assert any(" " in form for _, form in right)
    assert len(right) > 0.9 * len(expected)


@given(st.text(alphabet="bacodu . \n\t\u00a0\u200b", max_size=40))
def test_no_token_has_other_white_space_than_single_blanks(joining: Tokeniser, text: str) -> None:
    found = joining(text)
    assert rebuild_text(found) == (text if any(sentence.forms for sentence in found) else "")
    forms = [form for sentence in found for form in sentence.forms]
    assert all(" ".join(form.split()) == form for form in forms)
    for sentence in found:
        assert [text[word.begin : word.end] for word in sentence] == sentence.forms


def test_the_stages_of_a_plan_are_those_that_are_trained() -> None:
    names: list[str] = []
    options = replace(SMALL, choose_epoch=False)
    for sentences in (written(30, 1), [Sentence.from_words(["học sinh", "đi", "học"])] * 20):
        Tokeniser.train(sentences, options=options, report=lambda epoch: names.append(epoch.stage))
        assert [cost.name for cost in stage_costs(options, sentences)] == list(dict.fromkeys(names))
        names.clear()
