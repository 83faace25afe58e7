"""Scores in, best structure out; one module an algorithm."""

from treewright.decode.automata import grandparent_automaton, sibling_automaton, state_automaton
from treewright.decode.batch import trees
from treewright.decode.climb import count_optima
from treewright.decode.first_order import reduced_costs
from treewright.decode.graph import GraphParse, graph
from treewright.decode.kbest import kbest
from treewright.decode.marginals import log_partition, marginals
from treewright.decode.methods import METHODS, tree
from treewright.decode.parts import Parts
from treewright.decode.problem import Problem
from treewright.decode.result import Multipliers, Parse
from treewright.decode.sample import sample
from treewright.decode.why import WhyNot, why_not

__all__ = [
    "METHODS",
    "GraphParse",
    "Multipliers",
    "Parse",
    "Parts",
    "Problem",
    "WhyNot",
    "count_optima",
    "grandparent_automaton",
    "graph",
    "kbest",
    "log_partition",
    "marginals",
    "reduced_costs",
    "sample",
    "sibling_automaton",
    "state_automaton",
    "tree",
    "trees",
    "why_not",
]
