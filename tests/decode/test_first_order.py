"""Chu-Liu-Edmonds and Eisner against all trees, against networkx and HiGHS, and by their laws."""

from __future__ import annotations

import dataclasses
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles.programs import best_tree_value
from oracles.trees import all_trees

import treewright as tw
from treewright.errors import InfeasibleError, InputError

Arcs = list[tuple[int, int]]
ROOTS = ("single", "multi")
CASES = 150  # for each size, root mode and projectivity


def some_scores(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Continuous or small integers (ties), whole or with holes."""
    size = (n + 1, n + 1)
    arc = rng.normal(size=size) if rng.random() < 0.5 else rng.integers(-3, 4, size=size).astype(float)
    if rng.random() < 0.4:
        arc[rng.random(size) < rng.uniform(0, 0.6)] = -np.inf
    return arc


def some_arcs(rng: np.random.Generator, n: int) -> Arcs:
    return [(int(h), int(m)) for h, m in rng.integers((0, 1), (n + 1, n + 1), size=(rng.integers(4), 2)) if h != m]


def best_by_enumeration(arc: NDArray[np.float64], projective: bool, root: str, require: Arcs, forbid: Arcs) -> float:
    trees = np.array(all_trees(len(arc) - 1, projective=projective, root=root))
    for h, m in require:
        trees = trees[trees[:, m] == h]
    for h, m in forbid:
        trees = trees[trees[:, m] != h]
    values = arc[trees[:, 1:], np.arange(1, len(arc))].sum(axis=1)
    return float(values.max(initial=-np.inf))


def check_tree(parse: tw.decode.Parse, arc: NDArray[np.float64], projective: bool, root: str) -> None:
    """The result is a tree that obeys the constraints, and its value is its score."""
    heads = parse.heads
    assert heads.dtype == np.int32
    assert tw.trees.is_tree(heads, root=root)
    assert not projective or tw.trees.is_projective(heads)
    assert parse.score == pytest.approx(arc[heads[1:], np.arange(1, len(arc))].sum(), rel=1e-12)
    assert parse.certified
    assert parse.gap <= 1e-14 * len(arc) * parse.spread  # rounding only
    assert parse.score <= parse.bound == pytest.approx(parse.score, rel=1e-9)


@pytest.mark.parametrize("constrained", [False, True], ids=["free", "constrained"])
@pytest.mark.parametrize("projective", [False, True], ids=["any", "projective"])
@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("n", range(1, 6))
def test_best_of_all_trees(n: int, root: str, projective: bool, constrained: bool) -> None:
    rng = np.random.default_rng([n, root == "single", projective, constrained])
    found_none = 0
    for _ in range(CASES):
        arc = some_scores(rng, n)
        require, forbid = (some_arcs(rng, n), some_arcs(rng, n)) if constrained else ([], [])
        best = best_by_enumeration(arc, projective, root, require, forbid)
        for scores in (arc, tw.decode.Parts.from_arrays(arc)):
            if best == -np.inf:
                found_none += 1
                with pytest.raises(InfeasibleError):
                    tw.decode.tree(scores, projective=projective, root=root, require=require, forbid=forbid)
                continue
            parse = tw.decode.tree(scores, projective=projective, root=root, require=require, forbid=forbid)
            check_tree(parse, arc, projective, root)
            assert parse.score == pytest.approx(best, abs=1e-9)
            assert all(parse.heads[m] == h for h, m in require)
            assert all(parse.heads[m] != h for h, m in forbid)
    assert 0 < found_none < 2 * CASES


@pytest.mark.parametrize("n", [6, 15, 35])
def test_as_networkx(n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(5):
        arc = rng.normal(size=(n + 1, n + 1))
        graph = nx.DiGraph()
        graph.add_weighted_edges_from((h, m, arc[h, m]) for h in range(n + 1) for m in range(1, n + 1) if h != m)
        best = nx.maximum_spanning_arborescence(graph, preserve_attrs=False)
        value = sum(weight for _, _, weight in best.edges.data("weight"))
        assert tw.decode.tree(arc, root="multi").score == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("n", [7, 10])
def test_as_the_flow_program(n: int, root: str) -> None:
    rng = np.random.default_rng(n)
    feasible = 0
    for _ in range(3):
        arc = rng.normal(size=(n + 1, n + 1))
        arc[0] += rng.normal() * 3  # arcs from the root are better than others, or worse
        arc[rng.random(arc.shape) < 0.3] = -np.inf
        best = best_tree_value(arc, root=root)
        if best == -np.inf:
            with pytest.raises(InfeasibleError):
                tw.decode.tree(arc, root=root)
            continue
        feasible += 1
        assert tw.decode.tree(arc, root=root).score == pytest.approx(best, abs=1e-7)
    assert feasible >= 3


@pytest.mark.parametrize("n", [9, 40, 90])
def test_one_root_is_the_best_of_all_roots(n: int) -> None:
    rng = np.random.default_rng(n)
    for wish in (-3, 0, 3):
        arc = rng.normal(size=(n + 1, n + 1))
        arc[0] += wish
        for projective in (False, True) if n < 60 else (False,):
            values = [
                tw.decode.tree(
                    arc, projective=projective, root="multi", forbid=[(0, m) for m in range(1, n + 1) if m != child]
                ).score
                for child in range(1, n + 1)
            ]
            parse = tw.decode.tree(arc, projective=projective)
            check_tree(parse, arc, projective, "single")
            assert parse.score == pytest.approx(max(values), rel=1e-12)


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("n", range(1, 6))
def test_reduced_costs_bound_every_tree(n: int, root: str) -> None:
    rng = np.random.default_rng([n, root == "single"])
    trees = np.array(all_trees(n, root=root))
    feasible = 0
    for _ in range(CASES):
        arc = some_scores(rng, n)
        values = arc[trees[:, 1:], np.arange(1, n + 1)].sum(axis=1)
        if values.max() == -np.inf:
            with pytest.raises(InfeasibleError):
                tw.decode.reduced_costs(arc, root=root)
            continue
        feasible += 1
        costs = tw.decode.reduced_costs(arc, root=root)
        assert (costs >= 0).all()
        best = tw.decode.tree(arc, root=root)
        assert np.abs(costs[best.heads[1:], np.arange(1, n + 1)]).max() < 1e-9
        for m in range(1, n + 1):
            for h in set(range(n + 1)) - {m}:
                with_arc = values[trees[:, m] == h].max(initial=-np.inf)
                assert with_arc <= best.score - costs[h, m] + 1e-9
    assert feasible >= 127


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e9, 1e299])
def test_scores_of_any_size(scale: float) -> None:
    rng = np.random.default_rng(3)
    arc = rng.normal(size=(13, 13))
    for projective in (False, True):
        plain, scaled = (tw.decode.tree(scores, projective=projective) for scores in (arc, arc * scale))
        assert plain.heads.tolist() == scaled.heads.tolist()
        assert scaled.score == pytest.approx(plain.score * scale, rel=1e-9)


def test_a_thousand_words() -> None:
    rng = np.random.default_rng(0)
    arc = rng.normal(size=(1001, 1001))
    arc[:, 1:] += np.where(np.arange(1001)[:, None] == np.arange(1000), 5.0, 0.0)  # a chain, as deep as can be
    for root in ROOTS:
        check_tree(tw.decode.tree(arc, root=root), arc, False, root)
    check_tree(tw.decode.tree(arc, projective=True), arc, True, "single")


def test_cycles_inside_cycles() -> None:
    """Each word prefers the next lower one, the lowest the highest: contraction upon contraction."""
    n = 200
    arc = np.full((n + 1, n + 1), -np.inf)
    for m in range(2, n + 1):
        arc[m - 1, m] = arc[m, m - 1] = m
    arc[0, n] = 0
    parse = tw.decode.tree(arc)
    assert parse.heads.tolist() == [-1, *range(2, n + 1), 0]
    assert parse.score == sum(range(2, n + 1))


seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 25)
roots = st.sampled_from(ROOTS)


def scores_of(seed: int, n: int) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(size=(n + 1, n + 1))


@given(seeds, sizes, roots, st.booleans())
def test_a_constant_for_a_word_moves_the_score_and_keeps_the_tree(
    seed: int, n: int, root: str, projective: bool
) -> None:
    arc = scores_of(seed, n)
    m = 1 + seed % n
    more = arc.copy()
    more[:, m] += 2.5
    plain, moved = (tw.decode.tree(scores, projective=projective, root=root) for scores in (arc, more))
    assert moved.heads.tolist() == plain.heads.tolist()
    assert moved.score == pytest.approx(plain.score + 2.5)


@given(seeds, sizes)
def test_a_mirrored_sentence_has_the_mirrored_projective_tree(seed: int, n: int) -> None:
    arc = scores_of(seed, n)
    mirror = np.array([0, *range(n, 0, -1)])
    plain = tw.decode.tree(arc, projective=True).heads
    mirrored = tw.decode.tree(arc[np.ix_(mirror, mirror)], projective=True).heads
    assert [int(mirror[mirrored[mirror[m]]]) for m in range(1, n + 1)] == plain[1:].tolist()


@given(seeds, sizes, roots)
def test_renaming_the_words_renames_the_tree(seed: int, n: int, root: str) -> None:
    arc = scores_of(seed, n)
    names = np.array([0, *(1 + np.random.default_rng(seed).permutation(n))])
    plain = tw.decode.tree(arc, root=root).heads
    renamed = tw.decode.tree(arc[np.ix_(names, names)], root=root).heads
    assert [int(names[h]) for h in renamed[1:]] == [int(plain[names[m]]) for m in range(1, n + 1)]


@given(seeds, sizes)
def test_each_restriction_costs(seed: int, n: int) -> None:
    arc = scores_of(seed, n)
    free = tw.decode.tree(arc, root="multi").score
    assert tw.decode.tree(arc).score <= free + 1e-9
    assert tw.decode.tree(arc, root="multi", projective=True).score <= free + 1e-9
    assert (
        tw.decode.tree(arc, projective=True).score
        <= min(tw.decode.tree(arc).score, tw.decode.tree(arc, root="multi", projective=True).score) + 1e-9
    )


@given(seeds, st.integers(2, 25), roots, st.booleans())
def test_forbidding_an_arc_of_the_best_tree_never_gains(seed: int, n: int, root: str, projective: bool) -> None:
    arc = scores_of(seed, n)
    best = tw.decode.tree(arc, projective=projective, root=root)
    m = 1 + seed % n
    without = tw.decode.tree(arc, projective=projective, root=root, forbid=[(int(best.heads[m]), m)])
    assert without.heads[m] != best.heads[m]
    assert without.score <= best.score


@given(seeds, sizes, roots, st.booleans())
def test_requiring_the_best_tree_gives_it_back(seed: int, n: int, root: str, projective: bool) -> None:
    arc = scores_of(seed, n)
    best = tw.decode.tree(arc, projective=projective, root=root)
    some = [(int(best.heads[m]), m) for m in range(1, n + 1) if (seed >> m) % 2]
    again = tw.decode.tree(arc, projective=projective, root=root, require=some)
    assert again.heads.tolist() == best.heads.tolist()


@settings(max_examples=30)
@given(seeds, st.integers(2, 25), st.booleans())
def test_a_required_partial_tree_of_any_shape_is_kept(seed: int, n: int, projective: bool) -> None:
    """The arcs of one random tree, some of them: always feasible, always kept."""
    tree = tw.decode.tree(scores_of(seed + 1, n), projective=projective).heads
    require = [(int(tree[m]), m) for m in range(1, n + 1) if (seed >> m) % 3 == 0]
    found = tw.decode.tree(scores_of(seed, n), projective=projective, require=require).heads
    assert all(found[m] == h for h, m in require)


def test_plain_arrays_give_the_bits_of_the_general_path() -> None:
    rng = np.random.default_rng(5)
    for n in (1, 2, 5, 22, 23, 24, 40):  # both sides of the size above which the lock is released
        arc = rng.normal(size=(n + 1, n + 1))
        for projective in (False, True):
            for root in ("single", "multi"):
                plain = tw.decode.tree(arc, projective=projective, root=root)
                general = tw.decode.tree(arc, projective=projective, root=root, require=[], forbid=[])
                assert plain.heads.tolist() == general.heads.tolist()
                assert plain.heads.dtype == np.int32
                assert plain.heads.flags.writeable
                assert (plain.score, plain.bound, plain.method) == (general.score, general.bound, general.method)
                assert plain.certificate == "exact"
                assert dataclasses.replace(plain, method="copy").score == plain.score


def test_arrays_of_another_layout_are_read_by_their_meaning() -> None:
    arc = np.random.default_rng(6).normal(size=(5, 5))
    expected = tw.decode.tree(arc).heads.tolist()
    unaligned = np.frombuffer(b"\0" + arc.tobytes(), np.uint8)[1:].view(np.float64).reshape(5, 5)
    swapped = arc.astype(arc.dtype.newbyteorder())
    for other in (np.asfortranarray(arc), unaligned, swapped, arc.astype(np.longdouble), arc.tolist()):
        assert tw.decode.tree(other).heads.tolist() == expected
    assert tw.decode.tree(arc.astype(np.float32)).heads.tolist() == expected
    masked: Any = np.ma.masked_array(arc, mask=arc > 1)
    with pytest.raises(InputError, match=r"^arc is a masked array"):
        tw.decode.tree(masked)
    with pytest.raises(InputError, match=r"^batch\[1\]: arc is a masked array"):
        tw.decode.trees([arc, masked])
