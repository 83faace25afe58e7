"""What the models of this package share: options, training trees, the choice of the weight, and the model file."""

from __future__ import annotations

import math
import os
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from treewright import component
from treewright.checks import NotNegative, check_fields, read_plain
from treewright.component import ArrayForm, Component, Stored, hold_out
from treewright.corpus import Tree, add_root
from treewright.errors import InputError
from treewright.evaluate import brackets
from treewright.grammar import Collins, PhraseParse, TreebankGrammar, trees_of
from treewright.grammar.trees import ROOT, TreeSource

if TYPE_CHECKING:
    from typing_extensions import Self

WEIGHTS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)  # of the other model's score, tried on the development trees; by convention
TUNING_TREES = 200  # development trees on which the weight is chosen; by convention


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
        """The tree on which the models agree."""


C = TypeVar("C", bound=Component)
G = TypeVar("G", bound=Collins | TreebankGrammar)


class JointModel(Generic[G]):
    """A grammar, the models that it agrees with, and the weight of their scores."""

    KIND: ClassVar[str]
    FORMAT: ClassVar[int] = 1  # raised when older versions cannot read the file any more
    ARRAYS: ClassVar[Mapping[str, ArrayForm]] = {}

    def __init__(self, grammar: G, weight: float, *others: Component) -> None:
        self.grammar, self.weight = grammar, weight
        self._others = others

    @abstractmethod
    def problem(self, words: Sequence[str]) -> Problem:
        """A sentence as both models take it."""

    def with_weight(self, options: JointOptions, trees: Sequence[Tree]) -> Self:
        """This model with the weight of the options, or the best one on the first of some trees."""
        self.weight = self.tuned(trees[:TUNING_TREES]) if options.weight is None else options.weight
        return self

    def tuned(self, trees: Sequence[Tree]) -> float:
        """The best weight on some trees."""
        problems = [self.problem(tree.leaves()) for tree in trees]
        return best_weight(trees, lambda weight: [problem.parse(weight).tree for problem in problems])

    @classmethod
    def load(cls: type[C], path: str | os.PathLike[str]) -> C:
        """The models of a file."""
        return component.load_as(cls, path)

    def save(self: Component, path: str | os.PathLike[str]) -> None:
        """Write a model file: safetensors with a JSON header."""
        component.save(self, path)

    def to_arrays(self) -> Stored:
        """The header and the arrays of a model file."""
        headers, arrays = component.join_parts({part.KIND: part for part in (self.grammar, *self._others)})
        return {"weight": self.weight, **headers}, arrays

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of words."""
        return self.grammar.tags

    def __reduce__(self: Component) -> tuple[Any, ...]:
        return component.pickled(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.grammar!r}, {self._others[-1]!r}, weight {self.weight:g})"


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
