"""`treewright project`: make, import, agree, export, check, train; messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from oracles.processes import Run, runner
from oracles.projects import TREEBANK

from treewright.annotate import Project


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(monkeypatch, capsys)


@pytest.fixture
def project(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trees.conllu").write_bytes(TREEBANK.encode())
    ended = run("project", "new", "work", "trees.conllu", "--author", "eva")
    assert ended.stderr == "treewright: work: 3 sentences\n"
    return tmp_path / "work"


def test_layers(run: Run, project: Path, tmp_path: Path) -> None:
    whole = "\n\n".join(TREEBANK.split("\n\n")[:2]) + "\n\n"
    (tmp_path / "ana.conllu").write_text(whole)
    (tmp_path / "ben.conllu").write_text(whole.replace("\t6\tamod\t", "\t3\tamod\t").replace("\tADJ\t", "\tNOUN\t"))
    for name in ("ana", "ben"):
        run("project", "import", "work", f"{name}.conllu", "--layer", name)
    [pair] = json.loads(run("project", "agree", "work", "--json").stdout)["pairs"]
    assert (pair["a"], pair["b"], pair["words"], pair["different_words"]) == ("ana", "ben", 15, 2)
    assert (pair["uas"], pair["las"]) == (14 / 15, 14 / 15)
    assert run("project", "export", "work", "--layer", "ana").stdout == TREEBANK
    assert run("project", "status", "work").stdout.splitlines()[1:] == [
        "ana: 2 accepted, 0 started",
        "ben: 2 accepted, 0 started",
    ]
    assert run("project", "check", "work").returncode == 0


def test_export_writes_changed_files_only(run: Run, project: Path) -> None:
    assert run("project", "export", "work", "-o", "out").stderr == "treewright: wrote out/trees.conllu\n"
    assert Path("out/trees.conllu").read_bytes() == TREEBANK.encode()
    assert run("project", "export", "work", "-o", "out").stderr == ""


def test_people(run: Run, project: Path) -> None:
    token = run("project", "users", "work", "--add", "ana").stdout.strip()
    assert run("project", "users", "work").stdout == "eva\tmanager\nana\tannotator\n"
    with Project.open(project) as opened:
        person = opened.people.with_token(token)
        assert person is not None
        assert person.name == "ana"
        ended = run("project", "import", "work", "trees.conllu")
    assert ended.returncode == 1
    assert ended.stderr == "treewright: work: the project is open in another program; close that one first\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("new", "work", "trees.conllu"), "work: there is something already; give the name of a new folder"),
        (("status", "nowhere"), "nowhere: no project here; `treewright project new nowhere FILES` makes one"),
        (("agree", "work"), "0 layer given; agreement needs two or more"),
        (("agree", "work", "a", "b"), "nothing is annotated in the layer a"),
        (("train", "work"), "2 sentences are annotated; training needs at least 10"),
        (("import", "work", "missing.conllu"), "missing.conllu: No such file or directory"),
        (("import", "work", "trees.conllu", "--layer", "x"), "word 1 has no head (_); expected a complete tree"),
    ],
)
def test_messages(run: Run, project: Path, arguments: tuple[str, ...], message: str) -> None:
    ended = run("project", *arguments)
    assert ended.returncode == 1
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_check_finds_damage(run: Run, project: Path) -> None:
    with Project.open(project) as opened:
        opened.editor.apply(2, "eva", "eva", "a", 0, [{"kind": "head", "word": 1, "head": 4}])
        opened._store.run("UPDATE tree SET draft = replace(draft, '\"4\"', '\"3\"')")
    ended = run("project", "check", "work")
    assert ended.returncode == 1
    assert "sentence 2, layer eva: the journal gives another state than the stored one" in ended.stdout
