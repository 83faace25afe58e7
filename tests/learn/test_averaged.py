"""Averaging by time stamps against the mean written out."""

from __future__ import annotations

import numpy as np

from treewright.corpus import Sentence
from treewright.features import Encoder, Scorer, arc_tables
from treewright.learn import Averaged


def test_average_is_the_mean_of_all_weights() -> None:
    learner = Averaged(8, floor=1.0)
    encoded = Encoder([]).encode(Sentence.from_words(["a", "b", "c"], upos=["X", "Y", "Z"]))
    scorer = Scorer(arc_tables(["h.upos m.upos", "m.upos"]), 8)
    scorer.open(encoded.atoms, encoded.each, False)
    dice = np.random.default_rng(0)
    seen = []
    for _ in range(20):
        scorer.add_arcs(learner.learner, dice.normal(size=(4, 4)))
        learner.step(0.3)
        seen.append(learner.weights.copy())
    np.testing.assert_allclose(learner.average(), np.mean([np.zeros(256), *seen], axis=0), atol=1e-5)


def test_gradients_of_a_step_are_summed_before_they_are_squared() -> None:
    learner = Averaged(8, floor=0.0)
    encoded = Encoder([]).encode(Sentence.from_words(["a"], upos=["X"]))
    scorer = Scorer(arc_tables(["m.upos"]), 8)
    scorer.open(encoded.atoms, encoded.each, False)
    gradient = np.zeros((2, 2))
    gradient[0, 1] = 0.5
    scorer.add_arcs(learner.learner, gradient)
    scorer.add_arcs(learner.learner, gradient)
    learner.step(0.1)
    assert np.isclose(learner.memory[:, 0].max(), 1.0)  # (0.5 + 0.5)², not 0.5² + 0.5²
    assert np.isclose(learner.weights.max(), 0.1)
