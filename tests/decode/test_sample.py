"""Random trees: their frequencies against their probabilities (chi-square, fixed seeds), and the edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.frequencies import counts_of, p_value
from oracles.instances import distribution, random_instance
from oracles.trees import all_trees, value

import treewright as tw
from treewright.decode import Parts
from treewright.errors import InfeasibleError, InputError

SHAPES = [(projective, root) for projective in (False, True) for root in ("single", "multi")]
DRAWS = 60_000


def assert_law(drawn: NDArray[np.int32], trees: tuple[tuple[int, ...], ...], weights: NDArray[np.float64]) -> None:
    """Frequencies fit the weights: the chi-square test does not reject at one in a thousand."""
    observed = counts_of(drawn, trees)
    assert observed.sum() == len(drawn)
    assert (observed[weights == 0] == 0).all()
    assert p_value(observed, weights / weights.sum() * len(drawn)) > 1e-3


def weights_of(trees: tuple[tuple[int, ...], ...], arc: NDArray[np.float64]) -> NDArray[np.float64]:
    values = np.array([value(tree, arc) for tree in trees])
    weights: NDArray[np.float64] = np.exp(values - values.max())
    return weights


@pytest.mark.parametrize(("projective", "root"), SHAPES)
@pytest.mark.parametrize(("n", "scale"), [(2, 1.0), (3, 1.0), (3, 3.0), (4, 0.7)])
def test_frequencies_are_probabilities(n: int, scale: float, projective: bool, root: str) -> None:
    arc = np.random.default_rng(n).normal(size=(n + 1, n + 1)) * scale
    trees = all_trees(n, projective=projective, root=root)
    drawn = tw.decode.sample(arc, DRAWS, projective=projective, root=root, seed=11)
    assert_law(drawn, trees, weights_of(trees, arc))


@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_uniform_ignores_scores_but_not_what_they_forbid(projective: bool, root: str) -> None:
    arc = np.random.default_rng(0).normal(size=(5, 5)) * 9
    arc[2, 3] = arc[0, 1] = -np.inf
    trees = all_trees(4, projective=projective, root=root)
    allowed = np.array([float(tree[3] != 2 and tree[1] != 0) for tree in trees])
    drawn = tw.decode.sample(arc, DRAWS, projective=projective, root=root, seed=2, uniform=True)
    assert_law(drawn, trees, allowed)


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("gap", [8.0, 30.0, 300.0, 2000.0])
def test_words_that_prefer_each_other_do_not_hold_up_the_draw(gap: float, root: str) -> None:
    """Walks would go in circles for e^gap steps: heads are drawn one by one instead, by the same law."""
    rng = np.random.default_rng(5)
    arc = rng.normal(size=(4, 4))
    arc[0] -= gap
    arc[3, 1:3] -= gap  # 1 and 2 hang from each other
    trees = all_trees(3, root=root)
    assert_law(tw.decode.sample(arc, 20_000, root=root, seed=3), trees, weights_of(trees, arc))


@pytest.mark.parametrize("projective", [False, True])
def test_frequencies_of_arcs_are_marginals(projective: bool) -> None:
    arc = np.random.default_rng(9).normal(size=(13, 13)) * 1.5
    drawn = tw.decode.sample(arc, 20_000, projective=projective, seed=4)
    found = np.zeros((13, 13))
    for m in range(1, 13):
        found[:, m] = np.bincount(drawn[:, m], minlength=13)
    marginal = tw.decode.marginals(arc, projective=projective)
    error = np.sqrt(marginal * (1 - marginal) / len(drawn))
    assert (np.abs(found / len(drawn) - marginal) <= 5 * error + 1e-4).all()


@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_every_tree_drawn_is_one(projective: bool, root: str) -> None:
    rng = np.random.default_rng(1)
    for n, scale in ((1, 1.0), (2, 500.0), (25, 1.0), (25, 60.0), (25, 1000.0)):
        arc = rng.normal(size=(n + 1, n + 1)) * scale
        for heads in tw.decode.sample(arc, 20, projective=projective, root=root):
            assert tw.trees.is_tree(heads, root=root)
            assert not projective or tw.trees.is_projective(heads)


@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_a_seed_decides(projective: bool, root: str) -> None:
    arc = np.random.default_rng(1).normal(size=(9, 9))
    options: dict[str, Any] = {"projective": projective, "root": root}
    first = tw.decode.sample(arc, 30, seed=5, **options)
    assert (tw.decode.sample(arc, 30, seed=5, **options) == first).all()
    assert (tw.decode.sample(arc, 100, seed=5, **options)[:30] == first).all()
    assert (tw.decode.sample(arc, 30, seed=6, **options) != first).any()
    assert tw.decode.sample(arc, 0, **options).shape == (0, 9)


def test_the_draws_of_a_seed_are_the_same_everywhere() -> None:
    """The generator is our own: these numbers hold on every machine."""
    zeros = np.zeros((5, 5))
    assert tw.decode.sample(zeros, 3, seed=42).tolist() == [[-1, 4, 3, 1, 0], [-1, 0, 3, 1, 3], [-1, 4, 3, 0, 2]]
    drawn = tw.decode.sample(zeros, 3, seed=42, projective=True)
    assert drawn.tolist() == [[-1, 4, 1, 1, 0], [-1, 4, 1, 1, 0], [-1, 2, 0, 4, 2]]


@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_constraints_hold(projective: bool, root: str) -> None:
    arc = np.zeros((5, 5))
    trees = all_trees(4, projective=projective, root=root)
    allowed = np.array([float(tree[2] == 3 and tree[1] != 2) for tree in trees])
    drawn = tw.decode.sample(arc, 20_000, projective=projective, root=root, require=[(3, 2)], forbid=[(2, 1)])
    assert_law(drawn, trees, allowed)


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(InfeasibleError, match=r"arc\[:, 2\] is -inf for every head"):
        tw.decode.sample(np.array([[0, 1, -np.inf], [0, 0, -np.inf], [0, 0, 0]]), 3)
    with pytest.raises(InputError, match="size is -1; give at least 0"):
        tw.decode.sample(np.zeros((3, 3)), -1)
    seed: Any = 1.5
    with pytest.raises(InputError, match=r"seed is 1\.5; give a whole number"):
        tw.decode.sample(np.zeros((3, 3)), 1, seed=seed)


@pytest.mark.parametrize(("projective", "root"), SHAPES)
@pytest.mark.parametrize("parts", ["sib", "grand", "stop", "sib grand stop"])
def test_second_order_frequencies_are_probabilities(parts: str, projective: bool, root: str) -> None:
    for words in (2, 3, 4):
        instance = random_instance(words, words, parts=parts, projective=projective, root=root)
        truth = distribution(instance)
        assert truth is not None
        drawn = tw.decode.sample(instance.arc, 20_000, seed=5, **instance.arguments)
        if len(truth.trees) > 1:
            assert_law(drawn, tuple(truth.trees), truth.probabilities)


@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_second_order_samples_keep_constraints_and_forbidden_parts(projective: bool, root: str) -> None:
    seen = 0
    for seed in range(24):
        instance = random_instance(seed, 4, projective=projective, root=root, constrained=True, sparse=0.05)
        truth = distribution(instance)
        if truth is None:
            with pytest.raises(InfeasibleError):
                tw.decode.sample(instance.arc, 3, **instance.arguments)
            continue
        drawn = tw.decode.sample(instance.arc, 4000, seed=seed, **instance.arguments)
        if len(truth.trees) > 1 and np.sort(truth.probabilities)[-2] * 4000 > 10:
            seen += 1
            assert_law(drawn, tuple(truth.trees), truth.probabilities)
        else:
            assert set(map(tuple, drawn.tolist())) <= set(truth.trees)
    assert seen >= 3


@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_uniform_second_order_samples_ignore_finite_scores(projective: bool, root: str) -> None:
    for sparse in (0.0, 0.05):
        instance = random_instance(8, 4, projective=projective, root=root, sparse=sparse)
        truth = distribution(instance)
        assert truth is not None
        drawn = tw.decode.sample(instance.arc, 8000, uniform=True, **instance.arguments)
        assert_law(drawn, tuple(truth.trees), np.ones(len(truth.trees)))


@pytest.mark.parametrize("projective", [False, True])
def test_a_seed_decides_second_order_samples(projective: bool) -> None:
    instance = random_instance(3, 6, projective=projective)
    first = tw.decode.sample(instance.arc, 30, seed=5, **instance.arguments)
    again = tw.decode.sample(Parts.from_arrays(instance.arc, **instance.scores), 100, seed=5, projective=projective)
    np.testing.assert_array_equal(again[:30], first)
    assert (tw.decode.sample(instance.arc, 30, seed=6, **instance.arguments) != first).any()
    assert tw.decode.sample(instance.arc, 0, **instance.arguments).shape == (0, 7)


def test_draws_that_would_take_too_long_are_refused() -> None:
    instance = random_instance(1, 20)
    strong = {name: 3 * scores for name, scores in instance.scores.items()}
    with pytest.raises(InputError, match=r"^sample has accepted 0 of 21000 .* give projective=True"):
        tw.decode.sample(instance.arc, 3, **strong)
    assert tw.decode.sample(instance.arc, 3, projective=True, **strong).shape == (3, 21)


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("kind", ["sib", "grand"])
def test_equal_second_order_scores_can_be_drawn_from(kind: str, root: str) -> None:
    second_order: dict[str, Any] = {kind: np.zeros((6, 6, 6))}
    drawn = tw.decode.sample(np.zeros((6, 6)), 50, root=root, **second_order)
    assert all(tw.trees.is_tree(heads, root=root) for heads in drawn)
