"""Averaging by time stamps against the mean written out."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from treewright.corpus import Sentence
from treewright.decode import Parts
from treewright.features import Encoder
from treewright.features.kernels import Scorer
from treewright.features.templates import arc_tables
from treewright.learn import Averaged
from treewright.learn.averaged import step_size
from treewright.learn.gradients import tree_difference


def test_average_is_the_mean_of_all_weights() -> None:
    learner = Averaged(8, adagrad_epsilon=1.0)
    batch = Encoder([]).encode([Sentence.from_words(["a", "b", "c"], upos=["X", "Y", "Z"])])
    scorer = Scorer(arc_tables(["h.upos m.upos", "m.upos"]), 8)
    scorer.arcs(batch, learner.weights, 1.0)
    dice = np.random.default_rng(0)
    weights: list[NDArray[np.floating]] = [np.zeros(256)]
    for _ in range(20):
        scorer.add_parts(learner.learner, Parts.from_arrays(dice.normal(size=(4, 4))).core)
        learner.step(0.3)
        weights.append(learner.weights.copy())
    np.testing.assert_allclose(learner.average(), np.mean(weights, axis=0), atol=1e-5)
    learner.reset()
    scorer.add_parts(learner.learner, Parts.from_arrays(np.random.default_rng(0).normal(size=(4, 4))).core)
    learner.step(0.3)
    np.testing.assert_array_equal(learner.weights, weights[1])
    np.testing.assert_allclose(learner.average(), weights[1] / 2, atol=1e-6)


def test_gradients_of_a_step_are_summed_before_they_are_squared() -> None:
    learner = Averaged(8, adagrad_epsilon=0.0)
    batch = Encoder([]).encode([Sentence.from_words(["a"], upos=["X"])])
    scorer = Scorer(arc_tables(["m.upos"]), 8)
    scorer.arcs(batch, learner.weights, 1.0)
    gradient = Parts.from_arrays([[0.0, 0.5], [0.0, 0.0]]).core
    scorer.add_parts(learner.learner, gradient)
    scorer.add_parts(learner.learner, gradient)
    learner.step(0.1)
    assert np.isclose(learner.memory[:, 0].max(), 1.0)  # (0.5 + 0.5)², not 0.5² + 0.5²
    assert np.isclose(learner.weights.max(), 0.1)


@pytest.mark.parametrize("most", [np.inf, 1e-3])
def test_after_a_step_of_the_closed_form_the_loss_is_gone_unless_it_is_capped(most: float) -> None:
    learner = Averaged(8, adagrad_epsilon=1.0)
    batch = Encoder([]).encode([Sentence.from_words(["a", "b", "c"], upos=["X", "Y", "Z"])])
    scorer = Scorer(arc_tables(["h.upos m.upos", "m.upos", "h.upos"]), 8)
    scorer.arcs(batch, learner.weights, 1.0)
    gold, wrong = np.array([-1, 0, 1, 2], dtype=np.int32), np.array([-1, 2, 0, 2], dtype=np.int32)
    every = np.argwhere(~np.eye(4, dtype=bool)).astype(np.int32)
    head, modifier = (np.ascontiguousarray(column) for column in every[every[:, 1] > 0].T)

    def loss() -> float:
        [parts] = scorer.parts(batch, [(head, modifier)], False, False, learner.weights, 1.0)
        return 2 + parts.value(wrong) - parts.value(gold)

    before = loss()
    scorer.add_parts(learner.learner, tree_difference(Parts.from_arrays(np.zeros((4, 4))).core, gold, wrong))
    squared = learner.squared_length()
    size = step_size(before, squared, most)
    learner.move(size)
    assert np.isclose(squared, (learner.weights**2).sum() / size**2)  # what moved is the merged difference
    assert loss() == pytest.approx(0.0 if most == np.inf else before - most * squared, abs=1e-5)
