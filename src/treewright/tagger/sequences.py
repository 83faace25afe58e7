"""The best tag sequence over given scores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._core import viterbi as _viterbi
from treewright.checks import check_forbidding
from treewright.errors import InfeasibleError

Scores = NDArray[np.float64]


class TagSequence(NamedTuple):
    """A tag for each position, and the score of the sequence."""

    tags: NDArray[np.int32]
    value: float


def viterbi(scores: ArrayLike, trigram: ArrayLike, adjust: ArrayLike | None = None) -> TagSequence:
    """Find the best tag sequence, exactly.

    scores[i, c] scores tag c at position i, trigram[a, b, c] tag c after a and b; in the first two axes of
    `trigram`, the number after the last tag stands for "before the sentence". `adjust`, of the shape of scores, is
    added to them, for example the multipliers of a Lagrangian relaxation. -inf forbids.

    >>> trigram = np.zeros((3, 3, 2))
    >>> trigram[:, 0, 0] = -1  # tag 0 after tag 0 costs 1
    >>> tags, value = viterbi([[1, 0], [0.5, 0], [1, 0]], trigram)
    >>> tags.tolist(), float(value)
    ([0, 1, 0], 2.0)
    """
    table = check_scores("scores", scores, 2)
    count = table.shape[1]
    if count == 0:
        raise ValueError(
            f"scores has shape {table.shape}; expected a row for each position and at least one column, a tag each"
        )
    triples = check_scores("trigram", trigram, 3)
    if triples.shape != (count + 1, count + 1, count):
        raise ValueError(
            f"trigram has shape {triples.shape}; expected {(count + 1, count + 1, count)}: the last index of "
            "the first two axes stands for positions before the sentence"
        )
    tags, value = _viterbi(table, triples, None if adjust is None else check_adjustment(adjust, table.shape))
    if value == -np.inf:
        raise InfeasibleError("every tag sequence is forbidden by -inf in scores, trigram or adjust")
    return TagSequence(tags, value)


def check_adjustment(adjust: ArrayLike, shape: tuple[int, ...]) -> Scores:
    """Return adjustments as an array; refuse another shape, NaN and +inf."""
    array = check_scores("adjust", adjust, 2)
    if array.shape != shape:
        raise ValueError(f"adjust has shape {array.shape}; expected {shape}: a row a word, a column a tag")
    return array


def check_scores(name: str, values: ArrayLike, axes: int) -> Scores:
    """Return scores as an array; refuse NaN and +inf."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != axes:
        raise ValueError(f"{name} has {array.ndim} axes; expected {axes}")
    return check_forbidding(name, array, "a tag")
