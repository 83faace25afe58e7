"""Completion of partly bracketed sentences: what annotators decided stays, and a grammar finds the rest.

In a partial tree a phrase stands for a phrase of the full tree over the same words. Words may stand beside phrases:
their tags, and the phrases between them and the given one, are open. `_` is an open label. A node over a single word is
a tag if the grammar has such a tag, and a phrase otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

from treewright.corpus import Tree
from treewright.corpus.brackets import walk
from treewright.corpus.transforms import TRACES, WRAPPERS, rebuild
from treewright.errors import InputError
from treewright.grammar.constraints import Constraint
from treewright.grammar.latent import LatentGrammar
from treewright.grammar.result import PhraseParse
from treewright.grammar.treebank import TreebankGrammar

OPEN = "_"  # the label of a node whose label is open

ConstrainedGrammar = TreebankGrammar | LatentGrammar  # those that take required phrases and tags


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


def complete(grammar: ConstrainedGrammar, tree: Tree) -> CompletedTree:
    """Find the best tree of a grammar that has all phrases, labels and tags of a partial tree.

    >>> from treewright.grammar import TreebankGrammar
    >>> grammar = TreebankGrammar.train([Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)))")])
    >>> print(complete(grammar, Tree.parse("(S (NP-SBJ it) rains)")).tree)
    (S (NP-SBJ (PRP it)) (VP (VBZ rains)))
    """
    decisions = decisions_of(tree, grammar)
    parse = grammar.parse(decisions.words, require=decisions.require, max_words=None)
    full = with_written_labels(parse.tree, decisions)
    decided = sum(map(len, decisions.full_labels.values()))
    phrases = len([span for span in full.spans() if span[0]]) - decided
    return CompletedTree(full, parse, phrases, len(decisions.words) - len(decisions.full_tags))


def decisions_of(tree: Tree, grammar: ConstrainedGrammar) -> Decisions:
    """Return what a partial tree decides."""
    decisions = Decisions([], [], {}, {})
    open_: list[tuple[Tree, int]] = []
    for event in walk(tree):
        if isinstance(event, Tree):
            if event.label in TRACES:
                raise InputError(f"{where(tree)}the partial tree has a trace; remove traces before completion")
            open_.append((event, len(decisions.words)))
        elif event is None:
            node, first = open_.pop()
            decide(node, first, grammar, decisions, is_top=not open_)
        else:
            decisions.words.append(event)
    if not decisions.words:
        raise InputError(f"{where(tree)}the partial tree has no words")
    return decisions


def decide(node: Tree, first: int, grammar: ConstrainedGrammar, decisions: Decisions, is_top: bool) -> None:
    """Add what one node of a partial tree says."""
    last, label = len(decisions.words), without_functions(node.label)
    if last == first or (is_top and node.label in WRAPPERS):
        return
    if node.is_preterminal() and last - first == 1 and (node.label in grammar.tags or node.label == OPEN):
        if node.label != OPEN:
            decisions.require.append((first, node.label))
            decisions.full_tags[first] = node.label
    elif label in (OPEN, ""):
        decisions.require.append((first, last))
    else:
        decisions.require.append((label, first, last))
        decisions.full_labels.setdefault((label, first, last), []).append(node.label)


def without_functions(label: str) -> str:
    """Return a label without function labels: NP of NP-SBJ.

    >>> without_functions("NP-SBJ"), without_functions("-LRB-"), without_functions("_")
    ('NP', '-LRB-', '_')
    """
    ends = [position for position, sign in enumerate(label) if sign in "-=" and position]
    return label[: ends[0]] if ends and not label.startswith("-") else label


def with_written_labels(tree: Tree, decisions: Decisions) -> Tree:
    """Return the tree with the function labels that the partial tree has."""
    open_labels = {key: list(labels) for key, labels in decisions.full_labels.items()}
    label_of: dict[int, str] = {}  # of the nodes, by identity
    for node, span in zip(tree.subtrees(), tree.spans(tags=True), strict=True):
        written = None if node.is_preterminal() else open_labels.get((node.label, span.first, span.last))
        label_of[id(node)] = written.pop() if written else node.label  # parents come first, and are last in the list
    [full] = rebuild(tree, lambda node, children: [Tree(label_of[id(node)], children)])
    assert isinstance(full, Tree)
    return full


def where(tree: Tree) -> str:
    return f"{tree.source}:{tree.line}: " if tree.line else ""
