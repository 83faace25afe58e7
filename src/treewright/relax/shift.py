"""Constants that oracles add to all of their scores: they change no answer, and are left out of the computation.

Numbers of a run are then as large as the differences between scores, and so is their rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from treewright.relax.oracle import Centrable, Centred, Oracle, Vector
from treewright.relax.steps import DiminishingStep, HalvingStep, HarmonicStep, PolyakStep, Step

if TYPE_CHECKING:
    from treewright.relax.engine import Primal, Relaxation

RULES = (DiminishingStep, HalvingStep, HarmonicStep, PolyakStep)  # which depend on differences of values
EPSILON = 2.0**-52


class Shift(NamedTuple):
    """Oracles whose own best score is 0, as far as they can be centred, and what was taken from their scores."""

    oracles: list[Oracle]
    constants: list[float]  # times the weights
    scale: float  # how far the scores of an oracle lie apart, times its weight; 0 if that is not known

    @classmethod
    def of(cls, oracles: Sequence[Oracle], weight: Vector, step: Step | None, primal: Primal | None) -> Shift:
        """Nothing is taken where the caller's code expects values as they are: in primal, or in a rule for steps."""
        is_free = primal is None and (step is None or isinstance(step, RULES)) and getattr(step, "target", None) is None
        if not is_free:
            return cls(list(oracles), [0.0] * len(oracles), 0.0)
        found = [one.centred() if isinstance(one, Centrable) else Centred(one, 0.0, 0.0) for one in oracles]
        constants = [float(w) * one.constant for w, one in zip(weight, found, strict=True)]
        scale = max(float(w) * one.spread for w, one in zip(weight, found, strict=True))
        return cls([one.oracle for one in found], constants, scale)

    def undone(self, result: Relaxation) -> Relaxation:
        """The result with the constants added to its values again; gap and rounding are those without them."""
        if not any(self.constants):
            return result
        error = 0.0 if all(x.is_integer() for x in self.constants) else EPSILON * sum(map(abs, self.constants))
        lines = [
            replace(line, dual=self._moved(line.dual), bound=self._moved(line.bound), value=self._moved(line.value))
            for line in result.trace
        ]
        bound, value = self._moved(result.bound), self._moved(result.value)
        if math.isfinite(bound) and math.fsum([result.bound, *self.constants, error, -bound]) > 0:
            bound = math.nextafter(bound + error, math.inf)
        return replace(
            result,
            value=value,
            bound=max(bound, value),
            ceiling=self._moved(result.ceiling),
            average_value=self._moved(result.average_value),
            trace=tuple(lines),
        )

    def _moved(self, value: float) -> float:
        return math.fsum([value, *self.constants])
