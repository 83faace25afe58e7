"""`treewright rewrite`: what it writes, reports and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from oracles.processes import Run, runner

CONLLU = """\
# sent_id = dogs-1
1\tDogs\tdog\tNOUN\t_\t_\t2\tnsubj\t2:nsubj\t_
2\tchase\tchase\tVERB\t_\t_\t0\troot\t0:root\t_
3\tcats\tcat\tNOUN\t_\t_\t2\tdobj\t2:dobj\t_


# sent_id = run-2
1\tRun\trun\tVERB\t_\t_\t0\troot\t0:root\t_
"""
RULES = """\
rule object { pattern { e: V -[dobj]-> O } commands { e.label = obj } }  % UD 1 to UD 2
rule unused { pattern { X [upos=ADV] } commands { X.upos = ADJ } }
"""


@pytest.fixture
def rewrite(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs the command in a folder with rules and a treebank; status, output and errors come back."""
    monkeypatch.chdir(tmp_path)
    Path("pets.conllu").write_text(CONLLU, encoding="utf-8")
    Path("fixes.grs").write_text(RULES, encoding="utf-8")

    return runner(monkeypatch, capsys, "rewrite")


def test_one_changed_relation_changes_one_line_and_rules_are_counted(rewrite: Run) -> None:
    status, out, err = rewrite("fixes.grs", "pets.conllu", "-o", "new.conllu")
    assert (status, out) == (0, "")
    assert Path("new.conllu").read_text(encoding="utf-8") == CONLLU.replace("dobj\t2:dobj", "obj\t2:obj")
    assert err.splitlines() == [
        "treewright: object: applied 1 time in 1 sentence",
        "treewright: unused: applied 0 times in 0 sentences",
        "treewright: 1 of 2 sentences changed",
    ]


def test_a_treebank_can_be_rewritten_in_place_and_into_a_folder(rewrite: Run) -> None:
    Path("more.conllu").write_text(CONLLU, encoding="utf-8")
    assert rewrite("fixes.grs", "pets.conllu", "more.conllu", "-o", "new/", "-q") == (0, "", "")
    assert rewrite("fixes.grs", "pets.conllu", "-o", "pets.conllu", "-q") == (0, "", "")
    expected = CONLLU.replace("dobj", "obj")
    for name in ("pets.conllu", "new/pets.conllu", "new/more.conllu"):
        assert Path(name).read_text(encoding="utf-8") == expected


def test_the_report_as_json(rewrite: Run) -> None:
    _, out, err = rewrite("fixes.grs", "pets.conllu", "--json")
    assert out == CONLLU.replace("dobj", "obj")
    assert json.loads(err) == {
        "sentences": 2,
        "changed": 1,
        "rules": {"object": {"applied": 1, "sentences": 1}, "unused": {"applied": 0, "sentences": 0}},
    }


def test_errors_name_rule_and_place_and_leave_the_file(rewrite: Run) -> None:
    Path("bad.grs").write_text("rule r { pattern { e: V -[dobj]-> O }\n  commands { del_edge f } }", encoding="utf-8")
    status, _, err = rewrite("bad.grs", "pets.conllu", "-o", "pets.conllu")
    assert status == 1
    assert err.splitlines() == [
        "treewright: bad.grs:2:14: no edge f in the pattern of this rule",
        "    commands { del_edge f } }",
        " " * 15 + "^",
    ]
    Path("bad.grs").write_text("rule r { pattern { e: V -[dobj]-> O } commands { del_edge e } }", encoding="utf-8")
    status, _, err = rewrite("bad.grs", "pets.conllu", "-o", "pets.conllu")
    assert status == 1
    assert "pets.conllu:1: after rule r the sentence is not a tree: " in err
    assert Path("pets.conllu").read_text(encoding="utf-8") == CONLLU
    assert rewrite("no.grs", "pets.conllu")[2] == "treewright: no.grs: No such file or directory\n"
