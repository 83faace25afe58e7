"""Phrase-structure trees as nested tuples, one for every seed, and ways of writing them down."""

from __future__ import annotations

from random import Random

Nested = str | tuple[str, list["Nested"]]

LABELS = ["S", "NP", "NP-SBJ", "VP", "ADVP-TMP=2", "-NONE-", "X|Y", "PP"]
WORDS = ["a", "dog", "-LRB-", "*T*-1", "1\\/2", "naïve", "語", "x\u00a0y"]


def some_nested(random: Random, depth: int = 0) -> tuple[str, list[Nested]]:
    """A tree up to six nodes deep; its root may have no label."""
    label = random.choice(["", "S", "ROOT"]) if depth == 0 else random.choice(LABELS)
    if depth == 5 or random.random() < 0.3:
        return label or "S", [random.choice(WORDS) for _ in range(random.choice([1, 1, 1, 2]))]
    children: list[Nested] = [some_nested(random, depth + 1) for _ in range(random.choice([1, 1, 2, 2, 3, 4]))]
    if label and random.random() < 0.1:
        children.append(random.choice(WORDS))
    return label, children


def spelled(node: Nested, random: Random) -> str:
    """One of the ways to write it in brackets."""
    if isinstance(node, str):
        return node
    label, children = node
    text = "(" + random.choice(["", "", "", " "]) + label
    for child in children:
        blank = random.choice([" ", " ", "\n  ", "\r\n\t"])
        tight = isinstance(child, tuple) and random.random() < 0.1
        text += ("" if tight else blank) + spelled(child, random)
    return text + random.choice(["", "", "", " ", "\n"]) + ")"
