"""Tag sequences over given scores: the best one, and the probability of each tag."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._core import tag_sums
from treewright._core import viterbi as _viterbi
from treewright.calls import explained
from treewright.errors import InfeasibleError

Scores = NDArray[np.float64]


class TagSequence(NamedTuple):
    """A tag for each position, and the score of the sequence."""

    tags: NDArray[np.int32]
    value: float


@explained
def viterbi(scores: ArrayLike, trigram: ArrayLike, adjust: ArrayLike | None = None) -> TagSequence:
    """The best tag sequence, exactly.

    scores[i, c] scores tag c at position i, trigram[a, b, c] tag c after a and b; in the first two axes of
    `trigram`, the number after the last tag stands for "before the sentence". `adjust`, of the shape of scores, is
    added to them, for example the multipliers of a Lagrangian relaxation. -inf forbids.

    >>> trigram = np.zeros((3, 3, 2))
    >>> trigram[:, 0, 0] = -1  # tag 0 after tag 0 costs 1
    >>> tags, value = viterbi([[1, 0], [0.5, 0], [1, 0]], trigram)
    >>> tags.tolist(), float(value)
    ([0, 1, 0], 2.0)
    """
    checked = _checked(scores, trigram, adjust)
    tags, value = _viterbi(*checked)
    if value == -np.inf:
        raise InfeasibleError("every tag sequence is forbidden by -inf in scores, trigram or adjust")
    return TagSequence(tags, value)


@explained
def marginals(scores: ArrayLike, trigram: ArrayLike, adjust: ArrayLike | None = None) -> tuple[Scores, float]:
    """The probability of each tag at each position, and the log partition; the arguments are those of `viterbi`.

    >>> p, log_partition = marginals([[0, 0]], np.zeros((3, 3, 2)))
    >>> p.tolist(), round(float(np.exp(log_partition)), 6)
    ([[0.5, 0.5]], 2.0)
    """
    checked = _checked(scores, trigram, adjust)
    probabilities, total = tag_sums(*checked)
    if total == -np.inf:
        raise InfeasibleError("every tag sequence is forbidden by -inf in scores, trigram or adjust")
    return probabilities, total


def _checked(scores: ArrayLike, trigram: ArrayLike, adjust: ArrayLike | None) -> tuple[Scores, Scores, Scores | None]:
    table = checked_scores("scores", scores, 2)
    tags = table.shape[1]
    if tags == 0:
        raise ValueError(
            f"scores has shape {table.shape}; expected a row for each position and at least one column, a tag each"
        )
    triples = checked_scores("trigram", trigram, 3)
    if triples.shape != (tags + 1, tags + 1, tags):
        raise ValueError(
            f"trigram has shape {triples.shape}; expected {(tags + 1, tags + 1, tags)}: the last index of "
            "the first two axes stands for positions before the sentence"
        )
    return table, triples, None if adjust is None else checked_adjustment(adjust, table.shape)


def checked_adjustment(adjust: ArrayLike, shape: tuple[int, ...]) -> Scores:
    """Adjustments of the given shape, without NaN and +inf."""
    array = checked_scores("adjust", adjust, 2)
    if array.shape != shape:
        raise ValueError(f"adjust has shape {array.shape}; expected {shape}: a row a word, a column a tag")
    return array


def checked_scores(name: str, values: ArrayLike, axes: int) -> Scores:
    """Scores without NaN and +inf."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != axes:
        raise ValueError(f"{name} has {array.ndim} axes; expected {axes}")
    bad = np.isnan(array) | (array == np.inf)
    if bad.any():
        place = tuple(int(index) for index in np.argwhere(bad)[0])
        raise ValueError(f"{name}{list(place)} is {array[place]}; write -inf to forbid a tag")
    return array
