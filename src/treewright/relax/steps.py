"""Step sizes of the subgradient method: the rules of Koo et al. (2010) and Rush et al. (2010), and two others.

A rule is a function from the `Progress` of an iteration to a step size. Every dual value is a valid bound,
whatever the rule; rules differ in how fast the bound falls.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

HALVING_PERIOD = 20  # iterations without a lower bound; by convention
MIN_SCALE = 0.05  # by convention


@dataclass(frozen=True)
class Progress:
    """The arguments of a step rule."""

    iteration: int  # from 1
    dual: float  # the dual value here
    bound: float  # the least dual value so far
    value: float  # the best primal value so far, -inf when none is known
    first_gap: float  # dual - primal value of the first iteration, nan when no primal value is known
    increases: int  # number of iterations in which the dual value rose
    stalled: int  # iterations since the bound last fell
    slope: float  # first-order decrease of the dual for a step of 1; for two oracles the number of differing variables
    scale: float = 1.0  # of the scores, as far as it is known without a primal value


class Step(Protocol):
    def __call__(self, progress: Progress) -> float: ...


@dataclass(frozen=True)
class HarmonicStep:
    """start / (1 + increases) (Koo et al. 2010, appendix A.1); the default start is the gap of the first iteration."""

    start: float | None = None

    def __call__(self, progress: Progress) -> float:
        start = progress.first_gap if self.start is None else self.start
        if not math.isfinite(start):
            raise ValueError("HarmonicStep needs a start: no oracle can score the first assignment; give start=")
        return start / (1 + progress.increases)


@dataclass(frozen=True)
class HalvingStep:
    """start * 2^-increases (Rush et al. 2010, appendix B).

    The sum of the steps may be less than the distance to the optimum, so that this rule can stall. The published start
    of 0.5 is for scores with the magnitude of log probabilities.
    """

    start: float = 0.5

    def __call__(self, progress: Progress) -> float:
        return math.ldexp(self.start, -progress.increases)


@dataclass(frozen=True)
class DiminishingStep:
    """start / iteration^power: slow; with 1/2 < power <= 1 the bound and the averages always converge."""

    start: float = 1.0
    power: float = 1.0

    def __call__(self, progress: Progress) -> float:
        return self.start / math.pow(progress.iteration, self.power)


@dataclass(frozen=True)
class PolyakStep:
    """scale * (dual - target) / slope (Polyak's rule); the default target is the best primal value so far.

    The step is that of the scale of the scores, divided by 1 + increases, while there is no target. The
    scale is halved after every HALVING_PERIOD iterations
    that do not lower the bound, down to MIN_SCALE, and is reset when one does.
    """

    scale: float = 1.0
    target: float | None = None

    def __call__(self, progress: Progress) -> float:
        target = progress.value if self.target is None else self.target
        if not math.isfinite(target):
            return progress.scale / (1 + progress.increases)
        scale = self.scale * max(0.5 ** (progress.stalled // HALVING_PERIOD), MIN_SCALE)
        return scale * max(progress.dual - target, 0.0) / progress.slope
