"""Averaged weights: what a stochastic learner leaves behind is the mean of all weights it had."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright._core import Learner

Numbers = NDArray[np.float32]

_BLOCK = 1 << 16  # numbers at a time: what stays in the cache


class Weights(NamedTuple):
    """Weights as a model keeps them: whole numbers of eight bits, times a scale."""

    values: NDArray[np.int8]
    scale: float

    @classmethod
    def of(cls, numbers: Numbers) -> Weights:
        """Rounded to 127 steps on either side of zero; sums of hundreds of them hardly notice.

        >>> Weights.of(np.array([0.5, -1.0, 0.003], dtype=np.float32)).values.tolist()
        [64, -127, 0]
        """
        largest = max(float(numbers.max(initial=0.0)), -float(numbers.min(initial=0.0)))
        scale = largest / 127 if largest > 0 else 1.0
        values = np.empty(len(numbers), dtype=np.int8)
        for begin in range(0, len(numbers), _BLOCK):
            some = slice(begin, begin + _BLOCK)
            values[some] = np.rint(numbers[some] / np.float32(scale))
        return cls(values, scale)


def step_size(loss: float, squared_length: float, most: float = inf) -> float:
    """How far to go along a difference of features for the loss to become zero, at most `most` times it.

    The closed form of passive-aggressive learning (Crammer et al. 2006), and of MIRA with one wrong answer.

    >>> step_size(3.0, 6.0), step_size(3.0, 6.0, most=0.1), step_size(-1.0, 6.0)
    (0.5, 0.1, 0.0)
    """
    return min(most, loss / squared_length) if loss > 0 and squared_length > 0 else 0.0


class Averaged:
    """2^bits weights that learn by adaptive gradient steps (core/learning/learning.hpp), and their average.

    A kernel adds gradients to `learner`; `step` applies them. `weights`, `memory` and `steps` are the whole state.
    """

    def __init__(self, bits: int, floor: float) -> None:
        self.floor = floor
        self.restore(np.zeros(1 << bits, dtype=np.float32), np.zeros((1 << bits, 2), dtype=np.float32), 0)

    def restore(self, weights: Numbers, memory: Numbers, steps: int) -> None:
        """Go on from a state saved earlier."""
        self.weights, self.memory = weights, memory
        self.steps = steps
        self.learner = Learner(weights, np.zeros(len(weights), dtype=np.float32), memory, self.floor)

    def forget(self) -> None:
        """Begin again with nothing learned, in the same memory."""
        self.weights.fill(0)
        self.memory.fill(0)
        self.steps = 0

    def step(self, rate: float) -> None:
        """Apply the gradient added since the last step."""
        self.steps += 1
        self.learner.step(float(self.steps), rate)

    def move(self, size: float) -> None:
        """Instead of `step`: add `size` times the gradient, the same for all weights."""
        self.steps += 1
        self.learner.move(float(self.steps), size)

    def squared_length(self) -> float:
        """Of the gradient added since the last step."""
        return self.learner.squared_length()

    def average(self) -> Numbers:
        """The mean of the weights before the first step and after each."""
        return self.learner.average(float(self.steps))
