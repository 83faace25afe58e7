"""`treewright grammar train --with`: trained, parsing, and its messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from oracles.processes import runner
from typer.testing import CliRunner, Result

from treewright.cli.app import app
from treewright.corpus import Tree

TREES = [
    "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))) (. .))",
    "(S (NP (NP (DT the) (NN dog)) (PP (IN with) (NP (DT a) (NN cat)))) (VP (VBZ sees)) (. .))",
    "(S (NP (DT a) (NN cat)) (VP (VBZ sees) (NP (DT the) (NN dog)) (PP (IN with) (NP (DT a) (NN dog)))) (. .))",
]


def run(*arguments: object, text: str | None = None) -> Result:
    return CliRunner().invoke(app, ["grammar", *map(str, arguments)], input=text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("joint")
    (folder / "train.mrg").write_text("\n".join(TREES * 8))
    (folder / "dev.mrg").write_text("\n".join(TREES))
    result = run("train", folder / "train.mrg", "--dev", folder / "dev.mrg", "--with", "dependencies", "-o",
                 folder / "joint.tw", "--json")  # fmt: skip
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["with"] == "dependencies"
    assert report["trees"] == 24
    return folder


def test_trees_are_parsed_and_the_summary_has_certificates_and_iterations(folder: Path) -> None:
    output = folder / "parsed.mrg"
    result = run("parse", folder / "joint.tw", folder / "dev.mrg", "-o", output, "--json")
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert summary["sentences"] == 3
    assert summary["certified"] == 1.0
    assert summary["iterations"] >= 3
    assert [Tree.parse(line).leaves() for line in output.read_text().splitlines()] == [
        Tree.parse(tree).leaves() for tree in TREES
    ]


def test_json_has_heads_and_scope(folder: Path) -> None:
    result = run("parse", folder / "joint.tw", "--to", "json", text="the dog sees .\n")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout.splitlines()[0])
    assert report["heads"] == [2, 3, 0, 3]
    assert "beam" in report["scope"]


def test_a_model_of_another_kind_is_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = runner(monkeypatch, capsys, "grammar")("parse", "en", str(folder / "dev.mrg"))
    assert ended.returncode == 1
    assert "grammar with dependencies" in ended.stderr
    assert "treewright grammar train --with dependencies TREES" in ended.stderr


@pytest.mark.parametrize(
    ("other", "kind"), [("dependencies", "treebank"), ("dependencies", "latent"), ("tags", "latent")]
)
def test_a_kind_that_agrees_with_no_other_model_is_refused(
    other: str, kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = runner(monkeypatch, capsys, "grammar")("train", "a.mrg", "--with", other, "--kind", kind, "-o", "a.tw")
    assert ended.returncode == 2
    assert "--kind: with dependencies it is collins, with tags collins or treebank" in ended.stderr


def test_a_file_without_trees_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.mrg").write_text("")
    ended = runner(monkeypatch, capsys, "grammar")(
        *("train", str(tmp_path / "empty.mrg"), "--with", "tags", "-o", str(tmp_path / "joint.tw"))
    )
    assert ended.returncode == 1
    assert "empty.mrg" in ended.stderr


def test_a_grammar_agrees_with_a_tagger(folder: Path) -> None:
    result = run(
        "train", folder / "train.mrg", "--dev", folder / "dev.mrg", "--with", "tags", "-o", folder / "tags.tw", "-q"
    )
    assert result.exit_code == 0, result.output
    result = run("parse", folder / "tags.tw", folder / "dev.mrg", "-o", folder / "tags.mrg", "--json", "--exact")
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert (summary["sentences"], summary["certified"], summary["without_tree"]) == (3, 1.0, 0)
    assert len((folder / "tags.mrg").read_text().splitlines()) == 3


def test_a_long_sentence_without_a_tree_is_named_with_the_limit(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "long.txt").write_text("with with the . a a\n")
    ended = runner(monkeypatch, capsys, "grammar")(
        "parse", str(folder / "joint.tw"), str(folder / "long.txt"), "--max-words", "5"
    )
    assert ended.returncode == 0
    assert ended.stdout == "(())\n"
    assert (
        "long.txt:1: the models have no tree for this sentence of 6 words, more than --max-words 5, in a limited "
        "search; --partial writes a cover"
    ) in ended.stderr


def test_a_drawing_has_the_tree_and_its_dependencies(folder: Path) -> None:
    result = run("parse", folder / "joint.tw", "-q", "-o", folder / "both.svg", text="the dog sees .\n")
    assert result.exit_code == 0, result.output
    drawing = (folder / "both.svg").read_text()
    assert 'class="branch"' in drawing
    assert "sees → dog" in drawing
    page = run("parse", folder / "joint.tw", "-q", "--to", "html", text="the dog sees .\n")
    assert page.stdout.count("<article") == 1
    assert '"below":{"words"' in page.stdout
