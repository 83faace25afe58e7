"""Sentences go into tables of Arrow and pandas and come back; batches of texts become batches of sentences."""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
import pytest
from oracles.pipelines import pipeline, text_of

import treewright as tw

arrow = pytest.importorskip("pyarrow", reason="needs treewright[arrow]")
TEXT = text_of(6, 3)


def columns(sentence: tw.Sentence) -> tuple[Any, ...]:
    """What a table keeps of a sentence."""
    return sentence.text, sentence.forms, sentence.upos, sentence.feats, sentence.heads.tolist(), sentence.deprels


@pytest.fixture(scope="module")
def document() -> list[tw.Sentence]:
    return list(pipeline()(TEXT))


def test_a_table_has_a_row_for_each_sentence(document: list[tw.Sentence]) -> None:
    table = tw.to_arrow(document, doc_id="d")
    assert table.num_rows == 6
    row = table.to_pylist()[1]
    sentence = document[1]
    assert (row["doc_id"], row["sentence"], row["text"]) == ("d", 1, sentence.text)
    assert TEXT[row["begin"] : row["end"]] == sentence.text
    assert (row["form"], row["head"], row["deprel"]) == (sentence.forms, sentence.heads.tolist(), sentence.deprels)
    assert row["deps"] is None
    assert (row["score"], row["certified"]) == (sentence.parse.score, True)
    assert np.array(row["head_conf"]) / 255 == pytest.approx(sentence.head_confidence, abs=0.5 / 255)


def test_sentences_come_back_from_a_table(document: list[tw.Sentence]) -> None:
    again = tw.from_arrow(tw.to_arrow(document, doc_id="d"))
    assert list(map(columns, again)) == list(map(columns, document))
    assert again[1].sent_id == "d-2"
    assert again[1].head_confidence == pytest.approx(document[1].head_confidence, abs=0.5 / 255)


def test_sentences_without_trees_have_null_columns() -> None:
    table = tw.to_arrow([tw.Sentence.from_words(["a", "b"]), tw.Sentence.from_words(["c"], heads=[0])])
    first, second = table.to_pylist()
    assert [first[name] for name in ("lemma", "head", "deprel", "head_conf", "score", "certified")] == [None] * 6
    assert second["head"] == [0]
    again = tw.from_arrow(table)
    assert [sentence.heads.tolist() for sentence in again] == [[-1, -1], [0]]


def test_a_table_survives_a_parquet_file(document: list[tw.Sentence]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    file = io.BytesIO()
    parquet.write_table(tw.to_arrow(document), file)
    again = parquet.read_table(file)
    assert again.schema.equals(tw.to_arrow(document).schema)
    assert list(map(columns, tw.from_arrow(again))) == list(map(columns, document))


def test_an_empty_table_has_the_same_columns(document: list[tw.Sentence]) -> None:
    assert tw.to_arrow([]).schema == tw.to_arrow(document).schema
    assert tw.from_arrow(tw.to_arrow([])) == []


def test_words_alone_are_enough() -> None:
    [sentence] = tw.from_arrow(arrow.table({"form": [["It", "rains"]], "other": [1]}))
    assert sentence.forms == ["It", "rains"]
    assert sentence.sent_id is None


def test_what_cannot_be_converted_is_named() -> None:
    with pytest.raises(tw.errors.InputError, match="no column form, with the words of each sentence; it has text"):
        tw.from_arrow(arrow.table({"text": ["a"]}))
    with pytest.raises(tw.errors.InputError, match="32768 words; a table holds sentences of up to 32767 words"):
        tw.to_arrow([tw.Sentence.from_words(["a"] * 32768)])
    with pytest.raises(TypeError, match="sentences"):
        tw.to_arrow("It rains.")  # type: ignore[arg-type]


@pytest.mark.parametrize("per", ["word", "sentence"])
def test_sentences_come_back_from_a_data_frame(document: list[tw.Sentence], per: Any) -> None:
    pytest.importorskip("pandas")
    frame = tw.to_pandas(document, per)
    assert len(frame) == (6 if per == "sentence" else sum(map(len, document)))
    again = tw.from_pandas(frame)
    assert [columns(sentence)[1:] for sentence in again] == [columns(sentence)[1:] for sentence in document]
    assert again[0].head_confidence == pytest.approx(document[0].head_confidence, abs=0.5 / 255)
    assert len(tw.from_pandas(frame.iloc[:0])) == 0


def test_one_sentence_is_a_data_frame_too(document: list[tw.Sentence]) -> None:
    pytest.importorskip("pandas")
    kinds: list[Any] = ["word", "sentence"]
    for per in kinds:
        [again] = tw.from_pandas(tw.to_pandas(document[0], per))
        assert again.heads.tolist() == document[0].heads.tolist()


def test_a_data_frame_that_cannot_be_read_is_named(document: list[tw.Sentence]) -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(tw.errors.InputError, match="the frame has no column form; it has a"):
        tw.from_pandas(pandas.DataFrame({"a": [1]}))
    with pytest.raises(tw.errors.InputError, match="the frame has no column id"):
        tw.from_pandas(pandas.DataFrame({"form": ["a"]}))
    with pytest.raises(tw.errors.InputError, match="per is 'token'; expected 'word' or 'sentence'"):
        tw.to_pandas(document, "token")  # type: ignore[arg-type]


TEXTS: dict[str, list[Any]] = {"id": ["a", "b", "c"], "text": [text_of(2, 1), None, text_of(3, 2)]}


def check_batch(result: dict[str, Any]) -> None:
    """Compare a batch of sentences with what the pipeline says of the texts."""
    assert result["doc_id"] == ["a", "a", "c", "c", "c"]
    assert result["sentence"] == [0, 1, 0, 1, 2]
    expected = [sentence for text in TEXTS["text"] if text for sentence in pipeline()(text)]
    assert [list(heads) for heads in result["head"]] == [sentence.heads.tolist() for sentence in expected]


def test_a_batch_of_columns_becomes_columns_of_sentences() -> None:
    check_batch(pipeline().map_batch(id_column="id")(TEXTS))


def test_a_batch_of_another_library_stays_one() -> None:
    function = pipeline().map_batch("text", id_column="id", confidence=False)
    table = function(arrow.table(TEXTS))
    assert isinstance(table, arrow.Table)
    check_batch(table.to_pydict())
    pandas = pytest.importorskip("pandas")
    frame = function(pandas.DataFrame(TEXTS))
    assert isinstance(frame, pandas.DataFrame)
    check_batch({name: frame[name].tolist() for name in frame})


def test_a_batch_of_polars_stays_one() -> None:
    polars = pytest.importorskip("polars")
    frame = pipeline().map_batch(id_column="id")(polars.DataFrame(TEXTS))
    assert isinstance(frame, polars.DataFrame)
    check_batch(frame.to_dict(as_series=False))
    assert len(tw.from_arrow(frame)) == 5


def test_a_batch_function_pickles() -> None:
    check_batch(pickle.loads(pickle.dumps(pipeline().map_batch(id_column="id")))(TEXTS))


def test_a_batch_without_the_column_is_refused() -> None:
    with pytest.raises(tw.errors.InputError, match="the batch has no column 'body'; it has id, text"):
        pipeline().map_batch("body")(TEXTS)
