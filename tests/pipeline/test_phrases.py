"""Phrase structure from raw text: the English grammar that comes with Treewright, and `parse --phrases`."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest
from oracles.processes import Run, runner

import treewright as tw
from treewright.grammar import LatentGrammar
from treewright.languages.installed import EMBEDDED
from treewright.pipeline import Pipeline

MAX_BYTES = 6_000_000  # of the grammar


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    return tw.load("en")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys, "parse")


def test_the_grammar_is_small_and_says_what_it_is() -> None:
    assert EMBEDDED["en_phrases"].stat().st_size <= MAX_BYTES
    assert isinstance(tw.load("en_phrases"), LatentGrammar)
    card = (EMBEDDED["en_phrases"].parent / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "## The grammar of phrases" in card
    assert "CRAFT" in card


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("The old bridge creaked.", "(S (NP (DT The) (JJ old) (NN bridge)) (VP (VBD creaked)) (. .))"),
        ("She reads a book.", "(S (NP (PRP She)) (VP (VBZ reads) (NP (DT a) (NN book))) (. .))"),
        (
            "My brother works in a bank.",
            "(S (NP (PRP$ My) (NN brother)) (VP (VBZ works) (PP (IN in) (NP (DT a) (NN bank)))) (. .))",
        ),
    ],
)
def test_unmistakable_sentences(nlp: Pipeline, text: str, tree: str) -> None:
    [parse] = nlp.phrases(text)
    assert str(parse.tree) == tree
    assert len(parse.confidence) == len(parse.spans)
    assert min(parse.confidence) > 0.5


def test_confidence_is_a_probability_and_brackets_and_quotes_are_words(nlp: Pipeline) -> None:
    [parse] = nlp.phrases('"Yes," he said (quietly).')
    assert parse.words == ['"', "Yes", ",", '"', "he", "said", "-LRB-", "quietly", "-RRB-", "."]
    assert parse.tags[0] == "``"
    assert np.all((np.array(parse.confidence) >= 0) & (np.array(parse.confidence) <= 1))


def test_sentences_keep_their_tags(nlp: Pipeline) -> None:
    sentence = tw.Sentence.from_words(
        ["They", "can", "fish"], upos=["PRON", "VERB", "NOUN"], xpos=["PRP", "VBP", "NNS"]
    )
    [parse] = nlp.phrases([sentence])
    assert str(parse.tree) == "(S (NP (PRP They)) (VP (VBP can) (NP (NNS fish))))"


def test_a_long_sentence_is_answered_in_time_and_says_that_it_was_divided(nlp: Pipeline) -> None:
    begin = time.process_time()
    [parse] = nlp.phrases([tw.Sentence.from_words(("and the old man saw a dog , " * 40).split())])
    assert time.process_time() - begin < 60  # about 5 on an idle machine; whole it would take ten minutes
    assert len(parse.words) == 320
    assert parse.given_up.startswith("320 words were divided into")
    assert len(parse.confidence) == len([span for span in parse.spans if span.label])


def test_another_language_needs_a_grammar_of_its_own(nlp: Pipeline, tmp_path: Path) -> None:
    other = Pipeline(nlp.tokeniser, nlp.tagger, nlp.parser, {"code": "ga", "language": "Irish"})
    with pytest.raises(
        tw.errors.MissingComponentError, match="no grammar for Irish comes with Treewright; `treewright"
    ):
        other.phrases("It rains.")
    tree = tw.Tree.parse("(S (NP (PRP It)) (VP (VBZ rains)) (. .))")
    LatentGrammar.train([tree] * 3, rounds=1).save(tmp_path / "own.tw")
    [parse] = other.phrases("It rains.", grammar=tmp_path / "own.tw")
    assert parse.tree == tree


def test_parse_writes_brackets_json_and_drawings(run: Run) -> None:
    brackets = run("--phrases", "--text", "The old bridge creaked.", "-q")
    assert brackets.stdout == "(ROOT (S (NP (DT The) (JJ old) (NN bridge)) (VP (VBD creaked)) (. .)))\n"
    Path("letter.txt").write_text("The old bridge creaked. It rains.")
    found = run("letter.txt", "--phrases", "--to", "json")
    rows = [json.loads(line) for line in found.stdout.splitlines()]
    assert [row["place"] for row in rows] == ["letter.txt, sentence 1", "letter.txt, sentence 2"]
    assert all(len(row["confidence"]) == len(row["spans"]) for row in rows)
    drawn = run("--phrases", "--text", "They saw the man with a telescope.", "--to", "text", "-q").stdout
    assert "lowest confidence of a phrase: " in drawn
    assert run("letter.txt", "--phrases", "-o", "letter.svg", "-q").returncode == 0
    assert "creaked" in Path("letter.svg").read_text()
    assert run("letter.txt", "--phrases", "-o", "trees/", "-q").returncode == 0
    assert len(Path("trees/letter.mrg").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--phrases", "--kbest", "2"), "there is none for phrase-structure trees"),
        (("--phrases", "--to", "conllu"), "phrase-structure trees are not written as conllu"),
        (("--to", "brackets"), "brackets are the form of phrase-structure trees"),
    ],
)
def test_options_that_do_not_fit_are_refused(run: Run, arguments: tuple[str, ...], message: str) -> None:
    found = run("--text", "It rains.", *arguments)
    assert found.returncode == 2
    assert message in " ".join(found.stderr.split())
