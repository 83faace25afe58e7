"""A small exact oracle: structures listed one by one.

Added to other oracles it is a constraint on the shared variables. Any oracle over a small set of structures can be
tested against the `Table` of these structures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treewright.relax.oracle import Answer, Keys, Vector


class Table:
    """An oracle over listed structures: rows[i] is the assignment of the i-th, scores[i] its score.

    >>> exactly_one = Table([4, 7], [[0, 1], [1, 0]])
    >>> exactly_one.solve(np.array([0.5, 0.2])).assignment.tolist()
    [1.0, 0.0]
    """

    def __init__(
        self,
        keys: ArrayLike,
        rows: ArrayLike,
        scores: ArrayLike | None = None,
        structures: Sequence[Any] | None = None,
    ) -> None:
        self.keys: Keys = np.asarray(keys, dtype=np.intp)
        self.rows: Vector = np.asarray(rows, dtype=np.float64)
        if self.rows.ndim != 2 or self.rows.shape[1:] != self.keys.shape:
            raise ValueError(
                f"rows has shape {self.rows.shape}; expected a column for each of the {len(self.keys)} keys"
            )
        if not np.isin(self.rows, (0, 1)).all():
            raise ValueError("rows has another number than 0 for off and 1 for on")
        self.scores: Vector = np.zeros(len(self.rows)) if scores is None else np.asarray(scores, dtype=np.float64)
        self.structures = list(range(len(self.rows))) if structures is None else list(structures)
        if not len(self.rows) == len(self.scores) == len(self.structures):
            counts = f"{len(self.rows)} rows, {len(self.scores)} scores, {len(self.structures)} structures"
            raise ValueError(f"rows, scores and structures of a Table have one entry each; there are {counts}")

    def solve(self, multipliers: Vector) -> Answer:
        """Return the best structure with multipliers added to its variables."""
        if not len(self.rows):
            return Answer(-math.inf, np.zeros(len(self.keys)))
        values = self.scores + self.rows @ multipliers
        best = int(values.argmax())
        return Answer(float(values[best]), self.rows[best], self.structures[best])

    def score(self, assignment: Vector) -> float:
        """Return the score of an assignment; -inf if no structure has it."""
        same = (self.rows == assignment).all(axis=1)
        return float(self.scores[same].max()) if same.any() else -math.inf

    def restrict(self, fixed: Mapping[int, bool]) -> Table:
        """Keep the structures whose variables have the values in fixed."""
        required = np.array([float(fixed.get(int(key), -1)) for key in self.keys])  # -1: free
        keep = np.flatnonzero(((self.rows == required) | (required < 0)).all(axis=1))
        return Table(self.keys, self.rows[keep], self.scores[keep], [self.structures[i] for i in keep])
