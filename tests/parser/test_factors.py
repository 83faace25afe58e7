"""Parsers of the models "third" and "full": training, files, what they answer and what they refuse."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from oracles.treebank import treebank

import treewright as tw
from treewright.corpus import Sentence
from treewright.decode import Parts
from treewright.errors import InputError
from treewright.features.factors import KINDS, THIRD_ORDER, kind_of
from treewright.learn import Weights
from treewright.parser import FactorOptions, Labelling, Parser, ParserOptions, Pruning, Scoring, TensorOptions
from treewright.parser.stages import scorer
from treewright.parser.worker import Worker

RTOL = 1e-9
OPTIONS = ParserOptions(
    model="full",
    pruning=Pruning(bits=12, epochs=2),
    scoring=Scoring(bits=14, epochs=2),
    labelling=Labelling(bits=12, epochs=2),
    factors=FactorOptions(bits=12, epochs=2, patience=2),
    tensor=TensorOptions(bits=12, rank=4, tensors=2, epochs=2),
)
TRAIN = treebank(60)
TEST = [sentence.with_columns(heads=np.full(len(sentence), -1)) for sentence in treebank(20, seed=5)]


@pytest.fixture(scope="module")
def full() -> Parser:
    return Parser.train(TRAIN, dev=TRAIN[:10], options=OPTIONS)


def heads_of(sentences: Iterable[Sentence]) -> list[list[int]]:
    return [sentence.heads.tolist() for sentence in sentences]


def test_the_same_trees_for_any_threads_and_chunks_and_after_saving(full: Parser, tmp_path: Path) -> None:
    full.save(tmp_path / "full.tw")
    again = Parser.load(tmp_path / "full.tw")
    expected = heads_of(full.parse(TEST))
    assert heads_of(again.parse(TEST, threads=2, batch_size=3)) == expected
    assert heads_of(next(iter(again.parse([sentence]))) for sentence in TEST) == expected


def test_the_value_is_that_of_the_definition_and_not_below_that_of_the_second_order_tree(full: Parser) -> None:
    worker, base = Worker(full.model), full.without_factors()
    assert worker.tree_scorer is not None
    assert full.model.factors is not None
    for found, start in zip(full.parse(TEST), base.parse(TEST), strict=True):
        batch, parts = worker.encode([found]).batch, full.parts(found)
        trees = np.stack([found.parse.heads, start.parse.heads])
        values = worker.tree_scorer.values(batch, trees, *full.model.factors) + [parts.value(tree) for tree in trees]
        assert found.parse.score == pytest.approx(values[0], rel=RTOL)
        assert values[0] >= values[1] - RTOL
        assert found.parse.certified == (parts.core.arcs == len(found))
        assert found.parse.certified or found.parse.status.startswith("best of")


def test_a_budget_of_time_ends_the_search_with_a_tree_that_is_not_worse_than_its_start(full: Parser) -> None:
    worker = Worker(full.model)
    base = full.without_factors()
    assert worker.tree_scorer is not None
    assert full.model.factors is not None
    limited = full.parse(TEST, max_seconds=1e-9)
    for found, start in zip(limited, base.parse(TEST, max_seconds=1e-9), strict=True):
        batch, parts = worker.encode([found]).batch, full.parts(found)
        [value] = worker.tree_scorer.values(batch, start.parse.heads[None], *full.model.factors)
        assert found.parse.iterations == 1
        assert found.parse.score >= value + parts.value(start.parse.heads) - RTOL


def test_restarts_of_the_method_climb_are_those_of_the_factors_too(full: Parser) -> None:
    one, many = (list(full.parse(TEST, method="climb", patience=patience, seed=3)) for patience in (1, 20))
    again = list(full.parse(TEST, method="climb", patience=20, seed=3, threads=2, batch_size=3))
    assert [found.parse.status for found in again] == [found.parse.status for found in many]
    assert heads_of(again) == heads_of(many)
    for few, found in zip(one, many, strict=True):
        assert found.parse.certified or found.parse.iterations > 20
        assert found.parse.status == (
            "certified" if found.parse.certified else f"best of {found.parse.iterations} climbs, not certified"
        )
        assert found.parse.score >= few.parse.score - RTOL
    limited = full.parse(TEST, method="climb", patience=20, max_restarts=2)
    assert {found.parse.iterations for found in limited} <= {1, 2, 3}
    [best, *_] = full.parse(TEST, method="climb", start="map")
    assert best.parse.iterations == 1


def test_large_scores_of_factors_change_trees_of_the_second_order(full: Parser) -> None:
    values = np.random.default_rng(1).integers(-127, 128, 1 << 12).astype(np.int8)
    loud = Parser(replace(full.model, factors=Weights(values, 1.0)))
    base = heads_of(full.without_factors().parse(TEST, all_arcs=True))
    found = heads_of(loud.parse(TEST, all_arcs=True))
    assert sum(one != other for one, other in zip(found, base, strict=True)) > len(TEST) / 2


def test_completion_keeps_what_was_decided(full: Parser) -> None:
    for gold, blind in zip(treebank(20, seed=5), TEST, strict=True):
        heads = np.where(np.arange(len(gold)) % 2, gold.heads, -1)
        [found] = full.complete([blind.with_columns(heads=heads)])
        assert (found.sentence.heads[heads >= 0] == heads[heads >= 0]).all()


def test_a_rival_has_its_arc_and_no_certificate(full: Parser) -> None:
    worker = Worker(full.model)
    assert worker.tree_scorer is not None
    assert full.model.factors is not None
    for found in full.parse(TEST[:6]):
        word = len(found) // 2
        for rival in full.alternatives(found, word, count=3):
            answer = full.why_not(found, head=rival.head, modifier=word)
            assert answer.rival.heads[word - 1] == rival.head
            assert answer.loss == pytest.approx(rival.loss, rel=RTOL)
            assert not answer.certified
            heads = answer.rival.parse.heads
            [further] = worker.tree_scorer.values(worker.encode([found]).batch, heads[None], *full.model.factors)
            value = full.parts(found, all_arcs=True).value(heads) + further
            assert answer.rival.parse.score == pytest.approx(value, rel=1e-6)


def test_a_session_keeps_decisions_and_says_that_nothing_is_certified(full: Parser) -> None:
    nlp = tw.Pipeline(tw.tokeniser.Tokeniser(), tw.load().tagger, full)
    for gold, blind in zip(treebank(8, seed=5), TEST, strict=False):
        session = nlp.open(blind)
        assert session.sentence.heads.tolist() == next(full.parse([blind])).heads.tolist()
        for word, head in enumerate(gold.heads.tolist(), 1):
            if word % 2:
                session.decide(word, head=head)
                assert session.sentence.heads[word - 1] == head
        own = int(session.sentence.heads[1])
        session.reject(own, 2)
        assert session.conflict or session.sentence.heads[1] != own


def test_what_needs_certified_trees_is_refused_in_one_sentence(full: Parser) -> None:
    [found] = full.parse(TEST[:1])
    for task in (
        lambda: list(full.kbest([found], 2)),
        lambda: list(full.parse(TEST[:1], proof=True)),
    ):
        with pytest.raises(InputError, match="needs a model of second order, and the model 'full' finds its trees"):
            task()
    assert len(next(iter(full.without_factors().kbest([found], 2)))) == 2


@pytest.mark.parametrize("kept", [0, 100])
def test_the_model_does_not_depend_on_how_many_scores_are_kept(
    kept: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    Parser.train(TRAIN[:20], options=OPTIONS).save(tmp_path / "all.tw")
    monkeypatch.setattr(scorer, "MAX_KEPT_WORDS", kept)
    Parser.train(TRAIN[:20], options=OPTIONS).save(tmp_path / "few.tw")
    assert (tmp_path / "few.tw").read_bytes() == (tmp_path / "all.tw").read_bytes()


def test_projective_trees_do_not_depend_on_the_default_of_the_model(full: Parser) -> None:
    crossing = Parser.train(TRAIN[:20], options=replace(OPTIONS, projective=False))
    for parser in (full, crossing):
        found = list(parser.parse(TEST, projective=True))
        linear = list(parser.without_network().parse(TEST))
        assert heads_of(linear) == heads_of(found)
        assert [tree.parse.score for tree in linear] == [tree.parse.score for tree in found]


def test_only_full_has_global_features(full: Parser) -> None:
    assert {kind_of(template) for template in full.model.templates.factors} == set(KINDS)
    third = Parser.train(TRAIN[:20], options=replace(OPTIONS, model="third"))
    assert {kind_of(template) for template in third.model.templates.factors} == set(THIRD_ORDER)
    assert third.model.tensor is None


def test_the_tensor_scores_arcs_of_trees_that_are_certified(tmp_path: Path) -> None:
    options = replace(OPTIONS, model="tensor", tensor=TensorOptions(bits=12, rank=4, tensors=2, epochs=2, rate=1.0))
    tensor = Parser.train(TRAIN[:40], dev=TRAIN[40:], options=options)
    assert tensor.model.tensor is not None
    assert tensor.model.factors is None
    without = Parser(replace(tensor.model, tensor=None))
    for found, other in zip(tensor.parse(TEST), without.parse(TEST), strict=True):
        assert found.parse.certified
        assert found.parse.score == pytest.approx(tensor.parts(found).value(found.parse.heads), rel=RTOL)
        worker = Worker(tensor.model)
        assert worker.tensor is not None
        parts = without.parts(other)
        worker.tensor.add_scores(worker.encode([found]).batch, [parts.core], *tensor.model.tensor)
        assert tensor.parts(found).value(found.parse.heads) == pytest.approx(
            Parts.of(parts.core).value(found.parse.heads), rel=RTOL
        )
    tensor.save(tmp_path / "tensor.tw")
    again = Parser.load(tmp_path / "tensor.tw")
    assert heads_of(again.parse(TEST, threads=2, batch_size=3)) == heads_of(tensor.parse(TEST))
    assert len(next(iter(tensor.kbest(TEST[:1], 2)))) == 2


def test_the_tensor_can_be_left_out_and_stays_without_factors(full: Parser) -> None:
    assert full.model.tensor is not None
    assert full.without_factors().options.model == "tensor"
    assert full.without_factors().model.tensor is full.model.tensor
    plain = Parser.train(TRAIN[:20], options=replace(OPTIONS, tensor=None))
    assert (plain.model.tensor, plain.options.tensor, plain.model.templates.tensor) == (None, None, ())
    assert plain.without_factors().options.model == "grand"


def test_a_file_without_the_parameters_of_its_tensor_is_refused(full: Parser) -> None:
    header, arrays = full.to_arrays()
    with pytest.raises(ValueError, match="the weights of its tensor are missing"):
        Parser.from_arrays("full.tw", header, {name: some for name, some in arrays.items() if name != "tensor"})


@pytest.mark.parametrize("stage", ["scorer of fold 2", "tensor of fold 1", "tensor", "factors", "labeller"])
def test_resumed_training_ends_with_the_same_bytes(stage: str, tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    def stop(report: tw.learn.Report) -> None:
        if (report.stage, report.epoch) == (stage, 1):
            raise Stopped

    checkpoint = tmp_path / "state"
    Parser.train(TRAIN[:20], options=OPTIONS).save(tmp_path / "whole.tw")
    with pytest.raises(Stopped):
        Parser.train(TRAIN[:20], options=OPTIONS, checkpoint=checkpoint, report=stop)
    resumed = Parser.train(TRAIN[:20], options=OPTIONS, checkpoint=checkpoint, resume=True)
    resumed.save(tmp_path / "resumed.tw")
    assert (tmp_path / "whole.tw").read_bytes() == (tmp_path / "resumed.tw").read_bytes()
