"""Convex-MST: the objective and its minimisation, decided by dense algebra on a small corpus."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.induction import CORPUS

from treewright.induce import convex_mst
from treewright.induce.convex_mst import ArcModel, ConvexMstOptions, Regression, cells_of
from treewright.induce.rules import load_rules

RULES = load_rules("ud")
CELLS = cells_of(CORPUS, RULES)
RIDGE = 1e-2


def dense(regression: Regression) -> np.ndarray:
    matrix: np.ndarray = regression.matrix.toarray()
    return matrix[CELLS.valid]


def objective(y: np.ndarray, regression: Regression, mu: float) -> float:
    """By the definition, the best w found by dense algebra."""
    x, valid = dense(regression), y[CELLS.valid]
    n = len(valid)
    w = np.linalg.solve(x.T @ x + n * RIDGE * np.eye(x.shape[1]), x.T @ valid)
    residual = valid - x @ w
    return float(residual @ residual / (2 * n) + RIDGE / 2 * w @ w - mu * (CELLS.follows_rule @ y) / n)


def test_every_arc_has_its_features() -> None:
    for nodes, offset in zip(CELLS.nodes.tolist(), CELLS.offsets.tolist(), strict=True):
        counts = (CELLS.codes[offset : offset + nodes * nodes] >= 0).sum(axis=1).reshape(nodes, nodes)
        for h in range(nodes):
            for m in range(nodes):
                assert counts[h, m] == (0 if m == 0 or m == h else 10 if h == 0 else 14)


def test_rules_mark_their_arcs() -> None:
    tags = CORPUS.tags[next(CORPUS.spans())]
    scores = CELLS.matrices(CELLS.follows_rule)[0]
    kinds = CORPUS.kinds
    for m, modifier in enumerate(tags, start=1):
        assert scores[0, m] == (kinds[modifier] in RULES.table["ROOT"])
        for h, head in enumerate(tags, start=1):
            if h != m:
                assert scores[h, m] == (kinds[modifier] in RULES.table.get(kinds[head], ()))


def test_conjugate_gradients_solve_the_ridge_regression() -> None:
    regression = Regression(CELLS, RIDGE)
    y = np.where(CELLS.valid, np.random.default_rng(1).random(CELLS.size), 0)
    w = regression.fit(y, np.zeros(len(regression.codes)), 1e-10)
    x = dense(regression)
    exact = np.linalg.solve(x.T @ x + len(x) * RIDGE * np.eye(x.shape[1]), x.T @ y[CELLS.valid])
    np.testing.assert_allclose(w, exact, rtol=1e-6, atol=1e-8)


def test_frank_wolfe_falls_to_the_optimum_with_a_valid_gap() -> None:
    options = ConvexMstOptions(ridge=RIDGE, iterations=400, tolerance=1e-10)
    regression = Regression(CELLS, RIDGE)
    reported: list[tuple[float, float]] = []
    y, _ = convex_mst.frank_wolfe(
        CELLS, regression, options, report=lambda i, value, gap: reported.append((value, gap))
    )
    values, gaps = (np.array(column) for column in zip(*reported, strict=True))
    assert (gaps >= -1e-12).all()
    assert (np.diff(values) <= 1e-12).all()
    assert values[0] == pytest.approx(
        objective(convex_mst.equal_shares(CELLS), regression, options.rule_weight), rel=1e-6
    )
    best = objective(y, regression, options.rule_weight)
    assert best == pytest.approx(values.min(), rel=1e-4)
    assert ((values - gaps) <= best + 1e-9).all(), "value minus gap bounds the optimum from below"
    assert gaps[-1] < gaps[0] / 20


def test_every_point_is_a_mixture_of_trees() -> None:
    options = ConvexMstOptions(iterations=10)
    regression = Regression(CELLS, options.ridge)
    y, _ = convex_mst.frank_wolfe(CELLS, regression, options)
    for scores in CELLS.matrices(y):
        np.testing.assert_allclose(scores[:, 1:].sum(axis=0), 1, rtol=1e-9)
        assert (scores >= -1e-12).all()


def test_features_never_seen_weigh_nothing() -> None:
    model = ArcModel(np.array([-5, 3], dtype=np.int64), np.ones(2))
    scores = model.scores(CELLS)
    assert (scores[CELLS.valid] == 0).all()
    assert (scores[~CELLS.valid] == -np.inf).all()
