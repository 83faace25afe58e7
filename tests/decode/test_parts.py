"""Parts over candidate arcs: the value of a tree is that of the definition, and nothing is lost on the way."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pytest
from oracles.trees import all_trees, value

from treewright.decode import Parts
from treewright.errors import InputError

ARCS = ([0, 1, 2], [1, 2, 1], [9.0, 7.0, 3.0])


def arrays(rng: np.random.Generator, n: int, holes: float) -> dict[str, Any]:
    nodes = n + 1
    arc = rng.normal(size=(nodes, nodes))
    arc[rng.random(arc.shape) < holes] = -np.inf
    found = {
        "arc": arc,
        "sib": rng.normal(size=(nodes, nodes, nodes)),
        "grand": rng.normal(size=(nodes, nodes, nodes)),
        "stop": rng.normal(size=(nodes, nodes, 2)),
    }
    return {name: array for name, array in found.items() if name == "arc" or rng.random() < 0.6}


@pytest.mark.parametrize("holes", [0.0, 0.4])
@pytest.mark.parametrize("n", range(1, 6))
def test_the_value_of_every_tree_is_that_of_the_definition(n: int, holes: float) -> None:
    rng = np.random.default_rng([n, int(10 * holes)])
    trees = all_trees(n, root="multi")
    for _ in range(8):
        given = arrays(rng, n, holes)
        parts = Parts.from_arrays(**given)
        again = Parts(parts.nodes, parts.arcs, parts.siblings, parts.grandparents, parts.stops)
        for place in rng.choice(len(trees), size=min(40, len(trees)), replace=False):
            heads = trees[place]
            expected = value(heads, **given)
            assert parts.value(heads) == pytest.approx(expected, rel=1e-12)
            assert again.value(heads) == pytest.approx(expected, rel=1e-12)


def test_columns_come_back_whatever_their_order() -> None:
    rng = np.random.default_rng(0)
    parts = Parts.from_arrays(**arrays(np.random.default_rng(7), 6, 0.3))
    columns = []
    for rows in (parts.arcs, parts.siblings, parts.grandparents, parts.stops):
        order = rng.permutation(len(rows.score))
        columns.append(tuple(column[order] for column in rows))
    again = Parts(parts.nodes, *columns)
    for name in ("arcs", "siblings", "grandparents", "stops"):
        for found, expected in zip(getattr(again, name), getattr(parts, name), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_pruning_keeps_the_values_of_the_trees_that_are_left() -> None:
    rng = np.random.default_rng(1)
    n = 4
    given: dict[str, Any] = {"arc": rng.normal(size=(n + 1, n + 1)), "sib": rng.normal(size=(n + 1,) * 3)}
    given |= {"grand": rng.normal(size=(n + 1,) * 3), "stop": rng.normal(size=(n + 1, n + 1, 2))}
    parts = Parts.from_arrays(**given)
    keep = rng.random(len(parts.arcs.score)) < 0.7
    pruned = parts.prune(keep)
    kept = set(zip(parts.arcs.h[keep].tolist(), parts.arcs.m[keep].tolist(), strict=True))
    assert pruned.nodes == parts.nodes
    assert len(pruned.arcs.score) == keep.sum()
    for heads in all_trees(n, root="multi"):
        left = all((h, m) in kept for m, h in enumerate(heads) if m)
        assert pruned.value(heads) == (pytest.approx(parts.value(heads), rel=1e-12) if left else -np.inf)


def test_parts_over_arcs_that_are_no_candidates_are_left_out() -> None:
    parts = Parts(3, ARCS, siblings=([0, 0], [1, 2], [0, 1], [0.5, 4.0]), grandparents=([0], [2], [1], [3.0]))
    assert len(parts.siblings.score) == 1
    assert len(parts.grandparents.score) == 0
    assert parts.value([-1, 0, 1]) == 16.5


def test_parts_travel_between_processes() -> None:
    kinds: list[dict[str, Any]] = [{}, {"sib": np.ones((4, 4, 4))}, {"grand": np.zeros((4, 4, 4))}]
    for kind in [*kinds, {"stop": np.ones((4, 4, 2))}]:
        parts = Parts.from_arrays(np.ones((4, 4)), **kind)
        again = pickle.loads(pickle.dumps(parts))
        assert repr(again) == repr(parts)
        assert again.value([-1, 0, 1, 1]) == parts.value([-1, 0, 1, 1])
        assert again.core.has_grand == ("grand" in kind)
        assert again.core.has_transitions == ("sib" in kind or "stop" in kind)


def test_the_representation_counts() -> None:
    assert repr(Parts(3, ARCS)) == "Parts(2 words, 3 arcs)"
    assert repr(Parts(2, ([0], [1], [1]), stops=([1], [1], [0], [2]))) == "Parts(1 word, 1 arc, 1 stop)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"nodes": 1}, "Parts: nodes must be at least 2: the root and a word"),
        ({"arcs": ([0], [1])}, "arcs has 2 columns; give h, m, score"),
        ({"arcs": ([0], [1, 2], [1.0])}, "Parts: arc columns differ in length"),
        ({"arcs": ([0], [1], [1.0, 2.0])}, "Parts: arc columns differ in length"),
        ({"arcs": ([[0]], [1], [1.0])}, "arcs has an index column of shape (1, 1); give one number a row"),
        ({"arcs": ([0.0], [1], [1.0])}, "arcs has an index column of dtype float64; give whole numbers"),
        ({"arcs": ([0], [1], [[1.0]])}, "arcs has a score column of shape (1, 1); give one number a row"),
        ({"arcs": ([0, 3], [1, 2], [1, 1])}, "Parts: arc 1 has the index 3, expected 0..2"),
        ({"arcs": ([0, -1], [1, 2], [1, 1])}, "Parts: arc 1 has the index -1, expected 0..2"),
        ({"arcs": ([0, 2**32], [1, 2], [1, 1])}, "arcs has an index column with 4294967296; nodes are small numbers"),
        ({"arcs": ([0, 1], [1, 0], [1, 1])}, "Parts: arc 1 enters node 0, the root"),
        ({"arcs": ([0, 2], [1, 2], [1, 1])}, "Parts: arc 1 has one word as head and modifier"),
        ({"arcs": ([0, 0], [1, 1], [1, 2])}, "Parts: the arc (0, 1) comes twice"),
        (
            {"arcs": ([0], [1], [np.nan])},
            "Parts: arc 0 has the score nan; scores are finite, at most 1e300, or -inf to forbid",
        ),
        ({"arcs": ([0], [1], [-np.inf])}, "Parts: arc 0 has the score -inf; leave a forbidden arc out"),
        ({"siblings": ([0], [2], [2], [1])}, "Parts: sibling 0 has s outside h .. m"),
        ({"siblings": ([0, 0], [1, 1], [0, 0], [1, 1])}, "Parts: sibling 1 comes twice"),
        ({"siblings": ([0], [1], [0])}, "siblings has 3 columns; give h, m, s, score"),
        ({"stops": ([1], [2], [0], [1])}, "Parts: stop 0 has s on the other side of h"),
        ({"stops": ([1], [2], [2], [1])}, "Parts: stop 0 has the index 2, expected 0..1"),
        (
            {"grandparents": ([0], [1], [2], [np.inf])},
            "Parts: grandparent 0 has the score inf; scores are finite, at most 1e300, or -inf to forbid",
        ),
    ],
)
def test_bad_parts_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        Parts(**{"nodes": 3, "arcs": ARCS, **arguments})


def test_bad_masks_and_heads_are_refused() -> None:
    parts = Parts(3, ARCS)
    with pytest.raises(InputError, match=re.escape("keep has shape (2,), expected (3,): one entry an arc")):
        parts.prune([True, False])
    for heads in ([-1, 0], [-1, 0, 3], [-1, 0, -1]):
        with pytest.raises(InputError, match=r"heads must"):
            parts.value(heads)
    with pytest.raises(InputError, match="heads has a cycle: 1 <- 2 <- 1; every word must be reachable from the root"):
        parts.value([-1, 2, 1])
    with pytest.raises(InputError, match=re.escape("heads[2] is 2: a word cannot be its own head")):
        parts.value([-1, 0, 2])
