"""Pruning: the candidate arcs by the rule written with NumPy, over marginals and best trees found by enumeration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.trees import all_trees, value

import treewright as tw
from treewright.errors import InfeasibleError, InputError

Trees = list[tuple[int, ...]]
Arcs = set[tuple[int, int]]


def kept_by_the_rule(
    marginal: NDArray[np.float64], threshold: float, max_heads: int, trees: Trees
) -> set[tuple[int, int]]:
    """(h, m) of the arcs that the rule keeps; of equally probable heads, the smaller ones come first."""
    keep = (marginal >= threshold * marginal.max(axis=0)) & (marginal > 0)
    order = np.argsort(-marginal, axis=0, kind="stable")
    np.put_along_axis(keep, order[max_heads:], False, axis=0)
    chosen = {(int(h), int(m)) for h, m in np.argwhere(keep)}
    return chosen | {(tree[m], m) for tree in trees for m in range(1, len(tree))}


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_candidates_follow_the_rule(seed: int, projective: bool, root: str) -> None:
    rng = np.random.default_rng([seed, projective, root == "single"])
    n = int(rng.integers(1, 6))
    ties = seed % 2 == 0
    arc = rng.integers(-1, 2, size=(n + 1, n + 1)).astype(float) if ties else rng.normal(size=(n + 1, n + 1))
    threshold, max_heads = float(rng.choice([0.0, 0.01, 0.3, 1.0])), int(rng.integers(1, n + 2))
    trees = all_trees(n, projective=projective, root=root)
    gold = trees[rng.integers(len(trees))] if seed % 3 else None
    options: dict[str, Any] = {"threshold": threshold, "max_heads": max_heads, "projective": projective, "root": root}
    heads = None if gold is None else np.array(gold, dtype=np.int32)
    candidates = tw.decode.candidates(arc, gold=heads, **options)
    weights = np.exp([value(tree, arc) for tree in trees])
    expected = np.zeros((n + 1, n + 1))
    for tree, weight in zip(trees, weights / weights.sum(), strict=True):
        expected[tree[1:], range(1, n + 1)] += weight
    np.testing.assert_allclose(candidates.marginal, expected, atol=1e-9)
    best = tuple(tw.decode.tree(arc, projective=projective, root=root).heads.tolist())
    kept = set(zip(candidates.head.tolist(), candidates.modifier.tolist(), strict=True))
    assert kept == kept_by_the_rule(candidates.marginal, threshold, max_heads, [best] + ([gold] if gold else []))
    assert len(kept) == len(candidates.head)


def test_constraints_decide_which_trees_count() -> None:
    rng = np.random.default_rng(0)
    arc = rng.normal(size=(6, 6))
    question: dict[str, Any] = {"projective": True, "require": [(3, 1)], "forbid": [(0, 2), (5, 4)]}
    candidates = tw.decode.candidates(arc, threshold=0.0, max_heads=10, **question)
    kept = set(zip(candidates.head.tolist(), candidates.modifier.tolist(), strict=True))
    trees = [tree for tree in all_trees(5, projective=True) if tree[1] == 3 and tree[2] != 0 and tree[4] != 5]
    assert kept == {(tree[m], m) for tree in trees for m in range(1, 6)}


def test_what_cannot_be_pruned() -> None:
    arc = np.zeros((3, 3))
    with pytest.raises(InputError, match="max_heads is 0; it is at least 1"):
        tw.decode.candidates(arc, threshold=0.1, max_heads=0)
    with pytest.raises(InfeasibleError):
        tw.decode.candidates(arc, threshold=0.1, max_heads=2, require=[(1, 2), (2, 1)])


def test_each_word_has_the_most_probable_heads_whatever_the_threshold_is() -> None:
    arc = np.random.default_rng(5).normal(size=(7, 7)) * 20
    marginal = tw.decode.candidates(arc, threshold=1.0, max_heads=4).marginal
    for least in (1, 2, 3):
        candidates = tw.decode.candidates(arc, threshold=1.0, max_heads=4, min_heads=least)
        for m in range(1, 7):
            heads = candidates.head[candidates.modifier == m]
            best = np.argsort(-marginal[:, m])[:least]
            assert set(best[marginal[best, m] > 0].tolist()) <= set(heads.tolist())
            assert len(heads) <= least + 1  # and the head in the best tree
    with pytest.raises(InputError, match="min_heads is 5; expected 1 to max_heads, which is 4"):
        tw.decode.candidates(arc, threshold=1.0, max_heads=4, min_heads=5)
