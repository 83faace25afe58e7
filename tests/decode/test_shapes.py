"""Constraints on the shape of trees: the best tree by enumeration, bounds, conflicts, batches and errors."""

from __future__ import annotations

import re
import time
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from oracles.instances import random_scores
from oracles.trees import holds, random_constraint, trees_within, value

import treewright as tw
from treewright.decode import Below, Depth, Problem, RootChildren, Span, Valency
from treewright.decode.search import programs
from treewright.decode.structure import rules_of
from treewright.errors import InfeasibleError, InputError

EXACT = 1e-9
SHAPES = [{"projective": projective, "root": root} for projective in (False, True) for root in ("single", "multi")]


@pytest.mark.parametrize("names", ["arc", "arc sib", "arc grand", "arc sib grand stop"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_best_of_all_trees_within_random_constraints(shape: dict[str, Any], names: str) -> None:
    random = np.random.default_rng(len(names))
    feasible = 0
    for round in range(40 if names == "arc" else 20):
        words = 1 + round % 5
        scores = random_scores(random, words, names)
        if round % 4 == 3:
            scores["arc"] = random.integers(-2, 3, scores["arc"].shape).astype(float)
        constraints = [random_constraint(random, words) for _ in range(random.integers(1, 4))]
        trees = trees_within(constraints, words, **shape)
        if not trees:
            with pytest.raises(InfeasibleError):
                tw.decode.tree(**scores, **shape, constraints=constraints)
            continue
        feasible += 1
        parse = tw.decode.tree(**scores, **shape, constraints=constraints)
        assert all(holds(constraint, parse.heads) for constraint in constraints)
        assert parse.score == pytest.approx(max(value(tree, **scores) for tree in trees), abs=EXACT)
        assert parse.score == pytest.approx(value(parse.heads, **scores), abs=EXACT)
        assert parse.certified
        assert parse.bound >= parse.score
    assert feasible >= 5


@pytest.mark.parametrize("projective", [False, True])
def test_the_best_of_all_trees_of_six_words(projective: bool) -> None:
    random = np.random.default_rng(6)
    for _ in range(3):
        scores = random_scores(random, 6, "arc")
        constraints = [random_constraint(random, 6) for _ in range(2)]
        trees = trees_within(constraints, 6, projective=projective, root="multi")
        if trees:
            parse = tw.decode.tree(**scores, projective=projective, root="multi", constraints=constraints)
            assert parse.score == pytest.approx(max(value(tree, **scores) for tree in trees), abs=EXACT)


@pytest.mark.parametrize("names", ["arc", "arc sib"])
@pytest.mark.parametrize("projective", [False, True])
def test_limits_on_arcs_agree_with_an_integer_program(projective: bool, names: str) -> None:
    random = np.random.default_rng(12)
    words = 12
    constraints = [
        RootChildren(at_least=2, at_most=3),
        *(Valency(head, at_most=2) for head in range(1, words + 1)),
        Valency(4, at_least=1, side="left"),
        Span(6, 9),
    ]
    scores = random_scores(random, words, names)
    problem = Problem.of(**scores, projective=projective, root="multi")
    model, z = programs._tree_model(problem, "single", "automaton", "tight")
    rules = rules_of(constraints, problem.nodes)
    head, modifier = problem.parts.head, problem.parts.modifier
    forbidden = z[~rules.allowed[head, modifier]]
    model.rows(1, (np.zeros(len(forbidden), dtype=int), forbidden, 1.0), high=0)
    for rule in rules.cardinalities:
        inside = z[rule.arcs[head, modifier]]
        model.rows(1, (np.zeros(len(inside), dtype=int), inside, 1.0), low=rule.low, high=rule.high)
    parse = tw.decode.tree(**scores, projective=projective, root="multi", constraints=constraints)
    assert parse.score == pytest.approx(model.solve(z, None).bound, abs=1e-5)
    assert parse.certified


def test_require_and_forbid_hold_as_well() -> None:
    random = np.random.default_rng(4)
    for _ in range(20):
        scores = random_scores(random, 4, "arc")
        trees = [tree for tree in trees_within([Depth(3)], 4) if tree[2] == 4 and tree[1] != 4]
        parse = tw.decode.tree(**scores, require=[(4, 2)], forbid=[(4, 1)], constraints=[Depth(3)])
        assert parse.score == pytest.approx(max(value(tree, **scores) for tree in trees), abs=EXACT)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_conflict_is_a_set_of_which_every_part_can_be_met(shape: dict[str, Any]) -> None:
    random = np.random.default_rng(9)
    conflicts = 0
    for _ in range(60):
        words = int(random.integers(2, 5))
        constraints = [random_constraint(random, words) for _ in range(4)]
        if trees_within(constraints, words, **shape):
            continue
        with pytest.raises(InfeasibleError) as refused:
            tw.decode.tree(np.zeros((words + 1, words + 1)), **shape, constraints=constraints)
        conflicts += 1
        named = refused.value.constraints
        assert all(name in str(refused.value) for name in named)
        assert not is_met(named, constraints, words)
        assert all(is_met(some, constraints, words) for some in combinations(named, len(named) - 1))
    assert conflicts >= 10


def is_met(names: Any, constraints: Any, words: int) -> bool:
    shape = {"projective": "projective=True" in names, "root": "single" if "root='single'" in names else "multi"}
    return bool(trees_within([each for each in constraints if repr(each) in names], words, **shape))


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ([RootChildren(at_least=2)], "RootChildren(at_least=2) and root='single' cannot hold together; give up one"),
        ([Below(1, 2), Below(2, 1)], "Below(1, 2) and Below(2, 1) cannot hold together; give up one of them"),
        ([Valency(2, at_least=3)], "no tree of this sentence has Valency(2, at_least=3); give it up"),
        ([Depth(3), Depth(2), Below(1, 3), Below(3, 2)], "Depth(2), Below(1, 3) and Below(3, 2) cannot hold together"),
    ],
)
def test_an_infeasible_set_is_explained(constraints: Any, message: str) -> None:
    with pytest.raises(InfeasibleError, match=f"^there is no such tree: {re.escape(message)}"):
        tw.decode.tree(np.zeros((4, 4)), constraints=constraints)


