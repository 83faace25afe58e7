"""Head automata (Koo et al. 2010): the best modifiers of one head, and automata with states of the user."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.decode import arrays
from treewright.decode.problem import Problem, Scores
from treewright.errors import InfeasibleError, InputError

if TYPE_CHECKING:
    from treewright.decode.options import ProblemOptions


@dataclass(frozen=True, eq=False)
class HeadAutomata:
    """An automaton with states on each side of each head, which reads the modifiers of the head outwards.

    moves[h, m, s, t] is the score of taking m as the next modifier of h in state s and going to state t; a word that is
    no modifier keeps the state and scores nothing. start[h, side, s] and stop[h, side, s] score the state at either end
    (side 0 left, 1 right; 0 where not given); -inf forbids. Cells with h == m or m == 0 are not read. A tree has the
    value of its arcs and, for each side of each head, of the best path that takes its modifiers.

    >>> import numpy as np
    >>> moves = np.full((4, 4, 2, 2), -np.inf)  # states count the modifiers of a side: 0, 1
    >>> moves[:, :, 0, 1] = 0.0
    >>> start = np.zeros((4, 2, 2))
    >>> start[:, :, 1] = -np.inf
    >>> at_most_one = HeadAutomata(moves, start)
    >>> arc = np.array([[0, 9, 2, 2], [0, 0, 7, 6], [0, 3, 0, 1], [0, 0, 0, 0.0]])
    >>> import treewright as tw
    >>> tw.decode.tree(arc).heads.tolist(), tw.decode.tree(arc, automata=at_most_one).heads.tolist()
    ([-1, 0, 1, 1], [-1, 0, 1, 2])
    """

    moves: NDArray[np.float64]
    start: NDArray[np.float64]
    stop: NDArray[np.float64]

    def __init__(self, moves: ArrayLike, start: ArrayLike | None = None, stop: ArrayLike | None = None) -> None:
        table = arrays.float_array(moves, "moves")
        nodes, states = table.shape[0], table.shape[-1]
        if table.shape != (nodes, nodes, states, states) or nodes < 2 or not states:
            raise InputError(f"moves has shape {table.shape}; expected moves[h, m, s, t] over nodes and states")
        object.__setattr__(self, "moves", table)
        for name, given in (("start", start), ("stop", stop)):
            scores = np.zeros((nodes, 2, states)) if given is None else arrays.float_array(given, name)
            if scores.shape != (nodes, 2, states):
                raise arrays.bad_shape(name, scores.shape, (nodes, 2, states), f"{name}[h, side, s]")
            object.__setattr__(self, name, scores)
        is_read = ~np.eye(nodes, dtype=np.bool_)
        is_read[:, 0] = False
        read = np.where(is_read[:, :, None, None], table, 0.0)
        for name, scores in (("moves", read), ("start", self.start), ("stop", self.stop)):
            bad = np.argwhere(~((np.abs(scores) <= arrays.LARGEST) | (scores == -np.inf)))
            if len(bad):
                cell = tuple(bad[0].tolist())
                raise arrays.bad_score(name, cell, float(scores[cell]))


class Modifiers(NamedTuple):
    """The best modifiers of a head on one side, outwards from the head, and their value."""

    modifiers: NDArray[np.int32]
    score: float


def sibling_automaton(arc: Scores, h: int, side: int, **options: Unpack[ProblemOptions]) -> Modifiers:
    """Find the best Modifiers of h on one side (0 left, 1 right) by arc, sibling and stop scores alone.

    options are the scores and constraints of `tree`.

    >>> arc = [[0, 1, 2, 3], [0, 0, -1, 2], [0, 0, 0, 1], [0, 0, 0, 0]]
    >>> best = sibling_automaton(arc, 1, 1)
    >>> best.modifiers.tolist(), best.score
    ([3], 2.0)
    """
    problem = Problem.of(arc, **options).refuse_labels()
    h = index(h)
    if not 0 <= h < problem.nodes:
        raise InputError(f"h is {h}; nodes are 0..{problem.nodes - 1}")
    if side not in (0, 1):
        raise InputError(f"side is {side!r}; it is 0 (left of the head) or 1 (right)")
    parts = problem.parts
    forced = np.zeros(parts.arcs, dtype=np.bool_)
    for head, modifier in problem.require:
        forced |= (parts.head == head) & (parts.modifier == modifier)
    value, chosen = _core.sibling_automaton(parts, 2 * h + int(side), forced)
    if value == -np.inf:
        raise InfeasibleError(
            f"every choice of modifiers for node {h} has a part with the score -inf; make one finite, or require less"
        )
    return Modifiers(parts.modifier[(parts.head == h) & ((parts.modifier > h) == bool(side))][chosen], value)
