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
from operator import neg
from typing import Any, NamedTuple

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
    number: Cells  # [i, j] and [j, i]: the number of a pair, in the order of its begin
    pair: Cells  # of halves: the number of pair(h, m)
    arc: Cells  # of halves: arc(h, m)
    outer: Cells  # of halves: half(m, b)
    half: Cells  # of halves: half(h, b)
    empty: Cells  # half(h, h) and half(h, h + 1): no modifier
    goal: int  # half(0, nodes)


@lru_cache(maxsize=LISTS)
def rules(nodes: int, single_root: bool) -> Rules:
    """All rules of first-order trees, those of node 0 first; a single root has no items but half(0, 1) and the goal."""
    h, m, b = np.ogrid[:nodes, :nodes, : nodes + 1]
    is_item = (h > 0) | (not single_root)
    i, j, met = np.nonzero((h < b) & (b <= m) & (is_item | (b == 1)))
    begin = np.flatnonzero(np.diff(i * nodes + j, prepend=-1))
    number = np.zeros((nodes, nodes), dtype=np.intp)
    number[i[begin], j[begin]] = number[j[begin], i[begin]] = np.arange(len(begin))
    is_right, is_left = (h < m) & (m < b) & (is_item | (b == nodes)), (b > 0) & (b <= m) & (m < h)
    head, modifier, end = np.nonzero(is_right | is_left)
    return Rules(
        left=i * (nodes + 1) + met,
        right=j * (nodes + 1) + met,
        pair_begin=begin,
        number=number,
        pair=number[head, modifier],
        arc=head * nodes + modifier,
        outer=modifier * (nodes + 1) + end,
        half=head * (nodes + 1) + end,
        empty=np.concatenate([np.arange(nodes) * (nodes + 2) + side for side in (0, 1)]),
        goal=nodes,
    )


def arc_gap(arc: Floats, own: Sequence[float], halves: Floats, single_root: bool) -> float:
    """What a projective tree can gain over the one whose arcs into words 1, 2, ... have the scores `own`, at most.

    The scores into m are relative to halves[m, 0], whatever it is. The diagonal and column 0 of arc are not read.
    """
    nodes = len(arc)
    if nodes > MAX_NODES or halves.shape != (nodes, nodes + 1):
        return math.inf
    references = halves[:, 0]
    root, *reference = references.tolist()
    loss = math.fsum([*reference, *map(neg, own)])  # of the tree, relative to the references
    if not math.isfinite(loss + root):
        return math.inf
    weight, half = (arc - references).reshape(-1), np.minimum(np.maximum(halves, -2 * abs(loss)), 0.0).reshape(-1)
    found = _violations(weight, half, loss, rules(nodes, single_root))
    violation = max(found.item(found.argmax()), 0.0)  # NaN stays
    return math.nextafter((nodes + 1) * _rule_gap(abs(loss), violation), math.inf)


def arc_gaps(arc: Floats, own: Floats, halves: Floats, single_root: bool) -> Floats:
    """The same for many sentences, which are the first axis of all arrays."""
    nodes = arc.shape[1]
    if nodes > MAX_NODES:
        return np.full(len(arc), math.inf)
    reference = halves[:, :, 0]
    with np.errstate(invalid="ignore"):  # where items are infinite the gap is NaN
        losses = reference[:, 1:] - own
        loss, size = np.add.reduce(losses, axis=1), np.add.reduce(np.abs(losses), axis=1)
        half = halves.clip(-2 * np.abs(loss)[:, None, None], 0.0)
        weight, half = (
            np.ascontiguousarray(found.reshape(len(arc), -1).T) for found in (arc - reference[:, None], half)
        )
        found = _violations(weight, half, loss, rules(nodes, single_root))
        violation = np.maximum.reduce(found, axis=0, initial=0.0)
        gaps: Floats = (2 * nodes + 1) * _rule_gap(size, violation)
    return np.nextafter(gaps, math.inf)


def _rule_gap(size: Any, violation: Any) -> Any:
    """By how much the value of a tree can exceed that of its items for each rule that it needs.

    The sum of a rule is compared after 5 operations on items from -2 * size to 0 and a score. A score below all of
    them violates nothing, and a score above them is the violation.
    """
    return violation + 32 * EPSILON * (size + violation)


def _violations(weight: Floats, half: Floats, loss: Any, rule: Rules) -> Floats:
    """By how much each rule is violated, if positive (NaN if an item or an arc is NaN); the goal is -loss.

    The first axis of weight is [h, m], that of half, which is changed, [h, b]; sentences may be a second one.
    """
    half[rule.empty] = 0.0
    half[rule.goal] = -loss
    found = pairs(half, rule)[rule.pair]
    found += weight[rule.arc]
    found += half[rule.outer]
    found -= half[rule.half]
    return found


def pairs(half: Floats, rule: Rules) -> Floats:
    """pair(i, j) of each pair, by number."""
    met = half[rule.left]
    met += half[rule.right]
    return np.maximum.reduceat(met, rule.pair_begin)


