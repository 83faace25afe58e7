"""The kernels that score the parts and labels of sentences (core/learning)."""

from __future__ import annotations

from treewright._core import Labeller, Scorer, parse_sentences

__all__ = ["Labeller", "Scorer", "parse_sentences"]
