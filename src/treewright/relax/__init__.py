"""Lagrangian relaxation over any decoders, which are arguments.

An oracle maximises its own score plus the multipliers on the variables that it shares with others; `relax` updates the
multipliers until all oracles agree, and returns the answer with its value, bound and certificate. `branch` closes a
remaining gap by branch and bound.
"""

from treewright.relax.branch import branch
from treewright.relax.engine import Iteration, Relaxation, relax
from treewright.relax.oracle import Answer, Oracle
from treewright.relax.steps import HalvingStep, PolyakStep, Progress, Step
from treewright.relax.tables import Table

__all__ = [
    "Answer", "HalvingStep", "Iteration", "Oracle", "PolyakStep", "Progress", "Relaxation", "Step", "Table", "branch",
    "relax",
]  # fmt: skip
