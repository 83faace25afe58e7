"""The recipes of docs/integrations.md for libraries that map over tables; each runs where its library is installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from oracles.pipelines import pipeline, text_of

import treewright as tw

pytest.importorskip("pyarrow", reason="needs treewright[arrow]")
TEXTS = {"id": ["a", "b", "c"], "text": [text_of(3, 1), "", text_of(2, 2)]}


def expected() -> list[tuple[str, int, list[int]]]:
    documents = zip(TEXTS["id"], map(pipeline(), TEXTS["text"]), strict=True)
    return [(name, n, sentence.heads.tolist()) for name, document in documents for n, sentence in enumerate(document)]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the libraries, in newer versions of Python
def test_datasets_map_in_two_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    dataset = datasets.Dataset.from_dict(TEXTS)
    parse = pipeline().map_batch("text", id_column="id")
    parsed = dataset.map(parse, batched=True, num_proc=2, remove_columns=dataset.column_names)
    assert list(zip(parsed["doc_id"], parsed["sentence"], parsed["head"], strict=True)) == expected()
    assert len(tw.from_arrow(parsed.with_format("arrow")[:])) == 5


def test_polars_frames_are_parsed_eagerly_and_lazily() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(TEXTS)
    parse = pipeline().map_batch("text", id_column="id")
    parsed = parse(frame)
    assert list(parsed.select("doc_id", "sentence", "head").iter_rows()) == expected()
    lazily = frame.lazy().map_batches(parse, schema=parse(frame.head(0)).schema).collect()
    assert lazily.equals(parsed)
