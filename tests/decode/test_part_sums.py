"""Sums over second-order projective trees and samples from them, decided by enumeration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.frequencies import counts_of, p_value
from oracles.instances import Instance, distribution_of, random_instance
from oracles.trees import Distribution, grandparents_of, siblings_of, stops_of

from treewright import _core
from treewright.decode import Parts

KINDS = ["", "sib stop", "grand", "sib grand stop"]
DRAWS = 40_000


def instance_of(words: int, seed: int, kinds: str, root: str, *, pruned: bool = False) -> Instance:
    instance = random_instance(seed, words, parts=kinds, root=root, projective=True)
    if pruned:
        instance.arc[np.random.default_rng(seed).random(instance.arc.shape) < 0.3] = -np.inf
        instance.arc[np.arange(words), np.arange(1, words + 1)] = 0.5  # the chain is always there
    return instance


def core_of(instance: Instance) -> _core.Parts:
    return Parts.from_arrays(instance.arc, **instance.scores).core


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("pruned", [False, True])
@pytest.mark.parametrize("words", [1, 2, 3, 4, 5])
def test_sums_are_those_over_all_trees(words: int, pruned: bool, kinds: str, root: str) -> None:
    instance = instance_of(words, words, kinds, root, pruned=pruned)
    every = distribution_of(instance)
    log_partition, expected = _core.expectations(core_of(instance), root == "single")
    assert log_partition == pytest.approx(every.log_partition, rel=1e-12)
    np.testing.assert_allclose(expected.arc, every.marginals[expected.head, expected.modifier], atol=1e-8)


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("kinds", ["sib stop", "sib grand stop"])
def test_every_part_has_its_expectation(kinds: str, root: str) -> None:
    instance = instance_of(5, 3, kinds, root)
    every = distribution_of(instance)
    _, expected = _core.expectations(core_of(instance), root == "single")
    assert by_place(expected.siblings) == pytest.approx(every.expected(siblings_of), abs=1e-8)
    assert by_place(expected.stops) == pytest.approx(every.expected(stops_of), abs=1e-8)
    if "grand" in kinds:
        assert by_place(expected.grandparents) == pytest.approx(every.expected(grandparents_of), abs=1e-8)


def by_place(columns: Any) -> dict[tuple[int, ...], float]:
    """The scores above zero, by the nodes of the part."""
    *places, scores = (column.tolist() for column in columns)
    return {place: score for place, score in zip(zip(*places, strict=True), scores, strict=True) if score}


def test_scores_far_apart() -> None:
    instance = instance_of(5, 6, "", "single")
    log_partition, expected = _core.expectations(Parts.from_arrays(1e5 * instance.arc).core, True)
    best = max(instance.trees(), key=instance.value)
    assert log_partition == pytest.approx(1e5 * instance.value(best))
    np.testing.assert_allclose(expected.arc, np.array(best)[expected.modifier] == expected.head, atol=1e-8)


@pytest.mark.parametrize("factor", [3, 10, 30, 60, 100, 200, 1000])
def test_weights_and_logarithms_agree_where_one_takes_over_from_the_other(factor: float) -> None:
    instance = instance_of(5, 4, "sib grand stop", "single")
    values = np.array([factor * instance.value(tree) for tree in instance.trees()])
    scaled = Parts.from_arrays(instance.arc, **instance.scores).scaled(factor)
    log_partition, expected = _core.expectations(scaled.core, True)
    every = Distribution(instance.trees(), values.tolist())
    assert log_partition == pytest.approx(every.log_partition, rel=1e-12)
    np.testing.assert_allclose(expected.arc, every.marginals[expected.head, expected.modifier], atol=1e-8)


@pytest.mark.parametrize("words", [30, 150, 300])
def test_sums_of_long_sentences_do_not_depend_on_a_number_that_all_heads_of_a_word_have_in_common(words: int) -> None:
    rng = np.random.default_rng(words)
    arc, sib = rng.normal(size=(words + 1,) * 2), np.zeros((words + 1,) * 3)
    arc[np.abs(np.subtract.outer(range(words + 1), range(words + 1))) > 20] = -np.inf  # in little time
    shift = np.linspace(-500, 500, words + 1)
    plain, shifted = (
        _core.expectations(Parts.from_arrays(scores, sib=sib).core, False) for scores in (arc, arc + shift)
    )
    first_order, log_partition = _core.marginals(arc, True, False)
    assert plain[0] == pytest.approx(log_partition, rel=1e-12)
    assert shifted[0] == pytest.approx(log_partition + shift[1:].sum(), rel=1e-9, abs=1e-6)
    for _, expected in (plain, shifted):
        np.testing.assert_allclose(expected.arc, first_order[expected.head, expected.modifier], atol=1e-7)


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize(("words", "pruned"), [(2, False), (3, False), (4, False), (5, True)])
def test_samples_have_the_probabilities_of_their_trees(words: int, pruned: bool, kinds: str, root: str) -> None:
    instance = instance_of(words, 10 * words, kinds, root, pruned=pruned)
    every = distribution_of(instance)
    drawn = _core.sample_parts(core_of(instance), root == "single", DRAWS, 7)
    assert drawn.shape == (DRAWS, words + 1)
    observed = counts_of(drawn, every.trees)
    assert observed.sum() == DRAWS  # no other trees are drawn
    assert p_value(observed, DRAWS * every.probabilities) > 1e-3


def test_a_larger_sample_begins_with_the_smaller_one() -> None:
    core = core_of(instance_of(5, 1, "sib grand stop", "single"))
    few, many = (_core.sample_parts(core, True, size, 3) for size in (20, 100))
    np.testing.assert_array_equal(few, many[:20])
    assert not np.array_equal(many, _core.sample_parts(core, True, 100, 4))


def test_no_tree_is_drawn_where_there_is_none() -> None:
    arc = np.full((3, 3), -np.inf)
    arc[1, 2] = arc[2, 1] = 0.0
    core = Parts.from_arrays(arc).core
    assert _core.sample_parts(core, True, 5, 0).shape == (0, 3)
    assert _core.expectations(core, True)[0] == -np.inf
