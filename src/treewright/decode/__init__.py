"""Scores in, best structure out; one module an algorithm."""

from treewright.decode.methods import METHODS, tree
from treewright.decode.parts import Parts
from treewright.decode.problem import Problem
from treewright.decode.result import Parse

__all__ = ["METHODS", "Parse", "Parts", "Problem", "tree"]
