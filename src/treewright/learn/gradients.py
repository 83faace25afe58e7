"""Gradients and differences of training objectives over parts, as kernels of the native core (core/learning)."""

from treewright._core import (
    add_margin,
    arc_gradient,
    automata_difference,
    nonprojective_gradient,
    projective_gradient,
    tree_difference,
)

__all__ = [
    "add_margin",
    "arc_gradient",
    "automata_difference",
    "nonprojective_gradient",
    "projective_gradient",
    "tree_difference",
]
