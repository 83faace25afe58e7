"""Sums over trees with second-order scores against enumeration: projective ones exactly, others within a bound."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from oracles.instances import Instance, distribution, random_instance
from oracles.trees import Distribution

import treewright as tw
from treewright import _core
from treewright.decode import Parts
from treewright.decode.sums.marginals import ROUNDS
from treewright.errors import InfeasibleError, InputError

PARTS = ["sib", "grand", "stop", "sib grand", "sib grand stop"]
EXACT = 1e-7  # the kernel leaves out terms below 1e-9
Call = Any


def instances(projective: bool, root: str, parts: str) -> Iterator[Instance]:
    """Sentences of 1 to 5 words, some with constraints, some with forbidden parts."""
    for words in range(1, 6):
        for seed in range(4):
            yield random_instance(
                100 * words + seed,
                words,
                parts=parts,
                root=root,
                projective=projective,
                constrained=words > 1 and seed % 2 == 1,
                sparse=0.1 * (seed // 2),
            )


def feasible_instances(projective: bool, root: str, parts: str) -> Iterator[tuple[dict[str, Any], Distribution]]:
    """Scores and options of those instances that have a tree, and the sums over all trees; the others must raise."""
    for instance in instances(projective, root, parts):
        truth = distribution(instance)
        given = {"arc": instance.arc, **instance.arguments}
        if truth is not None:
            yield given, truth
            continue
        for call in (tw.decode.marginals, tw.decode.log_partition, tw.decode.entropy):
            with pytest.raises(InfeasibleError):
                call(**given)


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("parts", PARTS)
def test_projective_sums_are_those_over_all_trees(parts: str, root: str) -> None:
    seen = 0
    for given, truth in feasible_instances(True, root, parts):
        seen += 1
        marginals = tw.decode.marginals(**given)
        np.testing.assert_allclose(marginals, truth.marginals, atol=EXACT)
        np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1, atol=EXACT)
        log_z, entropy = tw.decode.log_partition(**given), tw.decode.entropy(**given)
        assert log_z == pytest.approx(truth.log_partition, rel=1e-11, abs=1e-11)
        assert entropy == pytest.approx(truth.entropy, abs=10 * EXACT)
        assert marginals.exact
        assert log_z.exact
        assert entropy.exact
    assert seen >= 10


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("root", ["single", "multi"])
def test_first_order_entropy_is_that_of_the_distribution(root: str, projective: bool) -> None:
    seen = 0
    for given, truth in feasible_instances(projective, root, ""):
        seen += 1
        entropy = tw.decode.entropy(**given)
        assert entropy == pytest.approx(truth.entropy, abs=1e-11)
        assert entropy.exact
    assert seen >= 18


@pytest.mark.parametrize("root", ["single", "multi"])
def test_projective_marginals_are_the_gradient_of_the_log_partition(root: str) -> None:
    rng = np.random.default_rng(6)
    arc, sib, grand = (rng.normal(size=(8,) * axes) for axes in (2, 3, 3))
    options: dict[str, Any] = {"sib": sib, "grand": grand, "projective": True, "root": root}
    marginals = tw.decode.marginals(arc, **options)
    step = 1e-4
    for h, m in [(0, 3), (4, 1), (7, 6), (1, 7), (5, 6)]:
        raised = {sign: arc.copy() for sign in (-1, 1)}
        for sign, moved in raised.items():
            moved[h, m] += sign * step
        difference = tw.decode.log_partition(raised[1], **options) - tw.decode.log_partition(raised[-1], **options)
        assert marginals[h, m] == pytest.approx(difference / (2 * step), abs=1e-6)


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("parts", PARTS)
def test_beliefs_are_near_the_sums_over_all_trees(parts: str, root: str) -> None:
    errors, log_z_errors, entropy_errors = [], [], []
    for given, truth in feasible_instances(False, root, parts):
        marginals = tw.decode.marginals(**given)
        log_z, entropy = tw.decode.log_partition(**given), tw.decode.entropy(**given)
        assert (marginals.exact, log_z.exact, entropy.exact) == (False, False, False)
        log_z_errors.append(abs(log_z - truth.log_partition))
        entropy_errors.append(abs(entropy - truth.entropy))
        np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1, atol=1e-9)
        errors.append(np.abs(marginals - truth.marginals)[:, 1:].mean())
    assert len(errors) >= 10
    assert np.mean(errors) < 0.06  # measured: 0.01 to 0.041
    assert np.mean(log_z_errors) < 0.3  # measured: 0.05 to 0.24
    assert np.mean(entropy_errors) < 0.25  # measured: 0.03 to 0.18


@pytest.mark.parametrize("words", [5, 20])
def test_more_rounds_of_belief_propagation_change_nothing(words: int) -> None:
    for seed in range(10):
        instance = random_instance(seed, words)
        parts = Parts.from_arrays(instance.arc, **instance.scores).core
        found, longer = (_core.beliefs(parts, True, rounds)[1].arc for rounds in (ROUNDS, 10 * ROUNDS))
        np.testing.assert_allclose(found, longer, atol=0.01)


@pytest.mark.parametrize("shift", [1e9, -1e9, 2.0**40])
@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("parts", ["", *PARTS])
def test_a_constant_added_to_all_heads_of_a_word_changes_no_probability(
    parts: str, projective: bool, shift: float
) -> None:
    for seed in range(4):
        instance = random_instance(
            seed, 2 + seed, parts=parts, projective=projective, root=("single", "multi")[seed % 2]
        )
        given = {"arc": np.round(256 * instance.arc) / 256, **instance.arguments}  # sums with the shift are exact
        shifted = given | {"arc": given["arc"] + shift * (np.arange(3 + seed) == 1 + seed % 2)}
        for call in (tw.decode.marginals, tw.decode.entropy):
            np.testing.assert_array_equal(call(**shifted), call(**given))
        found = tw.decode.log_partition(**shifted) - tw.decode.log_partition(**given)
        assert found == pytest.approx(shift, rel=1e-15)
        samples = [tw.decode.sample(**scores, size=20).tolist() for scores in (given, shifted)]
        assert samples[0] == samples[1]
        assert tw.decode.mbr(**shifted).heads.tolist() == tw.decode.mbr(**given).heads.tolist()


def test_parts_give_the_sums_of_arrays() -> None:
    instance = random_instance(5, 5, sparse=0.05)
    parts = Parts.from_arrays(instance.arc, **instance.scores)
    for projective in (False, True):
        shape: dict[str, Any] = {"projective": projective, "require": [(2, 1)], "forbid": [(0, 3)]}
        whole = tw.decode.marginals(instance.arc, **instance.scores, **shape)
        np.testing.assert_array_equal(tw.decode.marginals(parts, **shape), whole)


def test_second_order_scores_of_zero_change_nothing() -> None:
    arc, zeros = np.random.default_rng(1).normal(size=(7, 7)), np.zeros((7, 7, 7))
    for projective in (False, True):
        plain = tw.decode.marginals(arc, projective=projective)
        marginals = tw.decode.marginals(arc, sib=zeros, grand=zeros, projective=projective)
        np.testing.assert_allclose(marginals, plain, atol=1e-8)


def test_what_is_computed_from_a_result_is_plain() -> None:
    rng = np.random.default_rng(3)
    marginals = tw.decode.marginals(rng.normal(size=(4, 4)), sib=rng.normal(size=(4, 4, 4)))
    assert repr(marginals).startswith("approximate array(")
    for derived in (
        marginals * 2,
        marginals[0],
        marginals.sum(axis=0),
        np.log1p(marginals),
        np.asarray(marginals),
        marginals.max(axis=0),
    ):
        assert type(derived) is np.ndarray
    copies = [pickle.loads(pickle.dumps(marginals)), marginals.copy()]
    assert [copy.exact for copy in copies] == [False, False]
    np.testing.assert_array_equal(copies[0], np.asarray(marginals))
    out = np.zeros((4, 4))
    np.add(marginals, 1, out=out)
    np.testing.assert_array_equal(out, np.asarray(marginals) + 1)


def test_numbers_say_whether_they_are_exact() -> None:
    number = tw.decode.log_partition(np.zeros((3, 3)))
    assert number.exact
    assert repr(number) == repr(float(number))
    assert type(number + 1) is float
    about = tw.decode.FloatResult(0.5, exact=False)
    assert repr(about) == "approximate 0.5"
    assert not pickle.loads(pickle.dumps(about)).exact


@pytest.mark.parametrize("name", ["marginals", "log_partition", "entropy", "mbr"])
def test_bad_second_order_scores_are_named(name: str) -> None:
    call: Call = getattr(tw.decode, name)
    sib = np.zeros((3, 3, 3))
    with pytest.raises(InputError, match=r"^sib has shape \(3, 3, 2\), expected \(3, 3, 3\)"):
        call(np.zeros((3, 3)), sib=np.zeros((3, 3, 2)))
    sib[0, 2, 1] = np.nan
    with pytest.raises(InputError, match=r"^sib\[0, 2, 1\] is NaN; write -inf to forbid a part"):
        call(np.zeros((3, 3)), sib=sib)
    with pytest.raises(InputError, match=r"^sib, grand, stop and grandsib come with an array arc"):
        call(Parts.from_arrays(np.zeros((3, 3))), sib=np.zeros((3, 3, 3)))
    for projective in (False, True):
        with pytest.raises(InfeasibleError, match="every tree that the arcs allow has a sibling, grandparent or stop"):
            call(np.zeros((3, 3)), sib=np.full((3, 3, 3), -np.inf), projective=projective)
