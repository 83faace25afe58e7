"""Hill climbing: incremental values, local optima, restarts, what is asked of the tree; and counting optima."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from oracles.instances import (
    PARTS,
    Instance,
    is_allowed,
    neighbours,
    problem_of,
    random_instance,
    random_tree,
    solvable,
)
from oracles.processes import interrupted_after, needs_timer
from oracles.trees import all_trees, any_nonprojective, value

import treewright as tw
from treewright import _core
from treewright.decode.search.climb import Start


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("projective", [False, True])
def test_every_change_is_worth_what_full_rescoring_says(parts: str, root: str, projective: bool) -> None:
    changes = 0
    for seed, words in enumerate([1, 2, 3, 5, 8, 13, 21, 30]):
        instance = random_instance(
            seed, words, parts=parts, root=root, projective=projective, constrained=seed % 3 == 2
        )
        problem = problem_of(instance)
        path, values = _core.climb_path(problem.parts, random_tree(instance, seed), problem.single_root, projective)
        for heads, found in zip(path, values, strict=True):
            assert found == pytest.approx(instance.value(heads), rel=1e-9, abs=1e-9)
            assert is_allowed(instance, heads)
        assert (np.diff(values) > 0).all()
        changes += len(values) - 1
    assert changes > 20


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("projective", [False, True])
def test_no_single_change_improves_the_end(parts: str, root: str, projective: bool) -> None:
    for seed, words in enumerate([1, 2, 3, 4, 6, 9]):
        instance = random_instance(
            100 + seed,
            words,
            parts=parts,
            root=root,
            projective=projective,
            constrained=words in (4, 9),
            ties=seed == 4,
        )
        problem = problem_of(instance)
        path, values = _core.climb_path(problem.parts, random_tree(instance, seed), problem.single_root, projective)
        assert values[-1] >= values[0]
        for tree in neighbours(instance, path[-1]):
            assert instance.value(tree) <= values[-1] + 1e-8


@pytest.mark.parametrize("scale", [1e-12, 0.1, 1e12])
def test_a_climb_does_not_depend_on_the_scale_of_the_scores(scale: float) -> None:
    for seed in range(10):
        instance = random_instance(seed, 12, parts="sib grand stop", projective=seed % 2 == 1)
        scaled = {name: scale * array for name, array in instance.scores.items()}
        found = [
            tw.decode.tree(arc, **scores, **instance.shape, method="climb", start="uniform", patience=3).heads.tolist()
            for arc, scores in ((instance.arc, instance.scores), (scale * instance.arc, scaled))
        ]
        assert found[0] == found[1]


@pytest.mark.parametrize("scale", [0.1, 1e12 / 3])
def test_a_climb_among_equal_trees_ends(scale: float) -> None:
    """Scores whose sums are equal by definition and differ by rounding."""
    for seed in range(40):
        instance = random_instance(seed, 20, parts="sib grand stop", ties=True)
        scores = {name: scale * array for name, array in instance.scores.items()}
        problem = problem_of(Instance(scale * instance.arc, scores, instance.shape))
        for start in range(5):
            _, values = _core.climb_path(problem.parts, random_tree(instance, start), problem.single_root, False)
            assert (np.diff(values) > 0.4 * scale).all()  # a change gains a whole number of steps


def test_forbidden_parts_are_climbed_out_of() -> None:
    left = 0
    for seed in range(40):
        instance = random_instance(seed, 6, sparse=0.15, root="multi")
        instance.arc[0] = np.where(np.isinf(instance.arc[0]), 0.0, instance.arc[0])  # so that there is a tree
        problem = problem_of(instance)
        start = random_tree(instance, seed)
        path, values = _core.climb_path(problem.parts, start, False, False)
        for heads, found in zip(path, values, strict=True):
            assert found == pytest.approx(instance.value(heads), rel=1e-9)
        left += values[0] == -np.inf < values[-1]
    assert left > 5


@pytest.mark.parametrize("start", ["first-order", "uniform"])
@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("projective", [False, True])
def test_restarts_find_the_best_of_all_trees(projective: bool, root: str, start: Start) -> None:
    instances = (
        random_instance(
            seed, 1 + seed % 5, root=root, projective=projective, constrained=seed % 2 == 1, ties=seed % 5 == 4
        )
        for seed in range(20)
    )

    def climb(instance: Instance) -> tw.decode.Parse:
        return tw.decode.tree(instance.arc, **instance.arguments, method="climb", start=start, patience=100)

    for instance, best in solvable(instances, climb, at_least=18):
        parse = climb(instance)
        assert is_allowed(instance, parse.heads)
        assert parse.score == pytest.approx(instance.value(parse.heads), rel=1e-9, abs=1e-9)
        assert parse.score == pytest.approx(best, rel=1e-9, abs=1e-9)
        assert not parse.certified
        assert parse.iterations >= 100


def test_one_climb_from_the_best_first_order_tree() -> None:
    for seed in range(20):
        instance = random_instance(seed, 12, root=("single", "multi")[seed % 2], projective=seed % 3 == 0)
        first = tw.decode.tree(instance.arc, **instance.shape).heads
        parse = tw.decode.tree(instance.arc, **instance.arguments, method="climb", start="map")
        assert parse.iterations == 1
        assert parse.score >= instance.value(first) - 1e-9
        problem = problem_of(instance)
        path, _ = _core.climb_path(problem.parts, first, problem.single_root, problem.projective)
        assert parse.heads.tolist() == path[-1].tolist()


def test_the_answer_depends_on_the_seed_alone() -> None:
    instances = [random_instance(seed, 15) for seed in range(8)]

    def decode(instance: Instance, seed: int = 7) -> Any:
        parse = tw.decode.tree(instance.arc, **instance.arguments, method="climb", patience=5, seed=seed, trace=True)
        assert parse.trace is not None
        return parse.heads.tolist(), parse.score, parse.trace["value"].tolist()

    alone = [decode(instance) for instance in instances]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(decode, instances)) == alone
    assert [decode(instance) for instance in reversed(instances)] == alone[::-1]
    assert any(decode(instance, seed=8)[2] != known[2] for instance, known in zip(instances, alone, strict=True))


def test_the_trace_rises_and_ends_after_patience() -> None:
    instance = random_instance(1, 14)
    parse = tw.decode.tree(instance.arc, **instance.arguments, method="climb", patience=10, trace=True)
    assert parse.trace is not None
    values = parse.trace["value"]
    assert (np.diff(values) >= 0).all()
    assert len(values) == parse.iterations
    assert len(set(values[-11:])) == 1
    assert values[-11] == pytest.approx(parse.score)
    short = tw.decode.tree(instance.arc, **instance.arguments, method="climb", max_restarts=3)
    assert short.iterations == 3
    quick = tw.decode.tree(instance.arc, **instance.arguments, method="climb", patience=10**9, max_seconds=0.02)
    assert quick.iterations >= 1


@needs_timer
def test_a_climb_can_be_interrupted() -> None:
    instance = random_instance(1, 30)
    with interrupted_after(0.1):
        tw.decode.tree(instance.arc, **instance.arguments, method="climb", patience=10**9)


def test_candidate_lists_climb_as_whole_arrays_do() -> None:
    for seed in range(10):
        instance = random_instance(seed, 8, sparse=0.0)
        keep = np.random.default_rng(seed).random(instance.arc.shape) < 0.5
        keep[0] = keep[np.arange(8), np.arange(1, 9)] = True
        instance.arc[~keep] = -np.inf
        whole = tw.decode.tree(instance.arc, **instance.arguments, method="climb", patience=20)
        parts = tw.decode.Parts.from_arrays(instance.arc, **instance.scores)
        assert (
            tw.decode.tree(parts, **instance.shape, method="climb", patience=20).heads.tolist() == whole.heads.tolist()
        )
        assert is_allowed(instance, whole.heads)


def test_starting_trees_vary() -> None:
    arc = np.zeros((5, 5))
    for projective in (False, True):
        for root in ("single", "multi"):
            seen = {
                tuple(
                    tw.decode.tree(
                        arc, method="climb", start="uniform", patience=1, seed=seed, root=root, projective=projective
                    ).heads
                )
                for seed in range(600)
            }
            trees = set(all_trees(4, projective=projective, root=root))
            assert seen <= trees
            assert len(seen) > 0.9 * len(trees)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": "random"}, "start is 'random'; it is 'first-order', 'uniform' or 'map'"),
        ({"patience": 0}, "patience is 0; it must be positive"),
        ({"max_restarts": -1}, "max_restarts is -1; it must be positive"),
        ({"restarts": 3}, "method 'climb' has no option 'restarts'"),
    ],
)
def test_errors_name_the_option(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tw.decode.tree(np.zeros((3, 3)), method="climb", **options)


def test_no_tree_without_a_forbidden_part() -> None:
    grand = np.full((4, 4, 4), -np.inf)
    stop = np.full((4, 4, 2), -np.inf)
    with pytest.raises(ValueError, match="method='exact' decides"):
        tw.decode.tree(np.zeros((4, 4)), grand=grand, stop=stop, method="climb", patience=5)


def brute_force_optima(arc: Any) -> int:
    """By definition, over trees with any number of root modifiers and no forbidden arc."""
    n = len(arc) - 1
    trees = {tree: value(tree, arc) for tree in all_trees(n, root="multi")}
    trees = {tree: score for tree, score in trees.items() if score > -np.inf}
    return sum(
        all(
            trees.get((*tree[:m], h, *tree[m + 1 :]), -np.inf) <= score
            for m in range(1, n + 1)
            for h in range(n + 1)
            if h not in (m, tree[m])
        )
        for tree, score in trees.items()
    )


@pytest.mark.parametrize("sparse", [0.0, 0.25])
def test_optima_counted_as_by_brute_force(sparse: float) -> None:
    counts = []
    for seed in range(60):
        arc = random_instance(seed, 1 + seed % 5, parts="", sparse=sparse).arc
        counts.append(tw.decode.count_optima(arc))
        assert counts[-1] == brute_force_optima(arc)
    assert max(counts) > 1


@pytest.mark.parametrize("nearer_is_better", [True, False])
def test_the_bound_of_theorem_1_is_tight(nearer_is_better: bool) -> None:
    # Zhang et al. (2014), appendix: e_ij = e_ji = i for i < j has 2^(n - 1) optima; ties are broken by distance.
    for n in range(1, 13):
        i, j = np.indices((n + 1, n + 1))
        tie_break = 1e-3 * np.abs(i - j) * (-1 if nearer_is_better else 1)
        assert tw.decode.count_optima(np.minimum(i, j) + tie_break) == 2 ** (n - 1)


@pytest.mark.parametrize("n", range(1, 12))
def test_ties_broken_at_random_never_exceed_the_bound_of_theorem_1(n: int) -> None:
    random, (i, j) = np.random.default_rng(n), np.indices((n + 1, n + 1))
    counts = [tw.decode.count_optima(np.minimum(i, j) + 1e-3 * random.random((n + 1, n + 1))) for _ in range(60)]
    assert max(counts) <= 2 ** (n - 1)
    if n <= 3:
        assert max(counts) == 2 ** (n - 1)


def test_counting_ends_at_the_cap() -> None:
    random = np.random.default_rng(0)
    words = 60
    arc = random.normal(size=(words + 1, words + 1))
    arc[np.arange(1, words, 2), np.arange(2, words + 1, 2)] = 50 + random.random(
        words // 2
    )  # 30 pairs that want each other
    arc[np.arange(2, words + 1, 2), np.arange(1, words, 2)] = 50 + random.random(words // 2)
    assert tw.decode.count_optima(arc, cap=500) == 501
    assert tw.decode.count_optima(np.eye(4) + np.arange(4), cap=1) >= 1
    with pytest.raises(ValueError, match="cap is 0; it must be at least 1"):
        tw.decode.count_optima(arc, cap=0)


def test_one_optimum_is_the_best_tree() -> None:
    arcs = {seed: random_instance(seed, 6, parts="").arc for seed in range(40)}
    with_one_optimum = {seed: arc for seed, arc in arcs.items() if tw.decode.count_optima(arc) == 1}
    assert len(with_one_optimum) >= 17
    for seed, arc in with_one_optimum.items():
        parse = tw.decode.tree(arc, root="multi", method="climb", patience=1, start="uniform", seed=seed)
        assert parse.score == pytest.approx(tw.decode.tree(arc, root="multi").score)


def test_projective_climbs_stay_projective() -> None:
    for seed in range(10):
        instance = random_instance(seed, 10, projective=True)
        parse = tw.decode.tree(instance.arc, **instance.arguments, method="climb", patience=10)
        assert not any_nonprojective(tuple(parse.heads.tolist()))


def test_a_start_with_a_cycle_is_refused() -> None:
    parts = tw.decode.Problem.of(np.zeros((4, 4))).parts
    cyclic = np.array([-1, 2, 1, 0], dtype=np.int32)
    options = _core.ClimbOptions(single_root=True, projective=False, by_score=True, patience=1, max_restarts=0, seed=0)
    with pytest.raises(ValueError, match="heads has a cycle; it must be a tree"):
        _core.climb(parts, options, cyclic, 1.0)
