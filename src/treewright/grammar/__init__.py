"""Phrase-structure grammars: trees as they are prepared for training, head rules, and Collins' model 1.

>>> from treewright.corpus import Tree
>>> grammar = Collins.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")])
>>> print(grammar.parse(["it", "rains"]).tree)
(S (NP (PRP it)) (VP (VBZ rains)))
"""

from treewright.grammar.collins import Collins, CollinsOptions, LexicalParse, ParseForest
from treewright.grammar.head_rules import HeadRules, dependencies
from treewright.grammar.result import PhraseParse
from treewright.grammar.trees import Markov, binarised, prepared, restored, trees_of
from treewright.grammar.words import Vocabulary, signature

__all__ = [
    "Collins",
    "CollinsOptions",
    "HeadRules",
    "LexicalParse",
    "Markov",
    "ParseForest",
    "PhraseParse",
    "Vocabulary",
    "binarised",
    "dependencies",
    "prepared",
    "restored",
    "signature",
    "trees_of",
]
