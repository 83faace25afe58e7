"""First-order trees of many sentences, checked in doubles at once, written for `verify_batch` only.

What cannot be decided here is left to the check of single sentences, which also names what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.decode.result import Parse
from treewright.proofs.claim import Verified, limits_of_sum
from treewright.proofs.float_bound import EPSILON, upper_bounds
from treewright.proofs.float_charts import arc_gaps
from treewright.proofs.integer_scores import Floats
from treewright.proofs.proof import Proof

# Sentences that are checked at once: so many that an array has no more cells. Chosen on 5 to 40 words (random scores).
MATRIX_CELLS = 2**16
LARGEST = 2.0**1000  # of a score in a tree, or of the best one into a word: their sums do not overflow
CHART_CELLS = 2**18  # of nodes ** 3
DOUBLE = np.dtype(np.float64)
MIN_SENTENCES = 16  # at once; where fewer have the same length, or fit, each is checked alone, which is faster then


def certified_arrays(
    batch: Sequence[Any], parses: Sequence[Parse], projective: bool, single_root: bool
) -> dict[int, Verified]:
    """What is proved of the sentences with arrays of doubles whose trees are certified, by place."""
    groups: dict[int, list[int]] = {}
    for place, (arc, parse) in enumerate(zip(batch, parses, strict=True)):
        if is_plain(arc, parse, projective):
            groups.setdefault(len(arc), []).append(place)
    found: dict[int, Verified] = {}
    for nodes, places in groups.items():
        size = max(1, CHART_CELLS // nodes**3 if projective else MATRIX_CELLS // nodes**2)
        for begin in range(0, len(places), size):
            chosen = places[begin : begin + size]
            if len(chosen) < MIN_SENTENCES:
                continue
            arc = _allowed(np.stack([batch[place] for place in chosen]))
            heads = np.stack([parses[place].heads for place in chosen]).astype(np.intp)
            usable = _are_trees(arc, heads, projective, single_root)
            chosen = [place for place, is_usable in zip(chosen, usable, strict=True) if is_usable]
            if chosen:
                proofs = [parses[place] for place in chosen]
                proved = _proved(arc[usable], heads[usable], proofs, projective, single_root)
                found.update({place: one for place, one in zip(chosen, proved, strict=True) if one is not None})
    return found


def _allowed(arc: Floats) -> Floats:
    """arc[sentence, h, m], which is changed, with -inf for what is no arc."""
    nodes = arc.shape[1]
    arc[:, :, 0] = -np.inf
    arc[:, np.arange(nodes), np.arange(nodes)] = -np.inf
    return arc


def is_plain(arc: Any, parse: Parse, projective: bool) -> bool:
    """Whether scores, tree and proof have the usual types and shapes, and the tree is certified."""
    if not isinstance(arc, np.ndarray) or arc.dtype != DOUBLE or len(arc.shape) != 2 or len(arc) < 2:
        return False
    nodes, proof = len(arc), parse.proof
    if arc.shape[1] != nodes or parse.heads.shape != (nodes,) or proof is None or not parse.certified:
        return False
    if not math.isfinite(parse.gap + parse.bound):
        return False
    if projective:
        return proof.kind == "chart" and (proof.halves is None or proof.halves.shape == (nodes, nodes + 1))
    return proof.kind == "search" and len(proof.nodes) == len(proof.points) == 1 and not proof.nodes[0].fixings


def _are_trees(arc: Floats, heads: NDArray[np.intp], projective: bool, single_root: bool) -> NDArray[np.bool_]:
    """Whether all scores can be used, every word has a head that is allowed, and its path leads to node 0."""
    nodes = arc.shape[1]
    found: NDArray[np.bool_] = (heads[:, 0] == -1) & ((heads[:, 1:] >= 0) & (heads[:, 1:] < nodes)).all(axis=1)
    if single_root:
        found &= (heads == 0).sum(axis=1) == 1
    above = np.clip(heads, 0, nodes - 1)
    for scores in (_own(arc, above), np.maximum.reduce(arc, axis=1)[:, 1:]):
        found &= (np.abs(scores) < LARGEST).all(axis=1)
    for _ in range(nodes.bit_length()):  # each time, twice as far up
        above = np.take_along_axis(above, above, axis=1)
    found &= (above == 0).all(axis=1)
    return found & ~_cross(heads) if projective else found


def _own(arc: Floats, heads: NDArray[np.intp]) -> Floats:
    """The scores of the arcs into words 1, 2, ... of each tree."""
    found: Floats = np.take_along_axis(arc, np.maximum(heads, 0)[:, None], axis=1)[:, 0, 1:]
    return found


def _proved(
    arc: Floats, heads: NDArray[np.intp], parses: Sequence[Parse], projective: bool, single_root: bool
) -> list[Verified | None]:
    """What is proved of each tree; None where nothing is."""
    own, best = _own(arc, heads), np.maximum.reduce(arc, axis=1)[:, 1:]
    limits = [limits_of_sum(row) for row in own.tolist()]
    if projective:
        gaps = _chart_gaps(arc, own, parses, single_root)
    else:
        gaps = _point_gaps(arc, [lower for lower, _ in limits], parses, single_root)
    gaps[(own == best).all(axis=1)] = 0.0  # the best head of every word
    allowed = np.array([parse.tolerance * parse.spread for parse in parses])
    is_proved = (gaps <= allowed) & (allowed < math.inf) & _have_value(own, [parse.score for parse in parses])
    return [
        Verified(lower, math.nextafter(upper + gap, math.inf) if gap else upper, gap) if is_one else None
        for is_one, gap, (lower, upper) in zip(is_proved.tolist(), gaps.tolist(), limits, strict=True)
    ]


def _have_value(own: Floats, score: Sequence[float]) -> NDArray[np.bool_]:
    """Whether each score is the sum of the arcs, as `has_value` says; half of the rounding is that of the sum here."""
    rounding = own.shape[1] * np.add.reduce(np.abs(own), axis=1) * EPSILON / 2
    return np.asarray((np.abs(np.add.reduce(own, axis=1) - np.array(score)) <= rounding) & (rounding < math.inf))


def _cross(heads: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether a word between the ends of an arc has its head beyond them."""
    words = np.arange(1, heads.shape[1])
    low, high = np.minimum(heads[:, 1:], words)[:, :, None], np.maximum(heads[:, 1:], words)[:, :, None]
    head = heads[:, None, 1:]
    is_between = (low < words) & (words < high)
    return np.asarray((is_between & ((head < low) | (head > high))).any(axis=(1, 2)))


def _point_gaps(arc: Floats, lower: Sequence[float], parses: Sequence[Parse], single_root: bool) -> Floats:
    bounds = upper_bounds(arc, [_proof(parse).points[0] for parse in parses], single_root)
    return np.asarray(np.nextafter(bounds - np.array(lower), math.inf))


def _chart_gaps(arc: Floats, own: Floats, parses: Sequence[Parse], single_root: bool) -> Floats:
    none = np.full((arc.shape[1], arc.shape[1] + 1), np.nan)  # makes the gap NaN
    halves = np.stack([none if (found := _proof(parse).halves) is None else found for parse in parses])
    return arc_gaps(arc, own, halves, single_root)


def _proof(parse: Parse) -> Proof:
    assert parse.proof is not None  # by is_plain
    return parse.proof
