"""`treewright induce` as a user types it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from treewright.induce import InducedParser

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "treewright", "induce", *arguments], capture_output=True, text=True)


def test_a_model_is_written_and_reads_back(tmp_path: Path) -> None:
    found = run(str(EXAMPLES / "sample.conllu"), "-o", str(tmp_path / "model.tw"), "--iterations", "3", "--rounds", "1")
    assert found.returncode == 0, found.stderr
    assert "valence model: 3 iterations, log likelihood a word" in found.stderr
    assert InducedParser.load(tmp_path / "model.tw").options.method == "joint"
    assert [path.name for path in tmp_path.iterdir()] == ["model.tw"]


def test_explain_prints_tables_and_json(tmp_path: Path) -> None:
    table = run(str(EXAMPLES / "sample.conllu"), "--method", "lc-dmv", "--explain", "--quiet")
    assert table.returncode == 0, table.stderr
    assert "What heads a sentence" in table.stdout
    assert table.stderr == ""
    machine = run(str(EXAMPLES / "sample.conllu"), "--method", "lc-dmv", "--json", "--quiet")
    assert sum(row["probability"] for row in json.loads(machine.stdout)["roots"]) == pytest.approx(1, rel=1e-9)


def test_mistakes_get_a_sentence(tmp_path: Path) -> None:
    nothing = run(str(EXAMPLES / "sample.conllu"))
    assert nothing.returncode == 1
    assert "give -o MODEL to keep it, or --explain to look at it" in nothing.stderr
    rules = tmp_path / "rules.toml"
    rules.write_text('VERB = ["NOON"]')
    bad = run(str(EXAMPLES / "sample.conllu"), "--rules", str(rules), "--explain")
    assert bad.returncode == 1
    assert "unknown tag 'NOON'" in bad.stderr
    long = run(str(EXAMPLES / "sample.conllu"), "--max-length", "1", "--explain")
    assert long.returncode == 1
    assert "no sentence to learn from" in long.stderr


def test_parse_reads_an_induced_model_like_any_other(tmp_path: Path) -> None:
    model = tmp_path / "model.tw"
    run(str(EXAMPLES / "sample.conllu"), "-o", str(model), "--method", "lc-dmv", "--quiet")
    command = [sys.executable, "-m", "treewright", "parse", str(model), str(EXAMPLES / "sample.conllu")]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert found.stdout.count("# treewright = certified") == 3
    assert "100.0 % of the trees certified" in found.stderr
    refused = subprocess.run([*command, "--method", "dd"], capture_output=True, text=True)
    assert refused.returncode == 1
    assert "an induced model finds projective trees, exactly" in refused.stderr
