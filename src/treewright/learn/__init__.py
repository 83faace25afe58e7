"""Learning weights: adaptive gradient steps, steps of one size, averaging; gradients over scored parts."""

from treewright.learn.averaged import Averaged, Numbers, Weights, step_size
from treewright.learn.gradients import (
    add_margin,
    arc_gradient,
    automata_difference,
    nonprojective_gradient,
    projective_gradient,
    tree_difference,
)

__all__ = [
    "Averaged",
    "Numbers",
    "Weights",
    "add_margin",
    "arc_gradient",
    "automata_difference",
    "nonprojective_gradient",
    "projective_gradient",
    "step_size",
    "tree_difference",
]
