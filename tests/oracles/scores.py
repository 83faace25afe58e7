"""Random scores for decoders: every combination of parts, holes that forbid, ties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from oracles.trees import Tree

Scores = dict[str, Any]  # arrays by the names of decode.tree: arc, sib, grand, stop


def random_scores(
    rng: np.random.Generator, n: int, names: str = "arc", *, holes: float = 0.0, ties: bool = False, scale: float = 1.0
) -> Scores:
    """Arrays over n words for the names given ("arc sib stop"), a share of them -inf; ties: small whole numbers."""
    nodes = n + 1
    found: Scores = {}
    for name in names.split():
        shape = {"arc": (nodes, nodes), "stop": (nodes, nodes, 2)}.get(name, (nodes,) * 3)
        array = rng.integers(-2, 3, shape).astype(np.float64) if ties else rng.normal(size=shape) * scale
        array[rng.random(shape) < (holes if name == "arc" else holes / 4)] = -np.inf
        found[name] = array
    return found


def random_arcs(rng: np.random.Generator, heads: Any, count: int) -> list[tuple[int, int]]:
    """Some arcs of a tree, to be required."""
    words = rng.choice(np.arange(1, len(heads)), size=min(count, len(heads) - 1), replace=False)
    return [(int(heads[m]), int(m)) for m in words]


def random_constraints(
    rng: np.random.Generator, trees: Sequence[Tree], forbidden: int
) -> tuple[dict[str, Any], list[Tree]]:
    """Arguments of decode that require an arc of one tree and forbid arcs of another; and the trees that meet them."""
    require = random_arcs(rng, trees[int(rng.integers(len(trees)))], 1)
    forbid = [arc for arc in random_arcs(rng, trees[int(rng.integers(len(trees)))], forbidden) if arc not in require]
    allowed = [tree for tree in trees if all(tree[m] == h for h, m in require) and all(tree[m] != h for h, m in forbid)]
    return {"require": require, "forbid": forbid}, allowed
