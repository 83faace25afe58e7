"""Head automata: the best modifiers of one head, read outwards, with what each candidate gains or costs.

The subproblems of dual decomposition (Koo et al. 2010), each exact on its own: siblings on one side in O(L²) for L
candidates, siblings and grandparents in O(G L²) for G candidate heads, an automaton of your own in O(L S²) for S
states.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.decode import arrays
from treewright.decode.problem import Problem, Scores
from treewright.errors import InfeasibleError, InputError

if TYPE_CHECKING:
    from treewright.decode.options import ProblemOptions


@dataclass(frozen=True, eq=False)
class Modifiers:
    """The best modifiers of a head.

    modifiers are the words chosen and candidates those there were to choose from, both outwards from the head, left
    side first. best_with[i] is the highest value of any choice with candidates[i], best_without[i] of any without; -inf
    where there is none. head is the best head of the head and best_by_head the highest value with each of heads, where
    grandparents were requested.
    """

    modifiers: NDArray[np.int32]
    score: float
    candidates: NDArray[np.int32]
    best_with: NDArray[np.float64]
    best_without: NDArray[np.float64]
    head: int | None = None
    heads: NDArray[np.int32] | None = None
    best_by_head: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Path:
    """The best path through an automaton.

    accepted are the candidates taken, states the state before the first and after each of them; best_with and
    best_without are as in Modifiers.
    """

    accepted: NDArray[np.int32]
    states: NDArray[np.int32]
    score: float
    best_with: NDArray[np.float64]
    best_without: NDArray[np.float64]


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


def sibling_automaton(arc: Scores, h: int, side: int, **options: Unpack[ProblemOptions]) -> Modifiers:
    """Find the best Modifiers of h on one side (0 left, 1 right) by arc, sibling and stop scores alone.

    Scores and constraints are those of `tree`.

    >>> arc = [[0, 1, 2, 3], [0, 0, -1, 2], [0, 0, 0, 1], [0, 0, 0, 0]]
    >>> best = sibling_automaton(arc, 1, 1)
    >>> best.modifiers.tolist(), best.score
    ([3], 2.0)
    >>> best.candidates.tolist(), best.best_with.tolist(), best.best_without.tolist()
    ([2, 3], [1.0, 2.0], [2.0, 0.0])
    """
    problem = Problem.of(arc, **options).refuse_labels()
    h = _node(problem, h)
    if side not in (0, 1):
        raise InputError(f"side is {side!r}; it is 0 (left of the head) or 1 (right)")
    parts = problem.parts
    value, chosen, best_with, best_without = _core.sibling_automaton(parts, 2 * h + int(side), _forced(problem))
    if value == -np.inf:
        raise _no_choice(h)
    of_side = (parts.head == h) & ((parts.modifier > h) == bool(side))
    candidates = parts.modifier[of_side]
    return Modifiers(candidates[chosen], value, candidates, best_with, best_without)


def grandparent_automaton(
    arc: Scores, h: int, *, of_head: ArrayLike | None = None, **options: Unpack[ProblemOptions]
) -> Modifiers:
    """Find the best Modifiers of h on both sides together with its best head, by all scores that depend on them.

    Scores and constraints are those of `tree`.
    of_head[g] is added for the head g that is chosen; the arc (g, h) itself is not counted, for it belongs to g's own
    modifiers. Node 0 has no head: head is None then. The result need not belong to a tree: g may also be among the
    modifiers.

    >>> import numpy as np
    >>> arc = np.full((4, 4), -1.0)
    >>> grand = np.zeros((4, 4, 4))
    >>> grand[3, 2, 1] = 2.0
    >>> best = grandparent_automaton(arc, 2, grand=grand, of_head=[0.5, 0, 0, 0])
    >>> best.head, best.modifiers.tolist(), best.score
    (3, [1], 1.0)
    >>> best.heads.tolist(), best.best_by_head.tolist()
    ([0, 1, 3], [0.5, 0.0, 1.0])
    """
    problem = Problem.of(arc, **options).refuse_labels()
    h = _node(problem, h)
    parts = problem.parts
    heads = parts.head[parts.modifier == h]
    scores = np.zeros(problem.nodes) if of_head is None else arrays.score_column(of_head, "of_head")
    if scores.shape != (problem.nodes,):
        raise arrays.bad_shape("of_head", scores.shape, (problem.nodes,), "one score a node")
    for g in heads.tolist():
        if np.isnan(scores[g]) or scores[g] == np.inf:
            raise arrays.bad_score("of_head", (g,), float(scores[g]))
    value, rank, chosen, best_with, best_without, best_by_head = _core.grand_automaton(
        parts, h, np.ascontiguousarray(scores[heads]), _forced(problem)
    )
    if value == -np.inf:
        raise _no_choice(h)
    candidates = parts.modifier[parts.head == h]
    if h == 0:
        return Modifiers(candidates[chosen], value, candidates, best_with, best_without)
    return Modifiers(
        candidates[chosen], value, candidates, best_with, best_without, int(heads[rank]), heads, best_by_head
    )


def state_automaton(moves: ArrayLike, *, start: ArrayLike | None = None, stop: ArrayLike | None = None) -> Path:
    """Find the best path through an automaton of your own over candidates 0, 1, ..., L - 1.

    moves[i, s, t] is the score of taking candidate i in state s and going to state t; a candidate that is passed over
    keeps the state and scores nothing. start[s] and stop[s] score the state at either end (0 where not given); -inf
    forbids. Bigram siblings are the case of one state a candidate; counting states make valency models.

    >>> import numpy as np
    >>> moves = np.full((3, 3, 3), -np.inf)  # states count the modifiers: 0, 1, 2
    >>> for i, score in enumerate([1.0, 2.0, 4.0]):
    ...     moves[i, 0, 1] = moves[i, 1, 2] = score
    >>> best = state_automaton(moves, start=[0, -np.inf, -np.inf])  # two modifiers at most
    >>> best.accepted.tolist(), best.states.tolist(), best.score
    ([1, 2], [0, 1, 2], 6.0)
    """
    table = arrays.float_array(moves, "moves")
    if table.ndim != 3 or table.shape[1] != table.shape[2] or table.shape[1] < 1:
        raise InputError(f"moves has shape {table.shape}; expected moves[i, s, t] over candidates, states and states")
    states = table.shape[1]
    ends = []
    for name, given in (("start", start), ("stop", stop)):
        scores = np.zeros(states) if given is None else arrays.score_column(given, name)
        if scores.shape != (states,):
            raise arrays.bad_shape(name, scores.shape, (states,), "one score a state, as many as moves has")
        ends.append(scores)
    for name, scores in (("moves", table), ("start", ends[0]), ("stop", ends[1])):
        bad = np.argwhere(np.isnan(scores) | (scores == np.inf))
        if len(bad):
            cell = tuple(bad[0].tolist())
            raise arrays.bad_score(name, cell, float(scores[cell]))
    value, first, entered, best_with, best_without = _core.state_automaton(ends[0], table, ends[1])
    if value == -np.inf:
        raise InfeasibleError("no path leads from start to stop: every one has a score of -inf; make one finite")
    accepted = np.flatnonzero(entered >= 0).astype(np.int32)
    return Path(accepted, np.r_[first, entered[accepted]].astype(np.int32), value, best_with, best_without)


def _node(problem: Problem, h: int) -> int:
    node = index(h)
    if not 0 <= node < problem.nodes:
        raise InputError(f"h is {node}; nodes are 0..{problem.nodes - 1}")
    return node


def _forced(problem: Problem) -> NDArray[np.bool_]:
    parts = problem.parts
    forced = np.zeros(parts.arcs, dtype=np.bool_)
    for h, m in problem.require:
        forced |= (parts.head == h) & (parts.modifier == m)
    return forced


def _no_choice(h: int) -> InfeasibleError:
    return InfeasibleError(
        f"every choice of modifiers for node {h} has a part with the score -inf; make one finite, or require less"
    )
