"""`treewright show`: what it prints, writes and refuses."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from oracles.conllu import PETS
from oracles.processes import Run, runner

BRACKETS = "(S (NP (NNS Dogs)) (VP (VBP chase) (NP (NNS cats))) (. .))\n(S (VP (VB Run)))\n"


@pytest.fixture
def show(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs the command in a folder with two files; status, output and errors come back."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    Path("pets.conllu").write_text(PETS, encoding="utf-8")
    Path("pets.mrg").write_text(BRACKETS, encoding="utf-8")

    return runner(monkeypatch, capsys, "show")


def test_text_is_the_default(show: Run, golden: Callable[[str, str], None]) -> None:
    status, out, _ = show("pets.conllu")
    assert status == 0
    golden("cli/show.txt", out)


def test_brackets_are_recognised(show: Run, golden: Callable[[str, str], None]) -> None:
    status, out, _ = show("pets.mrg", "--ascii")
    assert status == 0
    golden("cli/show-brackets.txt", out)


def test_the_graph_and_other_columns_are_drawn_when_asked_for(show: Run, golden: Callable[[str, str], None]) -> None:
    status, out, _ = show("pets.conllu", "--id", "sue-2", "--enhanced", "--columns", "id,lemma", "--color", "always")
    assert status == 0
    golden("cli/show-enhanced.txt", out)


@pytest.mark.parametrize(
    ("arguments", "numbers"),
    [
        (["--sentences", "2"], [2]),
        (["--sentences", "1,3"], [1, 3]),
        (["--sentences", "2-"], [2, 3]),
        (["--sentences", "1-2"], [1, 2]),
        (["--id", "run-3"], [3]),
        (["--id", "run-3", "--sentences", "1"], [1, 3]),
    ],
)
def test_sentences_are_chosen_by_number_and_name(show: Run, arguments: list[str], numbers: list[int]) -> None:
    _, out, _ = show("pets.conllu", *arguments)
    assert [int(line[2]) for line in out.splitlines() if line.startswith("# ")] == numbers


def test_gold_marks_what_is_wrong(show: Run) -> None:
    Path("gold.conllu").write_text(PETS.replace("2\tobj\t", "1\tobj\t"), encoding="utf-8")
    _, out, _ = show("pets.conllu", "--gold", "gold.conllu", "--sentences", "1")
    assert "obj ×" in out
    assert "missed, in gold only" in out


def test_arcs_that_were_given_are_marked(show: Run) -> None:
    Path("partial.conllu").write_text(PETS.replace("2\tobj\t", "_\t_\t"), encoding="utf-8")
    _, out, _ = show("pets.conllu", "--given", "partial.conllu", "--sentences", "1")
    assert "nsubj •" in out
    assert "─obj─" in out
    assert "• given" in out


def test_the_extension_chooses_the_format(show: Run) -> None:
    assert show("pets.conllu", "-o", "pets.html")[0] == 0
    assert Path("pets.html").read_text(encoding="utf-8").count("<article") == 3
    assert show("pets.conllu", "--sentences", "1", "-o", "dogs.svg")[0] == 0
    assert Path("dogs.svg").read_text(encoding="utf-8").startswith("<svg")
    assert show("pets.conllu", "--sentences", "1", "-o", "dogs.tex")[0] == 0
    assert Path("dogs.tex").read_text(encoding="utf-8").startswith("% 1 Dogs chase cats.\n\\begin{dependency}\n")
    assert show("pets.conllu", "-o", "pets.txt")[0] == 0
    assert "─nsubj─" in Path("pets.txt").read_text(encoding="utf-8")


def test_a_page_is_called_after_its_source_unless_it_has_a_title(show: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "<title>pets.conllu</title>" in show("pets.conllu", "--to", "html")[1]
    assert "<title>My pets</title>" in show("pets.conllu", "--to", "html", "--title", "My pets")[1]
    with Path("pets.conllu").open(encoding="utf-8") as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        assert "<title>Standard input</title>" in show("-", "--to", "html")[1]


def test_a_folder_takes_an_image_for_each_sentence(show: Run) -> None:
    assert show("pets.conllu", "-o", "drawings/") == (0, "", "")
    assert sorted(path.name for path in Path("drawings").iterdir()) == ["1.svg", "2.svg", "3.svg"]
    assert show("pets.conllu", "-o", "drawings", "--to", "html")[0] == 1
    assert (
        "drawings: a folder, which takes an image for each" in show("pets.conllu", "-o", "drawings", "--to", "text")[2]
    )


def test_several_svgs_go_into_a_folder(show: Run) -> None:
    assert show("pets.mrg", "--to", "svg", "-o", "drawings/") == (0, "", "")
    assert sorted(path.name for path in Path("drawings").iterdir()) == ["1.svg", "2.svg"]


def test_several_drawings_go_into_one_image(show: Run) -> None:
    assert show("pets.conllu", "-o", "pets.svg") == (0, "", "")
    assert Path("pets.svg").read_text(encoding="utf-8").count("<svg ") == 4  # three sentences in one
    assert show("pets.mrg", "-o", "pets.png") == (0, "", "")
    assert Path("pets.png").read_bytes().startswith(b"\x89PNG")


def test_a_drawing_goes_to_standard_output(show: Run) -> None:
    assert show("pets.conllu", "--to", "svg", "--id", "run-3")[1].startswith("<svg")
    assert show("pets.conllu", "--to", "html")[1].startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["missing.conllu"], 1, "missing.conllu: No such file or directory"),
        (["pets.conllu", "--sentences", "9"], 1, "pets.conllu has 3 sentences; --sentences has number 9"),
        (["pets.conllu", "--id", "cow"], 1, "pets.conllu has no sentence with sent_id 'cow'"),
        (["pets.mrg", "--id", "cow"], 1, "pets.mrg has no sentence with sent_id 'cow'"),
        (["pets.conllu", "--gold", "pets.mrg"], 1, "pets.conllu:1: gold is of another kind"),
        (["pets.conllu", "--columns", "colour"], 1, "pets.conllu:1: features has no column 'colour' to write under"),
        (["broken.conllu"], 1, "broken.conllu:1"),
        (["pets.conllu", "--sentences", "x"], 2, "--sentences has 'x'; write numbers and ranges, from 1"),
        (["pets.conllu", "--sentences", "0"], 2, "--sentences has '0'"),
        (["pets.conllu", "--gold", "pets.conllu", "--skip-bad"], 2, "--skip-bad would pair the wrong sentences"),
        (
            ["pets.conllu", "-o", "pets.pdf"],
            1,
            "pets.pdf: .pdf is not a format of this command; supported are .txt, .svg",
        ),
        (["pets.conllu", "--to", "svg", "-o", "pets.JPG"], 1, "pets.JPG: .jpg is not a format of this command"),
        (["pets.mrg", "--given", "pets.mrg"], 1, "given marks arcs of dependency trees"),
    ],
)
def test_what_cannot_be_done_is_said(show: Run, arguments: list[str], status: int, message: str) -> None:
    Path("broken.conllu").write_text("1\tonly\ttwo\n\n", encoding="utf-8")
    code, _, err = show(*arguments)
    flat = " ".join(err.replace("│", " ").split())
    assert (code, message in flat) == (status, True), err


def test_bad_sentences_can_be_left_out(show: Run) -> None:
    Path("mixed.conllu").write_text("1\tonly\ttwo\n\n" + PETS, encoding="utf-8")
    status, out, err = show("mixed.conllu", "--skip-bad")
    assert (status, out.count("# ")) == (0, 3)
    assert "mixed.conllu: left out 1 that could not be read" in err


def test_trees_are_drawn_with_the_dependencies_of_head_rules(show: Run) -> None:
    Path("t.mrg").write_text("( (S (NP-SBJ (DT the) (NN dog)) (VP (VBZ sleeps))) )")
    status, out, err = show("t.mrg", "--head-rules", "english", "--to", "svg")
    assert status == 0, err
    assert "sleeps → dog" in out
    assert 'class="branch"' in out
    status, _, err = show("t.mrg", "--head-rules", "none.heads")
    assert (status, "none.heads is neither a table" in err) == (1, True)
    status, _, err = show("pets.conllu", "--head-rules", "english")
    assert (status, "these sentences have dependencies" in err) == (1, True)
