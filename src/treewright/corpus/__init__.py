"""Sentences and treebanks: CoNLL-U and its relatives, Penn brackets; lossless and streaming.

>>> sentence = Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0])
>>> sentence.forms, sentence.heads.tolist()
(['Dogs', 'bark'], [2, 0])
"""

from treewright.corpus.access import FORMATS, read, write
from treewright.corpus.files import open_input, open_output, replacing
from treewright.corpus.layout import CONLLU, CONLLX, Layout
from treewright.corpus.reader import Reader
from treewright.corpus.sentence import CHECKS, Edge, EmptyNode, Sentence, Token, Word
from treewright.corpus.treebank import Treebank

__all__ = [
    "CHECKS",
    "CONLLU",
    "CONLLX",
    "FORMATS",
    "Edge",
    "EmptyNode",
    "Layout",
    "Reader",
    "Sentence",
    "Token",
    "Treebank",
    "Word",
    "open_input",
    "open_output",
    "read",
    "replacing",
    "write",
]
