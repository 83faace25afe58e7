"""Averaged weights: what a stochastic learner leaves behind is the mean of all weights it had."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright._core import Learner

Weights = NDArray[np.float32]


class Averaged:
    """2^bits weights that learn by adaptive gradient steps (core/learning.hpp), and their average.

    A kernel adds gradients to `learner`; `step` applies them. `cells` and `steps` are the whole state.
    """

    def __init__(self, bits: int, floor: float) -> None:
        self.floor = floor
        self.restore(np.zeros((1 << bits, 4), dtype=np.float32), 0)

    def restore(self, cells: NDArray[np.float32], steps: int) -> None:
        """Go on from a state saved earlier."""
        self.cells = cells
        self.steps = steps
        self.learner = Learner(cells, self.floor)

    def step(self, rate: float) -> None:
        """Apply the gradient added since the last step."""
        self.steps += 1
        self.learner.step(float(self.steps), rate)

    def average(self) -> Weights:
        """The mean of the weights before the first step and after each."""
        return np.asarray(self.cells[:, 0] - self.cells[:, 3] / np.float32(self.steps + 1), dtype=np.float32)
