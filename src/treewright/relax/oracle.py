"""The protocol of an oracle: given multipliers, it returns the best structure, its assignment and its value.

The caller numbers the shared variables 0, 1, ... (the arcs of a sentence, the tags of its words); an oracle lists those
it decides in `keys` and receives their multipliers only. Only `solve` is required; the other methods are optional:

    score           values assignments of other oracles; gives primal values, the bound certificate, Polyak steps
    restrict        fixes variables to off or on; needed by `branch`
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Keys = NDArray[np.intp]


@dataclass(frozen=True)
class Answer:
    """The best structure under some multipliers.

    value is score(structure) + multipliers @ assignment, -inf when no structure exists; assignment has a 0 or
    a 1 for each of the oracle's keys.
    """

    value: float
    assignment: Vector
    structure: Any = None


class Oracle(Protocol):
    """A decoder over shared variables. It must break ties in the same way every time."""

    @property
    def keys(self) -> Keys:
        """The shared variables it decides, each once, in the order of assignments and multipliers."""

    def solve(self, multipliers: Vector) -> Answer:
        """Return the structure that maximises its score plus the multipliers of the variables that it sets to 1."""


@runtime_checkable
class Scoring(Protocol):
    """An oracle that can score the assignment of another."""

    def score(self, assignment: Vector) -> float:
        """Return the best score, without multipliers, of a structure with this assignment; -inf if there is none."""


@runtime_checkable
class Restrictable(Protocol):
    """An oracle some of whose variables can be fixed."""

    def restrict(self, fixed: Mapping[int, bool]) -> Oracle:
        """Return this oracle, with the same keys, over the structures whose variables have the values in fixed."""
