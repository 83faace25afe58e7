"""Decoding problems as linear and integer programs, solved by HiGHS: oracles where there are too many trees to list."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
from oracles.trees import all_trees
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from treewright.decode import Parts
from treewright.grammar import TreebankGrammar
from treewright.grammar.collins_forest import ParseForest
from treewright.joint import Trigrams
from treewright.trees import is_projective, is_tree


class Program:
    """Variables from 0 to 1 with scores, and rows: sums of variables that are 0 unless `limits` has other bounds."""

    def __init__(self) -> None:
        self.scores: list[float] = []
        self.rows: defaultdict[Hashable, Counter[int]] = defaultdict(Counter)
        self.limits: dict[Hashable, tuple[float, float]] = {}

    def variable(self, score: float = 0.0, *entries: tuple[Hashable, int]) -> int:
        """Add a variable with its coefficients in some rows."""
        variable = len(self.scores)
        self.scores.append(score)
        for row, coefficient in entries:
            self.rows[row][variable] += coefficient
        return variable

    def row(self, terms: Mapping[int, int], low: float, high: float) -> None:
        """Add a row: coefficients by variable, and the bounds of their sum."""
        name = ("row", len(self.rows))
        self.rows[name] = Counter(terms)
        self.limits[name] = low, high

    def solve(self, *, integral: bool | Collection[int] = True, upper: Mapping[int, float] | None = None) -> float:
        """Return the largest score, -inf if there is no solution; integral: all, none, or these variables."""
        names = list(self.rows | dict.fromkeys(self.limits))
        cells = [(r, v, x) for r, name in enumerate(names) for v, x in self.rows[name].items()]
        rows, columns, coefficients = zip(*cells, strict=True)
        matrix = coo_array((coefficients, (rows, columns)), shape=(len(names), len(self.scores)), dtype=float)
        lows, highs = zip(*(self.limits.get(name, (0.0, 0.0)) for name in names), strict=True)
        ceilings = np.ones(len(self.scores))
        for variable, limit in (upper or {}).items():
            ceilings[variable] = limit
        integrality = np.full(len(self.scores), int(integral is True))
        if not isinstance(integral, bool):
            integrality[list(integral)] = 1
        result = milp(
            -np.array(self.scores),
            integrality=integrality,
            bounds=Bounds(0, ceilings),
            constraints=LinearConstraint(matrix.tocsr(), lows, highs),
            options={"mip_rel_gap": 0.0},
        )
        assert result.status in (0, 2), result.message  # solved, infeasible
        return -float(result.fun) if result.success else -np.inf


def best_tree_value(arc: Any, *, root: str = "single") -> float:
    """Return the value of the best spanning tree by multi-commodity flow, whose optimum over trees is integral.

    One unit flows from the root to each word k over arcs that are in use: flow_k(a) <= used(a) <= 1. n words take
    n (n² + 1) variables: meant for n up to 12.
    """
    scores = np.asarray(arc, dtype=float)
    n = len(scores) - 1
    words = range(1, n + 1)
    pairs = [(h, m) for h in range(n + 1) for m in words if h != m and scores[h, m] > -np.inf]
    program = Program()
    used = {(h, m): program.variable(scores[h, m]) for h, m in pairs}
    for word in words:
        program.row({used[h, m]: 1 for h, m in pairs if m == word}, 1, 1)
    if root == "single":
        program.row({used[h, m]: 1 for h, m in pairs if h == 0}, 1, 1)
    for k in words:
        flow = {pair: program.variable() for pair in pairs}
        for node in range(n + 1):  # out - in = 1 at the root, -1 at word k, 0 elsewhere
            terms = {flow[h, m]: 1 if node == h else -1 for h, m in pairs if node in (h, m)}
            surplus = (node == 0) - (node == k)
            program.row(terms, surplus, surplus)
        for pair in pairs:
            program.row({flow[pair]: 1, used[pair]: -1}, -np.inf, 0)
    return program.solve(integral=False)


def best_projective_value(n: int, root: str, arc: Any, sib: Any = None, grand: Any = None, stop: Any = None) -> float:
    """Return the value of the best projective tree over finite scores.

    Arcs are binary; flow from the root makes them a tree; no two arcs may cross (node 0 stands left of all words, so a
    tree without crossings is projective). A side's siblings are a path through its candidates, a grandparent part is a
    share of its lower arc, and no more than its upper one.
    """
    program = Program()
    words = range(1, n + 1)
    z = {(h, m): program.variable(arc[h, m]) for h in range(n + 1) for m in words if h != m}
    for m in words:
        program.row({z[h, m]: 1 for h in range(n + 1) if h != m}, 1, 1)
    if root == "single":
        program.row({z[0, m]: 1 for m in words}, 1, 1)
    flow = {a: program.variable() for a in z}
    for m in words:
        terms = {flow[h, m]: 1 for h in range(n + 1) if h != m}
        program.row(terms | {flow[m, k]: -1 for k in words if k != m}, 1, 1)
    for a in z:
        program.row({flow[a]: 1, z[a]: -n}, -np.inf, 0)
    for a, b in combinations(z, 2):
        (i, j), (k, end) = sorted(a), sorted(b)
        if i < k < j < end or k < i < end < j:
            program.row({z[a]: 1, z[b]: 1}, -np.inf, 1)
    if sib is not None or stop is not None:
        for h in range(n + 1):
            for side in (0, 1):
                if (h, side) != (0, 0):
                    add_side(program, z, h, side, n, sib, stop)
    if grand is not None:
        for h, m in z:
            if h != 0:  # h has exactly one head, so its grandparent parts to m share out the arc (h, m)
                shares = {g: program.variable(grand[g, h, m]) for g in range(n + 1) if g not in (h, m)}
                program.row(dict.fromkeys(shares.values(), 1) | {z[h, m]: -1}, 0, 0)
                for g, x in shares.items():
                    program.row({x: 1, z[g, h]: -1}, -np.inf, 0)
    return program.solve(integral=z.values(), upper=dict.fromkeys(flow.values(), float(n)))


def add_side(program: Program, z: dict[tuple[int, int], int], h: int, side: int, n: int, sib: Any, stop: Any) -> None:
    """Add one unit of flow from the head through its modifiers on that side to the stop."""
    outwards = list(range(h + 1, n + 1)) if side else list(range(h - 1, 0, -1))
    steps: dict[tuple[int, int | None], int] = {}
    for position, s in enumerate([h, *outwards]):
        for m in outwards[position:]:
            steps[s, m] = program.variable(0.0 if sib is None else sib[h, m, s])
        steps[s, None] = program.variable(0.0 if stop is None else stop[h, s, side])
    program.row({v: 1 for (s, _), v in steps.items() if s == h}, 1, 1)
    for m in outwards:
        program.row({v: 1 for (_, q), v in steps.items() if q == m} | {z[h, m]: -1}, 0, 0)
        program.row({v: 1 for (s, _), v in steps.items() if s == m} | {z[h, m]: -1}, 0, 0)


def best_joint_value(forest: ParseForest, parts: Parts, weight: float, *, integral: bool = True) -> float:
    """Return the largest sum of scores of a tree of the forest and a dependency tree with the same arcs.

    The trees of the forest are the 0/1 solutions of flow constraints: the goal has one edge, and a node has an edge if
    and only if it is below one (Martin et al. 1990); this polytope is integral. Dependency trees are listed one by one.
    """
    assert forest.forest is not None
    words = len(forest.sentence.kept)
    edges, scores = forest.forest.arrays()
    program = Program()
    program.limits |= {("node", int(edges[:, 0].max())): (1, 1), "tree": (1, 1)}
    for (node, first, second, arc), score in zip(edges.tolist(), scores.tolist(), strict=True):
        below = [(("node", child), -1) for child in (first, second) if child >= 0]
        program.variable(score, (("node", node), 1), *below, *[(("arc", arc), 1)] * (arc >= 0))
    for tree in dependency_trees(words, parts):
        arcs = [(("arc", h * (words + 1) + m), -1) for m, h in enumerate(tree) if m]
        program.variable(weight * parts.value(tree), ("tree", 1), *arcs)
    return program.solve(integral=integral)


def dependency_trees(words: int, parts: Parts) -> list[tuple[int, ...]]:
    """List every projective tree with one root over the arcs of the parts."""
    head, modifier, _ = parts.arcs
    heads = [sorted(head[modifier == m].tolist()) for m in range(1, words + 1)]
    candidates = [(-1, *tree) for tree in product(*heads) if tree.count(0) == 1]
    return [tree for tree in candidates if is_tree(tree) and is_projective(tree)]


def best_tagged_value(
    grammar: TreebankGrammar, tagger: Trigrams, words: Sequence[str], weight: float, *, integral: bool = True
) -> float:
    """Return the best sum of the scores of a grammar and a trigram tagger over trees and tags that agree.

    Parses are flows through the items of the chart; tag sequences are flows through pairs of tags, which describes them
    exactly (the constraints printed by Rush et al. 2010, Figure 3, are too weak for four words and more).
    """
    model, n = grammar.model, len(words)
    program = Program()
    program.limits["top", 0, n, 0] = 1, 1
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
            program.variable(score, (("top", i, j, chain[0]), 1), (("base", i, j, chain[-1]), 1))
        for (parent, left, right), count in zip(model.rules.tolist(), model.rule_counts.tolist(), strict=True):
            score = float(np.log(count / rule_total[parent]))
            for k in range(i + 1, j):
                below = (("top", i, k, left), -1), (("top", k, j, right), -1)
                program.variable(score, (("base", i, j, parent), -1), *below)
    lexical = model.lexicon.scores(words)
    for i in range(n):
        for p, symbol in enumerate(model.preterminals.tolist()):
            if lexical[i, p] > -np.inf:
                tag = int(model.tag_of_preterminal[p])
                program.variable(float(lexical[i, p]), (("base", i, i + 1, symbol), -1), (("tag", i, tag), 1))
    add_trigrams(program, tagger, weight, n)
    return program.solve(integral=integral)


def add_trigrams(program: Program, tagger: Trigrams, weight: float, n: int) -> None:
    """Add flows from each pair of tags to the next one; the number after the last tag is before the sentence."""
    count = len(tagger.tags)
    program.limits["pair", 0, count, count] = 1, 1
    for i in range(n):
        near = [count] if i == 0 else list(range(count))
        far = [count] if i < 2 else list(range(count))
        for a, b, c in product(far, near, range(count)):
            score = weight * float(tagger.scores[i, c] + tagger.trigram[a, b, c])
            ends = [(("pair", i + 1, b, c), -1)] if i + 1 < n else []
            program.variable(score, (("pair", i, a, b), 1), (("tag", i, c), -1), *ends)


def agreement_bound(scores: Mapping[str, Any], root: str) -> float:
    """Return the best value of a mixture of trees that agrees with mixtures of each head's free choices.

    The choice of a head is any set of modifiers and, where there are grandparent scores, any head of its own, even one
    of its modifiers (such a pair has no score): the linear program whose dual Koo et al. (2010) solve, by its vertices.
    """
    nodes, grand = len(scores["arc"]), scores.get("grand")
    program = Program()
    for heads in all_trees(nodes - 1, root=root):
        kinds = ("modifier",) if grand is None else ("modifier", "head")
        program.variable(0.0, ("trees", 1), *(((kind, heads[m], m), -1) for kind in kinds for m in range(1, nodes)))
    for h in range(nodes):
        others = [m for m in range(1, nodes) if m != h]
        above: list[int | None] = [None] if h == 0 or grand is None else [*range(h), *range(h + 1, nodes)]
        for chosen in product((False, True), repeat=len(others)):
            modifiers = [m for m, taken in zip(others, chosen, strict=True) if taken]
            entries = [(("choices", h), 1), *((("modifier", h, m), 1) for m in modifiers)]
            for g in above:
                total = head_value(scores, h, modifiers)
                if g is not None and grand is not None:
                    total += sum(float(grand[g, h, m]) for m in modifiers if m != g)
                program.variable(total, *entries, *([] if g is None else [(("head", g, h), 1)]))
    for row in ("trees", *(("choices", h) for h in range(nodes))):
        program.limits[row] = 1.0, 1.0
    return program.solve(integral=False)


def head_value(scores: Mapping[str, Any], h: int, modifiers: Sequence[int]) -> float:
    """Return the arc, sibling and stop scores of a head with these modifiers."""
    total = sum(float(scores["arc"][h, m]) for m in modifiers)
    for side in (0, 1):
        inner = h
        for m in sorted((m for m in modifiers if (m > h) == bool(side)), key=lambda m: abs(m - h)):
            total += float(scores["sib"][h, m, inner]) if "sib" in scores else 0.0
            inner = m
        if "stop" in scores and (h, side) != (0, 0):
            total += float(scores["stop"][h, inner, side])
    return total
