"""The neighbourhood of hill climbing and rearrangement by its definition: all trees one change of a head away."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from oracles.instances import Instance

import treewright as tw
from treewright.decode import Problem

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
