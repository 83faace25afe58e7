"""The supervised parser: prune, score, decode, label; train, save, load."""

from treewright.parser.completion import Completion
from treewright.parser.explanation import Alternative, Alternatives, Explanation
from treewright.parser.kbest import KBest
from treewright.parser.label_rules import LabelRules
from treewright.parser.options import (
    FactorOptions,
    Labelling,
    ParserOptions,
    ParserSettings,
    Pruning,
    Scoring,
    TensorOptions,
    resolve,
)
from treewright.parser.parser import Parser
from treewright.parser.ranking import Ranked, rank
from treewright.parser.tree_parts import Part

__all__ = [
    "Alternative", "Alternatives", "Completion", "Explanation", "FactorOptions", "KBest", "LabelRules", "Labelling",
    "Parser", "ParserOptions", "ParserSettings", "Part", "Pruning", "Ranked", "Scoring", "TensorOptions", "rank",
    "resolve",
]  # fmt: skip
