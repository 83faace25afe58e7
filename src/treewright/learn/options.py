"""How a table of weights is trained: frozen options, saved with the model."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.checks import Bits, NotNegative, Positive, Rate, check_fields


@dataclass(frozen=True)
class Learning:
    """How a table of weights is trained."""

    bits: Bits = 21
    epochs: Positive = 8
    rate: Rate = 0.1
    adagrad_epsilon: NotNegative = 1.0
    margin: NotNegative = 1.0  # of the gold tag

    def __post_init__(self) -> None:
        check_fields(self)
