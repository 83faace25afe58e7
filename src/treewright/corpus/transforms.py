"""Trees into other trees: function labels, traces, binary branching and back, the root."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treewright.corpus.brackets import Tree, walk
from treewright.errors import FormatError

WRAPPERS = ("", "ROOT", "S1", "TOP")  # labels of the bracket that files wrap around each tree; it is no phrase
TRACES = frozenset({"-NONE-"})
FUNCTION_SIGNS = "-=^|"  # NP-SBJ, NP=2, S^PRD, ADVP|PRT
INSERTED = "@"  # the first character of the label of a node that `binarise` inserted
SIBLING_SIGN = "|"  # between the parts of such a label: X, and the children that it remembers

# The names of brackets that are words, or parts of words.
ESCAPES = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}

Nodes = Sequence[Tree | str]


def rebuild(tree: Tree, make: Callable[[Tree, list[Tree | str]], Nodes]) -> list[Tree | str]:
    """Put, from the leaves up, make(node, its new children) in the place of each node: none, one or several."""
    stack: list[tuple[Tree, list[Tree | str]]] = []
    result: list[Tree | str] = []
    for event in walk(tree):
        if isinstance(event, Tree):
            stack.append((event, []))
        elif event is None:
            node, children = stack.pop()
            (stack[-1][1] if stack else result).extend(make(node, children))
        else:
            stack[-1][1].append(event)
    return result


def _rebuild_root(tree: Tree, make: Callable[[Tree, list[Tree | str]], Nodes]) -> Tree:
    result = rebuild(tree, make)
    if len(result) != 1 or isinstance(result[0], str):
        problem = f"the root is {tree.label}, a node that binarise puts in below another"
        raise FormatError(tree.source, tree.line, problem)
    return result[0]


def _like(node: Tree, label: str, children: Nodes) -> Tree:
    """Return the node itself where nothing changed, so that an untouched tree keeps the text it was read from."""
    same = label == node.label and len(children) == len(node.children)
    if same and all(new is old for new, old in zip(children, node.children, strict=True)):
        return node
    return Tree(label, children)


def strip_functions(tree: Tree) -> Tree:
    """Return the tree with labels cut down to their category: NP-SBJ-1 becomes NP.

    Labels that begin with a sign (-LRB-) stay, and so do the tags above words: in many treebanks their hyphens mean
    something else.

    >>> print(strip_functions(Tree.parse("(S (NP-SBJ=2 (N-D dogs)) (VP (V bark)))")))
    (S (NP (N-D dogs)) (VP (V bark)))
    """

    def make(node: Tree, children: list[Tree | str]) -> Nodes:
        return [_like(node, node.label if node.is_preterminal() else _category(node.label), children)]

    return _rebuild_root(tree, make)


def _category(label: str) -> str:
    if label[:1] in FUNCTION_SIGNS:  # an unlabelled node too
        return label
    return label[: min((end for sign in FUNCTION_SIGNS if (end := label.find(sign)) > 0), default=len(label))]


def strip_traces(tree: Tree) -> Tree | None:
    """Return the tree without traces (-NONE-) and without empty nodes; None if nothing is left.

    >>> print(strip_traces(Tree.parse("(S (NP-SBJ (-NONE- *PRO*)) (VP (VB run)))")))
    (S (VP (VB run)))
    """

    def make(node: Tree, children: list[Tree | str]) -> Nodes:
        is_trace = node.label in TRACES and node.is_preterminal()
        return [] if is_trace or not children else [_like(node, node.label, children)]

    left = rebuild(tree, make)
    return left[0] if left and isinstance(left[0], Tree) else None


def binarise(tree: Tree, *, siblings: int = 0) -> Tree:
    """Return the tree with at most two children a node; `debinarise` undoes it.

    A node X with more has the children @X and its last one. siblings is the number of children, nearest to the
    outside, whose labels are part of the name of an inserted node: with one it is @X|JJ.

    >>> print(binarise(Tree.parse("(NP (DT the) (JJ big) (NN dog))")))
    (NP (@NP (DT the) (JJ big)) (NN dog))
    >>> print(binarise(Tree.parse("(NP (DT the) (JJ big) (NN dog))"), siblings=1))
    (NP (@NP|JJ (DT the) (JJ big)) (NN dog))
    """
    if siblings < 0:
        raise ValueError(f"siblings is {siblings}; expected a number of children, 0 or more")

    def make(node: Tree, children: list[Tree | str]) -> Nodes:
        if node.label.startswith(INSERTED):
            problem = f"the label {node.label!r} begins with {INSERTED}; only nodes that binarise puts in may"
            raise FormatError(tree.source, tree.line, problem)
        if len(children) <= 2:
            return [_like(node, node.label, children)]
        inner = children[0]
        for count, child in enumerate(children[1:-1], start=2):
            label = INSERTED + node.label + _sibling_labels(children[max(count - siblings, 0) : count])
            inner = Tree(label, [inner, child])
        return [Tree(node.label, [inner, children[-1]])]

    return _rebuild_root(tree, make)


def _sibling_labels(children: Nodes) -> str:
    """Return the end of the label of an inserted node: the labels of the children that it remembers."""
    labels = [child if isinstance(child, str) else child.label for child in children]
    return SIBLING_SIGN + SIBLING_SIGN.join(labels) if labels else ""


def debinarise(tree: Tree) -> Tree:
    """Remove the nodes that `binarise` inserted.

    >>> print(debinarise(Tree.parse("(NP (@NP (DT the) (JJ big)) (NN dog))")))
    (NP (DT the) (JJ big) (NN dog))
    """

    def make(node: Tree, children: list[Tree | str]) -> Nodes:
        return children if node.label.startswith(INSERTED) else [_like(node, node.label, children)]

    return _rebuild_root(tree, make)


def drop_root(tree: Tree) -> Tree:
    """Return the tree below a wrapper (`WRAPPERS`), if the wrapper has one child.

    >>> print(drop_root(Tree.parse("( (S (VB run)))")))
    (S (VB run))
    """
    only = tree.children[0]
    return only if tree.label in WRAPPERS and len(tree.children) == 1 and isinstance(only, Tree) else tree


def bracket_word(word: str) -> str:
    """Return a word as it is written as a leaf: brackets by name, a blank as an underscore.

    >>> bracket_word("("), bracket_word("f(x)"), bracket_word("10 000")
    ('-LRB-', 'f-LRB-x-RRB-', '10_000')
    """
    for plain, escaped in ESCAPES.items():
        word = word.replace(plain, escaped)
    return "_".join(word.split())
