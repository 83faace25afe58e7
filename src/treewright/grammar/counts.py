"""Rules and their counts in binarised trees.

A tree is divided into chains, binary rules and words. Over each stretch of words there is one chain: the nodes from
the top of the stretch down to the node with two children, or to the tag of the word. A chain is one rule, with a
probability given the symbol at its top; chains of one symbol are counted too. A grammar so has only the chains of its
treebank, and no cycles of unary rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from treewright.corpus import Tree
from treewright.corpus.transforms import INSERTED
from treewright.grammar.trees import ROOT, plain_label


class Symbol(NamedTuple):
    """A symbol of a grammar: the label of a phrase or of an inserted node, or a tag, which may have the same name."""

    name: str
    is_tag: bool

    @property
    def is_inserted(self) -> bool:
        """Whether binarisation put it in."""
        return not self.is_tag and self.name.startswith(INSERTED)

    @property
    def label(self) -> str:
        """The label or the tag in a tree."""
        return plain_label(self.name)


GOAL = Symbol(ROOT, False)
Chain = tuple[Symbol, ...]  # from the top to the bottom


@dataclass
class RuleCounts:
    """How often each chain, binary rule and word with its tag occurs."""

    chains: Counter[Chain] = field(default_factory=Counter)
    rules: Counter[tuple[Symbol, Symbol, Symbol]] = field(default_factory=Counter)
    words: Counter[tuple[Symbol, str, bool]] = field(default_factory=Counter)  # and whether it is the first one

    @classmethod
    def of(cls, trees: Iterable[Tree]) -> RuleCounts:
        """Count the rules of binarised trees."""
        counts = cls()
        for tree in trees:
            is_first = True
            open_ = [tree]
            while open_:
                nodes = list(chain_below(open_.pop()))
                chain = tuple(symbol_of(node) for node in nodes)
                counts.chains[chain] += 1
                last = nodes[-1]
                if last.is_preterminal():
                    counts.words[chain[-1], str(last.children[0]), is_first] += 1
                    is_first = False
                    continue
                left, right = last.children
                assert isinstance(left, Tree)
                assert isinstance(right, Tree)
                counts.rules[chain[-1], symbol_of(left), symbol_of(right)] += 1
                open_ += [right, left]
        return counts


def chain_below(node: Tree) -> Iterator[Tree]:
    """Yield the node and its only descendants, down to a tag or to two children."""
    yield node
    while len(node.children) == 1 and isinstance(node.children[0], Tree):
        node = node.children[0]
        yield node


def symbol_of(node: Tree) -> Symbol:
    return Symbol(node.label, node.is_preterminal())
