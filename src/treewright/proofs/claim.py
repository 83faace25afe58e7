"""What a parse claims about its tree, written for `verify` only.

`claim` checks what needs no proof: that the heads are a tree under the constraints, and that its value is as given.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from treewright.decode.result import Parse
from treewright.errors import InputError, ProofError
from treewright.proofs.integer_scores import Given
from treewright.proofs.proof import Proof


class Verified(NamedTuple):
    """What was proved: the tree has that value, and no tree has one above `bound`; gap is bound - value, rounded up."""

    value: float
    bound: float
    gap: float


class Claim(NamedTuple):
    """That no tree is better than the one of the parse by more than `allowed_gap`."""

    given: Given
    parse: Parse
    proof: Proof
    arcs: Sequence[float]  # the scores of the arcs into words 1, 2, ...
    parts: Sequence[float]  # the scores of all parts of the tree
    lower: float  # the value is not lower,
    upper: float  # and not higher
    projective: bool
    single_root: bool

    def allowed_gap(self, value: float | Fraction) -> float:
        """What the parse claims, by the definition of `Parse.certified`; rounded downwards."""
        parse = self.parse
        tolerance = parse.tolerance * parse.spread
        if parse.certified:
            return tolerance
        claimed = min(parse.gap, math.nextafter(float(Fraction(parse.bound) - Fraction(value)), -math.inf))
        return math.nextafter(max(claimed, 0.0) + tolerance, 0.0)


def claim(given: Given, parse: Parse, projective: bool, root: str) -> Claim:
    """The claim of a parse about these scores; a ProofError if its tree or its value is another one."""
    if parse.proof is None:
        raise ProofError("the parse has no proof: decode with tree(..., proof=True)")
    if not all(map(math.isfinite, (parse.score, parse.bound, parse.gap, parse.tolerance * parse.spread))):
        raise ProofError("refused: score, bound, gap or tolerance * spread is not finite")
    single_root = check_root(root)
    heads: list[int] = np.asarray(parse.heads).tolist()
    arcs = _check_tree(given, heads, projective, single_root)
    parts = given.parts_of(heads, arcs)
    if not all(map(math.isfinite, parts)):
        raise ProofError("refused: the tree has a part with the score -inf")
    try:
        lower, upper = limits_of_sum(parts)
    except OverflowError:
        raise ProofError("refused: the value of the tree is beyond the range of doubles") from None
    if not (lower <= parse.score <= upper or has_value(parts, parse.score)):
        raise ProofError(f"refused: the tree has the value {math.fsum(parts)!r}, not {parse.score!r}")
    return Claim(given, parse, parse.proof, arcs, parts, lower, upper, projective, single_root)


def limits_of_sum(parts: Sequence[float]) -> tuple[float, float]:
    """The nearest doubles that the sum without rounding is between."""
    nearest = math.fsum(parts)
    error = math.fsum([*parts, -nearest])  # the sum is the number nearest to it and this one
    lower = nearest if error >= 0 else math.nextafter(nearest, -math.inf)
    return lower, nearest if error <= 0 else math.nextafter(nearest, math.inf)


def has_value(parts: Sequence[float], score: float) -> bool:
    """Whether the score is the sum of the parts, in any order and with the rounding of it."""
    rounding = len(parts) * math.fsum(map(abs, parts)) * 2.0**-52
    return abs(math.fsum([*parts, -score])) <= rounding


def check_root(root: str) -> bool:
    """Whether node 0 has one child only."""
    if root not in ("single", "multi"):
        raise InputError(f"root is {root!r}; it is 'single' (one child of node 0) or 'multi'")
    return root == "single"


def _check_tree(given: Given, heads: Sequence[int], projective: bool, single_root: bool) -> list[float]:
    """The scores of the arcs into words 1, 2, ..."""
    if len(heads) != given.nodes or heads[0] != -1:
        raise ProofError(f"refused: heads has {len(heads)} entries; -1 and one head a word are {given.nodes}")
    if min(heads[1:]) < 0 or max(heads) >= given.nodes:
        h, m = next((h, m) for m, h in enumerate(heads) if m and not 0 <= h < given.nodes)
        raise ProofError(f"refused: the arc ({h}, {m}) is not allowed")
    own: list[float] = given.arc.reshape(-1).take([h * given.nodes + m for m, h in enumerate(heads) if m]).tolist()
    if -math.inf in own:
        m = 1 + own.index(-math.inf)
        raise ProofError(f"refused: the arc ({heads[m]}, {m}) is not allowed")
    if single_root and heads.count(0) != 1:
        raise ProofError(f"refused: node 0 has {heads.count(0)} children; with root='single' it has one")
    if projective and is_projective_tree(heads):
        return own
    if cycle := node_on_cycle(heads):
        raise ProofError(f"refused: the heads above word {cycle} form a cycle")
    if projective:
        raise ProofError("refused: arcs of the tree cross")
    return own


def node_on_cycle(heads: Sequence[int]) -> int:
    """A node on a cycle of heads; 0 if the path of every word leads to node 0."""
    visit = [0] * len(heads)  # the word whose path first came to each node
    visit[0] = len(heads)
    for m in range(1, len(heads)):
        node = m
        while not visit[node]:
            visit[node] = m
            node = heads[node]
        if visit[node] == m:
            return node
    return 0


def is_projective_tree(heads: Sequence[int]) -> bool:
    """Whether each word can be joined with its head, which is then its neighbour among the nodes that are left."""
    missing = [0] * len(heads)  # the modifiers of each node that are not joined yet
    for h in heads[1:]:
        missing[h] += 1
    left: list[int] = []
    for node in range(len(heads)):
        while left and heads[left[-1]] == node and not missing[left[-1]]:
            left.pop()
            missing[node] -= 1
        left.append(node)
        while not missing[left[-1]] and len(left) > 1 and heads[left[-1]] == left[-2]:
            left.pop()
            missing[left[-1]] -= 1
    return left == [0]
