"""Learning weights: adaptive gradient steps, steps of one size, averaging."""

from treewright.learn.averaged import Averaged, Numbers, Weights, step_size

__all__ = ["Averaged", "Numbers", "Weights", "step_size"]
