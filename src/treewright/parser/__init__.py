"""The supervised parser: prune, score, decode, label; train, save, load."""

from treewright.parser.completion import Completion, Ranked, complete, rank
from treewright.parser.options import MODELS, Labelling, Options, Pruning, Scoring
from treewright.parser.parser import Parser
from treewright.parser.training import Report, State

__all__ = [
    "MODELS",
    "Completion",
    "Labelling",
    "Options",
    "Parser",
    "Pruning",
    "Ranked",
    "Report",
    "Scoring",
    "State",
    "complete",
    "rank",
]
