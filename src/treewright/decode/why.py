"""The best tree with a given arc against the best tree: the loss of value, and the words that change their heads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

import numpy as np

from treewright.decode.methods import tree
from treewright.decode.problem import Arc, Problem, Scores
from treewright.decode.result import Parse
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.decode.options import MethodOptions, ProblemOptions


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


def why_not(
    arc: Scores,
    h: int,
    m: int,
    *,
    method: str = "exact",
    max_seconds: float | None = None,
    **options: Unpack[ProblemOptions],
) -> WhyNot:
    """Compare the best tree with the best tree that has the arc (h, m).

    Scores, constraints and method are those of `tree`. max_seconds limits each of the two decodings. An InfeasibleError
    names the constraints that exclude the arc.

    >>> answer = why_not([[0, 9, 2], [0, 0, 7], [0, 3, 0]], 2, 1)
    >>> answer.loss, answer.rival.heads.tolist()
    (11.0, [-1, 2, 0])
    >>> answer
    WhyNot(arc=(2, 1), loss=11: word 1 from 0 to 2, word 2 from 1 to 0)
    """
    problem = Problem.of(arc, **options)
    last = problem.nodes - 1
    if not (0 <= h <= last and 1 <= m <= last and h != m):
        raise InputError(f"there is no arc h={h}, m={m}: heads are 0..{last}, modifiers 1..{last}, and differ")
    rival = replace(problem, require=(*problem.require, (int(h), int(m))))
    budget: MethodOptions = {} if max_seconds is None else {"max_seconds": max_seconds}
    best, best_with_arc = (tree(each, method=method, **budget) for each in (problem, rival))
    return WhyNot((int(h), int(m)), best, best_with_arc)
