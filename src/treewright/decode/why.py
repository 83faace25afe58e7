"""Why not this arc? What the best tree with it would lose, and what else would change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treewright.decode.methods import tree
from treewright.decode.parts import Parts
from treewright.decode.problem import Arc
from treewright.decode.result import Parse
from treewright.errors import InputError


@dataclass(frozen=True, eq=False)
class WhyNot:
    """The best tree, its best rival with the arc, and what the arc costs."""

    arc: Arc
    best: Parse
    rival: Parse

    @property
    def loss(self) -> float:
        """What the rival is short of the best; 0 when a best tree has the arc."""
        return self.best.score - self.rival.score

    @property
    def certified(self) -> bool:
        """Whether the loss is exact: both trees are known to be the best of their kind."""
        return self.best.certified and self.rival.certified

    @property
    def moves(self) -> list[tuple[int, int, int]]:
        """(m, h, h'): the words m that hang from h in the best tree and from h' in the rival."""
        changed = np.flatnonzero(self.best.heads != self.rival.heads).tolist()
        return [(m, int(self.best.heads[m]), int(self.rival.heads[m])) for m in changed]

    def __repr__(self) -> str:
        moves = ", ".join(f"word {m} from {h} to {other}" for m, h, other in self.moves) or "no word moves"
        exactly = "" if self.certified else ", not certified"
        return f"WhyNot(arc={self.arc}, loss={self.loss:.6g}{exactly}: {moves})"


def why_not(
    arc: ArrayLike | Parts,
    h: int,
    m: int,
    *,
    require: Iterable[Arc] = (),
    **options: Any,
) -> WhyNot:
    """What the best tree with the arc (h, m) loses against the best tree; options are those of `tree`.

    An InfeasibleError says which constraints keep the arc out altogether.

    >>> answer = why_not([[0, 9, 2], [0, 0, 7], [0, 3, 0]], 2, 1)
    >>> answer.loss, answer.rival.heads.tolist()
    (11.0, [-1, 2, 0])
    >>> answer
    WhyNot(arc=(2, 1), loss=11: word 1 from 0 to 2, word 2 from 1 to 0)
    """
    demanded = list(require)
    best = tree(arc, require=demanded, **options)
    last = len(best.heads) - 1
    if not (0 <= h <= last and 1 <= m <= last and h != m):
        raise InputError(f"there is no arc ({h}, {m}): heads are 0..{last}, modifiers 1..{last}, and differ")
    rival = tree(arc, require=[*demanded, (h, m)], **options)
    return WhyNot((int(h), int(m)), best, rival)
