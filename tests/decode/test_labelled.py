"""Labelled scores arc[h, m, l]: every function by enumeration of all trees with all labels."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from oracles.instances import random_scores
from oracles.trees import all_trees, value

import treewright as tw
from treewright.errors import InfeasibleError, InputError

EXACT = 1e-9
SHAPES = [{"projective": projective, "root": root} for projective in (False, True) for root in ("single", "multi")]
SIZES = [(1, 3), (2, 3), (3, 2), (4, 2), (3, 3)]  # words, labels
LARGE = (4, 3)


def labelled_scores(random: np.random.Generator, words: int, labels: int, names: str = "arc") -> dict[str, Any]:
    scores = random_scores(random, words, names)
    arc = random.normal(size=(words + 1, words + 1, labels))
    arc[random.random(arc.shape) < 0.15] = -np.inf
    arc[0, :, 0] = random.normal(size=words + 1)  # there is always a tree
    for word in range(2, words + 1):
        arc[word - 1, word, 0] = 0.5
    return scores | {"arc": arc}


def labelled_trees(scores: dict[str, Any], **shape: Any) -> dict[tuple[tuple[int, ...], tuple[int, ...]], float]:
    """(heads, labels of the words) -> value, of all that are allowed."""
    arc = scores["arc"]
    rest = {**scores, "arc": np.zeros(arc.shape[:2])}
    words = range(1, len(arc))
    found = {}
    for heads in all_trees(len(arc) - 1, **shape):
        base = value(heads, **rest)
        for labels in product(range(arc.shape[2]), repeat=len(arc) - 1):
            total = base + sum(arc[heads[m], m, label] for m, label in zip(words, labels, strict=True))
            if total > -np.inf:
                found[tuple(heads), labels] = total
    return found


def labels_of(parse: tw.decode.Parse) -> list[int]:
    assert parse.labels is not None
    return [int(label) for label in parse.labels[1:]]


@pytest.mark.parametrize("names", ["arc", "arc sib grand"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_best_labelled_tree_and_the_k_best(shape: dict[str, Any], names: str) -> None:
    random = np.random.default_rng(1)
    for words, labels in (*SIZES, LARGE) if names == "arc" else SIZES[:3]:
        scores = labelled_scores(random, words, labels, names)
        trees = labelled_trees(scores, **shape)
        ranked = sorted(trees.values(), reverse=True)
        found = tw.decode.tree(**scores, **shape)
        assert found.labels is not None
        assert found.labels[0] == -1
        assert found.labels.dtype == np.int32
        assert trees[tuple(found.heads.tolist()), tuple(found.labels[1:].tolist())] == pytest.approx(
            ranked[0], abs=EXACT
        )
        assert found.score == pytest.approx(ranked[0], abs=EXACT)
        assert found.certified
        best = tw.decode.kbest(**scores, k=12, **shape)
        assert [parse.score for parse in best] == pytest.approx(ranked[:12], abs=EXACT)
        named = [(tuple(parse.heads.tolist()), tuple(labels_of(parse))) for parse in best]
        assert len(set(named)) == len(named)
        assert [trees[name] for name in named] == pytest.approx([parse.score for parse in best], abs=EXACT)


@pytest.mark.parametrize("names", ["arc", "arc sib"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums_run_over_labelled_trees(shape: dict[str, Any], names: str) -> None:
    if names != "arc" and not shape["projective"]:
        shape = shape | {"projective": True}  # crossing second-order sums are approximate
    random = np.random.default_rng(2)
    for words, labels in SIZES:
        scores = labelled_scores(random, words, labels, names)
        trees = labelled_trees(scores, **shape)
        log_z = np.logaddexp.reduce(list(trees.values()))
        assert tw.decode.log_partition(**scores, **shape) == pytest.approx(log_z, abs=EXACT)
        expected = np.zeros_like(scores["arc"])
        for (heads, chosen), total in trees.items():
            for m, label in enumerate(chosen, 1):
                expected[heads[m], m, label] += np.exp(total - log_z)
        np.testing.assert_allclose(tw.decode.marginals(**scores, **shape), expected, atol=EXACT)
        turned = scores | {"arc": scores["arc"].swapaxes(0, 1)}
        marginals = tw.decode.marginals(**turned, **shape, head_first=False)
        np.testing.assert_allclose(marginals, expected.swapaxes(0, 1), atol=EXACT)


@pytest.mark.parametrize("uniform", [False, True])
@pytest.mark.parametrize("names", ["arc", "arc sib"])
def test_samples_follow_the_probabilities_of_labelled_trees(names: str, uniform: bool) -> None:
    scores = labelled_scores(np.random.default_rng(3), 2, 3, names)
    trees = labelled_trees(scores, root="multi")
    draws = 20_000
    heads, labels = tw.decode.sample(**scores, size=draws, root="multi", seed=5, uniform=uniform)
    counts = Counter(zip(map(tuple, heads.tolist()), map(tuple, labels[:, 1:].tolist()), strict=True))
    assert set(counts) <= set(trees)
    log_z = np.logaddexp.reduce(list(trees.values()))
    for name, total in trees.items():
        probability = 1 / len(trees) if uniform else np.exp(total - log_z)
        assert counts[name] / draws == pytest.approx(probability, abs=5 * np.sqrt(0.25 / draws))
    few = tw.decode.sample(**scores, size=10, root="multi", seed=5, uniform=uniform)
    assert (few == np.stack([heads[:10], labels[:10]])).all()


def test_batches_and_padded_arrays_take_labelled_scores() -> None:
    random = np.random.default_rng(4)
    padded = random.normal(size=(3, 5, 5, 2))
    lengths = [4, 2, 3]
    items = [padded[k, : n + 1, : n + 1] for k, n in enumerate(lengths)]
    alone = [tw.decode.tree(item) for item in items]
    turned = padded.swapaxes(1, 2)
    for found in (
        tw.decode.trees(items),
        tw.decode.trees(padded, lengths=lengths),
        tw.decode.trees(turned, lengths=lengths, head_first=False),
    ):
        assert [parse.heads.tolist() for parse in found] == [parse.heads.tolist() for parse in alone]
        assert [parse.labels.tolist() for parse in found] == [parse.labels.tolist() for parse in alone]  # type: ignore[union-attr]
    marginals = tw.decode.batched(tw.decode.marginals, padded, lengths=lengths)
    log_z = tw.decode.batched(tw.decode.log_partition, padded, lengths=lengths)
    best = tw.decode.batched(tw.decode.kbest, padded, k=3, lengths=lengths)
    for k, item in enumerate(items):
        np.testing.assert_allclose(marginals[k], tw.decode.marginals(item), atol=EXACT)
        assert log_z[k] == pytest.approx(tw.decode.log_partition(item), abs=EXACT)
        assert [parse.score for parse in best[k]] == [parse.score for parse in tw.decode.kbest(item, 3)]


def test_constraints_and_other_methods_keep_labels() -> None:
    arc = np.random.default_rng(6).normal(size=(5, 5, 3))
    for options in ({"method": "dd"}, {"require": [(2, 1)]}, {"constraints": [tw.decode.Depth(2)]}):
        parse = tw.decode.tree(arc, **options)
        assert parse.labels is not None
        words = np.arange(1, 5)
        assert parse.score == pytest.approx(arc[parse.heads[1:], words, parse.labels[1:]].sum(), abs=EXACT)
        assert (parse.labels[1:] == arc[parse.heads[1:], words].argmax(axis=1)).all()
    assert tw.decode.tree(arc.max(axis=2)).labels is None


def test_labels_that_are_all_forbidden_forbid_the_arc() -> None:
    arc = np.zeros((3, 3, 2))
    arc[:, 2] = -np.inf
    with pytest.raises(InfeasibleError, match=r"arc\[:, 2\] is -inf for every head"):
        tw.decode.tree(arc)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((2, 4, 4), "arc has shape (2, 4, 4), expected arc[h, m] or labelled arc[h, m, l] over the root and the words"),
        ((1, 1, 3), "arc has shape (1, 1, 3), expected arc[h, m] or labelled arc[h, m, l]"),
        ((3, 3, 0), "arc has shape (3, 3, 0), expected arc[h, m] or labelled arc[h, m, l]"),
        ((2, 3, 3, 2), "arc has shape (2, 3, 3, 2), expected a square arc[h, m]"),
    ],
)
def test_other_shapes_are_refused(shape: tuple[int, ...], message: str) -> None:
    for decode in (tw.decode.tree, tw.decode.marginals, tw.decode.log_partition):
        with pytest.raises(InputError, match=f"^{re.escape(message)}"):
            decode(np.zeros(shape))


def test_bad_scores_are_named() -> None:
    arc = np.zeros((4, 4, 2))
    arc[1, 1] = arc[2, 0] = np.nan  # not read
    assert tw.decode.tree(arc).certified
    arc[1, 3, 1] = np.nan
    with pytest.raises(InputError, match=r"^arc\[1, 3, 1\] is NaN; write -inf to forbid a part"):
        tw.decode.tree(arc)
    with pytest.raises(InputError, match=r"^arc\[3, 1, 1\] is NaN"):
        tw.decode.tree(arc.swapaxes(0, 1), head_first=False)


@pytest.mark.parametrize("function", [tw.decode.entropy, tw.decode.mbr, tw.decode.reduced_costs, tw.decode.graph])
def test_functions_without_labels_refuse_them(function: Any) -> None:
    with pytest.raises(
        InputError, match=r"labelled arc\[h, m, l\] is for tree, trees, marginals, log_partition, kbest"
    ):
        function(np.zeros((3, 3, 2)))
