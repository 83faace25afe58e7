"""The folder of a job, read by other libraries as docs/scale.md shows; `make test-ray` installs them."""

from __future__ import annotations

from pathlib import Path

import pytest
from scale.conftest import DOCUMENTS

from treewright.scale import parse_corpus

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline")]
SENTENCES = 3 * DOCUMENTS


@pytest.fixture
def parsed(model: str, corpus: Path, tmp_path: Path) -> Path:
    parse_corpus(model, [str(corpus)], str(tmp_path / "parsed"), jobs=1, shard_size=0.004)
    return tmp_path / "parsed"


def test_pandas(parsed: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_parquet(parsed)
    assert len(frame) == SENTENCES
    assert frame["doc_id"].nunique() == DOCUMENTS
    assert list(frame["head"].iloc[0]).count(0) == 1


def test_polars(parsed: Path) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.read_parquet(parsed / "*.parquet")
    assert (frame.height, frame["doc_id"].n_unique()) == (SENTENCES, DOCUMENTS)
    assert frame["certified"].all()


def test_duckdb(parsed: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    query = f"select doc_id, count(*) from '{parsed}/*.parquet' group by doc_id"
    assert {row[1] for row in duckdb.sql(query).fetchall()} == {3}
    assert duckdb.sql(f"select count(distinct doc_id) from '{parsed}/*.parquet'").fetchall() == [(DOCUMENTS,)]


def test_datasets(parsed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    table = datasets.load_dataset(
        "parquet", data_files=str(parsed / "*.parquet"), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert len(table) == SENTENCES
    assert len(table[0]["form"]) == len(table[0]["head"])


def test_the_metadata_says_where_the_trees_come_from(parsed: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    metadata = parquet.read_schema(parsed / "part-00000.parquet").metadata
    assert set(metadata) == {b"treewright.version", b"treewright.model", b"treewright.plan", b"treewright.licence"}
    assert len(metadata[b"treewright.model"]) == 64
