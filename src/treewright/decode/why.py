"""The best tree with a given arc against the best tree: the loss of value, and the words that change their heads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from treewright.calls import explained
from treewright.decode.methods import tree
from treewright.decode.options import MethodOptions
from treewright.decode.parts import Parts
from treewright.decode.problem import Arc
from treewright.decode.result import Parse
from treewright.errors import InputError


@dataclass(frozen=True, eq=False)
class WhyNot:
    """The best tree, and its rival: the best tree with the arc."""

    arc: Arc
    best: Parse
    rival: Parse

    @property
    def loss(self) -> float:
        """The value of the best tree less that of the rival; 0 when a best tree has the arc."""
        return self.best.score - self.rival.score

    @property
    def certified(self) -> bool:
        """Whether the loss is exact: both trees are certified."""
        return self.best.certified and self.rival.certified

    @property
    def moves(self) -> list[tuple[int, int, int]]:
        """(m, h, h'): the words m with head h in the best tree and head h' in the rival."""
        changed = np.flatnonzero(self.best.heads != self.rival.heads).tolist()
        return [(m, int(self.best.heads[m]), int(self.rival.heads[m])) for m in changed]

    def __repr__(self) -> str:
        moves = ", ".join(f"word {m} from {h} to {other}" for m, h, other in self.moves) or "no word moves"
        exactly = "" if self.certified else ", not certified"
        return f"WhyNot(arc={self.arc}, loss={self.loss:.6g}{exactly}: {moves})"


@explained
def why_not(
    arc: ArrayLike | Parts,
    h: int,
    m: int,
    *,
    sib: ArrayLike | None = None,
    grand: ArrayLike | None = None,
    stop: ArrayLike | None = None,
    projective: bool = False,
    root: str = "single",
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
    head_first: bool = True,
    method: str = "exact",
    max_seconds: float | None = None,
) -> WhyNot:
    """The difference in value between the best tree and the best tree with the arc (h, m).

    Scores, constraints and method are those of `tree`. max_seconds limits each of the two decodings. An InfeasibleError
    names the constraints that exclude the arc.

    >>> answer = why_not([[0, 9, 2], [0, 0, 7], [0, 3, 0]], 2, 1)
    >>> answer.loss, answer.rival.heads.tolist()
    (11.0, [-1, 2, 0])
    >>> answer
    WhyNot(arc=(2, 1), loss=11: word 1 from 0 to 2, word 2 from 1 to 0)
    """
    budget: MethodOptions = {} if max_seconds is None else {"max_seconds": max_seconds}
    required = list(require)

    def best_with(arcs: list[Arc]) -> Parse:
        return tree(
            arc,
            sib=sib,
            grand=grand,
            stop=stop,
            projective=projective,
            root=root,
            require=arcs,
            forbid=forbidden,
            head_first=head_first,
            method=method,
            **budget,
        )

    forbidden = list(forbid)
    best = best_with(required)
    last = len(best.heads) - 1
    if not (0 <= h <= last and 1 <= m <= last and h != m):
        raise InputError(f"there is no arc h={h}, m={m}: heads are 0..{last}, modifiers 1..{last}, and differ")
    return WhyNot((int(h), int(m)), best, best_with([*required, (h, m)]))
