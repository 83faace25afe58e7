"""What all grammars have in common, and how their trees are scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from treewright.corpus import Tree
from treewright.evaluate.bracketing import BracketScores, brackets
from treewright.grammar.result import PhraseParse


class Grammar(Protocol):
    """A model that finds phrase-structure trees."""

    def parse(
        self, words: Sequence[str], *, tags: Sequence[str | None] | None = None, partial: bool = False
    ) -> PhraseParse:
        """Find the best tree of a sentence; see `TreebankGrammar.parse`."""


def bracket_scores(grammar: Grammar, trees: Sequence[Tree]) -> dict[str, float]:
    """Return F1 of the brackets, without the root, and accuracy of the tags of a grammar's trees against gold trees."""
    scores = scores_of(trees, [grammar.parse(tree.leaves(), partial=True).tree for tree in trees])
    return {"f1": scores.brackets.f1, "tags": scores.tagging_accuracy}


def scores_of(gold: Sequence[Tree], system: Sequence[Tree]) -> BracketScores:
    """Score brackets and tags of the trees of a system; wrappers (ROOT, TOP) do not count.

    >>> gold, system = Tree.parse("(ROOT (S (NP (DT the) (NN dog))))"), Tree.parse("(S (DT the) (NN dog))")
    >>> score = scores_of([gold], [system]).brackets
    >>> score.correct, score.gold, score.system
    (1, 2, 1)
    """
    return brackets(gold, system).all
