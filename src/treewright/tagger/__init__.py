"""Trigram tagger and tokeniser."""

from treewright.tagger.options import Learning, TaggerOptions, TokeniserOptions
from treewright.tagger.segments import rebuilt
from treewright.tagger.sequences import TagSequence, marginals, viterbi
from treewright.tagger.tagger import Tagger
from treewright.tagger.tokeniser import Tokeniser

__all__ = [
    "Learning",
    "TagSequence",
    "Tagger",
    "TaggerOptions",
    "Tokeniser",
    "TokeniserOptions",
    "marginals",
    "rebuilt",
    "viterbi",
]
