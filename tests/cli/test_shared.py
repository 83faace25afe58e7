"""What commands share."""

from __future__ import annotations

import numpy as np

from treewright.cli.shared import add_confidence, read_confidence
from treewright.corpus import Sentence

HEADS = np.array([-1, 0], dtype=np.int32)


def test_confidence_is_written_and_read() -> None:
    sentence = Sentence.from_words(["a", "b", "c"], misc=["SpaceAfter=No", "_", "Overconfidence=0.3"])
    add_confidence(sentence, [0.25, 1.0, 0.5])
    assert sentence.misc == [
        "SpaceAfter=No|Confidence=0.2500",
        "Confidence=1.0000",
        "Overconfidence=0.3|Confidence=0.5000",
    ]
    read_confidence(sentence)
    np.testing.assert_array_equal(sentence.head_confidence, [0.25, 1.0, 0.5])


def test_what_is_no_confidence_is_not_read() -> None:
    sentence = Sentence.from_words(["a", "b"], misc=["Confidence=high", "Overconfidence=0.3"])
    read_confidence(sentence)
    assert sentence.head_confidence is None
    sentence.misc = ["Confidence=0.5|X=1", "_"]
    read_confidence(sentence)
    np.testing.assert_array_equal(sentence.head_confidence, [0.5, np.nan])
