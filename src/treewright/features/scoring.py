"""The kernels that score the parts and labels of sentences (core/learning)."""

from __future__ import annotations

from treewright._core import AtomBatch, Labeller, Scorer

__all__ = ["AtomBatch", "Labeller", "Scorer"]
