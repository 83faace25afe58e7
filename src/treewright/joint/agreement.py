"""What the combinations of two models share: the search for agreement, and the training trees and weight of a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.checks import NotNegative, check_fields, read_plain
from treewright.component import hold_out
from treewright.corpus import Tree, add_root
from treewright.errors import InputError
from treewright.evaluate import brackets
from treewright.grammar import trees_of
from treewright.grammar.trees import ROOT, TreeSource
from treewright.relax import Oracle, PolyakStep, Relaxation, Step, branch, relax
from treewright.streams import check_count

MAX_ITERATIONS = 50  # as published
# Chosen on 160 dev sentences of CRAFT by benchmarks/grammars.py --steps: with a weight of 2 dependencies are certified
# within 50 iterations in 98.8 % of the sentences, with a scale of 1 in 88.1 %, of 2.2 in 92.5 %.
STEP = PolyakStep(1.8)
WEIGHTS = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the other model's score, tried on the development trees; by convention
TUNING_TREES = 200  # development trees on which the weight is chosen; by convention

Vector = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class JointOptions:
    """How a grammar and another model are trained; saved with the model."""

    weight: NotNegative | None = None  # of the other model's score; None: chosen on the development trees
    seed: int = 1  # of the other model

    def __post_init__(self) -> None:
        check_fields(self)
        if self.weight == 0:
            raise InputError("weight is 0; a model of weight 0 has no effect: use the grammar alone")


def agreed(
    oracles: Sequence[Oracle], weight: float, max_iterations: int, exact: bool, step: Step | None = None
) -> Relaxation:
    """Dual decomposition of two models, of which weight multiplies the second; exact closes a gap by branching."""
    weights = [1.0, weight]
    check_count(max_iterations, "max_iterations")
    found = relax(
        oracles, weights=weights, max_iterations=max_iterations, step=STEP if step is None else step, trace=True
    )
    if not exact or found.certified:
        return found
    closed = branch(oracles, weights=weights, max_iterations=max_iterations)
    return replace(closed, iterations=closed.iterations + found.iterations, trace=found.trace)


def allowed(group: NDArray[np.integer], fixed: Mapping[int, bool]) -> Flags:
    """The variables that may be on when some are fixed: one that is on excludes the others of its group."""
    mask = np.ones(len(group), dtype=bool)
    for variable, on in fixed.items():
        if on:
            mask &= (group != group[variable]) | (np.arange(len(group)) == variable)
        else:
            mask[variable] = False
    return mask


def training_trees(train: TreeSource, dev: TreeSource | None) -> tuple[list[Tree], list[Tree]]:
    """The prepared training and development trees; without dev the last tenth of train is held out."""
    trees, _ = trees_of(train)
    trees, held_out = hold_out(trees) if dev is None else (trees, trees_of(dev)[0])
    if not trees or not held_out:
        raise InputError("there are not enough trees to train on: at least two are needed")
    return trees, held_out


def best_weight(trees: Sequence[Tree], parse: Callable[[float], Sequence[Tree]]) -> float:
    """The weight of WEIGHTS with the highest F1 of brackets, of equal ones the smallest; parse has the trees of one."""
    scores = [brackets(trees, [add_root(tree, ROOT) for tree in parse(weight)]).all.brackets.f1 for weight in WEIGHTS]
    return WEIGHTS[int(np.argmax(scores))]


def checked_weight(header: Mapping[str, Any]) -> float:
    """The weight of the other model in the header of a model file."""
    weight = read_plain(header.get("weight"), float, "header.weight")
    if not (math.isfinite(weight) and weight > 0):
        raise ValueError(f"header.weight is {weight}")
    return weight
