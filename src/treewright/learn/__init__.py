"""The training engine: stages, epochs, averaging, choice on the development set; updates and gradients over parts."""

from treewright._core import (
    add_margin,
    arc_gradient,
    automata_difference,
    nonprojective_gradient,
    projective_gradient,
    tree_difference,
)
from treewright.learn.averaged import Averaged, AveragedCells, Numbers, Weights, step_size
from treewright.learn.calibration import Calibration, calibration_report
from treewright.learn.engine import Judgement, Learner, Observer, Progress, Report, Stage, State, Training, run
from treewright.learn.options import Learning
from treewright.learn.plan import Plan, StageCost

__all__ = [
    "Averaged",
    "AveragedCells",
    "Calibration",
    "Judgement",
    "Learner",
    "Learning",
    "Numbers",
    "Observer",
    "Plan",
    "Progress",
    "Report",
    "Stage",
    "StageCost",
    "State",
    "Training",
    "Weights",
    "add_margin",
    "arc_gradient",
    "automata_difference",
    "calibration_report",
    "nonprojective_gradient",
    "projective_gradient",
    "run",
    "step_size",
    "tree_difference",
]
