"""Trigram tagger and tokeniser."""

from treewright.tagger.options import Learning, Options
from treewright.tagger.sequences import TagSequence, marginals, viterbi
from treewright.tagger.tagger import Tagger
from treewright.tagger.tokeniser import Tokeniser, rebuilt
from treewright.tagger.training import Report

__all__ = ["Learning", "Options", "Report", "TagSequence", "Tagger", "Tokeniser", "marginals", "rebuilt", "viterbi"]
