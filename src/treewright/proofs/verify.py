"""Check the proof that no tree is better, with none of the code that found the tree, over integers.

A proof of the kind "search" divides the trees into pieces and gives multipliers at which Lagrangian duality bounds
every tree of a piece (search.py, bound.py). A proof of the kind "chart" says that the tree is projective: the dynamic
program is solved again (chart.py). docs/proofs.md explains it. Nothing here imports a decoder.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from treewright.errors import InputError, ProofError
from treewright.proofs.bound import size_of
from treewright.proofs.chart import Chart
from treewright.proofs.losses import IntegerLosses, Losses, exact_sum
from treewright.proofs.proof import Arc, Proof
from treewright.proofs.scores import Scores
from treewright.proofs.search import Search

EPSILON = 2.0**-52  # the relative error of a sum of two doubles is at most half of it
SPREAD_ERROR = 1e-12  # relative; far above the rounding of a sum of positive doubles
CHART_BITS = 60  # of a loss in an int64: a chart adds up to five
SEARCH_BITS = 58  # of all losses of a search


class Claim(Protocol):
    """What a parse claims: its tree has the score, and no tree is better by more than the gap.

    It is certified if gap <= tolerance * spread.
    """

    heads: Any
    score: float
    bound: float
    gap: float
    spread: float
    tolerance: float
    proof: Proof | None


class Verified(NamedTuple):
    """What was proved: the tree has that value, and no tree has one above `bound`; gap is bound - value, rounded up."""

    value: float
    bound: float
    gap: float


def verify(
    arc: Any,
    parse: Claim,
    *,
    sib: ArrayLike | None = None,
    grand: ArrayLike | None = None,
    stop: ArrayLike | None = None,
    projective: bool = False,
    root: str = "single",
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
) -> Verified:
    """Check `parse.proof` under the scores and constraints given; a ProofError names what does not hold.

    The other arguments are those of `tree`, with heads first, as `decode.verify` checks them. What is checked: the
    heads form a tree that meets the constraints; its value is parse.score; parse.spread is that of the scores; no other
    tree is better by more than parse.gap, or above parse.bound. The gap of the result is what is proved.

    >>> from treewright import decode
    >>> scores = [[0, 9, 2], [0, 0, 7], [0, 3, 0]]
    >>> verify(scores, decode.tree(scores, proof=True))
    Verified(value=16.0, bound=16.0, gap=0.0)
    """
    if root not in ("single", "multi"):
        raise InputError(f"root is {root!r}; it is 'single' (one child of node 0) or 'multi'")
    single_root = root == "single"
    scores = Scores(arc, sib, grand, stop, require, forbid)
    if parse.proof is None:
        raise ProofError("the parse has no proof: decode with tree(..., proof=True)")
    _check_numbers(parse)
    array = np.asarray(parse.heads)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ProofError("refused: heads is not a list of integers")
    heads: list[int] = array.tolist()
    scores.check_tree(heads, projective, single_root)
    tree = scores.parts_of(heads)
    value = _check_value(scores.of_tree(tree), parse.score)
    losses = Losses(scores, single_root)
    spread = losses.spread(heads)
    if parse.spread > spread * (1 + SPREAD_ERROR):
        raise ProofError(f"refused: the spread of the scores is {spread!r}, not {parse.spread!r}")
    allowed = min(Fraction(parse.gap), Fraction(parse.bound) - value)
    if allowed < 0:
        raise ProofError(f"refused: the bound {parse.bound!r} is below the value of the tree, {_rounded_up(value)!r}")
    loss = losses.of_tree(tree)
    gap = loss - _smallest_loss(losses, loss, parse.proof, projective, single_root, allowed) if loss else Fraction(0)
    if gap > allowed:
        raise ProofError(f"refused: a gap of {_rounded_up(gap)!r} is proved, not of {_rounded_up(allowed)!r}")
    return Verified(-_rounded_up(-value), _rounded_up(value + gap), _rounded_up(gap))


def _smallest_loss(
    losses: Losses, loss: Fraction, proof: Proof, projective: bool, single_root: bool, allowed: Fraction
) -> Fraction:
    """A lower bound on the loss of every tree, at most `loss`; integers of 64 bits are tried first."""
    scores = losses.scores
    if proof.kind == "chart" and not projective:
        raise ProofError("refused: a proof by a chart is one about projective trees")
    # A chart needs no losses above that of the tree. A search may need some, but hardly those above the first limit,
    # and none above the second.
    limits = loss, loss
    if proof.kind == "search":
        shift = Fraction(abs(losses.shift_of_arc).max())
        multipliers = 2 * shift + max(map(size_of, proof.points), default=Fraction(0))
        limits = 8 * (loss + multipliers), loss + 4 * scores.nodes**2 * multipliers
    bits = CHART_BITS if proof.kind == "chart" else SEARCH_BITS - 2 * scores.nodes.bit_length()

    def check(integers: IntegerLosses) -> Fraction:
        if proof.kind == "chart":
            smallest = Chart(scores, integers).smallest_loss()
        else:
            needed = math.ceil((loss - allowed) / integers.exact(1))
            smallest = Search(scores, integers, single_root, proof, needed).smallest_loss()
        return min(loss, integers.exact(smallest))

    if limits[0] < sys.float_info.max:
        try:
            smallest = check(losses.rounded(limits[0], bits))
            if loss - smallest <= allowed:
                return smallest
        except ProofError:  # rounding may be the reason
            pass
    return check(losses.exact(limits[1]))


def _check_numbers(parse: Claim) -> None:
    for name in ("score", "bound", "gap", "spread", "tolerance"):
        if not math.isfinite(getattr(parse, name)):
            raise ProofError(f"refused: the {name} is not finite")
    if not 0 <= parse.tolerance < 1:
        raise ProofError(f"refused: the tolerance is {parse.tolerance!r}; it is at least 0 and below 1")
    if parse.gap < 0 or parse.spread < 0:
        raise ProofError("refused: the gap or the spread is negative")


def _check_value(parts: Any, score: float) -> Fraction:
    """The exact value of a tree with these parts; the score is their sum in any order, with its rounding."""
    if not np.isfinite(parts).all():
        raise ProofError("refused: the tree has a part with the score -inf")
    value = exact_sum(parts)
    rounding = len(parts) * exact_sum(abs(parts)) * Fraction(EPSILON)
    if abs(value - Fraction(score)) > rounding:
        raise ProofError(f"refused: the tree has the value {_rounded_up(value)!r}, not {score!r}")
    return value


def _rounded_up(x: Fraction) -> float:
    """The smallest double that is not lower."""
    try:
        nearest = float(x)
    except OverflowError:
        return math.inf if x > 0 else -sys.float_info.max
    return nearest if nearest >= x else math.nextafter(nearest, math.inf)
