"""How a table of weights is trained: frozen options, saved with the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from treewright.checks import Bits, Checked, NotNegative, Positive, Rate
from treewright.learn.averaged import AveragedCells
from treewright.learn.engine import Stage


@dataclass(frozen=True)
class Learning(Checked):
    """How a table of weights is trained."""

    bits: Bits = 21
    epochs: Positive = 8
    rate: Rate = 0.1
    adagrad_epsilon: NotNegative = 1.0
    margin: NotNegative = 1.0  # of the gold answer for each wrong one

    def stage(
        self, name: str, learn: Callable[[AveragedCells, int], float], examples: Sequence[int], size: int
    ) -> Stage[AveragedCells]:
        """Return the training of such a table; size: what the loss is divided by."""
        return Stage(name, lambda: AveragedCells(self.bits), learn, examples, size, self.epochs)
