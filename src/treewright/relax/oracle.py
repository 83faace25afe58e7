"""The protocol of an oracle: given multipliers, it returns the best structure, its assignment and its value.

The caller numbers the shared variables 0, 1, ... (the arcs of a sentence, the tags of its words); an oracle lists those
it decides in `keys` and receives their multipliers only. Only `solve` is required; the other methods are optional:

    score           values assignments of other oracles; gives primal values, the bound certificate, Polyak steps
    with_products   shares products of pairs of variables; needed by `tighten`
    restrict        fixes variables to off or on; needed by `branch`
    centred         takes a constant from all scores; without it the rounding of large constants costs certificates
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
        """The structure that maximises its score plus the multipliers of the variables that it sets to 1."""


@runtime_checkable
class Scoring(Protocol):
    """An oracle that can score the assignment of another."""

    def score(self, assignment: Vector) -> float:
        """The best score, no multipliers, of a structure with this assignment; -inf when there is none."""


@runtime_checkable
class Refinable(Protocol):
    """An oracle that can share products of its variables."""

    def with_products(self, pairs: Sequence[tuple[int, int]], keys: Sequence[int]) -> Oracle:
        """This oracle with further shared variables: keys[i] is on when both variables of pairs[i] are."""


@runtime_checkable
class Restrictable(Protocol):
    """An oracle some of whose variables can be fixed."""

    def restrict(self, fixed: Mapping[int, bool]) -> Oracle:
        """This oracle, with the same keys, over the structures whose variables have the values in fixed."""


@dataclass(frozen=True)
class Centred:
    """An oracle without the constant that is part of all its scores, the constant, and how far scores lie apart."""

    oracle: Oracle
    constant: float
    spread: float


@runtime_checkable
class Centrable(Protocol):
    """An oracle that can leave out the size of its scores, which changes no answer."""

    def centred(self) -> Centred:
        """This oracle with its best score, which must be finite, taken from all scores."""
