"""The training engine: stages, epochs, averaging, choice on the development set; updates and gradients over parts."""

from treewright.learn.averaged import Averaged, AveragedCells, Numbers, Weights
from treewright.learn.calibration import Calibration
from treewright.learn.engine import Judgement, Observer, Progress, Report, Stage, State, Training, run
from treewright.learn.options import Learning
from treewright.learn.plan import Plan, StageCost

__all__ = [
    "Averaged", "AveragedCells", "Calibration", "Judgement", "Learning", "Numbers", "Observer", "Plan", "Progress",
    "Report", "Stage", "StageCost", "State", "Training", "Weights", "run",
]  # fmt: skip
