"""Phrase-structure grammars: trees as they are prepared for training, words and unknown words."""

from treewright.grammar.trees import Markov, binarised, prepared, restored, trees_of
from treewright.grammar.words import Vocabulary, signature

__all__ = ["Markov", "Vocabulary", "binarised", "prepared", "restored", "signature", "trees_of"]
