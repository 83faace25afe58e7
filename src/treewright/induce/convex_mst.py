"""Convex-MST (Grave & Elhadad 2015): discriminative clustering of arcs into trees, guided by rules.

    min over w and y in conv(trees)   1/2N |y - Xw|^2 + lambda/2 |w|^2 - mu v'y

X has a row of features for each arc of every sentence, v marks the arcs that follow a rule, N is the number of arcs.
For a given y the best w is a ridge regression, so that the objective is a convex quadratic in y. Frank-Wolfe moves y
towards the best trees for its gradient, with the exact step. The regression is linear in y, so that w moves
by the same step towards the regression on these trees, and an iteration needs one solve by conjugate gradients.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.checks import Checked, Count, NotNegative
from treewright.induce.rules import Rules
from treewright.induce.tagged import TaggedCorpus

Array = NDArray[np.float64]
MAX_CG_ITERATIONS = 500  # not tuned; a warning says when they do not suffice
MAX_DISTANCE = 10  # signed distances are clipped to this; not tuned
MAX_WEIGHT = 1e30  # of a feature: far above any use, and no sum overflows
MIN_GAP = 1e-12  # Frank-Wolfe ends at this duality gap; not tuned


@dataclass(frozen=True)
class ConvexMstOptions(Checked):
    """Options of the objective and its minimisation; chosen on the English development set."""

    ridge: NotNegative = 1e-3  # lambda, the weight of the penalty
    rule_weight: float = 0.1  # mu, the gain of an arc that follows a rule
    iterations: Count = 20  # of Frank-Wolfe
    tolerance: NotNegative = 1e-3  # of conjugate gradients: norm of the residual relative to the right side
    projective: bool = True


@dataclass(frozen=True)
class Cells:
    """The arcs of all sentences in one flat array: sentence i has an (n + 1) x (n + 1) matrix [h, m] at `offsets[i]`.

    `valid` is false for cells that are no arcs: those with modifier 0 and those with h = m.
    """

    nodes: NDArray[np.int32]  # of each sentence
    offsets: NDArray[np.int64]
    valid: NDArray[np.bool_]
    codes: NDArray[np.int64]  # feature codes [cell, template]; -1: no feature
    follows_rule: Array

    @property
    def size(self) -> int:
        return len(self.valid)

    def matrices(self, cells: Array) -> list[Array]:
        """Return the score matrix of each sentence."""
        return [
            cells[offset : offset + nodes * nodes].reshape(nodes, nodes)
            for offset, nodes in zip(self.offsets.tolist(), self.nodes.tolist(), strict=True)
        ]


# The tags that each template joins; every template is used alone and with the signed distance of the arc.
TEMPLATES = (
    ("head",),
    ("modifier",),
    ("head", "modifier"),
    ("head", "modifier", "before head"),
    ("head", "modifier", "after head"),
    ("head", "modifier", "before modifier"),
    ("head", "modifier", "after modifier"),
)


def cells_of(corpus: TaggedCorpus, rules: Rules) -> Cells:
    """Return the feature codes and rules of every arc."""
    matrix = rules.matrix(corpus.kinds)
    nodes = corpus.lengths + 1
    offsets = np.concatenate([[0], np.cumsum(nodes.astype(np.int64) ** 2)[:-1]])
    sentences = [sentence_cells(corpus.tags[span], len(corpus.kinds), matrix) for span in corpus.spans()]
    valid, codes, follows = (np.concatenate(column) for column in zip(*sentences, strict=True))
    return Cells(nodes, offsets, valid, codes, follows)


def sentence_cells(
    tags: NDArray[np.int32], kinds: int, rules: Array
) -> tuple[NDArray[np.bool_], NDArray[np.int64], Array]:
    """Return `valid`, `codes` and `follows_rule` of one sentence; `rules` is [head, modifier], the root last."""
    start, end, root = kinds, kinds + 1, kinds + 2
    n = len(tags)
    padded = np.concatenate([[start], tags, [end]])  # position 0 is START, n + 1 is END
    h, m = (index.ravel() for index in np.indices((n + 1, n + 1)))
    valid = (m != 0) & (h != m)
    rule_head, rule_modifier = np.where(h == 0, kinds, padded[h]), np.where(m == 0, 0, padded[m])
    follows = np.where(valid, rules[rule_head, rule_modifier], 0.0)
    columns = {
        "head": np.where(h == 0, root, padded[h]),
        "modifier": padded[m],
        "before head": padded[np.maximum(h - 1, 0)],
        "after head": padded[h + 1],
        "before modifier": padded[np.maximum(m - 1, 0)],
        "after modifier": padded[m + 1],
    }
    codes = feature_codes(columns, np.clip(h - m, -MAX_DISTANCE, MAX_DISTANCE), kinds + 3, h == 0)
    codes[~valid] = -1
    return valid, codes, follows


def feature_codes(
    columns: dict[str, NDArray[np.int64]], distance: NDArray[np.int64], base: int, is_root: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return two codes for each cell and template: of the template alone, and with the distance.

    Tags are digits in `base`; a template with fewer than three tags has the largest digit in the unused places. The
    root has no neighbours, so that templates with a neighbour of the head give no code (-1) for it.
    """
    unused = np.full_like(distance, base - 1)
    codes = np.empty((len(distance), 2 * len(TEMPLATES)), dtype=np.int64)
    for t, template in enumerate(TEMPLATES):
        head, modifier = (columns[name] if name in template else unused for name in ("head", "modifier"))
        neighbour = columns[template[2]] if len(template) == 3 else unused
        alone = (((t * base + head) * base + modifier) * base + neighbour) * (2 * MAX_DISTANCE + 2)
        codes[:, 2 * t], codes[:, 2 * t + 1] = alone, alone + distance + MAX_DISTANCE + 1
        if template[-1] in {"before head", "after head"}:
            codes[is_root, 2 * t : 2 * t + 2] = -1
    return codes