class SiblingRules(NamedTuple):
    """The cells of [h, m], [h, m, s], [h, b] and [h, s, side] in the rules that siblings add."""

    arc: Cells  # incomplete(h, m) of every arc whose head may have items
    first_sibling: Cells  # sib(h, m, h)
    inner: Cells  # half(m, h) or half(m, h + 1)
    later_arc: Cells  # incomplete(h, m) for every s between
    later_sibling: Cells  # sib(h, m, s)
    before: Cells  # incomplete(h, s)
    met: Cells  # the number of pair(s, m)
    closed: Cells  # of halves: incomplete(h, m)
    stop: Cells  # of halves: stop(h, m, side)
    outer: Cells  # of halves: half(m, b)
    half: Cells  # of halves: half(h, b)
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
    rule = rules(nodes, single_root)
    goals = nodes - 1 if single_root else 0
    closed = rule.arc[goals:]
    closed_head, last = np.divmod(closed, nodes)
    return SiblingRules(
        arc=head * nodes + modifier,
        first_sibling=(head * nodes + modifier) * nodes + head,
        inner=modifier * (nodes + 1) + head + (head < modifier),
        later_arc=g * nodes + later,
        later_sibling=(g * nodes + later) * nodes + inner,
        before=g * nodes + inner,
        met=rule.number[inner, later],
        closed=closed,
        stop=closed * 2 + (closed_head < last),
        outer=rule.outer[goals:],
        half=rule.half[goals:],
        half_words=np.where(boundary > outer, boundary - 1 - outer, outer - boundary),
        half_low=np.where(boundary > outer, outer + 1, boundary),
        arc_words=abs(row - column),
        arc_low=np.where(column > row, row + 1, column),
    )


class Relative(NamedTuple):
    """Scores and items of one sentence relative to the best score in the place of each part, from a floor to 0."""

    weight: Floats  # [h, m], as all of them in one row
    sib: Floats  # [h, m, s]
    stop: Floats  # [h, s, side]
    half: Floats  # [h, b]
    incomplete: Floats  # [h, m]
    loss: float  # of the tree with the value that is claimed
    floor: float


def sibling_gap(
    arc: Floats,
    best: Sequence[float],
    sib: Floats | None,
    stop: Floats | None,
    value: float,
    items: tuple[Floats, Floats],
    single_root: bool,
) -> float:
    """The same for the scores of siblings and stops of one sentence, and a tree with that value."""
    nodes, (halves, arcs) = len(arc), items
    if nodes > MAX_NODES or halves.shape != (nodes, nodes + 1) or arcs.shape != (nodes, nodes):
        return math.inf
    sib = np.zeros((nodes, nodes, nodes)) if sib is None else sib
    stop = np.zeros((nodes, nodes, 2)) if stop is None else stop
    rule, more = rules(nodes, single_root), sibling_rules(nodes, single_root)
    relative = _relative(arc, best, sib, stop, value, items, more)
    violations = _path_violations(relative, rule, more) + [_half_violation(relative, more)]
    goal = _goal(relative, nodes) if single_root else float(relative.half[nodes])
    rounding = -16 * EPSILON * relative.floor  # of the operations of a rule, on at most 6 numbers from the floor to 0
    total = [relative.loss, goal, 4 * nodes * rounding, 2 * nodes * sum(violations)]
    return math.nextafter(math.fsum(total), math.inf)


def _relative(
    arc: Floats,
    best: Sequence[float],
    sib: Floats,
    stop: Floats,
    value: float,
    items: tuple[Floats, Floats],
    rule: SiblingRules,
) -> Relative:
    """A word has one sibling score and two stop scores, which are relative to the largest one of their kind."""
    nodes = len(arc)
    top_sib, top_stop = float(sib.max()), float(stop.max())
    highest = [*best, *[top_sib] * (nodes - 1), *[top_stop] * (2 * nodes - 1)]
    loss = math.nextafter(math.fsum([*highest, -value]), math.inf)
    floor = -2 * loss
    sums = np.cumsum([0.0, *best])  # before each node

    def item(given: Floats, low: Cells, words: Cells, stops: int) -> Floats:
        """Less the best scores of the words of an item, and of so many stops of its head."""
        taken = sums[low + words] - sums[low] + (top_sib + 2 * top_stop) * words + stops * top_stop
        found: Floats = np.minimum(np.maximum(given - taken, floor), 0.0).reshape(-1)
        return found

    relative = Relative(
        weight=np.maximum(arc - best, floor).reshape(-1),
        sib=np.maximum(sib.reshape(-1) - top_sib, floor),
        stop=np.maximum(stop.reshape(-1) - top_stop, floor),
        half=item(items[0], rule.half_low, rule.half_words, 1),
        incomplete=item(items[1], rule.arc_low, rule.arc_words, -1),
        loss=loss,
        floor=floor,
    )
    for side in (0, 1):  # half(h, h) and half(h, h + 1): no modifier
        relative.half[side :: nodes + 2] = relative.stop[side :: 2 * (nodes + 1)]
    return relative


def _path_violations(given: Relative, rule: Rules, more: SiblingRules) -> list[float]:
    """By how much the two rules of incomplete(h, m) are violated."""
    weight, sib, half, incomplete = given.weight, given.sib, given.half, given.incomplete
    pair = pairs(half, rule)
    first = weight.take(more.arc) + sib.take(more.first_sibling) + half.take(more.inner)
    later = weight.take(more.later_arc) + sib.take(more.later_sibling) + pair.take(more.met)
    later += incomplete.take(more.before)
    return [
        float((first - incomplete.take(more.arc)).max(initial=0.0)),
        float((later - incomplete.take(more.later_arc)).max(initial=0.0)),
    ]


def _half_violation(given: Relative, rule: SiblingRules) -> float:
    """By how much the rule of half(h, b) is violated."""
    closed = given.incomplete.take(rule.closed) + given.stop.take(rule.stop) + given.half.take(rule.outer)
    return float((closed - given.half.take(rule.half)).max(initial=0.0))


def _goal(given: Relative, nodes: int) -> float:
    """The value of the goal if the root has one modifier."""
    words = np.arange(1, nodes)
    root = given.weight[words] + given.sib[words * nodes] + given.stop[words * 2 + 1]
    left, right = given.half[words * (nodes + 1) + 1], given.half[words * (nodes + 1) + nodes]
    return float((root + left + right).max())
