"""Beliefs over all trees, crossing or not, against enumeration; what learners compare with the gold tree."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.trees import all_trees
from scipy.special import logsumexp

from treewright.decode import Parts, marginals
from treewright.features import beliefs, crossing_gradient, difference, free_difference


def random_parts(nodes: int, seed: int, scale: float = 1.0, *, grand: bool = True) -> Parts:
    dice = np.random.default_rng(seed)
    cube = (nodes, nodes, nodes)
    return Parts.from_arrays(
        2 * dice.normal(size=(nodes, nodes)),
        sib=scale * dice.normal(size=cube),
        grand=scale * dice.normal(size=cube) if grand else None,
        stop=scale * dice.normal(size=(nodes, nodes, 2)),
    )


@pytest.mark.parametrize("root", ["single", "multi"])
def test_exact_where_only_arcs_matter(root: str) -> None:
    parts = random_parts(7, 0, scale=0.0)
    found = beliefs(parts.core, root == "single", 4)
    expected = marginals(parts.core.dense_arc(), root=root)
    np.testing.assert_allclose(found.arc, expected[found.head, found.modifier], atol=1e-9)


@pytest.mark.parametrize("grand", [False, True])
def test_close_to_the_sums_over_all_trees(grand: bool) -> None:
    errors, spread = [], []
    every = [np.array(tree, dtype=np.int32) for tree in all_trees(5, root="single")]
    for seed in range(5):
        parts = random_parts(6, seed, 0.3, grand=grand)
        values = np.array([parts.value(tree) for tree in every])
        exact = np.zeros((6, 6))
        for tree, probability in zip(every, np.exp(values - logsumexp(values)), strict=True):
            exact[tree[1:], np.arange(1, 6)] += probability
        found = beliefs(parts.core, True, 5)
        arcs_alone = marginals(parts.core.dense_arc())
        errors.append(np.abs(found.arc - exact[found.head, found.modifier]).mean())
        spread.append(np.abs(arcs_alone - exact)[found.head, found.modifier].mean())
    assert np.mean(errors) < 0.02
    assert np.mean(errors) < 0.5 * np.mean(spread)


@pytest.mark.parametrize("grand", [False, True])
def test_beliefs_in_parts_agree_with_those_in_arcs(grand: bool) -> None:
    parts = random_parts(6, 3, 0.2, grand=grand)
    found = beliefs(parts.core, True, 30)
    entered = np.zeros((6, 6))
    heads, modifiers, _, belief = found.siblings
    np.add.at(entered, (heads, modifiers), belief)
    np.testing.assert_allclose(entered[found.head, found.modifier], found.arc, atol=0.02)


@pytest.mark.parametrize("extra", [100.0, -400.0, 4000.0])
def test_a_score_that_every_tree_has_changes_nothing(extra: float) -> None:
    dice = np.random.default_rng(6)
    arc, sib, grand = (dice.normal(size=(8,) * axes) for axes in (2, 3, 3))
    stop = dice.normal(size=(8, 8, 2))
    plain, raised = (Parts.from_arrays(arc, sib=sib, grand=grand, stop=stop + more).core for more in (0.0, extra))
    for single in (True, False):
        expected, found = beliefs(plain, single, 5), beliefs(raised, single, 5)
        np.testing.assert_allclose(found.arc, expected.arc, atol=1e-9)
        for kind in ("siblings", "grandparents", "stops"):
            np.testing.assert_allclose(getattr(found, kind)[-1], getattr(expected, kind)[-1], atol=1e-9)


def test_the_gradient_is_what_the_tree_has_more_of() -> None:
    parts = random_parts(6, 4)
    tree = np.array([-1, 3, 4, 0, 3, 2], dtype=np.int32)
    loss, step = crossing_gradient(parts.core, tree, True, 5)
    found = beliefs(parts.core, True, 5)
    has = tree[found.modifier] == found.head
    np.testing.assert_allclose(step.arc, has - found.arc, atol=1e-12)
    assert loss == pytest.approx((1 - found.arc[has]).sum())


def test_a_difference_of_trees_weighs_as_their_values() -> None:
    parts = random_parts(6, 5)
    one, other = (np.array(tree, dtype=np.int32) for tree in ([-1, 3, 4, 0, 3, 2], [-1, 2, 0, 2, 3, 4]))
    step = difference(parts.core, one, other)
    assert dot(step, parts) == pytest.approx(parts.value(one) - parts.value(other))


@pytest.mark.parametrize("grand", [False, True])
def test_free_heads_find_at_least_the_best_tree(grand: bool) -> None:
    for seed in range(10):
        parts = random_parts(6, seed, grand=grand)
        best = max((np.array(tree, dtype=np.int32) for tree in all_trees(5, root="multi")), key=parts.value)
        missed, step = free_difference(parts.core, best)
        assert dot(step, parts) <= 1e-9  # the heads are free to take the tree, and take something better
        assert missed == (step.arc > 0).sum()


def test_a_tree_of_other_arcs_is_refused() -> None:
    parts = Parts.from_arrays([[0, 1.0, -np.inf], [0, 0, 1.0], [0, -np.inf, 0]])
    with pytest.raises(ValueError, match="no candidates"):
        free_difference(parts.core, np.array([-1, 2, 0], dtype=np.int32))


def dot(step: object, parts: Parts) -> float:
    """The scores of the parts that `step` counts."""
    total = float((step.arc * parts.core.arc).sum())
    for kind in ("siblings", "grandparents", "stops"):
        scores = {
            key: score
            for *key, score in map(tuple, zip(*getattr(parts.core, kind), strict=True))
            for key in [tuple(key)]
        }
        total += sum(count * scores.get(tuple(key), 0.0) for *key, count in zip(*getattr(step, kind), strict=True))
    return total
