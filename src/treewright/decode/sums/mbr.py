"""The tree with the highest expected number of correct heads (minimum Bayes risk for unlabelled attachment)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from treewright.calls import explained
from treewright.decode.methods import tree
from treewright.decode.parts import Parts
from treewright.decode.problem import Arc, Problem
from treewright.decode.result import Parse
from treewright.decode.sums.marginals import marginals_of


@explained
def mbr(
    arc: ArrayLike | Parts,
    *,
    sib: ArrayLike | None = None,
    grand: ArrayLike | None = None,
    stop: ArrayLike | None = None,
    projective: bool = False,
    root: str = "single",
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
    head_first: bool = True,
) -> Parse:
    """The tree whose arcs have the highest sum of marginals, among the trees of allowed arcs, as a Parse.

    Scores and constraints are those of `tree`.

    Its score is the expected number of words with the correct head when the correct tree is drawn from the
    distribution exp(value) / Z. Where the marginals are approximate, the score is too: the tree is not certified, and
    its bound is the number of words.

    >>> parse = mbr([[0, 9, 2], [0, 0, 7], [0, 3, 0]])
    >>> parse.heads.tolist(), round(parse.score, 3)
    ([-1, 0, 1], 2.0)
    """
    problem = Problem.of(
        arc, sib, grand, stop, projective=projective, root=root, require=require, forbid=forbid, head_first=head_first
    )
    marginal = marginals_of(problem)
    expected = np.where(problem.matrix > -np.inf, marginal, -np.inf)
    found = tree(expected, projective=projective, root=root)
    if marginal.exact:
        return replace(found, method="mbr")
    words = float(problem.nodes - 1)
    return replace(found, method="mbr", bound=words, gap=math.inf)  # the score itself is approximate
