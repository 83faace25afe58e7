"""Graphs on the command line: train, parse, complete, pack, eval, reproduce."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from oracles.processes import runner
from oracles.treebank import enhanced_treebank, without_graph
from typer.testing import CliRunner

import treewright as tw
from treewright.cli.app import app
from treewright.papers import mcdonald2006
from treewright.parser import Labelling, ParserOptions, Pruning, Scoring


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graphs")
    gold = enhanced_treebank(12, seed=1)
    tw.write(enhanced_treebank(40), folder / "train.conllu")
    tw.write(gold, folder / "dev.conllu")
    tw.write([without_graph(sentence) for sentence in gold], folder / "trees.conllu")
    return folder


@pytest.fixture(scope="module")
def model(folder: Path) -> Path:
    options = ("--dev", folder / "dev.conllu", "--only", "parser", "--model", "arc", "--epochs", "2", "--graphs")
    said = run("train", folder / "train.conllu", *options, "-o", folder / "one.parser")
    assert "graphs    epoch 8/8" in said
    assert "graphs (F1): ELAS 100.00, EULAS 100.00, Extra 100.00" in said
    return folder / "one.parser"


def test_parse_and_complete_fill_deps_and_eval_counts_edges(folder: Path, model: Path) -> None:
    gold = (folder / "dev.conllu").read_text(encoding="utf-8")
    for command in ("parse", "complete"):
        run(command, model, folder / "trees.conllu", "--no-comment", "-o", folder / "found.conllu")
        assert (folder / "found.conllu").read_text(encoding="utf-8") == gold
    found = json.loads(run("eval", folder / "dev.conllu", folder / "found.conllu", "--json"))["scores"]
    assert [found[name]["f1"] for name in ("ELAS", "EULAS", "Edges", "Extra")] == [1.0] * 4
    assert (found["Edges"]["gold"], found["Extra"]["gold"]) == (54, 6)
    drawn = [run("show", folder / name, "--enhanced") for name in ("found.conllu", "trees.conllu")]
    assert [text.count("nsubj") for text in drawn] == [18, 12]  # the six edges outside the trees are drawn too


def test_a_graph_parser_is_trained_alone(folder: Path) -> None:
    said = run(
        "train", folder / "train.conllu", "--dev", folder / "dev.conllu", "--only", "graphs", "-o", folder / "g.tw"
    )
    assert "from the gold trees of the development sentences ELAS 100.00" in said


def test_data_without_graphs_and_bad_graphs_are_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    train, output = runner(monkeypatch, capsys, "train"), folder / "none.tw"
    ended = train(str(folder / "trees.conllu"), "-o", str(output), "--graphs")
    assert ended.returncode == 1
    assert "the training data has no graph to learn from: DEPS is empty" in ended.stderr
    bad = enhanced_treebank(4)
    bad[2].deps = ["2:nsubj|2:nsubj", *bad[2].deps[1:]]
    tw.write(bad, folder / "bad.conllu")
    ended = train(str(folder / "bad.conllu"), "--only", "graphs", "-o", str(output))
    assert ended.returncode == 1
    assert "bad.conllu:11: DEPS has 2:nsubj twice; expected it once" in ended.stderr
    assert not output.exists()


def test_edges_are_counted_by_heads_in_and_outside_the_tree() -> None:
    gold = enhanced_treebank(1)[0]
    system = gold.copy()
    system.deps = ["2:obj|3:nsubj", *gold.deps[1:]]
    scores = tw.evaluate.evaluate([gold], [system])
    edges, extra = scores["Edges"], scores["Extra"]
    assert (edges.correct, edges.gold, edges.system) == (4, 5, 5)
    assert (extra.correct, extra.gold, extra.system) == (0, 1, 1)


def test_tables_of_mcdonald_and_pereira(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bank = folder / "toy"
    bank.mkdir()
    tw.write(enhanced_treebank(40), bank / "train.conllu")
    for split in ("dev", "test"):
        tw.write(enhanced_treebank(12, seed=1), bank / f"{split}.conllu")
    options = ParserOptions(
        learner="mira", pruning=Pruning(bits=10), scoring=Scoring(bits=12, epochs=2), labelling=Labelling(bits=10)
    )
    study = mcdonald2006.Study(folder, "toy", options)
    rows = list(mcdonald2006.table3(study))
    assert [row.system for row in rows] == list(mcdonald2006.PUBLISHED3)
    assert [round(row.recall, 1) for row in rows] == [88.9, 88.9, 100.0, 100.0]  # of 54 edges, 6 are outside the tree
    assert [row.extra_recall for row in rows] == [0.0, 0.0, None, 100.0]
    systems = [row.system for row in mcdonald2006.table2(study)]
    assert set(systems) == {*mcdonald2006.PUBLISHED2, "second order, exact", "second order, exact in training alone"}
    first = list(mcdonald2006.table1(study))
    assert [row.uas for row in first] == [100.0, 100.0]
    monkeypatch.setattr(mcdonald2006, "table1", lambda *arguments, **options: iter(first))
    monkeypatch.setattr(mcdonald2006, "table3", lambda *arguments, **options: iter(rows))
    shown = run("reproduce", "mcdonald2006", "table1", folder, "--treebank", "toy", "--quiet")
    assert "toy (published: WSJ)" in shown
    assert "100.0 (91.5)" in shown
    assert "100.0 (84.9)" in run("reproduce", "mcdonald2006", "table3", folder, "--quiet")
