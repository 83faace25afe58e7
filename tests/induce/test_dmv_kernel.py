"""The DMV's kernel equals enumeration, with every constraint switched on and off."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.induction import depth, probability, projective_trees

from treewright import _core

TAGS = 4
NO_LEAF = np.zeros(TAGS, dtype=bool)


def random_model(seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    stop = random.uniform(0.1, 0.9, (TAGS, 2, 2))
    attach = random.dirichlet(np.ones(TAGS), (TAGS, 2))
    return {"root": random.dirichlet(np.ones(TAGS)), "stop": stop, "go": 1 - stop, "attach": attach}


def corpus_of(*sentences: list[int]) -> dict[str, Any]:
    return {
        "tags": np.array([t for sentence in sentences for t in sentence], dtype=np.int32),
        "ends": np.cumsum([len(sentence) for sentence in sentences]).astype(np.int32),
    }


# Number of admissible trees over n words, by chunk and depth; without a bound 1, 2, 7, 30, 143, 728, 3876, 21318.
COUNTS = {
    (1, 1): {4: 25, 5: 90, 6: 325, 7: 1175, 8: 4250},
    (1, 2): {4: 30, 5: 143, 6: 715, 7: 3648, 8: 18773},
    (2, 1): {4: 30, 5: 126, 6: 534, 7: 2268, 8: 9648},
    (2, 2): {4: 30, 5: 143, 6: 728, 7: 3832, 8: 20510},
    (3, 1): {4: 30, 5: 143, 6: 656, 7: 3019, 8: 13973},
    (3, 2): {4: 30, 5: 143, 6: 728, 7: 3876, 8: 21132},
    (0, 0): {1: 1, 2: 2, 3: 7, 4: 30, 5: 143, 6: 728, 7: 3876, 8: 21318},
}


@pytest.mark.parametrize(("chunk", "bound"), COUNTS)
def test_with_unit_weights_the_sum_counts_trees(chunk: int, bound: int) -> None:
    ones: dict[str, Any] = {
        "root": np.ones(1),
        "stop": np.ones((1, 2, 2)),
        "go": np.ones((1, 2, 2)),
        "attach": np.ones((1, 2, 1)),
    }
    for n, trees in COUNTS[chunk, bound].items():
        leaf = np.zeros(1, dtype=bool)
        corpus = corpus_of([0] * n)
        values, _ = _core.dmv_expectations(
            **corpus, **ones, leaf=leaf, length_weight=np.ones(1), depth=bound, chunk=chunk
        )
        assert np.exp(values[0]) == pytest.approx(trees, rel=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize(("chunk", "bound"), [(0, 0), (1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (1, 3)])
@pytest.mark.parametrize("leaves", [False, True])
def test_sums_maxima_and_expectations_equal_enumeration(n: int, chunk: int, bound: int, leaves: bool) -> None:
    random = np.random.default_rng(n)
    model = random_model(100 * n + 10 * chunk + bound)
    tags = random.integers(0, TAGS, n).tolist()
    leaf = np.array([0, 0, 1, 0], dtype=bool) if leaves else NO_LEAF
    length_weight = np.exp(-0.3 * np.arange(10))
    found: dict[str, Any] = {"leaf": leaf, "length_weight": length_weight, "depth": bound, "chunk": chunk}
    values, counts = _core.dmv_expectations(**corpus_of(tags), **model, **found)
    heads, best = _core.dmv_decode(**corpus_of(tags), **model, **found, extra=None)

    go = model["go"].copy()
    if leaves and set(tags) != {2}:
        go[2] = 0
    trees = [tree for tree in projective_trees(n) if bound == 0 or depth(tree, chunk) <= bound]
    weights = np.array(
        [probability(t, tags, model["root"], model["stop"], go, model["attach"], length_weight) for t in trees]
    )
    assert values[0] == pytest.approx(np.log(weights.sum()), rel=1e-9)
    assert best[0] == pytest.approx(np.log(weights.max()), rel=1e-9)
    assert np.isclose(weights[trees.index((-1, *heads.tolist()))], weights.max(), rtol=1e-9)

    expected = [np.zeros_like(table) for table in counts]
    for tree, weight in zip(trees, weights / weights.sum(), strict=True):
        of_tree = _core.dmv_counts(**corpus_of(tags), heads=np.array(tree[1:], dtype=np.int32), kinds=TAGS)
        for total, table in zip(expected, of_tree, strict=True):
            total += weight * table
    for total, table in zip(expected, counts, strict=True):
        np.testing.assert_allclose(table, total, rtol=1e-9, atol=1e-12)


def test_counts_of_a_tree_multiply_to_its_probability() -> None:
    model = random_model(3)
    tags = [0, 1, 2, 3, 1]
    for tree in projective_trees(5):
        counts = _core.dmv_counts(**corpus_of(tags), heads=np.array(tree[1:], dtype=np.int32), kinds=TAGS)
        logs = [np.log(model[name]) for name in ("root", "stop", "go", "attach")]
        total = sum(float((table * log).sum()) for table, log in zip(counts, logs, strict=True))
        likely = probability(tree, tags, model["root"], model["stop"], model["go"], model["attach"], np.ones(5))
        assert total == pytest.approx(np.log(likely), rel=1e-9)


def test_extra_scores_move_the_best_tree() -> None:
    model = random_model(5)
    tags = [0, 1, 2, 3]
    limits: dict[str, Any] = {"leaf": NO_LEAF, "length_weight": np.ones(1), "depth": 1, "chunk": 3}
    for tree in projective_trees(4):
        extra = np.zeros((5, 5))
        for m in range(1, 5):
            extra[tree[m], m] = 100.0
        heads, _ = _core.dmv_decode(**corpus_of(tags), **model, **limits, extra=extra)
        assert heads.tolist() == list(tree[1:])


def test_long_sentences_do_not_underflow() -> None:
    model = random_model(8)
    tags = np.random.default_rng(8).integers(0, TAGS, 400).tolist()
    limits: dict[str, Any] = {"leaf": NO_LEAF, "length_weight": np.exp(-0.1 * np.arange(400)), "depth": 1, "chunk": 3}
    values, counts = _core.dmv_expectations(**corpus_of(tags), **model, **limits)
    assert np.isfinite(values[0])
    assert counts[0].sum() + counts[3].sum() == pytest.approx(400, rel=1e-9)  # one arc a word


def test_a_corpus_is_the_sum_of_its_sentences() -> None:
    model = random_model(9)
    limits: dict[str, Any] = {"leaf": NO_LEAF, "length_weight": np.ones(1), "depth": 2, "chunk": 1}
    sentences = [[0, 1, 2], [3], [2, 2, 1, 0, 3]]
    values, counts = _core.dmv_expectations(**corpus_of(*sentences), **model, **limits)
    for i, sentence in enumerate(sentences):
        alone, parts = _core.dmv_expectations(**corpus_of(sentence), **model, **limits)
        assert alone[0] == values[i]
        for table, part in zip(counts, parts, strict=True):
            table -= part
    for table in counts:
        np.testing.assert_allclose(table, 0, atol=1e-12)
