"""Infeasible constraints are explained by a smallest set of them that cannot hold together."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from oracles.trees import all_trees

import treewright as tw
from treewright.decode.constraints import ensure_feasible
from treewright.errors import InfeasibleError, InputError


def only(nodes: int, heads: dict[int, list[int]]) -> np.ndarray:
    """Scores 0, with -inf for the words named but from the heads given."""
    arc = np.zeros((nodes, nodes))
    for m, allowed in heads.items():
        arc[[h for h in range(nodes) if h not in allowed], m] = -np.inf
    return arc


NO_TREE = "there is no such tree: "


@pytest.mark.parametrize(
    ("arc", "arguments", "message"),
    [
        (
            only(6, {}),
            {"require": [(4, 5), (1, 2), (2, 3), (3, 1)]},
            "require (1, 2), require (2, 3) and require (3, 1) cannot hold together, "
            "for the arcs run in a circle (1 -> 3 -> 2 -> 1); give up one of them",
        ),
        (
            only(4, {}),
            {"require": [(1, 2), (3, 2)], "forbid": [(0, 1)]},
            "require (1, 2) and require (3, 2) cannot hold together, for word 2 can have one head only; "
            "give up one of them",
        ),
        (
            only(4, {}),
            {"require": [(1, 3), (1, 2)], "forbid": [(0, 3), (1, 2)]},
            "require (1, 2) and forbid (1, 2) cannot hold together, for they name the same arc; give up one of them",
        ),
        (
            only(5, {}),
            {"require": [(0, 2), (2, 3), (0, 4)]},
            "require (0, 2), require (0, 4) and root='single' cannot hold together, "
            "for every tree that is left gives node 0 several children; give up one of them",
        ),
        (
            only(5, {}),
            {"require": [(1, 3), (2, 4)], "projective": True},
            "require (1, 3), require (2, 4) and projective=True cannot hold together, for the two arcs cross; "
            "give up one of them",
        ),
        (
            only(5, {}),
            {"require": [(3, 1), (0, 2)], "projective": True},
            "require (3, 1), require (0, 2) and projective=True cannot hold together, for the two arcs cross; "
            "give up one of them",
        ),
        (
            only(4, {2: []}),
            {},
            "arc[:, 2] is -inf for every head; allow word 2 one",
        ),
        (
            only(4, {2: [1, 3]}),
            {"forbid": [(1, 2), (3, 2), (0, 1)]},
            "forbid (1, 2), forbid (3, 2) and arc[:, 2] with only heads 1, 3 above -inf cannot hold together, "
            "for word 2 is left without a head; give up one of them",
        ),
        (
            only(6, {2: [3], 3: [2, 4], 4: [2]}),
            {},
            "arc[:, 2] with only head 3 above -inf, arc[:, 3] with only heads 2, 4 above -inf "
            "and arc[:, 4] with only head 2 above -inf "
            "cannot hold together, for no head outside words 2, 3, 4 is left to any of them; give up one of them",
        ),
        (
            only(5, {1: [0], 4: [0]}),
            {},
            "root='single', arc[:, 1] with only head 0 above -inf "
            "and arc[:, 4] with only head 0 above -inf cannot hold together, "
            "for every tree that is left gives node 0 several children; give up one of them",
        ),
        (
            only(5, {1: [3], 2: [0, 4]}),
            {"projective": True},
            "projective=True, arc[:, 1] with only head 3 above -inf and arc[:, 2] with only heads 0, 4 above -inf "
            "cannot hold together, for every tree that is left has crossing arcs; give up one of them",
        ),
    ],
)
def test_the_reason_is_told(arc: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InfeasibleError) as caught:
        tw.decode.tree(arc, **arguments)
    assert str(caught.value) == NO_TREE + message
    with pytest.raises(InfeasibleError) as caught:
        tw.decode.tree(tw.decode.Parts.from_arrays(arc), **arguments)
    assert str(caught.value) == NO_TREE + message


def test_it_is_an_input_error_with_its_conflict() -> None:
    with pytest.raises(InputError) as caught:
        tw.decode.tree(np.zeros((3, 3)), require=[(1, 2), (2, 1)])
    assert isinstance(caught.value, InfeasibleError)
    assert caught.value.constraints == ("require (1, 2)", "require (2, 1)")
    assert caught.value.conflict == [(1, 2), (2, 1)]


def test_the_conflict_is_the_arcs_of_the_constraints() -> None:
    with pytest.raises(InfeasibleError) as caught:
        tw.decode.tree(np.zeros((5, 5)), require=[(3, 1), (0, 2)], projective=True)
    assert caught.value.constraints == ("require (3, 1)", "require (0, 2)", "projective=True")
    assert caught.value.conflict == [(3, 1), (0, 2)]
    with pytest.raises(InfeasibleError) as caught:
        tw.decode.tree(np.zeros((3, 3)), require=[(1, 2)], forbid=[(1, 2)])
    assert caught.value.conflict == [(1, 2)]


def tree_exists(n: int, constraints: tuple[tuple[str, int, int], ...], arc: np.ndarray) -> bool:
    kinds = {kind for kind, _, _ in constraints}
    root = "single" if "root" in kinds else "multi"
    for heads in all_trees(n, projective="projective" in kinds, root=root):
        fits = True
        for kind, h, m in constraints:
            fits &= kind != "require" or heads[m] == h
            fits &= kind != "forbid" or heads[m] != h
            fits &= kind != "scores" or arc[heads[m], m] > -np.inf
        if fits:
            return True
    return False


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("root", ["single", "multi"])
def test_the_conflict_is_a_smallest_one(root: str, projective: bool) -> None:
    """By definition: of all subsets of the constraints, none with fewer is met by no tree."""
    rng = np.random.default_rng([root == "single", projective])
    n, tried = 4, 0
    while tried < 25:
        arc = np.zeros((n + 1, n + 1))
        arc[rng.random(arc.shape) < 0.2] = -np.inf
        pairs = [(int(h), int(m)) for h, m in rng.integers((0, 1), n + 1, size=(6, 2)) if h != m]
        require, forbid = list(dict.fromkeys(pairs[:3])), list(dict.fromkeys(pairs[3:]))
        constraints = (
            *(("require", h, m) for h, m in require),
            *(("forbid", h, m) for h, m in forbid),
            *([("root", 0, 0)] if root == "single" else []),
            *([("projective", 0, 0)] if projective else []),
            *(("scores", 0, m) for m in range(1, n + 1)),
        )
        if tree_exists(n, constraints, arc):
            continue
        tried += 1
        with pytest.raises(InfeasibleError) as caught:
            tw.decode.tree(arc, projective=projective, root=root, require=require, forbid=forbid)
        size = next(
            size
            for size in range(1, len(constraints) + 1)
            if any(not tree_exists(n, chosen, arc) for chosen in combinations(constraints, size))
        )
        assert len(caught.value.constraints) == size


@pytest.mark.parametrize("projective", [False, True])
def test_a_long_sentence_gets_its_answer_too(projective: bool) -> None:
    n = 300
    rng = np.random.default_rng(0)
    arc = rng.normal(size=(n + 1, n + 1))
    arc[rng.random(arc.shape) < 0.5] = -np.inf
    arc[0] = 0
    require = [(m + 1, m) for m in range(1, 100)] + [(50, 100)]
    with pytest.raises(InfeasibleError, match=r"the arcs run in a circle") as caught:
        tw.decode.tree(arc, projective=projective, require=require)
    assert len(caught.value.conflict) == 51  # (51, 50) ... (100, 99), (50, 100)


def test_forbidden_parts_that_leave_no_tree_are_told_apart() -> None:
    problem = tw.decode.Problem.of(np.zeros((3, 3)), stop=np.full((3, 3, 2), -np.inf))
    ensure_feasible(problem)
    with pytest.raises(InfeasibleError, match=r"every tree that the arcs allow has a sibling"):
        raise tw.decode.constraints.infeasible(problem)


def test_a_required_and_a_forbidden_arc_may_conflict_without_being_the_same() -> None:
    with pytest.raises(
        InfeasibleError, match=r"require \(2, 1\) and forbid \(0, 2\) .* no head outside words 1, 2 is left"
    ):
        tw.decode.tree(np.zeros((3, 3)), require=[(2, 1)], forbid=[(0, 2)])
