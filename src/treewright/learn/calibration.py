"""Calibrated confidence: the probability under a model becomes the share of right predictions on held-out data.

A model divides its scores by a temperature T before it computes the probability p of a prediction (Guo et al. 2017).
The confidence is then a function of p with three parameters (beta calibration; Kull et al. 2017):

    confidence = logistic(of_right * log p - of_wrong * log(1 - p) + offset)

The temperature alone leaves a larger error: it cannot correct p where a model considers one answer only, and it treats
low and high p alike. benchmarks/accuracy/calibration.py prints both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.learn.engine import Report

Probabilities = NDArray[np.float64]
Numbers = NDArray[np.float64]
S = TypeVar("S", bound=Sized)

MAX_WORDS = 20_000  # of held-out data; not tuned: the error of a share is then below 0.4 points
MIN_DOUBT = 1e-4  # probabilities are taken between this and 1 less this, because log odds must be finite; not tuned
# Compared first. The range is wide: perceptron updates give scores a hundred times as large as log-linear models.
TEMPERATURES = tuple(2.0 * 4.0**power for power in range(-4, 6))
RATIOS = (2.0, 2.0**0.5, 2.0**0.25)  # between temperatures that are compared then, from coarse to fine; not tuned
PRIOR = np.array([1.0, 1.0, 0.0])  # the parameters that change nothing; those of fits have a normal prior around them
PRIOR_PRECISION = 1.0  # as much as a few predictions, so that few words suffice; not tuned
NEWTON_STEPS = 50  # more than the fit of three parameters needs
MIN_STEP = 1e-5  # below the precision of the parameters in a model file
DIGITS = 4  # of the parameters in a model file, and significant ones of the temperature


@dataclass(frozen=True)
class Calibration:
    """The temperature of a model, and the parameters of its beta calibration.

    >>> Calibration().apply([0.25, 0.5]).tolist()
    [0.25, 0.5]
    >>> Calibration(of_right=0.5, of_wrong=0.5).apply([0.2, 0.5]).round(3).tolist()
    [0.333, 0.5]
    """

    temperature: float = 1.0
    of_right: float = 1.0
    of_wrong: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not math.isfinite(value) or (value < 0 and name != "offset"):
                raise ValueError(f"{name} of a calibration is {value}; expected a finite number, and none below zero")
        if not self.temperature > 0:
            raise ValueError(f"temperature of a calibration is {self.temperature}; expected a positive number")

    def apply(self, probability: ArrayLike) -> Probabilities:
        """Return the confidence of predictions that have these probabilities at the temperature."""
        values = np.asarray(probability, dtype=np.float64)
        line = np.array([self.of_right, self.of_wrong, self.offset])
        return values if np.array_equal(line, PRIOR) else logistic(line @ inputs_of(values))


def fit(probabilities: Callable[[float], Probabilities], right: NDArray[np.bool_]) -> Calibration:
    """Return the calibration with the highest likelihood of which predictions are right.

    probabilities(temperature) are those of the predictions. The other parameters are fitted for each temperature.

    >>> dice = np.random.default_rng(1)
    >>> scores = dice.normal(size=10_000) * 6
    >>> right = dice.random(10_000) < logistic(scores / 3)
    >>> fitted = fit(lambda temperature: logistic(scores / temperature), right)
    >>> bool(np.abs(fitted.apply(logistic(scores / fitted.temperature)) - logistic(scores / 3)).max() < 0.02)
    True
    """
    known: dict[float, tuple[float, Calibration]] = {}

    def loss(temperature: float) -> float:
        if temperature not in known:
            known[temperature] = fit_line(probabilities(temperature), right, temperature)
        return known[temperature][0]

    best = min(TEMPERATURES, key=loss)
    for ratio in RATIOS:
        best = min((best, best * ratio, best / ratio), key=loss)
    return known[best][1]


def first_sentences(sentences: Iterable[S]) -> Iterator[S]:
    """Return those that calibration uses: up to the one with which there are MAX_WORDS words.

    >>> [len(words) for words in first_sentences([range(15_000), range(9_000), range(10)])]
    [15000, 9000]
    """
    words = 0
    for sentence in sentences:
        if words >= MAX_WORDS:
            return
        words += len(sentence)
        yield sentence


def calibration_report(calibrations: Mapping[str, Calibration]) -> Report:
    """Return the calibrations of a model by what they calibrate, as the last stage of its training."""
    figures = {
        f"{name} {parameter}": value
        for name, calibration in calibrations.items()
        for parameter, value in vars(calibration).items()
    }
    return Report("confidence", 1, 1, figures=figures)


def fit_line(probability: Probabilities, right: NDArray[np.bool_], temperature: float) -> tuple[float, Calibration]:
    """Return the loss and the calibration of the best parameters at a temperature.

    A parameter that would be negative is 0 instead, so that a higher probability gives a higher confidence.
    """
    inputs = inputs_of(probability)
    free = np.ones(3, dtype=np.bool_)
    line = newton(inputs, right, free)
    while (line[:2] < 0).any():
        free[:2] &= line[:2] >= 0
        line = newton(inputs, right, free)
    values = [round(value, DIGITS) for value in line.tolist()]
    return loss_of(line, inputs, right), Calibration(float(f"{temperature:.{DIGITS}g}"), *values)


def newton(inputs: Numbers, right: NDArray[np.bool_], free: NDArray[np.bool_]) -> Numbers:
    """Fit the free parameters by Newton's method; the others are 0. A step that increases the loss is halved."""
    line = np.where(free, PRIOR, 0.0)
    for _ in range(NEWTON_STEPS):
        confidence = logistic(line @ inputs)
        gradient = inputs @ (confidence - right) + PRIOR_PRECISION * (line - PRIOR)
        curvature = (inputs * (confidence * (1 - confidence))) @ inputs.T + PRIOR_PRECISION * np.eye(3)
        step = np.zeros(3)
        step[free] = np.linalg.solve(curvature[np.ix_(free, free)], gradient[free])
        before = loss_of(line, inputs, right)
        while np.abs(step).max() > MIN_STEP and loss_of(line - step, inputs, right) > before:
            step /= 2
        line = line - step
        if np.abs(step).max() <= MIN_STEP:
            break
    return line


def loss_of(line: Numbers, inputs: Numbers, right: NDArray[np.bool_]) -> float:
    """Return the negative log probability of which predictions are right, and of the parameters under their prior."""
    score = line @ inputs
    likelihood = np.logaddexp(0.0, np.where(right, -score, score)).sum()
    return float(likelihood + PRIOR_PRECISION / 2 * ((line - PRIOR) ** 2).sum())


def inputs_of(probability: Probabilities) -> Numbers:
    """Return what the parameters are multiplied by; finite for every probability (see MIN_DOUBT)."""
    safe = np.clip(probability, MIN_DOUBT, 1 - MIN_DOUBT)
    return np.stack([np.log(safe), -np.log1p(-safe), np.ones(len(safe))])


def logistic(score: Numbers) -> Probabilities:
    """Return 1 / (1 + exp(-score)), without overflow."""
    return np.asarray(np.exp(-np.logaddexp(0.0, -score)))
