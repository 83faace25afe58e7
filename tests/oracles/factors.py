"""Every third-order part and global feature of a tree by its definition (docs/third-order.md); plain on purpose.

A factor is (kind, nodes, state). Node 0 is the root, words are 1..n; START = n + 1 and END = n + 2 are before the first
and after the last modifier of a side. Nothing here is shared with the core: each kind of factor is read off the whole
tree, never off the change of one head.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from oracles.trees import Tree, dominates, sides

Factor = tuple[str, tuple[int, ...], int]

PARTS = ("grand-siblings", "tri-siblings", "great-grandparents", "head-bigrams", "parent-sibling-child", "all-siblings")
GLOBAL = (
    "right-branching",
    "pp-attachment",
    "coordination",
    "coordination-agreement",
    "coordination-head",
    "punctuation-pairs",
    "span-length",
    "span-neighbours",
    "valency",
    "valency-sides",
    "child-tags",
    "nonprojective",
)
MARKS = {"(": ")", "[": "]", '"': '"', "«": "»"}  # those of the tests


@dataclass(frozen=True)
class Words:
    """The words of a sentence: forms, universal tags, morphological values; node 0 has none of them."""

    forms: Sequence[str]
    tags: Sequence[str]
    feats: Sequence[Sequence[str]] = ()

    @property
    def count(self) -> int:
        return len(self.forms)

    def tag(self, node: int) -> str:
        return self.tags[node - 1] if 1 <= node <= self.count else ""

    def is_punctuation(self, node: int) -> bool:
        return self.tag(node) == "PUNCT"

    def is_content(self, node: int) -> bool:
        """Neither punctuation nor a conjunction."""
        return self.tag(node) not in ("PUNCT", "CCONJ")

    def values(self, node: int) -> Sequence[str]:
        return self.feats[node - 1] if self.feats else ()


def factors_of(heads: Tree, words: Words, style: int = 4) -> list[Factor]:
    """All factors of a tree; style is that of coordination."""
    found = [*third_order(heads)]
    found += right_branching(heads, words)
    found += attachments(heads, words)
    found += coordinations(heads, words, style)
    found += punctuation(heads, words)
    found += spans(heads, words)
    found += valencies(heads, words)
    found += crossings(heads)
    return found


# -- third-order parts


def third_order(heads: Tree) -> Iterator[Factor]:
    n = len(heads) - 1
    start, end = n + 1, n + 2
    for h in range(n + 1):
        for side, modifiers in enumerate(sides(heads, h)):
            if (h, side) == (0, 0):
                continue  # nothing is left of the root
            row = [start, *modifiers, end]
            if h > 0:
                for s, m in pairwise(row):
                    yield "grand-siblings", (heads[h], h, s, m), side
            for p, q, r in zip(row, row[1:], row[2:], strict=False):
                yield "tri-siblings", (h, p, q, r), 0
            for a, b in pairwise(modifiers):
                for m, s in ((a, b), (b, a)):
                    for c in children(heads, m):
                        yield "parent-sibling-child", (h, m, c, s), 0
        own = children(heads, h)
        for i, m in enumerate(own):
            for s in own[i + 1 :]:
                yield "all-siblings", (h, m, s), 0
    for m in range(1, n + 1):
        h = heads[m]
        if h > 0 and heads[h] > 0:
            yield "great-grandparents", (heads[heads[h]], heads[h], h, m), 0
        if m > 1:
            yield "head-bigrams", (heads[m - 1], m - 1, h, m), 0


def children(heads: Tree, h: int) -> list[int]:
    """The modifiers of h by position."""
    return [m for m in range(1, len(heads)) if heads[m] == h]


# -- global features


def right_branching(heads: Tree, words: Words) -> Iterator[Factor]:
    node, visited = 0, 1
    while below := [m for m in children(heads, node) if not words.is_punctuation(m)]:
        node, visited = below[-1], visited + 1
    yield "right-branching", (0,), visited


def attachments(heads: Tree, words: Words) -> Iterator[Factor]:
    for p in range(1, len(heads)):
        if words.tag(p) != "ADP":
            continue
        arguments = [m for m in children(heads, p) if words.is_content(m)]
        if arguments:
            yield "pp-attachment", (p, heads[p], arguments[0]), 0
        elif heads[p] > 0:
            yield "pp-attachment", (p, heads[heads[p]], heads[p]), 1


def coordinations(heads: Tree, words: Words, style: int) -> Iterator[Factor]:
    for k in range(1, len(heads)):
        if words.tag(k) != "CCONJ":
            continue
        found = conjuncts(heads, words, k, style)
        if found is None:
            continue
        head, left, right = found
        if not 1 <= left < right:
            continue
        yield "coordination", (k, left, right), 0
        for place, value in enumerate(words.values(left)):
            if value in words.values(right):
                yield "coordination-agreement", (left, right), place
        for conjunct in (left, right):
            yield "coordination-head", (k, head, conjunct), 0


def conjuncts(heads: Tree, words: Words, k: int, style: int) -> tuple[int, int, int] | None:
    """The head of a coordination, its left and its right conjunct; None if the tree has none of that style."""

    def nearest(head: int, before: bool) -> int:
        """The modifier of a node nearest to the conjunction before or after it; 0 if there is none."""
        rivals = [m for m in children(heads, head) if words.is_content(m) and (m < k) == before and m != k]
        return (max if before else min)(rivals, default=0)

    above = heads[k]
    if style == 0:
        left, right = nearest(k, True), nearest(k, False)
        return (above, left, right) if left and right else None
    if above == 0:
        return None
    if style in (1, 2):
        right = nearest(above if style == 1 else k, False)
        return (heads[above], above, right) if right else None
    if style in (3, 5):
        left = nearest(above if style == 3 else k, True)
        return (heads[above], left, above) if left else None
    left = heads[above]
    return (heads[left], left, above) if left else None


def punctuation(heads: Tree, words: Words) -> Iterator[Factor]:
    for i, j in matched(words.forms):
        if heads[i] == heads[j]:
            yield "punctuation-pairs", (i, heads[i]), int(i < heads[i] < j)


def matched(forms: Sequence[str]) -> list[tuple[int, int]]:
    """Marks that belong together: each closing mark with the nearest open one; those between are dropped."""
    pairs: list[tuple[int, int]] = []
    open_: list[int] = []
    for node, form in enumerate(forms, 1):
        closed = [i for i in open_ if MARKS[forms[i - 1]] == form]
        if closed:
            pairs.append((closed[-1], node))
            open_ = [i for i in open_ if i < closed[-1]]
        elif form in MARKS:
            open_.append(node)
    return pairs


def spans(heads: Tree, words: Words) -> Iterator[Factor]:
    n = len(heads) - 1
    for m in range(1, n + 1):
        below = [k for k in range(1, n + 1) if dominates(heads, m, k)]
        left, right = min(below), max(below)
        followed = right < n and words.is_punctuation(right + 1)
        yield "span-length", (m,), min(5, right - left + 1) + 8 * (right == n) + 16 * followed
        yield "span-neighbours", (m, heads[m], left - 1 or n + 1, right + 1 if right < n else n + 2), 0


def valencies(heads: Tree, words: Words) -> Iterator[Factor]:
    n = len(heads) - 1
    for h in range(1, n + 1):
        own = [m for m in children(heads, h) if not words.is_punctuation(m)]
        left, right = sum(m < h for m in own), sum(m > h for m in own)
        yield "valency", (h,), min(5, left + right)
        yield "valency-sides", (h,), 6 * min(5, left) + min(5, right)
        yield "child-tags", (h, *(own + [n + 2] * 4)[:4]), 0


def crossings(heads: Tree) -> Iterator[Factor]:
    for m in range(1, len(heads)):
        low, high = min(heads[m], m), max(heads[m], m)
        outside = sum(not low <= heads[k] <= high for k in range(low + 1, high))
        if outside:
            yield "nonprojective", (heads[m], m), min(7, outside)
