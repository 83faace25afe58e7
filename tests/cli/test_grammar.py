"""`treewright grammar` as a user types it."""

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
    return runner(monkeypatch, capsys, "grammar")


@pytest.fixture
def trained(run: Run) -> Run:
    assert run("train", "trees.mrg", "-o", "model.tw", "-q").returncode == 0
    return run


def test_train_scores_on_dev_and_writes_a_model_that_loads(run: Run) -> None:
    ended = run("train", "trees.mrg", "--dev", "trees.mrg", "-o", "model.tw", "--vertical", "2")
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.startswith("treewright: model.tw: TreebankGrammar(4 labels, 7 tags;")
    assert ended.stderr.endswith("; on trees.mrg: F1 100.00, tags 100.00 %\n")
    assert isinstance(tw.load("model.tw"), tw.grammar.TreebankGrammar)
    report = json.loads(run("train", "trees.mrg", "--dev", "trees.mrg", "-o", "model.tw", "--json").stdout)
    assert (report["trees"], report["words"], report["dev"]["f1"]) == (3, 19, 1.0)


def test_every_input_gives_the_same_trees(trained: Run) -> None:
    words = "The dog barks .\nShe saw the dog with the glass .\n"
    Path("words.txt").write_text(words)
    sentences = [tw.Sentence.from_words(line.split()) for line in words.splitlines()]
    tw.write(sentences, "words.conllu")
    Path("two.mrg").write_text("".join(PENN_TREES.splitlines(keepends=True)[:2]))
    expected = [tw.corpus.strip_functions(tree) for tree in tw.read_trees("two.mrg")]
    for source in ("words.txt", "words.conllu", "two.mrg"):
        ended = trained("parse", "model.tw", source, "-q")
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout == "".join(f"{tree}\n" for tree in expected)
    assert trained("parse", "model.tw", "-q", stdin=words).stdout == ended.stdout
    assert trained("parse", "model.tw", "-q", "--threads", "2", stdin=words).stdout == ended.stdout
    text = trained("parse", "model.tw", "--input", "text", "-q", stdin="The dog barks.")
    assert text.stdout == f"{expected[0]}\n"


def test_straight_quotes_of_a_text_are_those_of_the_treebank(run: Run) -> None:
    tree = "(S (`` ``) (S (NP (DT The) (NN dog)) (VP (VBZ barks))) ('' '') (, ,) (NP (PRP she)) (VP (VBD said)) (. .))"
    Path("quoted.mrg").write_text(f"{tree}\n" * 3)
    assert run("train", "quoted.mrg", "-o", "model.tw", "-q").returncode == 0
    for kind, text in (("lines", '" The dog barks " , she said .'), ("text", '"The dog barks", she said.')):
        assert run("parse", "model.tw", "--input", kind, "-q", stdin=text).stdout == f"{tree}\n"


def test_output_is_brackets_json_or_a_drawing(trained: Run) -> None:
    ended = trained("parse", "model.tw", "trees.mrg", "-o", "out.jsonl")
    assert "not certified" not in ended.stderr
    lines = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert [line["certified"] for line in lines] == [True] * 3
    assert lines[0]["place"] == "trees.mrg:1"
    for name, sign in (("out.svg", "<svg"), ("out.html", "<article"), ("out.txt", "certified")):
        assert trained("parse", "model.tw", "trees.mrg", "-o", name, "-q").returncode == 0
        assert sign in Path(name).read_text()


def test_given_tags_are_kept(trained: Run) -> None:
    Path("tagged.mrg").write_text("(S (NP (PRP dog)) (VP (VBZ The)) (. .))\n")
    found = trained("parse", "model.tw", "tagged.mrg", "--tags", "-q")
    assert found.stdout == "( (S (NP (PRP dog)) (VP (VBZ The)) (. .)))\n"
    unknown = trained("parse", "model.tw", "tagged.mrg", "--tags", "-q", "--input", "lines")
    assert unknown.returncode == 2
    assert "an input of lines has no tags" in unknown.stderr
    Path("tagged.mrg").write_text("(S (NP (ZZ dog)))\n")
    ended = trained("parse", "model.tw", "tagged.mrg", "--tags")
    assert ended.returncode == 1
    assert ended.stderr.startswith("treewright: tagged.mrg:1: there is no tag 'ZZ' in the grammar; there are . DT IN")


