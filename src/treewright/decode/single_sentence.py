"""A certified first-order tree of one sentence, checked in doubles, written for `verify` only.

Calls of NumPy take longer than the arithmetic of a short sentence, for which there are lists. What cannot be decided
here is left to the general check, which also names what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from operator import add, sub
from typing import Any, NamedTuple

import numpy as np

from treewright.decode.array_batches import is_plain
from treewright.decode.claim import Verified, ancestors, crosses, has_value, limits_of_sum, loss_of
from treewright.decode.float_bound import upper_bound
from treewright.decode.float_charts import arc_gap, rules, total_gap
from treewright.decode.integer_scores import Floats
from treewright.decode.proof import Proof
from treewright.decode.result import Parse

MAX_LIST_NODES = 8  # of a chart in lists; in longer sentences arrays are faster (benchmarks/proofs.py)


def certified_tree(arc: Any, parse: Parse, projective: bool, single_root: bool) -> Verified | None:
    """What is proved of the tree of a sentence with an array of doubles; None where nothing is."""
    if not is_plain(arc, parse, projective) or parse.heads.dtype != np.int32:
        return None
    try:
        return _proved(arc, parse, projective, single_root)
    except (OverflowError, ValueError):  # sums beyond the range of doubles; infinities of both signs
        return None


def _proved(arc: Floats, parse: Parse, projective: bool, single_root: bool) -> Verified | None:
    heads, nodes = parse.heads.tolist(), len(arc)
    if not _is_tree(heads, single_root) or (projective and crosses(heads)):
        return None
    own = arc.reshape(-1).take([h * nodes + m for m, h in enumerate(heads) if m]).tolist()
    allowed = parse.tolerance * parse.spread
    if not (all(map(math.isfinite, own)) and allowed < math.inf):
        return None
    lower, upper = limits_of_sum(own)
    if not (lower <= parse.score <= upper or has_value(own, parse.score)):
        return None
    only_arcs = arc.copy()
    only_arcs.reshape(-1)[:: nodes + 1] = -math.inf
    best = [0.0, *np.maximum.reduce(only_arcs).tolist()[1:]]
    assert parse.proof is not None  # by is_plain
    if best[1:] == own:  # no tree is better
        gap = 0.0
    elif projective:
        gap = _chart_gap(only_arcs, best, own, parse.proof, single_root)
    else:
        gap = math.nextafter(upper_bound(only_arcs, parse.proof.points[0], single_root) - lower, math.inf)
    return Verified(lower, math.nextafter(upper + gap, math.inf) if gap else upper, gap) if gap <= allowed else None


def _is_tree(heads: Sequence[int], single_root: bool) -> bool:
    """Whether the path of every word leads to node 0."""
    if heads[0] != -1 or min(heads[1:]) < 0 or max(heads) >= len(heads) or (single_root and heads.count(0) != 1):
        return False
    return not any(ancestors(heads))


def _chart_gap(arc: Floats, best: Sequence[float], own: Sequence[float], proof: Proof, single_root: bool) -> float:
    """For a projective tree: from the items of its chart, as `arc_gap` has it."""
    loss, nodes = loss_of(best, own), len(arc)
    if proof.halves is None:
        return math.inf
    if nodes > MAX_LIST_NODES:
        return arc_gap(arc, np.array(best), loss, proof.halves, single_root)
    weight = np.maximum(arc - best, -2 * loss).reshape(-1).tolist()
    half = np.minimum(np.maximum(proof.halves, -2 * loss), 0.0).reshape(-1).tolist()
    half[:: nodes + 2] = half[1 :: nodes + 2] = [0.0] * nodes  # no modifier
    if math.isnan(sum(half)):
        return math.inf
    violation = max(0.0, _violation(weight, half, _rule_lists(nodes, single_root)))
    roots = zip(weight[1:nodes], half[nodes + 2 :: nodes + 1], half[2 * nodes + 1 :: nodes + 1], strict=True)
    return total_gap(loss, max(map(sum, roots)) if single_root else half[nodes], violation, nodes)


class RuleLists(NamedTuple):
    """The rules of float_charts.py as lists."""

    left: list[int]
    right: list[int]
    pairs: list[tuple[int, int, int, int]]  # begin and end in these lists, and the arcs in both directions
    arc: list[int]
    outer: list[int]
    half: list[int]


@lru_cache(maxsize=2 * MAX_LIST_NODES)
def _rule_lists(nodes: int, single_root: bool) -> RuleLists:
    rule = rules(nodes, single_root)
    leftwards = np.zeros_like(rule.rightwards)  # cell [0, 0], which is no arc, stands for those into node 0
    leftwards[rule.has_left] = rule.leftwards
    end = np.append(rule.pair_begin[1:], len(rule.left))
    pairs = zip(*(cells.tolist() for cells in (rule.pair_begin, end, rule.rightwards, leftwards)), strict=True)
    cells = (rule.left.tolist(), rule.right.tolist(), list(pairs))
    return RuleLists(*cells, rule.arc.tolist(), rule.outer.tolist(), rule.half.tolist())


def _violation(weight: list[float], half: Sequence[float], rule: RuleLists) -> float:
    """By how much the rules are violated at most. The list weight is changed."""
    item = half.__getitem__
    met = list(map(add, map(item, rule.left), map(item, rule.right)))
    for begin, end, rightwards, leftwards in rule.pairs:
        pair = max(met[begin:end])
        weight[rightwards] += pair
        weight[leftwards] += pair
    needed = map(add, map(weight.__getitem__, rule.arc), map(item, rule.outer))
    differences: list[float] = list(map(sub, needed, map(item, rule.half)))
    return max(differences)
