"""Reliability tables against their definitions, and the confidences that files and sentences have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from treewright.corpus import Sentence
from treewright.corpus.confidence import write_confidence
from treewright.errors import InputError
from treewright.evaluate import calibration, reliability


def test_figures_are_those_of_their_definitions() -> None:
    dice = np.random.default_rng(1)
    for count in (1, 2, 10, 400):
        confidence = dice.integers(0, 21, count) / 20
        right = dice.random(count) < confidence
        reliability_ = reliability(confidence, right)
        assert sum(one.count for one in reliability_.bins) == count
        ece = 0.0
        for low in range(10):
            member = (confidence >= low / 10) & ((confidence < (low + 1) / 10) | (low == 9))
            if member.any():
                ece += member.mean() * abs(confidence[member].mean() - right[member].mean())
        assert reliability_.ece == pytest.approx(ece)
        pairs = [(a, b) for a in confidence[right] for b in confidence[~right]]
        if pairs:
            assert reliability_.auc == pytest.approx(np.mean([(a > b) + (a == b) / 2 for a, b in pairs]))
        else:
            assert reliability_.auc is None


def test_the_most_doubtful_tenth() -> None:
    confidence = np.linspace(0.05, 1, 20)
    right = np.arange(20) > 3
    assert reliability(confidence, right).found_wrong == 0.5
    assert reliability(confidence, np.ones(20, dtype=np.bool_)).found_wrong is None


def test_each_kind_is_judged_on_its_own_words(tmp_path: Path) -> None:
    words = ["a", "b", "c", "d"]
    gold = Sentence.from_words(words, upos=list("WXYZ"), heads=[2, 0, 2, 3], deprels=["x", "root", "y", "z"])
    found = Sentence.from_words(words, upos=list("WXYQ"), heads=[2, 0, 4, 2], deprels=["x", "root", "y", "w"])
    found.head_confidence = np.array([0.9, 0.8, 0.5, 0.25])
    found.label_confidence = np.array([0.5, 1.0, 0.7, 0.6])
    found.tag_confidence = np.array([1.0, 1.0, 0.75, 0.5])
    rows = calibration([gold], [found])
    assert {name: (row.count, row.accuracy) for name, row in rows.items()} == {
        "heads": (4, 0.5),
        "labels": (2, 1.0),
        "arcs": (4, 0.5),
        "tags": (4, 0.75),
    }
    assert rows["labels"].ece == pytest.approx(0.25)
    written = found.copy()
    write_confidence(written)
    tw.write([written], tmp_path / "found.conllu")
    tw.write([gold], tmp_path / "gold.conllu")
    assert calibration(tmp_path / "gold.conllu", tmp_path / "found.conllu") == rows


def test_a_file_without_confidence_is_refused_with_the_remedy() -> None:
    gold = [Sentence.from_words(["a"], heads=[0], deprels=["root"])]
    with pytest.raises(InputError, match="have no confidence; `treewright parse --confidence` writes it into MISC"):
        calibration(gold, gold)
    with pytest.raises(InputError, match="there is no prediction with a confidence"):
        reliability(np.zeros(0), np.zeros(0, dtype=np.bool_))
