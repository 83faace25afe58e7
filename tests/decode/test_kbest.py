"""The k best trees against all trees sorted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracles.instances import constrained_scores, random_instance, random_scores, varied_instance
from oracles.trees import all_trees, value

import treewright as tw
from treewright.decode import Parts, exact
from treewright.decode.constraints import is_feasible
from treewright.decode.sums import kbest
from treewright.errors import InfeasibleError, InputError

SHAPES = [(projective, root) for projective in (False, True) for root in ("single", "multi")]


@pytest.mark.parametrize(("projective", "root"), SHAPES)
@pytest.mark.parametrize("n", range(1, 6))
def test_the_best_of_all_trees_in_order(n: int, projective: bool, root: str) -> None:
    rng = np.random.default_rng(n)
    trees = all_trees(n, projective=projective, root=root)
    feasible = 0
    for trial in range(16):
        arc = random_scores(rng, n, holes=0.3 * (trial % 2), ties=trial % 4 == 3)["arc"]
        values = sorted((v for v in (value(tree, arc) for tree in trees) if v > -np.inf), reverse=True)
        k = int(rng.choice([1, 2, 7, 40, 3000]))
        if not values:
            with pytest.raises(InfeasibleError):
                tw.decode.kbest(arc, k, projective=projective, root=root)
            continue
        feasible += 1
        parses = tw.decode.kbest(arc, k, projective=projective, root=root)
        assert [parse.score for parse in parses] == pytest.approx(values[:k], rel=1e-9, abs=1e-9)
        heads = [tuple(parse.heads.tolist()) for parse in parses]
        assert len(set(heads)) == len(heads)
        assert set(heads) <= set(trees)
        for parse in parses:
            assert value(parse.heads, arc) == pytest.approx(parse.score, rel=1e-12, abs=1e-12)
            assert parse.gap == pytest.approx(values[0] - parse.score, abs=1e-9)
        assert parses[0].certified
    assert feasible >= 13


@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_every_tree_comes_once_when_all_scores_are_equal(projective: bool, root: str) -> None:
    parses = tw.decode.kbest(np.zeros((6, 6)), 10_000, projective=projective, root=root)
    assert {tuple(parse.heads.tolist()) for parse in parses} == set(all_trees(5, projective=projective, root=root))
    assert len(parses) == len(all_trees(5, projective=projective, root=root))
    assert all(parse.certified for parse in parses)


@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_constraints_hold_for_every_tree(projective: bool, root: str) -> None:
    def best(arc: Any, **options: Any) -> list[tw.decode.Parse]:
        return tw.decode.kbest(arc, 5, **options)

    shape: dict[str, Any] = {"projective": projective, "root": root}
    for arc, options, left in constrained_scores(3, range(3, 6), 20, best, **shape, at_least=18):
        values = sorted((value(tree, arc) for tree in left), reverse=True)
        assert [parse.score for parse in best(arc, **options)] == pytest.approx(values[:5], rel=1e-9)


@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_longer_sentences(projective: bool, root: str) -> None:
    """Sorted, distinct, the first is the best tree, and the second the best that lacks an arc of the first."""
    arc = np.random.default_rng(12).normal(size=(31, 31))
    parses = tw.decode.kbest(arc, 60, projective=projective, root=root)
    best = tw.decode.tree(arc, projective=projective, root=root)
    scores = np.array([parse.score for parse in parses])
    assert parses[0].heads.tolist() == best.heads.tolist()
    assert (np.diff(scores) <= 1e-9).all()
    assert len({tuple(parse.heads.tolist()) for parse in parses}) == 60
    without = [
        tw.decode.tree(arc, projective=projective, root=root, forbid=[(int(best.heads[m]), m)]).score
        for m in range(1, 31)
    ]
    assert scores[1] == pytest.approx(max(without), rel=1e-12)
    for parse in parses:
        assert tw.trees.is_tree(parse.heads, root=root)
        assert not projective or tw.trees.is_projective(parse.heads)


@pytest.mark.parametrize("root", ["single", "multi"])
def test_both_ways_agree_where_no_arc_can_cross(root: str) -> None:
    """Arcs between neighbours and from the root's first word only: every tree is projective."""
    rng = np.random.default_rng(8)
    arc = np.full((16, 16), -np.inf)
    for m in range(1, 16):
        for h in (m - 1, m + 1):
            if 0 <= h < 16:
                arc[h, m] = rng.normal()
    ways = [tw.decode.kbest(arc, 50, projective=projective, root=root) for projective in (False, True)]
    assert [parse.score for parse in ways[0]] == pytest.approx([parse.score for parse in ways[1]], rel=1e-12)


def test_more_trees_begin_as_fewer_do() -> None:
    arc = np.random.default_rng(1).normal(size=(13, 13))
    for projective in (False, True):
        many = tw.decode.kbest(arc, 25, projective=projective)
        few = tw.decode.kbest(Parts.from_arrays(arc), 10, projective=projective)
        assert [parse.heads.tolist() for parse in few] == [parse.heads.tolist() for parse in many[:10]]


SEARCH = 1e-7  # branch and bound ends at a gap that is small beside the scores
SECOND_ORDER = ["sib", "grand", "stop", "sib grand stop"]


