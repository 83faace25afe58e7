"""`treewright grammar train --kind latent` and `complete` with a grammar, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from oracles.phrases import PENN_TREES
from oracles.processes import Run, runner

import treewright as tw


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trees.mrg").write_text(PENN_TREES)
    (tmp_path / "raw.txt").write_text("The dog sleeps .\n\n   \nThe man barks .\n")
    return runner(monkeypatch, capsys, "grammar")


def test_a_product_is_trained_with_scores_of_each_round_and_parses(run: Run) -> None:
    train = ("train", "trees.mrg", "--dev", "trees.mrg", "--kind", "latent", "--rounds", "1", "--product", "2")
    ended = run(*train, "-o", "model.tw", "--json")
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert [(one["stage"], one["epoch"]) for one in report["epochs"]] == [
        (f"grammar {member}", number) for member in (1, 2) for number in (0, 1)
    ]
    assert report["epochs"][-1]["f1"] == 100.0
    assert isinstance(tw.load("model.tw"), tw.grammar.LatentGrammar)
    assert not list(Path().glob("*.checkpoint*"))
    parsed = run("parse", "model.tw", "raw.txt")
    assert "certified" not in parsed.stderr, "there is no proof for max-rule trees"
    assert parsed.stdout.splitlines() == [
        "( (S (NP (DT The) (NN dog)) (VP (VBZ sleeps)) (. .)))",
        "( (S (NP (DT The) (NN man)) (VP (VBZ barks)) (. .)))",
    ]


def test_trees_without_binary_rules_are_trained_on(run: Run) -> None:
    Path("short.mrg").write_text("(NP (NN dog))\n(NP (NN man))\n")
    assert run("train", "short.mrg", "--kind", "latent", "--rounds", "1", "-o", "model.tw", "-q").returncode == 0
    assert run("parse", "model.tw", stdin="dog\n").stdout == "(NP (NN dog))\n"


def test_complete_keeps_given_phrases(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("train", "trees.mrg", "--kind", "latent", "--rounds", "1", "-o", "model.tw", "-q").returncode == 0
    Path("partial.mrg").write_text("(S (NP-SBJ She) saw the dog (_ with the glass) .)\n(S (XP She) saw .)\n")
    complete = runner(monkeypatch, capsys, "complete")
    completed = complete("model.tw", "partial.mrg", "--skip-bad")
    assert "certified" not in completed.stderr  # max-rule trees have no proof
    assert completed.stdout.splitlines()[0] == (
        "(S (NP-SBJ (PRP She)) (VP (VBD saw) (NP (DT the) (NN dog)) (PP (IN with) (NP (DT the) (NN glass)))) (. .))"
    )
    assert completed.stdout.splitlines()[1] == "(S (XP She) saw .)"
    assert "unchanged: partial.mrg:2: there is no label 'XP' in the grammar" in completed.stderr
    refused = complete("model.tw", "partial.mrg")
    assert refused.returncode == 1
    assert "partial.mrg:2: there is no label 'XP'" in refused.stderr
