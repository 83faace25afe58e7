"""Step sizes of the subgradient method: the rules of Koo et al. (2010) and Rush et al. (2010), and Polyak's.

A rule is a function from the `Progress` of an iteration to a step size. Every dual value is a valid bound,
whatever the rule; rules differ in how fast the bound falls.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

HALVING_PERIOD = 20  # iterations without a lower bound; not tuned
MIN_SCALE = 0.05  # not tuned
RISE = 1e-12  # relative; a smaller rise of the dual is not counted. Not tuned


@dataclass(frozen=True)
class Progress:
    """The arguments of a step rule."""

    iteration: int  # from 1
    dual: float  # the dual value of this iteration
    bound: float  # the least dual value so far
    value: float  # the best primal value so far, -inf when none is known
    first_gap: float  # dual - primal value of the first iteration, nan when no primal value is known
    increases: int  # number of iterations in which the dual value rose
    stalled: int  # iterations since the bound last fell
    slope: float  # first-order decrease of the dual for a step of 1; for two oracles the number of differing variables
    scale: float = 1.0  # of the scores, as far as it is known without a primal value


class Step(Protocol):
    """A rule for step sizes."""

    def __call__(self, progress: Progress) -> float: ...


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
class PolyakStep:
    """scale * (dual - best primal value) / slope (Polyak's rule).

    While there is no primal value, the step is the scale of the scores divided by 1 + increases. The factor `scale` is
    halved after every HALVING_PERIOD iterations that do not lower the bound, down to MIN_SCALE of it, and is reset when
    one does.
    """

    scale: float = 1.0

    def __call__(self, progress: Progress) -> float:
        if not math.isfinite(progress.value):
            return progress.scale / (1 + progress.increases)
        scale = self.scale * max(0.5 ** (progress.stalled // HALVING_PERIOD), MIN_SCALE)
        return scale * max(progress.dual - progress.value, 0.0) / progress.slope


class Descent:
    """The dual values of a run so far, from which a rule computes the next step."""

    def __init__(self, rule: Step, scale: float = 1.0) -> None:
        self.rule, self.scale = rule, scale
        self.iterations = self.increases = self.stalled = 0
        self.dual = self.bound = math.inf
        self.first_gap = math.nan

    def record(self, dual: float, upper: float) -> None:
        """Take the dual value of an iteration; upper is the dual value with its rounding, a bound."""
        self.iterations += 1
        self.increases += dual > self.dual + RISE * max(self.scale, abs(dual))
        self.stalled = 0 if upper < self.bound else self.stalled + 1
        self.dual, self.bound = dual, min(self.bound, upper)

    def step(self, value: float, slope: float) -> float:
        """Return the size of the next step; value is the best primal value so far."""
        progress = (self.iterations, self.dual, self.bound, value, self.first_gap, self.increases, self.stalled)
        return self.rule(Progress(*progress, slope, self.scale))
