"""The best tree and graph together: against all pairs of small ones, and against an integer program."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.graphs import all_graphs, graph_value
from oracles.trees import all_trees
from scipy.optimize import Bounds, LinearConstraint, milp

import treewright as tw
from treewright.errors import InfeasibleError, InputError


def best_pair(arc: NDArray[np.float64], edge: NDArray[np.float64], root: str) -> float:
    """Over all trees and all acyclic graphs that contain them."""
    n = len(arc) - 1
    found = []
    for heads in all_trees(n, root=root):
        tree = {(int(heads[m]), m) for m in range(1, n + 1)}
        value = sum(arc[h, m] for h, m in tree)
        found += [value + graph_value(n, arcs, edge) for arcs in all_graphs(n, root=root) if tree <= set(arcs)]
    return float(max(found))


@pytest.mark.parametrize("root", ["single", "multi"])
def test_value_and_bound_enclose_the_best_of_all_pairs(root: str) -> None:
    certified = 0
    for seed in range(12):
        n = 1 + seed % 3
        generator = np.random.default_rng(seed)
        arc, edge = generator.normal(size=(n + 1, n + 1)), generator.normal(0, 1, size=(n + 1, n + 1))
        found = tw.decode.tree_and_graph(arc, edge, root=root)
        best = best_pair(arc, edge, root)
        assert found.score <= best + 1e-9 <= found.bound + 2e-9
        assert {(int(found.tree[m]), m) for m in range(1, n + 1)} <= set(map(tuple, found.arcs.tolist()))
        if found.certified:
            certified += 1
            assert found.score == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert certified >= 10


def integer_program(arc: NDArray[np.float64], edge: NDArray[np.float64]) -> float:
    """Variables: arcs of the tree, arcs of the graph, and an order of the words that graph arcs follow."""
    n = len(arc) - 1
    pairs = [(h, m) for m in range(1, n + 1) for h in range(n + 1) if h != m]
    a, size = len(pairs), 2 * len(pairs) + n
    rows, low, high = [], [], []

    def add(entries: dict[int, float], least: float, most: float) -> None:
        row = np.zeros(size)
        for column, value in entries.items():
            row[column] = value
        rows.append(row)
        low.append(least)
        high.append(most)

    for i, (h, m) in enumerate(pairs):
        add({i: 1, a + i: -1}, -np.inf, 0)
        if h:
            add({2 * a + m - 1: 1, 2 * a + h - 1: -1, a + i: -n}, 1 - n, np.inf)
    for m in range(1, n + 1):
        add({i: 1 for i, pair in enumerate(pairs) if pair[1] == m}, 1, 1)
    add({a + i: 1 for i, pair in enumerate(pairs) if pair[0] == 0}, 1, 1)
    cost = -np.array([*(arc[pair] for pair in pairs), *(edge[pair] for pair in pairs), *[0.0] * n])
    bounds = Bounds(np.zeros(size), np.array([1.0] * 2 * a + [n - 1.0] * n))
    kinds = np.array([1] * 2 * a + [0] * n)
    solved = milp(cost, constraints=LinearConstraint(np.array(rows), low, high), bounds=bounds, integrality=kinds)
    return -float(solved.fun)


@pytest.mark.parametrize("seed", range(4))
def test_value_and_bound_enclose_that_of_the_integer_program(seed: int) -> None:
    generator = np.random.default_rng(seed)
    arc, edge = generator.normal(0, 2, size=(7, 7)), generator.normal(-0.7, 1, size=(7, 7))
    found = tw.decode.tree_and_graph(arc, edge)
    best = integer_program(arc, edge)
    assert found.score <= best + 1e-6 <= found.bound + 2e-6
    if found.certified:
        assert found.score == pytest.approx(best, abs=1e-6)


def test_siblings_score_the_tree_alone() -> None:
    generator = np.random.default_rng(1)
    arc, sib = generator.normal(size=(5, 5)), generator.normal(size=(5, 5, 5))
    found = tw.decode.tree_and_graph(arc, np.full((5, 5), -1e3), sib=sib, projective=True)
    assert found.certified
    assert found.tree.tolist() == tw.decode.tree(arc, sib=sib, projective=True).heads.tolist()
    assert len(found.arcs) == 4


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InputError, match="edge has 3 nodes, but arc has 4"):
        tw.decode.tree_and_graph(np.zeros((4, 4)), np.zeros((3, 3)))
    with pytest.raises(InfeasibleError, match="no graph contains a tree"):
        tw.decode.tree_and_graph(np.array([[0, 1, -np.inf], [0, 0, -np.inf], [0, 1, 0]]), np.zeros((3, 3)))
