"""Laws of certificates: true by enumeration in rational numbers, at any scale, under shifts, and beside masks."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracles.instances import Instance, random_instance
from oracles.trees import parts_of

import treewright as tw
from treewright.decode import Parse
from treewright.errors import BudgetError, ProofError

ROOTS = ("single", "multi")
PARTS = ("", "sib", "grand", "sib grand stop")
METHODS = ("exact", "dd")
MASKS = (-1e9, -1e16, -1e30, -3.4e38)


def decode(instance: Instance, method: str = "exact", **options: Any) -> Parse:
    return tw.decode.tree(instance.arc, **instance.arguments, method=method, **options)


def exact_value(instance: Instance, heads: Any) -> Fraction:
    return sum((Fraction(x) for x in parts_of(heads, instance.arc, **instance.scores)), Fraction(0))


def check(instance: Instance, parse: Parse) -> None:
    """No tree is better by more than the gap or above the bound; certified if and only if the gap is small."""
    best = max(exact_value(instance, heads) for heads in instance.trees())
    value = exact_value(instance, parse.heads)
    assert parse.gap == math.inf or best - value <= Fraction(parse.gap)
    assert parse.bound == math.inf or best <= Fraction(parse.bound)
    assert parse.certified == (parse.gap <= parse.tolerance * parse.spread)


def mapped(instance: Instance, change: Any) -> Instance:
    return Instance(change(instance.arc), {name: change(x) for name, x in instance.scores.items()}, instance.shape)


def instances(parts: str, words: int = 4) -> list[Instance]:
    return [
        random_instance(seed, words, parts=parts, root=ROOTS[seed % 2], projective=seed % 4 >= 2, ties=seed % 5 == 4)
        for seed in range(10)
    ]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("parts", PARTS)
def test_a_scale_that_is_a_power_of_two_changes_nothing(parts: str, method: str) -> None:
    for instance in instances(parts):
        plain = decode(instance, method)
        for scale in (2.0**-200, 2.0**-33, 2.0**70, 2.0**300):
            parse = decode(mapped(instance, lambda array, by=scale: array * by), method)
            assert parse.heads.tolist() == plain.heads.tolist()
            assert (parse.score, parse.gap, parse.spread) == (
                scale * plain.score,
                scale * plain.gap,
                scale * plain.spread,
            )
            assert parse.certificate == plain.certificate


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("parts", PARTS)
def test_certificates_are_true_at_any_scale(parts: str, method: str) -> None:
    for instance in instances(parts):
        for scale in (1e-100, 1e-10, 1e10, 1e100):
            scaled = mapped(instance, lambda array, by=scale: array * by)
            parse = decode(scaled, method)
            check(scaled, parse)
            assert parse.certified == decode(instance, method).certified


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("parts", PARTS)
def test_a_constant_for_all_heads_of_a_word_changes_no_tree(parts: str, method: str) -> None:
    for place, instance in enumerate(instances(parts)):
        rounded = mapped(instance, lambda array: np.round(array * 1024) / 1024)  # so that sums below do not round
        plain = decode(rounded, method)
        for shift in (-1e9, 3.0, 2.0**40):
            arc = rounded.arc.copy()
            arc[:, 1 + place % 4] += shift
            shifted = Instance(arc, rounded.scores, rounded.shape)
            parse = decode(shifted, method)
            check(shifted, parse)
            assert parse.heads.tolist() == plain.heads.tolist()
            assert parse.certified == plain.certified
            if parse.certified:
                assert exact_value(shifted, parse.heads) == exact_value(rounded, plain.heads) + Fraction(shift)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("parts", PARTS)
def test_certificates_are_true_beside_masks(parts: str, method: str, mask: float) -> None:
    without_mask = 0
    for seed, instance in enumerate(instances(parts)):
        random = np.random.default_rng(seed)
        share = (0.05, 0.5)[seed % 2 == 1 and seed > 3]
        masked = mapped(
            instance,
            lambda array, random=random, share=share: np.where(random.random(array.shape) < share, mask, array),
        )
        parse = decode(masked, method)
        check(masked, parse)
        if max(masked.value(heads) for heads in masked.trees()) > mask / 2:
            without_mask += 1
            assert parse.certified or method == "dd"
    assert without_mask >= 5


@pytest.mark.parametrize("method", ["lp", "ilp", "climb", "rearrange"])
@pytest.mark.parametrize("parts", ["", "sib grand stop"])
def test_other_methods_claim_nothing_false_beside_masks_and_scales(parts: str, method: str) -> None:
    for seed, instance in enumerate(instances(parts, 3)[:6]):
        random = np.random.default_rng(seed)
        for mask, scale in ((-1e9, 1.0), (-3.4e38, 1.0), (0.0, 1e-10), (0.0, 1e10)):
            changed = mapped(
                instance,
                lambda array, random=random, mask=mask, by=scale: (
                    np.where(random.random(array.shape) < 0.2, mask, array) * by
                ),
            )
            check(changed, decode(changed, method))


def depth(heads: Any, m: int) -> int:
    return 0 if m == 0 else 1 + depth(heads, heads[m])


@pytest.mark.parametrize(("mask", "scale", "shift"), [(-1e9, 1, 0), (-1e16, 1, 0), (0, 1e-10, 0), (0, 1, 2.0**40)])
@pytest.mark.parametrize("parts", PARTS)
def test_certificates_of_constrained_trees_are_true(parts: str, mask: float, scale: float, shift: float) -> None:
    """Beside masks, at any scale and under shifts, no tree that meets the constraints is better."""
    for seed, instance in enumerate(instances(parts)[:6]):
        random = np.random.default_rng(seed)
        changed = mapped(
            instance,
            lambda array, random=random: np.where(random.random(array.shape) < 0.2 * (mask < 0), mask, array) * scale,
        )
        changed.arc[:, 1 + seed % 4] += shift
        allowed = [heads for heads in changed.trees() if max(depth(heads, m) for m in range(1, 5)) <= 2]
        parse = decode(changed, constraints=[tw.decode.Depth(2)])
        best = max(exact_value(changed, heads) for heads in allowed)
        assert best - exact_value(changed, parse.heads) <= Fraction(parse.gap)
        assert best <= Fraction(parse.bound)
        assert parse.certified or best < Fraction(mask / 2) < 0  # every tree has a mask
        assert decode(changed, constraints=[tw.decode.Depth(2)], tolerance=1e-3).certified >= parse.certified


def test_a_tolerance_of_zero_certifies_whole_numbers() -> None:
    for method in METHODS:
        for parts in PARTS:
            for seed in range(6):
                instance = random_instance(seed, 4, parts=parts, ties=True)
                parse = decode(instance, method, tolerance=0)
                check(instance, parse)
                assert parse.certified == (parse.gap == 0)
                assert method == "dd" or parse.certified


def test_proofs_are_refused_for_worse_trees_at_any_scale() -> None:
    for scale in (1e-12, 1.0, 1e12):
        instance = mapped(random_instance(2, 4, parts="sib"), lambda array, by=scale: array * by)
        parse = decode(instance, proof=True)
        tw.decode.verify(instance.arc, parse, **instance.arguments)
        values = {instance.value(heads): heads for heads in instance.trees()}
        second = sorted(values)[-2]
        claim = Parse(np.array(values[second], np.int32), second, second, "proof", 0.0, proof=parse.proof)
        with pytest.raises(ProofError):
            tw.decode.verify(instance.arc, claim, **instance.arguments)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("parts", PARTS)
def test_proofs_hold_beside_masks(parts: str, mask: float) -> None:
    for seed in range(6):
        instance = random_instance(seed, 4, parts=parts, root=ROOTS[seed % 2])
        random = np.random.default_rng(seed)
        masked = mapped(instance, lambda array, random=random: np.where(random.random(array.shape) < 0.3, mask, array))
        parse = decode(masked, proof=True)
        verified = tw.decode.verify(masked.arc, parse, **masked.arguments)
        assert max(exact_value(masked, heads) for heads in masked.trees()) <= Fraction(verified.bound)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("parts", PARTS)
def test_masks_that_every_tree_has_do_not_count_in_the_tolerance(parts: str, method: str, mask: float) -> None:
    """Whatever the share of the masks: a certified tree is the best one up to the size of the other scores."""
    with_mask = 0
    for seed, instance in enumerate(instances(parts)):
        random = np.random.default_rng([1, seed])
        masked = mapped(instance, lambda array, random=random: np.where(random.random(array.shape) < 0.8, mask, array))
        parse = decode(masked, method)
        check(masked, parse)
        best = max(exact_value(masked, heads) for heads in masked.trees())
        with_mask += best < mask / 2
        if parse.certified:
            assert best - exact_value(masked, parse.heads) <= Fraction(1, 10**6)
    assert with_mask >= 5


@pytest.mark.parametrize("options", [{"max_nodes": 1}, {"max_nodes": 2}, {"max_seconds": 1e-9}])
def test_a_limit_does_not_make_masked_trees_infeasible(options: dict[str, Any]) -> None:
    """The search leaves masks out at first: at its end within the limit it does not follow that there is no tree."""
    refused = 0
    for seed in range(12):
        instance = random_instance(seed, 4, parts="sib")
        random = np.random.default_rng(seed)
        share = (0.1, 0.8)[seed % 2]
        masked = mapped(
            instance,
            lambda array, random=random, share=share: np.where(random.random(array.shape) < share, -1e16, array),
        )
        try:
            check(masked, decode(masked, **options))
        except BudgetError:
            refused += 1
    assert 0 < refused < 12
