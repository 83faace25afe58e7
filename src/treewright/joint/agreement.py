"""What the combinations of two models share: oracles over shared variables, the search for agreement, its result."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Generic, Protocol, Self, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.grammar import LexicalParse, PhraseParse
from treewright.relax import Answer, Oracle, PolyakStep, Relaxation, Step, branch
from treewright.streams import check_count

MAX_ITERATIONS = 50  # as published
# Where models do not agree, the linear relaxation nearly always has a fractional optimum, which further iterations do
# not change. Splits certify 95.5 instead of 89.5 % of 200 dev sentences of CRAFT (400 training trees).
SPLIT_AFTER = 25
NODE_ITERATIONS = 8  # of each part of a problem that was split
# Chosen on 160 dev sentences of CRAFT: with a weight of 2 dependencies are certified
# within 50 iterations in 98.8 % of the sentences, with a scale of 1 in 88.1 %, of 2.2 in 92.5 % (all grandchildren).
# With tags and model 1 it is 100 % for weights of 1 to 8, on 100 dev sentences.
STEP = PolyakStep(1.8)

Vector = NDArray[np.float64]
Flags = NDArray[np.bool_]


class AgreementOptions(TypedDict, total=False):
    """How long two models search for a tree on which they agree.

    Where there is no agreement after split_after iterations (None: after max_iterations), the problem is split by
    branch and bound; max_iterations are those of all parts together, and exact continues without this limit. step is
    the rule for step sizes of `treewright.relax`; the default is Polyak's, `HalvingStep()` the published one.
    """

    max_iterations: int
    exact: bool
    split_after: int | None
    step: Step


def agree(
    oracles: Sequence[Oracle],
    weight: float,
    *,
    max_iterations: int = MAX_ITERATIONS,
    exact: bool = False,
    split_after: int | None = SPLIT_AFTER,
    step: Step = STEP,
) -> Relaxation:
    """Search by dual decomposition for the best structure of two models, of which weight multiplies the second."""
    if not math.isfinite(weight):
        raise InputError(f"weight is {weight}; expected a finite number")
    check_count(max_iterations, "max_iterations")
    if split_after is not None:
        check_count(split_after, "split_after")
    return branch(
        oracles,
        weights=[1.0, weight],
        max_iterations=max_iterations if split_after is None else min(split_after, max_iterations),
        node_iterations=NODE_ITERATIONS,
        total_iterations=math.inf if exact else max_iterations,
        step=step,
        trace=True,
    )


class Variables(Protocol):
    """The variables that two models share; of those of one group exactly one is on."""

    @property
    def group(self) -> NDArray[np.integer]:
        """The group of each variable."""


V = TypeVar("V", bound=Variables)


@dataclass(frozen=True, eq=False)
class SharedOracle(ABC, Generic[V]):
    """An oracle that decides all shared variables, of which those with a mask of False are off."""

    variables: V
    mask: Flags

    @property
    def keys(self) -> NDArray[np.intp]:
        """All variables."""
        return np.arange(len(self.mask))

    @abstractmethod
    def solve(self, multipliers: Vector) -> Answer:
        """Find the structure that maximises its score plus the multipliers of its variables."""

    def score(self, assignment: Vector) -> float:
        """Return the score of the best structure with these variables on."""
        return self.solve(np.where(assignment > 0, 0.0, -np.inf)).value

    def restrict(self, fixed: Mapping[int, bool]) -> Self:
        """Fix these variables on or off; one that is on excludes the others of its group."""
        mask, group = self.mask.copy(), self.variables.group
        for variable, on in fixed.items():
            if on:
                mask &= (group != group[variable]) | (self.keys == variable)
            else:
                mask[variable] = False
        return replace(self, mask=mask)

    def none(self) -> Answer:
        """Return the answer when there is no structure."""
        return Answer(-math.inf, np.zeros(len(self.mask)))


@dataclass(frozen=True)
class JointParse(LexicalParse):
    """A tree and its dependencies that maximise the sum of two models' scores; score and bound are of this sum.

    evidence is "agreement" (both models chose the same arcs, or tags) or "bound". A certificate is about the trees in
    `scope`.
    """

    weight: float = 1.0
    disagreements: tuple[int, ...] = ()  # in each iteration, arcs or tags on which the models disagreed
    nodes: int = 1  # parts of the problem that were solved; 1: it was not split
    condition: str = ""  # of the trees that were considered, besides the beam

    @property
    def scope(self) -> str:
        """The trees that bound and certificate are about."""
        return " ".join(filter(None, [super().scope, self.condition]))


@dataclass(frozen=True)
class TagParse(PhraseParse):
    """A tree whose tags maximise the sum of the scores of grammar and tagger; score and bound are of this sum.

    A certificate is about the trees with tags that the tagger considers.
    """

    weight: float = 1.0
    disagreements: tuple[int, ...] = ()  # in each iteration, words and tags on which the models disagreed
    nodes: int = 1  # parts of the problem that were solved; 1: it was not split


def certificate(relaxation: Relaxation, weight: float) -> dict[str, Any]:
    """Return what the result of a relaxation says about a tree, as keywords of its class."""
    return {
        "score": relaxation.value,
        "bound": relaxation.bound,
        "method": "dual decomposition",
        "gap": relaxation.gap,
        "spread": relaxation.spread,
        "tolerance": relaxation.tolerance,
        "evidence": relaxation.evidence,
        "iterations": relaxation.iterations,
        "weight": weight,
        "disagreements": tuple(iteration.disagreements for iteration in relaxation.trace),
        "nodes": relaxation.nodes,
    }


def grammar_result(parse: PhraseParse, weight: float, note: str = "") -> JointParse | TagParse:
    """Return a parse of the grammar alone as the result of a joint search; a note says why it is not certified."""
    values = {field.name: getattr(parse, field.name) for field in fields(parse)}
    if note:
        values |= {"bound": math.inf, "gap": math.inf, "given_up": "; ".join(filter(None, [parse.given_up, note]))}
    result = JointParse if isinstance(parse, LexicalParse) else TagParse
    return result(**values, weight=weight)
