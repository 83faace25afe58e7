"""What the combinations of two models share: oracles over shared variables, the search for agreement, its result."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright.grammar import LexicalParse
from treewright.relax import Answer, Oracle, PolyakStep, Relaxation, Step, branch
from treewright.streams import check_count

if TYPE_CHECKING:
    from typing_extensions import Self

MAX_ITERATIONS = 50  # as published
# Where models do not agree, the linear relaxation nearly always has a fractional optimum, which further iterations do
# not change; most of these problems end within MAX_ITERATIONS if they are split (benchmarks/grammars.py --settings).
SPLIT_AFTER = 25
NODE_ITERATIONS = 8  # of each part of a problem that was split
# Chosen on 160 dev sentences of CRAFT, benchmarks/grammars.py --settings: with a weight of 2 dependencies are certified
# within 50 iterations in 98.8 % of the sentences, with a scale of 1 in 88.1 %, of 2.2 in 92.5 % (all grandchildren).
# With tags and model 1 it is 100 % for weights of 1 to 8, on 100 dev sentences.
STEP = PolyakStep(1.8)

Vector = NDArray[np.float64]
Flags = NDArray[np.bool_]


def agreed(
    oracles: Sequence[Oracle],
    weight: float,
    max_iterations: int,
    exact: bool,
    step: Step | None = None,
    split_after: int | None = SPLIT_AFTER,
) -> Relaxation:
    """Dual decomposition of two models, of which weight multiplies the second.

    A problem on which they do not agree is split after so many iterations (branch and bound; None: not at all).
    max_iterations are those of all parts together; exact has no such limit.
    """
    check_count(max_iterations, "max_iterations")
    if split_after is not None:
        check_count(split_after, "split_after")
    return branch(
        oracles,
        weights=[1.0, weight],
        max_iterations=max_iterations if split_after is None else min(split_after, max_iterations),
        node_iterations=NODE_ITERATIONS,
        total_iterations=math.inf if exact else max_iterations,
        step=STEP if step is None else step,
        trace=True,
    )


class Variables(Protocol):
    """The variables that two models share; of those of one group exactly one is on."""

    @property
    def group(self) -> NDArray[np.integer]:
        """The group of each variable."""


V = TypeVar("V", bound=Variables)


@dataclass(frozen=True, eq=False)
class SharedOracle(Generic[V]):
    """An oracle that decides all shared variables, of which those with a mask of False are off."""

    variables: V
    mask: Flags

    @property
    def keys(self) -> NDArray[np.intp]:
        """All variables."""
        return np.arange(len(self.mask))

    def restrict(self, fixed: Mapping[int, bool]) -> Self:
        """The structures with these variables on or off; one that is on excludes the others of its group."""
        mask, group = self.mask.copy(), self.variables.group
        for variable, on in fixed.items():
            if on:
                mask &= (group != group[variable]) | (self.keys == variable)
            else:
                mask[variable] = False
        return replace(self, mask=mask)

    def none(self) -> Answer:
        """The answer when there is no structure."""
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


def certificate(found: Relaxation, weight: float) -> dict[str, Any]:
    """What the result of a relaxation says about a tree, as keywords of its class."""
    return {
        "score": found.value,
        "bound": found.bound,
        "method": "dual decomposition",
        "gap": found.gap,
        "spread": found.spread,
        "tolerance": found.tolerance,
        "evidence": found.evidence,
        "iterations": found.iterations,
        "weight": weight,
        "disagreements": tuple(iteration.disagreements for iteration in found.trace),
        "nodes": found.nodes,
    }


def as_joint(parse: LexicalParse, weight: float) -> JointParse:
    """A parse of the grammar alone as the result of a joint search."""
    return JointParse(**{field.name: getattr(parse, field.name) for field in fields(parse)}, weight=weight)
