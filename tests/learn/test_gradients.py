"""The gradients of the learners against enumeration, and the differences of trees they use."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.expectations import Distribution
from oracles.instances import Instance, random_instance
from oracles.trees import all_trees

from treewright import _core
from treewright.decode import Parts
from treewright.learn import automata_difference, nonprojective_gradient, projective_gradient, tree_difference


def parts_of(instance: Instance) -> Parts:
    return Parts.from_arrays(instance.arc, **instance.scores)


def heads(*tree: int) -> np.ndarray:
    return np.array(tree, dtype=np.int32)


def test_the_loss_is_the_negative_log_probability() -> None:
    instance = random_instance(4, 4, projective=True)
    trees = instance.trees()
    every = Distribution(trees, [instance.value(tree) for tree in trees])
    losses = [projective_gradient(parts_of(instance).core, heads(*tree), True, False)[0] for tree in trees]
    np.testing.assert_allclose(losses, -np.log(every.probabilities), rtol=1e-9)


def test_a_crossing_tree_competes_with_the_projective_ones() -> None:
    instance = random_instance(5, 4, projective=True)
    crossing = (-1, 0, 4, 1, 1)  # 4 -> 2 and 1 -> 3 cross
    trees = [*instance.trees(), crossing]
    every = Distribution(trees, [instance.value(tree) for tree in trees])
    loss, step = projective_gradient(parts_of(instance).core, heads(*crossing), True, True)
    assert loss == pytest.approx(-np.log(every.probabilities[-1]))
    expected = (np.array(crossing)[step.modifier] == step.head) - every.arcs()[step.head, step.modifier]
    np.testing.assert_allclose(step.arc, expected, atol=1e-8)


def test_the_nonprojective_gradient_is_the_tree_minus_the_beliefs() -> None:
    parts = parts_of(random_instance(4, 5))
    tree = heads(-1, 3, 4, 0, 3, 2)
    loss, step = nonprojective_gradient(parts.core, tree, True, 5)
    _, found = _core.beliefs(parts.core, True, 5)
    has = tree[found.modifier] == found.head
    np.testing.assert_allclose(step.arc, has - found.arc, atol=1e-12)
    assert loss == pytest.approx((1 - found.arc[has]).sum())


def test_a_difference_of_trees_scores_the_difference_of_their_values() -> None:
    instance = random_instance(5, 5)
    one, other = heads(-1, 3, 4, 0, 3, 2), heads(-1, 2, 0, 2, 3, 4)
    step = tree_difference(parts_of(instance).core, one, other)
    assert dot(step, parts_of(instance)) == pytest.approx(instance.value(one) - instance.value(other))


@pytest.mark.parametrize("kinds", ["sib stop", "sib grand stop"])
def test_free_heads_find_at_least_the_best_tree(kinds: str) -> None:
    for seed in range(10):
        instance = random_instance(seed, 5, parts=kinds)
        best = heads(*max(all_trees(5, root="multi"), key=instance.value))
        missed, step = automata_difference(parts_of(instance).core, best)
        assert dot(step, parts_of(instance)) <= 1e-9  # each head may take what the tree gives it, or something better
        assert missed == (step.arc > 0).sum()


def test_a_tree_of_other_arcs_is_refused() -> None:
    parts = Parts.from_arrays([[0, 1.0, -np.inf], [0, 0, 1.0], [0, -np.inf, 0]])
    with pytest.raises(ValueError, match="not candidates"):
        automata_difference(parts.core, heads(-1, 2, 0))


def dot(step: _core.Parts, parts: Parts) -> float:
    """The scores of the parts that `step` counts."""
    total = float((step.arc * parts.core.arc).sum())
    for kind in ("siblings", "grandparents", "stops"):
        *places, scores = getattr(parts.core, kind)
        score_of = dict(zip(zip(*places, strict=True), scores, strict=True))
        *places, counts = getattr(step, kind)
        total += sum(c * score_of.get(p, 0.0) for p, c in zip(zip(*places, strict=True), counts, strict=True))
    return total
