"""Graphs with several heads a word: against all acyclic graphs, against the integer program, change by change."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from oracles.graphs import Graph, all_graphs, graph_value, is_acyclic
from oracles.instances import Instance, random_instance

import treewright as tw
from treewright import _core
from treewright.errors import InfeasibleError, InputError

PARTS = ["", "sib", "sib stop", "grand", "sib stop grand"]


def decode(instance: Instance, **options: Any) -> Any:
    shape = {name: asked for name, asked in instance.shape.items() if name != "projective"}
    return tw.decode.graph(instance.arc, **instance.scores, **(shape | options))


def allowed(instance: Instance) -> list[Graph]:
    require, forbid = instance.shape.get("require", ()), instance.shape.get("forbid", ())
    return [
        arcs
        for arcs in all_graphs(len(instance.arc) - 1, root=instance.shape["root"])
        if set(require) <= set(arcs)
        and not set(forbid) & set(arcs)
        and all(instance.arc[h, m] > -np.inf for h, m in arcs)
    ]


def value_of(instance: Instance, arcs: Any) -> float:
    return graph_value(len(instance.arc) - 1, arcs, instance.arc, **instance.scores)


def test_counts_of_all_graphs() -> None:
    # Words without a head among words hang from 0, the others may: sum over acyclic digraphs of 2^(n - sources).
    assert [len(all_graphs(n, root="multi")) for n in (1, 2, 3)] == [1, 5, 79]
    assert [len(all_graphs(n)) for n in (1, 2, 3)] == [1, 2, 15]  # acyclic digraphs with one source


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("root", ["single", "multi"])
def test_integer_program_finds_the_best_of_all_graphs(parts: str, root: str) -> None:
    feasible = 0
    for seed in range(9):
        instance = random_instance(
            seed, 1 + seed % 3, parts=parts, root=root, constrained=seed >= 6, sparse=0.1 * (seed % 2), ties=seed == 5
        )
        best = max((value_of(instance, arcs) for arcs in allowed(instance)), default=-np.inf)
        if best == -np.inf:
            with pytest.raises(InfeasibleError):
                decode(instance, method="exact")
            continue
        feasible += 1
        found = decode(instance, method="exact")
        assert found.score == pytest.approx(best, rel=1e-6, abs=1e-6)
        assert found.certified
        assert tuple(map(tuple, found.arcs.tolist())) in {
            tuple(sorted(arcs, key=lambda arc: arc[::-1])) for arcs in allowed(instance)
        }
    assert feasible >= 8


def test_four_words() -> None:
    for seed in range(3):
        instance = random_instance(seed, 4, root=("single", "multi")[seed % 2])
        best = max(value_of(instance, arcs) for arcs in allowed(instance))
        assert decode(instance, method="exact").score == pytest.approx(best, rel=1e-6, abs=1e-6)
        assert decode(instance).score <= best + 1e-9


def test_the_gap_of_the_integer_program_includes_the_rounding_of_sums() -> None:
    """Scores that differ in their last digits: the best of all graphs by exact sums is within the gap and the bound."""
    random = np.random.default_rng(0)
    certified = 0
    for number in range(60):
        words, root = 1 + number % 3, ("single", "multi")[number % 2]
        noise = 10.0 ** random.integers(-16, -9) * random.normal(size=(words + 1, words + 1))
        arc = random.integers(-1, 2, noise.shape) + noise
        best = max(sum(Fraction(arc[h, m]) for h, m in arcs) for arcs in all_graphs(words, root=root))
        found = tw.decode.graph(arc, root=root, method="exact")
        value = sum(Fraction(arc[h, m]) for h, m in found.arcs.tolist())
        assert best - value <= Fraction(found.gap)
        assert best <= Fraction(found.bound)
        if found.certified:
            certified += 1
            assert best - value <= Fraction(1e-9 * found.spread)
    assert certified >= 45


def changes(instance: Instance, arcs: Graph) -> list[Graph]:
    """Every graph one change away: a head more, or another head."""
    words = len(instance.arc) - 1
    single, kept = instance.shape["root"] == "single", set(instance.shape.get("require", ()))
    pairs = [(h, m) for m in range(1, words + 1) for h in range(words + 1) if h != m and (h, m) not in arcs]
    fixed = kept | ({arc for arc in arcs if arc[0] == 0} if single else set())
    found = []
    for new in pairs:
        found.append((*arcs, new))
        found += [(*(arc for arc in arcs if arc != old), new) for old in arcs if old[1] == new[1] and old not in fixed]
    return [
        graph
        for graph in found
        if is_acyclic(words, graph)
        and len({m for _, m in graph}) == words
        and (not single or sum(h == 0 for h, _ in graph) == 1)
        and not set(graph) & set(instance.shape.get("forbid", ()))
        and all(instance.arc[h, m] > -np.inf for h, m in graph)
    ]


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("root", ["single", "multi"])
def test_each_change_is_the_best_single_one(parts: str, root: str) -> None:
    made = 0
    for seed in range(5):
        instance = random_instance(300 + seed, 2 + seed, parts=parts, root=root, constrained=seed == 4)
        parts_ = tw.decode.Parts.from_arrays(instance.arc, **instance.scores).core
        forbid = instance.shape.get("forbid", ())
        keep = np.array([arc not in forbid for arc in zip(parts_.head, parts_.modifier, strict=True)])
        parts_ = parts_.restricted(keep)
        pairs = list(zip(parts_.head.tolist(), parts_.modifier.tolist(), strict=True))
        tree = tw.decode.tree(instance.arc, **instance.shape).heads
        arcs: Graph = tuple((int(tree[m]), m) for m in range(1, len(tree)))
        fixed = np.array([pair in instance.shape.get("require", ()) for pair in pairs])
        for _ in range(100):
            on, moved = _core.graph_climb(
                parts_, np.array([pair in arcs for pair in pairs]), fixed, root == "single", 1, np.inf
            )
            options = changes(instance, arcs)
            best = max((value_of(instance, option) for option in options), default=-np.inf)
            now = value_of(instance, arcs)
            if not moved:
                assert best <= now + 1e-8
                break
            made += 1
            arcs = tuple(pair for pair, is_on in zip(pairs, on, strict=True) if is_on)
            assert value_of(instance, arcs) == pytest.approx(best, rel=1e-9)
            assert best > now
            assert set(arcs) in [set(option) for option in options]
            assert sum(_core.graph_scores(parts_, on)) == pytest.approx(best, rel=1e-9)
    assert made >= 4


@pytest.mark.parametrize("root", ["single", "multi"])
def test_graphs_obey_what_was_asked(root: str) -> None:
    several = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        instance = random_instance(seed, 6, parts="sib grand", root=root)
        require = [(0, 2)] if seed % 2 else [(3, 2), (5, 2), (4, 3)]
        forbid = [(1, 4), (int(random.integers(3, 7)), 1)]
        found = decode(instance, require=require, forbid=forbid)
        arcs = [tuple(arc) for arc in found.arcs.tolist()]
        assert set(require) <= set(arcs)
        assert not set(forbid) & set(arcs)
        assert is_acyclic(6, tuple(arcs))
        assert {m for _, m in arcs} == set(range(1, 7))
        assert root == "multi" or sum(h == 0 for h, _ in arcs) == 1
        assert found.score == pytest.approx(value_of(instance, arcs), rel=1e-9)
        assert found.heads[2] == sorted(h for h, m in arcs if m == 2)
        several += any(len(heads) > 1 for heads in found.heads)
    assert several > 30


def test_a_graph_is_worth_at_least_its_tree() -> None:
    for seed in range(30):
        instance = random_instance(seed, 9, root=("single", "multi")[seed % 2])
        tree = tw.decode.tree(instance.arc, **instance.arguments, method="rearrange")
        found = decode(instance)
        assert found.score >= tree.score - 1e-9
        assert (found.gap, found.certified) == (np.inf, False)
        one = decode(instance, max_moves=1)
        assert one.iterations <= 1
        assert tree.score - 1e-9 <= one.score <= found.score + 1e-9


def test_scores_that_dislike_second_heads_leave_the_tree() -> None:
    for seed in range(10):
        arc = random_instance(seed, 7, parts="").arc - 10
        graph = tw.decode.graph(arc, root="multi")
        tree = tw.decode.tree(arc, root="multi", method="rearrange")
        assert graph.score == pytest.approx(tree.score)
        assert [heads[0] for heads in graph.heads[1:]] == tree.heads[1:].tolist()


def test_required_arcs_that_cross_the_tree_still_give_a_graph() -> None:
    # Word 2 scores highest under head 1; the required heads of 1 and 2 score highest above both.
    arc = np.zeros((5, 5))
    arc[1, 3] = arc[2, 4] = 9.0
    graph = tw.decode.graph(arc, require=[(3, 1), (4, 2)], root="multi")
    assert {(3, 1), (4, 2)} <= {tuple(arc) for arc in graph.arcs.tolist()}
    graph = tw.decode.graph(arc, require=[(4, 1), (3, 1), (4, 3)])
    assert is_acyclic(4, tuple(map(tuple, graph.arcs.tolist())))


def test_programs_that_would_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="candidate arcs would have"):
        tw.decode.graph(np.zeros((251, 251)), sib=np.zeros((251, 251, 251)), method="exact")


def test_no_time_still_gives_a_graph() -> None:
    instance = random_instance(0, 10)
    found = decode(instance, method="exact", max_seconds=0.01)
    assert is_acyclic(10, tuple(map(tuple, found.arcs.tolist())))
    assert found.bound >= found.score


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "climb"}, "there is no method 'climb' for graphs"),
        ({"require": [(1, 2), (2, 1)]}, r"required arcs \[\(1, 2\), \(2, 1\)\] close a cycle"),
        ({"require": [(1, 2)], "forbid": [(1, 2)]}, r"the arc \(1, 2\) is required, but it is forbidden"),
        ({"require": [(1, 7)]}, r"require\[0\] is the arc \(1, 7\)"),
        ({"max_moves": 0}, "max_moves is 0"),
        ({"root": "none"}, "root is 'none'"),
        ({"require": [(0, 1), (0, 2)]}, "cannot hold together"),
        ({"require": [(2, 1), (0, 1)]}, r"with root='single' word 2 is below word 1"),
        ({"stop": np.full((4, 4, 2), -np.inf)}, "method='exact' decides"),
        ({"stop": np.full((4, 4, 2), -np.inf), "method": "exact"}, "only parts above -inf"),
        ({"forbid": [(0, 1), (0, 2), (0, 3)], "method": "exact"}, "there is no such tree"),
    ],
)
def test_errors_name_the_place_and_the_remedy(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tw.decode.graph(np.zeros((4, 4)), **options)


def cyclic_graphs(n: int, root: str) -> list[Graph]:
    """Every graph, cycles included, in which each word is reachable from 0."""
    pairs = [(h, m) for m in range(1, n + 1) for h in range(n + 1) if h != m]
    graphs = (
        tuple(arc for arc, on in zip(pairs, bits, strict=True) if on) for bits in product((0, 1), repeat=len(pairs))
    )
    return [arcs for arcs in graphs if reaches_all(n, arcs) and (root == "multi" or sum(not h for h, _ in arcs) == 1)]


def reaches_all(n: int, arcs: Graph) -> bool:
    reached = {0}
    for _ in range(n):
        reached |= {m for h, m in arcs if h in reached}
    return len(reached) == n + 1


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("acyclic", [True, False])
def test_branch_and_bound_finds_the_best_of_all_graphs(root: str, acyclic: bool) -> None:
    for seed in range(12):
        n = 1 + seed % 3
        arc = np.random.default_rng(seed).normal(0.3, 1.0, (n + 1, n + 1)).round(seed % 4)
        graphs = all_graphs(n, root=root) if acyclic else cyclic_graphs(n, root)
        graph = tw.decode.graph(arc, method="branch", root=root, acyclic=acyclic)
        assert graph.score == pytest.approx(max(graph_value(n, arcs, arc) for arcs in graphs), rel=1e-9)
        assert graph.certified
        assert tuple(map(tuple, graph.arcs.tolist())) in {tuple(sorted(arcs, key=lambda a: a[::-1])) for arcs in graphs}


@pytest.mark.parametrize("seed", range(4))
def test_branch_and_bound_over_a_tree_agrees_with_the_integer_program(seed: int) -> None:
    generator = np.random.default_rng(seed)
    arc = generator.normal(-0.5, 1.0, (9, 9))
    heads = tw.decode.tree(generator.normal(size=(9, 9))).heads
    tree = [(int(heads[m]), m) for m in range(1, 9)]
    graph = tw.decode.graph(arc, method="branch", require=tree)
    exact = tw.decode.graph(arc, method="exact", require=tree)
    assert set(tree) <= set(map(tuple, graph.arcs.tolist()))
    assert graph.score == pytest.approx(exact.score, rel=1e-6)
    assert graph.certified
    assert tw.decode.graph(arc, method="branch", require=tree, acyclic=False).score >= graph.score


def test_branch_and_bound_says_what_it_does_not_take() -> None:
    arc = np.zeros((3, 3))
    with pytest.raises(InputError, match="takes arc scores alone"):
        tw.decode.graph(arc, sib=np.zeros((3, 3, 3)), method="branch")
    with pytest.raises(InputError, match="acyclic=False is an option of method='branch'"):
        tw.decode.graph(arc, acyclic=False)
    with pytest.raises(InfeasibleError, match="a word has no head"):
        tw.decode.graph(np.array([[0, 1, -np.inf], [0, 0, -np.inf], [0, 0, 0]]), method="branch")
    with pytest.raises(InfeasibleError, match="reaches every word"):
        tw.decode.graph(np.ones((4, 4)), method="branch", forbid=[(0, 2), (0, 3), (1, 2), (1, 3)])


def masked_graphs() -> Iterator[Instance]:
    """Instances in which all arcs have a large constant, or many parts a mask."""
    for seed in range(60):
        random = np.random.default_rng(seed)
        parts, root = PARTS[seed % len(PARTS)], ("single", "multi")[seed // 5 % 2]
        instance = random_instance(seed, 2 + seed % 2, parts=parts, root=root)
        size = 10.0 ** random.integers(3, 17)
        arc = instance.arc - size * (seed % 3 == 0)
        arrays = {"arc": arc, **instance.scores}
        for name, scores in arrays.items():
            arrays[name] = np.where(random.random(scores.shape) < 0.3 * (seed % 3 > 0), -size, scores)
        yield Instance(arrays.pop("arc"), arrays, instance.shape)


def test_graphs_beside_masks_and_constants_are_right_and_certificates_cost_nothing() -> None:
    certified = 0
    for instance in masked_graphs():
        values = sorted(
            (sum(map(Fraction, parts_of_graph(instance, arcs))) for arcs in allowed(instance)), reverse=True
        )
        found = decode(instance, method="exact")
        value = sum(map(Fraction, parts_of_graph(instance, found.arcs)))
        assert Fraction(found.score) == pytest.approx(value, rel=1e-14)
        assert values[0] - value <= Fraction(found.gap)
        assert values[0] <= Fraction(found.bound)
        if found.certified:  # it loses next to nothing of what a typical graph loses
            certified += 1
            typical = values[0] - values[len(values) // 2]
            assert values[0] - value <= Fraction(1000 * found.tolerance) * typical
    assert certified > 20


def parts_of_graph(instance: Instance, arcs: Any) -> list[float]:
    """The scores of its parts; the parts of graph_value without their sum."""
    members = {(int(h), int(m)) for h, m in arcs}
    parts = tw.decode.Parts.from_arrays(instance.arc, **instance.scores).core
    on = np.array([pair in members for pair in zip(parts.head.tolist(), parts.modifier.tolist(), strict=True)])
    return _core.graph_scores(parts, on)
