"""The recipes of docs/scale.md for Dask and Spark, and the memory of a worker."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from oracles.pages import DOCS
from oracles.processes import run_process
from scale.conftest import DOCUMENTS, content_of

from treewright.scale import parse_corpus, plan_corpus, run_shard

pytestmark = pytest.mark.slow
BLOCKS = re.findall(r"^```python\n(.*?)^```$", (DOCS / "scale.md").read_text(encoding="utf-8"), re.M | re.S)


def block_with(text: str) -> str:
    [block] = [block for block in BLOCKS if text in block]
    return str(block)


def test_dask(model: str, corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("dask.distributed")
    names = {"model": model, "inputs": [str(corpus)], "output": str(tmp_path / "dask")}
    recipe = block_with("import Client").replace("plan_corpus(model, inputs, output)", "plan_corpus(**names)")
    recipe = re.sub("^", "    ", f"names = {names!r}\noutput = names['output']\n{recipe}", flags=re.M)
    program = tmp_path / "recipe.py"
    program.write_text(f"if __name__ == '__main__':\n{recipe}")
    result = run_process([sys.executable, program], capture_output=True, text=True, cwd=tmp_path)
    assert result.stdout.splitlines()[-1] == f"{DOCUMENTS} documents", result.stderr
    parse_corpus(model, [str(corpus)], str(tmp_path / "local"), jobs=1)
    assert content_of(tmp_path / "dask") == content_of(tmp_path / "local")


def test_the_function_for_spark(model: str) -> None:
    pandas = pytest.importorskip("pandas")
    names = {"model": model}
    exec(block_with("def parse_frames"), names)
    frames = [pandas.DataFrame({"id": ["a", "b"], "text": ["A dog sleeps. A dog sleeps.", ""]})]
    [parsed] = names["parse_frames"](iter(frames))  # type: ignore[operator]
    assert parsed["doc_id"].tolist() == ["a", "a"]


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
