"""Learning weights: adaptive gradient steps, averaging."""

from treewright.learn.averaged import Averaged

__all__ = ["Averaged"]
