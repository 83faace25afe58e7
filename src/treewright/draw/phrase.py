"""Phrase-structure trees: what is to be drawn, and where it goes.

Two layouts, both in integer units of the medium. From the top down, words are in a line and every node above the
middle of its children, at the height that its longest way down has. A tree too wide for that lies on its
side, one word a line: a node's children follow it on its own line while they fit, and are indented under it if not.
Nothing here recurses: nodes are numbered parents first, so a loop from the last node reaches children first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from treewright.checks import describe_value
from treewright.draw.layout import ahead, behind, spread
from treewright.draw.measure import clean, is_right_to_left
from treewright.draw.scene import Direction, Kind, Scene
from treewright.errors import InputError


@dataclass(frozen=True)
class Node:
    """A phrase, or a word if it has no children. It spans the words first..last."""

    text: str
    children: tuple[int, ...]
    first: int
    last: int
    height: int
    kind: Kind = "tree"
    note: str = ""

    @property
    def is_word(self) -> bool:
        return not self.children


@dataclass(frozen=True)
class Phrases:
    """A tree ready to be laid out: its nodes, parents first, the phrases of gold that it lacks, its dependencies."""

    nodes: tuple[Node, ...]
    missed: tuple[str, ...] = ()
    title: str = ""
    name: str = ""
    rtl: bool = False
    dependencies: Scene | None = None  # over the same words, drawn below the tree

    @property
    def words(self) -> list[str]:
        return [node.text for node in self.nodes if node.is_word]


def is_phrase_tree(thing: Any) -> bool:
    """Whether it has a label and children, or is written as ("NP", ("DT", "the"), ("NN", "dog"))."""
    nested = isinstance(thing, (tuple, list)) and len(thing) > 1 and isinstance(thing[0], str)
    return (hasattr(thing, "label") and hasattr(thing, "children")) or nested


def phrases_of(tree: Any, *, gold: Any = None, direction: Direction = "auto", title: str | None = None) -> Phrases:
    """Return the scene of a tree: anything with a label and children, or nested tuples."""
    nodes = nodes_of(tree)
    missed: list[str] = []
    if gold is not None:
        if not is_phrase_tree(gold):
            raise TypeError(f"gold is {describe_value(gold)}; expected a phrase-structure tree to compare with")
        nodes, missed = compare_nodes(nodes, nodes_of(gold))
    words = [node.text for node in nodes if node.is_word]
    return Phrases(
        tuple(nodes),
        tuple(missed),
        clean(title) if title is not None else " ".join(words),
        rtl=direction == "rtl" or (direction == "auto" and is_right_to_left(words)),
    )


def nodes_of(tree: Any) -> list[Node]:
    """Return nodes, parents first. The unlabelled node that Penn files put around a tree is left out."""
    while label_of(tree) == "" and len(children_of(tree)) == 1 and not isinstance(children_of(tree)[0], str):
        tree = children_of(tree)[0]
    texts: list[str] = []
    children: list[list[int]] = []
    stack: list[tuple[Any, int]] = [(tree, -1)]
    while stack:
        thing, parent = stack.pop()
        if parent >= 0:
            children[parent].append(len(texts))
        stack += [(child, len(texts)) for child in reversed(children_of(thing))]
        texts.append(clean(label_of(thing)) or "·")
        children.append([])
    return measure_nodes(texts, children)


def label_of(thing: Any) -> str:
    if isinstance(thing, str):
        return thing
    return str(thing.label if hasattr(thing, "label") else thing[0])


def children_of(thing: Any) -> Sequence[Any]:
    if isinstance(thing, str):
        return ()
    children = thing.children if hasattr(thing, "children") else thing[1:]
    if not children:
        raise InputError(f"the node {label_of(thing)!r} has no children; a word is a plain string under its node")
    return tuple(children)


def measure_nodes(texts: list[str], children: list[list[int]]) -> list[Node]:
    word = sum(not below for below in children)
    nodes: list[Node] = []
    for i in reversed(range(len(texts))):  # children come before their parent, at the end of the list
        below = [nodes[len(texts) - 1 - k] for k in children[i]]
        if below:
            first, last = below[0].first, below[-1].last
        else:
            word -= 1
            first = last = word
        height = 1 + max((node.height for node in below), default=-1)
        nodes.append(Node(texts[i], tuple(children[i]), first, last, height))
    return nodes[::-1]


def compare_nodes(nodes: list[Node], gold: list[Node]) -> tuple[list[Node], list[str]]:
    """Return the nodes compared with gold, and the phrases of gold that are missing."""
    words = [node.text for node in gold if node.is_word]
    if [node.text for node in nodes if node.is_word] != words:
        raise InputError("gold has other words than the tree; only trees over the same words compare")
    left = Counter((node.text, node.first, node.last) for node in gold if not node.is_word)
    right = []
    for node in nodes:
        is_right = not node.is_word and left[node.text, node.first, node.last] > 0
        left[node.text, node.first, node.last] -= is_right
        right.append(is_right)
    labels: defaultdict[tuple[int, int], list[str]] = defaultdict(list)  # of gold, not matched so far
    for (label, first, last), count in left.items():
        labels[first, last] += [label] * count
    marked = [
        mark_node(node, is_right, labels[node.first, node.last]) for node, is_right in zip(nodes, right, strict=True)
    ]
    missed = [f"{label} {' '.join(words[a : b + 1])}" for (a, b), names in sorted(labels.items()) for label in names]
    return marked, missed


def mark_node(node: Node, right: bool, labels: list[str]) -> Node:
    """Compare a node with the labels of gold for the same words; the one set against it is taken out."""
    if node.is_word:
        return node
    if right:
        return replace(node, kind="correct")
    if labels:
        return replace(node, kind="wrong-label", note=f" → {labels.pop(0)}")
    return replace(node, kind="wrong-span", note=" ×")


Width = Callable[[Node], int]


@dataclass(frozen=True)
class Upright:
    """From the top down: the middle of each node, and the width of it all."""

    middles: tuple[int, ...]
    width: int


@dataclass(frozen=True)
class Below:
    """The room that arcs below the words need: widths of words, and distances as in `spread`."""

    widths: Sequence[int]
    demands: Sequence[tuple[int, int, int]]


def upright(nodes: Sequence[Node], width_of: Width, gap: int, snap: int, below: Below | None = None) -> Upright:
    """Lay out a tree; every label fits over the words it spans, so labels at one height keep clear of each other.

    A node that would be within snap of the middle of one of its children is put right above it. below is the room that
    arcs below the words need.
    """
    words = 1 + nodes[0].last
    widths = list(below.widths) if below else [0] * words
    for node in nodes:
        if node.first == node.last:
            widths[node.first] = max(widths[node.first], width_of(node))
    wide = [node for node in nodes if node.first < node.last]
    demands = [
        (node.first, node.last, width_of(node) - ahead(widths[node.first]) - behind(widths[node.last])) for node in wide
    ]
    line = spread(widths, gap, [*demands, *(below.demands if below else ())])
    middles = [0] * len(nodes)
    for i in reversed(range(len(nodes))):
        node = nodes[i]
        if node.is_word:
            middles[i] = line[node.first]
        else:
            low = line[node.first] - ahead(widths[node.first]) + ahead(width_of(node))
            high = line[node.last] + behind(widths[node.last]) - behind(width_of(node))
            preferred = (middles[node.children[0]] + middles[node.children[-1]]) // 2
            distance, nearest = min((abs(middles[k] - preferred), middles[k]) for k in node.children)
            preferred = nearest if distance <= snap else preferred
            middles[i] = min(max(preferred, low), high)
    return Upright(tuple(middles), line[-1] + behind(widths[-1]) + 1)


@dataclass(frozen=True)
class Sideways:
    """On its side: where each node starts, its line, and where lines to its children part (None: it needs none)."""

    starts: tuple[int, ...]
    rows: tuple[int, ...]
    joints: tuple[int | None, ...]
    width: int


@dataclass(frozen=True)
class Steps:
    """The distances in a tree on its side."""

    word: int  # from a tag to its word
    child: int  # from a label to a child on its line
    indent: int  # from a node to children on lines of their own


def sideways(nodes: Sequence[Node], width_of: Width, steps: Steps, width: int) -> Sideways:
    """Lay out a tree on its side: a node's first child is on the line of the node if everything under the node fits."""
    widths = list(map(width_of, nodes))
    is_tag = [len(node.children) == 1 and nodes[node.children[0]].is_word for node in nodes]
    to_child = [width + (steps.word if tag else steps.child) for width, tag in zip(widths, is_tag, strict=True)]
    needed = widths.copy()
    for i in reversed(range(len(nodes))):
        needed[i] = max([needed[i], *(to_child[i] + needed[k] for k in nodes[i].children)])
    starts, rows = [0] * len(nodes), [0] * len(nodes)
    joints: list[int | None] = [None] * len(nodes)
    row = -1
    continues = False  # whether the node follows its parent on the same line
    for i, node in enumerate(nodes):
        row += not continues
        rows[i] = row
        continues = is_tag[i] or (bool(node.children) and starts[i] + needed[i] <= width)
        for k in node.children:
            starts[k] = starts[i] + (to_child[i] if continues else steps.indent)
        if node.children and not is_tag[i]:
            joints[i] = starts[i] + (widths[i] + steps.child // 2 if continues else (steps.indent - 1) // 2)
    end = max(start + width for start, width in zip(starts, widths, strict=True))
    return Sideways(tuple(starts), tuple(rows), tuple(joints), end)
