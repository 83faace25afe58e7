"""`treewright grep`: what it prints, writes and refuses, and its exit status."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from oracles.conllu import PETS
from oracles.processes import Run, run_process, runner


@pytest.fixture
def grep(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs the command in a folder with two files; status, output and errors come back."""
    monkeypatch.chdir(tmp_path)
    Path("pets.conllu").write_text(PETS, encoding="utf-8")
    Path("run.conllu").write_text(PETS[PETS.index("# sent_id = run-3") :], encoding="utf-8")

    return runner(monkeypatch, capsys, "grep")


def test_each_matching_is_a_line_with_its_place(grep: Run) -> None:
    status, out, err = grep("pattern { e: V -[nsubj|conj]-> N }", "pets.conllu")
    assert out.splitlines() == [
        "place\tsent_id\tV.form\tN.form\te.label",
        "pets.conllu:3\tdogs-1\tchase\tDogs\tnsubj",
        "pets.conllu:10\tsue-2\treads\tSue\tnsubj",
        "pets.conllu:11\tsue-2\treads\twrites\tconj",
    ]
    assert (status, err) == (0, "treewright: 3 matches in 2 of 3 sentences\n")


def test_nothing_found_has_status_1(grep: Run) -> None:
    assert grep("V [upos=ADV]", "pets.conllu", "-q") == (1, "", "")


def test_a_syntax_error_has_status_2_line_column_and_a_caret(grep: Run) -> None:
    status, out, err = grep("pattern { V [upos=VERB] V -> N }", "pets.conllu")
    assert (status, out) == (2, "")
    assert err.splitlines() == [
        "treewright: request:1:25: 'V'; expected ';' or '}' here",
        "  pattern { V [upos=VERB] V -> N }",
        " " * 26 + "^",
    ]


def test_bad_files_and_options_have_status_2(grep: Run) -> None:
    assert grep("V -> N", "no.conllu") == (2, "", "treewright: no.conllu: No such file or directory\n")
    Path("bad.conllu").write_text("1\tx\n\n", encoding="utf-8")
    status, _, err = grep("V -> N", "bad.conllu")
    assert status == 2
    assert err.startswith("treewright: bad.conllu:1: 2 columns")
    assert grep("V -> N", "pets.conllu", "--columns", "X.form")[0] == 2
    for options, problem in {
        ("--count", "--columns", "V.form"): "--count and --columns exclude each other",
        ("-v", "--cluster", "V.form"): "-v selects sentences without a match",
        ("--count", "--to", "html"): "--count prints a table",
        ("--columns", "V.form", "-o", "x.html"): "--columns prints a table",
    }.items():
        status, _, err = grep("V -> N", "pets.conllu", *options)
        assert status == 2
        assert problem in " ".join(err.split())
    assert grep()[0] == 2
    assert "pets.conllu is a file; the request comes first" in grep("pets.conllu")[2]


def test_matchings_are_counted_by_file_with_the_total_last(grep: Run) -> None:
    assert grep("V -[conj|nsubj]-> N", "pets.conllu", "--count") == (0, "3\n", "")
    assert grep("V -[nsubj]-> N", "pets.conllu", "run.conllu", "-c")[1] == "pets.conllu\t2\nrun.conllu\t0\ntotal\t2\n"
    assert grep("V -[nsubj]-> N", "run.conllu", "-c") == (1, "0\n", "")
    assert grep("V -[nsubj]-> N", "pets.conllu", "-c", "-v") == (0, "1\n", "")


def test_columns_are_a_table_of_values(grep: Run) -> None:
    _, out, _ = grep("V -[nsubj]-> N", "pets.conllu", "--columns", "V.lemma,N.Number")
    assert out == "V.lemma\tN.Number\nchase\tPlur\nread\t_\n"
    _, out, _ = grep("V -[nsubj]-> N", "pets.conllu", "--columns", "V.lemma,N.Number", "--to", "json")
    assert [json.loads(line) for line in out.splitlines()][1] == {"V.lemma": "read", "N.Number": None}


def test_clusters_count_values_the_most_frequent_first(grep: Run) -> None:
    _, out, _ = grep("e: V -> N", "pets.conllu", "--cluster", "e.label")
    assert out.splitlines() == ["count\te.label", "3\troot", "2\tnsubj", "1\tcc", "1\tconj", "1\tobj", "1\tpunct"]
    _, out, _ = grep("e: V -> N", "pets.conllu", "--cluster", "e.label,N.upos", "--to", "json", "-q")
    assert json.loads(out.splitlines()[0]) == {"count": 3, "e.label": "root", "N.upos": "VERB"}


def test_sentences_are_written_as_they_were_read(grep: Run) -> None:
    first, second, third = (f"{block}\n\n" for block in PETS.strip().split("\n\n"))
    assert grep("V -[nsubj|obj]-> N", "pets.conllu", "--to", "conllu")[1] == first + second
    assert grep("V -[nsubj]-> N", "pets.conllu", "-v", "-o", "others.conllu")[0] == 0
    assert Path("others.conllu").read_text(encoding="utf-8") == third


def test_json_has_nodes_and_edges(grep: Run) -> None:
    _, out, _ = grep("e: R -[root]-> V; V [form=Run]", "pets.conllu", "--to", "json")
    assert json.loads(out) == {
        "source": "pets.conllu", "sent_id": "run-3", "text": "Run", "line": 16,
        "nodes": {"R": {"id": 0, "form": "__0__"}, "V": {"id": 1, "form": "Run"}},
        "edges": {"e": {"head": 0, "modifier": 1, "label": "root"}},
    }  # fmt: skip


def test_a_page_marks_what_was_found(grep: Run) -> None:
    assert grep("pattern { V -[nsubj]-> N }", "pets.conllu", "-o", "hits.html")[0] == 0
    page = Path("hits.html").read_text(encoding="utf-8")
    assert "<title>pattern { V -[nsubj]-&gt; N }</title>" in page
    assert page.count("<article") == 2
    assert page.count('"markedWords":[1,2],"markedArcs":[0]') == 2


def test_the_request_can_be_a_file(grep: Run) -> None:
    Path("subjects.req").write_text("% subjects\npattern { V -[nsubj]-> N }\n", encoding="utf-8")
    assert grep("-f", "subjects.req", "pets.conllu", "-c") == (0, "2\n", "")
    Path("subjects.req").write_text("pattern {\n  V -[nsubj]- N }\n", encoding="utf-8")
    assert grep("-f", "subjects.req", "pets.conllu", "-c")[2].startswith("treewright: subjects.req:2:12: ")


def test_max_ends_the_search(grep: Run) -> None:
    assert grep("V -> N", "pets.conllu", "--max", "3", "-c") == (0, "3\n", "")
    assert len(grep("V -> N", "pets.conllu", "--max", "5", "-q")[1].splitlines()) == 1 + 5
    assert grep("V [upos=ADV]", "pets.conllu", "-v", "--max", "2", "-c")[1] == "2\n"


def test_a_reader_that_closes_the_pipe_is_no_error(grep: Run) -> None:
    Path("long.conllu").write_text(PETS * 2000, encoding="utf-8")
    command = f"{sys.executable} -m treewright grep 'V -> N' long.conllu | head -2; exit ${{PIPESTATUS[0]}}"
    result = run_process(["bash", "-c", command], capture_output=True, text=True)
    assert (result.returncode, len(result.stdout.splitlines()), result.stderr) == (0, 2, "")
