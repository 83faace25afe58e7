"""Random sentences to decode: scores of every kind, now and then with forbidden parts and constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from oracles.trees import Tree, all_trees, value


@dataclass(frozen=True)
class Instance:
    """Scores and what is asked of the tree, as keyword arguments of `decode.tree`."""

    arc: Any
    scores: dict[str, Any]
    shape: dict[str, Any]

    @property
    def arguments(self) -> dict[str, Any]:
        return self.scores | self.shape

    def value(self, heads: Any) -> float:
        return value(heads, self.arc, **self.scores)

    def trees(self) -> list[Tree]:
        """Every tree that is allowed, by definition."""
        words = len(self.arc) - 1
        found = all_trees(words, projective=self.shape.get("projective", False), root=self.shape.get("root", "single"))
        require, forbid = self.shape.get("require", ()), self.shape.get("forbid", ())
        return [
            heads
            for heads in found
            if all(heads[m] == h for h, m in require)
            and all(heads[m] != h for h, m in forbid)
            and all(self.arc[heads[m], m] > -np.inf for m in range(1, words + 1))
        ]

    def best(self) -> float:
        return max((self.value(heads) for heads in self.trees()), default=-np.inf)


def random_instance(
    seed: int,
    words: int,
    *,
    parts: str = "sib grand stop",
    root: str = "single",
    projective: bool = False,
    constrained: bool = False,
    sparse: float = 0.0,
    ties: bool = False,
) -> Instance:
    """Normal scores (small whole numbers with ties); sparse is the share of parts forbidden by -inf."""
    random = np.random.default_rng(seed)
    nodes = words + 1

    def scores(*shape: int) -> Any:
        drawn = random.integers(-2, 3, shape).astype(float) if ties else random.normal(size=shape)
        drawn[random.random(shape) < sparse] = -np.inf
        return drawn

    arc = scores(nodes, nodes)
    arrays = {name: scores(nodes, nodes, 2 if name == "stop" else nodes) for name in parts.split()}
    shape: dict[str, Any] = {"root": root, "projective": projective}
    if constrained:
        arcs = [(h, m) for h in range(nodes) for m in range(1, nodes) if h != m]
        picked = random.permutation(len(arcs))[: int(random.integers(1, 4))]
        shape["require"], shape["forbid"] = [], []
        for place, pick in enumerate(picked):
            shape["require" if place == 0 else "forbid"].append(arcs[pick])
    return Instance(arc, arrays, shape)


def varied_instance(trial: int, *, parts: str, root: str, projective: bool, ties: bool = False) -> Instance:
    """An instance of a series: 1 to 5 words, every second one with constraints, every third with forbidden parts."""
    words = 1 + trial % 5
    constrained = words > 1 and trial % 2 == 1
    sparse = 0.1 * (trial % 3 == 2)
    return random_instance(
        trial, words, parts=parts, root=root, projective=projective, constrained=constrained, sparse=sparse, ties=ties
    )
