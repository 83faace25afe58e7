"""Random sentences to decode, with scores of every kind, and sums and neighbourhoods of their trees by definition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
from oracles.trees import Distribution, Tree, all_trees, value

import treewright as tw
from treewright.decode import Problem
from treewright.decode.arrays import part_shape
from treewright.errors import InfeasibleError

# Random scores for decoders: every combination of parts, holes that forbid, ties.

Scores = dict[str, Any]  # arrays by the names of decode.tree: arc, sib, grand, stop


def random_scores(
    rng: np.random.Generator, n: int, names: str = "arc", *, holes: float = 0.0, ties: bool = False, scale: float = 1.0
) -> Scores:
    """Arrays over n words for the names given ("arc sib stop"), a share of them -inf; ties: small whole numbers."""
    nodes = n + 1
    found: Scores = {}
    for name in names.split():
        shape = (nodes, nodes) if name == "arc" else part_shape(name, nodes)
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


def constrained_scores(
    seed: int, words: range, count: int, decode: Callable[..., object], *, projective: bool, root: str, at_least: int
) -> Iterator[tuple[Any, dict[str, Any], list[Tree]]]:
    """Random arc scores, options with constraints, and the trees that meet them; `decode` must refuse if none do."""
    rng = np.random.default_rng(seed)
    feasible = 0
    for _ in range(count):
        n = int(rng.integers(words.start, words.stop))
        arc = rng.normal(size=(n + 1, n + 1))
        constraints, left = random_constraints(rng, all_trees(n, projective=projective, root=root), 1)
        options = {"projective": projective, "root": root, **constraints}
        if not left:
            with pytest.raises(InfeasibleError):
                decode(arc, **options)
            continue
        feasible += 1
        yield arc, options, left
    assert feasible >= at_least


# Random sentences to decode: scores of every kind, now and then with forbidden parts and constraints.


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
    arrays = {name: scores(*part_shape(name, nodes)) for name in parts.split()}
    shape: dict[str, Any] = {"root": root, "projective": projective}
    if constrained:
        arcs = [(h, m) for h in range(nodes) for m in range(1, nodes) if h != m]
        picked = random.permutation(len(arcs))[: int(random.integers(1, 4))]
        shape["require"], shape["forbid"] = [], []
        for place, pick in enumerate(picked):
            shape["require" if place == 0 else "forbid"].append(arcs[pick])
    return Instance(arc, arrays, shape)


def varied_instance(trial: int, *, parts: str, root: str, projective: bool = False) -> Instance:
    """Return an instance of a series: 1 to 5 words, now and then with constraints, forbidden parts and ties."""
    shape: dict[str, Any] = {"parts": parts, "root": root, "projective": projective, "constrained": trial % 3 == 2}
    return random_instance(trial, 1 + trial % 5, sparse=0.12 * (trial % 4 == 1), ties=trial % 2 == 1, **shape)


# Sums over all trees of an instance by their definition: log partition, entropy, marginals, expected correct heads.


def solvable(
    instances: Iterable[Instance], decode: Callable[[Instance], object], *, at_least: int
) -> Iterator[tuple[Instance, float]]:
    """The instances that have a tree, each with its best value; `decode` must refuse the others."""
    count = 0
    for instance in instances:
        best = instance.best()
        if best == -np.inf:
            with pytest.raises(InfeasibleError):
                decode(instance)
            continue
        count += 1
        yield instance, best
    assert count >= at_least


def distribution_of(instance: Instance) -> Distribution:
    """The distribution over all trees that the instance allows."""
    trees = instance.trees()
    return Distribution(trees, [instance.value(tree) for tree in trees])


def distribution(instance: Instance) -> Distribution | None:
    """None when no tree has a finite value."""
    found = [(tree, instance.value(tree)) for tree in instance.trees()]
    found = [(tree, value) for tree, value in found if value > -np.inf]
    if not found:
        return None
    return Distribution([tree for tree, _ in found], np.array([value for _, value in found]))


# The neighbourhood of hill climbing and rearrangement by its definition: all trees one change of a head away.

PARTS = ["", "sib", "sib stop", "grand", "sib stop grand"]


def problem_of(instance: Instance) -> Problem:
    return Problem.of(instance.arc, **instance.arguments)


def is_allowed(instance: Instance, heads: Any) -> bool:
    """Without a list of all trees, so for any length."""
    heads = [int(h) for h in heads]
    shape = instance.shape
    return (
        tw.trees.is_tree(heads, root=shape["root"])
        and (not shape["projective"] or tw.trees.is_projective(heads))
        and all(heads[m] == h for h, m in shape.get("require", ()))
        and all(heads[m] != h for h, m in shape.get("forbid", ()))
        and all(instance.arc[heads[m], m] > -np.inf for m in range(1, len(heads)))
    )


def neighbours(instance: Instance, heads: Any) -> list[list[int]]:
    """Every tree one change away: another head for a word; with a single root also another root above the old one."""
    heads = [int(h) for h in heads]
    words = range(1, len(heads))
    found = []
    for m in words:
        for h in range(len(heads)):
            if h not in (m, heads[m]):
                found.append([*heads[:m], h, *heads[m + 1 :]])
    if instance.shape["root"] == "single":
        root = heads.index(0)
        for new, h in product(words, words):
            if new != root and h != root:
                swapped = list(heads)
                swapped[new], swapped[root] = 0, h
                found.append(swapped)
    return [tree for tree in found if is_allowed(instance, tree)]


def random_tree(instance: Instance, seed: int) -> Any:
    noise = np.random.default_rng(seed).gumbel(size=instance.arc.shape)
    noise[instance.arc == -np.inf] = -np.inf
    return tw.decode.tree(noise, **instance.shape).heads
