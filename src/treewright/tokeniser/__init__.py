"""Tokeniser: raw text to sentences and words."""

from treewright.tokeniser.options import TokeniserOptions
from treewright.tokeniser.segments import rebuilt
from treewright.tokeniser.tokeniser import Tokeniser

__all__ = ["Tokeniser", "TokeniserOptions", "rebuilt"]
