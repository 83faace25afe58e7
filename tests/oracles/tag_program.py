"""A grammar and a trigram tagger that agree on tags, as one integer program over the corrected polytopes.

Parses are flows through the items of the chart; tag sequences are flows through pairs of tags, which describes them
exactly (the constraints printed by Rush et al. 2010, Figure 3, are too weak for four words and more).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_matrix

from treewright.grammar import TreebankGrammar
from treewright.joint import Trigrams


class Program:
    """Variables with scores, and sums of them that are constant."""

    def __init__(self) -> None:
        self.scores: list[float] = []
        self.rows: dict[Any, dict[int, float]] = defaultdict(dict)
        self.sides: Counter[Any] = Counter()

    def variable(self, score: float, *entries: tuple[Any, float]) -> None:
        """A variable with its coefficient in some sums."""
        for row, coefficient in entries:
            self.rows[row][len(self.scores)] = self.rows[row].get(len(self.scores), 0.0) + coefficient
        self.scores.append(score)

    def solve(self, is_integer: bool) -> float:
        """The best value, -inf if there is none."""
        names = list(self.rows)
        cells = [(r, v, x) for r, name in enumerate(names) for v, x in self.rows[name].items()]
        rows, columns, values = zip(*cells, strict=True)
        matrix = coo_matrix((values, (rows, columns)), shape=(len(names), len(self.scores)))
        sides = np.array([self.sides[name] for name in names], dtype=float)
        kind = np.ones(len(self.scores)) if is_integer else np.zeros(len(self.scores))
        found = milp(
            -np.array(self.scores),
            constraints=LinearConstraint(matrix.tocsr(), sides, sides),
            integrality=kind,
            bounds=Bounds(0, 1),
        )
        return -found.fun if found.success else -np.inf


def joint_value(
    grammar: TreebankGrammar, tagger: Trigrams, words: Sequence[str], weight: float, *, is_integer: bool = True
) -> float:
    """The best sum of both models' scores over trees and tag sequences that agree."""
    model, n = grammar.model, len(words)
    program = Program()
    program.sides["top", 0, n, 0] = 1
    spans = [(i, j) for i in range(n) for j in range(i + 1, n + 1)]
    chain_total = Counter[int]()
    for chain, count in zip(model.chains, model.chain_counts.tolist(), strict=True):
        chain_total[chain[0]] += count
    rule_total = np.bincount(model.rules[:, 0], model.rule_counts)
    for i, j in spans:
        for chain, count in zip(model.chains, model.chain_counts.tolist(), strict=True):
            if chain[0] == 0 and (i, j) != (0, n):
                continue
            score = float(np.log(count / chain_total[chain[0]]))
            program.variable(score, (("top", i, j, chain[0]), 1.0), (("base", i, j, chain[-1]), 1.0))
        for (parent, left, right), count in zip(model.rules.tolist(), model.rule_counts.tolist(), strict=True):
            for k in range(i + 1, j):
                program.variable(
                    float(np.log(count / rule_total[parent])),
                    (("base", i, j, parent), -1.0),
                    (("top", i, k, left), -1.0),
                    (("top", k, j, right), -1.0),
                )
    lexical = model.lexicon.scores(words)
    for i in range(n):
        for p, symbol in enumerate(model.preterminals.tolist()):
            if lexical[i, p] > -np.inf:
                tag = int(model.tag_of_preterminal[p])
                program.variable(float(lexical[i, p]), (("base", i, i + 1, symbol), -1.0), (("tag", i, tag), 1.0))
    add_trigrams(program, tagger, weight, n)
    return program.solve(is_integer)


def add_trigrams(program: Program, tagger: Trigrams, weight: float, n: int) -> None:
    """Flows from each pair of tags to the next one; the number after the last tag is before the sentence."""
    count = len(tagger.tags)
    program.sides["pair", 0, count, count] = 1
    for i in range(n):
        near = [count] if i == 0 else list(range(count))
        far = [count] if i < 2 else list(range(count))
        for a, b, c in product(far, near, range(count)):
            score = weight * float(tagger.scores[i, c] + tagger.trigram[a, b, c])
            ends = [(("pair", i + 1, b, c), -1.0)] if i + 1 < n else []
            program.variable(score, (("pair", i, a, b), 1.0), (("tag", i, c), -1.0), *ends)
