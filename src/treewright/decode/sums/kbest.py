"""The k best trees, all different, best first.

First order: by a partition of the trees with reduced costs (any tree), or from Eisner's chart (projective).
Second order, or constraints on the shape of trees: Lawler's partition (1972) over the exact decoder. The trees of a
class other than its best one, which has the heads h(1) .. h(n), fall into n smaller classes: the m-th has the heads
h(1) .. h(m - 1) and not h(m). Each tree that is listed costs at most n decodings.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.decode import exact
from treewright.decode.budget import Budget
from treewright.decode.constraints import infeasible, is_feasible
from treewright.decode.problem import Problem, Scores
from treewright.decode.result import TOLERANCE, Parse, ParseList, check_tolerance
from treewright.decode.search import constrained
from treewright.decode.structure import TreeConstraint, check_constraints
from treewright.errors import BudgetError, InfeasibleError, InputError
from treewright.streams import check_count, check_seconds

if TYPE_CHECKING:
    from treewright.decode.options import ProblemOptions


def kbest(
    arc: Scores,
    k: int,
    *,
    constraints: Iterable[TreeConstraint] = (),
    max_seconds: float | None = None,
    tolerance: float = TOLERANCE,
    **options: Unpack[ProblemOptions],
) -> ParseList:
    """Find the k best trees, best first; fewer when there are no more.

    Scores and constraints are those of `tree`, also those on the shape of the trees (constraints=[...]). With labelled
    scores arc[h, m, l] these are the k best labelled trees: one tree may come several times with different labels.

    Each one's bound is that of the best tree, so that its gap is its distance from the best; only the first, and
    those whose gap is at most tolerance times the spread of the scores, are certified to be the best. max_seconds
    limits searches (second order, or constraints on the shape): the list may then be shorter than k or miss a tree,
    and its attribute `exact` is False.

    >>> for parse in kbest([[0, 9, 2], [0, 0, 7], [0, 3, 0]], 3):
    ...     print(parse.heads.tolist(), parse.score, parse.gap)
    [-1, 0, 1] 16.0 0.0
    [-1, 2, 0] 5.0 11.0
    """
    count = check_count(k, "k")
    if count >= 2**31:
        raise InputError(f"k is {count}; give at most 2147483647")
    check_seconds(max_seconds)
    check_tolerance(tolerance)
    problem = Problem.of(arc, **options).refuse_grandsib("kbest")
    limits = check_constraints(constraints, problem.nodes)
    if problem.order == 2 or limits:
        trees = _Partition(problem, limits, max_seconds, tolerance).best(count)
    else:
        trees = _first_order(problem, count, tolerance)
    return trees if problem.label_scores is None else _labelled(problem, trees, count)


def _labelled(problem: Problem, trees: ParseList, count: int) -> ParseList:
    """The best labelled trees: their trees are among the same number of best trees, each with its best labels."""
    labelled = []
    for parse in trees:
        ranked = Parse.ranked(parse.heads, parse.score, trees[0], parse.method)
        for loss, labels in _labellings(problem, parse.heads, count):
            labelled.append(replace(ranked, score=ranked.score - loss, gap=ranked.gap + loss, labels=labels))
    labelled.sort(key=lambda parse: -parse.score)  # of equal values, the order of the trees
    return ParseList(labelled[:count], exact=trees.exact)


def _labellings(problem: Problem, heads: NDArray[np.int32], count: int) -> list[tuple[float, NDArray[np.int32]]]:
    """The best choices of labels for a tree, each with its loss against the best one."""
    assert problem.label_scores is not None
    losses, labels = np.zeros(1), np.full((1, problem.nodes), -1, dtype=np.int32)
    for word in range(1, problem.nodes):
        scores = problem.label_scores[heads[word], word]
        loss = scores.max() - scores
        total = (losses[:, None] + loss[None, :]).ravel()
        kept = np.argsort(total, kind="stable")[:count]
        kept = kept[total[kept] < np.inf]
        losses, labels = total[kept], labels[kept // len(scores)]
        labels[:, word] = kept % len(scores)
    return list(zip(losses.tolist(), labels, strict=True))


def _first_order(problem: Problem, count: int, tolerance: float) -> ParseList:
    trees, values = _core.kbest(problem.kernel_matrix, problem.projective, problem.single_root, count)
    if not len(values):
        raise infeasible(problem)
    method = "k-best-eisner" if problem.projective else "k-best-spanning-trees"
    first = exact.solve_matrix(problem.kernel_matrix, problem.projective, problem.single_root, tolerance)
    best = Parse.ranked(trees[0], float(values[0]), first, method)
    return ParseList(
        Parse.ranked(heads, value, best, method) for heads, value in zip(trees, values.tolist(), strict=True)
    )


@dataclass(frozen=True, eq=False)
class _Class:
    """The trees of the arcs with keep[arc] true, and the best one of them."""

    keep: NDArray[np.bool_]
    best: Parse

    def __lt__(self, other: _Class) -> bool:
        """Better first; ties in the order of the head vectors, so that results are reproducible."""
        if self.best.score != other.best.score:
            return self.best.score > other.best.score
        return tuple(self.best.heads) < tuple(other.best.heads)


class _Partition:
    """Lawler's partition of the trees of a second-order problem, or of one with constraints on their shape."""

    def __init__(
        self, problem: Problem, constraints: tuple[TreeConstraint, ...], max_seconds: float | None, tolerance: float
    ) -> None:
        self.problem, self.constraints, self.tolerance = problem, constraints, tolerance
        self.deadline = None if max_seconds is None else time.monotonic() + max_seconds
        self.head, self.modifier = problem.parts.head, problem.parts.modifier
        self.uncertain = -np.inf  # no tree that may be missing has a higher value

    def best(self, count: int) -> ParseList:
        """The list; its `exact` says whether no class that was left undecided can contain a better tree."""
        whole = self._decode(np.ones(len(self.head), dtype=np.bool_), np.inf)
        if whole is None and self.uncertain == -np.inf:
            raise infeasible(self.problem, self.constraints)
        classes: list[_Class] = []
        queue = [] if whole is None else [whole]
        while queue and len(classes) < count:
            taken = heapq.heappop(queue)
            classes.append(taken)
            for below in self._classes_below(taken) if len(classes) < count else ():
                heapq.heappush(queue, below)
        classes.sort()  # below a tree without a certificate there may be a better one
        is_complete = self.uncertain == -np.inf or (len(classes) == count and self.uncertain <= classes[-1].best.score)
        parses = (each.best for each in classes)
        method = "k-best-lawler"
        return ParseList(
            (Parse.ranked(parse.heads, parse.score, whole.best, method) for parse in parses if whole), exact=is_complete
        )

    def _classes_below(self, above: _Class) -> Iterator[_Class]:
        """The classes that `above` without its best tree consists of."""
        keep = above.keep.copy()
        for m in range(1, self.problem.nodes):
            into = self.modifier == m
            taken = into & (self.head == above.best.heads[m])
            has_other_heads = (keep & into).sum() > 1
            below = self._decode(keep & ~taken, above.best.bound) if has_other_heads else None
            if below is not None:
                yield below
            keep &= ~into | taken

    def _decode(self, keep: NDArray[np.bool_], bound: float) -> _Class | None:
        """Find the best tree of the kept arcs, no better than bound; None when there is none, or when time is up."""
        seconds = None if self.deadline is None else max(0.0, self.deadline - time.monotonic())
        is_first = keep.all()
        if seconds == 0 and not is_first:
            self.uncertain = max(self.uncertain, bound)
            return None
        problem = self.problem.restrict(keep)
        is_search = bool(self.constraints) or not problem.projective
        if is_search and not is_feasible(problem):  # a chart finds this out itself
            return None
        try:
            parse = self._best(problem, seconds)
        except (constrained.NotFoundError, BudgetError):  # the time was up before the first tree
            self.uncertain = max(self.uncertain, bound)
            return None
        if parse is None:
            return None
        if not parse.certified:
            self.uncertain = max(self.uncertain, parse.bound)
        return _Class(keep, parse)

    def _best(self, problem: Problem, seconds: float | None) -> Parse | None:
        if self.constraints:
            return constrained.search(problem, self.constraints, Budget.of(seconds), tolerance=self.tolerance)
        try:
            parse = exact.solve(problem, max_seconds=seconds, tolerance=self.tolerance)
        except InfeasibleError:  # every tree of the kept arcs has a second-order part that is forbidden
            return None
        return None if parse.bound == -np.inf else parse
