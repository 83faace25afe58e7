"""The recipes of docs/scale.md for Dask, Spark and Ray Data, and the memory of a worker."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import indent

import pytest
from oracles.pages import DOCS
from oracles.processes import LIMIT, run_process
from scale.conftest import DOCUMENTS, RAY_SETTINGS, content_of

from treewright.scale import parse_corpus, plan_corpus, run_shard

pytestmark = pytest.mark.slow
BLOCKS = re.findall(r"^```python\n(.*?)^```$", (DOCS / "scale.md").read_text(encoding="utf-8"), re.M | re.S)


def block_with(text: str) -> str:
    [block] = [block for block in BLOCKS if text in block]
    return str(block)


def run_recipe(text: str, folder: Path) -> str:
    """Run a program in a process of its own, which may start others, and return what it prints."""
    program = folder / "recipe.py"
    program.write_text("if __name__ == '__main__':\n" + indent(text, "    "))
    workers = os.environ | RAY_SETTINGS | {"PYSPARK_PYTHON": sys.executable, "HOME": str(folder), "RAY_DEDUP_LOGS": "0"}
    command = [sys.executable, str(program)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=workers, timeout=5 * LIMIT)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_dask(model: str, corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("dask.distributed")
    names = f"model, inputs, output = {model!r}, [{str(corpus)!r}], {str(tmp_path / 'dask')!r}\n"
    assert run_recipe(names + block_with("import Client"), tmp_path).splitlines()[-1] == f"{DOCUMENTS} documents"
    parse_corpus(model, [str(corpus)], str(tmp_path / "local"), jobs=1)
    assert content_of(tmp_path / "dask") == content_of(tmp_path / "local")


@pytest.mark.parametrize("library", ["pyspark", "ray.data"])
def test_spark_and_ray_data_write_the_sentences_of_the_shards(
    library: str, model: str, corpus: Path, tmp_path: Path
) -> None:
    pytest.importorskip(library)
    if library == "pyspark" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    parquet = pytest.importorskip("pyarrow.parquet")
    json = pytest.importorskip("pyarrow.json")
    parquet.write_table(json.read_json(corpus), tmp_path / "texts.parquet")
    recipe = block_with("mapInPandas" if library == "pyspark" else "import ray").replace('"texts"', '"texts.parquet"')
    run_recipe(f"model = {model!r}\n{recipe}", tmp_path)
    parse_corpus(model, [str(corpus)], str(tmp_path / "local"), jobs=1)
    order = [("doc_id", "ascending"), ("sentence", "ascending")]
    mapped, shards = (parquet.read_table(tmp_path / folder).sort_by(order) for folder in ("parsed", "local"))
    assert mapped.column_names == shards.column_names
    assert mapped.to_pylist() == shards.to_pylist()


def test_a_plan_lists_what_is_missing(model: str, corpus: Path, tmp_path: Path) -> None:
    output = str(tmp_path / "out")
    missing = plan_corpus(model, [str(corpus)], output, shard_size=0.01)
    assert len(missing) > 1
    done = run_shard(output, missing[0])
    assert (tmp_path / "out" / done.part).stat().st_size == done.size
    assert plan_corpus(model, [str(corpus)], output, shard_size=0.01) == missing[1:]


def test_memory_of_a_worker(tmp_path: Path) -> None:
    """A worker needs 400 MB more than Python and the model, also for a long text without blank lines."""
    text = "The old bridge creaked all night while we slept there, and nobody came. " * 4000
    (tmp_path / "long.txt").write_text(text)
    (tmp_path / "short.txt").write_text(text.replace(". ", ".\n\n"))
    load = "import treewright as tw, treewright.scale.engines as e; tw.load('en'); print(e.peak_megabytes())"
    loaded = run_process([sys.executable, "-c", load], capture_output=True, text=True)
    inputs = [str(tmp_path / "long.txt"), str(tmp_path / "short.txt")]
    result = parse_corpus("en", inputs, str(tmp_path / "out"), jobs=1, fast=True)
    assert result.words == 120000
    assert result.peak_megabytes < float(loaded.stdout) + 400
