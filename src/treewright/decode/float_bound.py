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
SHORT = 12  # nodes: up to here lists are faster than arrays (benchmarks/proofs.py)


def upper_bound(arc: Floats, point: Point, single_root: bool) -> float:
    """The bound of docs/proofs.md at a point without multipliers of arcs; +inf if the point is not as it should be."""
    nodes = len(arc)
    if not _is_usable(point, nodes, single_root):
        return math.inf
    return _total(_best_of_lists(arc, point) if nodes <= SHORT else _best_of_arrays(arc, point), point, nodes)


def _best_of_lists(arc: Floats, point: Point) -> list[float]:
    """The largest weight into each word: that of the arc, of the sets that it enters, and of root arcs."""
    weights: list[list[float]] = arc.T.tolist()  # [m][h]
    for slack, words in point.sets:
        outside = [h for h in range(len(weights)) if h not in words]
        for into in [weights[m] for m in set(words)]:
            for h in outside:
                into[h] += slack
    if point.penalty:
        for into in weights:
            into[0] -= point.penalty
    return list(map(max, weights[1:]))


def _best_of_arrays(arc: Floats, point: Point) -> list[float]:
    """The same for long sentences."""
    weights = arc.copy()
    if point.sets:
        members = np.zeros((len(point.sets), len(arc)))
        members.reshape(-1)[[k * len(arc) + m for k, (_, words) in enumerate(point.sets) for m in words]] = 1
        weights += entered(members, np.array([slack for slack, _ in point.sets]))
    weights[0] -= point.penalty
    found: list[float] = np.maximum.reduce(weights)[1:].tolist()
    return found


def upper_bounds(arc: Floats, points: Sequence[Point], single_root: bool) -> Floats:
    """The same for each sentence of arc[sentence, h, m]."""
    nodes, none = arc.shape[1], Point((), 0.0, ())
    usable = [_is_usable(point, nodes, single_root) for point in points]
    points = [point if _is_usable else none for point, _is_usable in zip(points, usable, strict=True)]
    weights, total = arc, np.zeros(len(points))
    if any(point.sets for point in points):
        members, slack = _padded_sets(points, nodes)
        weights, total = arc + entered(members, slack), np.add.reduce(slack, axis=1)
    penalty = np.array([point.penalty for point in points])
    root = weights[:, 0] - penalty[:, None]
    best = np.maximum(np.maximum.reduce(weights[:, 1:], axis=1), root)[:, 1:]
    bound = np.add.reduce(best, axis=1) - total + penalty
    terms = 5 * max(len(point.sets) for point in points) + 12 + nodes  # one more for each that is added up here
    largest = np.add.reduce(np.abs(best), axis=1)
    error = EPSILON * (nodes * (terms * total + 4 * np.abs(penalty)) + (4 + nodes) * largest + np.abs(bound))
    return np.where(usable, np.nextafter(bound + 2 * error, math.inf), math.inf)


def entered(members: Floats, slack: Floats) -> Floats:
    """[h, m]: the slack of the sets that the arc enters: of those that have m, less those that have both."""
    inside = members * slack[..., None]
    found: Floats = np.add.reduce(inside, axis=-2)[..., None, :] - np.swapaxes(members, -1, -2) @ inside
    return found


def _total(best: Sequence[float], point: Point, nodes: int) -> float:
    """The bound from the largest weight into each word.

    Each weight is a sum of the score, of at most 2 terms a set that add up to at most twice the slack of all sets, and
    of the penalty; the error of the sum over words is at most the number of terms times that of the largest.
    """
    total = math.fsum([slack for slack, _ in point.sets])
    bound = math.fsum([*best, -total, point.penalty])
    terms = 4 * len(point.sets) + 12
    error = EPSILON * (nodes * (terms * total + 4 * abs(point.penalty)) + 4 * math.fsum(map(abs, best)) + abs(bound))
    return math.nextafter(bound + 2 * error, math.inf)  # twice: the error itself is rounded


def _is_usable(point: Point, nodes: int, single_root: bool) -> bool:
    """Whether it has only finite multipliers, slack that is not negative, and sets of words that exist."""
    if point.arcs or not math.isfinite(point.penalty) or (point.penalty and not single_root):
        return False
    if not point.sets:
        return True
    slacks, sets = zip(*point.sets, strict=True)
    words = list(chain.from_iterable(sets))
    return min(slacks) >= 0 and sum(slacks) < math.inf and all(sets) and min(words) > 0 and max(words) < nodes


def _padded_sets(points: Sequence[Point], nodes: int) -> tuple[Floats, Floats]:
    """members[sentence, set, node]: 1 where the node is in the set; slack[sentence, set]; zero beyond the sets."""
    counts = [len(point.sets) for point in points]
    sets = list(chain.from_iterable(point.sets for point in points))
    slack = np.zeros((len(points), max(counts)))
    members = np.zeros((*slack.shape, nodes))
    place = np.arange(len(sets)) - np.repeat(np.cumsum(counts) - counts, counts)
    place += np.repeat(np.arange(0, slack.size, slack.shape[1]), counts)  # of each set in all of them
    slack.reshape(-1)[place] = [x for x, _ in sets]
    rows = np.repeat(place, [len(words) for _, words in sets])
    members.reshape(-1, nodes)[rows, list(chain.from_iterable(words for _, words in sets))] = 1
    return members, slack
