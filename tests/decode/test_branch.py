"""Second-order trees that may cross, proved: against every tree, then HiGHS; budgets, traces, long sentences."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from oracles.instances import Instance, random_instance, solvable, varied_instance
from oracles.processes import interrupted_after, needs_timer

import treewright as tw
from treewright.decode.search import branch
from treewright.errors import InputError

ROOTS = ("single", "multi")
TOLERANCE = 1e-8


def decode(instance: Instance, **options: Any) -> tw.decode.Parse:
    return tw.decode.tree(instance.arc, **instance.arguments, **options)


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("parts", ["sib", "stop", "sib stop", "grand", "sib grand", "sib grand stop"])
def test_best_of_all_trees(parts: str, root: str) -> None:
    instances = (varied_instance(seed, parts=parts, root=root) for seed in range(60))
    for instance, best in solvable(instances, decode, at_least=50):
        parse = decode(instance)
        assert parse.certified
        assert parse.score == pytest.approx(best, rel=1e-9, abs=TOLERANCE)
        assert parse.score == pytest.approx(instance.value(parse.heads), rel=1e-9, abs=1e-9)
        assert best - 1e-12 * abs(best) <= parse.bound
        assert parse.gap <= 1e-9 * parse.spread
        assert tw.trees.is_tree(parse.heads, root=root)


@pytest.mark.parametrize("parts", ["sib stop", "sib grand stop"])
def test_the_integer_program_finds_nothing_better(parts: str) -> None:
    for seed, words in enumerate((8, 10, 12) if parts == "sib stop" else (7, 8)):
        instance = random_instance(seed, words, parts=parts, root=ROOTS[seed % 2], constrained=seed == 1)
        parse, program = decode(instance), decode(instance, method="ilp")
        assert parse.certified
        assert program.certified
        assert parse.score == pytest.approx(program.score, abs=1e-5)


def test_random_sibling_sentences_of_ten_words_are_all_certified() -> None:
    parses = [decode(random_instance(seed, 10, parts="sib stop")) for seed in range(60)]
    assert all(parse.certified for parse in parses)
    assert sum(parse.nodes > 1 for parse in parses) >= 10  # the relaxation alone is not tight for all


def near_tree(seed: int, words: int, heads_a_word: int) -> tw.decode.Parts:
    """A few candidate heads a word, of which those of a random tree are preferred, and random second-order scores."""
    random = np.random.default_rng(seed)
    order = 1 + random.permutation(words)
    gold = {int(order[0]): 0} | {int(order[k]): int(order[random.integers(max(0, k - 8), k)]) for k in range(1, words)}
    rows = []
    for word in range(1, words + 1):
        wrong = [other for other in range(words + 1) if other not in (word, gold[word])]
        others = random.choice(wrong, heads_a_word - 1, replace=False)
        rows += [(gold[word], word, 3 + random.normal()), *((int(other), word, random.normal()) for other in others)]
    h, m, score = (list(column) for column in zip(*rows, strict=True))
    outgoing: dict[int, list[int]] = {}
    for head, modifier in zip(h, m, strict=True):
        outgoing.setdefault(head, []).append(modifier)
    siblings = [
        (head, b, a)
        for head, modifiers in outgoing.items()
        for a in [head, *modifiers]
        for b in modifiers
        if a == head or head < a < b or b < a < head
    ]
    grands = [(g, x, y) for g, x in zip(h, m, strict=True) for y in outgoing.get(x, ()) if y != g]

    def scored(parts: list[tuple[int, int, int]]) -> tuple[Any, ...]:
        return (*np.array(parts, dtype=np.int32).reshape(-1, 3).T, 0.5 * random.normal(size=len(parts)))

    return tw.decode.Parts(words + 1, (h, m, score), scored(siblings), scored(grands))


def test_near_trees_of_forty_words_are_all_certified() -> None:
    for seed in range(10):
        parts = near_tree(seed, 40, 5)
        parse = tw.decode.tree(parts)
        assert parse.certified
        assert parse.score == pytest.approx(parts.value(parse.heads), rel=1e-9)


def test_a_thousand_words_are_answered_within_the_budget() -> None:
    parts = near_tree(0, 1000, 10)
    parse = tw.decode.tree(parts, max_seconds=2)
    assert tw.trees.is_tree(parse.heads, root="single")
    assert parse.score == pytest.approx(parts.value(parse.heads), rel=1e-9)
    assert parse.gap < 0.05 * abs(parse.score)


@pytest.mark.parametrize("limit", [1, 2, 3, 6])
def test_on_a_budget_of_nodes_value_and_bound_hold(limit: int) -> None:
    gaps = []
    for seed in range(10):
        instance = random_instance(seed, 9, parts="sib grand stop", root=ROOTS[seed % 2])
        best, parse = decode(instance), decode(instance, max_nodes=limit)
        assert parse.score - TOLERANCE <= best.score <= parse.bound + TOLERANCE
        assert parse.nodes <= limit + 1  # the two children of a node are visited together
        gaps.append(parse.gap)
    assert max(gaps) > 0


def test_without_time_there_is_a_tree_and_a_bound() -> None:
    instance = random_instance(0, 25, parts="sib grand stop")
    parse = decode(instance, max_seconds=0)
    assert not parse.certified
    assert tw.trees.is_tree(parse.heads, root="single")
    assert parse.score == pytest.approx(instance.value(parse.heads), rel=1e-9)
    assert parse.bound > parse.score


def test_a_trace_shows_the_bound_coming_down() -> None:
    instance = random_instance(2, 9, parts="sib grand stop")
    parse = decode(instance, trace=True)
    assert parse.trace is not None
    assert {len(column) for column in parse.trace.values()} == {parse.iterations}
    assert (np.diff(parse.trace["bound"]) <= TOLERANCE).all()
    assert (np.diff(parse.trace["best"]) >= 0).all()
    assert (parse.trace["bound"] >= parse.score - TOLERANCE).all()
    root = parse.trace["node"] == 1
    assert (parse.trace["dual"][root] >= parse.score - TOLERANCE).all()
    assert parse.nodes > 1
    assert parse.trace["node"].max() <= parse.nodes
    assert decode(instance).trace is None


def test_the_same_every_time_and_from_every_thread() -> None:
    instances = [random_instance(seed, 9, parts=("sib stop", "sib grand")[seed % 2]) for seed in range(6)]

    def answers() -> list[tuple[object, ...]]:
        parses = [decode(instance) for instance in instances]
        return [(p.heads.tolist(), p.score, p.bound, p.iterations, p.nodes) for p in parses]

    expected = answers()
    with ThreadPoolExecutor(4) as pool:
        for found in [pool.submit(answers) for _ in range(4)]:
            assert found.result() == expected


def test_large_and_small_scores_together_are_certified() -> None:
    for seed in range(10):
        instance = random_instance(seed, 5, parts="sib stop")
        instance.arc[np.random.default_rng(seed).random((6, 6)) < 0.3] = -1e9  # a habit of those who have no -inf
        parse = decode(instance)
        assert parse.certified
        assert parse.score == pytest.approx(instance.best(), rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e6, 1e200])
def test_the_unit_of_the_scores_does_not_matter(scale: float) -> None:
    for seed in range(5):
        instance = random_instance(seed, 5, parts="sib grand")
        scaled = Instance(instance.arc * scale, {k: v * scale for k, v in instance.scores.items()}, instance.shape)
        parse = decode(scaled)
        assert parse.certified
        assert parse.score == pytest.approx(scaled.best(), rel=1e-9, abs=1e-9)


@needs_timer
def test_a_search_can_be_interrupted() -> None:
    with interrupted_after(0.3):
        decode(random_instance(0, 40, parts="sib grand stop"), max_seconds=30)


def test_bad_options_are_named() -> None:
    with pytest.raises(InputError, match="max_nodes is 0; the root of the search is one node"):
        decode(random_instance(0, 3), max_nodes=0)
    with pytest.raises(InputError, match="max_seconds is -1; give seconds"):
        decode(random_instance(0, 3), max_seconds=-1)
    problem = tw.decode.Problem.of(np.zeros((3, 3)), sib=np.zeros((3, 3, 3)), projective=True)
    with pytest.raises(InputError, match="branch and bound is for trees that may cross"):
        branch.solve(problem)
