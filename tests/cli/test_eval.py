"""`treewright eval`: what it prints, what it refuses, how it ends."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from oracles.processes import Run, run_process, runner

from treewright.evaluate import evaluate

EXAMPLES = Path(__file__).parents[2] / "examples"
GOLD, SYSTEM = str(EXAMPLES / "sample.conllu"), str(EXAMPLES / "parsed.conllu")
GRAPHS = "1 cats _ _ _ _ 0 root 0:root _\n2 and _ _ _ _ 3 cc 3:cc _\n3 dogs _ _ _ _ 1 conj 0:root|1:conj:and _\n\n"
TREES = "( (S (NP-SBJ (DT the) (NN dog)) (VP (VBZ barks)) (. .)))\n( (S (NP (PRP it)) (VP (VBD ran))))\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """run(*arguments) is `treewright eval arguments` in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return runner(monkeypatch, capsys, "eval")


def test_the_command_as_users_call_it() -> None:
    ended = run_process([sys.executable, "-m", "treewright", "eval", GOLD, SYSTEM], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "LAS" in ended.stdout


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("scores", []),
        ("relation", ["--by", "relation"]),
        ("arc-length", ["--by", "arc-length", "--no-punct"]),
        ("sentence-length", ["--by", "sentence-length"]),
        ("projectivity", ["--by", "projectivity"]),
        ("json", ["--json"]),
        ("comparison", [GOLD, "--samples", "100"]),
    ],
)
def test_tables(name: str, options: list[str], run: Run, golden: Callable[[str, str], None]) -> None:
    ended = run(GOLD, SYSTEM, *options)
    assert (ended.returncode, ended.stderr) == (0, "")
    golden(f"eval/{name}.txt", ended.stdout.replace(str(EXAMPLES), "examples"))


def test_graphs_and_brackets(run: Run, golden: Callable[[str, str], None], tmp_path: Path) -> None:
    (tmp_path / "g.conllu").write_text(GRAPHS.replace(" ", "\t"), encoding="utf-8")
    (tmp_path / "s.conllu").write_text(GRAPHS.replace(" ", "\t").replace(":and", ""), encoding="utf-8")
    golden("eval/graphs.txt", run("g.conllu", "s.conllu").stdout)
    (tmp_path / "g.mrg").write_text(TREES, encoding="utf-8")
    (tmp_path / "s.mrg").write_text(TREES.replace("(NP (PRP it))", "(PRP it)"), encoding="utf-8")
    golden("eval/brackets.txt", run("g.mrg", "s.mrg", "--by", "label").stdout)


def test_json_says_what_the_library_says(run: Run) -> None:
    report = json.loads(run(GOLD, SYSTEM, "--by", "relation", "--json").stdout)
    assert report == json.loads(json.dumps(evaluate(GOLD, SYSTEM, by="relation").as_dict()))


def test_standard_input(run: Run) -> None:
    text = Path(SYSTEM).read_text(encoding="utf-8")
    assert run(GOLD, "-", stdin=text).stdout == run(GOLD, SYSTEM).stdout


def test_bad_input_is_named_with_file_and_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.conllu").write_text(GRAPHS.replace(" ", "\t").replace("\t0\t", "\t7\t"), encoding="utf-8")
    (tmp_path / "good.conllu").write_text(GRAPHS.replace(" ", "\t"), encoding="utf-8")
    ended = run("good.conllu", "bad.conllu")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("treewright: bad.conllu:1: HEAD of word 1 is '7'; expected 0 (the root)")
    other = run(GOLD, "good.conllu")
    assert other.returncode == 1
    assert f"{GOLD}:3 and good.conllu:1: the texts part at the very beginning" in other.stderr
    missing = run(GOLD, "none.conllu")
    assert (missing.returncode, missing.stderr) == (1, "treewright: none.conllu: No such file or directory\n")


def test_bad_sentences_are_left_out_on_demand(run: Run, tmp_path: Path) -> None:
    good = GRAPHS.replace(" ", "\t")
    (tmp_path / "gold.conllu").write_text(good + good, encoding="utf-8")
    (tmp_path / "bad.conllu").write_text(good + good.replace("\t0\t", "\t7\t"), encoding="utf-8")
    ended = run("gold.conllu", "bad.conllu", "--skip-bad")
    assert ended.returncode == 0
    assert ended.stderr == "treewright: 1 bad sentence left out of both files\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([GOLD], "eval needs SYSTEM"),
        ([GOLD, SYSTEM, "--by", "length"], "--by is length; expected one of relation, arc-length, "),
        ([GOLD, SYSTEM, "--by", "label"], "labels are for brackets; dependencies have relations"),
        ([GOLD, SYSTEM, SYSTEM, "--by", "relation"], "one system is broken down at a time"),
        (["g.mrg", SYSTEM, SYSTEM], "the brackets of one system are scored at a time"),
        (["g.mrg", SYSTEM, "--by", "relation"], "brackets can be broken down by label"),
    ],
)
def test_bad_usage_ends_with_two(arguments: list[str], message: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "g.mrg").write_text(TREES, encoding="utf-8")
    ended = run(*arguments)
    assert ended.returncode == 2
    assert message in " ".join(ended.stderr.replace("│", " ").split())


def test_help_teaches(run: Run) -> None:
    ended = run("--help")
    assert ended.returncode == 0
    assert "treewright eval dev.conllu parsed.conllu --by relation" in ended.stdout
