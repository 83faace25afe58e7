"""What each part loses against the best part in its place: the non-negative integers that all bounds are made of.

Every tree has one arc and one sibling part for each word, a grandparent part for each word whose head is not the root,
and a stop for each side of a node. The loss of a part is the highest score in its place less its own score; the arc of
a child of the root also loses the best grandparent score of the word. So

    value of a tree  =  sum of the best scores  -  loss of the tree

and no tree exceeds a given one by more than (loss of that tree) - (smallest loss of any tree). A loss that exceeds the
one of the given tree matters no more than that: integers are limited to `cap`, which the given tree's loss is rounded
up to.

Scores are multiples of powers of two. `exact` integers are multiples of the lowest bit of any score, of whatever
length. `rounded` ones are multiples of a unit with which the limit fits into an int64, rounded down: the bound can only
become weaker by this, never wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ProofError
from treewright.proofs.scores import Floats, Scores, TreeParts
from treewright.proofs.spread import max_spread, needs_random_trees

Integers = NDArray[Any]  # of int64, or of Python integers
# Penalties, as in core/trees/losses.hpp: losses from here on may be masks; not tuned.
PENALTY_OF_BEST = 2.0**10  # times the size of the best scores
GROUP_DISTANCE = 20  # powers of two between groups of losses


class IntegerLosses(NamedTuple):
    """Losses in multiples of 2 ** -shift, at most `cap` each."""

    shift: int
    cap: int
    arc: Integers
    sib: Integers
    stop: Integers
    grand: Integers
    shift_of_arc: Integers  # the best sibling and grandparent scores in the place of the modifier, rounded

    def scaled(self, number: float) -> int:
        """A multiplier in these units, rounded down; it is limited as losses are."""
        if not math.isfinite(number):
            raise ProofError("refused: a multiplier is not finite")
        numerator, denominator = number.as_integer_ratio()
        units = (numerator << max(self.shift, 0)) // (denominator << max(-self.shift, 0))
        return max(-self.cap, min(units, self.cap))

    def exact(self, number: int) -> Fraction:
        """A number of these units."""
        return Fraction(number << max(-self.shift, 0), 1 << max(self.shift, 0))


class Losses:
    """The losses of all parts of a sentence, and of one tree."""

    def __init__(self, scores: Scores, single_root: bool) -> None:
        self.scores, self.single_root = scores, single_root
        is_root = scores.head == 0
        self.sib_is_out = single_root & is_root[scores.sib_arc] & (scores.sib_state > 0)
        self.stop_is_out = (scores.stop_side == 1) & (scores.stop_state == 0) & (scores.side_size[1] > 0)
        sib = np.where(self.sib_is_out, -np.inf, scores.sib)
        best_sib = np.maximum.reduceat(sib, scores.first_sib)  # of each arc
        best_grand = scores.grand.max(axis=1)
        self.arc_is_out = (best_sib == -np.inf) | (best_grand == -np.inf)
        self.best_arc, self.best_sib, self.best_grand = map(self._best, (scores.arc, best_sib, best_grand))
        self.best_stop = np.maximum.reduceat(np.where(self.stop_is_out, -np.inf, scores.stop), scores.first_stop)
        # The best score in the place of each part; a child of the root has the grandparent score 0.
        of_word = self.best_grand[scores.modifier]
        self.of_arc, self.of_root_arc = self.best_arc[scores.modifier], np.where(is_root, of_word, 0.0)
        self.of_sib = self.best_sib[scores.modifier[scores.sib_arc]]
        self.of_stop = self.best_stop[scores.stop_side]
        self.of_grand = np.repeat(np.where(is_root, 0.0, of_word)[:, None], scores.heads, axis=1)
        # Each loss is the first of these less the second, plus the third.
        none = np.zeros(1)
        self.columns = (
            (self.of_arc, scores.arc, self.of_root_arc),
            (self.of_sib, scores.sib, none),
            (self.of_stop, scores.stop, none),
            (self.of_grand, scores.grand, none),
        )
        largest = np.finfo(np.float64).max
        self.shift_of_arc = np.clip(self.best_sib[scores.modifier] + self.of_grand[:, 0], -largest, largest)

    def _best(self, of_arcs: Floats) -> Floats:
        """The best of each word over the arcs that a tree can have; 0 where there is none."""
        best = np.full(self.scores.nodes, -np.inf)
        np.maximum.at(best, self.scores.modifier, np.where(self.arc_is_out, -np.inf, of_arcs))
        return np.where(best == -np.inf, 0.0, best)

    def of_tree(self, tree: TreeParts) -> Fraction:
        """The loss of a tree without parts of -inf."""
        arc = tree.arc
        best = (self.of_arc[arc], self.of_root_arc[arc], self.of_grand[arc, 0], self.of_sib[tree.sib])
        return exact_sum(np.concatenate([*best, self.of_stop[tree.stop], -self.scores.of_tree(tree)]))

    @np.errstate(over="ignore", invalid="ignore")  # +inf is limited as other losses are
    def rounded(self, limit: Fraction, bits: int) -> IntegerLosses:
        """Losses rounded down and limited, to at most 2 ** bits."""
        shift = bits - math.frexp(float(limit))[1]
        cap = math.ceil(limit * Fraction(2) ** shift)

        def integers(best: Floats, score: Floats, more: Floats) -> Integers:
            lower = _difference_rounded_down(_difference_rounded_down(best, score), -more)
            units: Integers = np.floor(np.clip(np.ldexp(lower, shift), 0.0, 2.0**bits)).astype(np.int64)
            return units

        shifts = np.rint(np.clip(np.ldexp(self.shift_of_arc, shift), -(2.0**bits), 2.0**bits)).astype(np.int64)
        return self._limited(shift, cap, [integers(*column) for column in self.columns], shifts)

    def exact(self, limit: Fraction) -> IntegerLosses:
        """Losses without rounding, limited."""
        scores = self.scores
        shift = max(_lowest_bit(column) for column in (scores.arc, scores.sib, scores.stop, scores.grand))
        cap = math.ceil(limit * (1 << shift))

        def integers(best: Floats, score: Floats, more: Floats) -> Integers:
            is_forbidden = score == -np.inf
            best, score = (np.where(is_forbidden, 0.0, column) for column in (best, score))
            losses = _exact(best, shift) - _exact(score, shift) + _exact(more, shift)
            losses[is_forbidden] = cap
            return losses

        shifts = _exact(self.shift_of_arc, shift)
        return self._limited(shift, cap, [integers(*column) for column in self.columns], shifts)

    def _limited(self, shift: int, cap: int, columns: list[Integers], shift_of_arc: Integers) -> IntegerLosses:
        """Limit all losses to the cap; parts that no tree can have lose as much."""
        arc, sib, stop, grand = (np.minimum(np.maximum(column, 0), cap) for column in columns)
        arc[self.arc_is_out] = sib[self.sib_is_out] = stop[self.stop_is_out] = cap
        return IntegerLosses(shift, cap, arc, sib, stop, grand, shift_of_arc)

    @np.errstate(over="ignore", invalid="ignore")
    def spread(self, heads: Sequence[int]) -> float:
        """Return the spread of a tree, given by its heads (docs/decoding.md, "What certified means")."""
        loss = self._loss_without_penalties(self.scores.parts_of(heads))
        if loss == 0 or not needs_random_trees(self.scores, loss, self.of_arc - self.scores.arc):
            return loss
        return min(loss, max_spread(self.scores, heads, self.single_root))

    def _loss_without_penalties(self, tree: TreeParts) -> float:
        """Return the loss of a tree without penalties.

        Penalties are losses from the first group on that is more than PENALTY_OF_BEST times the size of the best
        scores. All terms are positive, so that doubles have a relative error of a few units in the last place.
        """
        columns = [np.where(score == -np.inf, np.inf, best - score + more) for best, score, more in self.columns]
        arc, sib, stop, grand = columns
        of_tree = np.concatenate([arc[tree.arc], sib[tree.sib], stop[tree.stop], grand[tree.arc, tree.head]])
        size = self._size_of_best()
        if of_tree.max(initial=0.0) <= PENALTY_OF_BEST * size:
            return float(of_tree.sum())
        losses = np.concatenate([column.ravel() for column in columns])
        best = np.concatenate([self.best_arc, self.best_sib, self.best_grand, self.best_stop])
        return float(of_tree[of_tree < _least_penalty(losses, best, size)].sum())

    def _size_of_best(self) -> float:
        """The highest best score, or if none is positive, the one nearest to 0; arcs count if no other is positive."""
        best = np.concatenate([self.best_sib, self.best_grand, self.best_stop])
        if best.max() <= 0:
            best = np.concatenate([best, self.best_arc])
        if best.max() > 0 or not (best < 0).any():
            return float(best.max())
        return float(-best[best < 0].max())


def _least_penalty(losses: Floats, best: Floats, size: float) -> float:
    """The least loss of the first group of penalties; groups are GROUP_DISTANCE powers of two or more apart."""
    losses = losses[(losses > 0) & (losses < np.inf)]
    nearest = abs(best[(best != 0) & (best > -np.inf)]).min(initial=np.inf)
    if nearest < losses.min(initial=np.inf):
        losses = np.append(losses, nearest)
    losses = np.sort(losses)
    exponents = np.frexp(losses)[1]
    starts = losses[1:][np.diff(exponents) > GROUP_DISTANCE]
    return float(starts[starts > PENALTY_OF_BEST * size].min(initial=np.inf))


def exact_sum(numbers: Floats) -> Fraction:
    """The sum of finite numbers without rounding."""
    shift = _lowest_bit(numbers)
    return Fraction(sum(_exact(numbers, shift).tolist()), 1 << shift)


def _difference_rounded_down(a: Any, b: Any) -> Any:
    """a - b, rounded down; +inf if b is -inf. The error of a rounded sum is computed exactly (Knuth's TwoSum)."""
    rounded = a - b
    other = rounded - a
    error = (a - (rounded - other)) - (b + other)
    return np.where(b == -np.inf, np.inf, np.where(error < 0, np.nextafter(rounded, -np.inf), rounded))


def _exact(numbers: Floats, shift: int) -> Integers:
    """Finite numbers as Python integers, multiples of 2 ** -shift."""
    integers = np.empty(numbers.size, dtype=object)
    integers[:] = [(over << shift) // under for over, under in map(float.as_integer_ratio, numbers.ravel().tolist())]
    return integers.reshape(numbers.shape)


def _lowest_bit(numbers: Floats) -> int:
    """The shift that makes all finite numbers integers."""
    finite = numbers[(numbers > -np.inf) & (numbers != 0)]
    return 0 if not finite.size else max(0, 53 - int(np.frexp(finite)[1].min()))
