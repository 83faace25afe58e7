"""Learning by climbing: the tree that violates the margin most, and the step away from it, among all trees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from oracles.treebank import treebank
from oracles.trees import all_trees

import treewright as tw
from treewright.errors import InputError
from treewright.features.standard import STANDARD
from treewright.learn.gradients import add_margin
from treewright.papers.climbing import Climbing, JointWeights, Violations, train_by_violations
from treewright.parser import (
    FactorOptions,
    Labelling,
    Parser,
    ParserOptions,
    ParserSettings,
    Pruning,
    Scoring,
    TensorOptions,
    resolve,
)
from treewright.parser.model import Indices
from treewright.parser.stages.data import TrainingData

SENTENCES = [
    tw.Sentence.from_words(
        ["dogs", "chase", "small", "cats"], upos=["NOUN", "VERB", "ADJ", "NOUN"], heads=[2, 0, 4, 2]
    ),
    tw.Sentence.from_words(["she", "sees", "it"], upos=["PRON", "VERB", "PRON"], heads=[2, 0, 2]),
]


def settings_of(model: str) -> ParserSettings:
    options = ParserOptions(
        model=model,
        projective=False,
        root="single",
        pruning=Pruning(bits=10, epochs=1),
        scoring=Scoring(bits=14),
        labelling=Labelling(bits=8, epochs=1),
        factors=FactorOptions(bits=14),
        tensor=TensorOptions(bits=14, rank=4, tensors=1) if model == "full" else None,
    )
    return resolve(options, SENTENCES)


def violations_of(model: str, **options: Any) -> tuple[Violations, JointWeights]:
    """Over all arcs, with random weights, so that no two trees have the same value."""
    settings = settings_of(model)
    data = TrainingData.of(SENTENCES, [], settings, STANDARD, None)
    candidates = [tw.decode.candidates(np.zeros((len(s) + 1,) * 2), threshold=0.0, max_heads=9) for s in SENTENCES]
    violations = Violations(data, settings, candidates, Climbing(patience=50, max_step=1e9, **options))
    weights = violations.new_weights()
    random = np.random.default_rng(3)
    for table in weights.tables.values():
        table.weights[:] += random.normal(0, 0.05, len(table.weights)).astype(np.float32)
    return violations, weights


def margins(violations: Violations, weights: JointWeights, number: int) -> dict[tuple[int, ...], float]:
    """Of every tree: its value and its wrong heads, less the value of the gold tree."""
    gold = violations.data.examples[number].heads
    parts = violations.parts(weights, number)

    def value(heads: Indices) -> float:
        return violations.value(weights, number, parts, heads)

    trees = [np.array(heads, dtype=np.int32) for heads in all_trees(len(gold) - 1)]
    return {tuple(heads.tolist()): value(heads) + int((heads != gold).sum()) - value(gold) for heads in trees}


@pytest.mark.parametrize(
    ("model", "search"),
    [("arc", "climb"), ("grand", "climb"), ("third", "climb"), ("full", "climb"), ("grand", "dd")],
)
def test_the_step_leads_away_from_the_worst_violation_of_all_trees(model: str, search: str) -> None:
    violations, weights = violations_of(model, search=search)
    for number in (0, 1):
        before = margins(violations, weights, number)
        parts = violations.parts(weights, number)
        add_margin(parts.core, violations.data.examples[number].heads, 1.0)
        worst = tuple(violations.find(weights, number, parts).tolist())
        assert before[worst] == pytest.approx(max(before.values()), abs=1e-4)
        assert max(before.values()) > 0
        loss = violations.learn(weights, number)
        assert loss == pytest.approx(before[worst], abs=1e-4)
        after = margins(violations, weights, number)
        if model == "full":  # the tensor takes a step of its own
            assert after[worst] < before[worst]
        else:  # the shortest step that meets the margin
            assert after[worst] == pytest.approx(0, abs=1e-3)
    assert weights.steps == 2


def test_no_step_is_taken_where_no_tree_violates_the_margin() -> None:
    violations, weights = violations_of("grand")
    for _ in range(60):
        losses = [violations.learn(weights, number) for number in (0, 1)]
    assert losses == pytest.approx([0, 0], abs=1e-6)
    assert max(margins(violations, weights, 0).values()) <= 1e-4
    violations.options = replace(violations.options, cost=0.9)  # less than the margin that every tree has now
    kept = weights.tables["scorer"].weights.copy()
    assert violations.learn(weights, 0) == 0
    assert np.array_equal(kept, weights.tables["scorer"].weights)


def test_a_long_step_is_limited() -> None:
    violations, weights = violations_of("grand")
    before = margins(violations, weights, 0)
    violations.options = replace(violations.options, max_step=1e-6)
    violations.learn(weights, 0)
    assert 0 < max(before.values()) - max(margins(violations, weights, 0).values()) < 0.1


@pytest.mark.parametrize("model", ["arc", "grand", "third", "full"])
def test_a_trained_parser_fits_its_sentences_and_training_is_repeatable(model: str) -> None:
    train = treebank(12)
    settings = replace(settings_of(model), scoring=replace(settings_of(model).scoring, bits=18))
    models = [train_by_violations(train, settings, STANDARD, Climbing(epochs=3, patience=2)) for _ in range(2)]
    for name in ("scorer", "factors", "tensor"):
        one, other = (getattr(model, name) for model in models)
        assert (one is None) == (other is None)
        assert one is None or np.array_equal(one.values, other.values)
    parser = Parser(models[0])
    right = sum(int((found.heads == gold.heads).sum()) for found, gold in zip(parser.parse(train), train, strict=True))
    assert right / sum(map(len, train)) > 0.8


def test_dual_decomposition_is_refused_for_third_order() -> None:
    with pytest.raises(InputError, match="dual decomposition has no form for the model 'third'; learn by climbing"):
        violations_of("third", search="dd")
