"""Lagrangian relaxation over any decoders; it receives them as arguments and never names one.

An oracle maximises its own score plus the multipliers on the variables it shares with others; `relax` moves the
multipliers until all oracles agree, and says what the answer is worth. `tighten` and `branch` close a gap that is left.
"""

from treewright.relax.constraints import Cardinality, Table
from treewright.relax.engine import Iteration, Relaxation, relax
from treewright.relax.oracle import Answer, Oracle, Refinable, Restrictable, Scoring
from treewright.relax.steps import DiminishingStep, HalvingStep, HarmonicStep, PolyakStep, Progress, Step
from treewright.relax.tighten import branch, tighten

__all__ = [
    "Answer",
    "Cardinality",
    "DiminishingStep",
    "HalvingStep",
    "HarmonicStep",
    "Iteration",
    "Oracle",
    "PolyakStep",
    "Progress",
    "Refinable",
    "Relaxation",
    "Restrictable",
    "Scoring",
    "Step",
    "Table",
    "branch",
    "relax",
    "tighten",
]
