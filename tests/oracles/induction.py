"""Small corpora of tags for grammar induction; left-corner depth and the DMV's probability of a tree by definition."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from oracles.trees import Tree, any_nonprojective, dominates, sides

import treewright as tw
from treewright.induce.tagged import TaggedCorpus

# A small corpus of tags for the tests of induction.

KINDS = ("ADP", "DET", "NOUN", "VERB")


def corpus_of(*sentences: str) -> TaggedCorpus:
    tags = [[KINDS.index(tag) for tag in sentence.split()] for sentence in sentences]
    flat = np.array([tag for sentence in tags for tag in sentence], dtype=np.int32)
    return TaggedCorpus(KINDS, flat, np.cumsum([len(sentence) for sentence in tags]).astype(np.int32))


CORPUS = corpus_of(
    "DET NOUN VERB",
    "NOUN VERB DET NOUN",
    "DET NOUN VERB ADP DET NOUN",
    "VERB DET NOUN",
    "NOUN VERB NOUN ADP NOUN",
    "ADP DET",
)


# A small corpus of tag sequences for grammar induction; each word is its tag in lower case.

SEQUENCES = [
    "DET NOUN VERB DET NOUN PUNCT",
    "PRON VERB ADV PUNCT",
    "DET ADJ NOUN VERB ADP DET NOUN PUNCT",
    "PUNCT NOUN VERB NOUN PUNCT",
    "VERB DET NOUN ADP NOUN PUNCT",
    "PRON AUX VERB DET ADJ NOUN PUNCT",
] * 3


def sentence(tags: str, heads: list[int] | None = None) -> tw.Sentence:
    upos = tags.split()
    return tw.Sentence.from_words([tag.lower() for tag in upos], upos=upos, heads=heads)


SENTENCES = [sentence(tags) for tags in SEQUENCES]


# Left-corner depth and the DMV's probability of a tree, by definition. Slow and plain on purpose.


def projective_trees(n: int) -> list[Tree]:
    """Every projective tree with one root child; all of them for n <= 6 within seconds."""
    found = []
    for heads in product(range(n + 1), repeat=n):
        tree = (-1, *heads)
        if tree.count(0) == 1 and all(dominates(tree, 0, m) for m in range(1, n + 1)) and not any_nonprojective(tree):
            found.append(tree)
    return found


@dataclass(frozen=True)
class Node:
    """A node of the binary tree; a word has no children."""

    size: int
    left: Node | None = None
    right: Node | None = None


def join(left: Node, right: Node) -> Node:
    return Node(left.size + right.size, left, right)


def binarised(heads: Tree, h: int, is_left_type: bool) -> Node:
    """The root and every left modifier take their left modifiers first, right modifiers their right ones."""
    left, right = sides(heads, h)
    node = Node(1)
    for side in ("left", "right") if is_left_type else ("right", "left"):
        for m in left if side == "left" else right:
            child = binarised(heads, m, m < h)
            node = join(child, node) if side == "left" else join(node, child)
    return node


def depth(heads: Tree, chunk: int) -> int:
    """A left child spanning more than `chunk` words whose parent is itself a right child is one level deeper."""
    deepest = 0
    todo = [(binarised(heads, heads.index(0), True), 1, False)]
    while todo:
        node, level, is_right_child = todo.pop()
        deepest = max(deepest, level)
        if node.left is not None and node.right is not None:
            embeds = is_right_child and node.left.size > chunk
            todo.append((node.left, level + embeds, False))
            todo.append((node.right, level, True))
    return deepest


def probability(heads: Tree, tags: list[int], root: Any, stop: Any, go: Any, attach: Any, length_weight: Any) -> float:
    """The product of what the DMV pays for one tree; stop and go by [tag, side, has a modifier there]."""
    total = 1.0
    for h in range(1, len(heads)):
        t = tags[h - 1]
        if heads[h] == 0:
            total *= root[t]
        for side in (0, 1):
            has_modifier = 0
            for m in sides(heads, h)[side]:
                total *= go[t, side, has_modifier] * attach[t, side, tags[m - 1]] * length_weight[abs(h - m) - 1]
                has_modifier = 1
            total *= stop[t, side, has_modifier]
    return float(total)
