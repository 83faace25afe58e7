"""Weights that learn by stochastic steps; the result is their average over all steps (Polyak & Juditsky 1992)."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright._core import Learner

Numbers = NDArray[np.float32]

_BLOCK = 1 << 16  # weights that are rounded together: 256 kB, which fits a second-level cache


class Weights(NamedTuple):
    """Weights as a model stores them: integers of eight bits, times a scale."""

    values: NDArray[np.int8]
    scale: float

    @classmethod
    def of(cls, numbers: Numbers) -> Weights:
        """Round to 127 steps on either side of zero.

        >>> Weights.of(np.array([0.5, -1.0, 0.003], dtype=np.float32)).values.tolist()
        [64, -127, 0]
        """
        largest = max(float(numbers.max(initial=0.0)), -float(numbers.min(initial=0.0)))
        scale = largest / 127 if largest > 0 else 1.0
        values = np.empty(len(numbers), dtype=np.int8)
        for begin in range(0, len(numbers), _BLOCK):
            block = slice(begin, begin + _BLOCK)
            values[block] = np.rint(numbers[block] / np.float32(scale))
        return cls(values, scale)

    @classmethod
    def zeros(cls, bits: int) -> Weights:
        """Make zero weights, for a model that is not trained."""
        return cls(np.zeros(1 << bits, dtype=np.int8), 1.0)


def step_size(loss: float, squared_length: float, max_step: float = inf) -> float:
    """Return the multiple of a difference of features that brings the loss to zero, limited to `max_step`.

    The closed form of passive-aggressive learning (PA-I; Crammer et al. 2006), and of MIRA with one constraint.

    >>> step_size(3.0, 6.0), step_size(3.0, 6.0, max_step=0.1), step_size(-1.0, 6.0)
    (0.5, 0.1, 0.0)
    """
    return min(max_step, loss / squared_length) if loss > 0 and squared_length > 0 else 0.0


class Averaged:
    """2^bits weights that learn by AdaGrad steps (core/learning/learning.hpp), and their average.

    A kernel adds gradients to `learner`; `step` applies them. `arrays` and `steps` are the whole state.
    """

    def __init__(self, bits: int, adagrad_epsilon: float) -> None:
        self.adagrad_epsilon = adagrad_epsilon
        size = 1 << bits
        self.restore({"weights": np.zeros(size, np.float32), "memory": np.zeros((size, 2), np.float32)}, 0)

    def restore(self, arrays: Mapping[str, Numbers], steps: int) -> None:
        """Continue from a saved state."""
        self.weights, self.memory = arrays["weights"], arrays["memory"]
        self.steps = steps
        gradient = np.zeros(len(self.weights), dtype=np.float32)
        self.learner = Learner(self.weights, gradient, self.memory, self.adagrad_epsilon)

    def arrays(self) -> dict[str, Numbers]:
        """Return the arrays of the state, not copied: further steps change them."""
        return {"weights": self.weights, "memory": self.memory}

    def reset(self) -> None:
        """Start again from zero weights, in the same memory."""
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
        """Return the squared length of the gradient added since the last step."""
        return self.learner.squared_length()

    def average(self) -> Numbers:
        """Return the mean of the weights before the first step and after each."""
        return self.learner.average(float(self.steps))


class AveragedCells:
    """2^bits weights that a tagging kernel changes itself, each beside what belongs to it.

    A row of `cells` is weight, sum of squared gradients, gradient, and the sum from which the average is computed.
    """

    def __init__(self, bits: int) -> None:
        self.restore({"cells": np.zeros((1 << bits, 4), dtype=np.float32)}, 0)

    def restore(self, arrays: Mapping[str, Numbers], steps: int) -> None:
        """Continue from a saved state."""
        self.cells, self.steps = arrays["cells"], steps

    def arrays(self) -> dict[str, Numbers]:
        """Return the arrays of the state, not copied: further steps change them."""
        return {"cells": self.cells}

    def reset(self) -> None:
        """Start again from zero weights, in the same memory."""
        self.cells.fill(0)
        self.steps = 0

    def next_step(self) -> float:
        """Return the number of the step that a kernel is about to take."""
        self.steps += 1
        return float(self.steps)

    def average(self) -> Numbers:
        """Return the mean of the weights before the first step and after each."""
        return np.asarray(self.cells[:, 0] - self.cells[:, 3] / np.float32(self.steps + 1), dtype=np.float32)
