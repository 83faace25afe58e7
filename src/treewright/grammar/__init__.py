"""Phrase-structure grammars: those of treebanks with exact charts, with latent variables, and Collins' model 1.

>>> from treewright.corpus import Tree
>>> grammar = TreebankGrammar.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")])
>>> print(grammar.parse(["it", "rains"]).tree)
(S (NP (PRP it)) (VP (VBZ rains)))
"""

from treewright.grammar.collins import Collins, CollinsOptions
from treewright.grammar.collins_forest import LexicalParse
from treewright.grammar.completion import complete
from treewright.grammar.head_rules import HeadRules, dependencies
from treewright.grammar.latent import LatentGrammar, product
from treewright.grammar.options import LatentOptions, TreebankOptions
from treewright.grammar.result import PhraseParse
from treewright.grammar.treebank import TreebankGrammar
from treewright.grammar.trees import Markov, trees_of

__all__ = [
    "Collins", "CollinsOptions", "HeadRules", "LatentGrammar", "LatentOptions", "LexicalParse", "Markov",
    "PhraseParse", "TreebankGrammar", "TreebankOptions", "complete", "dependencies", "product", "trees_of",
]  # fmt: skip
