"""What commands share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from treewright.cli.parse import form_of
from treewright.cli.shared import add_confidence, read_confidence, write_sentences
from treewright.corpus import Sentence
from treewright.errors import InputError

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


@pytest.mark.parametrize("name", ["trees.html", "trees.pdf", "trees.DOCX", "trees.png.gz"])
def test_sentences_are_not_written_under_the_extension_of_another_format(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is not a format of this command; supported are \.conllu, "):
        write_sentences([], str(tmp_path / name))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "name", ["trees.conllu", "trees.CONLLU", "trees.conllu.gz", "trees", "trees.v2.15", "trees.txt"]
)
def test_sentences_are_written_under_any_other_name(name: str, tmp_path: Path) -> None:
    write_sentences([], str(tmp_path / name))
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_parse_refuses_an_output_that_it_cannot_write() -> None:
    with pytest.raises(InputError, match=r"trees\.pdf: \.pdf is not a format of this command; supported are .*\.svg"):
        form_of(None, "trees.pdf", None)
    assert form_of(None, "trees.html", None) == "html"
