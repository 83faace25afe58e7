"""Candidate arcs: the arcs of a sentence that remain after pruning by a first-order model (Koo & Collins 2010)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.decode.constraints import infeasible
from treewright.decode.problem import Problem, Scores, is_single
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.decode.options import ProblemOptions

Indices = NDArray[np.int32]


class Candidates(NamedTuple):
    """The candidate arcs of a sentence, by modifier, and the marginal probability of every arc [h, m]."""

    head: Indices
    modifier: Indices
    marginal: NDArray[np.float64]


def candidates(
    arc: Scores,
    *,
    threshold: float,
    max_heads: int,
    min_heads: int = 1,
    gold: Indices | None = None,
    **options: Unpack[ProblemOptions],
) -> Candidates:
    """Choose the arcs that a first-order model leaves to a model of higher order.

    Of each word, the heads whose marginal probability is at least `threshold` times that of the most probable one, at
    most `max_heads` and at least `min_heads` of them (of equally probable heads the smaller ones; none of probability
    0); and every arc of the best tree and, in training, of the gold tree. Scores and constraints are those of `tree`.

    >>> arcs = candidates([[0, 9, 2], [0, 0, 7], [0, 3, 0]], threshold=0.1, max_heads=2)
    >>> arcs.head.tolist(), arcs.modifier.tolist()
    ([0, 1], [1, 2])
    """
    check_heads_limits(max_heads, min_heads)
    problem = Problem.of(arc, **options).refuse_labels()
    if problem.order == 2:
        raise InputError("candidates are chosen by arc scores alone; leave out sib, grand, stop and grandsib")
    rules = _core.PruningRules(problem.projective, problem.single_root, threshold, max_heads, min_heads)
    trees = [] if gold is None else [gold]
    marks = np.empty(0, np.int32)
    [(heads, modifiers, marginals, value)] = _core.candidate_arcs([problem.kernel_matrix], [marks], rules, trees)
    if value == -math.inf:
        raise infeasible(problem)
    return Candidates(heads, modifiers, marginals)


def candidates_of_batch(
    arcs: Sequence[NDArray[np.float64]],
    marks: Sequence[Indices],
    *,
    threshold: float,
    max_heads: int,
    min_heads: int = 1,
    projective: bool = False,
    root: str = "single",
) -> list[Candidates]:
    """Choose the candidate arcs of several sentences by their scores arcs[s][h, m]; nothing depends on marks[s].

    The other arguments are those of `candidates`.
    """
    check_heads_limits(max_heads, min_heads)
    rules = _core.PruningRules(projective, is_single(root), threshold, max_heads, min_heads)
    chosen = []
    for number, (heads, modifiers, marginals, value) in enumerate(_core.candidate_arcs(arcs, marks, rules, [])):
        if value == -math.inf:
            arc = arcs[number].copy()
            arc[marks[number]] = -np.inf
            raise infeasible(Problem.of(arc, projective=projective, root=root))
        chosen.append(Candidates(heads, modifiers, marginals))
    return chosen


def check_heads_limits(max_heads: int, min_heads: int) -> None:
    """Refuse limits of the number of candidate heads that contradict each other."""
    if max_heads < 1:
        raise InputError(f"max_heads is {max_heads}; it is at least 1")
    if not 1 <= min_heads <= max_heads:
        raise InputError(f"min_heads is {min_heads}; expected 1 to max_heads, which is {max_heads}")
