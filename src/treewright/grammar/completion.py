"""Completion of partly bracketed sentences: what annotators decided stays, and a grammar finds the rest.

In a partial tree a phrase stands for a phrase of the full tree over the same words. Words may stand beside phrases:
their tags, and the phrases between them and the given one, are open. `_` is an open label. A node over a single word is
a tag if the grammar has such a tag, and a phrase otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from treewright.calls import explained
from treewright.corpus import Tree
from treewright.corpus.brackets import walk
from treewright.corpus.transforms import TRACES, rebuild
from treewright.errors import InputError
from treewright.grammar.constraints import Constraint
from treewright.grammar.result import PhraseParse
from treewright.grammar.trees import ROOTS

OPEN = "_"  # the label of a node whose label is open


class ConstrainedGrammar(Protocol):
    """A grammar that takes required phrases and tags."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of phrases."""

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of words."""

    def parse(self, words: list[str], *, require: list[Constraint], max_words: None) -> PhraseParse:
        """The best tree with the required phrases."""


@dataclass(frozen=True)
class Decisions:
    """The words of a partial tree, the constraints that it sets, and its labels with their function labels."""

    words: list[str]
    require: list[Constraint]
    full_labels: dict[tuple[str, int, int], list[str]]  # label without functions, first, last -> as they were written
    full_tags: dict[int, str]


@dataclass(frozen=True)
class CompletedTree:
    """A full tree with all decisions of a partial one; the numbers of phrases and tags that were filled in."""

    tree: Tree
    parse: PhraseParse
    phrases_filled_in: int
    tags_filled_in: int


@explained
def complete(grammar: ConstrainedGrammar, tree: Tree) -> CompletedTree:
    """The best tree of a grammar that has all phrases, labels and tags of a partial tree.

    >>> from treewright.grammar import TreebankGrammar
    >>> grammar = TreebankGrammar.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")])
    >>> print(complete(grammar, Tree.parse("(S (NP-SBJ it) rains)")).tree)
    (S (NP-SBJ (PRP it)) (VP (VBZ rains)))
    """
    found = decisions_of(tree, grammar)
    parse = grammar.parse(found.words, require=found.require, max_words=None)
    full = with_written_labels(parse.tree, found)
    given = sum(map(len, found.full_labels.values()))
    phrases = len([span for span in full.spans() if span[0]]) - given
    return CompletedTree(full, parse, phrases, len(found.words) - len(found.full_tags))


def decisions_of(tree: Tree, grammar: ConstrainedGrammar) -> Decisions:
    """What a partial tree decides."""
    found = Decisions([], [], {}, {})
    open_: list[tuple[Tree, int]] = []
    for event in walk(tree):
        if isinstance(event, Tree):
            if event.label in TRACES:
                raise InputError(f"{where(tree)}the partial tree has a trace; remove traces before completion")
            open_.append((event, len(found.words)))
        elif event is None:
            node, first = open_.pop()
            decide(node, first, grammar, found, is_top=not open_)
        else:
            found.words.append(event)
    if not found.words:
        raise InputError(f"{where(tree)}the partial tree has no words")
    return found


def decide(node: Tree, first: int, grammar: ConstrainedGrammar, found: Decisions, is_top: bool) -> None:
    """Add what one node of a partial tree says."""
    last, label = len(found.words), plain_label(node.label)
    if last == first or (is_top and node.label in ROOTS):
        return
    if node.is_preterminal() and last - first == 1 and (node.label in grammar.tags or node.label == OPEN):
        if node.label != OPEN:
            found.require.append((first, node.label))
            found.full_tags[first] = node.label
    elif label in (OPEN, ""):
        found.require.append((first, last))
    else:
        found.require.append((label, first, last))
        found.full_labels.setdefault((label, first, last), []).append(node.label)


def plain_label(label: str) -> str:
    """A label without function labels: NP of NP-SBJ.

    >>> plain_label("NP-SBJ"), plain_label("-LRB-"), plain_label("_")
    ('NP', '-LRB-', '_')
    """
    ends = [place for place, sign in enumerate(label) if sign in "-=" and place]
    return label[: ends[0]] if ends and not label.startswith("-") else label


def with_written_labels(tree: Tree, found: Decisions) -> Tree:
    """The tree with the function labels that the partial tree has."""
    spans = {key: list(labels) for key, labels in found.full_labels.items()}
    words: list[int] = []
    ends: dict[int, tuple[int, int]] = {}
    open_: list[tuple[Tree, int]] = []
    for event in walk(tree):
        if isinstance(event, Tree):
            open_.append((event, len(words)))
        elif event is None:
            node, first = open_.pop()
            ends[id(node)] = (first, len(words))
        else:
            words.append(len(words))

    def make(node: Tree, children: list[Tree | str]) -> list[Tree | str]:
        first, last = ends[id(node)]
        written = spans.get((node.label, first, last)) if not node.is_preterminal() else None
        return [Tree(written.pop(0) if written else node.label, children)]

    [full] = rebuild(tree, make)
    assert isinstance(full, Tree)
    return full


def where(tree: Tree) -> str:
    return f"{tree.source}:{tree.line}: " if tree.line else ""
