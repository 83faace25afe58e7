"""Third-order trees by dual decomposition: values and bounds against all trees of up to five words, then HiGHS."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.instances import Instance, random_instance
from oracles.third_order import TABLES, random_parts, third_order_value
from oracles.third_order_program import best_value
from oracles.trees import all_trees

import treewright as tw
from treewright.decode import Parts, ThirdOrderParts
from treewright.errors import InfeasibleError

ROUNDING = 1e-9
SOLVER = 1e-5  # the tolerance of HiGHS


def pruned(seed: int, words: int, heads: int, root: str) -> Instance:
    """Scores with few candidate heads a word; one of the trees over them is a chain, another a star."""
    instance = random_instance(seed, words, root=root)
    random = np.random.default_rng(seed)
    keep = np.zeros(instance.arc.shape, dtype=bool)
    for m in range(1, words + 1):
        keep[random.permutation([h for h in range(words + 1) if h != m])[:heads], m] = True
        keep[m - 1, m] = True
    keep[0, 1] = True
    instance.arc[~keep] = -np.inf
    return instance


@pytest.mark.parametrize("kinds", [*([kind] for kind in TABLES), list(TABLES)])
@pytest.mark.parametrize("root", ["single", "multi"])
def test_values_and_bounds_are_those_of_all_trees(kinds: list[str], root: str) -> None:
    for words in (2, 3, 4, 5):
        seed, projective = words, words == 3
        instance = pruned(seed, words, 1, root) if words > 3 else random_instance(seed, words, root=root)
        trees = [heads for heads in instance.trees() if heads in all_trees(words, root=root, projective=projective)]
        third = random_parts(seed, trees, kinds)
        parts = Parts.from_arrays(instance.arc, **instance.scores)
        value: dict[Any, float] = {heads: instance.value(heads) + third_order_value(heads, third) for heads in trees}
        assert all(third.value(h) == pytest.approx(third_order_value(h, third), abs=ROUNDING) for h in trees[:50])
        best = max(value.values())
        for nodes in (1, 60):
            found = tw.decode.third_order_tree(
                parts, third, root=root, projective=projective, max_nodes=nodes, max_iterations=40
            )
            assert found.score == pytest.approx(value[tuple(found.heads.tolist())], abs=ROUNDING)
            assert found.bound >= best - ROUNDING
            assert found.gap >= best - found.score - ROUNDING
            if found.certified:
                assert found.score == pytest.approx(best, abs=1e-6)
        assert found.certified


@pytest.mark.slow
@pytest.mark.parametrize("root", ["single", "multi"])
def test_eight_words_by_an_integer_program(root: str) -> None:
    for seed in range(3):
        instance = pruned(seed, 8, 2, root)
        instance.arc[:] *= 3  # arcs dominate, as in trained models
        third = random_parts(seed, instance_trees(instance, root), list(TABLES), scale=0.7)
        parts = Parts.from_arrays(instance.arc, **instance.scores)
        truth = best_value(parts, third, root=root)
        found = tw.decode.third_order_tree(parts, third, root=root, max_nodes=300, max_iterations=60)
        assert found.certified
        assert found.score == pytest.approx(truth, abs=SOLVER)


def instance_trees(instance: Instance, root: str) -> list[tuple[int, ...]]:
    """Random trees over the candidate arcs: their parts get scores."""
    parts = Parts.from_arrays(instance.arc)
    return [tuple(heads) for heads in tw.decode.sample(parts, 300, root=root, uniform=True).tolist()]


def test_a_known_tree_is_not_lost() -> None:
    instance = pruned(1, 5, 3, "single")
    parts = Parts.from_arrays(instance.arc, **instance.scores)
    third = random_parts(1, instance.trees(), list(TABLES))
    best = max(instance.trees(), key=lambda heads: instance.value(heads) + third_order_value(heads, third))
    found = tw.decode.third_order_tree(parts, third, start=best, max_iterations=1)
    assert found.heads.tolist() == list(best)


def test_a_start_that_is_no_tree_is_named() -> None:
    parts = Parts.from_arrays(np.zeros((3, 3)))
    for start, problem in (([-1, 2], "start has 2 entries"), ([-1, 2, 1], "start is no tree: heads has a cycle")):
        with pytest.raises(ValueError, match=problem):
            tw.decode.third_order_tree(parts, ThirdOrderParts(), start=start)
    with pytest.raises(TypeError, match=r"^parts is [\s\S]*; expected a Parts$"):
        tw.decode.third_order_tree(np.zeros((3, 3)), ThirdOrderParts())  # type: ignore[arg-type]


def test_scores_that_agree_are_certified_at_once() -> None:
    arc = np.full((4, 4), -5.0)
    arc[[0, 1, 1], [1, 2, 3]] = 5.0
    found = tw.decode.third_order_tree(Parts.from_arrays(arc), ThirdOrderParts(head_bigrams={(0, 1, 2): 1.0}))
    assert (found.heads.tolist(), found.certificate, found.iterations) == ([-1, 0, 1, 1], "agreement", 1)
    assert found.score == 16.0


def test_bad_arguments_are_named() -> None:
    parts = Parts.from_arrays(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="max_nodes"):
        tw.decode.third_order_tree(parts, ThirdOrderParts(), max_nodes=0)
    cyclic = Parts(3, ([1, 2], [2, 1], [0.0, 0.0]))
    with pytest.raises(InfeasibleError, match="no tree over the candidate arcs"):
        tw.decode.third_order_tree(cyclic, ThirdOrderParts())
