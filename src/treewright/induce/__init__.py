"""Grammar induction: a dependency parser learned from tagged text without trees."""

from treewright.induce.clusters import Clusters, cluster
from treewright.induce.dmv import Limits
from treewright.induce.model import InducedParser, preferences
from treewright.induce.options import InductionOptions, InductionSettings, resolve
from treewright.induce.rules import RULES, Rules, load_rules
from treewright.induce.tagged import TaggedCorpus, accuracy, read_tagged
from treewright.induce.training import Steps

__all__ = [
    "RULES",
    "Clusters",
    "InducedParser",
    "InductionOptions",
    "InductionSettings",
    "Limits",
    "Rules",
    "Steps",
    "TaggedCorpus",
    "accuracy",
    "cluster",
    "load_rules",
    "preferences",
    "read_tagged",
    "resolve",
]
