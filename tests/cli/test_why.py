"""`treewright why` and `treewright parse --kbest`: what they print, and what they refuse."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from oracles.pipelines import pipeline
from oracles.processes import Run, runner

import treewright as tw

TEXT = "The old dog sees a house. Every teacher hears this song."


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """run(*arguments) is `treewright arguments` in a folder with a model and two sentences."""
    monkeypatch.chdir(tmp_path)
    pipeline().save("my.tw")
    pipeline().trained_parser.save("my.parser")
    Path("text.txt").write_text(TEXT, encoding="utf-8")
    sentences = pipeline()(TEXT)
    for name, sentence in zip("ab", sentences, strict=True):
        sentence.sent_id = f"s-{name}"
    tw.write(sentences, "two.conllu")
    return runner(monkeypatch, capsys)


# -- explain


@pytest.mark.parametrize("model", ["my.tw", "my.parser"])
@pytest.mark.parametrize("sentence", ["2", "s-b"])
@pytest.mark.parametrize(("word", "head"), [("4", "3"), ("this", "hears")])
def test_an_explanation_is_that_of_the_parser(run: Run, model: str, sentence: str, word: str, head: str) -> None:
    ended = run("why", model, "two.conllu", "--sentence", sentence, "--word", word, "--head", head, "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    answer = pipeline().why_not(list(tw.read("two.conllu"))[1], head=3, modifier=4)
    assert json.loads(ended.stdout) == json.loads(json.dumps(answer.to_dict()))


def test_the_text_has_the_difference_and_a_drawing_of_both_trees(run: Run) -> None:
    ended = run("why", "my.tw", "text.txt", "--sentence", "2", "--word", "this", "--head", "hears")
    answer = pipeline().why_not(pipeline()(TEXT)[1], head=3, modifier=4)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith(f"{answer}\n\n")
    assert "Every" in ended.stdout.partition("\n\n")[2]
    assert ended.stdout.endswith("(dashed: not in the other tree). Below: the other tree.\n")
    own = run("why", "my.tw", "text.txt", "--sentence", "2", "--word", "this", "--head", "song")
    assert own.stdout.startswith("this is attached to song in the parser's tree")
    assert "Below:" not in own.stdout


def test_without_a_head_the_alternatives_are_listed(run: Run) -> None:
    alternatives = pipeline().alternatives(pipeline()(TEXT)[0], 1, count=3)
    arguments = ("why", "my.tw", "--text", TEXT, "--word", "The", "--max", "3")
    assert run(*arguments).stdout == f"{alternatives}\n"
    assert json.loads(run(*arguments, "--json").stdout) == json.loads(json.dumps(alternatives.to_dict()))


def test_the_root_is_a_head_and_standard_input_is_read(run: Run) -> None:
    for head in ("0", "root"):
        ended = run("why", "my.tw", "--word", "3", "--head", head, "--json", stdin=TEXT)
        assert json.loads(ended.stdout)["rival"]["words"][2]["head"] == 0


def test_the_english_model_is_used_if_none_is_given(run: Run) -> None:
    ended = run("why", "text.txt", "--word", "2")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("old is attached to dog (amod), probability ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sentence", "3", "--word", "1"], "two.conllu has 2 sentences; --sentence is 3"),
        (["--sentence", "x", "--word", "1"], "two.conllu has 2 sentences, none with sent_id 'x' (--sentence)"),
        (["--word", "cat"], "--word is 'cat', which is no word of the sentence: 1:The 2:old 3:dog 4:sees 5:a"),
        (["--word", "8"], "--word is '8', which is no word of the sentence: 1:The"),
        (["--word", "1", "--head", "cat"], "--head is 'cat', which is no word of the sentence"),
        (["--word", "1", "--head", "1"], "head and modifier are both 1; no word is its own head"),
    ],
)
def test_what_does_not_exist_is_named(run: Run, arguments: list[str], message: str) -> None:
    ended = run("why", "my.tw", "two.conllu", *arguments)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith(f"treewright: {message}")


def test_a_form_that_occurs_twice_needs_a_number(run: Run) -> None:
    ended = run("why", "my.tw", "--text", "a dog sees a house.", "--word", "a")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "--word is 'a', which occurs 2 times; give a number: 1:a 2:dog 3:sees 4:a" in ended.stderr


def test_bad_usage(run: Run) -> None:
    assert run("why", "two.conllu").returncode == 2
    assert "give the word to explain" in run("why", "two.conllu").stderr
    assert run("why", "two.conllu", "text.txt", "--word", "1").returncode == 2
    assert run("why", "two.conllu", "--text", TEXT, "--word", "1").returncode == 2


# -- the k best trees


def test_the_k_best_trees_are_written_with_rank_value_and_probability(run: Run) -> None:
    ended = run("parse", "my.tw", "two.conllu", "--kbest", "3")
    assert ended.returncode == 0
    assert ended.stderr.startswith("treewright: 2 sentences, 13 words, ")
    trees = list(tw.read(io.StringIO(ended.stdout)))
    expected = [tree for best in pipeline().kbest(tw.read("two.conllu"), 3) for tree in best]
    assert [tree.comment("rank") for tree in trees] == ["1", "2", "3"] * 2
    assert [tree.heads.tolist() for tree in trees] == [tree.heads.tolist() for tree in expected]
    assert [tree.comment("value") for tree in trees] == [f"{tree.parse.score:.4f}" for tree in expected]
    [first, second] = pipeline().kbest(tw.read("two.conllu"), 3)
    probabilities = [f"{value:.4g}" for value in (*first.probabilities, *second.probabilities)]
    assert [tree.comment("probability") for tree in trees] == probabilities
    assert [tree.sent_id for tree in trees] == ["s-a"] * 3 + ["s-b"] * 3
    assert trees[0].comment("treewright") == "certified"
    assert str(trees[1].comment("treewright")).startswith("gap ")


def test_the_first_of_the_k_best_trees_is_that_of_the_parser(run: Run) -> None:
    [best] = tw.read(io.StringIO(run("parse", "my.tw", "--text", TEXT[:26], "--kbest", "1").stdout))
    [parsed] = tw.read(io.StringIO(run("parse", "my.tw", "--text", TEXT[:26]).stdout))
    assert (best.forms, best.heads.tolist(), best.deprels) == (parsed.forms, parsed.heads.tolist(), parsed.deprels)


def test_the_k_best_trees_as_json_and_as_drawings(run: Run) -> None:
    ended = run("parse", "my.tw", "two.conllu", "--kbest", "2", "--to", "json", "-q")
    values = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [value["rank"] for value in values] == [1, 2, 1, 2]
    assert all(0 <= value["probability"] <= 1 for value in values)
    drawn = run("parse", "my.tw", "two.conllu", "--kbest", "2", "--to", "text", "-q").stdout
    assert drawn.count("rank 1: value ") == drawn.count(" below the best, probability ") == 2
    assert run("parse", "my.tw", "two.conllu", "--kbest", "2", "-o", "page.html", "-q").returncode == 0
    assert "s-b rank 2" in Path("page.html").read_text(encoding="utf-8")


def test_the_k_best_trees_need_the_exact_method(run: Run) -> None:
    ended = run("parse", "my.tw", "two.conllu", "--kbest", "2", "--method", "dd")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == "treewright: --kbest lists trees by exact search; leave out --method dd\n"


def test_the_k_best_trees_have_no_confidence_of_single_heads(run: Run) -> None:
    ended = run("parse", "my.tw", "two.conllu", "--kbest", "2", "--confidence")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "--kbest writes the probability of each tree, not of each head; leave out --confidence" in ended.stderr


def test_all_arcs_on_the_command_line(run: Run) -> None:
    for more in ([], ["--kbest", "1"]):
        ended = run("parse", "my.tw", "two.conllu", "--all-arcs", "-q", *more)
        assert ended.stdout.count("# treewright = certified\n") == 2
