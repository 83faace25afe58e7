"""The DMV: starts, EM, features."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from oracles.tagged import CORPUS, KINDS, corpus_of

from treewright.errors import InputError
from treewright.induce import dmv, featurised
from treewright.induce.dmv import UNLIMITED, Limits


@pytest.mark.parametrize("name", dmv.INITIAL)
def test_starts_are_distributions(name: str) -> None:
    model = dmv.initial(name, CORPUS)
    assert model.root.sum() == pytest.approx(1, rel=1e-9)
    np.testing.assert_allclose(model.stop + model.go, 1, rtol=1e-9)
    np.testing.assert_allclose(model.attach.sum(axis=2), 1, rtol=1e-9)
    assert all((table >= 0).all() for table in model.tables())


def test_unknown_starts_are_answered_with_those_there_are() -> None:
    with pytest.raises(InputError, match="no initialisation 'magic'; there are uniform, harmonic"):
        dmv.initial("magic", CORPUS)


def test_harmonic_start_prefers_neighbours() -> None:
    """Of the two nouns right of the first verb in NOUN VERB DET NOUN, DET is nearer: it gets more of VERB's mass."""
    model = dmv.harmonic(corpus_of("VERB DET NOUN"))
    verb, det, noun = KINDS.index("VERB"), KINDS.index("DET"), KINDS.index("NOUN")
    assert model.attach[verb, 1, det] > model.attach[verb, 1, noun]


@pytest.mark.parametrize("limits", [UNLIMITED, Limits(length_bias=0.0), Limits(depth=2, chunk=1, length_bias=0.0)])
@pytest.mark.parametrize("start", dmv.INITIAL)
def test_likelihood_never_falls(limits: Limits, start: str) -> None:
    values: list[float] = []
    dmv.fit(
        CORPUS,
        dmv.initial(start, CORPUS),
        limits,
        iterations=25,
        tolerance=-np.inf,
        report=lambda iteration, value: values.append(value),
    )
    assert len(values) == 25
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(values))


def test_function_words_take_no_modifiers_unless_there_is_nothing_else() -> None:
    model = dmv.fit(CORPUS, dmv.uniform(CORPUS), Limits())
    heads, values = dmv.decode(CORPUS, model, Limits())
    assert np.isfinite(values).all()
    for span in list(CORPUS.spans())[:-1]:
        tags, tree = CORPUS.tags[span], heads[span]
        assert all(KINDS[tags[h - 1]] not in {"ADP", "DET"} for h in tree if h > 0)
    assert sorted(heads[list(CORPUS.spans())[-1]].tolist()) in ([0, 1], [0, 2])


def test_strong_length_bias_leaves_chains() -> None:
    heads, _ = dmv.decode(CORPUS, dmv.uniform(CORPUS), Limits(depth=0, length_bias=50.0, leaves=()))
    for span in CORPUS.spans():
        tree = heads[span]
        assert all(h == 0 or abs(h - m) == 1 for m, h in enumerate(tree.tolist(), start=1))


def test_viterbi_em_counts_best_trees() -> None:
    start = dmv.uniform(CORPUS)
    heads, _ = dmv.decode(CORPUS, start, UNLIMITED)
    once = dmv.fit(CORPUS, start, UNLIMITED, iterations=1, hard=True)
    expected = dmv.counts_of(CORPUS, heads).normalised(1.0)
    for table, expected_table in zip(once.tables(), expected.tables(), strict=True):
        np.testing.assert_array_equal(table, expected_table)


def test_featurised_gradient_is_the_derivative() -> None:
    features = featurised.Features(KINDS)
    random = np.random.default_rng(0)
    weights = random.normal(size=features.matrix.shape[1]) * 0.3

    def value(at: np.ndarray) -> float:
        return dmv.expectations(CORPUS, features.parameters(at), Limits())[0]

    model = features.parameters(weights)
    gradient = features.gradient(dmv.expectations(CORPUS, model, Limits())[1], model)
    for i in random.choice(len(weights), 12, replace=False):
        step = np.zeros_like(weights)
        step[i] = 1e-5
        assert gradient[i] == pytest.approx((value(weights + step) - value(weights - step)) / 2e-5, rel=1e-5, abs=1e-7)


def test_featurised_fit_beats_its_start() -> None:
    reported: list[float] = []
    model = featurised.fit_featurised(
        CORPUS, Limits(), penalty=0.1, iterations=30, report=lambda i, v: reported.append(v)
    )
    assert reported[-1] > reported[0]
    uniform = dmv.expectations(CORPUS, dmv.uniform(CORPUS), Limits())[0]
    assert dmv.expectations(CORPUS, model, Limits())[0] > uniform
