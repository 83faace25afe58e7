"""The tree with the highest expected number of correct heads (minimum Bayes risk for unlabelled attachment)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

import numpy as np

from treewright.decode.methods import tree
from treewright.decode.problem import Problem, Scores
from treewright.decode.result import Parse
from treewright.decode.sums.marginals import marginals_of

if TYPE_CHECKING:
    from treewright.decode.options import ProblemOptions


def mbr(arc: Scores, **options: Unpack[ProblemOptions]) -> Parse:
    """Find the tree whose arcs have the highest sum of marginals, among the trees of allowed arcs, as a Parse.

    Scores and constraints are those of `tree`.

    Its score is the expected number of words with the correct head when the correct tree is drawn from the
    distribution exp(value) / Z. Where the marginals are approximate, the score is too: the tree is not certified, and
    its bound is the number of words.

    >>> parse = mbr([[0, 9, 2], [0, 0, 7], [0, 3, 0]])
    >>> parse.heads.tolist(), round(parse.score, 3)
    ([-1, 0, 1], 2.0)
    """
    problem = Problem.of(arc, **options).refuse_grandsib("mbr").refuse_labels()
    marginal = marginals_of(problem)
    expected = np.where(problem.matrix > -np.inf, marginal, -np.inf)
    parse = tree(expected, projective=problem.projective, root=problem.root)
    if marginal.exact:
        return replace(parse, method="mbr")
    words = float(problem.nodes - 1)
    return replace(parse, method="mbr", bound=words, gap=math.inf)  # the score itself is approximate
