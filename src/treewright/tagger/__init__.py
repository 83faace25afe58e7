"""Trigram tagger and lemmatiser."""

from treewright.tagger.full_forms import Entry
from treewright.tagger.options import TaggerOptions
from treewright.tagger.sequences import TagSequence, viterbi
from treewright.tagger.tagger import Tagger

__all__ = ["Entry", "TagSequence", "Tagger", "TaggerOptions", "viterbi"]
