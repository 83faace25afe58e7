"""Whether drawn trees have the frequencies of their probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chisquare


def counts_of(drawn: NDArray[np.int32], trees: Sequence[tuple[int, ...]]) -> NDArray[np.int64]:
    found, counts = np.unique(drawn, axis=0, return_counts=True)
    count_of = dict(zip(map(tuple, found.tolist()), counts.tolist(), strict=True))
    return np.array([count_of.get(tree, 0) for tree in trees])


def p_value(observed: NDArray[np.int64], expected: NDArray[np.float64]) -> float:
    """Of the chi-square test; trees that are expected less than five times are counted with the likeliest one."""
    cell = np.where(expected < 5, expected.argmax(), np.arange(len(expected)))
    sums = [np.bincount(cell, weights) for weights in (observed, expected)]
    used = sums[1] > 0
    return float(chisquare(sums[0][used], sums[1][used]).pvalue) if used.sum() > 1 else 1.0