def test_forbidden_scores_take_part_in_conflicts() -> None:
    arc = np.zeros((4, 4))
    arc[2, 3] = arc[1, 3] = -np.inf
    with pytest.raises(InfeasibleError, match=r"Below\(3, 2\) and arc\[:, 3\] with only head 0 above -inf cannot hold"):
        tw.decode.tree(arc, constraints=[Below(3, 2)])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RootChildren(), "RootChildren has no limit; give at_least, at_most or exactly"),
        (lambda: RootChildren(at_most=-1), "RootChildren: at_most is -1; give a whole number, at least 0"),
        (lambda: Valency(1, at_least=1.5), "Valency: at_least is 1.5; give a whole number, at least 0"),  # type: ignore[arg-type]
        (lambda: Valency(1, at_least=3, at_most=2), "Valency: at_least is 3, more than at_most, which is 2"),
        (lambda: Valency(1, exactly=1, at_most=2), "Valency: give exactly, or at_least and at_most"),
        (lambda: Valency(1, exactly=1, side="up"), "Valency: side is 'up'; it is 'left', 'right' or None"),  # type: ignore[arg-type]
    ],
)
def test_constraints_without_a_meaning_are_refused(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        make()


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (Depth(3), "constraints is Depth(3); give a list, for example [Depth(4)]"),
        (3, "constraints is 3; give a list"),
        ([(1, 2)], "constraints[0] is (1, 2); give a RootChildren, Valency, Span, Below or Depth"),
        ([Depth(1), Valency(9, at_most=1)], "constraints[1] is Valency(9, at_most=1): there is no word 9; words are"),
        ([Valency(0, at_most=1)], "constraints[0] is Valency(0, at_most=1): there is no word 0; words are 1..3"),
        ([Span(3, 2)], "constraints[0] is Span(3, 2): first is after last"),
        ([Below(2, 2)], "constraints[0] is Below(2, 2): a word is not below itself"),
        (
            [Below("a", 2)],  # type: ignore[arg-type]
            "constraints[0] is Below(a, 2): there is no word 'a'; words are 1..3",
        ),
        ([Depth(0)], "constraints[0] is Depth(0): give a whole number, at least 1"),
    ],
)
def test_constraints_on_other_sentences_are_refused(constraints: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        tw.decode.tree(np.zeros((4, 4)), constraints=constraints)


def test_other_methods_have_no_constraints() -> None:
    with pytest.raises(
        InputError, match=r"method 'dd' has no option 'constraints'.*'constraints' is an option of 'exact'$"
    ):
        tw.decode.tree(np.zeros((4, 4)), method="dd", constraints=[Depth(2)])


@pytest.mark.parametrize("names", ["arc", "arc sib"])
def test_a_budget_leaves_a_valid_bound(names: str) -> None:
    scores = random_scores(np.random.default_rng(3), 9, names)
    constraints = [Depth(5), Valency(3, at_least=3)]
    best = tw.decode.tree(**scores, constraints=constraints)
    certified = []
    for max_nodes in (10, 20, 40, 1000):
        parse = tw.decode.tree(**scores, constraints=constraints, max_nodes=max_nodes)
        assert parse.score <= best.score + EXACT
        assert parse.bound >= best.score - EXACT
        assert parse.certified == (parse.gap < EXACT)
        certified.append(parse.certified)
    assert certified[-1]


def test_no_proof_is_kept_under_constraints() -> None:
    with pytest.raises(
        InputError, match=r"^proof=True has no form for constraints on the shape of the tree; leave out"
    ):
        tw.decode.tree(np.zeros((4, 4)), constraints=[Depth(2)], proof=True)


def test_a_budget_that_ends_before_a_tree_is_found_is_an_error() -> None:
    scores = random_scores(np.random.default_rng(3), 12, "arc")
    with pytest.raises(InputError, match=r"^no tree that meets the constraints was found; give more max_s"):
        tw.decode.tree(**scores, constraints=[Depth(2), Valency(3, at_least=4), Below(5, 6)], max_nodes=1)


def test_the_time_limit_holds() -> None:
    words = 60
    arc = np.random.default_rng(1).normal(size=(words + 1, words + 1))
    constraints = [Depth(5)]
    start = time.monotonic()
    parse = tw.decode.tree(arc, projective=True, constraints=constraints, max_seconds=1)
    assert time.monotonic() - start < 5
    assert parse.bound > parse.score
    assert not parse.certified
    assert all(holds(constraint, parse.heads) for constraint in constraints)


def test_the_trace_has_bounds_and_values() -> None:
    scores = random_scores(np.random.default_rng(2), 12, "arc")
    parse = tw.decode.tree(**scores, constraints=[Depth(3)], trace=True)
    assert parse.trace is not None
    assert (np.diff(parse.trace["best"]) >= 0).all() or np.isinf(parse.trace["best"][0])
    assert (parse.trace["bound"] >= parse.score - EXACT).all()
    assert parse.nodes >= len(parse.trace["bound"]) > 1


def test_scale_and_shift_do_not_change_the_tree() -> None:
    random = np.random.default_rng(8)
    constraints = [Valency(2, at_most=1), Depth(3), RootChildren(at_least=2)]
    for names in ("arc", "arc sib"):
        scores = random_scores(random, 7, names)
        expected = tw.decode.tree(**scores, root="multi", constraints=constraints)
        for scale in (1e-8, 1e6):
            scaled = {name: scale * array for name, array in scores.items()}
            parse = tw.decode.tree(**scaled, root="multi", constraints=constraints)
            assert parse.heads.tolist() == expected.heads.tolist()
            assert parse.certified
        shifted = scores | {"arc": scores["arc"] + 100 * np.arange(8)[None, :]}
        assert (
            tw.decode.tree(**shifted, root="multi", constraints=constraints).heads.tolist() == expected.heads.tolist()
        )


def test_batches_and_padded_arrays_take_constraints() -> None:
    random = np.random.default_rng(5)
    padded = random.normal(size=(4, 6, 6))
    lengths = [5, 3, 4, 1]
    constraints = [Depth(2), RootChildren(at_most=2)]
    expected = [
        tw.decode.tree(padded[k, : n + 1, : n + 1], root="multi", constraints=constraints).heads.tolist()
        for k, n in enumerate(lengths)
    ]
    parses = tw.decode.trees(padded, lengths=lengths, root="multi", constraints=constraints)
    assert [parse.heads.tolist() for parse in parses] == expected
    items = [{"arc": padded[k, : n + 1, : n + 1], "constraints": constraints} for k, n in enumerate(lengths)]
    assert [parse.heads.tolist() for parse in tw.decode.trees(items, root="multi")] == expected
    parts = [tw.decode.Parts.from_arrays(padded[k, : n + 1, : n + 1]) for k, n in enumerate(lengths)]
    batch = tw.decode.trees(parts, root="multi", constraints=constraints)
    assert [parse.heads.tolist() for parse in batch] == expected


@pytest.mark.parametrize("names", ["arc", "arc sib"])
@pytest.mark.parametrize("projective", [False, True])
def test_the_k_best_trees_within_constraints(projective: bool, names: str) -> None:
    random = np.random.default_rng(11)
    for _ in range(4):
        scores = random_scores(random, 4, names)
        constraints = [Depth(3), random_constraint(random, 4)]
        trees = trees_within(constraints, 4, projective=projective)
        if not trees:
            with pytest.raises(InfeasibleError):
                tw.decode.kbest(**scores, k=3, projective=projective, constraints=constraints)
            continue
        parses = tw.decode.kbest(**scores, k=6, projective=projective, constraints=constraints)
        expected = sorted((value(tree, **scores) for tree in trees), reverse=True)[:6]
        assert [parse.score for parse in parses] == pytest.approx(expected, abs=EXACT)
        assert len({tuple(parse.heads.tolist()) for parse in parses}) == len(parses)
        assert all(holds(constraint, parse.heads) for parse in parses for constraint in constraints)
        assert parses.exact
