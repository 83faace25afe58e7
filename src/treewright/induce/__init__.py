"""Grammar induction: a dependency parser learned from tagged text without trees."""

from treewright.induce.dmv import Limits
from treewright.induce.model import InducedParser, preferences
from treewright.induce.options import InductionOptions, resolve

__all__ = ["InducedParser", "InductionOptions", "Limits", "preferences", "resolve"]
