"""Trigram tagger and lemmatiser."""

from treewright.tagger.options import TaggerOptions
from treewright.tagger.sequences import TagSequence, viterbi
from treewright.tagger.tagger import Tagger

__all__ = ["TagSequence", "Tagger", "TaggerOptions", "viterbi"]
