"""A small parser and a small tagger that share the tags of the words: the oracles of Rush et al. 2010, section 4.1.

Shared variable i * len(TAGS) + t is on when word i (from 0) has tag t. All structures can be listed as well.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np

from treewright.relax import Answer, Table

TAGS = "AB"
SYMBOLS = "ABX"


def indicators(tags: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([float(tag == t) for tag in tags for t in TAGS])


class Parser:
    """CKY over binary rules; rule(X, Y, Z, i, k, j) scores X over words i..j as Y over i..k and Z over k+1..j."""

    def __init__(self, words: int, rule: Any) -> None:
        self.words, self.rule = words, rule
        self.keys = np.arange(words * len(TAGS))

    def solve(self, multipliers: Any) -> Answer:
        best: dict[tuple[int, int, str], tuple[float, str]] = {}
        for i in range(self.words):
            for t, tag in enumerate(TAGS):
                best[i, i, tag] = (float(multipliers[i * len(TAGS) + t]), tag)
        for width in range(1, self.words):
            for i in range(self.words - width):
                j = i + width
                for x in SYMBOLS:
                    options = [
                        (self.rule(x, y, z, i, k, j) + best[i, k, y][0] + best[k + 1, j, z][0], (k, y, z))
                        for k in range(i, j)
                        for y, z in product(SYMBOLS, repeat=2)
                        if (i, k, y) in best and (k + 1, j, z) in best
                    ]
                    value, (k, y, z) = max(options, key=lambda option: option[0])
                    best[i, j, x] = (value, best[i, k, y][1] + best[k + 1, j, z][1])
        value, tags = max((best[0, self.words - 1, x] for x in SYMBOLS), key=lambda option: option[0])
        return Answer(value, indicators(tags), tags)

    def score(self, assignment: Any) -> float:
        forbid = np.where(np.asarray(assignment) > 0, 0.0, -1e9)
        return self.solve(forbid).value

    def table(self) -> Table:
        """Every parse, one by one."""
        rows, scores, names = [], [], []
        for tags in product(TAGS, repeat=self.words):
            for _, value in parses(self.words, tags, self.rule):
                rows.append(indicators("".join(tags)))
                scores.append(value)
                names.append("".join(tags))
        return Table(self.keys, rows, scores, names)


def parses(words: int, tags: tuple[str, ...], rule: Any) -> list[tuple[str, float]]:
    """(top symbol, value) of every parse of a tag sequence."""

    @cache
    def over(i: int, j: int) -> list[tuple[str, float]]:
        if i == j:
            return [(tags[i], 0.0)]
        return [
            (x, rule(x, y, z, i, k, j) + left + right)
            for k in range(i, j)
            for y, left in over(i, k)
            for z, right in over(k + 1, j)
            for x in SYMBOLS
        ]

    return over(0, words - 1)


class Tagger:
    """Trigrams over three words and more; trigram(a, b, c, i) scores the tags of words i - 2, i - 1 and i."""

    def __init__(self, words: int, trigram: Any) -> None:
        self.words, self.trigram = words, trigram
        self.keys = np.arange(words * len(TAGS))

    def solve(self, multipliers: Any) -> Answer:
        def bonus(i: int, tag: str) -> float:
            return float(multipliers[i * len(TAGS) + TAGS.index(tag)])

        best = {(a, b): (bonus(0, a) + bonus(1, b), a + b) for a, b in product(TAGS, repeat=2)}
        for i in range(2, self.words):
            best = {
                (b, c): max(
                    ((best[a, b][0] + self.trigram(a, b, c, i) + bonus(i, c), best[a, b][1] + c) for a in TAGS),
                    key=lambda option: option[0],
                )
                for b, c in product(TAGS, repeat=2)
            }
        value, tags = max(best.values(), key=lambda option: option[0])
        return Answer(value, indicators(tags), tags)

    def score(self, assignment: Any) -> float:
        tags = "".join(TAGS[t] for t in np.flatnonzero(assignment) % len(TAGS))
        return float(sum(self.trigram(*tags[i - 2 : i + 1], i) for i in range(2, self.words)))

    def table(self) -> Table:
        """Every tag sequence, one by one."""
        sequences = ["".join(tags) for tags in product(TAGS, repeat=self.words)]
        rows = [indicators(tags) for tags in sequences]
        return Table(self.keys, rows, [self.score(row) for row in rows], sequences)


def fractional_example() -> tuple[Parser, Tagger]:
    """Rush et al. 2010, appendix A: the relaxation has the value 0, the best agreeing pair -1."""
    free_rules = {("X", "A", "X", 0, 0, 2), ("X", "A", "B", 1, 1, 2), ("X", "B", "A", 1, 1, 2)}
    free_trigrams = {("A", "A", "A"), ("A", "B", "B")}
    return (
        Parser(3, lambda *production: 0.0 if production in free_rules else -1.0),
        Tagger(3, lambda a, b, c, i: 0.0 if (a, b, c) in free_trigrams else -1.0),
    )
