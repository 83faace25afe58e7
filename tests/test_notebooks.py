"""The notebooks in examples/ run, and print what is stored in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from oracles.pages import REPO

NOTEBOOKS = sorted((REPO / "examples").glob("*.ipynb"))
MAX_SIZE = 30_000  # bytes of a notebook with its outputs


def outputs_of(notebook: Any) -> list[str]:
    """Return the plain text that each cell with code prints or shows."""
    texts = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            shown = [output.get("text") or output["data"]["text/plain"] for output in cell["outputs"]]
            texts.append("".join("".join(text) for text in shown))  # a cell may print in several pieces
    return texts


def test_there_are_three_notebooks() -> None:
    names = [path.name for path in NOTEBOOKS]
    assert names == ["decode_your_scores.ipynb", "parse_and_look.ipynb", "train_and_complete.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_stored_with_small_outputs(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text) < MAX_SIZE
    assert all(outputs_of(json.loads(text)))
    assert not any(word in text for word in ("/home/", "/work/", "/tmp/"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of packages of Jupyter
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_prints_what_is_stored(path: Path, request: pytest.FixtureRequest) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.read(path, 4)
    stored = outputs_of(notebook)
    resources = {"metadata": {"path": str(path.parent)}}
    nbclient.NotebookClient(notebook, timeout=600, coalesce_streams=True, resources=resources).execute()
    if request.config.getoption("--update-golden"):
        notebook["metadata"].pop("language_info")  # of this machine, as are the times of cells
        for cell in notebook["cells"]:
            cell["metadata"].pop("execution", None)
        nbformat.write(notebook, path)
    else:
        assert outputs_of(notebook) == stored, "if it should differ, run pytest --slow --update-golden"
