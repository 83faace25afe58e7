"""A certified first-order tree of one sentence, checked in doubles, written for `verify` only.

Decoding a short sentence takes as long as one or two calls of NumPy, so that each of them counts here. What cannot be
decided is left to the general check, which also names what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright.decode.result import Parse
from treewright.proofs.array_batches import is_plain
from treewright.proofs.claim import Verified, has_value, is_projective_tree, limits_of_sum, node_on_cycle
from treewright.proofs.float_bound import upper_bound
from treewright.proofs.float_charts import arc_gap
from treewright.proofs.integer_scores import Floats


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
    if not _is_tree(heads, projective, single_root):
        return None
    own: list[float] = list(map(arc.item, heads[1:], range(1, nodes)))
    allowed = parse.tolerance * parse.spread
    lower, upper = limits_of_sum(own)
    if not (-math.inf < lower <= parse.score <= upper < math.inf or has_value(own, parse.score)):
        return None
    proof = parse.proof
    assert proof is not None  # by is_plain
    if projective and proof.halves is not None:
        gap = arc_gap(arc, own, proof.halves, single_root)
    elif parse.spread and not projective:
        gap = math.nextafter(upper_bound(arc, proof.points[0], single_root) - lower, math.inf)
    else:
        gap = 0.0 if own == _best_scores(arc) else math.inf  # no tree is better
    if not gap <= allowed < math.inf:
        return None
    return Verified(lower, math.nextafter(upper + gap, math.inf) if gap else upper, gap)


def _best_scores(arc: Floats) -> list[float]:
    """The score of the best head of each word."""
    arc = arc.copy()
    arc.reshape(-1)[:: len(arc) + 1] = -math.inf
    found: list[float] = np.maximum.reduce(arc).tolist()
    return found[1:]


def _is_tree(heads: Sequence[int], projective: bool, single_root: bool) -> bool:
    """Whether the path of every word leads to node 0."""
    if heads[0] != -1 or heads.count(-1) != 1 or min(heads) != -1 or max(heads) >= len(heads):
        return False
    if single_root and heads.count(0) != 1:
        return False
    return is_projective_tree(heads) if projective else not node_on_cycle(heads)
