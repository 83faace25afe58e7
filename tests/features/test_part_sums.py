"""Sums over second-order projective trees, decided by enumeration."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from oracles.trees import all_trees, sides
from scipy.special import logsumexp

from treewright.decode import Parts
from treewright.features import expectations, gradient


def random_parts(nodes: int, seed: int, *, sib: bool, grand: bool, pruned: bool) -> Parts:
    dice = np.random.default_rng(seed)
    arc = dice.normal(size=(nodes, nodes))
    if pruned:
        arc[dice.random((nodes, nodes)) < 0.3] = -np.inf
    arc[np.arange(nodes - 1), np.arange(1, nodes)] = 0.5  # the chain is always there
    cube = (nodes, nodes, nodes)
    return Parts.from_arrays(
        arc,
        sib=dice.normal(size=cube) if sib else None,
        grand=dice.normal(size=cube) if grand else None,
        stop=dice.normal(size=(nodes, nodes, 2)) if sib else None,
    )


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize(("sib", "grand"), [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("pruned", [False, True])
@pytest.mark.parametrize("words", [1, 2, 3, 4, 5])
def test_sums_are_those_over_all_trees(words: int, pruned: bool, sib: bool, grand: bool, root: str) -> None:
    parts = random_parts(words + 1, words, sib=sib, grand=grand, pruned=pruned)
    every = [np.array(tree, dtype=np.int32) for tree in all_trees(words, projective=True, root=root)]
    values = np.array([parts.value(tree) for tree in every])
    total = logsumexp(values)
    found, expected = expectations(parts.core, root == "single")
    assert found == pytest.approx(total, rel=1e-12)
    marginal = np.zeros((words + 1, words + 1))
    for tree, value in zip(every, values, strict=True):
        marginal[tree[1:], np.arange(1, words + 1)] += np.exp(value - total)
    head, modifier = expected.head, expected.modifier
    np.testing.assert_allclose(expected.arc, marginal[head, modifier], atol=1e-8)


@pytest.mark.parametrize("root", ["single", "multi"])
def test_every_part_has_its_expectation(root: str) -> None:
    parts = random_parts(6, 3, sib=True, grand=True, pruned=False)
    every = all_trees(5, projective=True, root=root)
    values = [parts.value(tree) for tree in every]
    siblings: Counter[tuple[int, int, int]] = Counter()
    grandparents, stops = siblings.copy(), siblings.copy()
    for tree, probability in zip(every, np.exp(np.array(values) - logsumexp(values)), strict=True):
        for m in range(1, 6):
            if tree[m]:
                grandparents[tree[tree[m]], tree[m], m] += probability
        for h in range(6):
            for side, modifiers in enumerate(sides(tree, h)):
                outwards = [h, *(sorted(modifiers, key=lambda m: abs(m - h)))]
                for s, m in pairwise(outwards):
                    siblings[h, m, s] += probability
                if h or side:
                    stops[h, outwards[-1], side] += probability
    expected = Parts.of(expectations(parts.core, root == "single")[1])
    for wanted, found in (
        (siblings, expected.siblings),
        (grandparents, expected.grandparents),
        (stops, expected.stops),
    ):
        *places, scores = (column.tolist() for column in found)
        assert dict(zip(zip(*places, strict=True), scores, strict=True)) == pytest.approx(dict(wanted), abs=1e-8)


def test_the_loss_is_the_negative_log_probability() -> None:
    parts = random_parts(5, 4, sib=True, grand=True, pruned=False)
    every = [np.array(tree, dtype=np.int32) for tree in all_trees(4, projective=True, root="single")]
    losses = [gradient(parts.core, tree, True, False)[0] for tree in every]
    assert np.exp(-np.array(losses)).sum() == pytest.approx(1.0)


def test_a_crossing_tree_competes_with_the_projective_ones() -> None:
    parts = random_parts(5, 5, sib=True, grand=True, pruned=False)
    crossing = np.array([-1, 0, 4, 1, 1], dtype=np.int32)  # 4 -> 2 and 1 -> 3 cross
    total, _ = expectations(parts.core, True)
    loss, step = gradient(parts.core, crossing, True, True)
    value = parts.value(crossing)
    assert loss == pytest.approx(np.logaddexp(total, value) - value)
    columns = np.zeros(5)
    np.add.at(columns, step.modifier, step.arc)
    np.testing.assert_allclose(columns, 0, atol=1e-8)


def test_scores_far_apart() -> None:
    parts = random_parts(6, 6, sib=True, grand=True, pruned=False)
    wide = Parts.from_arrays(1e5 * parts.core.dense_arc())
    total, expected = expectations(wide.core, True)
    assert np.isfinite(total)
    assert np.isfinite(expected.arc).all()
    assert expected.arc.sum() == pytest.approx(5)
