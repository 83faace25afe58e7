"""Self-training: resumption, checkpoints, refusals, the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from oracles.phrases import PENN_TREES, SEEING_TREES
from oracles.processes import runner

from treewright.corpus import Tree
from treewright.errors import InputError
from treewright.grammar import LatentOptions
from treewright.learn import Report
from treewright.papers.selftraining import selftrain


def trees() -> list[Tree]:
    return [Tree.parse(text) for text in SEEING_TREES]


def test_self_training_resumes_with_the_same_grammar(tmp_path: Path) -> None:
    raw = [["she", "saw", "the", "cat", "."], ["the", "cat", "saw", "a", "dog", "."], ["."]]
    options = LatentOptions(rounds=1, split_iterations=3, merge_iterations=2, smooth_iterations=2)
    pair: dict[str, Any] = {"teachers": 2, "students": 2, "disjoint": True, "options": options}
    stages: list[str] = []

    def note(report: Report) -> None:
        stages.append(report.stage)

    whole = selftrain(trees(), raw, report=note, **pair)
    assert (whole.parsed, whole.left_out) == (2, 1)
    assert list(dict.fromkeys(stages)) == ["teacher 1", "teacher 2", "student 1", "student 2"]

    def stop(report: Report) -> None:
        if report.stage == "student 2":
            raise KeyboardInterrupt

    checkpoint = tmp_path / "model.checkpoint"
    with pytest.raises(KeyboardInterrupt):
        selftrain(trees(), raw, report=stop, checkpoint=checkpoint, **pair)
    with pytest.raises(InputError, match="a training was interrupted here; continue it with resume"):
        selftrain(trees(), raw, checkpoint=checkpoint, **pair)
    with pytest.raises(InputError, match=r"another training: other training data, teachers 2 \(now 1\)"):
        selftrain(trees(), raw[:2], checkpoint=checkpoint, resume=True, **pair | {"teachers": 1})
    stages.clear()
    resumed = selftrain(trees(), raw, report=note, checkpoint=checkpoint, resume=True, **pair)
    assert set(stages) == {"student 2"}
    for name, found in (("whole", whole), ("resumed", resumed)):
        found.grammar.save(tmp_path / name)
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "resumed").read_bytes()


def test_self_training_begins_again_when_its_checkpoint_was_deleted(tmp_path: Path) -> None:
    raw, options, checkpoint = [["she", "saw", "a", "cat", "."]], LatentOptions(rounds=0), tmp_path / "model.checkpoint"
    selftrain(trees(), raw, teachers=1, options=options, checkpoint=checkpoint)
    checkpoint.unlink()
    again = selftrain(trees(), raw * 2, teachers=1, options=options, checkpoint=checkpoint)
    assert again.parsed == 2


def test_self_training_without_data_is_refused() -> None:
    with pytest.raises(InputError, match="the raw text has no sentence"):
        selftrain(trees(), [])
    with pytest.raises(InputError, match="no labelled tree"):
        selftrain([], [["it"]])
    with pytest.raises(InputError, match="by is 'all'; expected single or product"):
        selftrain(trees(), [["it"]], by="all")  # type: ignore[arg-type]


def test_the_command_reads_raw_text_with_empty_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("trees.mrg").write_text(PENN_TREES)
    Path("raw.txt").write_text("The dog sleeps .\n\n   \nThe man barks .\n")
    run = runner(monkeypatch, capsys, "reproduce", "huang2010")
    ended = run(
        *("selftrain", "--labelled", "trees.mrg", "--raw", "raw.txt", "--by", "single", "--teachers", "1"),
        *("--rounds", "1", "-o", "self.tw", "--json"),
    )
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert (report["trees"], report["raw_sentences"], report["raw_sentences_left_out"]) == (3, 2, 0)
    Path("empty.txt").write_text("\n\n")
    refused = run("selftrain", "--labelled", "trees.mrg", "--raw", "empty.txt", "-o", "other.tw")
    assert (refused.returncode, refused.stderr) == (1, "treewright: empty.txt: there is no sentence\n")
