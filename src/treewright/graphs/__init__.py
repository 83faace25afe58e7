"""Graphs on top of trees: words with several heads, as secondary parents and enhanced dependencies have them."""

from treewright.graphs.options import GraphOptions
from treewright.graphs.parser import GraphParser

__all__ = ["GraphOptions", "GraphParser"]