@dataclass(frozen=True)
class ArcModel:
    """Weights of feature codes: `codes` sorted, `weights` beside them."""

    codes: NDArray[np.int64]
    weights: Array

    def check_weights(self) -> None:
        """Refuse arrays that are not one finite weight for each of the sorted codes."""
        if self.codes.dtype != np.int64 or self.weights.dtype != np.float64:
            raise ValueError("codes must be int64 and weights float64")
        if self.codes.ndim != 1 or self.codes.shape != self.weights.shape or len(self.codes) == 0:
            raise ValueError("codes and weights must have one entry a feature")
        if (np.diff(self.codes) <= 0).any():
            raise ValueError("codes must be sorted, each once")
        if not (np.abs(self.weights) <= MAX_WEIGHT).all():
            raise ValueError("weights must be finite numbers")

    def scores(self, cells: Cells) -> Array:
        """Return Xw for every cell; unknown features have weight 0, cells that are no arcs have score -inf."""
        index = np.minimum(np.searchsorted(self.codes, cells.codes), len(self.codes) - 1)
        known = self.codes[index] == cells.codes
        scores: Array = np.where(known, self.weights[index], 0.0).sum(axis=1)
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
        """Solve by conjugate gradients from `start`; the residual is at most `tolerance` times the right side.

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
    """Return the best tree of each sentence with one root child, as flat CoNLL heads."""
    return np.concatenate([_core.best_tree(scores, projective, True)[0][1:] for scores in cells.matrices(scores)])


def indicator(cells: Cells, heads: NDArray[np.int32]) -> Array:
    """Return 1 for the arcs of flat CoNLL heads, 0 for the other cells."""
    y = np.zeros(cells.size)
    begin = 0
    for offset, nodes in zip(cells.offsets.tolist(), cells.nodes.tolist(), strict=True):
        tree = heads[begin : begin + nodes - 1]
        y[offset + tree.astype(np.int64) * nodes + np.arange(1, nodes)] = 1.0
        begin += nodes - 1
    return y


Report = Callable[[int, float, float], None]


def equal_shares(cells: Cells) -> Array:
    """Return the point at which all heads of a word have the same share."""
    return np.where(cells.valid, np.repeat(1.0 / (cells.nodes - 1), cells.nodes.astype(np.int64) ** 2), 0.0)


def frank_wolfe(
    cells: Cells,
    regression: Regression,
    options: ConvexMstOptions,
    *,
    start: Array | None = None,
    report: Report = lambda iteration, objective, gap: None,
) -> tuple[Array, Array]:
    """Minimise by Frank-Wolfe with exact steps from `start`; return y and its regression weights w.

    Without a start, the candidate heads of a word have equal shares. `report(iteration, objective, gap)` is called in
    every iteration.
    """
    y = equal_shares(cells) if start is None else start
    w = regression.fit(y, np.zeros(len(regression.codes)), options.tolerance)
    pull = options.rule_weight * cells.follows_rule
    for iteration in range(1, options.iterations + 1):
        residual = y - regression.matrix @ w
        gradient = (residual - pull) / regression.arcs
        scores = np.where(cells.valid, -gradient, -np.inf)
        trees = indicator(cells, best_trees(cells, scores, options.projective))
        move = trees - y
        gap = float(-(gradient @ move))
        objective = float((0.5 * (y @ residual) - pull @ y) / regression.arcs)
        report(iteration, objective, gap)
        if gap <= MIN_GAP:
            break
        w_trees = regression.fit(trees, w, options.tolerance)
        curvature = float(move @ (move - regression.matrix @ (w_trees - w))) / regression.arcs
        step = min(1.0, gap / curvature) if curvature > 0 else 1.0
        y = y + step * move
        w = w + step * (w_trees - w)
    return y, w
