"""The kernels that score the parts and labels of sentences (core/learning)."""

from __future__ import annotations

from treewright._core import AtomBatch, Labeller, Scorer, TensorScorer, TreeScorer

__all__ = ["AtomBatch", "Labeller", "Scorer", "TensorScorer", "TreeScorer"]

TENSOR_DISTANCES = 15  # the first rows of a tensor: all distances, 7 to the left, 7 to the right (arc_tensor.hpp)
TENSOR_SIDES = (1, 2, 3)  # the parameters of heads, modifiers, distances (arc_tensor.hpp)
