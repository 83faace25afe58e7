"""`treewright reproduce`: a table on the screen, the same in JSON."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from treewright.cli.reproduce import app
from treewright.papers.common import progress
from treewright.papers.koo2010_programs import METHODS


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
    report = json.loads(run("--instances", "1", "--length", "3", "--scores", "uniform", "--seed", "4", "--json"))
    assert {name: report[name] for name in ("instances", "words", "scores", "seed")} == {
        "instances": 1,
        "words": 3,
        "scores": "uniform",
        "seed": 4,
    }
    exact = [row for row in report["rows"] if row["method"] == "exact"]
    assert [row["exact"] for row in exact] == [100, 100]


def test_bad_usage_ends_with_two() -> None:
    result = CliRunner().invoke(app, ["koo2010", "table2", "--instances", "0"])
    assert result.exit_code == 2
    assert "--instances" in result.output


def test_progress_is_shown_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter(range(0, 1000, 4))  # four seconds between two reports
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    with progress("sentences", quiet=False) as report:
        for done in range(1, 9):
            report(done, 8)
        report(0, 3, "words")
    lines = ["sentences: 1 of 8", "sentences: 4 of 8, about 12 s left", "sentences: 7 of 8, about 3 s left"]
    assert capsys.readouterr().err.splitlines() == [*lines, "words: 0 of 3"]
    with progress("sentences", quiet=True) as report:
        report(1, 8)
    assert capsys.readouterr().err == ""
