"""Word vectors by factorisation of the association of words and their neighbours (Levy, Goldberg & Dagan 2015).

The matrix has the positive pointwise mutual information of each pair of units within a window,

    max(0, log  n(w, c) N / (n(w) n(c)^a))        with n(c)^a scaled to sum to N,

and its truncated singular value decomposition U S V' gives the vectors U S^p.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import svds

from treewright.errors import InputError
from treewright.words.units import Units

WINDOW = 5
SMOOTHING = 0.75
POWER = 0.5


def factorised(units: Units, size: int, seed: int) -> NDArray[np.float32]:
    """A vector for each unit."""
    if size >= len(units.names):
        raise InputError(f"vectors of {size} numbers are too long for {len(units.names)} different words; give fewer")
    matrix = association(units.neighbours(WINDOW))
    start = np.random.default_rng(seed).standard_normal(len(units.names))
    left, values, _ = svds(matrix, k=size, v0=start, solver="arpack")
    left, values = left[:, ::-1], values[::-1]
    largest = np.abs(left).argmax(axis=0)
    signs = np.where(left[largest, np.arange(size)] < 0, -1.0, 1.0)
    return np.asarray(left * signs * np.maximum(values, 0) ** POWER, dtype=np.float32)


def association(counts: sparse.csr_matrix) -> sparse.csr_matrix:
    """The positive pointwise mutual information of counts of pairs."""
    total = counts.sum()
    rows = np.asarray(counts.sum(axis=1)).ravel()
    smoothed = rows**SMOOTHING
    smoothed *= total / max(smoothed.sum(), 1e-300)
    pairs = counts.tocoo()
    values = np.log(pairs.data * total / (rows[pairs.row] * smoothed[pairs.col]))
    kept = values > 0
    found = sparse.coo_matrix((values[kept], (pairs.row[kept], pairs.col[kept])), shape=counts.shape)
    return found.tocsr()
