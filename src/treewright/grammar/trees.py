"""Trees as grammars are trained on them.

`prepare_tree` removes what a grammar does not model: traces, function labels, a node over a single one of its label.
`binarise_tree` gives the labels their context (Markovisation; Klein and Manning 2003) and leaves at most two children a
node. The transformations themselves are those of treewright.corpus.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from treewright.checks import Checked, Count, Range
from treewright.corpus import Tree, binarise, drop_root, read_trees, strip_functions, strip_traces
from treewright.corpus.brackets import walk
from treewright.corpus.transforms import INSERTED, TRACES, WRAPPERS, Nodes, rebuild
from treewright.errors import FormatError, InputError
from treewright.model.modelfile import package_version

ROOT = "ROOT"  # the label of the root of every prepared tree
PARENT_SIGN = "^"  # between a label and those above it: NP^S

TreeSource = str | os.PathLike[str] | Iterable[Tree]


@dataclass(frozen=True)
class Markov(Checked):
    """How much context the labels of a binarised tree have.

    vertical is the number of labels of a phrase, its own included: with 2 it is NP^S, a noun phrase below S.
    horizontal is the number of children that an inserted node remembers. tags: whether tags have a parent too.
    """

    vertical: Annotated[int, Range(1, 3)] = 1
    horizontal: Count = 1
    tags: bool = False


class Prepared(Tree):
    """A tree below ROOT, with the label of the wrapper that it had in place of ROOT, or None if it had none."""

    __slots__ = ("wrapper",)

    wrapper: str | None

    def __init__(self, children: Iterable[Tree | str], wrapper: str | None) -> None:
        super().__init__(ROOT, children)
        object.__setattr__(self, "wrapper", wrapper)


def trees_of(source: TreeSource, *, skip_bad: bool = False) -> tuple[list[Tree], list[FormatError]]:
    """Return the prepared trees of source, a file or trees, and with skip_bad the errors of those that are left out.

    >>> trees, errors = trees_of([Tree.parse("(NP (NN dog))"), Tree.parse("(NP (-NONE- *))")], skip_bad=True)
    >>> print(trees[0], len(errors))
    (ROOT (NP (NN dog))) 1
    """
    if isinstance(source, (str, os.PathLike)):
        with read_trees(source, on_error="skip" if skip_bad else "raise") as reader:
            prepared, errors = prepare_trees(reader, skip_bad)
        return prepared, sorted([*reader.errors, *errors], key=lambda error: error.line)
    return prepare_trees(source, skip_bad)


def prepare_trees(trees: Iterable[Tree], skip_bad: bool) -> tuple[list[Tree], list[FormatError]]:
    """Prepare each tree; return also the errors of those that cannot be, unless the first of them is raised."""
    prepared: list[Tree] = []
    errors: list[FormatError] = []
    for number, tree in enumerate(trees):
        if not isinstance(tree, Tree):
            raise InputError(f"trees[{number}] is {type(tree).__name__}; expected a treewright Tree")
        try:
            prepared.append(prepare_tree(tree))
        except FormatError as error:
            if not skip_bad:
                raise
            errors.append(error)
    return prepared, errors


def training_trees(source: TreeSource) -> list[Tree]:
    """Return the prepared trees of a file, or of trees, of which there must be some."""
    trees, _ = trees_of(source)
    if not trees:
        raise InputError("there is no tree to train on")
    return trees


def metadata_of(trees: Sequence[Tree]) -> dict[str, Any]:
    """Return what a model file says about the trees that it was trained on."""
    words = Counter(word for tree in trees for word in tree.leaves())
    [(wrapper, _)] = Counter(getattr(tree, "wrapper", None) for tree in trees).most_common(1)
    return {
        "trees": len(trees),
        "words": words.total(),
        "wrapper": wrapper,  # of most trees; None: they have none
        "penn_quotes": words["``"] > words['"'],
        "version": package_version(),
    }


def wrap(tree: Tree, wrapper: str | None) -> Tree:
    """Return the tree as the file that a grammar was trained on would have it.

    >>> print(wrap(Tree.parse("(NP (NN dog))"), "TOP"))
    (TOP (NP (NN dog)))
    """
    return tree if wrapper is None else Tree(wrapper, tree.children if tree.label == "" else [tree])


def prepare_tree(tree: Tree) -> Prepared:
    """Return the tree below ROOT without traces, function labels and phrases over a single phrase of the same label.

    Tags stay as they are. Several words below one tag have this tag each. A tree without words, a word beside a phrase,
    a chain of single children in which a label occurs twice, and labels that begin with @ or contain ^ are errors with
    the place of the tree.

    >>> print(prepare_tree(Tree.parse("( (S (NP-SBJ (NP (PRP it))) (VP (VBZ rains) (NP (-NONE- *)))))")))
    (ROOT (S (NP (PRP it)) (VP (VBZ rains))))
    """
    bare = strip_traces(tree)
    if bare is None:
        raise FormatError(tree.source, tree.line, "the tree has no words, only traces; remove it")
    top = drop_root(strip_functions(bare))
    check_nodes(top, tree)
    is_root = top.label in WRAPPERS and not top.is_preterminal()
    children = top.children if is_root else [top]
    rebuilt = [[child] if isinstance(child, str) else rebuild(child, merge_node) for child in children]
    outer = tree.wrapper if isinstance(tree, Prepared) else bare.label
    rooted = Prepared([node for nodes in rebuilt for node in nodes], outer if outer in WRAPPERS else None)
    check_chains(rooted, tree)
    return rooted


def check_nodes(top: Tree, tree: Tree) -> None:
    """Refuse words beside phrases, nodes without a label and labels with the signs that binarisation uses."""
    for node in top.subtrees():
        words = [child for child in node.children if isinstance(child, str)]
        if words and len(words) < len(node.children):
            problem = f"the word {words[0]!r} stands beside phrases below {node.label}; give it a tag of its own"
            raise FormatError(tree.source, tree.line, problem)
        if node.label in TRACES:
            problem = f"{node.label}, the tag of traces, stands over other nodes; give it only one word"
            raise FormatError(tree.source, tree.line, problem)
        if not node.label and (node is not top or words):
            raise FormatError(tree.source, tree.line, "a node below the root has no label; give it one")
        if node.label.startswith(INSERTED) or PARENT_SIGN in node.label:
            problem = f"the label {node.label!r} has a sign of the grammar's own labels (@ in front, or ^); rename it"
            raise FormatError(tree.source, tree.line, problem)


def merge_node(node: Tree, children: list[Tree | str]) -> Nodes:
    """Replace a node over a single phrase of its label by that phrase, a tag over several words by one tag a word."""
    if node.is_preterminal():
        return [Tree(node.label, [word]) for word in children]
    only = children[0]
    if len(children) == 1 and isinstance(only, Tree) and only.label == node.label and not only.is_preterminal():
        return [only]
    return [Tree(node.label, children)]


def check_chains(rooted: Tree, tree: Tree) -> None:
    """Refuse a label twice among phrases over the same words: the grammar would have a cycle of unary rules."""
    chain: list[str] = []
    for event in walk(rooted):
        if isinstance(event, str) or event is None:
            continue
        if not event.is_preterminal():
            chain.append(event.label)
            if chain.count(event.label) > 1:
                shown = " over ".join(chain)
                problem = f"unary cycle: {shown}, all over the same words; keep one {event.label} or skip the tree"
                raise FormatError(tree.source, tree.line, problem)
        if len(event.children) > 1 or event.is_preterminal():
            chain = []


def binarise_tree(tree: Tree, markov: Markov) -> Tree:
    """Give a prepared tree the labels of a grammar (markov) and at most two children a node.

    >>> tree = prepare_tree(Tree.parse("(NP (DT the) (JJ big) (NN dog))"))
    >>> print(binarise_tree(tree, Markov(vertical=2, horizontal=1)))
    (ROOT (NP^ROOT (@NP^ROOT|JJ (DT the) (JJ big)) (NN dog)))
    """
    return binarise(annotate(tree, markov), siblings=markov.horizontal)


def annotate(tree: Tree, markov: Markov) -> Tree:
    """Return the tree with labels of phrases that name those above them, and with markov.tags tags that do."""
    if markov.vertical == 1 and not markov.tags:
        return tree
    above: list[str] = []
    names: dict[int, str] = {}  # of the nodes, by identity
    for event in walk(tree):
        if event is None:
            above.pop()
        elif isinstance(event, Tree):
            names[id(event)] = label_below(event, above, markov)
            above.append(event.label)
    [annotated] = rebuild(tree, lambda node, children: [Tree(names[id(node)], children)])
    assert isinstance(annotated, Tree)
    return annotated


def label_below(node: Tree, above: list[str], markov: Markov) -> str:
    """Return the label of a node with those of as many ancestors as it names."""
    count = markov.vertical - 1
    if node.is_preterminal():
        count = int(markov.tags)
    return PARENT_SIGN.join([node.label, *above[len(above) - min(count, len(above)) :][::-1]])


def plain_label(label: str) -> str:
    """Return a label without those above it.

    >>> plain_label("NP^S^ROOT")
    'NP'
    """
    return label.partition(PARENT_SIGN)[0]
