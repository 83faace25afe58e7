"""`treewright induce` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from oracles.processes import Run, runner
from typer.testing import CliRunner

from treewright.cli.induce import app
from treewright.errors import InputError
from treewright.induce import InducedParser
from treewright.model import checkpoint

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """run(command, *arguments) is `treewright command arguments`."""
    return runner(monkeypatch, capsys)


def test_a_model_is_written_and_reads_back(run: Run, tmp_path: Path) -> None:
    arguments = (
        str(EXAMPLES / "sample.conllu"),
        "-o",
        str(tmp_path / "model.tw"),
        "--iterations",
        "3",
        "--rounds",
        "1",
    )
    ended = run("induce", *arguments)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.startswith("settings  method joint, max_length 15, rules ud, start klein-manning")
    assert "  joint  weight balanced, rounds 1," in ended.stderr
    lines = ended.stderr.splitlines()
    assert sum(line.startswith("DMV       epoch ") for line in lines) == 3
    assert sum(line.startswith("joint training  epoch 1/1  log likelihood a word -") for line in lines) == 1
    assert InducedParser.load(tmp_path / "model.tw").options.method == "joint"
    assert [path.name for path in tmp_path.iterdir()] == ["model.tw"]


def test_explain_prints_tables_and_json(run: Run, tmp_path: Path) -> None:
    table = run("induce", str(EXAMPLES / "sample.conllu"), "--algorithm", "lc-dmv", "--explain", "--quiet")
    assert table.returncode == 0, table.stderr
    assert "Roots of sentences" in table.stdout
    assert table.stderr == ""
    machine = run("induce", str(EXAMPLES / "sample.conllu"), "--algorithm", "lc-dmv", "--json", "--quiet")
    assert sum(row["probability"] for row in json.loads(machine.stdout)["roots"]) == pytest.approx(1, rel=1e-9)


def test_mistakes_get_a_sentence(run: Run, tmp_path: Path) -> None:
    nothing = run("induce", str(EXAMPLES / "sample.conllu"))
    assert nothing.returncode == 1
    assert "give -o MODEL to save it, or --explain to print its parameters" in nothing.stderr
    rules = tmp_path / "rules.toml"
    rules.write_text('VERB = ["NOON"]')
    bad = run("induce", str(EXAMPLES / "sample.conllu"), "--rules", str(rules), "--explain")
    assert bad.returncode == 1
    assert "unknown tag 'NOON'" in bad.stderr
    long = run("induce", str(EXAMPLES / "sample.conllu"), "--max-length", "1", "--explain")
    assert long.returncode == 1
    assert "no sentence to learn from" in long.stderr


def test_parse_reads_an_induced_model_like_any_other(run: Run, tmp_path: Path) -> None:
    model = tmp_path / "model.tw"
    run("induce", str(EXAMPLES / "sample.conllu"), "-o", str(model), "--algorithm", "lc-dmv", "--quiet")
    command = ["parse", str(model), str(EXAMPLES / "sample.conllu")]
    ended = run(*command)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("# treewright = certified") == 3
    assert "not certified" not in ended.stderr
    refused = run(*command, "--method", "dd")
    assert refused.returncode == 1
    assert "an induced model has one decoder, which is projective" in refused.stderr


def test_interrupted_it_leaves_no_model_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treewright.model.checkpoint.CHECKPOINT_TIME_SHARE", float("inf"))
    arguments = [str(EXAMPLES / "sample.conllu"), "--quiet", "--rounds", "2", "-o"]
    assert CliRunner().invoke(app, [*arguments, str(tmp_path / "whole.tw")]).exit_code == 0
    model, save, saved = tmp_path / "model.tw", checkpoint.save, []

    def save_and_stop(*given: Any) -> None:
        save(*given)
        saved.append(given)
        if len(saved) == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(checkpoint, "save", save_and_stop)
        stopped = CliRunner().invoke(app, [*arguments, str(model)])
    assert stopped.exit_code != 0
    assert "the same command with --resume continues from" in stopped.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.tw.checkpoint", "whole.tw"]
    again = CliRunner().invoke(app, [*arguments, str(model)])
    assert isinstance(again.exception, InputError)
    assert "model.tw.checkpoint: a training was interrupted here; continue it with resume" in str(again.exception)
    assert CliRunner().invoke(app, [*arguments, str(model), "--resume"]).exit_code == 0
    assert model.read_bytes() == (tmp_path / "whole.tw").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.tw", "whole.tw"]
