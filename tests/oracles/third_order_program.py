"""Third-order trees as an integer program for HiGHS: a variable for each choice of modifiers and of the nodes around.

A configuration of node h is the set of its modifiers with its head g and, of a word, the head f of that and its
neighbours among the modifiers of g. Exactly one configuration of each node is on. Configurations agree on arcs, on
paths (f, g, h) and on adjacent siblings; flow from the root excludes cycles. Head bigrams are products of two arcs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain, combinations, pairwise, product
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_matrix

from treewright.decode import Parts, ThirdOrderParts


class Configuration(NamedTuple):
    node: int
    head: int  # -1: the root's
    above: int  # the head of the head; -1 if there is none
    inner: int  # the neighbours of the node on its side of its head; 0 if there is none
    outer: int
    modifiers: tuple[int, ...]


def best_value(parts: Parts, third: ThirdOrderParts, *, root: str) -> float:
    """The value of the best tree over the candidate arcs."""
    program = _Program()
    heads = defaultdict[int, list[int]](list)
    below = defaultdict[int, list[int]](list)
    for h, m in zip(parts.arcs.h.tolist(), parts.arcs.m.tolist(), strict=True):
        heads[m].append(h)
        below[h].append(m)
    score = _Scores(parts, third)
    arcs = {(h, m): program.variable(0.0) for m, own in heads.items() for h in own}
    paths = {(f, g, h): program.variable(0.0) for g, h in arcs if g for f in heads[g]}
    pairs = {
        (h, s, m): program.variable(0.0)
        for h, own in below.items()
        for s, m in product(own, own)
        if (s < h) == (m < h) and abs(s - h) < abs(m - h)
    }
    sums: dict[Any, list[int]] = defaultdict(list)
    for node in range(parts.nodes):
        found = [(one, program.variable(score.of(one))) for one in configurations(node, heads, below)]
        program.equal([(variable, 1.0) for _, variable in found], 1.0)
        for one, variable in found:
            for m in one.modifiers:
                sums["arc", node, m, "head"].append(variable)
                if node:
                    sums["path", one.head, node, m, "middle"].append(variable)
            for s, m in adjacent(node, one.modifiers):
                sums["pair", node, s, m, "head"].append(variable)
            if node:
                sums["arc", one.head, node, "modifier"].append(variable)
                if one.head:
                    sums["path", one.above, one.head, node, "end"].append(variable)
                if one.inner:
                    sums["pair", one.head, one.inner, node, "outer"].append(variable)
                if one.outer:
                    sums["pair", one.head, node, one.outer, "inner"].append(variable)
    known = {("arc", *key): v for key, v in arcs.items()} | {("path", *key): v for key, v in paths.items()}
    known |= {("pair", *key): v for key, v in pairs.items()}
    roles = {"arc": ("head", "modifier"), "path": ("middle", "end"), "pair": ("head", "outer", "inner")}
    for key, variable in known.items():
        for role in roles[key[0]]:
            program.equal([(variable, -1.0), *((other, 1.0) for other in sums[(*key, role)])], 0.0)
    for (i, h, m), value in third.head_bigrams.items():
        if (i, m - 1) in arcs and (h, m) in arcs:
            program.product(arcs[i, m - 1], arcs[h, m], value)
    if root == "single":
        program.equal([(variable, 1.0) for (h, _), variable in arcs.items() if h == 0], 1.0)
    program.connect(arcs, parts.nodes)
    return program.solve()


def configurations(node: int, heads: Any, below: Any) -> Iterator[Configuration]:
    subsets = list(chain.from_iterable(combinations(below[node], size) for size in range(len(below[node]) + 1)))
    if node == 0:
        yield from (Configuration(0, -1, -1, 0, 0, subset) for subset in subsets)
        return
    for g in heads[node]:
        side = sorted((m for m in below[g] if (m < g) == (node < g)), key=lambda m: abs(m - g))
        place = side.index(node)
        around = product(heads[g] if g else [-1], [0, *side[:place]], [0, *side[place + 1 :]])
        for (f, inner, outer), subset in product(around, subsets):
            if g not in subset:
                yield Configuration(node, g, f, inner, outer, subset)


def sides_of(node: int, modifiers: tuple[int, ...]) -> tuple[list[int], list[int]]:
    return sorted((m for m in modifiers if m < node), reverse=True), sorted(m for m in modifiers if m > node)


def adjacent(node: int, modifiers: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    for side in sides_of(node, modifiers):
        yield from pairwise(side)


class _Scores:
    """The scores of configurations."""

    def __init__(self, parts: Parts, third: ThirdOrderParts) -> None:
        self.arc, self.sib, self.grand, self.stop = (
            {tuple(key): score for *key, score in zip(*(column.tolist() for column in rows), strict=True)}
            for rows in (parts.arcs, parts.siblings, parts.grandparents, parts.stops)
        )
        self.third = third

    def of(self, one: Configuration) -> float:
        h, g, third, total = one.node, one.head, self.third, 0.0
        for m in one.modifiers:
            total += self.arc[h, m] + self.grand.get((g, h, m), 0.0)
            total += sum(third.all_siblings.get((h, m, s), 0.0) for s in one.modifiers)
            total += third.great_grandparents.get((one.above, g, h, m), 0.0)
            total += sum(third.sibling_children.get((g, h, m, s), 0.0) for s in (one.inner, one.outer) if s)
        for side, modifiers in enumerate(sides_of(h, one.modifiers)):
            row = [h, *modifiers, h]
            total += sum(self.sib.get((h, m, s), 0.0) for s, m in pairwise(row[:-1]))
            total += self.stop.get((h, row[-2], side), 0.0) if (h, side) != (0, 0) else 0.0
            total += sum(third.grand_siblings.get((g, h, s, m, side), 0.0) for s, m in pairwise(row))
            total += sum(third.tri_siblings.get((h, *three), 0.0) for three in zip(row, row[1:], row[2:], strict=False))
        return total


class _Program:
    """Rows and columns of an integer program."""

    def __init__(self) -> None:
        self.cost: list[float] = []
        self.integral: list[int] = []
        self.upper: list[float] = []
        self.rows: list[tuple[list[tuple[int, float]], float, float]] = []

    def variable(self, score: float, *, integral: bool = True, upper: float = 1.0) -> int:
        self.cost.append(-score)
        self.integral.append(int(integral))
        self.upper.append(upper)
        return len(self.cost) - 1

    def equal(self, terms: list[tuple[int, float]], value: float) -> None:
        self.rows.append((terms, value, value))

    def at_most(self, terms: list[tuple[int, float]], value: float) -> None:
        self.rows.append((terms, -np.inf, value))

    def product(self, a: int, b: int, score: float) -> None:
        both = self.variable(score)
        self.at_most([(both, 1.0), (a, -1.0)], 0.0)
        self.at_most([(both, 1.0), (b, -1.0)], 0.0)
        self.at_most([(a, 1.0), (b, 1.0), (both, -1.0)], 1.0)

    def connect(self, arcs: dict[tuple[int, int], int], nodes: int) -> None:
        """Flow: each word takes one unit of what its head receives."""
        flow = {arc: self.variable(0.0, integral=False, upper=nodes) for arc in arcs}
        for arc, variable in flow.items():
            self.at_most([(variable, 1.0), (arcs[arc], -float(nodes))], 0.0)
        for word in range(1, nodes):
            into = [(variable, 1.0) for (_, m), variable in flow.items() if m == word]
            out = [(variable, -1.0) for (h, _), variable in flow.items() if h == word]
            self.equal(into + out, 1.0)

    def solve(self) -> float:
        cells = [(row, *term) for row, (terms, _, _) in enumerate(self.rows) for term in terms]
        row, column, value = (np.array(some) for some in zip(*cells, strict=True))
        matrix = coo_matrix((value, (row, column)), shape=(len(self.rows), len(self.cost)))
        limits = LinearConstraint(matrix.tocsr(), [low for _, low, _ in self.rows], [high for _, _, high in self.rows])
        options = {"mip_rel_gap": 0.0}
        bounds = Bounds(0, np.array(self.upper))
        found = milp(self.cost, constraints=limits, integrality=self.integral, bounds=bounds, options=options)
        assert found.status == 0, found.message
        return -float(found.fun)
