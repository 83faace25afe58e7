"""Confidence in MISC."""

from __future__ import annotations

import numpy as np

from treewright.corpus import Sentence
from treewright.corpus.confidence import read_confidence, write_confidence


def test_confidence_is_written_and_read() -> None:
    sentence = Sentence.from_words(["a", "b", "c"], misc=["SpaceAfter=No", "_", "Overconfidence=0.3"])
    sentence.head_confidence = np.array([0.25, 1.0, 0.5])
    sentence.label_confidence = np.array([0.125, 0.0, 1.0])
    write_confidence(sentence)
    written = [
        "SpaceAfter=No|Confidence=0.2500|LabelConfidence=0.1250",
        "Confidence=1.0000|LabelConfidence=0.0000",
        "Overconfidence=0.3|Confidence=0.5000|LabelConfidence=1.0000",
    ]
    assert sentence.misc == written
    write_confidence(sentence)
    assert sentence.misc == written
    read = Sentence.from_words(["a", "b", "c"], misc=written)
    read_confidence(read)
    np.testing.assert_array_equal(read.head_confidence, sentence.head_confidence)
    np.testing.assert_array_equal(read.label_confidence, sentence.label_confidence)
    assert read.tag_confidence is None


def test_one_kind_of_confidence_can_be_written() -> None:
    sentence = Sentence.from_words(["a"])
    sentence.head_confidence = sentence.tag_confidence = np.array([0.5])
    write_confidence(sentence, "tag_confidence")
    assert sentence.misc == ["TagConfidence=0.5000"]


def test_what_is_no_confidence_is_not_read() -> None:
    sentence = Sentence.from_words(["a", "b"], misc=["Confidence=high", "Overconfidence=0.3"])
    read_confidence(sentence)
    assert sentence.head_confidence is None
    sentence.misc = ["Confidence=0.5|X=1", "_"]
    read_confidence(sentence)
    np.testing.assert_array_equal(sentence.head_confidence, [0.5, np.nan])
