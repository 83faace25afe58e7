"""`treewright eval --calibration`: the table, JSON, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from oracles.processes import Run, runner
from oracles.treebank import treebank

import treewright as tw
from treewright.corpus.confidence import write_confidence


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    gold = treebank(20)
    tw.write(gold, "gold.conllu")
    for sentence in gold:
        sentence.head_confidence = np.full(len(sentence), 0.75)
        write_confidence(sentence)
    tw.write(gold, "found.conllu")
    return runner(monkeypatch, capsys, "eval")


def test_the_table_and_json(run: Run) -> None:
    ended = run("gold.conllu", "found.conllu", "--calibration")
    assert ended.returncode == 0
    words = sum(len(sentence) for sentence in tw.read("gold.conllu"))
    lines = [line.split() for line in ended.stdout.splitlines()]
    assert [line for line in lines if line[:1] == ["heads"]] == [
        ["heads", str(words), "100.00", "25.00"],
        ["heads", "words", "confidence", "%", "right", "%"],
    ]
    figures = json.loads(run("gold.conllu", "found.conllu", "--calibration", "--json").stdout)
    assert figures["heads"]["ece"] == pytest.approx(0.25)
    assert figures["heads"]["bins"][0]["count"] == words


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gold.conllu", "gold.conllu", "--calibration"], "the system's words have no confidence"),
        (["gold.conllu", "found.conllu", "found.conllu", "--calibration"], "one system is shown at a time"),
        (["gold.conllu", "found.conllu", "--by", "relation", "--calibration"], "over all words"),
    ],
)
def test_what_is_refused(run: Run, arguments: list[str], message: str) -> None:
    ended = run(*arguments)
    assert ended.returncode != 0
    assert message in " ".join(ended.stderr.split())
