"""The kernels that score parts and learn from them, by the names that the rest of the house uses."""

from __future__ import annotations

from treewright._core import (
    Labeller,
    Learner,
    Scorer,
    add_cost,
    beliefs,
    crossing_gradient,
    difference,
    expectations,
    free_difference,
    gradient,
    kept_arcs,
    parse_sentences,
)

__all__ = [
    "Labeller",
    "Learner",
    "Scorer",
    "add_cost",
    "beliefs",
    "crossing_gradient",
    "difference",
    "expectations",
    "free_difference",
    "gradient",
    "kept_arcs",
    "parse_sentences",
]
