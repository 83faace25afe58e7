"""The published learner of the tensor: first-order weights, their decomposition, steps of one side at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from oracles.treebank import treebank

import treewright as tw
from treewright.decode import Parts
from treewright.errors import InputError
from treewright.features.scoring import TENSOR_DISTANCES
from treewright.learn import State
from treewright.parser import FactorOptions, Labelling, Parser, ParserOptions, Pruning, Scoring, TensorOptions
from treewright.parser.model import Indices, new_tensor
from treewright.parser.tensor_start import (
    Key,
    SentenceFeatures,
    TemplatePairs,
    decomposed,
    decomposed_weights,
    first_order_weights,
)
from treewright.parser.training import Trainer
from treewright.parser.updates import best_tree

RTOL = 1e-9
OPTIONS = ParserOptions(
    model="tensor",
    pruning=Pruning(bits=12, epochs=2),
    scoring=Scoring(bits=8, epochs=1),  # collisions, so that the second order makes errors
    labelling=Labelling(bits=12, epochs=1),
    tensor=TensorOptions(bits=14, rank=4, tensors=1, epochs=3, learner="pa"),
)
TRAIN = treebank(60)


def product(u: np.ndarray, v: np.ndarray, w: np.ndarray) -> dict[Key, float]:
    """The tensor of three tables with a column for each of its products."""
    values = np.einsum("fr,gr,dr->fgd", u, v, w)
    return {(f + 20, g + 90, d): float(values[f, g, d]) for f, g, d in np.ndindex(values.shape)}


def test_the_decomposition_of_a_sum_of_orthogonal_products_is_exact() -> None:
    random = np.random.default_rng(4)
    u, v = np.zeros((6, 2)), np.zeros((8, 2))
    u[:3, 0], u[3:, 1], v[:4, 0], v[4:, 1] = (random.normal(size=size) for size in (3, 3, 4, 4))
    w = random.normal(size=(TENSOR_DISTANCES, 2))
    weights = product(u, v, w)
    for rank in (2, 5):
        (heads, left), (modifiers, middle), (distances, right) = decomposed(weights, rank)
        assert (heads.tolist(), modifiers.tolist()) == (list(range(20, 26)), list(range(90, 98)))
        assert distances.tolist() == list(range(TENSOR_DISTANCES))
        found = product(left, middle, right)
        assert list(found.values()) == pytest.approx(list(weights.values()), abs=1e-12)


def test_of_a_matrix_of_higher_rank_the_first_products_are_kept_and_the_error_falls_with_the_rank() -> None:
    random = np.random.default_rng(5)
    values = random.normal(size=(9, 7, TENSOR_DISTANCES))
    weights = {(f, g, d): float(values[f, g, d]) for f, g, d in np.ndindex(values.shape)}
    errors = []
    for rank in (1, 3, 6):
        (_, u), (_, v), (_, w) = decomposed(weights, rank)
        assert u.shape[1] == rank
        errors.append(((np.einsum("fr,gr,dr->fgd", u, v, w) - values) ** 2).sum())
    assert sorted(errors, reverse=True) == errors
    assert errors[0] < (values**2).sum()


def trainer(options: ParserOptions = OPTIONS) -> Trainer:
    """One whose training sentences are pruned."""
    found = Trainer(TRAIN, [], options)
    found.run(State())
    return found


def test_a_step_of_the_first_order_model_gives_the_gold_tree_its_margin() -> None:
    found = trainer()
    settings = replace(found.settings, tensor=replace(OPTIONS.tensor, max_step=1e9))
    kernel = new_tensor(settings, found.templates, None)
    assert kernel is not None
    steps = 0
    for example, arcs in zip(found.examples[:8], found.candidates, strict=False):
        weights = first_order_weights(settings, kernel, found.templates, [(example, arcs)])
        features = SentenceFeatures(kernel, TemplatePairs(found.templates.tensor))
        is_wrong = (example.heads[arcs.modifier] != arcs.head).astype(float)
        rival = best_tree(settings, Parts(example.encoded.nodes, (arcs.head, arcs.modifier, is_wrong)), True)
        errors = int((rival != example.heads).sum())
        steps += errors > 0
        gold, other = (value(weights, features, heads) for heads in (example.heads, rival))
        assert gold - other == pytest.approx(errors, rel=RTOL)
    assert steps > 0


def value(weights: Mapping[Key, float], features: SentenceFeatures, heads: Indices) -> float:
    """The score of a tree: the sum of the weights of its pairs of features."""
    return sum(weights.get(key, 0.0) for m, h in enumerate(heads.tolist()) if m > 0 for key in features.keys(h, m))


def test_pairs_are_those_of_one_template_and_those_with_the_tag() -> None:
    pairs = TemplatePairs(("w.form", "w.upos", "w.each", "w.lemma w.each"))
    assert [pairs.template_of(place) for place in range(6)] == [0, 1, 2, 3, 2, 3]
    paired = {(one, other) for one in range(4) for other in range(4) if pairs.are_paired(one, other)}
    assert paired == {(0, 0), (1, 1), (2, 2), (3, 3), (0, 1), (2, 1), (3, 1), (1, 0), (1, 2), (1, 3)}


def test_the_tensor_begins_with_the_decomposition_whatever_the_seed() -> None:
    found = trainer()
    kernel = new_tensor(found.settings, found.templates, None)
    assert kernel is not None
    examples = list(zip(found.examples, found.candidates, strict=True))
    start = decomposed_weights(found.settings, kernel, found.templates, examples)
    assert start.any()
    again = decomposed_weights(replace(found.settings, seed=2), kernel, found.templates, examples)
    assert np.array_equal(start, again)
    weights = first_order_weights(found.settings, kernel, found.templates, examples)
    rank = OPTIONS.tensor.rank
    rows = np.flatnonzero(start.reshape(-1, rank).any(axis=1))
    heads, modifiers, distances = ({key[place] for key in weights} for place in range(3))
    assert {*rows.tolist()} <= heads | modifiers | distances


def test_passive_aggressive_steps_of_the_tensor_learn_the_training_trees() -> None:
    losses: list[float] = []

    def note(report: tw.learn.Report) -> None:
        if report.stage == "tensor" and report.loss is not None:
            losses.append(report.loss)

    found = Parser.train(TRAIN, options=OPTIONS, report=note)
    assert losses[-1] < losses[0]
    assert min(losses) >= 0
    assert found.model.tensor is not None
    assert found.model.tensor.values.any()
    full = replace(OPTIONS, model="full", factors=FactorOptions(bits=12, epochs=2, learner="pa"))
    assert len(list(Parser.train(TRAIN[:20], options=full).parse(TRAIN[:3]))) == 3


def test_several_tensors_that_would_be_the_same_are_refused() -> None:
    with pytest.raises(InputError, match="tensors is 3; the learner 'pa' has one"):
        TensorOptions(learner="pa")
