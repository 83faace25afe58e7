"""What the models of this package share: options, training trees, the choice of the weight, and the model file."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np

from treewright.checks import NotNegative, check_fields, read_plain
from treewright.corpus import Tree
from treewright.errors import InputError
from treewright.grammar import Collins, PhraseParse, TreebankGrammar, trees_of
from treewright.grammar.kinds import scores_of
from treewright.grammar.trees import TreeSource
from treewright.learn import Report
from treewright.model import component
from treewright.model.component import Component, Stored, hold_out

# Of the other model's score, tried on the development trees. On 400 of CRAFT F1 is 79.5 to 79.7 with each of them, and
# 97.36 to 97.68 % of the tags are right, most with 1.5.
WEIGHTS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
TUNING_TREES = 300  # development trees on which the weight is chosen; not tuned


@dataclass(frozen=True)
class JointOptions:
    """How a grammar and another model are trained; saved with the model."""

    weight: NotNegative | None = None  # of the other model's score; None: chosen on the development trees
    seed: int = 1  # of the other model

    def __post_init__(self) -> None:
        check_fields(self)
        if self.weight == 0:
            raise InputError("weight is 0; a model of weight 0 has no effect: use the grammar alone")


class Problem(Protocol):
    """One sentence, ready to be parsed with any weight of the other model."""

    def parse(self, weight: float) -> PhraseParse:
        """Find the tree on which the models agree."""


G = TypeVar("G", bound=Collins | TreebankGrammar)
T = TypeVar("T")


class JointModel(Component, Generic[G]):
    """A grammar, the models that it agrees with, and the weight of their scores."""

    KIND: ClassVar[str]
    FORMAT: ClassVar[int] = 1

    def __init__(self, grammar: G, weight: float, *others: Component) -> None:
        self.grammar, self.weight = grammar, weight
        self._others = others

    @abstractmethod
    def problem(self, words: Sequence[str]) -> Problem:
        """Return a sentence as both models take it."""

    def with_weight(
        self, options: JointOptions, trees: Sequence[Tree], report: Callable[[Report], None] | None = None
    ) -> Self:
        """Set the weight to that of the options, or to the best one on some of the trees; return the model."""
        chosen = evenly_spaced(trees, TUNING_TREES)
        self.weight = self.best_weight(chosen, report) if options.weight is None else options.weight
        return self

    def best_weight(self, trees: Sequence[Tree], report: Callable[[Report], None] | None = None) -> float:
        """Return the weight of WEIGHTS with the highest accuracy on some trees, of equal ones the smallest.

        report is called after each weight.
        """
        problems = [self.problem(tree.leaves()) for tree in trees]
        scores: list[float] = []
        for number, weight in enumerate(WEIGHTS, 1):
            scores.append(self.accuracy(trees, [problem.parse(weight).tree for problem in problems]))
            if report is not None:
                figures = {"weight": weight, "accuracy": scores[-1]}
                report(Report("choice of the weight", number, len(WEIGHTS), figures=figures))
        return WEIGHTS[int(np.argmax(scores))]

    def accuracy(self, gold: Sequence[Tree], system: Sequence[Tree]) -> float:
        """Return what the choice of the weight maximises: F1 of the brackets of `system` against those of `gold`."""
        return scores_of(gold, system).brackets.f1

    def to_arrays(self) -> Stored:
        """Return the header and the arrays of a model file."""
        headers, arrays = component.join_parts({part.KIND: part for part in (self.grammar, *self._others)})
        return {"weight": self.weight, **headers}, arrays

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of words."""
        return self.grammar.tags

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What is known about the training data: the numbers of trees and words, their wrapper and quotation marks."""
        return self.grammar.metadata

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.grammar!r}, {self._others[-1]!r}, weight {self.weight:g})"


def training_trees(train: TreeSource, dev: TreeSource | None) -> tuple[list[Tree], list[Tree]]:
    """Return the prepared training and development trees; without dev the last tenth of train is held out."""
    trees, _ = trees_of(train)
    trees, held_out = hold_out(trees) if dev is None else (trees, trees_of(dev)[0])
    if not trees or not held_out:
        raise InputError("there are not enough trees to train on: at least two are needed")
    return trees, held_out


def evenly_spaced(trees: Sequence[T], count: int) -> Sequence[T]:
    """Return so many trees at equal distances: a treebank has one text after the other, and each has its own words."""
    return [trees[len(trees) * number // count] for number in range(count)] if count < len(trees) else trees


def checked_weight(header: Mapping[str, Any]) -> float:
    """Return the weight of the other model in the header of a model file."""
    weight = read_plain(header.get("weight"), float, "header.weight")
    if not (math.isfinite(weight) and weight > 0):
        raise ValueError(f"header.weight is {weight}")
    return weight
