"""How many arcs of a treebank cross, where trees may be partial."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treewright import trees
from treewright.corpus import Sentence

Arc = tuple[int, int]
# Crossing pairs for each crossing arc: from 1.3 to 3.0 in the training data of twelve treebanks, 1.9 on average
# (benchmarks/partial.py --crossing).
PAIRS_PER_ARC = 1.9


def decided_arcs(heads: NDArray[np.int32]) -> list[Arc]:
    """The arcs of the nodes whose head is not open (-1).

    >>> decided_arcs(np.array([-1, 2, -1, 2], dtype=np.int32))
    [(2, 1), (2, 3)]
    """
    return [(head, modifier) for modifier, head in enumerate(heads.tolist()) if modifier and head >= 0]


def crossing_arcs(sentence: Sentence) -> float:
    """The number of crossing arcs; that of a partial tree is estimated from its pairs of arcs that cross.

    Where the share p of the heads is decided, about p squared of the crossing pairs are seen.
    """
    heads = trees.from_conll(sentence.heads)
    is_decided = heads[1:] >= 0
    if is_decided.all():
        return len(trees.nonprojective_arcs(heads))
    share = float(is_decided.mean())
    return crossing_pairs(decided_arcs(heads)) / share**2 / PAIRS_PER_ARC if share > 0 else 0.0


def crossing_pairs(arcs: Sequence[Arc]) -> int:
    """How many pairs of arcs cross; a word below the root is reached from the left of the sentence.

    >>> crossing_pairs([(1, 3), (2, 4)]), crossing_pairs([(1, 4), (2, 3), (4, 5)]), crossing_pairs([(1, 3), (0, 2)])
    (1, 0, 1)
    """
    ends = np.sort(np.array(arcs, dtype=np.int64).reshape(-1, 2), axis=1)
    left, right = ends[:, 0], ends[:, 1]
    begins_inside = (left[:, None] < left) & (left < right[:, None])
    return int((begins_inside & (right > right[:, None])).sum())