@pytest.mark.parametrize(("projective", "root"), SHAPES)
@pytest.mark.parametrize("parts", SECOND_ORDER)
def test_second_order_lists_are_all_trees_sorted(parts: str, projective: bool, root: str) -> None:
    rng = np.random.default_rng(2)
    seen = 0
    for trial in range(12):
        instance = varied_instance(trial, parts=parts, root=root, projective=projective)
        values = sorted((v for v in map(instance.value, instance.trees()) if v > -np.inf), reverse=True)
        k = int(rng.choice([1, 3, 12]))
        if not values:
            with pytest.raises(InfeasibleError):
                tw.decode.kbest(instance.arc, k, **instance.arguments)
            continue
        seen += 1
        parses = tw.decode.kbest(instance.arc, k, **instance.arguments)
        assert parses.exact
        assert [parse.score for parse in parses] == pytest.approx(values[:k], abs=SEARCH)
        heads = [tuple(parse.heads.tolist()) for parse in parses]
        assert len(set(heads)) == len(heads)
        assert set(heads) <= set(instance.trees())
        for parse in parses:
            assert instance.value(parse.heads) == pytest.approx(parse.score, abs=1e-9)
            assert parse.gap == pytest.approx(values[0] - parse.score, abs=SEARCH)
        assert parses[0].certified
    assert seen >= 6


@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_second_order_lists_end_when_all_trees_are_listed(projective: bool, root: str) -> None:
    instance = random_instance(1, 3, projective=projective, root=root, ties=True)
    parses = tw.decode.kbest(instance.arc, 1000, **instance.arguments)
    assert sorted(tuple(parse.heads.tolist()) for parse in parses) == sorted(instance.trees())
    again = tw.decode.kbest(Parts.from_arrays(instance.arc, **instance.scores), 1000, **instance.shape)
    assert [parse.heads.tolist() for parse in again] == [parse.heads.tolist() for parse in parses]


def test_second_order_scores_of_zero_list_the_trees_of_first_order() -> None:
    arc = np.random.default_rng(4).normal(size=(9, 9))
    for projective in (False, True):
        plain = tw.decode.kbest(arc, 8, projective=projective)
        parses = tw.decode.kbest(arc, 8, sib=np.zeros((9, 9, 9)), projective=projective)
        assert [parse.heads.tolist() for parse in parses] == [parse.heads.tolist() for parse in plain]


def test_a_list_without_time_for_its_search_says_so() -> None:
    rng = np.random.default_rng(5)
    arc, sib, grand = (3 * rng.normal(size=(16,) * axes) for axes in (2, 3, 3))
    whole = tw.decode.kbest(arc, 3, sib=sib, grand=grand)
    cut = tw.decode.kbest(arc, 3, sib=sib, grand=grand, max_seconds=0)
    assert whole.exact
    assert not cut.exact
    assert repr(cut).startswith("approximate [Parse(")
    for parse in cut:
        assert parse.bound >= whole[0].score - SEARCH
        assert tw.trees.is_tree(parse.heads, root="single")
    with pytest.raises(InputError, match="max_seconds is -1; give seconds, or None for no limit"):
        tw.decode.kbest(arc, 3, sib=sib, max_seconds=-1)


def test_trees_within_the_tolerance_of_the_best_are_certified() -> None:
    checked = 0
    for seed in range(12):
        arc = random_instance(seed, 4, parts="").arc
        best, second, third, *_ = tw.decode.kbest(arc, 5)
        if second.gap < 0.5 * third.gap < 0.5 * best.spread:
            parses = tw.decode.kbest(arc, 5, tolerance=1.5 * second.gap / best.spread)
            assert [parse.certified for parse in parses] == [True, True, False, False, False]
            checked += 1
    assert checked >= 2


@pytest.mark.parametrize("parts", ["", "sib"])
def test_the_tolerance_of_a_list_may_be_zero(parts: str) -> None:
    instance = random_instance(3, 3, parts=parts, ties=True)  # whole numbers: sums are exact
    parses = tw.decode.kbest(instance.arc, 3, tolerance=0, **instance.scores)
    assert {parse.tolerance for parse in parses} == {0}
    assert parses[0].certified
    assert [parse.certified for parse in parses] == [parse.score == parses[0].score for parse in parses]
    with pytest.raises(InputError, match="tolerance is -1"):
        tw.decode.kbest(instance.arc, 2, tolerance=-1)


def test_bad_numbers_of_trees_are_refused() -> None:
    bad: list[tuple[Any, str]] = [
        (0, "k is 0; give at least 1"),
        (2.5, r"k is 2\.5; give a whole number"),
        (-3, "k is -3"),
    ]
    for k, message in bad:
        with pytest.raises(InputError, match=message):
            tw.decode.kbest(np.zeros((3, 3)), k)


@pytest.mark.parametrize("projective", [True, False])
def test_nothing_is_decoded_after_the_time_is_up(projective: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def recorded(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            calls.append(function.__name__)
            return function(*args, **options)

        return call

    monkeypatch.setattr(exact, "solve", recorded(exact.solve))
    monkeypatch.setattr(kbest, "is_feasible", recorded(is_feasible))
    scores = random_scores(np.random.default_rng(4), 12, "arc sib")
    parses = tw.decode.kbest(**scores, k=5, projective=projective, max_seconds=0)
    assert calls in (["solve"], ["is_feasible", "solve"])
    assert len(parses) <= 1
    assert not parses.exact
