"""A data frame with a row for each word."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.conllu import DONT_GO

import treewright as tw

pandas = pytest.importorskip("pandas")


def test_a_data_frame_has_a_row_for_each_word() -> None:
    sentence = tw.Sentence(DONT_GO)
    sentence.head_confidence = np.linspace(0, 1, 6)
    frame = tw.to_pandas(sentence)
    cells = ["id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"]
    assert list(frame) == [*cells, "begin", "end", "head_confidence", "label_confidence", "tag_confidence"]
    lines = [line.split("\t") for line in DONT_GO.splitlines() if line[0] != "#" and not line.startswith("1-2")]
    assert frame[cells].astype(str).to_numpy().tolist() == lines
    assert [sentence.text[begin:end] for begin, end in zip(frame["begin"], frame["end"], strict=True)] == sentence.forms
    assert frame["head_confidence"].tolist() == sentence.head_confidence.tolist()
    assert frame["tag_confidence"].isna().all()


def test_a_data_frame_of_a_document_has_the_places_of_the_sentences() -> None:
    document = [tw.Sentence(DONT_GO), tw.Sentence.from_words(["Run", "!"], heads=[0, 1], deprels=["root", "punct"])]
    document[1].text = "something else"
    frame = tw.to_pandas(document)
    found = [document[row.sentence][row.id - 1].form for row in frame.itertuples()]
    assert found == frame["form"].tolist() == document[0].forms + document[1].forms
    assert frame["begin"].isna().tolist() == [False] * 6 + [True] * 2
    assert frame["end"].dtype == pandas.Int64Dtype()
    assert tw.to_pandas([]).empty
