"""The kernels that score with hashed features (core/learning)."""

from treewright._core import AtomBatch, Labeller, Scorer, TensorScorer, TreeScorer

__all__ = ["AtomBatch", "Labeller", "Scorer", "TensorScorer", "TreeScorer"]
