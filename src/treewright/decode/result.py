"""Results of decoders: a tree with its value and bound, and sums over trees with a flag that says if they are exact.

The words of certification, defined here and nowhere else: the bound is an upper bound on the value of every tree under
the same constraints, the gap is bound - value, and a tree is certified when its gap is at most the tolerance of the
method that found it. `certificate` names the reason; `Certified.certified` is the only test, for trees and graphs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.decode.proof import Proof
from treewright.errors import InputError

Certificate = Literal["exact", "agreement", "bound"]


class Multipliers(NamedTuple):
    """The Lagrange multipliers of each arc (h, m) at the end of dual decomposition."""

    h: NDArray[np.int32]
    m: NDArray[np.int32]
    u: NDArray[np.float64]  # as a modifier of h
    v: NDArray[np.float64]  # as m's own head; zero without grandparents


class Certified:
    """The definitions of gap and certified, for trees and graphs."""

    score: float
    bound: float
    certificate: Certificate | None

    @property
    def certified(self) -> bool:
        """Whether it is proved that nothing under the same constraints has a higher value (gap <= tolerance)."""
        return self.certificate is not None

    @property
    def gap(self) -> float:
        """bound - score, at least 0: nothing under the same constraints is better by more than this."""
        return max(0.0, self.bound - self.score)


@dataclass(frozen=True, eq=False)
class Parse(Certified):
    """A tree, its value, and an upper bound on the value of every tree under the same constraints.

    heads[m] is the head of word m; heads[0] is -1. certificate says why no tree is better: "exact" (an exact
    algorithm), "agreement" (all parts of a decomposition chose the tree) or "bound" (an upper bound equals the value
    within the tolerance of the method); None when no such proof was found. A certificate is about scores:
    a certified tree of a parser is its model's best tree over the arcs in `scope`, and may still be wrong.
    """

    heads: NDArray[np.int32]
    score: float
    bound: float
    method: str
    certificate: Certificate | None = "exact"
    iterations: int = 0  # of a dual or climbing method
    nodes: int = 0  # of a search tree
    trace: Mapping[str, NDArray[Any]] | None = None  # one row an iteration, with trace=True
    arcs: NDArray[np.float64] | None = None  # [h, m] in 0..1: the fractional solution of a linear program
    multipliers: Multipliers | None = None  # of dual decomposition: a warm start for a similar problem
    labels: NDArray[np.int32] | None = None  # of each word, for labelled scores arc[h, m, l]; labels[0] is -1
    pruned: bool = False  # a parser removed arcs before: bound and certificate are about trees over the other arcs
    proof: Proof | None = None  # why no tree is better, for `verify`; with proof=True

    @classmethod
    def exact(cls, heads: NDArray[np.int32], value: float, method: str) -> Parse:
        """The result heads of an exact method, with its score: the bound is the value."""
        self = cls.__new__(cls)
        # All fields at once: setting them one by one in a frozen dataclass takes as long as decoding 20 words.
        object.__setattr__(self, "__dict__", {"heads": heads, "score": value, "bound": value, "method": method})
        return self

    @classmethod
    def ranked(cls, heads: NDArray[np.int32], value: float, best: Parse, method: str) -> Parse:
        """The tree heads with its value, found by a method, in a list whose first is `best`.

        It is certified as the best one only if it has the same value.
        """
        is_best = value >= best.score
        return cls(heads, value, max(best.bound, value), method, best.certificate if is_best else None)

    def after_pruning(self) -> Parse:
        """The same result with the note that arcs were removed before it was found."""
        copy = Parse.__new__(Parse)
        object.__setattr__(copy, "__dict__", {**self.__dict__, "pruned": True})  # all fields at once, as in `exact`
        return copy

    @property
    def status(self) -> str:
        """The certificate in words, or the gap.

        >>> Parse.exact(np.array([-1, 0], np.int32), 1.0, "exact").status
        'certified'
        """
        if self.certified:
            return "certified"
        return f"gap {self.gap:.4g}" if self.gap < float("inf") else "not certified"

    @property
    def scope(self) -> str:
        """The arcs that the bound and the certificate are about: "all arcs", or those that pruning left.

        >>> Parse(np.array([-1, 0], np.int32), 1.0, 1.0, "eisner", pruned=True).scope
        'candidate arcs'
        """
        return "candidate arcs" if self.pruned else "all arcs"

    @property
    def worth(self) -> str:
        """The former name of `status`."""
        return self.status

    def __repr__(self) -> str:
        proof = "certified" if self.certified else f"gap <= {self.gap:.6g}"
        return f"Parse(heads={self.heads.tolist()}, score={self.score:.6g}, {proof}, method={self.method!r})"


class ArrayResult(np.ndarray[Any, Any]):
    """An array with the attribute `exact`: False for the result of an approximation.

    For a batch with errors="return", `failed` has the error of each sentence that has one; its cells are NaN.
    Everything computed from it (elements, slices, sums, differences) is a plain array or number.
    """

    exact: bool
    failed: Mapping[int, InputError] = {}

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
        return _restored, (np.asarray(self), self.exact)

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


def _plain(array: Any) -> Any:
    return array.view(np.ndarray) if isinstance(array, ArrayResult) else array


def _restored(values: NDArray[Any], exact: bool) -> ArrayResult:
    return ArrayResult(values, exact=exact)
