"""Training on partial trees: open heads, relations and tags."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from oracles.treebank import treebank

import treewright as tw
from treewright.corpus import Sentence
from treewright.errors import FormatError, InputError
from treewright.learn import Learning, Report
from treewright.parser import Labelling, Parser, ParserOptions, Pruning, Scoring, resolve
from treewright.parser.partial import attachment, open_cells
from treewright.tagger import Tagger, TaggerOptions

SMALL = ParserOptions(
    pruning=Pruning(bits=12, folds=2), scoring=Scoring(bits=14, epochs=3), labelling=Labelling(bits=12)
)


def opened(sentences: list[Sentence], share: float, seed: int = 1) -> list[Sentence]:
    """The sentences with about this share of their heads and relations, each drawn by itself."""
    dice = np.random.default_rng(seed)
    found = []
    for sentence in sentences:
        kept = dice.random(len(sentence)) < share
        labels = [label if keep else "_" for label, keep in zip(sentence.deprels, kept, strict=True)]
        found.append(sentence.with_columns(heads=np.where(kept, sentence.heads, -1), deprels=labels))
    return found


def same_weights(one: Parser, other: Parser) -> bool:
    names = ("pruner", "scorer", "labeller")
    weights = [(getattr(one.model, name), getattr(other.model, name)) for name in names]
    return all(a.scale == b.scale and np.array_equal(a.values, b.values) for a, b in weights)


@pytest.mark.parametrize(
    ("model", "learner", "projective"),
    [
        *((model, "crf", projective) for model in ("arc", "grand") for projective in (True, False)),
        ("sib", "perceptron", False),
        ("sib", "mira", True),
        ("sib", "pa", False),
    ],
)
def test_a_third_of_the_heads_teaches_the_grammar(model: str, learner: str, projective: bool) -> None:
    options = replace(SMALL, model=model, learner=learner, projective=projective)
    train, test = opened(treebank(120, crossing=0.1), 0.35), treebank(40, seed=5)
    found = attachment(test, list(Parser.train(train, options=options).parse(test)))
    assert found.uas > 95
    assert found.las > 95


def test_sentences_without_decisions_change_nothing() -> None:
    bank = opened(treebank(40), 0.5)
    undecided = [one.with_columns(heads=[-1] * len(one), deprels=["_"] * len(one)) for one in bank[:1]]
    settings = resolve(replace(SMALL, model="sib"), bank)
    assert same_weights(Parser.train(bank, options=settings), Parser.train(bank + undecided, options=settings))


def test_complete_trees_are_learned_without_completion(monkeypatch: pytest.MonkeyPatch) -> None:
    options = replace(SMALL, model="sib")
    bank = treebank(40, crossing=0.2)
    usual = Parser.train(bank, options=options)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a complete tree was completed")

    monkeypatch.setattr("treewright.parser.stages.updates.decode.tree", refuse)
    assert same_weights(usual, Parser.train(bank, options=options))


def test_decisions_that_fit_no_projective_tree_are_learned_from() -> None:
    bank = treebank(60)
    words = Sentence.from_words(list("abcd"), upos=["NOUN"] * 4, heads=[4, -1, -1, 2], deprels=["x", "_", "_", "y"])
    parser = Parser.train([*bank, *[words] * 20], options=replace(SMALL, model="grand", projective=True))
    [found] = parser.parse([words.with_columns(heads=[-1] * 4, deprels=["_"] * 4)], projective=False)
    assert found.heads[[0, 3]].tolist() == [4, 2]


@pytest.mark.parametrize("learner", ["crf", "mira"])
def test_a_training_on_partial_trees_resumes_after_any_epoch(
    learner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treewright.model.checkpoint.CHECKPOINT_TIME_SHARE", math.inf)
    bank, dev = opened(treebank(20, crossing=0.3), 0.4), opened(treebank(6, seed=1), 0.5)
    small = replace(SMALL, scoring=Scoring(bits=12, epochs=2), labelling=Labelling(bits=10, epochs=2))
    options = resolve(replace(small, model="sib", learner=learner), bank)
    reports: list[Report] = []
    whole = Parser.train(bank, dev, options=options, report=reports.append)
    epochs = sum(report.loss is not None for report in reports)
    for count in (epochs - 3, epochs - 1):  # in the scorer, and in the labeller
        with pytest.raises(KeyboardInterrupt):
            Parser.train(bank, dev, options=options, checkpoint=tmp_path / str(count), report=stop_after(count))
        resumed = Parser.train(bank, dev, options=options, checkpoint=tmp_path / str(count), resume=True)
        assert same_weights(whole, resumed)


def stop_after(count: int) -> Callable[[Report], None]:
    left = [count]

    def stop(_: Report) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt

    return stop


def test_open_relations_are_no_label() -> None:
    bank = [
        one.with_columns(deprels=["_" if label == "det" else label for label in one.deprels]) for one in treebank(30)
    ]
    parser = Parser.train(bank, options=replace(SMALL, model="arc"))
    assert "_" not in parser.model.labels
    assert "det" not in parser.model.labels
    assert all("_" not in found.deprels for found in parser.parse(treebank(5, seed=2)))


def test_a_treebank_without_relations_gives_a_parser_without_relations() -> None:
    bank = [one.with_columns(deprels=["_"] * len(one)) for one in treebank(20)]
    parser = Parser.train(bank, bank, options=replace(SMALL, model="arc"))
    assert parser.model.labels == ("_",)
    assert open_cells(bank) == ""


def test_the_relation_of_the_root_decides_a_head() -> None:
    bank = [one.with_columns(heads=np.where(one.heads == 0, -1, one.heads)) for one in treebank(30)]
    options = replace(SMALL, model="arc")
    assert same_weights(Parser.train(bank, options=options), Parser.train(treebank(30), options=options))


def test_scores_on_partial_development_data_are_those_of_the_given_cells() -> None:
    reports: list[Report] = []
    bank = treebank(60)
    dev = opened(treebank(20, seed=3), 0.3)
    parser = Parser.train(bank, dev, options=replace(SMALL, model="arc"), report=reports.append)
    last = [report.figures for report in reports if report.stage == "labeller"][-1]
    assert last["uas"] == pytest.approx(attachment(dev, list(parser.parse(dev))).uas)
    assert last["uas"] > 90
    assert parser.model.calibration is not None


def test_impossible_decisions_are_named_by_file_and_line(tmp_path: Path) -> None:
    rows = ["1\ta\t_\tNOUN\t_\t_\t2\t_\t_\t_", "2\tb\t_\tNOUN\t_\t_\t1\t_\t_\t_", "3\tc\t_\tNOUN\t_\t_\t_\t_\t_\t_"]
    file = tmp_path / "partial.conllu"
    file.write_text("\n".join(rows) + "\n\n")
    with pytest.raises(FormatError, match=r"partial.conllu:1: the heads run in a circle: 1 <- 2 <- 1"):
        Parser.train(file, options=SMALL)
    two = Sentence.from_words(["a", "b", "c"], heads=[0, 0, -1])
    with pytest.raises(FormatError, match=r"<words>:2: words 1, 2 are attached to the root; expected one"):
        Parser.train([two], options=SMALL, root="single")


def test_a_treebank_without_heads_is_refused() -> None:
    with pytest.raises(InputError, match="only _ in HEAD; `treewright induce` learns a parser without heads"):
        Parser.train([Sentence.from_words(["a", "b"])], options=SMALL)


def test_a_tagger_learns_from_the_tags_that_are_given() -> None:
    dice = np.random.default_rng(2)
    bank = [
        one.with_columns(upos=[tag if dice.random() < 0.3 else "_" for tag in one.upos], lemmas=one.forms)
        for one in treebank(150)
    ]
    options = TaggerOptions(("upos", "lemma"), tags=Learning(bits=12, epochs=3))
    tagger = Tagger.train(bank, opened_tags(treebank(20, seed=3)), options=options)
    test = treebank(40, seed=4)
    found = list(tagger.tag(test))
    assert all("_" not in one.upos for one in found)
    pairs = [pair for one, gold in zip(found, test, strict=True) for pair in zip(one.upos, gold.upos, strict=True)]
    assert sum(one == other for one, other in pairs) > 0.97 * len(pairs)


def opened_tags(sentences: list[Sentence]) -> list[Sentence]:
    return [one.with_columns(upos=["_", *one.upos[1:]]) for one in sentences]


def test_a_pipeline_learns_from_partial_annotation() -> None:
    notes: list[str] = []
    bank = opened(treebank(60), 0.4)
    bank = [one.with_columns(upos=["_", *one.upos[1:]]) for one in bank]
    tagging = TaggerOptions(("upos",), tags=Learning(bits=12, epochs=3))
    nlp = tw.Pipeline.train(
        bank, options=replace(SMALL, model="arc"), tagger_options=tagging, folds=2, note=notes.append
    )
    assert any("relations are open (_)" in line for line in notes)
    test = treebank(20, seed=6)
    bare = [one.with_columns(upos=["_"] * len(one), heads=[-1] * len(one), deprels=["_"] * len(one)) for one in test]
    assert attachment(test, list(nlp.parse(bare))).uas > 90
