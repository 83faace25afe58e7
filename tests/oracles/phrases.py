"""Random phrase-structure trees of the Penn style."""

from __future__ import annotations

import numpy as np

from treewright.corpus import Tree
from treewright.grammar import HeadRules

TAGS = ("NN", "NNS", "VB", "IN", "JJ", "DT", ",", ":", "``")


def random_penn_tree(rng: np.random.Generator, rules: HeadRules) -> Tree:
    """A tree below S whose phrases have a word that is no punctuation; no clause is at the end of a noun phrase."""

    def grown(label: str, depth: int) -> Tree:
        children: list[Tree] = []
        for _ in range(int(rng.integers(1, 4))):
            if depth and rng.random() < 0.5:
                inner = str(rng.choice(["NP", "VP", "PP", "ADJP"]))
                children.append(grown(inner, depth - 1) if inner != label else grown("ADVP", depth - 1))
            else:
                children.append(Tree(str(rng.choice(TAGS)), [f"w{rng.integers(9)}"]))
        if all(child.is_preterminal() and rules.is_punctuation(child.label) for child in children):
            children.append(Tree("NN", ["w"]))
        return Tree(label, children)

    return Tree("S", [grown("NP", 3), grown("VP", 3), Tree(".", ["."])])
