"""Sentences and treebanks: CoNLL-U and its relatives, Penn brackets; lossless and streaming.

>>> sentence = Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0])
>>> sentence.forms, sentence.heads.tolist()
(['Dogs', 'bark'], [2, 0])
"""

from treewright.corpus.access import format_of, read, read_trees, write
from treewright.corpus.brackets import Span, Tree
from treewright.corpus.chunks import NounChunk
from treewright.corpus.document import Document
from treewright.corpus.files import open_input, open_output, replacing
from treewright.corpus.graph import Edge, Token
from treewright.corpus.reader import Reader
from treewright.corpus.sentence import Sentence
from treewright.corpus.transforms import binarise, bracket_word, debinarise, drop_root, strip_functions, strip_traces
from treewright.corpus.treebank import Treebank
from treewright.corpus.word import Word

__all__ = [
    "Document", "Edge", "NounChunk", "Reader", "Sentence", "Span", "Token", "Tree", "Treebank", "Word", "binarise",
    "bracket_word", "debinarise", "drop_root", "format_of", "open_input", "open_output", "read", "read_trees",
    "replacing", "strip_functions", "strip_traces", "write",
]  # fmt: skip
