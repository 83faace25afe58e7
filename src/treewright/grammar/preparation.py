"""Trees as Collins' model 1 generates them, and back (Collins 1999, as Bikel 2004 describes it).

In this order: the words with a dropped tag (quotation marks, full stops) are removed; base noun phrases are marked and
put below a noun phrase; a clause at the end of a base noun phrase moves up beside it; commas and colons at the edge
of a phrase move up as far as possible. `restore` removes the marks and puts the dropped words back.
"""

from __future__ import annotations

from collections.abc import Sequence

from treewright.corpus import Tree
from treewright.corpus.transforms import Nodes, rebuild
from treewright.grammar.head_rules import HeadRules


def prepare(tree: Tree, rules: HeadRules) -> Tree | None:
    """Return the tree, without function labels and traces, as the model generates it; None if no word is left."""
    kept = drop_punctuation(tree, rules)
    if kept is None:
        return None
    if rules.base:
        kept = mark_base_phrases(kept, rules)
    return raise_punctuation(kept, rules)


def drop_punctuation(tree: Tree, rules: HeadRules) -> Tree | None:
    """Return the tree without the words whose tag is dropped, and without the nodes that have no other words."""

    def make(node: Tree, children: list[Tree | str]) -> Nodes:
        if not children or (node.is_preterminal() and node.label in rules.dropped):
            return []
        return [Tree(node.label, children)]

    left = rebuild(tree, make)
    return left[0] if left and isinstance(left[0], Tree) else None


def mark_base_phrases(tree: Tree, rules: HeadRules) -> Tree:
    """Mark noun phrases without a noun phrase below (possessive ones do not count), each below a noun phrase."""
    base = rules.base_mark

    def is_phrase(child: Tree | str) -> bool:
        """Whether a child is a noun phrase that makes its parent more than a base phrase."""
        if not isinstance(child, Tree) or child.label not in (rules.base, base):
            return False
        inner = child.children[0] if child.label == rules.base and len(child.children) == 1 else child
        return not _is_possessive(inner, rules)

    def make(node: Tree, children: list[Tree | str]) -> Nodes:
        if node.label != rules.base or any(map(is_phrase, children)):
            return [Tree(node.label, _wrap_base(children, node.label, rules))]
        last = children[-1]
        if len(children) > 1 and isinstance(last, Tree) and last.label in rules.clauses:
            inner = Tree(base, _wrap_base(children[:-1], base, rules))
            return [Tree(node.label, [inner, last])]
        return [Tree(base, _wrap_base(children, base, rules))]

    (root,) = _wrap_base(rebuild(tree, make), "", rules)
    assert isinstance(root, Tree)
    return root


def _is_possessive(node: Tree | str, rules: HeadRules) -> bool:
    last = node.children[-1] if isinstance(node, Tree) else node
    return isinstance(last, Tree) and last.is_preterminal() and last.label in rules.possessive


def _wrap_base(children: Sequence[Tree | str], parent: str, rules: HeadRules) -> list[Tree | str]:
    """Return the children of a node; base phrases are put below a phrase of their own unless the node is one."""
    base = rules.base_mark
    if parent == rules.base or not rules.base:
        return list(children)
    wrap = [isinstance(child, Tree) and child.label == base for child in children]
    return [Tree(rules.base, [child]) if put else child for child, put in zip(children, wrap, strict=True)]


def raise_punctuation(tree: Tree, rules: HeadRules) -> Tree:
    """Move commas and colons at the edges of phrases up until they are between two words of their parent."""

    def is_raised(child: Tree | str) -> bool:
        return isinstance(child, Tree) and child.is_preterminal() and child.label in rules.raised

    def make(node: Tree, children: list[Tree | str]) -> Nodes:
        if node is tree or all(map(is_raised, children)):
            return [Tree(node.label, children)]
        first = next(index for index, child in enumerate(children) if not is_raised(child))
        after = next(index for index in range(len(children), 0, -1) if not is_raised(children[index - 1]))
        return [*children[:first], Tree(node.label, children[first:after]), *children[after:]]

    (root,) = rebuild(tree, make)
    assert isinstance(root, Tree)
    return root


def restore(tree: Tree, rules: HeadRules, words: Sequence[str], dropped: Sequence[str | None]) -> Tree:
    """Return the tree of a sentence: no base marks, and the dropped words at their places.

    words are those of the whole sentence; dropped has the tag of each word that is to be put in, None for the others.
    A dropped word becomes a child of the lowest node that has words on both of its sides; at the beginning and the end
    of the sentence, of the root.
    """
    unmarked = _unmark(tree, rules)
    kept = [position for position, tag in enumerate(dropped) if tag is None]
    phrases = [(label, kept[first], kept[last - 1] + 1) for label, first, last in unmarked.spans(tags=True)]
    phrases[0] = unmarked.label, 0, len(words)
    inserted = [(tag, position, position + 1) for position, tag in enumerate(dropped) if tag is not None]
    [root] = nest(sorted([*phrases, *inserted], key=lambda span: (span[1], -span[2])), words)
    return root


def nest(spans: Sequence[tuple[str, int, int]], words: Sequence[str]) -> list[Tree]:
    """Return the trees of labelled spans, parents before their children; a span that is not divided is a tag."""
    trees: list[tuple[int, Tree]] = []  # with their first words; the leftmost is last
    for label, begin, end in reversed(spans):
        children: list[Tree | str] = []
        while trees and trees[-1][0] < end:
            children.append(trees.pop()[1])
        trees.append((begin, Tree(label, children or [words[begin]])))
    return [tree for _, tree in reversed(trees)]


def _unmark(tree: Tree, rules: HeadRules) -> Tree:
    plain, base = rules.base, rules.base_mark
    if plain is None:
        return tree

    def make(node: Tree, children: list[Tree | str]) -> Nodes:
        only = children[0] if len(children) == 1 else None
        if node.label == plain and isinstance(node.children[0], Tree) and node.children[0].label == base and only:
            return [only]
        return [Tree(plain if node.label == base else node.label, children)]

    (root,) = rebuild(tree, make)
    assert isinstance(root, Tree)
    return root
