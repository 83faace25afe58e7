"""Learning weights: adaptive gradient steps, averaging."""

from treewright.learn.averaged import Averaged, Numbers, Weights

__all__ = ["Averaged", "Numbers", "Weights"]
