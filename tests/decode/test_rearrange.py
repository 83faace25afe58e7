"""Rearranging the best projective tree: each change is the best single one, by definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.instances import PARTS, Instance, is_allowed, neighbours, problem_of, random_instance, random_tree

import treewright as tw
from treewright import _core
from treewright.decode.search.rearrange import Start


def greedy(instance: Instance, heads: Any, limit: int = 1000) -> list[list[int]]:
    """Figure 4 of the paper by definition: all trees one change away, scored in full."""
    path = [[int(h) for h in heads]]
    while len(path) <= limit:
        best = max(neighbours(instance, path[-1]), key=instance.value, default=path[-1])
        if instance.value(best) <= instance.value(path[-1]) + 1e-8:
            break
        path.append(best)
    return path


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("projective", [False, True])
def test_each_change_is_the_best_single_one(parts: str, root: str, projective: bool) -> None:
    changes = 0
    for seed, words in enumerate([1, 2, 3, 5, 8, 8, 9]):
        instance = random_instance(
            200 + seed, words, parts=parts, root=root, projective=projective, constrained=words == 5
        )
        problem, start = problem_of(instance), random_tree(instance, seed)
        expected = greedy(instance, start)
        for limit in (1, 2, 0):
            found, moves = _core.rearrange(problem.parts, start, problem.single_root, projective, limit)
            assert found.tolist() == expected[min(limit or len(expected), len(expected) - 1)]
            assert moves == min(limit or len(expected), len(expected) - 1)
        changes += len(expected) - 1
    assert changes > 5


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("parts", ["sib", "sib stop"])
def test_the_first_change_leaves_projectivity(parts: str, root: str) -> None:
    # Otherwise the projective tree was not the best one (section 2 of the paper). A swap is two changes at once.
    changed = 0
    for seed in range(60):
        instance = random_instance(seed, 8, parts=parts, root=root)
        start = tw.decode.tree(instance.arc, **instance.scores, root=root, projective=True)
        parse = tw.decode.tree(instance.arc, **instance.arguments, method="rearrange", max_moves=1)
        assert parse.score >= start.score - 1e-9
        if parse.iterations:
            changed += 1
            assert not tw.trees.is_projective(parse.heads)
        else:
            assert parse.heads.tolist() == start.heads.tolist()
    assert changed > 10


@pytest.mark.parametrize("start", ["siblings", "grandparents", "arcs"])
def test_what_is_asked_holds_and_no_single_change_is_left(start: Start) -> None:
    for seed in range(24):
        instance = random_instance(
            seed,
            4 + seed % 5,
            root=("single", "multi")[seed % 2],
            projective=seed % 4 == 3,
            constrained=seed % 3 == 1,
            ties=seed % 6 == 5,
        )
        parse = tw.decode.tree(instance.arc, **instance.arguments, method="rearrange", start=start)
        assert is_allowed(instance, parse.heads)
        assert parse.score == pytest.approx(instance.value(parse.heads), rel=1e-9, abs=1e-9)
        assert not parse.certified
        for tree in neighbours(instance, parse.heads):
            assert instance.value(tree) <= parse.score + 1e-8
        if instance.shape["projective"] and start == "grandparents":
            exact = tw.decode.tree(instance.arc, **instance.arguments)
            assert parse.score == pytest.approx(exact.score)
            assert parse.iterations == 0


def test_never_above_the_best_of_all_trees_and_often_there() -> None:
    reached = 0
    for seed in range(60):
        instance = random_instance(seed, 4, parts="sib", root=("single", "multi")[seed % 2])
        best = instance.best()
        parse = tw.decode.tree(instance.arc, **instance.arguments, method="rearrange")
        assert parse.score <= best + 1e-9
        reached += parse.score > best - 1e-9
    assert reached > 30


def test_without_a_projective_tree_it_begins_with_a_spanning_tree() -> None:
    crossing = [(0, 3), (3, 1), (1, 4), (3, 2)]
    arc = np.full((5, 5), -np.inf)
    for h, m in crossing:
        arc[h, m] = 1.0
    parse = tw.decode.tree(arc, sib=np.zeros((5, 5, 5)), method="rearrange")
    assert parse.heads.tolist() == [-1, 3, 3, 0, 1]
    assert parse.score == 4


def test_errors_name_the_option() -> None:
    with pytest.raises(ValueError, match="start is 'eisner'; it is 'siblings', 'grandparents' or 'arcs'"):
        tw.decode.tree(np.zeros((3, 3)), method="rearrange", start="eisner")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="max_moves is 0; it must be positive"):
        tw.decode.tree(np.zeros((3, 3)), method="rearrange", max_moves=0)
    with pytest.raises(ValueError, match="method='exact' decides"):
        tw.decode.tree(np.zeros((3, 3)), stop=np.full((3, 3, 2), -np.inf), method="rearrange")
