"""Jobs that nothing disturbs: formats, shares of the shards, options that must stay the same, object stores."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from oracles.pipelines import pipeline, text_of
from oracles.treebank import treebank
from scale.conftest import DOCUMENTS, content_of

import treewright as tw
from treewright.errors import InputError, MissingExtra
from treewright.scale import Result, parse_corpus

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

pytestmark = pytest.mark.usefixtures("inline")


def rows_of(folder: Path) -> list[dict[str, object]]:
    return list(parquet.read_table(folder).to_pylist())


def run(model: str, source: object, output: Path, **options: object) -> Result:
    return parse_corpus(model, [str(source)], str(output), jobs=1, **options)  # type: ignore[arg-type]


def test_rows_are_what_the_pipeline_returns(model: str, corpus: Path, tmp_path: Path) -> None:
    result = run(model, corpus, tmp_path / "out")
    rows = rows_of(tmp_path / "out")
    documents = [json.loads(line) for line in corpus.read_text().splitlines()]
    sentences = [
        (document["id"], number, sentence)
        for document in documents
        for number, sentence in enumerate(pipeline()(document["text"]))
    ]
    assert len(rows) == len(sentences) == result.sentences
    for row, (name, number, sentence) in zip(rows, sentences, strict=True):
        assert (row["doc_id"], row["sentence"], row["text"]) == (name, number, sentence.text)
        assert (row["head"], row["deprel"], row["upos"]) == (sentence.heads.tolist(), sentence.deprels, sentence.upos)
        assert row["score"] == sentence.parse.score
        assert (row["begin"], row["end"]) == (sentence.offsets()[0][0], sentence.offsets()[-1][1])


def test_formats_of_input_have_the_same_documents(model: str, corpus: Path, tmp_path: Path) -> None:
    values = [json.loads(line) for line in corpus.read_text().splitlines()]
    parquet.write_table(pyarrow.Table.from_pylist(values), tmp_path / "in.parquet", row_group_size=30)
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(corpus.read_bytes()))
    run(model, corpus, tmp_path / "json", shard_size=0.004)
    expected = rows_of(tmp_path / "json")
    for name in ("in.parquet", "in.jsonl.gz"):
        result = run(model, tmp_path / name, tmp_path / name.replace(".", "-"), shard_size=0.004)
        assert result.documents == DOCUMENTS
        assert result.shards > 3
        assert rows_of(tmp_path / name.replace(".", "-")) == expected


def test_columns_have_names_of_their_own(model: str, tmp_path: Path) -> None:
    rows = [{"key": 7, "body": "A dog sleeps."}, {"key": 8, "body": None}]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "in.parquet")
    result = run(model, tmp_path / "in.parquet", tmp_path / "out", text_column="body", id_column="key")
    assert (result.documents, [row["doc_id"] for row in rows_of(tmp_path / "out")]) == (2, ["7"])
    with pytest.raises(InputError, match="no column 'text'; choose --text-column from key, body"):
        run(model, tmp_path / "in.parquet", tmp_path / "other")


def test_a_text_is_cut_at_blank_lines(model: str, tmp_path: Path) -> None:
    text = text_of(200, 3)
    (tmp_path / "in.txt").write_text(text)
    result = run(model, tmp_path / "in.txt", tmp_path / "out", shard_size=0.002)
    assert result.shards > 2
    rows = rows_of(tmp_path / "out")
    assert [row["text"] for row in rows] == [sentence.text for sentence in pipeline()(text)]
    name, _, offset = str(rows[-1]["doc_id"]).rpartition("#")
    place = int(offset) + int(str(rows[-1]["begin"]))
    assert name == str(tmp_path / "in.txt")
    assert text[place:].startswith(str(rows[-1]["text"]))


def test_conllu_keeps_documents_and_numbers_over_shards(model: str, tmp_path: Path) -> None:
    sentences = treebank(90, 4)
    for place in (0, 40):
        sentences[place].comments.insert(0, f"# newdoc id = d{place}")
    tw.write(sentences, tmp_path / "in.conllu")
    result = run(model, tmp_path / "in.conllu", tmp_path / "out", shard_size=0.004)
    assert (result.documents, result.sentences) == (2, 90)
    assert result.shards > 2
    places = [(row["doc_id"], row["sentence"]) for row in rows_of(tmp_path / "out")]
    assert places == [("d0", n) for n in range(40)] + [("d40", n) for n in range(50)]


def test_parts_of_conllu_follow_each_other(model: str, corpus: Path, tmp_path: Path) -> None:
    run(model, corpus, tmp_path / "out", to="conllu", shard_size=0.004)
    parts = sorted((tmp_path / "out").glob("part-*.conllu.gz"))
    sentences = [sentence for part in parts for sentence in tw.read(part)]
    assert len(parts) > 3
    assert [sentence.sent_id for sentence in sentences][:4] == ["d0-1", "d0-2", "d0-3", "d1-1"]
    assert sentences[3].comments[0] == "# newdoc id = d1"
    assert all("# treewright = certified" in sentence.comments for sentence in sentences)


def test_shares_of_the_shards_make_the_whole(model: str, corpus: Path, tmp_path: Path) -> None:
    run(model, corpus, tmp_path / "whole", shard_size=0.004)
    counts = [run(model, corpus, tmp_path / "out", shard_size=0.004, shards=f"{i}/3").documents for i in (1, 2, 3)]
    assert sum(counts) == DOCUMENTS
    assert all(counts)
    assert content_of(tmp_path / "out") == content_of(tmp_path / "whole")


def test_another_option_model_or_input_is_named(model: str, corpus: Path, tmp_path: Path) -> None:
    run(model, corpus, tmp_path / "out")
    with pytest.raises(InputError, match="was begun with --max-seconds 2, not 5"):
        run(model, corpus, tmp_path / "out", max_seconds=5.0)
    with pytest.raises(InputError, match="was begun with --to parquet, not conllu"):
        run(model, corpus, tmp_path / "out", to="conllu")
    with pytest.raises(InputError, match=r"was begun with another MODEL \(.*tiny\.tw\), not en"):
        run("en", corpus, tmp_path / "out")
    longer = tmp_path / "longer.jsonl"
    longer.write_text(corpus.read_text() + '"One more."\n')
    with pytest.raises(InputError, match=r"was begun with INPUT .*corpus\.jsonl \(\d+ bytes\), not .*longer\.jsonl"):
        run(model, longer, tmp_path / "out")


def test_a_part_that_is_lost_or_cut_short_is_made_again(model: str, corpus: Path, tmp_path: Path) -> None:
    run(model, corpus, tmp_path / "out", shard_size=0.004)
    before = content_of(tmp_path / "out")
    (tmp_path / "out" / "part-00000.parquet").unlink()
    (tmp_path / "out" / "part-00001.parquet").write_bytes(b"PAR1")
    (tmp_path / "out" / "_job" / "part-00002.parquet.0.tmp").write_bytes(b"left by a killed process")
    assert run(model, corpus, tmp_path / "out", shard_size=0.004).parsed_words > 0
    assert content_of(tmp_path / "out") == before


def test_urls_are_read_and_written(model: str, corpus: Path, tmp_path: Path) -> None:
    run(model, corpus, tmp_path / "local", shard_size=0.004)
    urls = [f"file://{corpus.parent}/*.jsonl"]
    result = parse_corpus(model, urls, f"file://{tmp_path}/remote", jobs=1, shard_size=0.004)
    assert result.documents == DOCUMENTS
    assert rows_of(tmp_path / "remote") == rows_of(tmp_path / "local")
    assert parse_corpus(model, urls, f"file://{tmp_path}/remote", jobs=1, shard_size=0.004).parsed_words == 0
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.parametrize(
    ("inputs", "options", "problem"),
    [
        (["nothing-*.txt"], {}, "nothing-.*: there is no such file"),
        (["."], {}, r"\.: a folder; give its files"),
        ([__file__, __file__], {"input": "text"}, "given twice"),
        ([__file__], {"input": "text", "shards": "3/2"}, "--shards 3/2: expected i/n"),
        ([__file__], {"input": "html"}, "html is no input of a job"),
    ],
)
def test_errors_name_place_and_remedy(
    model: str, tmp_path: Path, inputs: list[str], options: dict[str, str], problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        parse_corpus(model, inputs, str(tmp_path / "out"), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("package", "options", "extra"),
    [("pyarrow", {"to": "parquet"}, "arrow"), ("ray", {"to": "conllu", "engine": "ray"}, "ray")],
)
def test_a_missing_package_is_answered_by_the_line_that_installs_it(
    model: str, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, options: Any, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf"needs the package {package}: pip install 'treewright\[{extra}\]'"):
        parse_corpus(model, [str(corpus)], str(tmp_path / "out"), **options)
