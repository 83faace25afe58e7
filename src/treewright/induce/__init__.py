"""Parsing with no treebank: give it tags, get a parser."""

from treewright.induce.dmv import Limits
from treewright.induce.model import InducedParser, Options, Progress, preferences
from treewright.induce.rules import RULES, Rules, load_rules
from treewright.induce.tagged import TaggedCorpus, accuracy, read_tagged

__all__ = [
    "RULES",
    "InducedParser",
    "Limits",
    "Options",
    "Progress",
    "Rules",
    "TaggedCorpus",
    "accuracy",
    "load_rules",
    "preferences",
    "read_tagged",
]
