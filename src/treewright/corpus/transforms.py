"""Trees into other trees, and back: function labels, traces, binary branching, unary chains, the root."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from treewright.calls import explained
from treewright.corpus.brackets import Tree, walk
from treewright.errors import FormatError

TRACES = frozenset({"-NONE-"})
FUNCTION_SIGNS = "-=^|"  # NP-SBJ, NP=2, S^PRD, ADVP|PRT
INSERTED = "@"  # the first character of the label of a node that `binarise` inserted
SIBLING_SIGN = "|"  # between the parts of such a label: X, and the children that it remembers
JOINT = "+"

# The names of brackets that are words, or parts of words.
ESCAPES = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}

Nodes = Sequence[Tree | str]


def rebuild(tree: Tree, make: Callable[[Tree, list[Tree | str]], Nodes]) -> list[Tree | str]:
    """From the leaves up, put make(node, its new children) in the place of each node: none, one or several."""
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


def _rebuilt(tree: Tree, make: Callable[[Tree, list[Tree | str]], Nodes]) -> Tree:
    result = rebuild(tree, make)
    if len(result) != 1 or isinstance(result[0], str):
        raise FormatError(
            tree.source, tree.line, f"the root is {tree.label}, a node that binarise puts in below another"
        )
    return result[0]


def _like(node: Tree, label: str, children: Nodes) -> Tree:
    """The node itself where nothing changed, so that an untouched tree keeps the text it was read from."""
    same = label == node.label and len(children) == len(node.children)
    if same and all(new is old for new, old in zip(children, node.children, strict=True)):
        return node
    return Tree(label, children)


@explained
def strip_functions(tree: Tree, *, tags: bool = False, signs: str = FUNCTION_SIGNS) -> Tree:
    """The tree with labels cut at the first of `signs`: NP-SBJ-1 becomes NP. Labels that begin with one (-LRB-) stay.

    The tags above words are cut only with tags=True: in many treebanks their hyphens mean something else.

    >>> print(strip_functions(Tree.parse("(S (NP-SBJ=2 (N-D dogs)) (VP (V bark)))")))
    (S (NP (N-D dogs)) (VP (V bark)))
    """

    def make(node: Tree, children: list[Tree | str]) -> Nodes:
        plain = not tags and node.is_preterminal()
        return [_like(node, node.label if plain else _category(node.label, signs), children)]

    return _rebuilt(tree, make)


def _category(label: str, signs: str) -> str:
    if label[:1] in signs:  # an unlabelled node too
        return label
    return label[: min((place for sign in signs if (place := label.find(sign)) > 0), default=len(label))]


@explained
def strip_traces(tree: Tree, *, traces: Collection[str] = TRACES) -> Tree | None:
    """The tree without words whose tag is one of `traces` and without empty nodes; None if nothing is left.

    >>> print(strip_traces(Tree.parse("(S (NP-SBJ (-NONE- *PRO*)) (VP (VB run)))")))
    (S (VP (VB run)))
    """

    def make(node: Tree, children: list[Tree | str]) -> Nodes:
        is_trace = node.label in traces and node.is_preterminal()
        return [] if is_trace or not children else [_like(node, node.label, children)]

    left = rebuild(tree, make)
    return left[0] if left and isinstance(left[0], Tree) else None


@explained
def binarise(tree: Tree, *, branching: str = "left", siblings: int = 0) -> Tree:
    """The tree with at most two children a node; the nodes put in are called @X below X. `debinarise` takes them out.

    branching="left": X has the children @X and its last one; "right": its first one and @X. siblings is the number of
    children, nearest to the outside, whose labels are part of the name of an inserted node: with one it is @X|JJ.

    >>> print(binarise(Tree.parse("(NP (DT the) (JJ big) (NN dog))")))
    (NP (@NP (DT the) (JJ big)) (NN dog))
    >>> print(binarise(Tree.parse("(NP (DT the) (JJ big) (NN dog))"), siblings=1))
    (NP (@NP|JJ (DT the) (JJ big)) (NN dog))
    """
    if branching not in ("left", "right"):
        raise ValueError(f"branching is {branching!r}; expected 'left' or 'right'")
    if siblings < 0:
        raise ValueError(f"siblings is {siblings}; expected a number of children, 0 or more")

    def make(node: Tree, children: list[Tree | str]) -> Nodes:
        if node.label.startswith(INSERTED):
            problem = f"the label {node.label!r} begins with {INSERTED}; only nodes that binarise puts in may"
            raise FormatError(tree.source, tree.line, problem)
        if len(children) <= 2:
            return [_like(node, node.label, children)]
        ordered = children if branching == "left" else children[::-1]
        inner = ordered[0]
        for count, child in enumerate(ordered[1:-1], start=2):
            label = INSERTED + node.label + _remembered(ordered[max(count - siblings, 0) : count])
            inner = Tree(label, [inner, child] if branching == "left" else [child, inner])
        return [Tree(node.label, [inner, children[-1]] if branching == "left" else [children[0], inner])]

    return _rebuilt(tree, make)


def _remembered(children: Nodes) -> str:
    """The end of the label of an inserted node: the labels of the children that it remembers."""
    labels = [child if isinstance(child, str) else child.label for child in children]
    return SIBLING_SIGN + SIBLING_SIGN.join(labels) if labels else ""


@explained
def debinarise(tree: Tree) -> Tree:
    """Remove the nodes that `binarise` inserted.

    >>> print(debinarise(Tree.parse("(NP (@NP (DT the) (JJ big)) (NN dog))")))
    (NP (DT the) (JJ big) (NN dog))
    """

    def make(node: Tree, children: list[Tree | str]) -> Nodes:
        return children if node.label.startswith(INSERTED) else [_like(node, node.label, children)]

    return _rebuilt(tree, make)


@explained
def collapse_unaries(tree: Tree, *, tags: bool = False, joint: str = JOINT) -> Tree:
    """The tree with one node for a node and its only child, S over VP becoming S+VP; `expand_unaries` undoes it.

    The tags above words are joined only with tags=True; joint is the string between the labels.

    >>> print(collapse_unaries(Tree.parse("(S (VP (VB run) (ADVP (RB away))))")))
    (S+VP (VB run) (ADVP (RB away)))
    """

    def make(node: Tree, children: list[Tree | str]) -> Nodes:
        if joint in node.label and (tags or not node.is_preterminal()):
            problem = (
                f"the label {node.label!r} has a {joint} in it; give collapse_unaries and expand_unaries another joint"
            )
            raise FormatError(tree.source, tree.line, problem)
        only = children[0]
        if len(children) == 1 and isinstance(only, Tree) and (tags or not only.is_preterminal()):
            return [Tree(node.label + joint + only.label, only.children)]
        return [_like(node, node.label, children)]

    return _rebuilt(tree, make)


@explained
def expand_unaries(tree: Tree, *, tags: bool = False, joint: str = JOINT) -> Tree:
    """The tree with a node for every part of a joined label; tags and joint are those of `collapse_unaries`.

    >>> print(expand_unaries(Tree.parse("(S+VP (VB run) (ADVP (RB away)))")))
    (S (VP (VB run) (ADVP (RB away))))
    """
    if not joint:
        raise ValueError("joint is empty; expected what `collapse_unaries` put between the labels")

    def make(node: Tree, children: list[Tree | str]) -> Nodes:
        if joint not in node.label or (not tags and node.is_preterminal()):
            return [_like(node, node.label, children)]
        *above, label = node.label.split(joint)
        expanded = Tree(label, children)
        for label in reversed(above):
            expanded = Tree(label, [expanded])
        return [expanded]

    return _rebuilt(tree, make)


@explained
def add_root(tree: Tree, label: str = "ROOT") -> Tree:
    """Give the unlabelled root that Penn files have a label, or put a root of this label above the tree.

    >>> print(add_root(Tree.parse("( (S (VB run)))")), add_root(Tree.parse("(S (VB run))"), "TOP"))
    (ROOT (S (VB run))) (TOP (S (VB run)))
    """
    return Tree(label, tree.children) if tree.label == "" else Tree(label, [tree])


@explained
def drop_root(tree: Tree, labels: Collection[str] = ("", "ROOT", "TOP")) -> Tree:
    """The tree below a root with one of these labels, if the root has one child.

    >>> print(drop_root(Tree.parse("( (S (VB run)))")))
    (S (VB run))
    """
    only = tree.children[0]
    return only if tree.label in labels and len(tree.children) == 1 and isinstance(only, Tree) else tree


@explained
def plain_word(word: str) -> str:
    """The word of a leaf, without escapes.

    >>> plain_word("-LRB-"), plain_word(r"1\\/2")
    ('(', '1/2')
    """
    for plain, escaped in ESCAPES.items():
        word = word.replace(escaped, plain)
    return word.replace("\\/", "/").replace("\\*", "*")


@explained
def bracket_word(word: str) -> str:
    """How a word is written as a leaf: brackets by name, a blank as an underscore.

    >>> bracket_word("("), bracket_word("f(x)"), bracket_word("10 000")
    ('-LRB-', 'f-LRB-x-RRB-', '10_000')
    """
    for plain, escaped in ESCAPES.items():
        word = word.replace(plain, escaped)
    return "_".join(word.split())