@pytest.mark.parametrize("wrapper", ["", "ROOT", "S1", "TOP", None])
@pytest.mark.parametrize("kind", ["treebank", "collins", "latent"])
def test_trees_have_the_wrapper_of_the_training_data(run: Run, wrapper: str | None, kind: str) -> None:
    bare = "(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .))"
    tree = bare if wrapper is None else f"({wrapper} {bare})"
    Path("wrapped.mrg").write_text(f"{tree}\n" * 5)
    assert run("train", "wrapped.mrg", "-o", "model.tw", "--kind", kind, "--rounds", "1", "-q").returncode == 0
    assert run("parse", "model.tw", "-q", stdin="The dog barks .").stdout == f"{tree}\n"


def test_bad_trees_are_an_error_or_left_out_and_counted(trained: Run) -> None:
    Path("mixed.mrg").write_text(
        "(S (NP (-NONE- *)))\n(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .))\n(S (NN dog)\n"
    )
    refused = trained("parse", "model.tw", "mixed.mrg")
    assert refused.returncode == 1
    assert refused.stderr == "treewright: mixed.mrg:1: the tree has no words, only traces; remove it\n"
    ended = trained("parse", "model.tw", "mixed.mrg", "--skip-bad")
    assert ended.stdout == "( (S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .)))\n"
    assert "left out 2 bad sentences: mixed.mrg:3: the tree that begins here is not complete" in ended.stderr


def test_sentences_of_raw_text_are_named_by_file_and_number(trained: Run) -> None:
    Path("letter.txt").write_text("The dog barks. The man sleeps.")
    ended = trained("parse", "model.tw", "letter.txt", "--input", "text", "--to", "json", "-q")
    places = [json.loads(line)["place"] for line in ended.stdout.splitlines()]
    assert places == ["letter.txt, sentence 1", "letter.txt, sentence 2"]


def test_a_sentence_without_a_tree_is_named_and_can_be_covered(trained: Run) -> None:
    ended = trained("parse", "model.tw", stdin="The dog barks .\n. the\n")
    assert ended.returncode == 0
    assert ended.stdout.splitlines()[1] == "(())"
    assert "treewright: <stdin>:2: the grammar has no tree for this sentence; --partial" in ended.stderr
    assert "1 without tree" in ended.stderr
    assert "not certified" not in ended.stderr
    covered = trained("parse", "model.tw", "--partial", stdin=". the\n")
    assert covered.stdout == "( (NP (DT .) (NN the)))\n"
    assert "<stdin>:1: no tree over the whole sentence, which 1 phrase covers" in covered.stderr


def test_a_long_sentence_is_divided_and_named(trained: Run) -> None:
    ended = trained("parse", "model.tw", "--max-words", "8", stdin="The dog barks . " * 5)
    assert ended.returncode == 0
    assert "<stdin>:1: 20 words were divided into 3 parts before word 8, 16; no phrase over" in ended.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(S (NP (DT the))", "bad.mrg:1: the tree that begins here is not complete: 1 closing bracket is missing"),
        ("(S (NP (-NONE- *)))", "bad.mrg:1: the tree has no words, only traces; remove it"),
        ("(S (NP (S (NN a))))", "bad.mrg:1: unary cycle: ROOT over S over NP over S, all over the same words;"),
    ],
)
def test_bad_trees_are_one_sentence_with_file_and_line(run: Run, text: str, message: str) -> None:
    Path("bad.mrg").write_text(f"{text}\n")
    ended = run("train", "bad.mrg", "-o", "model.tw")
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"treewright: {message}")
    assert ended.stderr.count("\n") == 1
    Path("bad.mrg").write_text(f"{text}\n(S (NN a))\n")
    skipped = run("train", "bad.mrg", "-o", "model.tw", "--skip-bad")
    assert skipped.returncode == 0
    assert "left out 1 bad sentence" in skipped.stderr


def test_model_1_is_trained_and_parses_by_the_same_commands(run: Run) -> None:
    assert run("train", "trees.mrg", "-o", "model.tw", "--kind", "collins", "-q").returncode == 0
    ended = run("parse", "model.tw", "trees.mrg", "-q")
    assert ended.returncode == 0, ended.stderr
    assert len(ended.stdout.splitlines()) == 3


def test_other_models_are_refused_by_name(run: Run) -> None:
    ended = run("parse", "en", stdin="a b\n")
    assert ended.returncode == 1
    assert "en is a pipeline, but a treebank grammar, a lexicalised grammar, a latent-variable grammar" in ended.stderr
    assert "or a grammar with tagger is needed" in ended.stderr
    assert "`treewright grammar train" in ended.stderr


def test_one_grammar_has_no_iterations(trained: Run) -> None:
    ended = trained("parse", "model.tw", "--exact", stdin="a b\n")
    assert ended.returncode == 2
    assert "--exact: model.tw is one grammar, searched without iterations" in ended.stderr
