"""The supervised parser: prune, score, decode, label; train, save, load."""

from treewright.parser.completion import Completion, Ranked, complete, rank
from treewright.parser.model import ParseOptions
from treewright.parser.options import (
    MODELS,
    Labelling,
    ParserOptions,
    ParserSettings,
    Pruning,
    Scoring,
    changed,
    resolve,
)
from treewright.parser.parser import Parser

__all__ = [
    "MODELS",
    "Completion",
    "Labelling",
    "ParseOptions",
    "Parser",
    "ParserOptions",
    "ParserSettings",
    "Pruning",
    "Ranked",
    "Scoring",
    "changed",
    "complete",
    "rank",
    "resolve",
]
