"""Second-order projective decoding: whole arrays and candidate arcs against every tree, then HiGHS, then each other."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from oracles.instances import Scores, random_constraints, random_scores
from oracles.programs import best_projective_value
from oracles.trees import all_trees, value

import treewright as tw
from treewright import _core
from treewright.decode import Parts, Problem, exact
from treewright.errors import InfeasibleError, InputError

ROOTS = ("single", "multi")
SIBLINGS = ("arc sib", "arc stop", "arc sib stop")
GRANDPARENTS = ("arc grand", "arc grand sib", "arc grand stop", "arc grand sib stop")


def best_of_all_trees(n: int, root: str, scores: Scores) -> float:
    return max(value(tree, **scores) for tree in all_trees(n, projective=True, root=root))


def questions(scores: Scores, root: str) -> list[tuple[exact.Direct, Problem]]:
    """The same problem in every form: as arrays, over candidate arcs, and for the more general algorithm."""
    chosen: exact.Direct = "grand-eisner" if "grand" in scores else "sibling-eisner"
    whole = Problem.of(**scores, projective=True, root=root)
    pruned = Problem.of(Parts.from_arrays(**scores), projective=True, root=root)
    return [(chosen, whole), (chosen, pruned), ("grand-eisner", pruned)]


def answers(scores: Scores, root: str) -> list[tw.decode.Parse]:
    return [exact.solve_directly(problem, chosen) for chosen, problem in questions(scores, root)]


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("names", SIBLINGS + GRANDPARENTS)
@pytest.mark.parametrize("n", range(1, 6))
def test_best_of_all_projective_trees(n: int, names: str, root: str) -> None:
    rng = np.random.default_rng(n)
    feasible = 0
    for holes, ties in [*product((0.0, 0.15, 0.4), (False, True))] * (4 if n < 5 else 2):
        scores = random_scores(rng, n, names, holes=holes, ties=ties)
        best = best_of_all_trees(n, root, scores)
        feasible += best > -np.inf
        for parse in answers(scores, root):
            if best == -np.inf:
                assert parse.bound == -np.inf
                continue
            assert parse.score == pytest.approx(best, rel=1e-9, abs=1e-9)
            assert value(parse.heads, **scores) == pytest.approx(best, rel=1e-9, abs=1e-9)
            assert tw.trees.is_projective(parse.heads)
            assert tw.trees.is_tree(parse.heads, root=root)
    assert feasible >= 8


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("names", ["arc sib stop", "arc grand sib stop"])
def test_constraints_hold_and_nothing_else_is_lost(names: str, root: str) -> None:
    rng = np.random.default_rng(5)
    feasible = 0
    for _ in range(40):
        n = int(rng.integers(2, 6))
        scores = random_scores(rng, n, names)
        trees = all_trees(n, projective=True, root=root)
        constraints, left = random_constraints(rng, trees, 2)
        options: dict[str, Any] = {"projective": True, "root": root, **constraints}
        if not left:
            with pytest.raises(InfeasibleError):
                tw.decode.tree(**scores, **options)
            continue
        feasible += 1
        best = max(value(tree, **scores) for tree in left)
        parse = tw.decode.tree(**scores, **options)
        assert parse.score == pytest.approx(best, rel=1e-9)
        assert tuple(parse.heads) in left
        assert parse.certified
        parts = Parts.from_arrays(**scores)
        same = tw.decode.tree(parts, **options)
        assert same.heads.tolist() == parse.heads.tolist()
    assert feasible >= 35


@pytest.mark.parametrize("root", ROOTS)
def test_zero_siblings_and_grandparents_give_the_first_order_answer(root: str) -> None:
    rng = np.random.default_rng(11)
    for n in (1, 2, 9, 25):
        arc = rng.normal(size=(n + 1, n + 1))
        first = tw.decode.tree(arc, projective=True, root=root)
        zeros = np.zeros((n + 1,) * 3)
        for sib, grand in ((zeros, None), (None, zeros), (zeros, zeros)):
            parse = tw.decode.tree(arc, sib=sib, grand=grand, projective=True, root=root)
            assert parse.score == pytest.approx(first.score, rel=1e-12)
            assert parse.heads.tolist() == first.heads.tolist()


def mirrored(scores: Scores, n: int) -> Scores:
    """The sentence read backwards: word m becomes n + 1 - m, left and right change places."""
    at = np.r_[0, np.arange(n, 0, -1)]
    found = {
        name: array[np.ix_(at, at, at) if array.ndim == 3 and name != "stop" else np.ix_(at, at)]
        for name, array in scores.items()
    }
    if "stop" in found:
        stop = found["stop"][:, :, ::-1].copy()
        stop[0] = found["stop"][0]  # the root stays on the left
        found["stop"] = stop
    return found


@pytest.mark.parametrize("names", ["arc sib stop", "arc grand sib stop"])
def test_a_mirrored_sentence_has_the_mirrored_tree(names: str) -> None:
    rng = np.random.default_rng(23)
    for n in (2, 5, 14):
        scores = random_scores(rng, n, names)
        heads = tw.decode.tree(**scores, projective=True).heads
        other = tw.decode.tree(**mirrored(scores, n), projective=True).heads
        turned = [-1] + [0 if heads[n + 1 - m] == 0 else n + 1 - heads[n + 1 - m] for m in range(1, n + 1)]
        assert other.tolist() == turned


@pytest.mark.parametrize(
    ("n", "names", "root"),
    [
        (7, "arc sib stop", "multi"),
        (9, "arc sib stop", "single"),
        (6, "arc grand sib", "single"),
        (6, "arc grand", "multi"),
    ],
)
def test_equals_the_integer_program(n: int, names: str, root: str) -> None:
    scores = random_scores(np.random.default_rng(n), n, names)
    best = best_projective_value(n, root, **scores)
    for parse in answers(scores, root):
        assert parse.score == pytest.approx(best, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("names", ["arc sib stop", "arc grand sib stop"])
@pytest.mark.parametrize("n", [10, 12])
def test_equals_the_integer_program_of_longer_sentences(n: int, names: str, root: str) -> None:
    scores = random_scores(np.random.default_rng(n), n, names)
    assert answers(scores, root)[0].score == pytest.approx(best_projective_value(n, root, **scores), rel=1e-6)


def pruned_scores(rng: np.random.Generator, n: int, names: str, heads_per_word: int) -> Scores:
    """Whole arrays with a few candidate heads a word, among them a projective tree."""
    scores = random_scores(rng, n, names)
    keep = np.zeros((n + 1, n + 1), dtype=bool)
    for m in range(1, n + 1):
        keep[rng.choice(n + 1, heads_per_word), m] = True
        keep[m - 1, m] = True
    scores["arc"][~keep] = -np.inf
    return scores


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("n", [12, 20, 41])
def test_whole_arrays_and_candidates_agree(n: int, root: str) -> None:
    rng = np.random.default_rng(n)
    for heads_per_word in (1, 3, 6, 3 * n):
        scores = pruned_scores(rng, n, "arc sib stop", heads_per_word)
        dense, pruned, grand = answers(scores, root)
        assert dense.heads.tolist() == pruned.heads.tolist() == grand.heads.tolist()
        assert dense.score == pytest.approx(value(dense.heads, **scores), rel=1e-9)


@pytest.mark.parametrize("root", ROOTS)
def test_grandparents_of_longer_sentences_are_worth_what_they_say(root: str) -> None:
    rng = np.random.default_rng(3)
    for n, heads_per_word in ((15, 50), (30, 4), (60, 8)):
        scores = pruned_scores(rng, n, "arc grand sib stop", heads_per_word)
        parse = tw.decode.tree(**scores, projective=True, root=root)
        assert parse.score == pytest.approx(value(parse.heads, **scores), rel=1e-9)
        without = {name: array for name, array in scores.items() if name != "grand"}
        other = tw.decode.tree(**without, projective=True, root=root)
        assert parse.score >= value(other.heads, **scores) - 1e-9


def test_charts_are_reused_between_sentences_of_any_size() -> None:
    rng = np.random.default_rng(8)
    many = [random_scores(rng, n, "arc grand sib stop") for n in (3, 12, 1, 7, 12, 2)]
    first = [tw.decode.tree(**scores, projective=True).score for scores in many]
    again = [tw.decode.tree(**scores, projective=True).score for scores in reversed(many)]
    assert first == again[::-1]


def test_threads_answer_as_one_does() -> None:
    rng = np.random.default_rng(31)
    many = [random_scores(rng, int(n), "arc sib grand") for n in rng.integers(1, 25, 60)]
    many += [{"arc": scores["arc"], "sib": scores["sib"]} for scores in many]
    one, two = (tw.decode.trees(many, threads=threads, projective=True) for threads in (1, 2))
    assert [parse.heads.tolist() for parse in one] == [parse.heads.tolist() for parse in two]
    assert [parse.score for parse in one] == [parse.score for parse in two]


def test_a_chart_beyond_the_limit_is_refused_before_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = random_scores(np.random.default_rng(0), 6, "arc grand")
    monkeypatch.setattr(exact, "LARGEST_CHART", 2**10)
    with pytest.raises(
        InputError,
        match=r"chart of 6 words with 36 candidate arcs would take 0.0 MiB.*LARGEST_CHART.*fewer candidate heads",
    ):
        tw.decode.tree(**scores, projective=True)


def test_bytes_are_those_of_the_charts() -> None:
    parts = Parts(3, arcs=([0, 1, 2], [1, 2, 1], [9.0, 7.0, 3.0])).core
    halves, incomplete, links = 2 * (3 + 1) * (3 + 1), 1 * 1 + 2 * 1 + 1 * 1, 3
    assert _core.grand_eisner_bytes(parts) == 8 * (halves + incomplete + links)


def test_two_modifiers_by_hand() -> None:
    """She (1) eats (2) pizza (3): two modifiers of `eats` on its two sides, or a chain, as siblings decide."""
    arc = np.full((4, 4), -np.inf)
    arc[0, 2] = 1.0
    arc[2, 1] = arc[2, 3] = 1.0
    arc[1, 3] = arc[3, 1] = 0.0
    stop = np.zeros((4, 4, 2))
    assert tw.decode.tree(arc, stop=stop, projective=True).score == 3.0
    stop[2, 3, 1] = -0.25  # to end after pizza on the right
    assert tw.decode.tree(arc, stop=stop, projective=True).score == 2.75
    stop[2, 2, 0] = 5.0  # to have nothing on the left: `she` would have to hang from `pizza`, across `eats`
    assert tw.decode.tree(arc, stop=stop, projective=True).score == 2.75
