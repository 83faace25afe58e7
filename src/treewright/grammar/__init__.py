"""Phrase-structure grammars: those of treebanks with exact charts, with latent variables, and Collins' model 1.

>>> from treewright.corpus import Tree
>>> grammar = TreebankGrammar.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")])
>>> print(grammar.parse(["it", "rains"]).tree)
(S (NP (PRP it)) (VP (VBZ rains)))
"""

from treewright.grammar.collins import Collins, CollinsOptions
from treewright.grammar.collins_forest import LexicalParse, ParseForest
from treewright.grammar.completion import CompletedTree, complete
from treewright.grammar.head_rules import HeadRules, dependencies
from treewright.grammar.latent import LatentGrammar, LatentParse, product
from treewright.grammar.options import LatentOptions, TreebankOptions
from treewright.grammar.result import BracketMarginals, PhraseParse
from treewright.grammar.selftraining import SelfTrained, selftrain
from treewright.grammar.treebank import TreebankGrammar
from treewright.grammar.trees import Markov, binarised, prepared, restored, trees_of
from treewright.grammar.words import Vocabulary, signature

__all__ = [
    "BracketMarginals",
    "Collins",
    "CollinsOptions",
    "CompletedTree",
    "HeadRules",
    "LatentGrammar",
    "LatentOptions",
    "LatentParse",
    "LexicalParse",
    "Markov",
    "ParseForest",
    "PhraseParse",
    "SelfTrained",
    "TreebankGrammar",
    "TreebankOptions",
    "Vocabulary",
    "binarised",
    "complete",
    "dependencies",
    "prepared",
    "product",
    "restored",
    "selftrain",
    "signature",
    "trees_of",
]
