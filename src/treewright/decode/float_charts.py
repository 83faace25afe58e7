"""Bounds on projective trees from the items of a chart, in doubles with the rounding added, written for `verify` only.

A dynamic program is a linear program: its dual has a variable for each item and an inequality for each rule. If the
numbers of a proof violate no rule by more than v, the value of a tree is at most that of the goal plus v for each rule
that the tree needs. So any numbers give a bound, and those of the chart the best one. All rules are compared at once.

With boundaries b before node b, nodes i < j, and all scores relative to the best in their place, the items are

    half(h, b)        h with its modifiers up to b: on its right if b > h, on its left if b <= h
    pair(i, j)        >=  half(i, b) + half(j, b)                                       i < b <= j
    incomplete(h, m)  >=  arc(h, m) + pair(h, m)                                        first order
    incomplete(h, m)  >=  arc(h, m) + sib(h, m, h) + half(m, h)                         siblings; h + 1 if h < m
    incomplete(h, m)  >=  arc(h, m) + sib(h, m, s) + incomplete(h, s) + pair(s, m)      s between h and m
    half(h, b)        >=  incomplete(h, m) + stop(h, m) + half(m, b)                    m between h and b
    half(h, h), half(h, h + 1)  =  stop(h, h)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Cells = NDArray[np.intp]  # of a matrix in C order
EPSILON = 2.0**-52  # the relative error of a sum is at most half of it
MAX_NODES = 64  # the lists of rules of longer sentences would take more than 2 MB each
LISTS = 64  # of rules that are kept


class Rules(NamedTuple):
    """The cells of [h, b] and [h, m] that occur in each rule."""

    left: Cells  # of pairs: half(i, b), sorted by i and j
    right: Cells  # of pairs: half(j, b)
    pair_begin: Cells  # of each pair in these lists
    rightwards: Cells  # arc (i, j) of each pair
    leftwards: Cells  # arc (j, i) of each pair whose i is a word, in the order of `has_left`
    has_left: Cells  # these pairs
    arc: Cells  # of halves: incomplete(h, m)
    outer: Cells  # of halves: half(m, b)
    half: Cells  # of halves: half(h, b)


@lru_cache(maxsize=LISTS)
def rules(nodes: int, single_root: bool) -> Rules:
    """All rules of first-order trees; with a single root, node 0 has no items."""
    first = 1 if single_root else 0
    h, m, b = np.ogrid[:nodes, :nodes, : nodes + 1]
    i, j, met = np.nonzero((first <= h) & (h < b) & (b <= m))
    begin = np.flatnonzero(np.diff(i * nodes + j, prepend=-1))
    low, high = i[begin], j[begin]
    has_left = np.flatnonzero(low > 0)
    head, modifier, end = np.nonzero((first <= h) & (b > 0) & (((h < m) & (m < b)) | ((b <= m) & (m < h))))
    return Rules(
        left=i * (nodes + 1) + met,
        right=j * (nodes + 1) + met,
        pair_begin=begin,
        rightwards=low * nodes + high,
        leftwards=(high * nodes + low)[has_left],
        has_left=has_left,
        arc=head * nodes + modifier,
        outer=modifier * (nodes + 1) + end,
        half=head * (nodes + 1) + end,
    )


def arc_gap(arc: Floats, best: Sequence[float], loss: float, halves: Floats, single_root: bool) -> float:
    """What a projective tree can gain over the one that loses `loss` against the best head of every word, at most.

    arc is -inf for what is no arc; best has the best score into each node, and 0 for node 0. Weights and items are
    raised to a floor: a tree with an arc below it loses more than the given one.
    """
    nodes = len(arc)
    if nodes > MAX_NODES or halves.shape != (nodes, nodes + 1):
        return math.inf
    rule, floor = rules(nodes, single_root), -2 * loss
    weight = np.maximum(arc - best, floor).reshape(-1)
    half = np.minimum(np.maximum(halves, floor), 0.0).reshape(-1)
    half[:: nodes + 2] = half[1 :: nodes + 2] = 0.0  # no modifier
    incomplete = np.zeros(nodes * nodes)
    if len(rule.left):
        pair = np.maximum.reduceat(half.take(rule.left) + half.take(rule.right), rule.pair_begin)
        incomplete[rule.rightwards] = pair + weight.take(rule.rightwards)
        incomplete[rule.leftwards] = pair.take(rule.has_left) + weight.take(rule.leftwards)
    needed = incomplete.take(rule.arc) + half.take(rule.outer)
    violation = float((needed - half.take(rule.half)).max(initial=0.0))  # NaN if the proof has one, as is the gap then
    if single_root:
        goal = float((weight[1:nodes] + half[nodes + 2 :: nodes + 1] + half[2 * nodes + 1 :: nodes + 1]).max())
    else:
        goal = float(half[nodes])
    rounding = -8 * EPSILON * floor  # of the 5 operations of a rule, on numbers from the floor to 0
    return math.nextafter(math.fsum([loss, goal, 2 * nodes * rounding, nodes * violation]), math.inf)


class SiblingRules(NamedTuple):
    """The cells of [h, m], [h, m, s], [h, b] and [h, s, side] in the rules that siblings add."""

    arc: Cells  # incomplete(h, m) of every arc whose head may have items
    first_sibling: Cells  # sib(h, m, h)
    inner: Cells  # half(m, h) or half(m, h + 1)
    later_arc: Cells  # incomplete(h, m) for every s between
    later_sibling: Cells  # sib(h, m, s)
    before: Cells  # incomplete(h, s)
    met: Cells  # pair(s, m)
    stop: Cells  # stop(h, m, side) of the rules of halves
    half_words: Cells  # [h, b]: the words of a half other than h
    half_low: Cells  # [h, b]: the first of them
    arc_words: Cells  # [h, m]: the words of an incomplete item other than h
    arc_low: Cells


@lru_cache(maxsize=LISTS)
def sibling_rules(nodes: int, single_root: bool) -> SiblingRules:
    """All rules that first-order trees do not have."""
    first = 1 if single_root else 0
    h, m, s = np.ogrid[:nodes, :nodes, :nodes]
    head, modifier = np.nonzero(((first <= h) & (m > 0) & (h != m))[:, :, 0])
    g, later, inner = np.nonzero((first <= h) & (m > 0) & (((h < s) & (s < m)) | ((m < s) & (s < h))))
    outer, boundary = np.ogrid[:nodes, : nodes + 1]
    row, column = np.ogrid[:nodes, :nodes]
    closed_head, closed = np.divmod(rules(nodes, single_root).arc, nodes)
    return SiblingRules(
        arc=head * nodes + modifier,
        first_sibling=(head * nodes + modifier) * nodes + head,
        inner=modifier * (nodes + 1) + head + (head < modifier),
        later_arc=g * nodes + later,
        later_sibling=(g * nodes + later) * nodes + inner,
        before=g * nodes + inner,
        met=inner * nodes + later,
        stop=(closed_head * nodes + closed) * 2 + (closed_head < closed),
        half_words=np.where(boundary > outer, boundary - 1 - outer, outer - boundary),
        half_low=np.where(boundary > outer, outer + 1, boundary),
        arc_words=abs(row - column),
        arc_low=np.where(column > row, row + 1, column),
    )


def sibling_gap(
    arc: Floats,
    best: Sequence[float],
    sib: Floats | None,
    stop: Floats | None,
    value: float,
    items: tuple[Floats, Floats],
    single_root: bool,
) -> float:
    """The same for scores of siblings and stops, and a tree with that value.

    Sibling and stop scores are relative to the largest one. A word has one of the former and two of the latter.
    """
    nodes, (halves, arcs) = len(arc), items
    if nodes > MAX_NODES or halves.shape != (nodes, nodes + 1) or arcs.shape != (nodes, nodes):
        return math.inf
    rule, more = rules(nodes, single_root), sibling_rules(nodes, single_root)
    sib = np.zeros((nodes, nodes, nodes)) if sib is None else sib
    stop = np.zeros((nodes, nodes, 2)) if stop is None else stop
    top_sib, top_stop = float(sib.max()), float(stop.max())
    highest = [*best, *[top_sib] * (nodes - 1), *[top_stop] * (2 * nodes - 1)]
    loss = math.nextafter(math.fsum([*highest, -value]), math.inf)
    floor = -2 * loss
    weight = np.maximum(arc - best, floor).reshape(-1)
    siblings = np.maximum(sib.reshape(-1) - top_sib, floor)
    stops = np.maximum(stop.reshape(-1) - top_stop, floor)
    sums = np.cumsum([0.0, *best])  # before each node
    a_word = top_sib + 2 * top_stop
    taken = sums[more.half_low + more.half_words] - sums[more.half_low] + a_word * more.half_words + top_stop
    half = np.minimum(np.maximum(halves - taken, floor), 0.0).reshape(-1)
    half[:: nodes + 2], half[1 :: nodes + 2] = stops[:: 2 * (nodes + 1)], stops[1 :: 2 * (nodes + 1)]  # no modifier
    taken = sums[more.arc_low + more.arc_words] - sums[more.arc_low] + a_word * more.arc_words - top_stop
    incomplete = np.minimum(np.maximum(arcs - taken, floor), 0.0).reshape(-1)
    pair = np.zeros((nodes, nodes)).reshape(-1)
    if len(rule.left):
        found = np.maximum.reduceat(half.take(rule.left) + half.take(rule.right), rule.pair_begin)
        pair[rule.rightwards] = found
        pair[rule.leftwards] = found.take(rule.has_left)
    first = weight.take(more.arc) + siblings.take(more.first_sibling) + half.take(more.inner)
    later = weight.take(more.later_arc) + siblings.take(more.later_sibling) + pair.take(more.met)
    closed = incomplete.take(rule.arc) + stops.take(more.stop) + half.take(rule.outer)
    violations = [  # of each kind of rule
        (first - incomplete.take(more.arc)).max(initial=0.0),
        (later + incomplete.take(more.before) - incomplete.take(more.later_arc)).max(initial=0.0),
        (closed - half.take(rule.half)).max(initial=0.0),
    ]
    if single_root:
        words = np.arange(1, nodes)
        root = weight[words] + siblings[words * nodes] + stops[words * 2 + 1]
        goal = float((root + half[words * (nodes + 1) + 1] + half[words * (nodes + 1) + nodes]).max())
    else:
        goal = float(half[nodes])
    rounding = -16 * EPSILON * floor  # of the operations of a rule, on at most 6 numbers from the floor to 0
    return math.nextafter(math.fsum([loss, goal, 4 * nodes * rounding, 2 * nodes * sum(violations)]), math.inf)
