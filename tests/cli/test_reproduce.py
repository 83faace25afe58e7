"""`treewright reproduce`: a table on the screen, the same in JSON."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from treewright.cli.reproduce import app
from treewright.papers.koo2010 import METHODS


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["koo2010", "table2", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_table2_shows_the_papers_figures_beside() -> None:
    shown = run("--instances", "1", "--length", "4", "--quiet")
    lines = [line.split() for line in shown.splitlines()]
    assert [line[1] for line in lines if line[:1] == ["Sib"]] == [name.split()[0] for name, _ in METHODS]
    assert next(line for line in lines if line[:2] == ["Sib", "DD-5000"])[-2:] == ["35.6", "0.08"]
    assert "1 sentences of 4 words a model, normal scores, seed 0; root: multi." in shown


def test_table2_as_json() -> None:
    found = json.loads(run("--instances", "1", "--length", "3", "--scores", "uniform", "--seed", "4", "--json"))
    assert {name: found[name] for name in ("instances", "words", "scores", "seed")} == {
        "instances": 1,
        "words": 3,
        "scores": "uniform",
        "seed": 4,
    }
    exact = [row for row in found["rows"] if row["method"] == "exact"]
    assert [row["exact"] for row in exact] == [100, 100]


def test_bad_usage_ends_with_two() -> None:
    result = CliRunner().invoke(app, ["koo2010", "table2", "--instances", "0"])
    assert result.exit_code == 2
    assert "--instances" in result.output
