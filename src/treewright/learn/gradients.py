"""Gradients and updates over scored parts (core/learning/gradients.hpp)."""

from treewright._core import (
    add_margin,
    arc_gradient,
    automata_difference,
    nonprojective_gradient,
    projective_gradient,
    tree_difference,
)

__all__ = [
    "add_margin", "arc_gradient", "automata_difference", "nonprojective_gradient", "projective_gradient",
    "tree_difference",
]  # fmt: skip
