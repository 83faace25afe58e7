"""The k best trees, all different, best first: any by splitting the space, projective ones from Eisner's chart."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index

from numpy.typing import ArrayLike

from treewright import _core
from treewright.decode.constraints import infeasible
from treewright.decode.marginals import first_order, scores_of
from treewright.decode.parts import Parts
from treewright.decode.problem import Arc
from treewright.decode.result import Parse
from treewright.errors import InputError


def kbest(
    arc: ArrayLike | Parts,
    k: int,
    *,
    projective: bool = False,
    root: str = "single",
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
) -> list[Parse]:
    """The k best trees by their arcs, best first; fewer when there are no more.

    Each one's bound is the value of the best tree, so that its gap is what it is short of it; only the first, and
    those as good, are certified to be the best.

    >>> for parse in kbest([[0, 9, 2], [0, 0, 7], [0, 3, 0]], 3):
    ...     print(parse.heads.tolist(), parse.score, parse.gap)
    [-1, 0, 1] 16.0 0.0
    [-1, 2, 0] 5.0 11.0
    """
    wanted = _whole_number(k)
    problem = first_order("kbest", arc, projective, root, require, forbid)
    decode = _core.projective_kbest if projective else _core.kbest
    trees, values = decode(scores_of(problem), problem.single_root, wanted)
    if not len(values):
        raise infeasible(problem)
    best = float(values[0])
    method = "k-best-eisner" if projective else "k-best-spanning-trees"
    return [
        Parse(heads, value, max(best, value), method, "exact" if value >= best else None)
        for heads, value in zip(trees, values.tolist(), strict=True)
    ]


def _whole_number(k: int) -> int:
    try:
        wanted = index(k)
    except TypeError:
        raise InputError(f"k is {k!r}; give a whole number, at least 1") from None
    if not 1 <= wanted < 2**31:
        raise InputError(f"k is {wanted}; give at least 1, at most 2147483647")
    return wanted
