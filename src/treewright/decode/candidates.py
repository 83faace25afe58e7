"""Candidate arcs: the arcs of a sentence that remain after pruning by a first-order model (Koo & Collins 2010)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.calls import explained
from treewright.decode.constraints import infeasible
from treewright.decode.problem import Arc, Problem, is_single
from treewright.decode.sums.marginals import scores_of
from treewright.errors import InputError

Indices = NDArray[np.int32]


class Candidates(NamedTuple):
    """The candidate arcs of a sentence, by modifier, and the marginal probability of every arc [h, m]."""

    head: Indices
    modifier: Indices
    marginal: NDArray[np.float64]


@explained
def candidates(
    arc: ArrayLike,
    *,
    threshold: float,
    max_heads: int,
    min_heads: int = 1,
    projective: bool = False,
    root: str = "single",
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
    head_first: bool = True,
    gold: Indices | None = None,
) -> Candidates:
    """The arcs that a first-order model leaves to a model of higher order.

    Of each word, the heads whose marginal probability is at least `threshold` times that of the most probable one, at
    most `max_heads` and at least `min_heads` of them (of equally probable heads the smaller ones; none of probability
    0); and every arc of the best tree and, in training, of the gold tree. projective, root, require, forbid and
    head_first are those of `tree`.

    >>> found = candidates([[0, 9, 2], [0, 0, 7], [0, 3, 0]], threshold=0.1, max_heads=2)
    >>> found.head.tolist(), found.modifier.tolist()
    ([0, 1], [1, 2])
    """
    problem = Problem.of(arc, projective=projective, root=root, require=require, forbid=forbid, head_first=head_first)
    rules = _rules(threshold, max_heads, min_heads, projective, root)
    [(head, modifier, marginal, value)] = _core.candidate_arcs(
        [scores_of(problem)], rules, [] if gold is None else [gold]
    )
    if value == -math.inf:
        raise infeasible(problem)
    return Candidates(head, modifier, marginal)


@explained
def candidates_batch(
    arcs: Sequence[NDArray[np.float64]],
    *,
    threshold: float,
    max_heads: int,
    min_heads: int = 1,
    projective: bool = False,
    root: str = "single",
) -> list[Candidates]:
    """The Candidates of each matrix of finite scores in arcs, in one call to the core.

    threshold, max_heads, min_heads, projective and root are those of `candidates`.

    >>> arc = np.array([[0, 9, 2], [0, 0, 7], [0, 3, 0]], dtype=float)
    >>> [found.head.tolist() for found in candidates_batch([arc, arc], threshold=0.1, max_heads=2)]
    [[0, 1], [0, 1]]
    """
    found = _core.candidate_arcs(list(arcs), _rules(threshold, max_heads, min_heads, projective, root), [])
    return [Candidates(head, modifier, marginal) for head, modifier, marginal, _ in found]


def _rules(threshold: float, max_heads: int, min_heads: int, projective: bool, root: str) -> _core.PruningRules:
    if max_heads < 1:
        raise InputError(f"max_heads is {max_heads}; it is at least 1")
    if not 1 <= min_heads <= max_heads:
        raise InputError(f"min_heads is {min_heads}; expected 1 to max_heads, which is {max_heads}")
    return _core.PruningRules(projective, is_single(root), threshold, max_heads, min_heads)
