"""What an oracle is: it maximises, given multipliers, and reports an assignment and a value.

Shared variables are numbered 0, 1, ... by the caller (the arcs of a sentence, the tags of its words); an oracle names
those it decides in `keys` and sees nothing of the others. All it must do is `solve`; what else it can do helps:

    score           a value for other oracles' assignments: primal values, the bound certificate, Polyak steps
    with_products   products of pairs as further variables: `tighten`
    restrict        variables fixed to off or on: `branch`
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

    value is score(structure) + multipliers @ assignment, -inf when there is no structure at all; assignment has a 0 or
    a 1 for each of the oracle's keys.
    """

    value: float
    assignment: Vector
    structure: Any = None


class Oracle(Protocol):
    """A decoder over shared variables. Ties must be broken the same way every time."""

    @property
    def keys(self) -> Keys:
        """The shared variables it decides, each once; assignments and multipliers come in this order."""

    def solve(self, multipliers: Vector) -> Answer:
        """The structure that maximises its score plus the multipliers of the variables it switches on."""


@runtime_checkable
class Scoring(Protocol):
    """An oracle that can value what others propose."""

    def score(self, assignment: Vector) -> float:
        """The best score, no multipliers, of a structure with this assignment; -inf when there is none."""


@runtime_checkable
class Refinable(Protocol):
    """An oracle whose products of variables can be shared, too."""

    def with_products(self, pairs: Sequence[tuple[int, int]], keys: Sequence[int]) -> Oracle:
        """This oracle with further shared variables: keys[i] is on when both variables of pairs[i] are."""


@runtime_checkable
class Restrictable(Protocol):
    """An oracle some of whose variables can be fixed."""

    def restrict(self, fixed: Mapping[int, bool]) -> Oracle:
        """This oracle, same keys, over the structures whose variables have these values."""
