"""The gradients of the learners against enumeration, and the differences of trees they use."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from oracles.instances import Instance, random_instance
from oracles.programs import head_value
from oracles.trees import Distribution, Tree, all_trees, grandparents_of, siblings_of, stops_of

from treewright import _core
from treewright.decode import Parts
from treewright.learn import gradients


def parts_of(instance: Instance) -> Parts:
    return Parts.from_arrays(instance.arc, **instance.scores)


def heads(*tree: int) -> np.ndarray:
    return np.array(tree, dtype=np.int32)


def test_the_loss_is_the_negative_log_probability() -> None:
    instance = random_instance(4, 4, projective=True)
    trees = instance.trees()
    every = Distribution(trees, [instance.value(tree) for tree in trees])
    losses = [gradients.projective_gradient(parts_of(instance).core, heads(*tree), True, False)[0] for tree in trees]
    np.testing.assert_allclose(losses, -np.log(every.probabilities), rtol=1e-9)


def test_a_crossing_tree_competes_with_the_projective_ones() -> None:
    instance = random_instance(5, 4, projective=True)
    crossing = (-1, 0, 4, 1, 1)  # 4 -> 2 and 1 -> 3 cross
    trees = [*instance.trees(), crossing]
    every = Distribution(trees, [instance.value(tree) for tree in trees])
    loss, step = gradients.projective_gradient(parts_of(instance).core, heads(*crossing), True, True)
    assert loss == pytest.approx(-np.log(every.probabilities[-1]))
    expected = (np.array(crossing)[step.modifier] == step.head) - every.marginals[step.head, step.modifier]
    np.testing.assert_allclose(step.arc, expected, atol=1e-8)


PARTIAL = [(-1, -1, 0, -1, 2), (-1, -1, -1, -1, -1), (-1, 2, 0, -1, -1), (-1, -1, 4, -1, -1), (-1, 2, 0, 2, 3)]


def agreeing(trees: list[Tree], partial: Tree) -> list[Tree]:
    return [
        tree for tree in trees if all(given in (-1, head) for given, head in zip(partial[1:], tree[1:], strict=True))
    ]


@pytest.mark.parametrize("partial", PARTIAL)
@pytest.mark.parametrize("kinds", ["", "sib stop", "sib grand stop"])
def test_a_partial_tree_stands_for_all_trees_that_contain_it(kinds: str, partial: Tree) -> None:
    instance = random_instance(6, 4, parts=kinds, projective=True)
    every = Distribution(instance.trees(), [instance.value(tree) for tree in instance.trees()])
    some = agreeing(instance.trees(), partial)
    decided = Distribution(some, [instance.value(tree) for tree in some])
    loss, step = gradients.projective_gradient(parts_of(instance).core, heads(*partial), True, False)
    assert loss == pytest.approx(every.log_partition - decided.log_partition, abs=1e-9)
    expected = decided.marginals - every.marginals
    np.testing.assert_allclose(step.arc, expected[step.head, step.modifier], atol=1e-9)
    for kind, parts_of_tree in [("siblings", siblings_of), ("grandparents", grandparents_of), ("stops", stops_of)]:
        *places, counts = getattr(step, kind)
        difference = [dist.expected(parts_of_tree) for dist in (decided, every)]
        for place, count in zip(zip(*places, strict=True), counts, strict=True):
            assert count == pytest.approx(difference[0].get(place, 0) - difference[1].get(place, 0), abs=1e-9)


@pytest.mark.parametrize("partial", PARTIAL)
@pytest.mark.parametrize("projective", [True, False])
def test_the_first_order_gradient_of_a_partial_tree(projective: bool, partial: Tree) -> None:
    arc = random_instance(7, 4, parts="").arc
    trees = list(all_trees(4, projective=projective))
    every, decided = (
        Distribution(some, [sum(arc[head, m] for m, head in enumerate(tree) if m) for tree in some])
        for some in (trees, agreeing(trees, partial))
    )
    wrong, step = gradients.arc_gradient(arc, heads(*partial), projective, True)
    np.testing.assert_allclose(step, decided.marginals - every.marginals, atol=1e-9)
    given = [(head, m) for m, head in enumerate(partial) if m and head >= 0]
    assert wrong == pytest.approx(sum(1 - every.marginals[place] for place in given), abs=1e-9)
    parts = Parts.from_arrays(arc)
    _, sparse = gradients.nonprojective_gradient(parts.core, heads(*partial), True, 5)
    if not projective:
        np.testing.assert_allclose(sparse.arc, step[sparse.head, sparse.modifier], atol=1e-9)


def test_crossing_decisions_of_a_projective_pruner_are_compared_with_all_trees() -> None:
    arc = random_instance(8, 4, parts="").arc
    partial = (-1, 4, -1, -1, 2)  # no two arcs cross, but no projective tree has both
    some = agreeing(list(all_trees(4)), partial)
    decided = Distribution(some, [sum(arc[head, m] for m, head in enumerate(tree) if m) for tree in some])
    _, step = gradients.arc_gradient(arc, heads(*partial), True, True)
    _, free = gradients.arc_gradient(arc, heads(-1, -1, -1, -1, -1), True, True)
    np.testing.assert_allclose(free, 0, atol=1e-12)
    projective = Distribution(
        list(all_trees(4, projective=True)),
        [sum(arc[head, m] for m, head in enumerate(tree) if m) for tree in all_trees(4, projective=True)],
    )
    np.testing.assert_allclose(step, decided.marginals - projective.marginals, atol=1e-9)
    with pytest.raises(ValueError, match="no tree of the candidate arcs has the heads given"):
        gradients.projective_gradient(Parts.from_arrays(arc).core, heads(*partial), True, False)


def test_open_words_have_no_margin() -> None:
    parts = Parts.from_arrays(random_instance(9, 3, parts="").arc)
    before = parts.core.arc.copy()
    gradients.add_margin(parts.core, heads(-1, 2, -1, -1), 1.5)
    is_wrong = (parts.core.modifier == 1) & (parts.core.head != 2)
    np.testing.assert_allclose(parts.core.arc - before, 1.5 * is_wrong)


def test_the_nonprojective_gradient_is_the_tree_minus_the_beliefs() -> None:
    parts = parts_of(random_instance(4, 5))
    tree = heads(-1, 3, 4, 0, 3, 2)
    loss, step = gradients.nonprojective_gradient(parts.core, tree, True, 5)
    _, found = _core.beliefs(parts.core, True, 5)
    has = tree[found.modifier] == found.head
    np.testing.assert_allclose(step.arc, has - found.arc, atol=1e-12)
    assert loss == pytest.approx((1 - found.arc[has]).sum())


def test_a_difference_of_trees_scores_the_difference_of_their_values() -> None:
    instance = random_instance(5, 5)
    one, other = heads(-1, 3, 4, 0, 3, 2), heads(-1, 2, 0, 2, 3, 4)
    step = gradients.tree_difference(parts_of(instance).core, one, other)
    assert dot(step, parts_of(instance)) == pytest.approx(instance.value(one) - instance.value(other))


@pytest.mark.parametrize("kinds", ["sib stop", "sib grand stop"])
def test_free_heads_find_at_least_the_best_tree(kinds: str) -> None:
    for seed in range(10):
        instance = random_instance(seed, 5, parts=kinds)
        best = heads(*max(all_trees(5, root="multi"), key=instance.value))
        missed, step = gradients.automata_difference(parts_of(instance).core, best)
        assert dot(step, parts_of(instance)) <= 1e-9  # each head may take what the tree gives it, or something better
        assert missed == (step.arc > 0).sum()


@pytest.mark.parametrize("kinds", ["sib stop", "sib grand stop"])
def test_free_heads_choose_the_best_of_all_subsets(kinds: str) -> None:
    for seed in range(10):
        instance = random_instance(seed, 4, parts=kinds)
        scores = {"arc": instance.arc, **instance.scores}
        tree = heads(-1, 2, 0, 2, 3)
        _, step = gradients.automata_difference(parts_of(instance).core, tree)
        best = instance.value(tree) - dot(step, parts_of(instance))
        assert best == pytest.approx(sum(best_choice(scores, h) for h in range(5)))


def best_choice(scores: dict[str, Any], h: int) -> float:
    """The highest value of any set of modifiers of h with any head of h, which may be among them."""
    others, grand = [m for m in range(1, 5) if m != h], scores.get("grand")
    values = []
    for size in range(len(others) + 1):
        for modifiers in combinations(others, size):
            value = head_value(scores, h, modifiers)
            if grand is not None and h != 0:
                value += max(sum(grand[g, h, m] for m in modifiers if m != g) for g in range(5) if g != h)
            values.append(value)
    return max(values)


def test_a_tree_of_other_arcs_is_refused() -> None:
    parts = Parts.from_arrays([[0, 1.0, -np.inf], [0, 0, 1.0], [0, -np.inf, 0]])
    with pytest.raises(ValueError, match="not candidates"):
        gradients.automata_difference(parts.core, heads(-1, 2, 0))


def dot(step: _core.Parts, parts: Parts) -> float:
    """The scores of the parts that `step` counts."""
    total = float((step.arc * parts.core.arc).sum())
    for kind in ("siblings", "grandparents", "stops"):
        *places, scores = getattr(parts.core, kind)
        score_of = dict(zip(zip(*places, strict=True), scores, strict=True))
        *places, counts = getattr(step, kind)
        total += sum(c * score_of.get(p, 0.0) for p, c in zip(zip(*places, strict=True), counts, strict=True))
    return total
