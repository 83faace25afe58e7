"""Small exact oracles: structures listed one by one, and constraints on the number of variables that are on.

Added to other oracles they are constraints on the shared variables. Any oracle over a small set of structures can be
tested against the `Table` of these structures.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treewright.calls import explained_methods
from treewright.relax.oracle import Answer, Centred, Keys, Vector


@explained_methods
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
        self.keys: Keys = checked_keys(keys)
        self.rows: Vector = checked_rows(rows, len(self.keys))
        self.scores: Vector = np.zeros(len(self.rows)) if scores is None else np.asarray(scores, dtype=np.float64)
        self.structures = list(range(len(self.rows))) if structures is None else list(structures)
        if not len(self.rows) == len(self.scores) == len(self.structures):
            counts = f"{len(self.rows)} rows, {len(self.scores)} scores, {len(self.structures)} structures"
            raise ValueError(f"rows, scores and structures of a Table have one entry each; there are {counts}")

    def solve(self, multipliers: Vector) -> Answer:
        """The best structure with multipliers added to its variables."""
        if not len(self.rows):
            return Answer(-math.inf, np.zeros(len(self.keys)))
        values = self.scores + self.rows @ one_a_key(multipliers, self.keys, "multipliers")
        best = int(values.argmax())
        return Answer(float(values[best]), self.rows[best], self.structures[best])

    def score(self, assignment: Vector) -> float:
        """The score of an assignment; -inf if no structure has it."""
        same = (self.rows == one_a_key(assignment, self.keys, "assignment")).all(axis=1)
        return float(self.scores[same].max()) if same.any() else -math.inf

    def with_products(self, pairs: Sequence[tuple[int, int]], keys: Sequence[int]) -> Table:
        """The same table with a variable, of the number in keys, for the product of each of the pairs."""
        if len(pairs) != len(keys):
            raise ValueError(f"pairs has {len(pairs)} entries and keys {len(keys)}; give one of keys for each of pairs")
        place = {int(key): i for i, key in enumerate(self.keys)}
        if unknown := sorted({key for pair in pairs for key in pair} - place.keys()):
            raise ValueError(f"pairs has the variable {unknown[0]}, which is not one of the table's {sorted(place)}")
        columns = [self.rows[:, place[a]] * self.rows[:, place[b]] for a, b in pairs]
        return Table(
            np.append(self.keys, np.asarray(keys, dtype=np.intp)),
            np.column_stack([self.rows, *columns]),
            self.scores,
            self.structures,
        )

    def restrict(self, fixed: Mapping[int, bool]) -> Table:
        """The structures whose variables have the values in fixed."""
        required = np.array([float(fixed.get(int(key), -1)) for key in self.keys])  # -1: free
        keep = np.flatnonzero(((self.rows == required) | (required < 0)).all(axis=1))
        return Table(self.keys, self.rows[keep], self.scores[keep], [self.structures[i] for i in keep])

    def centred(self) -> Centred:
        """The same table with its best score taken from all scores."""
        finite = self.scores[np.isfinite(self.scores)]
        best = float(finite.max(initial=-math.inf)) if len(finite) else 0.0
        found = copy.copy(self)  # a class derived from this one keeps its methods
        found.scores = self.scores - best
        return Centred(found, best, float(np.ptp(finite)) if len(finite) else 0.0)


@explained_methods
class Cardinality:
    """The constraint that at least `low` and at most `high` of some shared variables are on; every score is 0.

    >>> at_most_one = Cardinality([0, 1, 2], high=1)
    >>> at_most_one.solve(np.array([0.5, 0.7, -1.0])).assignment.tolist()
    [0.0, 1.0, 0.0]
    """

    def __init__(
        self, keys: ArrayLike, low: int = 0, high: int | None = None, fixed: Mapping[int, bool] | None = None
    ) -> None:
        self.keys: Keys = checked_keys(keys)
        self.low = low
        self.high = len(self.keys) if high is None else high
        self.fixed = dict(fixed or {})
        if not 0 <= self.low <= self.high:
            raise ValueError(f"a Cardinality from {self.low} to {self.high} is empty; low may not exceed high")
        self._free = np.array([i for i, key in enumerate(self.keys) if int(key) not in self.fixed], dtype=np.intp)
        self._on = np.array([float(self.fixed.get(int(key), False)) for key in self.keys])

    def solve(self, multipliers: Vector) -> Answer:
        """The best assignment with multipliers added to its variables."""
        multipliers = one_a_key(multipliers, self.keys, "multipliers")
        taken = int(self._on.sum())
        order = self._free[np.argsort(-multipliers[self._free], kind="stable")]
        count = int(np.clip((multipliers[order] > 0).sum(), self.low - taken, self.high - taken))
        if not 0 <= count <= len(order):
            return Answer(-math.inf, self._on)
        assignment = self._on.copy()
        assignment[order[:count]] = 1
        return Answer(float(multipliers @ assignment), assignment, self.keys[assignment > 0].tolist())

    def score(self, assignment: Vector) -> float:
        """0 for an assignment that meets the constraint, otherwise -inf."""
        assignment = one_a_key(assignment, self.keys, "assignment")
        fits = all(
            bool(on) == self.fixed.get(int(key), bool(on)) for key, on in zip(self.keys, assignment, strict=True)
        )
        return 0.0 if fits and self.low <= assignment.sum() <= self.high else -math.inf

    def restrict(self, fixed: Mapping[int, bool]) -> Cardinality:
        """The constraint over the variables with the values in fixed."""
        own = {int(key): fixed[int(key)] for key in self.keys if int(key) in fixed}
        return Cardinality(self.keys, self.low, self.high, self.fixed | own)


def checked_keys(keys: ArrayLike) -> Keys:
    """The numbers of variables, as one array."""
    found = np.asarray(keys, dtype=np.intp)
    if found.ndim != 1:
        raise ValueError(f"keys has shape {found.shape}; expected a list of numbers of variables")
    return found


def checked_rows(rows: ArrayLike, width: int) -> Vector:
    """One assignment a row: 0 for off and 1 for on, for each of the keys."""
    found = np.asarray(rows, dtype=np.float64)
    if found.size == 0:
        return found.reshape(-1, width) if width else np.zeros((len(found), 0))
    if found.ndim != 2 or found.shape[1] != width:
        raise ValueError(f"rows has shape {found.shape}; expected a column for each of the {width} keys")
    if not np.isin(found, (0, 1)).all():
        raise ValueError("rows has another number than 0 for off and 1 for on")
    return found


def one_a_key(values: Vector, keys: Keys, name: str) -> Vector:
    """A vector with a number for each of the keys; name is that of the argument."""
    if np.shape(values) != np.shape(keys):
        raise ValueError(f"{name} has shape {np.shape(values)}; expected ({len(keys)},), one number for each of keys")
    return np.asarray(values, dtype=np.float64)
