"""Grandparent scores that count for outermost modifiers only, against the enumeration of all projective trees."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.trees import all_trees, sides
from scipy.special import logsumexp

import treewright as tw
from treewright import _core
from treewright.decode import Parts
from treewright.errors import InputError

CLOSE = 1e-7  # the sums leave out terms below 1e-9


def random_parts(words: int, seed: int) -> tuple[Parts, dict[tuple[int, ...], float]]:
    """Parts with random scores, and the scores by their names: arcs (h, m), siblings (h, m, s), grandchildren."""
    rng = np.random.default_rng([words, seed])
    nodes = words + 1
    arc, sib, grand = rng.normal(size=(nodes, nodes)), *rng.normal(0, 2, size=(2, nodes, nodes, nodes))
    both = Parts.from_arrays(arc, sib, grand)
    columns = both.arcs, both.siblings, both.grandparents
    parts = Parts(nodes, *columns, outermost=True)
    scores: dict[tuple[int, ...], float] = {(0, h, m): s for h, m, s in zip(*columns[0], strict=True)}
    scores |= {(1, h, m, s): x for h, m, s, x in zip(*columns[1], strict=True)}
    scores |= {(2, g, h, m): x for g, h, m, x in zip(*columns[2], strict=True)}
    return parts, scores


def parts_of(heads: NDArray[np.int32]) -> list[tuple[int, ...]]:
    """The names of the parts of a tree by definition."""
    found: list[tuple[int, ...]] = []
    for h in range(len(heads)):
        for modifiers in sides(tuple(heads.tolist()), h):
            found += [(0, h, m) for m in modifiers]
            found += [(1, h, m, s) for s, m in zip([h, *modifiers], modifiers, strict=False)]
            if h > 0 and modifiers:
                found.append((2, int(heads[h]), h, modifiers[-1]))
    return found


def value(heads: NDArray[np.int32], scores: dict[tuple[int, ...], float]) -> float:
    return sum(scores.get(part, 0.0) for part in parts_of(heads))


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("words", range(1, 6))
def test_the_tree_is_the_best_of_all_and_sums_are_over_all(words: int, root: str) -> None:
    trees = [np.array(tree, dtype=np.int32) for tree in all_trees(words, projective=True, root=root)]
    for seed in range(3):
        parts, scores = random_parts(words, seed)
        values = np.array([value(tree, scores) for tree in trees])
        assert [parts.value(tree) for tree in trees] == pytest.approx(values.tolist())
        best = tw.decode.tree(parts, projective=True, root=root)
        assert best.score == pytest.approx(values.max())
        assert best.certified
        assert tw.decode.log_partition(parts, projective=True, root=root) == pytest.approx(logsumexp(values))
        share = np.exp(values - logsumexp(values))
        has_arc = np.array([tree[None, :] == np.arange(words + 1)[:, None] for tree in trees])
        marginals = tw.decode.marginals(parts, projective=True, root=root)
        np.testing.assert_allclose(marginals[:, 1:], np.tensordot(share, has_arc, 1)[:, 1:], atol=CLOSE)


@pytest.mark.parametrize("seed", range(3))
def test_the_gradient_is_that_of_the_parts_of_all_trees(seed: int) -> None:
    parts, scores = random_parts(4, seed)
    trees = [np.array(tree, dtype=np.int32) for tree in all_trees(4, projective=True, root="single")]
    gold = trees[seed]
    values = np.array([value(tree, scores) for tree in trees])
    share = np.exp(values - logsumexp(values))
    loss, gradient = _core.projective_gradient(parts.core, gold, True, False)
    assert loss == pytest.approx(logsumexp(values) - values[seed], abs=CLOSE)
    expected = dict.fromkeys(scores, 0.0)
    for part in parts_of(gold):
        expected[part] += 1
    for probability, tree in zip(share, trees, strict=True):
        for part in parts_of(tree):
            expected[part] -= float(probability)
    found = Parts.of(gradient)
    for kind, rows in enumerate((found.arcs, found.siblings, found.grandparents)):
        *columns, numbers = (column.tolist() for column in rows)
        named = dict(zip(zip(*columns, strict=True), numbers, strict=True))
        for part, number in expected.items():
            if part[0] == kind:
                assert named.get(part[1:], 0.0) == pytest.approx(number, abs=CLOSE)


def test_samples_kbest_and_pruned_parts_keep_the_meaning() -> None:
    parts, scores = random_parts(4, 7)
    trees = [np.array(tree, dtype=np.int32) for tree in all_trees(4, projective=True, root="single")]
    values = sorted((value(tree, scores) for tree in trees), reverse=True)
    parses = tw.decode.kbest(parts, 5, projective=True)
    assert [parse.score for parse in parses] == pytest.approx(values[:5])
    best = parses[0].heads
    keep = np.array([best[m] == h or h != 0 for h, m in zip(parts.arcs.h, parts.arcs.m, strict=True)])
    assert tw.decode.tree(parts.prune(keep), projective=True).heads.tolist() == best.tolist()
    assert pickle.loads(pickle.dumps(parts)).value(best) == pytest.approx(values[0])
    drawn = tw.decode.sample(parts, 3000, projective=True, seed=1)
    share = float((drawn == best).all(axis=1).mean())
    assert share == pytest.approx(np.exp(values[0] - logsumexp(values)), abs=0.04)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda parts: tw.decode.tree(parts), "parts with outermost=True are for projective trees"),
        (lambda parts: tw.decode.marginals(parts), "parts with outermost=True are for projective trees"),
        (lambda parts: tw.decode.tree(parts, projective=True, proof=True), "have no proofs"),
        (lambda parts: tw.decode.tree(parts, projective=True, method="climb"), "methods beside 'exact'"),
        (lambda parts: tw.decode.trees([parts], projective=True, proof=True), "have no proofs"),
    ],
)
def test_what_does_not_know_such_parts_refuses_them(call: Callable[[Parts], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call(random_parts(3, 0)[0])
