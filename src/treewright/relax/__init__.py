"""Lagrangian relaxation over any decoders, which are arguments.

An oracle maximises its own score plus the multipliers on the variables that it shares with others; `relax` updates the
multipliers until all oracles agree, and returns the answer with its value, bound and certificate. `tighten` and
`branch` close a remaining gap.
"""

from treewright.relax.constraints import Cardinality, Table
from treewright.relax.engine import Iteration, Relaxation, RelaxOptions, relax
from treewright.relax.oracle import Answer, Centrable, Centred, Oracle, Refinable, Restrictable, Scoring
from treewright.relax.steps import DiminishingStep, HalvingStep, HarmonicStep, PolyakStep, Progress, Step
from treewright.relax.tighten import branch, tighten

__all__ = [
    "Answer",
    "Cardinality",
    "Centrable",
    "Centred",
    "DiminishingStep",
    "HalvingStep",
    "HarmonicStep",
    "Iteration",
    "Oracle",
    "PolyakStep",
    "Progress",
    "Refinable",
    "RelaxOptions",
    "Relaxation",
    "Restrictable",
    "Scoring",
    "Step",
    "Table",
    "branch",
    "relax",
    "tighten",
]
