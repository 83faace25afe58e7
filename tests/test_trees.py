"""Head vectors: every function against its definition, over every tree of up to five words."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from oracles.trees import all_trees, any_nonprojective, dominates, is_nonprojective_arc, sides, value

from treewright import trees

EVERY_TREE = [heads for n in range(6) for heads in all_trees(n, root="multi")]


def random_tree(n: int, seed: int) -> np.ndarray:
    """Each word below an earlier one of a random order, so that there is no cycle."""
    rng = np.random.default_rng(seed)
    order = np.concatenate([[0], 1 + rng.permutation(n)])
    heads = np.full(n + 1, -1, np.int32)
    for i in range(1, n + 1):
        heads[order[i]] = order[rng.integers(max(0, i - 5), i)]
    return heads


@pytest.mark.parametrize("n", range(1, 6))
def test_the_oracle_yields_as_many_trees_as_there_are(n: int) -> None:
    assert len(all_trees(n, root="multi")) == (n + 1) ** (n - 1)
    assert len(all_trees(n, root="single")) == n ** (n - 1)
    assert len(all_trees(n, root="multi", projective=True)) == comb(3 * n, n) // (2 * n + 1)
    assert len(all_trees(n, root="single", projective=True)) == comb(3 * n - 2, n - 1) // n


def test_the_value_of_a_tree_written_out() -> None:
    rng = np.random.default_rng(1)
    arc, sib, grand, stop = rng.normal(size=(5, 5)), *rng.normal(size=(2, 5, 5, 5)), rng.normal(size=(5, 5, 2))
    heads = (-1, 3, 3, 0, 3)
    assert value(heads, arc) == pytest.approx(arc[3, 1] + arc[3, 2] + arc[0, 3] + arc[3, 4], rel=1e-12)
    siblings = sib[0, 3, 0] + sib[3, 2, 3] + sib[3, 1, 2] + sib[3, 4, 3]
    assert value(heads, 0 * arc, sib=sib) == pytest.approx(siblings, rel=1e-12)
    grands = grand[0, 3, 1] + grand[0, 3, 2] + grand[0, 3, 4]
    assert value(heads, 0 * arc, grand=grand) == pytest.approx(grands, rel=1e-12)
    stops = stop[0, 3, 1] + stop[3, 1, 0] + stop[3, 4, 1] + sum(stop[m, m, s] for m in (1, 2, 4) for s in (0, 1))
    assert value(heads, 0 * arc, stop=stop) == pytest.approx(stops, rel=1e-12)


def test_conversions_go_both_ways() -> None:
    for heads in EVERY_TREE:
        numbers = trees.to_conll(heads)
        assert numbers.tolist() == list(heads[1:])
        assert trees.from_conll(numbers).tolist() == list(heads)
        assert numbers.dtype == trees.from_conll(numbers).dtype == np.int32


def test_is_tree_accepts_trees_and_nothing_else() -> None:
    for n in range(1, 5):
        known = set(all_trees(n, root="multi"))
        single = set(all_trees(n, root="single"))
        for heads in np.ndindex(*[n + 1] * n):
            candidate = (-1, *heads)
            assert trees.is_tree(candidate) == (candidate in known)
            assert trees.is_tree(candidate, root="single") == (candidate in single)


def test_a_cycle_is_found_wherever_there_is_one() -> None:
    for n in range(1, 5):
        known = set(all_trees(n, root="multi"))
        for numbers in np.ndindex(*[n + 1] * n):
            heads = (-1, *numbers)
            cycle = trees.find_cycle(heads)
            assert (not cycle) == (heads in known)
            if cycle:
                assert [heads[m] for m in cycle] == cycle[1:] + cycle[:1]
                assert cycle[0] == min(cycle)


def test_projectivity_by_definition() -> None:
    for heads in EVERY_TREE:
        arcs = [m for m in range(1, len(heads)) if is_nonprojective_arc(heads, m)]
        assert trees.nonprojective_arcs(heads).tolist() == arcs
        assert trees.is_projective(heads) == (not any_nonprojective(heads))
        assert trees.is_projective(heads) == (len(trees.crossing_pairs(heads)) == 0)


def test_crossing_pairs_by_definition() -> None:
    for heads in EVERY_TREE:
        ends = {m: sorted((m, heads[m])) for m in range(1, len(heads))}
        expected = {(a, b) for a in ends for b in ends if ends[a][0] < ends[b][0] < ends[a][1] < ends[b][1]}
        found = list(map(tuple, trees.crossing_pairs(heads).tolist()))
        assert len(found) == len(expected)
        assert set(found) == expected


def test_measures_by_definition() -> None:
    for heads in EVERY_TREE:
        nodes = range(len(heads))
        above = [sum(dominates(heads, h, m) for h in nodes) - 1 for m in nodes]
        assert trees.depths(heads).tolist() == above
        assert trees.roots(heads).tolist() == [m for m in nodes if heads[m] == 0]
        assert trees.modifiers(heads) == [sides(heads, h) for h in nodes]


def test_what_a_node_dominates_is_numbered_without_a_gap() -> None:
    for heads in EVERY_TREE:
        number = trees.preorder(heads).tolist()
        assert sorted(number) == list(range(len(heads)))
        for h in range(len(heads)):
            below = sorted(number[m] for m in range(len(heads)) if dominates(heads, h, m))
            assert below == list(range(number[h], number[h] + len(below)))


@pytest.mark.parametrize("n", [20, 60, 120])
def test_larger_trees_by_definition(n: int) -> None:
    for seed in range(20):
        heads = random_tree(n, seed)
        known = tuple(heads.tolist())
        assert trees.nonprojective_arcs(heads).tolist() == [
            m for m in range(1, n + 1) if is_nonprojective_arc(known, m)
        ]
        assert trees.is_projective(heads) == (not any_nonprojective(known))


def test_a_chain_of_many_words_needs_no_recursion() -> None:
    heads = np.arange(-1, 100_000, dtype=np.int32)
    assert trees.depths(heads).max() == 100_000
    assert trees.is_projective(heads)
    assert len(trees.nonprojective_arcs(heads)) == 0
    cycle = trees.find_cycle(np.concatenate([[-1, 100_000], np.arange(1, 100_000)]))
    assert len(cycle) == 100_000


def test_no_argument_is_changed() -> None:
    heads = np.array([-1, 3, 0, 2, 2, 1], np.int32)
    before = heads.copy()
    trees.is_projective(heads)
    trees.depths(heads)
    trees.find_cycle(heads)
    assert np.array_equal(heads, before)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([], r"heads is empty; heads\[0\] is the root's and must be -1 \(from_conll converts a HEAD column\)"),
        ([2, 0], r"heads starts with 2; heads\[0\] is the root's"),
        ([-1, 3], r"heads\[1\] is 3; a head is between 0 \(the root\) and 1, the number of words"),
        ([-1, 0, -1], r"heads\[2\] is -1; a head is between 0"),
        ([-1, 0, 2], r"heads\[2\] is 2: a word cannot be its own head"),
        ([-1, 4, 0, 2, 1], r"heads has a cycle: 1 <- 4 <- 1; every word must be reachable from the root"),
        ([[-1, 0]], r"heads has shape \(1, 2\); it must be one-dimensional"),
        ([-1.0, 0.0], "heads has dtype float64; it must hold integers"),
    ],
)
def test_the_message_says_why_heads_are_no_tree(heads: list[int], message: str) -> None:
    assert not trees.is_tree(heads)
    with pytest.raises(ValueError, match=message):
        trees.check_tree(heads)


def test_several_roots_are_named_when_one_is_required() -> None:
    assert trees.check_tree([-1, 0, 0]).tolist() == [-1, 0, 0]
    with pytest.raises(ValueError, match="heads has 2 modifiers of the root: 1, 2; expected exactly one"):
        trees.check_tree([-1, 0, 0], root="single")
    with pytest.raises(ValueError, match="heads has no word"):
        trees.check_tree([-1], root="single")
    with pytest.raises(ValueError, match="root is 'one'; it can be 'single' or 'multi'"):
        trees.check_tree([-1, 0], root="one")


def test_a_tree_of_no_words_is_a_tree() -> None:
    assert trees.is_tree([-1])
    assert trees.depths([-1]).tolist() == [0]
    assert trees.is_projective([-1])
    assert trees.crossing_pairs([-1]).shape == (0, 2)
    assert trees.from_conll([]).tolist() == [-1]
