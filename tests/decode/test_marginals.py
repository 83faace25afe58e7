"""Sums over trees: against enumeration, by counting, by finite differences, and where determinants fail."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.instances import constrained_scores, random_scores
from oracles.trees import all_trees, value

import treewright as tw
from treewright import _core
from treewright.decode import Parts
from treewright.errors import InfeasibleError, InputError

SHAPES = [(projective, root) for projective in (False, True) for root in ("single", "multi")]
Matrix = NDArray[np.float64]


def sums_by_enumeration(trees: list[tuple[int, ...]], arc: Matrix) -> tuple[float, Matrix]:
    """Log partition and marginals by their definition."""
    values = np.array([value(tree, arc) for tree in trees])
    best = values.max()
    log_z = best + math.log(np.exp(values - best).sum())
    marginal = np.zeros_like(arc)
    for tree, probability in zip(trees, np.exp(values - log_z), strict=True):
        for m, h in enumerate(tree[1:], start=1):
            marginal[h, m] += probability
    return float(log_z), marginal


@pytest.mark.parametrize("scale", [0.1, 3.0, 40.0, 300.0, 1500.0])
@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_equal_to_the_sums_over_all_trees(projective: bool, root: str, scale: float) -> None:
    rng = np.random.default_rng(int(scale))
    feasible = 0
    for trial in range(40):
        n = 1 + trial % 5
        arc = random_scores(rng, n, scale=scale, holes=0.0 if trial % 3 else 0.35)["arc"]
        trees = [t for t in all_trees(n, projective=projective, root=root) if value(t, arc) > -np.inf]
        if not trees:
            with pytest.raises(InfeasibleError):
                tw.decode.log_partition(arc, projective=projective, root=root)
            with pytest.raises(InfeasibleError):
                tw.decode.marginals(arc, projective=projective, root=root)
            continue
        feasible += 1
        log_z, marginal = sums_by_enumeration(trees, arc)
        assert tw.decode.log_partition(arc, projective=projective, root=root) == pytest.approx(log_z, rel=1e-11)
        marginals = tw.decode.marginals(arc, projective=projective, root=root)
        np.testing.assert_allclose(marginals, marginal, rtol=0, atol=1e-9)
        np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1, rtol=1e-12)
        if root == "single":
            assert marginals[0].sum() == pytest.approx(1, rel=1e-9)
    assert feasible >= 34


@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_small_probabilities_are_as_exact_as_large_ones(projective: bool, root: str) -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        arc = random_scores(rng, 4, scale=30.0)["arc"]
        _, marginal = sums_by_enumeration(list(all_trees(4, projective=projective, root=root)), arc)
        marginals = tw.decode.marginals(arc, projective=projective, root=root)
        np.testing.assert_allclose(marginals, marginal, rtol=1e-9, atol=0)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 30, 120, 450])
def test_scores_of_zero_count_trees(n: int) -> None:
    arc = np.zeros((n + 1, n + 1))
    counts = {
        (False, "multi"): (n - 1) * math.log(n + 1),
        (False, "single"): (n - 1) * math.log(n),
        (True, "multi"): math.log(math.comb(3 * n, n) // (2 * n + 1)),
        (True, "single"): math.log(math.comb(3 * n - 2, n - 1) // n),
    }
    for (projective, root), log_count in counts.items():
        partition = tw.decode.log_partition(arc, projective=projective, root=root)
        assert partition == pytest.approx(log_count, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_marginals_are_the_gradient_of_the_log_partition(projective: bool, root: str) -> None:
    rng = np.random.default_rng(6)
    arc = rng.normal(size=(9, 9)) * 2
    marginals = tw.decode.marginals(arc, projective=projective, root=root)
    step = 1e-5
    for h, m in [(0, 3), (4, 1), (8, 7), (1, 8), (5, 6)]:
        up, down = arc.copy(), arc.copy()
        up[h, m] += step
        down[h, m] -= step
        difference = tw.decode.log_partition(up, projective=projective, root=root) - tw.decode.log_partition(
            down, projective=projective, root=root
        )
        assert marginals[h, m] == pytest.approx(difference / (2 * step), abs=1e-8)


@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_columns_sum_to_one_however_long_and_however_peaked(projective: bool, root: str) -> None:
    rng = np.random.default_rng(60)
    for n, scale in ((60, 1.0), (60, 30.0), (60, 300.0), (150, 3.0), (25, 5000.0)):
        arc = rng.normal(size=(n + 1, n + 1)) * scale
        marginals = tw.decode.marginals(arc, projective=projective, root=root)
        np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1, rtol=1e-10)
        assert marginals.min() >= 0
        assert marginals.max() <= 1 + 1e-10
        assert not marginals[:, 0].any()
        log_z = tw.decode.log_partition(arc, projective=projective, root=root)
        best = tw.decode.tree(arc, projective=projective, root=root).score
        assert log_z >= best - 1e-9 * abs(best)
        if root == "single":
            assert marginals[0].sum() == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize("root", ["single", "multi"])
def test_words_that_prefer_each_other_to_everything_else(root: str) -> None:
    """Where the inverse of the Laplacian has no digit left: 1 and 2 hang from each other but for a weight of e^-400."""
    arc = np.array([[0.0, -400, -401], [0, 0, 0], [0, 0, 0]])
    marginals = tw.decode.marginals(arc, root=root)
    first = 1 / (1 + math.exp(-1))
    np.testing.assert_allclose(
        marginals, [[0, first, 1 - first], [0, 0, first], [0, 1 - first, 0]], rtol=1e-12, atol=1e-12
    )


def test_a_word_that_only_the_root_can_head() -> None:
    """Its marginal is one, and the others are those of the trees below it."""
    rng = np.random.default_rng(9)
    arc = rng.normal(size=(5, 5))
    arc[1:, 2] = -np.inf
    marginals = tw.decode.marginals(arc)
    assert marginals[0].tolist() == [0, 0, 1, 0, 0]
    trees = [tree for tree in all_trees(4) if tree[2] == 0]
    np.testing.assert_allclose(marginals, sums_by_enumeration(trees, arc)[1], rtol=1e-12, atol=0)


@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_constraints_condition_the_distribution(projective: bool, root: str) -> None:
    shape: dict[str, Any] = {"projective": projective, "root": root}
    for arc, options, left in constrained_scores(14, range(2, 6), 25, tw.decode.marginals, **shape, at_least=23):
        log_z, marginal = sums_by_enumeration(left, arc)
        assert tw.decode.log_partition(arc, **options) == pytest.approx(log_z, rel=1e-11)
        np.testing.assert_allclose(tw.decode.marginals(arc, **options), marginal, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_shifting_a_column_shifts_the_log_partition_only(projective: bool, root: str) -> None:
    arc = np.random.default_rng(2).normal(size=(7, 7))
    moved = arc.copy()
    moved[:, 3] += 250
    log_z = tw.decode.log_partition(arc, projective=projective, root=root)
    assert tw.decode.log_partition(moved, projective=projective, root=root) == pytest.approx(log_z + 250, rel=1e-12)
    np.testing.assert_allclose(
        tw.decode.marginals(moved, projective=projective, root=root),
        tw.decode.marginals(arc, projective=projective, root=root),
        rtol=1e-9,
    )


def test_mirrored_sentences_have_mirrored_marginals() -> None:
    arc = np.random.default_rng(3).normal(size=(8, 8))
    at = np.r_[0, np.arange(7, 0, -1)]
    for projective, root in SHAPES:
        marginals = tw.decode.marginals(arc, projective=projective, root=root)
        other = tw.decode.marginals(arc[np.ix_(at, at)], projective=projective, root=root)
        np.testing.assert_allclose(other, marginals[np.ix_(at, at)], rtol=1e-10)


def test_parts_answer_as_arrays_do() -> None:
    arc = random_scores(np.random.default_rng(1), 6, holes=0.3)["arc"]
    parts = Parts.from_arrays(arc)
    for projective, root in SHAPES:
        whole = tw.decode.marginals(arc, projective=projective, root=root)
        np.testing.assert_array_equal(tw.decode.marginals(parts, projective=projective, root=root), whole)


def test_threads_answer_as_one_does() -> None:
    rng = np.random.default_rng(21)
    many = [rng.normal(size=(n + 1, n + 1)) * 20 for n in rng.integers(1, 40, 60)]

    def answers(arc: Matrix) -> list[list[float]]:
        sums = [tw.decode.marginals(arc, projective=projective, root=root).ravel() for projective, root in SHAPES]
        samples = [tw.decode.sample(arc, 2, projective=projective).ravel() for projective in (False, True)]
        return [row.tolist() for row in sums] + [row.tolist() for row in samples]

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(answers, many)) == [answers(arc) for arc in many]


def test_bad_scores_are_named() -> None:
    with pytest.raises(InputError, match=r"arc\[0, 1\] is NaN"):
        tw.decode.marginals([[0.0, np.nan], [0.0, 0.0]])
    with pytest.raises(InfeasibleError, match=r"arc\[:, 1\] is -inf for every head"):
        tw.decode.marginals([[0.0, -np.inf], [0.0, 0.0]])


def test_the_kernel_looks_at_neither_diagonal_nor_column_zero() -> None:
    arc = np.random.default_rng(7).normal(size=(6, 6))
    other = arc.copy()
    np.fill_diagonal(other, np.nan)
    other[:, 0] = np.nan
    for shape in product((True, False), repeat=2):
        np.testing.assert_array_equal(_core.marginals(arc, *shape)[0], _core.marginals(other, *shape)[0])


@pytest.mark.parametrize("scale", [1e6, 1e12, 1e15])
@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_marginals_are_probabilities_at_any_size_of_scores(projective: bool, root: str, scale: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        arc = scale * rng.normal(size=(6, 6))
        marginals = tw.decode.marginals(arc, projective=projective, root=root)
        assert marginals.max() <= 1 + 1e-12
        np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1, rtol=1e-12)
        best = tw.decode.tree(arc, projective=projective, root=root).heads  # far better than all others at this size
        np.testing.assert_allclose(marginals[best[1:], np.arange(1, 6)], 1, rtol=1e-12)


@pytest.mark.parametrize("mask", [-1e9, -1e16, -3.4e38])
@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_masks_that_some_tree_avoids_are_as_good_as_minus_infinity(projective: bool, root: str, mask: float) -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        arc = rng.normal(size=(6, 6))
        chain = np.eye(6, k=1, dtype=bool)  # the arcs (0, 1), (1, 2), ...: one tree has no mask
        is_masked = (rng.random((6, 6)) < 0.5) & ~chain
        forbidden, masked = np.where(is_masked, -np.inf, arc), np.where(is_masked, mask, arc)
        expected = tw.decode.marginals(forbidden, projective=projective, root=root)
        marginals = tw.decode.marginals(masked, projective=projective, root=root)
        np.testing.assert_allclose(marginals, expected, atol=1e-12)


@pytest.mark.parametrize("mask", [-1e7, -1e9, -1e16, -3.4e38])
@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_masks_that_every_tree_has_leave_the_other_scores_their_digits(
    projective: bool, root: str, mask: float
) -> None:
    rng = np.random.default_rng(5)
    masked_everywhere = 0
    for trial in range(18):
        n = 2 + trial % 3
        arc = rng.normal(size=(n + 1, n + 1))
        arc = np.where(rng.random(arc.shape) < 0.85, mask, arc)
        trees = list(all_trees(n, projective=projective, root=root))
        values = [sum(Fraction(arc[h, m]) for m, h in enumerate(tree[1:], start=1)) for tree in trees]
        masked_everywhere += max(values) < mask / 2
        weights = np.exp([float(x - max(values)) for x in values])
        expected = np.zeros_like(arc)
        for tree, weight in zip(trees, weights / weights.sum(), strict=True):
            expected[list(tree[1:]), np.arange(1, n + 1)] += weight
        marginals = tw.decode.marginals(arc, projective=projective, root=root)
        np.testing.assert_allclose(marginals, expected, atol=1e-11)
    assert masked_everywhere >= 8
