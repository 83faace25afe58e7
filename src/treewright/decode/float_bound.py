"""The bound of a first-order tree in doubles, with the rounding added, written for `verify` only.

It takes a few array operations, and is enough for most trees. Where it is not, the check is repeated in integers
(integer_bound.py), which also names what is wrong with a proof.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain

import numpy as np

from treewright.decode.integer_scores import Floats
from treewright.decode.proof import Point

EPSILON = 2.0**-52  # the relative error of a sum is at most half of it


def upper_bound(arc: Floats, point: Point, single_root: bool) -> float:
    """The bound of docs/proofs.md at a point without multipliers of arcs; +inf when the point is not as it should be.

    Each weight is a sum of the score, of at most 2 terms a set that add up to at most twice the slack of all sets, and
    of the penalty; the error of the sum over words is at most the number of terms times that of the largest.
    """
    nodes, sets = len(arc), len(point.sets)
    slack = [x for x, _ in point.sets]
    total = math.fsum(slack)
    if point.arcs or not math.isfinite(total + abs(point.penalty)) or (point.penalty and not single_root):
        return math.inf
    weights = arc.copy()
    if sets:
        members = _members([words for _, words in point.sets], nodes)
        if members is None or min(slack) < 0:
            return math.inf
        inside = members * np.array(slack)[:, None]
        weights += np.add.reduce(inside) - members.T @ inside  # of the sets that have m, less those that have both
    weights[0] -= point.penalty
    best = np.maximum.reduce(weights)[1:].tolist()
    bound = math.fsum([*best, -total, point.penalty])
    terms = 4 * sets + 12
    error = EPSILON * (nodes * (terms * total + 4 * abs(point.penalty)) + 4 * math.fsum(map(abs, best)) + abs(bound))
    return math.nextafter(bound + 2 * error, math.inf)  # twice: the error itself is rounded


def _members(sets: Sequence[Sequence[int]], nodes: int) -> Floats | None:
    """[set, node]: 1 where the node is in the set; None when a set is empty or has a node that is no word."""
    words = np.array(list(chain.from_iterable(sets)), dtype=np.intp)
    if not all(sets) or words.min() < 1 or words.max() >= nodes:
        return None
    members = np.zeros((len(sets), nodes))
    members.reshape(-1)[np.repeat(np.arange(0, members.size, nodes), list(map(len, sets))) + words] = 1
    return members
