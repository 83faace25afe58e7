"""Word classes and word vectors: learned from raw text, or imported."""

from treewright.words.options import WordsOptions
from treewright.words.words import Words

__all__ = ["Words", "WordsOptions"]
