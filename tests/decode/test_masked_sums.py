"""Sums over trees whose scores are of very different sizes, against enumeration in exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import pytest
from oracles.frequencies import counts_of, p_value
from oracles.instances import Instance, random_instance
from oracles.trees import Distribution, parts_of

from treewright import decode
from treewright.errors import InputError

DRAWS = 2000
MASKS = [1e3, 1e5, 1e9, 1e12, 1e16, 1e20, float(-np.finfo(np.float32).min)]
SHAPES = [("", False), ("", True), ("sib", True), ("grand", True), ("sib grand stop", True)]


def masked(instance: Instance, random: np.random.Generator) -> Instance:
    """The instance with masks of one size, or of several with either sign, in place of many scores or added to them."""
    sizes = -random.choice(MASKS, size=1) if random.random() < 0.5 else random.choice(MASKS, size=3)
    share, is_added = random.choice([0.3, 0.6, 0.9]), random.random() < 0.3

    def mask(scores: Any) -> Any:
        masks = random.choice(sizes, size=scores.shape) * random.choice([-1, 1, -1] if len(sizes) > 1 else [1])
        return np.where(random.random(scores.shape) < share, masks + scores if is_added else masks, scores)

    return replace(instance, arc=mask(instance.arc), scores={name: mask(x) for name, x in instance.scores.items()})


def exact_distribution(instance: Instance) -> tuple[float, Distribution]:
    """The value of the best tree, and all trees with their values less that."""
    trees = instance.trees()
    values = [sum(map(Fraction, parts_of(tree, instance.arc, **instance.scores))) for tree in trees]
    best = max(values)
    return float(best), Distribution(trees, np.array([max(float(x - best), -1e4) for x in values]))


def masked_instances(parts: str, projective: bool, root: str) -> Iterator[tuple[Instance, float, Distribution]]:
    random = np.random.default_rng(30)
    for trial in range(60):
        plain = random_instance(trial, 1 + trial % 4, parts=parts, root=root, projective=projective)
        instance = masked(plain, random)
        yield instance, *exact_distribution(instance)


def p_value_of_sample(drawn: Any, truth: Distribution) -> float:
    """Of the chi-square test over whole trees; trees without a probability are not drawn."""
    observed = counts_of(drawn, truth.trees)
    assert observed.sum() == len(drawn)
    assert (observed[truth.probabilities < 1e-9] == 0).all()
    return p_value(observed, len(drawn) * truth.probabilities)


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize(("parts", "projective"), SHAPES)
def test_sums_are_those_of_exact_arithmetic(parts: str, projective: bool, root: str) -> None:
    tolerance = 1e-7 if parts else 1e-9  # the second-order kernel leaves out expectations below 1e-9
    for instance, best, truth in masked_instances(parts, projective, root):
        marginals = decode.marginals(instance.arc, **instance.arguments)
        assert marginals.exact
        np.testing.assert_allclose(marginals, truth.marginals, atol=tolerance)
        log_z = decode.log_partition(instance.arc, **instance.arguments)
        assert log_z == pytest.approx(best + truth.log_partition, rel=1e-9, abs=1e-9)
        entropy = decode.entropy(instance.arc, **instance.arguments)
        assert entropy == pytest.approx(truth.entropy, abs=tolerance)
        parse = decode.mbr(instance.arc, **instance.arguments)
        assert parse.score == pytest.approx(max(map(truth.correct_heads, truth.trees)), abs=10 * tolerance)


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize(("parts", "projective"), SHAPES)
def test_samples_have_the_probabilities_of_exact_arithmetic(parts: str, projective: bool, root: str) -> None:
    p_values = [
        p_value_of_sample(decode.sample(instance.arc, DRAWS, seed=1, **instance.arguments), truth)
        for instance, _, truth in masked_instances(parts, projective, root)
    ]
    assert min(p_values) > 1e-4  # of 60 each; the smallest of all 600 samples is expected at 2e-3


@pytest.mark.parametrize("mask", [*MASKS, 1e300])
@pytest.mark.parametrize("root", ["single", "multi"])
def test_masks_that_are_the_best_head_among_the_words_cost_no_digits(mask: float, root: str) -> None:
    arc = [[0, -0.2, -mask], [0, 0, -0.5], [0, -mask, 0]]
    assert decode.log_partition(arc, root=root) == pytest.approx(-0.7, rel=1e-9)


@pytest.mark.parametrize("root", ["single", "multi"])
def test_crossing_second_order_sums_are_probabilities_or_name_the_masks(root: str) -> None:
    refused = 0
    random = np.random.default_rng(3)
    for trial in range(150):
        instance = masked(random_instance(trial, 1 + trial % 5, parts="sib grand stop", root=root), random)
        try:
            marginals = decode.marginals(instance.arc, **instance.arguments)
        except InputError:
            with pytest.raises(InputError, match="forbid parts by -inf instead of large masks"):
                decode.entropy(instance.arc, **instance.arguments)
            refused += 1
            continue
        assert not marginals.exact
        np.testing.assert_allclose(np.clip(marginals, 0, 1), marginals, atol=1e-6)
    assert 0 < refused < 50


@pytest.mark.parametrize("parts", ["sib", "grand"])
def test_crossing_second_order_samples_beside_masks_are_right_or_refused(parts: str) -> None:
    p_values, refusals = list[float](), list[str]()
    for instance, _, truth in islice(masked_instances(parts, False, "multi"), 30):
        try:
            trees = decode.sample(instance.arc, DRAWS, seed=1, **instance.arguments)
        except InputError as error:
            refusals.append(str(error))
        else:
            p_values.append(p_value_of_sample(trees, truth))
    assert all("-inf" in refusal for refusal in refusals)
    assert len(p_values) >= 5
    assert min(p_values) > 1e-3
