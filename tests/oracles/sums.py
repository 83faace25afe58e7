"""Sums over all trees of an instance by their definition: log partition, entropy, marginals, expected correct heads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from oracles.instances import Instance
from oracles.trees import Tree
from scipy.special import logsumexp


@dataclass(frozen=True)
class Distribution:
    """Every tree of finite value with its probability exp(value) / Z."""

    trees: list[Tree]
    values: NDArray[np.float64]

    @property
    def log_partition(self) -> float:
        return float(logsumexp(self.values))

    @property
    def probabilities(self) -> NDArray[np.float64]:
        return np.exp(self.values - self.log_partition)

    @property
    def entropy(self) -> float:
        present = self.probabilities[self.probabilities > 0]
        return float(-(present * np.log(present)).sum())

    @property
    def marginals(self) -> NDArray[np.float64]:
        nodes = len(self.trees[0])
        found = np.zeros((nodes, nodes))
        for tree, probability in zip(self.trees, self.probabilities, strict=True):
            found[list(tree[1:]), np.arange(1, nodes)] += probability
        return found

    def correct_heads(self, heads: Any) -> float:
        """How many words of a tree drawn from the distribution have these heads, on average."""
        agree = (np.array(self.trees)[:, 1:] == np.asarray(heads)[1:]).sum(axis=1)
        return float(agree @ self.probabilities)


def distribution(instance: Instance) -> Distribution | None:
    """None when no tree has a finite value."""
    found = [(tree, instance.value(tree)) for tree in instance.trees()]
    found = [(tree, value) for tree, value in found if value > -np.inf]
    if not found:
        return None
    return Distribution([tree for tree, _ in found], np.array([value for _, value in found]))
