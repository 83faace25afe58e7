"""Why not this arc: the loss is the difference of two best trees, by enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.instances import random_instance
from oracles.trees import all_trees, value

import treewright as tw
from treewright.decode import Parts
from treewright.errors import InfeasibleError, InputError


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("root", ["single", "multi"])
def test_the_loss_is_exact(root: str, projective: bool) -> None:
    rng = np.random.default_rng(5)
    n = 4
    trees = np.array(all_trees(n, projective=projective, root=root))
    for _ in range(10):
        arc = rng.normal(size=(n + 1, n + 1))
        values = arc[trees[:, 1:], np.arange(1, n + 1)].sum(axis=1)
        for h in range(n + 1):
            for m in set(range(1, n + 1)) - {h}:
                answer = tw.decode.why_not(arc, h, m, projective=projective, root=root)
                assert answer.loss == pytest.approx(values.max() - values[trees[:, m] == h].max(), abs=1e-9)
                assert answer.rival.heads[m] == h
                assert answer.certified
                assert answer.loss >= 0


@pytest.mark.parametrize("projective", [False, True])
def test_the_loss_is_exact_with_second_order_parts_too(projective: bool) -> None:
    rng = np.random.default_rng(8)
    n = 4
    arc, sib, grand = (rng.normal(size=(n + 1,) * dimensions) for dimensions in (2, 3, 3))
    values = {heads: value(heads, arc, sib, grand) for heads in all_trees(n, projective=projective)}
    for h in range(n + 1):
        for m in set(range(1, n + 1)) - {h}:
            answer = tw.decode.why_not(arc, h, m, sib=sib, grand=grand, projective=projective)
            with_arc = max(value for heads, value in values.items() if heads[m] == h)
            assert answer.loss == pytest.approx(max(values.values()) - with_arc, abs=1e-9)
            assert answer.certified


def test_parts_methods_and_budgets_are_those_of_tree() -> None:
    instance = random_instance(4, 5, constrained=True)
    parts = Parts.from_arrays(instance.arc, **instance.scores)
    expected = tw.decode.why_not(instance.arc, 1, 2, **instance.arguments)
    for options in ({}, {"max_seconds": 60.0}, {"method": "ilp"}, {"method": "dd"}):
        loss = tw.decode.why_not(parts, 1, 2, **instance.shape, **options)
        assert loss.loss == pytest.approx(expected.loss, abs=1e-6)
    with pytest.raises(InputError, match="there is no method 'best'"):
        tw.decode.why_not(parts, 1, 2, method="best")


def test_it_is_at_least_the_reduced_cost() -> None:
    rng = np.random.default_rng(6)
    arc = rng.normal(size=(21, 21))
    costs = tw.decode.reduced_costs(arc)
    arcs = [(h, m) for h, m in rng.integers((0, 1), 21, size=(60, 2)) if h != m]
    assert len(arcs) >= 52
    for h, m in arcs:
        assert tw.decode.why_not(arc, h, m).loss >= costs[h, m] - 1e-9


def test_moves_lead_from_the_best_tree_to_the_rival() -> None:
    rng = np.random.default_rng(7)
    arc = rng.normal(size=(13, 13))
    answer = tw.decode.why_not(arc, 12, 1)
    heads = answer.best.heads.copy()
    for m, old, new in answer.moves:
        assert heads[m] == old
        heads[m] = new
    assert heads.tolist() == answer.rival.heads.tolist()


def test_it_tells() -> None:
    arc = np.array([[0, 9, 2], [0, 0, 7], [0, 3, 0]])
    assert repr(tw.decode.why_not(arc, 0, 1)) == "WhyNot(arc=(0, 1), loss=0: no word moves)"
    assert repr(tw.decode.why_not(arc, 0, 2)) == "WhyNot(arc=(0, 2), loss=11: word 1 from 0 to 2, word 2 from 1 to 0)"


def test_constraints_that_keep_the_arc_out_are_named() -> None:
    arc = np.zeros((4, 4))
    with pytest.raises(InfeasibleError) as caught:
        tw.decode.why_not(arc, 1, 2, forbid=[(1, 2)])
    assert caught.value.constraints == ("require (1, 2)", "forbid (1, 2)")
    assert caught.value.conflict == [(1, 2)]
    with pytest.raises(InputError, match=r"^there is no arc h=2, m=2: heads are 0..3, modifiers 1..3, and differ$"):
        tw.decode.why_not(arc, 2, 2)
