"""The bound of a first-order tree in doubles, with the rounding added, written for `verify` only.

It takes a few array operations, and is enough for most trees. Where it is not, the check is repeated in integers
(integer_bound.py), which also names what is wrong with a proof.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain

import numpy as np

from treewright.proofs.integer_scores import Floats
from treewright.proofs.proof import Point

EPSILON = 2.0**-52  # the relative error of a sum is at most half of it
LARGEST = 2.0**1000  # of the slack of a set: sums do not overflow
SHORT = 12  # nodes: up to here lists are faster than arrays (benchmarks/proofs.py)


def upper_bound(arc: Floats, point: Point, single_root: bool) -> float:
    """The bound of docs/proofs.md at a point without multipliers of arcs; +inf if the point is not as it should be.

    The diagonal and column 0 of arc are not read.
    """
    nodes = len(arc)
    if not _is_usable(point, nodes, single_root):
        return math.inf
    return _total((_best_of_lists if nodes <= SHORT else _best_of_arrays)(arc, point), point, nodes)


# An arc enters the sets that have its modifier, less those that have both of its ends: the slack of the first is added
# to the best arc of a word, that of the second is subtracted from each arc.


def _best_of_lists(arc: Floats, point: Point) -> list[float]:
    """The largest weight into each word: that of the arc, of the sets that it enters, and of root arcs."""
    weights: list[list[float]] = arc.T.tolist()  # [m][h]
    gain = [0.0] * len(weights)
    for slack, bits in point.sets:
        words = [m for m in range(len(weights)) if bits >> m & 1]
        for m in words:
            gain[m] += slack
            into = weights[m]
            for h in words:
                into[h] -= slack
    for m in range(1, len(weights)):
        into = weights[m]
        into[0] -= point.penalty
        into[m] = -math.inf
        gain[m] += max(into) if sum(into) == -math.inf else math.inf  # `max` may overlook NaN
    return gain[1:]


def _best_of_arrays(arc: Floats, point: Point) -> list[float]:
    """The same for long sentences."""
    weights, nodes = arc.copy(), len(arc)
    gain: Floats | float = 0.0
    if point.sets:
        slack, bits = zip(*point.sets, strict=True)
        members = _members(bits, nodes)
        both = members.T @ (members * np.array(slack)[:, None])
        weights -= both
        gain = both.diagonal()
    weights[0] -= point.penalty
    weights.reshape(-1)[:: nodes + 1] = -math.inf
    found: list[float] = (np.maximum.reduce(weights) + gain).tolist()
    return found[1:]


def _members(sets: Sequence[int], nodes: int) -> Floats:
    """[set, node]: 1 where the node is in the set."""
    size = nodes // 8 + 1
    data = np.frombuffer(b"".join([bits.to_bytes(size, "little") for bits in sets]), np.uint8)
    found: Floats = np.unpackbits(data.reshape(-1, size), axis=1, count=nodes, bitorder="little").astype(np.float64)
    return found


def upper_bounds(arc: Floats, points: Sequence[Point], single_root: bool) -> Floats:
    """The same for each sentence of arc[sentence, h, m], which is -inf for what is no arc."""
    nodes, none = arc.shape[1], Point((), 0.0, ())
    usable = [_is_usable(point, nodes, single_root) for point in points]
    points = [point if is_usable else none for point, is_usable in zip(points, usable, strict=True)]
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
    of the penalty. Its error is at most that of the largest intermediate sum, times the number of terms.
    """
    total = math.fsum([slack for slack, _ in point.sets])
    bound = math.fsum([*best, -total, point.penalty])
    terms = 4 * len(point.sets) + 12
    error = EPSILON * (terms * (math.fsum(map(abs, best)) + nodes * (total + abs(point.penalty))) + abs(bound))
    return math.nextafter(bound + 2 * error, math.inf)  # twice: the error itself is rounded


def _is_usable(point: Point, nodes: int, single_root: bool) -> bool:
    """Whether it has only finite multipliers, slack that is not negative, and sets of words that exist."""
    if point.arcs or not math.isfinite(point.penalty) or (point.penalty and not single_root):
        return False
    return all(0 <= slack <= LARGEST and bits > 1 and not (bits & 1 or bits >> nodes) for slack, bits in point.sets)


def _padded_sets(points: Sequence[Point], nodes: int) -> tuple[Floats, Floats]:
    """members[sentence, set, node]: 1 where the node is in the set; slack[sentence, set]; zero beyond the sets."""
    counts = [len(point.sets) for point in points]
    most = max(counts)
    place = [k * most + number for k, count in enumerate(counts) for number in range(count)]
    slack, members = np.zeros(len(points) * most), np.zeros((len(points) * most, nodes))
    found, bits = zip(*chain.from_iterable(point.sets for point in points), strict=True)
    slack[place] = found
    members[place] = _members(bits, nodes)
    return members.reshape(-1, most, nodes), slack.reshape(-1, most)
