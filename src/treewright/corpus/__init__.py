"""Sentences and treebanks: CoNLL-U and its relatives, Penn brackets; lossless and streaming.

>>> sentence = Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0])
>>> sentence.forms, sentence.heads.tolist()
(['Dogs', 'bark'], [2, 0])
"""

from treewright.corpus.access import FORMATS, format_of, read, read_trees, write
from treewright.corpus.attributes import Attributes
from treewright.corpus.brackets import Span, Tree
from treewright.corpus.checks import CHECKS
from treewright.corpus.document import Document
from treewright.corpus.files import open_input, open_output, replacing
from treewright.corpus.layout import CONLLU, CONLLX, Layout
from treewright.corpus.nodes import Edge, EmptyNode, Token
from treewright.corpus.reader import Reader
from treewright.corpus.sentence import Sentence
from treewright.corpus.transforms import (
    add_root,
    binarise,
    bracket_word,
    collapse_unaries,
    debinarise,
    drop_root,
    expand_unaries,
    plain_word,
    strip_functions,
    strip_traces,
)
from treewright.corpus.treebank import Treebank
from treewright.corpus.word import Word
from treewright.errors import FormatError

__all__ = [
    "CHECKS", "CONLLU", "CONLLX", "FORMATS", "Attributes", "Document", "Edge", "EmptyNode", "FormatError", "Layout",
    "Reader", "Sentence", "Span", "Token", "Tree", "Treebank", "Word", "add_root", "binarise", "bracket_word",
    "collapse_unaries", "debinarise", "drop_root", "expand_unaries", "format_of", "open_input", "open_output",
    "plain_word", "read", "read_trees", "replacing", "strip_functions", "strip_traces", "write",
]  # fmt: skip
