"""Random scores of third-order parts, and the value of a tree by the factors that the oracle lists."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from oracles.factors import third_order
from oracles.trees import Tree

from treewright.decode import ThirdOrderParts

TABLES = {
    "grand-siblings": "grand_siblings",
    "tri-siblings": "tri_siblings",
    "head-bigrams": "head_bigrams",
    "great-grandparents": "great_grandparents",
    "parent-sibling-child": "sibling_children",
    "all-siblings": "all_siblings",
}


def key_of(kind: str, nodes: tuple[int, ...], side: int, words: int) -> tuple[int, ...]:
    """The key of a factor in `ThirdOrderParts`: h stands for START and END, the word before m is left out."""
    if kind == "head-bigrams":
        i, _, h, m = nodes
        return i, h, m
    place = {"grand-siblings": 1, "tri-siblings": 0}.get(kind)
    if place is None:
        return nodes
    own = tuple(nodes[place] if node > words else node for node in nodes)
    return (*own, side) if kind == "grand-siblings" else own


def random_score(seed: int, kind: str, key: tuple[int, ...]) -> float:
    """Normal, and the same for the same part."""
    return float(np.random.default_rng([seed, zlib.crc32(kind.encode()), *key]).normal())


def random_parts(seed: int, trees: Iterable[Tree], kinds: Iterable[str], scale: float = 1.0) -> ThirdOrderParts:
    """A score for every part of some kinds that one of the trees has."""
    tables: dict[str, dict[tuple[int, ...], float]] = {TABLES[kind]: {} for kind in kinds}
    for heads in trees:
        for kind, nodes, side in third_order(heads):
            name = TABLES.get(kind)
            if name in tables:
                key = key_of(kind, nodes, side, len(heads) - 1)
                if key not in tables[name]:
                    tables[name][key] = scale * random_score(seed, kind, key)
    return ThirdOrderParts(**tables)


def third_order_value(heads: Tree, third: ThirdOrderParts) -> float:
    """The sum of the scores of the factors of a tree, as the oracle lists them."""
    found = 0.0
    for kind, nodes, side in third_order(heads):
        if kind in TABLES:
            table: dict[Any, float] = getattr(third, TABLES[kind])
            found += table.get(key_of(kind, nodes, side, len(heads) - 1), 0.0)
    return found
