"""Checks the proof that no tree is better, with none of the code that found the tree.

A proof of the kind "search" divides the trees into pieces and gives multipliers for each, at which Lagrangian duality
bounds every tree of the piece (integer_search.py). A proof of the kind "chart" is checked by the items of the chart, or
by solving the dynamic program of projective trees (integer_charts.py, candidate_charts.py). First-order trees and
charts are first tried in doubles with the rounding added; where they decide nothing, numbers are integers, so that
bounds are exact (integer_scores.py). Nothing here imports a decoder. docs/proofs.md explains it.

The claim that is checked is that of the parse, by the definition of result.py: that no tree is better by more than
tolerance * spread if it is certified, and by more than its gap, within the same tolerance, otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, overload

from numpy.typing import ArrayLike

from treewright.calls import explained
from treewright.decode.result import Parse
from treewright.errors import InputError, ProofError
from treewright.proofs.array_batches import certified_arrays
from treewright.proofs.candidate_charts import best_values, columns_of
from treewright.proofs.claim import Claim, Verified, check_root, claim
from treewright.proofs.float_bound import upper_bound
from treewright.proofs.float_charts import arc_gap, sibling_gap
from treewright.proofs.integer_charts import best_projective
from treewright.proofs.integer_scores import Arc, Given, Rounding, Scores, exact_sum, rounded_up
from treewright.proofs.integer_search import Search
from treewright.proofs.single_sentence import certified_tree
from treewright.proofs.sparse_charts import SparseChart, useful_arcs

EPSILON = 2.0**-52  # the relative error of a sum is at most half of it
SPARSE_ARCS = 100  # up to so many useful arcs a chart of one sentence is faster in lists (benchmarks/proofs.py)
CHART_SENTENCES = 64  # that share one chart, at most; larger charts are not faster (benchmarks/proofs.py)
CHART_CELLS = 2**23  # of a chart that sentences share, 64 MB: longer sentences share one with fewer others


@explained
def verify(
    arc: Any,
    parse: Parse,
    *,
    sib: ArrayLike | None = None,
    grand: ArrayLike | None = None,
    stop: ArrayLike | None = None,
    projective: bool = False,
    root: str = "single",
    require: Iterable[Arc] = (),
    forbid: Iterable[Arc] = (),
    head_first: bool = True,
) -> Verified:
    """Check `parse.proof` under the scores and constraints given; a ProofError names what does not hold.

    The arguments other than parse are those of `tree`. What is checked: the heads form a tree that meets the
    constraints; its value is parse.score; and no other tree is better by more than the parse claims: by more than
    parse.tolerance * parse.spread if it is certified, or than parse.gap. The gap of the result is what is proved.

    >>> from treewright import decode
    >>> scores = [[0, 9, 2], [0, 0, 7], [0, 3, 0]]
    >>> verify(scores, decode.tree(scores, proof=True))
    Verified(value=16.0, bound=16.0, gap=0.0)
    >>> verify([[0, 9, 12], [0, 0, 7], [0, 3, 0]], decode.tree(scores, proof=True))
    Traceback (most recent call last):
    ...
    treewright.errors.ProofError: refused: ...
    """
    if sib is grand is stop is None and head_first and require == forbid == ():
        proved = certified_tree(arc, parse, projective, check_root(root))
        if proved is not None:
            return proved
    given = Given(arc, sib, grand, stop, require, forbid, head_first)
    checked = claim(given, parse, projective, root)
    return _decide(checked, _gap(checked))


@overload
def verify_batch(
    batch: Sequence[Any],
    parses: Sequence[Parse],
    *,
    projective: bool = ...,
    root: str = ...,
    errors: Literal["raise"] = ...,
) -> list[Verified]: ...


@overload
def verify_batch(
    batch: Sequence[Any],
    parses: Sequence[Parse],
    *,
    projective: bool = ...,
    root: str = ...,
    errors: Literal["return"],
) -> list[Verified | InputError]: ...


@explained
def verify_batch(
    batch: Sequence[Any],
    parses: Sequence[Parse],
    *,
    projective: bool = False,
    root: str = "single",
    errors: Literal["raise", "return"] = "raise",
) -> list[Verified] | list[Verified | InputError]:
    """`verify` for each sentence: arc scores or Parts in batch, and its parse in parses; faster than one by one.

    projective and root are those of `tree`. errors="raise" raises the first error, whose message names the sentence;
    errors="return" returns the errors in the places of what is proved.

    >>> from treewright import decode
    >>> scores = [[0, 9, 2], [0, 0, 7], [0, 3, 0]]
    >>> verify_batch([scores], [decode.tree(scores, proof=True)])
    [Verified(value=16.0, bound=16.0, gap=0.0)]
    """
    if errors not in ("raise", "return"):
        raise InputError(f"errors is {errors!r}; it is 'raise' or 'return'")
    if len(batch) != len(parses):
        raise InputError(f"parses has {len(parses)} items and batch {len(batch)}; each sentence has one parse")
    single_root = check_root(root)
    found: dict[int, Verified | InputError] = {**certified_arrays(batch, parses, projective, single_root)}
    claims: dict[int, Claim] = {}
    for place, (arc, parse) in enumerate(zip(batch, parses, strict=True)):
        try:
            if place in found:
                continue
            if proved := certified_tree(arc, parse, projective, single_root):
                found[place] = proved
            else:
                claims[place] = claim(Given(arc), parse, projective, root)
        except InputError as error:
            found[place] = error
    gaps = _gaps_over_candidates({place: one for place, one in claims.items() if _is_listed_chart(one)})
    for place, one in claims.items():
        try:
            found[place] = _decide(one, gaps[place] if place in gaps else _gap(one))
        except InputError as error:
            found[place] = error
    outcomes = [found[place] for place in range(len(batch))]
    for place, outcome in enumerate(outcomes):
        if errors == "raise" and isinstance(outcome, InputError):
            outcome.args = (f"batch[{place}]: {outcome}", *outcome.args[1:])
            raise outcome
    return outcomes


def _decide(claim: Claim, gap: float) -> Verified:
    """What is proved if no tree exceeds that of the claim by more than `gap`; if that is too much, integers decide."""
    if gap <= claim.allowed_gap(claim.lower):
        return Verified(claim.lower, math.nextafter(claim.upper + gap, math.inf) if gap else claim.upper, gap)
    value = exact_sum(claim.parts)
    try:
        return _bounded(claim, Scores(claim.given, claim.parse.score, Rounding.up), value)
    except ProofError:  # rounding may be the reason
        return _bounded(claim, Scores(claim.given, claim.parse.score, Rounding.none), value)


def _bounded(claim: Claim, scores: Scores, value: Fraction) -> Verified:
    top = scores.integer(value + Fraction(claim.allowed_gap(value)))
    if claim.proof.kind == "search":
        found = Search(scores, claim.single_root, top).check(claim.proof)
    elif claim.projective:
        found = best_projective(scores, claim.single_root)
    else:
        raise ProofError("refused: a proof by a chart is one about projective trees")
    bound = max(scores.exact(found), value)
    if found > top:
        raise ProofError(f"refused: the proof bounds trees by {rounded_up(bound)!r}, not by {claim.parse.bound!r}")
    return Verified(-rounded_up(-value), rounded_up(bound), rounded_up(bound - value))


def _gap(claim: Claim) -> float:
    """An upper bound on what another tree gains, in doubles; +inf or NaN where they have none."""
    try:
        return _gap_in_doubles(claim)
    except (OverflowError, ValueError):  # sums beyond the range of doubles; infinities of both signs
        return math.inf


def _gap_in_doubles(claim: Claim) -> float:
    given = claim.given
    if given.candidates == given.nodes - 1:  # there is no other tree
        return 0.0
    if given.is_first_order and given.best[1:] == claim.arcs:  # the best head of every word: no tree is better
        return 0.0
    if _is_listed_chart(claim):
        arcs = useful_arcs(given, claim.lower)
        if len(arcs) == given.nodes - 1:
            return 0.0
        if len(arcs) <= SPARSE_ARCS:
            return _gap_above(claim, SparseChart(given, arcs, claim.single_root).best())
        return _gaps_over_candidates({0: claim})[0]
    if claim.proof.kind == "search":
        return _gap_at_point(claim)
    return _gap_by_items(claim) if claim.projective else math.inf


def _gap_at_point(claim: Claim) -> float:
    """For a first-order tree whose proof is one point."""
    nodes, points = claim.proof.nodes, claim.proof.points
    if not claim.given.is_first_order or len(nodes) != 1 or len(points) != 1 or nodes[0].fixings:
        return math.inf
    return math.nextafter(upper_bound(claim.given.arc, points[0], claim.single_root) - claim.lower, math.inf)


def _gap_by_items(claim: Claim) -> float:
    """For a projective tree whose proof has the items of its chart."""
    given, proof = claim.given, claim.proof
    if proof.halves is None or given.rows or given.has_grand:
        return math.inf
    if given.is_first_order:
        return arc_gap(given.arc, claim.arcs, proof.halves, claim.single_root)
    if proof.incomplete is None:
        return math.inf
    second, items = (given.arrays.get("sib"), given.arrays.get("stop")), (proof.halves, proof.incomplete)
    return sibling_gap(given.arc, [0.0, *given.best[1:]], *second, claim.lower, items, claim.single_root)


def _is_listed_chart(claim: Claim) -> bool:
    """Whether the tree is projective and its scores are lists of parts."""
    return claim.proof.kind == "chart" and claim.projective and bool(claim.given.rows)


def _gaps_over_candidates(claims: Mapping[int, Claim]) -> dict[int, float]:
    """The gap of each claim, from charts of several sentences of similar length."""
    found: dict[int, float] = {}
    for places in _by_length(claims):
        sentences = [columns_of(claims[place].given, lambda scores: scores) for place in places]
        values = best_values(sentences, claims[places[0]].single_root, -math.inf)
        found.update({place: _gap_above(claims[place], value) for place, value in zip(places, values, strict=True)})
    return found


def _by_length(claims: Mapping[int, Claim]) -> Iterator[list[int]]:
    """The places of sentences that share a chart."""
    places: list[int] = []
    cells = 0
    for place in sorted(claims, key=lambda place: claims[place].given.nodes):
        more = 4 * claims[place].given.candidates * claims[place].given.nodes
        if places and (len(places) == CHART_SENTENCES or cells + more > CHART_CELLS):
            yield places
            places, cells = [], 0
        places.append(place)
        cells += more
    if places:
        yield places


def _gap_above(claim: Claim, best: float) -> float:
    """What the best tree gains, from its value in doubles.

    At most 8 additions a word make a value. A tree that is not worse than the one of the claim has positive parts
    of at most `highest` in all, and negative parts that make at most the difference to the value of the claim.
    """
    nodes = claim.given.nodes
    highest = 2 * nodes * math.fsum(claim.given.highest)
    rounding = 16 * nodes * EPSILON * (2 * highest + abs(claim.lower))
    return max(0.0, math.nextafter(math.fsum([best, rounding, -claim.lower]), math.inf))
