"""Convex-MST (Grave & Elhadad 2015): discriminative clustering of arcs into trees, guided by rules.

    min over w and y in conv(trees)   1/2N |y - Xw|^2 + lambda/2 |w|^2 - mu v'y

X holds one row of features an arc of every sentence, v says which arcs follow a rule, N counts the arcs. For a given
y the best w is a ridge regression, so what is left is a convex quadratic in y: Frank-Wolfe moves y towards the best
trees for its gradient, with the exact step. A direction's share of w is itself a ridge solution, so w follows y by the
same step and one conjugate-gradient solve an iteration suffices.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.induce.rules import Rules
from treewright.induce.tagged import TaggedCorpus

Array = NDArray[np.float64]
MAX_CG_ITERATIONS = 500  # by convention; a warning says when they do not suffice
DISTANCE = 10  # signed distances are clipped here
TEMPLATES = 7  # each alone, and with the distance
CONTEXT_OF_HEAD = (3, 4)  # templates that the root has not


@dataclass(frozen=True)
class ConvexMstOptions:
    """Options of the objective and its minimisation; chosen on the English development set (docs/induction.md)."""

    ridge: float = 1e-3  # lambda
    rule_weight: float = 0.1  # mu
    iterations: int = 20
    tolerance: float = 1e-3  # of the conjugate gradients
    projective: bool = True


@dataclass(frozen=True)
class Cells:
    """Every arc of every sentence: sentence i owns an (n + 1) x (n + 1) scores [h, m] from `offsets[i]` on.

    Cells that are no arcs (onto the root, onto oneself) are not in `valid`.
    """

    nodes: NDArray[np.int32]  # of each sentence
    offsets: NDArray[np.int64]
    valid: NDArray[np.bool_]
    codes: NDArray[np.int64]  # [cell, template]; -1: none
    follows_rule: Array

    @property
    def size(self) -> int:
        return len(self.valid)

    def matrices(self, cells: Array) -> list[Array]:
        """The score matrix of each sentence."""
        return [
            cells[offset : offset + nodes * nodes].reshape(nodes, nodes)
            for offset, nodes in zip(self.offsets.tolist(), self.nodes.tolist(), strict=True)
        ]


def cells_of(corpus: TaggedCorpus, rules: Rules) -> Cells:
    """Feature codes and rules of every arc."""
    kinds = len(corpus.kinds)
    start, end, root = kinds, kinds + 1, kinds + 2
    base = kinds + 3
    matrix = rules.matrix(corpus.kinds)
    nodes = corpus.lengths + 1
    offsets = np.concatenate([[0], np.cumsum(nodes.astype(np.int64) ** 2)[:-1]])
    codes, valid, follows = [], [], []
    for span in corpus.spans():
        padded = np.concatenate([[start], corpus.tags[span], [end]])  # position 0 is START, n + 1 is END
        n = len(padded) - 2
        h, m = (index.ravel() for index in np.indices((n + 1, n + 1)))
        head = np.where(h == 0, root, padded[h])
        modifier = padded[m]
        valid.append((m != 0) & (h != m))
        safe = np.where(modifier < kinds, modifier, 0)
        follows.append(np.where(valid[-1], matrix[np.where(h == 0, kinds, np.where(head < kinds, head, 0)), safe], 0.0))
        before_head, after_head = padded[np.maximum(h - 1, 0)], padded[np.minimum(h + 1, n + 1)]
        before, after = padded[np.maximum(m - 1, 0)], padded[np.minimum(m + 1, n + 1)]
        none = np.full_like(head, base - 1)
        columns = [
            (head, none, none),
            (none, modifier, none),
            (head, modifier, none),
            (head, modifier, before_head),
            (head, modifier, after_head),
            (head, modifier, before),
            (head, modifier, after),
        ]
        distance = np.clip(h - m, -DISTANCE, DISTANCE) + DISTANCE + 1
        rows = np.empty((len(h), 2 * TEMPLATES), dtype=np.int64)
        for t, (a, b, c) in enumerate(columns):
            code = ((t * base + a) * base + b) * base + c
            rows[:, 2 * t] = code * (2 * DISTANCE + 2)
            rows[:, 2 * t + 1] = code * (2 * DISTANCE + 2) + distance
            if t in CONTEXT_OF_HEAD:
                rows[h == 0, 2 * t : 2 * t + 2] = -1
        rows[~valid[-1]] = -1
        codes.append(rows)
    return Cells(nodes, offsets, np.concatenate(valid), np.concatenate(codes), np.concatenate(follows))


@dataclass(frozen=True)
class ArcModel:
    """Weights of feature codes: `codes` sorted, `weights` beside them."""

    codes: NDArray[np.int64]
    weights: Array

    def scores(self, cells: Cells) -> Array:
        """Xw, for every cell; features never seen weigh nothing, cells that are no arcs are -inf."""
        place = np.minimum(np.searchsorted(self.codes, cells.codes), len(self.codes) - 1)
        known = self.codes[place] == cells.codes
        scores: Array = np.where(known, self.weights[place], 0.0).sum(axis=1)
        scores[~cells.valid] = -np.inf
        return scores


class Regression:
    """Ridge regression of arcs on their features: w = argmin 1/2N |y - Xw|^2 + lambda/2 |w|^2."""

    def __init__(self, cells: Cells, ridge: float) -> None:
        from scipy.sparse import csr_array

        self.codes, places = np.unique(cells.codes, return_inverse=True)
        places = places.reshape(cells.codes.shape)
        if self.codes[0] == -1:
            self.codes, places = self.codes[1:], places - 1
        row_ends = np.concatenate([[0], np.cumsum((places >= 0).sum(axis=1))])
        columns = places[places >= 0].astype(np.int32)
        data = np.ones(len(columns), dtype=np.float64)
        self.matrix: Any = csr_array((data, columns, row_ends), shape=(cells.size, len(self.codes)))
        self.transposed: Any = self.matrix.T.tocsr()
        self.arcs = int(cells.valid.sum())
        self.penalty = self.arcs * ridge
        self.scale = 1.0 / np.sqrt(np.asarray(self.matrix.sum(axis=0)).ravel() + self.penalty)

    def fit(self, y: Array, start: Array, tolerance: float) -> Array:
        """The solution by conjugate gradients from `start`; the residual is at most `tolerance` times the right side.

        The normal equations are scaled to a unit diagonal, D^-1/2 (X'X + N lambda) D^-1/2 z = D^-1/2 X'y with
        w = D^-1/2 z, so that both norms are those of the diagonally preconditioned system.
        """
        from scipy.sparse.linalg import LinearOperator, cg

        def product(z: Array) -> Array:
            w = self.scale * z
            image: Array = self.scale * (self.transposed @ (self.matrix @ w) + self.penalty * w)
            return image

        size = len(self.codes)
        system = LinearOperator((size, size), matvec=product, dtype=np.float64)
        z, unfinished = cg(
            system, self.scale * (self.transposed @ y), start / self.scale, rtol=tolerance, maxiter=MAX_CG_ITERATIONS
        )
        if unfinished:
            message = f"conjugate gradients did not reach the tolerance {tolerance} in {unfinished} iterations"
            warnings.warn(message, stacklevel=2)
        w: Array = self.scale * z
        return w


def best_trees(cells: Cells, scores: Array, projective: bool) -> NDArray[np.int32]:
    """The best tree of each sentence with one root child, as flat CoNLL heads."""
    decode = _core.eisner if projective else _core.chu_liu_edmonds
    return np.concatenate([decode(scores, True)[0][1:] for scores in cells.matrices(scores)])


def indicator(cells: Cells, heads: NDArray[np.int32]) -> Array:
    """1 for the arcs of flat CoNLL heads, 0 for the other cells."""
    y = np.zeros(cells.size)
    begin = 0
    for offset, nodes in zip(cells.offsets.tolist(), cells.nodes.tolist(), strict=True):
        tree = heads[begin : begin + nodes - 1]
        y[offset + tree.astype(np.int64) * nodes + np.arange(1, nodes)] = 1.0
        begin += nodes - 1
    return y


Report = Callable[[int, float, float], None]


@dataclass(frozen=True)
class State:
    """A point of the relaxation and its regression weights."""

    y: Array
    w: Array


def start(cells: Cells, regression: Regression, options: ConvexMstOptions) -> State:
    """Every head equally likely."""
    y = np.where(cells.valid, np.repeat(1.0 / (cells.nodes - 1), cells.nodes.astype(np.int64) ** 2), 0.0)
    return State(y, regression.fit(y, np.zeros(len(regression.codes)), options.tolerance))


def frank_wolfe(
    cells: Cells,
    regression: Regression,
    state: State,
    options: ConvexMstOptions,
    *,
    iterations: int | None = None,
    report: Report = lambda iteration, objective, gap: None,
) -> State:
    """Move towards the best trees for the gradient, by the exact step; `report` hears iteration, objective and gap."""
    y, w = state.y, state.w
    pull = options.rule_weight * cells.follows_rule
    for iteration in range(1, (iterations if iterations is not None else options.iterations) + 1):
        residual = y - regression.matrix @ w
        gradient = (residual - pull) / regression.arcs
        scores = np.where(cells.valid, -gradient, -np.inf)
        trees = indicator(cells, best_trees(cells, scores, options.projective))
        move = trees - y
        gap = float(-(gradient @ move))
        objective = float((0.5 * (y @ residual) - pull @ y) / regression.arcs)
        report(iteration, objective, gap)
        if gap <= 1e-12:
            break
        w_trees = regression.fit(trees, w, options.tolerance)
        curvature = float(move @ (move - regression.matrix @ (w_trees - w))) / regression.arcs
        step = min(1.0, gap / curvature) if curvature > 0 else 1.0
        y = y + step * move
        w = w + step * (w_trees - w)
    return State(y, w)
