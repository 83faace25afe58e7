"""Results of decoders: a tree with its value and bound, and sums over trees with a flag that says if they are exact.

The words of certification, defined here and nowhere else. The bound is an upper bound on the value of every tree under
the same constraints, rounding included. The gap is an upper bound on (value of any other tree) - (value of this tree);
it is computed from differences of scores, so that it can be smaller than the rounding of score and bound. A result is
certified when its gap is at most tolerance * spread. The spread is the scale of the differences between trees; its
definition is on docs/decoding.md, "What certified means". `evidence` names the kind of proof; `Certified.certified` is
the only test, for trees and graphs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.proofs.proof import Proof

Certificate = Literal["exact", "agreement", "bound"]

# The default tolerance; not tuned: far above the rounding of the algorithms, which is below 1e-11 of the spread for
# sentences of 100 words, and far below differences between scores that mean anything.
TOLERANCE = 1e-9


def check_tolerance(tolerance: float) -> None:
    """Refuse tolerances that have no meaning."""
    if not 0 <= tolerance < 1:
        raise InputError(
            f"tolerance is {tolerance}; it is the largest gap of a certified result, relative to the spread of the "
            "scores: 1e-9 for example, or 0"
        )


class Multipliers(NamedTuple):
    """The Lagrange multipliers of each arc (h, m) at the end of dual decomposition."""

    h: NDArray[np.int32]
    m: NDArray[np.int32]
    u: NDArray[np.float64]  # as a modifier of h
    v: NDArray[np.float64]  # as m's own head; zero without grandparents


class Certified:
    """The definition of certified, for trees and graphs."""

    __slots__ = ()

    score: float
    bound: float
    gap: float
    spread: float
    tolerance: float
    evidence: Certificate

    @property
    def certified(self) -> bool:
        """Whether it is proved that nothing under the same constraints is better: gap <= tolerance * spread."""
        return self.gap <= self.tolerance * self.spread

    @property
    def certificate(self) -> Certificate | None:
        """The kind of proof, or None when the gap is larger than the tolerance."""
        return self.evidence if self.certified else None


@dataclass(eq=False, slots=True)
class Parse(Certified):
    """A tree, its value, and an upper bound on the value of every tree under the same constraints.

    heads[m] is the head of word m; heads[0] is -1. evidence says what gap and bound rest on: "exact" (an exact
    algorithm), "agreement" (all parts of a decomposition chose the tree) or "bound" (an upper bound on all trees). A
    certificate is about scores: a certified tree of a parser is its model's best tree over the arcs in `scope`, and may
    still be wrong.
    """

    heads: NDArray[np.int32]
    score: float
    bound: float
    method: str
    gap: float = math.inf  # no tree is better by more
    spread: float = 0.0  # the scale of the differences between scores
    tolerance: float = TOLERANCE  # of the gap, relative to the spread
    evidence: Certificate = "exact"
    iterations: int = 0  # of a dual or climbing method
    nodes: int = 0  # of a search tree
    trace: Mapping[str, NDArray[Any]] | None = None  # one row an iteration, with trace=True
    arcs: NDArray[np.float64] | None = None  # [h, m] in 0..1: the fractional solution of a linear program
    multipliers: Multipliers | None = None  # of dual decomposition: a warm start for a similar problem
    labels: NDArray[np.int32] | None = None  # of each word, for labelled scores arc[h, m, l]; labels[0] is -1
    pruned: bool = False  # a parser removed arcs before: bound and certificate are about trees over the other arcs
    proof: Proof | None = None  # why no tree is better, for `verify`; with proof=True
    parts: int = 1  # a parser cut a sentence beyond its length limit into this many and joined their trees

    @classmethod
    def ranked(cls, heads: NDArray[np.int32], value: float, best: Parse, method: str) -> Parse:
        """The tree heads with its value, from a list whose first is best; method names the algorithm.

        Its gap is that of the best tree, and what it loses against it; its tolerance is that of the best tree.
        """
        if np.array_equal(heads, best.heads):
            return replace(best, method=method)
        gap = best.gap + max(0.0, best.score - value) + _rounding(best.score, value)
        return cls(
            heads, value, max(best.bound, value), method, gap, best.spread, best.tolerance, evidence=best.evidence
        )

    @property
    def status(self) -> str:
        """The certificate in words, or the gap.

        >>> Parse(np.array([-1, 0], np.int32), score=1.0, bound=1.0, method="exact", gap=0.0).status
        'certified'
        """
        if self.certified:
            return "certified"
        if self.parts > 1:
            return joined_status(self.parts)
        if self.method == "climb" and self.iterations:
            return f"best of {self.iterations} climb{'s' * (self.iterations != 1)}, not certified"
        return f"gap {self.gap:.4g}" if self.gap < float("inf") else "not certified"

    @property
    def scope(self) -> str:
        """The arcs that the bound and the certificate are about: "all arcs", or those that pruning left.

        >>> Parse(np.array([-1, 0], np.int32), 1.0, 1.0, "eisner", 0.0, pruned=True).scope
        'candidate arcs'
        """
        return "candidate arcs" if self.pruned else "all arcs"

    def __repr__(self) -> str:
        proof = "certified" if self.certified else f"gap <= {self.gap:.6g}"
        return f"Parse(heads={self.heads.tolist()}, score={self.score:.6g}, {proof}, method={self.method!r})"


def joined_status(parts: int) -> str:
    """Return the `status` of a tree that was joined from those of so many parts."""
    return f"joined from {parts} parts, not certified"


class ArrayResult(np.ndarray[Any, Any]):
    """An array with the attribute `exact`: False for the result of an approximation.

    Everything computed from it (elements, slices, sums, differences) is a plain array or number.
    """

    exact: bool

    def __new__(cls, values: NDArray[Any], *, exact: bool) -> ArrayResult:
        self = np.asarray(values).view(cls)
        self.exact = exact
        return self

    def __array_finalize__(self, source: NDArray[Any] | None) -> None:
        self.exact = getattr(source, "exact", True)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if "out" in options:
            options["out"] = tuple(_plain(array) for array in options["out"])
        return getattr(ufunc, method)(*(_plain(array) for array in inputs), **options)

    def __getitem__(self, key: Any) -> Any:
        return np.asarray(self)[key]

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_array, (np.asarray(self), self.exact)

    def __repr__(self) -> str:
        return ("" if self.exact else "approximate ") + repr(np.asarray(self))


class FloatResult(float):
    """A number with the attribute `exact`: False for the result of an approximation. Sums of it are plain numbers."""

    exact: bool

    def __new__(cls, value: float, *, exact: bool = True) -> FloatResult:
        self = super().__new__(cls, value)
        self.exact = exact
        return self

    def __repr__(self) -> str:
        return ("" if self.exact else "approximate ") + float.__repr__(self)


class ParseList(list[Parse]):
    """Parses, best first, with the attribute `exact`: whether it is proved that no better tree is missing."""

    exact: bool

    def __init__(self, parses: Iterable[Parse] = (), *, exact: bool = True) -> None:
        super().__init__(parses)
        self.exact = exact

    def __repr__(self) -> str:
        return ("" if self.exact else "approximate ") + list.__repr__(self)


def _rounding(*scores: float) -> float:
    """An upper bound on the rounding of these values, which were rounded once each; 0 for integers below 2^52."""
    return sum(0.0 if score.is_integer() and abs(score) < 2.0**52 else math.ulp(score) for score in scores)


def _plain(array: Any) -> Any:
    return array.view(np.ndarray) if isinstance(array, ArrayResult) else array


def _restore_array(values: NDArray[Any], exact: bool) -> ArrayResult:
    return ArrayResult(values, exact=exact)
