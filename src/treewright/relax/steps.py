"""How far the multipliers move: the rules of both papers of 2010, and two others.

A rule is a function from what is known at an iteration to a step. Any rule leaves every dual value a valid bound;
rules differ in how soon the bound is good.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Progress:
    """What a step rule may look at."""

    iteration: int  # from 1
    dual: float  # the dual value here
    bound: float  # the least dual value so far
    value: float  # the best primal value so far, -inf when none is known
    first_gap: float  # dual - primal of the first iteration, nan when no primal is known
    increases: int  # how often the dual value went up from one iteration to the next
    stalled: int  # iterations since the bound last fell
    slope: float  # decrease of the dual a unit of step promises; for two oracles the number of disputed variables


class Step(Protocol):
    def __call__(self, progress: Progress) -> float: ...


@dataclass(frozen=True)
class HarmonicStep:
    """start / (1 + increases) (Koo et al. 2010, appendix A.1); start: the gap of the first iteration."""

    start: float | None = None

    def __call__(self, progress: Progress) -> float:
        start = progress.first_gap if self.start is None else self.start
        if not math.isfinite(start):
            raise ValueError("HarmonicStep needs a start: no oracle can score the first assignment; give start=")
        return start / (1 + progress.increases)


@dataclass(frozen=True)
class HalvingStep:
    """start * 2^-increases (Rush et al. 2010, appendix B).

    The steps may sum to less than the way to the optimum, so this rule can stall; the published start of 0.5 is for
    scores of the size of log probabilities.
    """

    start: float = 0.5

    def __call__(self, progress: Progress) -> float:
        return math.ldexp(self.start, -progress.increases)


@dataclass(frozen=True)
class DiminishingStep:
    """start / iteration^power: slow, and with 1/2 < power <= 1 sure to converge, averages included."""

    start: float = 1.0
    power: float = 1.0

    def __call__(self, progress: Progress) -> float:
        return self.start / math.pow(progress.iteration, self.power)


@dataclass(frozen=True)
class PolyakStep:
    """scale * (dual - target) / slope; target: the best primal value so far, 1 / (1 + increases) until there is one.

    The scale is halved with every 20 iterations that do not lower the bound, down to a twentieth, and is whole again
    when one does.
    """

    scale: float = 1.0
    target: float | None = None

    def __call__(self, progress: Progress) -> float:
        target = progress.value if self.target is None else self.target
        if not math.isfinite(target):
            return 1 / (1 + progress.increases)
        scale = self.scale * max(0.5 ** (progress.stalled // 20), 0.05)
        return scale * max(progress.dual - target, 0.0) / progress.slope
