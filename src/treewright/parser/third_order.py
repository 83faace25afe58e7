"""The third-order parts of a sentence over its candidate arcs, for a bound on the trees of the model `third`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from treewright.corpus import Sentence
from treewright.decode import Parse, Parts, ThirdOrderParts, third_order_tree
from treewright.errors import InputError
from treewright.features.factors import GLOBAL, GROUPS, KINDS
from treewright.parser.model import Worker

# Kinds of factors and the fields of `ThirdOrderParts`.
FIELDS = {
    "grand-siblings": "grand_siblings",
    "tri-siblings": "tri_siblings",
    "great-grandparents": "great_grandparents",
    "head-bigrams": "head_bigrams",
    "parent-sibling-child": "sibling_children",
    "all-siblings": "all_siblings",
}
WIDTH = 5  # nodes of a factor


class Factor(NamedTuple):
    """A factor as the core takes it, and its key in `ThirdOrderParts`."""

    kind: str
    nodes: tuple[int, ...]
    state: int
    key: tuple[int, ...]


def bounded_tree(
    worker: Worker,
    sentence: Sentence,
    projective: bool,
    *,
    max_iterations: int,
    max_nodes: int,
    max_seconds: float | None,
) -> Parse:
    """The best tree found by climbing and dual decomposition, with a bound on all trees over the candidate arcs."""
    encoded = worker.encode(sentence)
    arcs = worker.prune(encoded, projective)
    climbed = worker.tree(encoded, arcs, projective, max_seconds=max_seconds)
    parts = worker.score(encoded, arcs)
    found = third_order_tree(
        parts,
        third_order_parts(worker, sentence, parts),
        projective=projective,
        root=worker.model.root,
        start=climbed.heads,
        max_iterations=max_iterations,
        max_nodes=max_nodes,
        max_seconds=max_seconds,
    )
    return found.after_pruning() if len(arcs.head) < len(sentence) ** 2 else found


def third_order_parts(worker: Worker, sentence: Sentence, parts: Parts) -> ThirdOrderParts:
    """The scores of all third-order parts over the arcs of `parts`, by the model."""
    settings = worker.model.options.factors
    if worker.tree_scorer is None or worker.model.factors is None or settings is None:
        raise InputError(f"model {worker.model.options.model!r} has no third-order parts; give one of model 'third'")
    used = {*GROUPS} - {*settings.without}
    if used & {*GLOBAL}:
        raise InputError("global features have no bound; give a model 'third', which has none of them")
    found = [one for one in factors_over(parts) if one.kind in used]
    encoded = worker.encode(sentence)
    worker.tree_scorer.open(encoded.atoms, encoded.each)
    kinds = np.array([KINDS.index(one.kind) for one in found], dtype=np.int32)
    nodes = np.full((len(found), WIDTH), -1, dtype=np.int32)
    for row, one in zip(nodes, found, strict=True):
        row[: len(one.nodes)] = one.nodes
    states = np.array([one.state for one in found], dtype=np.int32)
    scores = worker.tree_scorer.scores(kinds, nodes, states, *worker.model.factors).tolist()
    tables: dict[str, dict[tuple[int, ...], float]] = {name: {} for name in FIELDS.values()}
    for one, score in zip(found, scores, strict=True):
        tables[FIELDS[one.kind]][one.key] = score
    return ThirdOrderParts(**tables)


def factors_over(parts: Parts) -> Iterator[Factor]:
    """Every third-order part over the candidate arcs."""
    nodes, arcs = parts.nodes, sorted(zip(parts.arcs.h.tolist(), parts.arcs.m.tolist(), strict=True))
    heads: list[list[int]] = [[] for _ in range(nodes)]
    below: list[list[int]] = [[] for _ in range(nodes)]
    for h, m in arcs:
        heads[m].append(h)
        below[h].append(m)
    for h in range(nodes):
        yield from sibling_factors(h, heads, below)
    for h, m in arcs:
        yield from path_factors(h, m, heads)


def sibling_factors(h: int, heads: list[list[int]], below: list[list[int]]) -> Iterator[Factor]:
    """The parts with two or three modifiers of h."""
    start, end = len(heads), len(heads) + 1
    own = below[h]
    for m, s in combinations(own, 2):
        yield Factor("all-siblings", (h, m, s), 0, (h, m, s))
    for side, modifiers in enumerate(([m for m in reversed(own) if m < h], [m for m in own if m > h])):
        if (h, side) == (0, 0):
            continue
        row, key = [start, *modifiers, end], [h, *modifiers, h]
        for j, i in combinations(range(len(row)), 2):
            for g in heads[h]:
                yield Factor("grand-siblings", (g, h, row[j], row[i]), side, (g, h, key[j], key[i], side))
        for p, q, r in combinations(range(len(row)), 3):
            yield Factor("tri-siblings", (h, row[p], row[q], row[r]), 0, (h, key[p], key[q], key[r]))
        for a, b in combinations(modifiers, 2):
            for m, s in ((a, b), (b, a)):
                for c in below[m]:
                    if c not in (h, s):
                        yield Factor("parent-sibling-child", (h, m, c, s), 0, (h, m, c, s))


def path_factors(h: int, m: int, heads: list[list[int]]) -> Iterator[Factor]:
    """The parts that end with the arc from h to m: paths of four nodes, and the head of the word before."""
    for i in heads[m - 1] if m > 1 else ():
        yield Factor("head-bigrams", (i, m - 1, h, m), 0, (i, h, m))
    for g in heads[h]:
        for f in heads[g]:
            if len({f, g, h, m}) == 4:
                yield Factor("great-grandparents", (f, g, h, m), 0, (f, g, h, m))
