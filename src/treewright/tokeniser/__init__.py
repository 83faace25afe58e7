"""Tokeniser: raw text to sentences and words."""

from treewright.tokeniser.options import TokeniserOptions
from treewright.tokeniser.segments import rebuild_text
from treewright.tokeniser.tokeniser import Tokeniser

__all__ = ["Tokeniser", "TokeniserOptions", "rebuild_text"]
