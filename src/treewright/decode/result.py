"""What a decoder answers: a tree and what it is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Certificate = Literal["exact", "agreement", "bound"]


class Multipliers(NamedTuple):
    """Where dual decomposition ended: the price of each arc (h, m) for the head automata."""

    h: NDArray[np.int32]
    m: NDArray[np.int32]
    u: NDArray[np.float64]  # as a modifier of h
    v: NDArray[np.float64]  # as m's own head; zero without grandparents


@dataclass(frozen=True, eq=False)
class Parse:
    """A tree, its value, and a bound on what any tree could reach.

    heads[m] is the head of word m; heads[0] is -1. certificate says why the tree is known to be the best:
    "exact" (the algorithm cannot miss it), "agreement" (every part of a decomposition chose it) or "bound" (an upper
    bound met its value); None when it is not known to be.
    """

    heads: NDArray[np.int32]
    score: float
    bound: float
    method: str
    certificate: Certificate | None = "exact"
    iterations: int = 0  # of a dual or climbing method
    nodes: int = 0  # of a search tree
    trace: Mapping[str, NDArray[Any]] | None = None  # one row an iteration, where trace=True was asked for
    arcs: NDArray[np.float64] | None = None  # [h, m] in 0..1: the fractional solution of a linear program
    multipliers: Multipliers | None = None  # of dual decomposition: a warm start for a question like this one

    @classmethod
    def exact(cls, heads: NDArray[np.int32], value: float, method: str) -> Parse:
        """The answer of an algorithm that cannot miss the best tree."""
        self = cls.__new__(cls)
        # All at once, for a frozen dataclass would take as long to set its fields one by one as to decode 20 words.
        object.__setattr__(self, "__dict__", {"heads": heads, "score": value, "bound": value, "method": method})
        return self

    @property
    def certified(self) -> bool:
        """Whether no tree under the same constraints has a higher value."""
        return self.certificate is not None

    @property
    def gap(self) -> float:
        """How much a better tree could gain at most."""
        return max(0.0, self.bound - self.score)

    @property
    def worth(self) -> str:
        """What is known of the tree, in words.

        >>> Parse.exact(np.array([-1, 0], np.int32), 1.0, "exact").worth
        'certified'
        """
        if self.certified:
            return "certified"
        return f"gap {self.gap:.4g}" if self.gap < float("inf") else "not certified"

    def __repr__(self) -> str:
        worth = "certified" if self.certified else f"gap <= {self.gap:.6g}"
        return f"Parse(heads={self.heads.tolist()}, score={self.score:.6g}, {worth}, method={self.method!r})"
