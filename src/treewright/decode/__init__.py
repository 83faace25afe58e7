"""Inference over given scores: best structures, k best, marginals, samples; one module an algorithm."""

from treewright.decode.batch import batched, trees
from treewright.decode.candidates import Candidates, candidates
from treewright.decode.methods import METHODS, options_of, tree
from treewright.decode.parts import Parts
from treewright.decode.problem import Problem
from treewright.decode.result import ArrayResult, FloatResult, Multipliers, Parse, ParseList
from treewright.decode.search.automata import HeadAutomata, sibling_automaton
from treewright.decode.search.climb import count_optima
from treewright.decode.search.first_order import reduced_costs
from treewright.decode.search.graph import GraphParse, graph
from treewright.decode.structure import Below, Depth, RootChildren, Span, TreeConstraint, Valency
from treewright.decode.sums.kbest import kbest
from treewright.decode.sums.marginals import entropy, log_partition, marginals, tree_confidence
from treewright.decode.sums.mbr import mbr
from treewright.decode.sums.sample import sample
from treewright.decode.verification import verify
from treewright.decode.why import WhyNot, why_not
from treewright.proofs import Proof, Verified

__all__ = [
    "METHODS", "ArrayResult", "Below", "Candidates", "Depth", "FloatResult", "GraphParse", "HeadAutomata",
    "Multipliers", "Parse", "ParseList", "Parts", "Problem", "Proof", "RootChildren", "Span", "TreeConstraint",
    "Valency", "Verified", "WhyNot", "batched", "candidates", "count_optima", "entropy", "graph", "kbest",
    "log_partition", "marginals", "mbr", "options_of", "reduced_costs", "sample", "sibling_automaton", "tree",
    "tree_confidence", "trees", "verify", "why_not",
]  # fmt: skip
