"""The confidence of heads and labels: from the models that chose them, calibrated on held-out sentences."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.treebank import treebank

import treewright as tw
from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.evaluate import calibration
from treewright.learn import Report
from treewright.parser import Labelling, Parser, ParserOptions, Pruning, Scoring
from treewright.parser.model import UNCALIBRATED
from treewright.parser.worker import BELIEF_ROUNDS, Worker

SMALL = ParserOptions(
    pruning=Pruning(bits=12, epochs=2), scoring=Scoring(bits=14, epochs=3), labelling=Labelling(bits=12, epochs=3)
)


def ambiguous(count: int, seed: int) -> list[Sentence]:
    """Sentences in which three adverbs of ten have another head, and two objects of ten another label, by chance."""
    dice = random.Random(seed)
    corpus = treebank(count, seed)
    for sentence in corpus:
        heads, labels = sentence.heads.tolist(), list(sentence.deprels)
        for place, label in enumerate(sentence.deprels):
            if label == "advmod" and dice.random() < 0.3:
                heads[place] = place  # the word before it
            if label == "obj" and dice.random() < 0.2:
                labels[place] = "iobj"
        sentence.heads, sentence.deprels = np.array(heads), labels
    return corpus


@pytest.fixture(scope="module")
def trained() -> Parser:
    return Parser.train(ambiguous(250, 1), ambiguous(150, 2), options=SMALL)


@pytest.mark.parametrize("learner", ["crf", "perceptron", "mira", "pa"])
@pytest.mark.parametrize("projective", [True, False])
def test_confidence_is_the_share_of_right_heads_and_labels(learner: str, projective: bool) -> None:
    options = replace(SMALL, learner=learner, projective=projective)
    parser = Parser.train(ambiguous(400, 1), ambiguous(150, 2), options=options)
    test = ambiguous(150, 3)
    found = calibration(test, parser.parse(test))
    assert {name: one.ece < 0.03 for name, one in found.items()} == dict.fromkeys(["heads", "labels", "arcs"], True)
    assert found["heads"].auc is not None
    assert found["heads"].auc > 0.85


@pytest.mark.parametrize("model", ["arc", "sib", "grand"])
@pytest.mark.parametrize("projective", [True, False])
def test_heads_have_the_marginals_of_the_scorer(model: str, projective: bool) -> None:
    options = replace(SMALL, model=model, projective=projective)
    parser = Parser.train(ambiguous(60, 1), ambiguous(20, 2), options=options)
    calibrated = parser.model.calibrations.head
    for sentence in parser.parse(ambiguous(10, 3)):
        parts = parser.parts(sentence).scaled(1 / calibrated.temperature)
        marginals = np.asarray(tw.decode.marginals(parts, projective=projective, rounds=BELIEF_ROUNDS))
        expected = calibrated.apply(marginals[sentence.heads, np.arange(1, len(sentence) + 1)])
        assert sentence.head_confidence is not None
        np.testing.assert_allclose(sentence.head_confidence, expected, atol=1e-6)


def test_training_reports_and_saves_the_calibration(tmp_path: Path) -> None:
    reports: list[Report] = []
    parser = Parser.train(ambiguous(60, 1), ambiguous(30, 2), options=SMALL, report=reports.append)
    assert parser.model.calibration is not None
    assert reports[-1].stage == "confidence"
    assert reports[-1].figures["head temperature"] == parser.model.calibration.head.temperature
    assert reports[-1].figures["label offset"] == parser.model.calibration.label.offset
    parser.save(tmp_path / "my.tw")
    assert Parser.load(tmp_path / "my.tw").model.calibration == parser.model.calibration


def test_a_model_without_calibration_has_default_temperatures(tmp_path: Path) -> None:
    parser = Parser.train(ambiguous(60, 1), options=SMALL)
    assert parser.model.calibration is None
    parser.save(tmp_path / "my.tw")
    loaded = Parser.load(tmp_path / "my.tw")
    assert loaded.model.calibration is None
    assert loaded.model.calibrations == UNCALIBRATED
    [parsed] = loaded.parse(treebank(1))
    assert parsed.head_confidence is not None
    assert ((parsed.head_confidence > 0) & (parsed.head_confidence <= 1)).all()


def test_a_trained_model_can_be_calibrated_on_other_sentences(trained: Parser) -> None:
    plain = Parser(replace(trained.model, calibration=None))
    assert plain.calibrate(ambiguous(150, 2)).model.calibration == trained.model.calibration
    assert plain.model.calibration is None
    with pytest.raises(InputError, match="the development data has no sentences with heads; calibration needs some"):
        plain.calibrate([])


def test_confidence_can_be_left_out(trained: Parser) -> None:
    sentences = ambiguous(5, 4)
    for one, other in zip(trained.parse(sentences), trained.parse(sentences, confidence=False), strict=True):
        assert (other.head_confidence, other.label_confidence) == (None, None)
        assert one.heads.tolist() == other.heads.tolist()
        assert one.deprels == other.deprels
        assert one.head_confidence is not None
        assert one.label_confidence is not None


def test_one_sentence_and_a_batch_have_the_same_label_confidence(trained: Parser) -> None:
    worker = Worker(trained.model)
    for sentence in trained.parse(ambiguous(5, 5)):
        heads = np.array([-1, *sentence.heads], dtype=np.int32)
        [labels], [confidence] = worker.label([sentence], worker.encode([sentence]), [heads])
        assert labels == sentence.deprels
        np.testing.assert_array_equal(confidence, sentence.label_confidence)


def test_ambiguous_words_are_in_doubt(trained: Parser) -> None:
    doubts: dict[str, list[Any]] = {"advmod": [], "det": []}
    for sentence in trained.parse(ambiguous(60, 6)):
        assert sentence.head_confidence is not None
        for label, confidence in zip(sentence.deprels, sentence.head_confidence, strict=True):
            if label in doubts:
                doubts[label].append(confidence)
    assert 0.6 < np.mean(doubts["advmod"]) < 0.85
    assert np.mean(doubts["det"]) > 0.97


@pytest.mark.parametrize(
    "calibrated",
    [
        {"head": {"temperature": -1}, "label": {}},
        {"head": {"offset": "x"}, "label": {}},
        {"head": {}},
        [1],
        {"head": 3},
    ],
)
def test_a_damaged_calibration_is_refused_by_name(trained: Parser, calibrated: Any) -> None:
    header, arrays = trained.to_arrays()
    with pytest.raises((ValueError, TypeError), match="calibration"):
        Parser.from_arrays("my.tw", {**header, "calibration": calibrated}, arrays)
