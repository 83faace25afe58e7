"""The scores of one sentence as integers: multiples of one unit, a power of two, each at least the score given.

Sums and maxima of integers are exact, so that everything computed from them is an upper bound by construction.
`Rounding.up` chooses a unit so small that the scores of a tree fit into 60 bits, and rounds each score up to it; scores
that no tree can make up for are raised to a common floor. `Rounding.none` chooses the lowest bit of any score, and
Python integers of any length. Read by `verify`; imports nothing of the decoders.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.caching import cached_property
from treewright.errors import InputError, ProofError

Arc = tuple[int, int]  # head, modifier
Floats = NDArray[np.float64]
Integers = NDArray[Any]  # of int64, or of Python integers
Table = list[
    list[int]
]  # [p][q] of one side: 0 is START, p the p-th candidate; q the (q + 1)-th candidate, the last END
BITS = 60  # of every sum of scores in int64


class Rounding(Enum):
    up = "up"
    none = "none"


class Given:
    """The scores as they were given, checked; arcs that the constraints rule out are -inf."""

    def __init__(
        self,
        arc: Any,
        sib: ArrayLike | None = None,
        grand: ArrayLike | None = None,
        stop: ArrayLike | None = None,
        require: Iterable[Arc] = (),
        forbid: Iterable[Arc] = (),
        head_first: bool = True,
    ) -> None:
        self.rows: dict[str, Any] = {}
        self.arrays: dict[str, Floats] = {}
        self.has_grand = grand is not None  # Parts may have the kind, and no part of it with another score than 0
        if hasattr(type(arc), "grandparents"):  # a Parts; its own attribute would be computed
            self._read_parts(arc)
        else:
            matrix = _array(arc, "arc")
            self.nodes = len(matrix)
            self.arc = (matrix if head_first else matrix.T).copy()
            shapes = (("sib", sib, self.nodes), ("grand", grand, self.nodes), ("stop", stop, 2))
            for name, given, last in shapes:
                if given is not None:
                    self.arrays[name] = _array(given, name, (self.nodes, self.nodes, last))
        self.arc[:, 0] = -np.inf
        self.arc.reshape(-1)[:: self.nodes + 1] = -np.inf
        for h, m in require:
            self.arc[:h, m] = self.arc[h + 1 :, m] = -np.inf
        for h, m in forbid:
            self.arc[h, m] = -np.inf
        self.best: list[float] = np.maximum.reduce(self.arc).tolist()  # of each word
        others = [max(column.item(column.argmax()), 0.0) for column in self.columns[1:]]  # NaN stays
        self.highest = [max(0.0, *self.best[1:]), *others]  # of each kind
        if not math.isfinite(sum(self.highest)) or any(map(math.isnan, self.best)):
            raise InputError("arc, sib, grand or stop has NaN or +inf; write -inf to forbid a part")

    def _read_parts(self, parts: Any) -> None:
        if parts.outermost:
            raise InputError("parts with outermost=True have no proofs; verify reads every grandparent part")
        self.nodes, self.has_grand = parts.nodes, parts.core.has_grand
        self.arc = np.full((self.nodes, self.nodes), -np.inf)
        h, m, score = parts.arcs
        self.arc[h, m] = score
        self.rows = {"sib": parts.siblings, "grand": parts.grandparents, "stop": parts.stops}
        self.rows = {name: rows for name, rows in self.rows.items() if len(rows.score)}

    @property
    def columns(self) -> list[Floats]:
        """All scores."""
        return [self.arc, *self.arrays.values(), *(rows.score for rows in self.rows.values())]

    def parts_of(self, heads: Sequence[int], arcs: Sequence[float]) -> list[float]:
        """The scores of the parts of a tree, by their definition; arcs are those of the arcs into words 1, 2, ..."""
        found = list(arcs)
        if self.is_first_order:
            return found
        words = range(1, self.nodes)
        inner = list(heads)  # the neighbour of each word among the modifiers of its head, on the side of the head
        ends = [[h, h] for h in range(self.nodes)]  # the outermost modifier so far on each side; h itself: none
        for m, right in [(m, 1) for m in words] + [(m, 0) for m in reversed(words)]:
            h = heads[m]
            if (m > h) == right:
                inner[m], ends[h][right] = ends[h][right], m
        if self.rows:
            return found + self._listed(heads, inner, ends)
        parts = {
            "grand": [(heads[heads[m]], heads[m], m) for m in words if heads[m]],
            "sib": [(heads[m], m, inner[m]) for m in words],
            "stop": [(h, s, side) for h, both in enumerate(ends) for side, s in enumerate(both) if h or side],
        }
        return found + [float(array[part]) for name, array in self.arrays.items() for part in parts[name]]

    def _listed(self, heads: Sequence[int], inner: Sequence[int], ends: Sequence[Sequence[int]]) -> list[float]:
        """The scores of the listed parts of a tree, whose columns agree with what the tree has in their place."""
        head, sibling, end = (np.array(given) for given in (heads, inner, ends))
        found: list[float] = []
        for name, (first, second, third, scores) in self.rows.items():
            if name == "grand":
                chosen = (head[third] == second) & (head[second] == first)
            elif name == "sib":
                chosen = (head[second] == first) & (sibling[second] == third)
            else:
                chosen = (end[first, third] == second) & ((first > 0) | (third > 0))  # node 0 has no left side
            found += scores[chosen].tolist()
        return found

    @property
    def candidates(self) -> int:
        """The number of allowed arcs."""
        return int(np.count_nonzero(self.arc > -np.inf))

    @property
    def is_first_order(self) -> bool:
        """Whether arcs alone have scores."""
        return not (self.arrays or self.rows)

    def has(self, name: str) -> bool:
        """Whether there are scores of that kind: sib, grand or stop."""
        return name in self.arrays or name in self.rows


def _array(given: ArrayLike, name: str, shape: tuple[int, ...] | None = None) -> Floats:
    try:
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} is not an array of numbers") from None
    if shape is None and (array.ndim != 2 or array.shape[0] != array.shape[1] or len(array) < 2):
        raise InputError(f"{name} has the shape {array.shape}; it is square, with one row for the root and each word")
    if shape is not None and array.shape != shape:
        raise InputError(f"{name} has the shape {array.shape}; it must be {shape}")
    return array


class Scores:
    """Integer scores over candidate arcs. `unit` is 2 ** -shift."""

    def __init__(self, given: Given, value: float, rounding: Rounding) -> None:
        self.given = given
        self.nodes = given.nodes
        self.parts = 8 * given.nodes  # an upper limit of the parts of a tree and the multipliers that one meets
        self.rounding = rounding
        if rounding is Rounding.up:
            top = max(abs(value), *given.highest)
            # No tree with a part below the floor, -2 ** exponent, has a value as high as the one claimed.
            exponent = math.frexp(top)[1] + self.parts.bit_length() + 1
            self.shift = BITS - exponent - self.parts.bit_length()
            self.floor = -(1 << (exponent + self.shift))
            self.limit = 1 << (BITS - 3)
            self.never = -(1 << (BITS + 1))
        else:
            self.shift = max(_lowest_bit(column) for column in given.columns)
            largest = max(_largest(column) for column in given.columns) + self.shift + self.parts.bit_length()
            self.limit = 1 << (largest + 8)
            self.never = self.floor = -(1 << (largest + 24))
        self._dense: dict[str, Integers | None] = {}
        self.has_grand = given.has_grand
        self.has_tables = given.has("sib") or given.has("stop")

    def integers(self, column: Floats) -> Integers:
        """The scores as integers, never lower than given."""
        if self.rounding is Rounding.up:
            lowest = math.ldexp(self.floor, -self.shift)  # raising a score is rounding it up
            return np.ceil(np.ldexp(np.maximum(column, lowest), self.shift)).astype(np.int64)
        return _exact(column, self.shift, self.floor)

    def multiplier(self, x: float) -> int:
        """A multiplier as an integer, limited in size; every choice of multipliers gives a bound."""
        if not math.isfinite(x):
            raise ProofError("refused: a multiplier is not finite")
        return max(-self.limit, min(self.limit, self.integer(x)))

    def multipliers(self, column: Sequence[float]) -> list[int]:
        """`multiplier` of each."""
        if self.rounding is Rounding.none:
            return [self.multiplier(x) for x in column]
        if not all(map(math.isfinite, column)):
            raise ProofError("refused: a multiplier is not finite")
        largest = math.ldexp(self.limit, -self.shift)
        rounded = np.rint(np.ldexp(np.clip(column, -largest, largest), self.shift))
        found: list[int] = rounded.astype(np.int64).tolist()
        return found

    def exact(self, x: int) -> Fraction:
        """An integer in the units of the scores."""
        return Fraction(x << max(-self.shift, 0), 1 << max(self.shift, 0))

    def integer(self, x: float | Fraction) -> int:
        """A finite number as an integer, rounded down."""
        numerator, denominator = x.as_integer_ratio()
        return (numerator << max(self.shift, 0)) // (denominator << max(-self.shift, 0))

    @cached_property
    def arc(self) -> Integers:
        """[h, m], `never` for what is no candidate."""
        found = self.integers(self.given.arc)
        found[self.given.arc == -np.inf] = self.never
        return found

    @cached_property
    def arcs(self) -> list[list[int]]:
        """The same as lists."""
        rows: list[list[int]] = self.arc.tolist()
        return rows

    @cached_property
    def heads_of(self) -> list[list[int]]:
        """The candidate heads of each node, increasing; none of node 0."""
        found: list[list[int]] = [[] for _ in range(self.nodes)]
        for m, h in np.argwhere(-np.inf < self.given.arc.T).tolist():
            found[m].append(h)
        return found

    @cached_property
    def sides(self) -> list[tuple[list[int], list[int]]]:
        """The candidate modifiers of each node, left and right of it, outwards."""
        found: list[tuple[list[int], list[int]]] = [([], []) for _ in range(self.nodes)]
        for m in range(1, self.nodes):
            for h in self.heads_of[m]:
                if m > h:
                    found[h][1].append(m)
                else:
                    found[h][0].insert(0, m)
        return found

    @cached_property
    def rank(self) -> dict[Arc, int]:
        """The place of m among the candidates on its side of h."""
        return {(h, m): q for h, sides in enumerate(self.sides) for side in sides for q, m in enumerate(side)}

    def dense(self, name: str) -> Integers | None:
        """sib[h, m, s], grand[g, h, m] or stop[h, s, side]; None if there are none."""
        if name not in self._dense:
            self._dense[name] = self._read_dense(name)
        return self._dense[name]

    def _read_dense(self, name: str) -> Integers | None:
        if name in self.given.arrays:
            return self.integers(self.given.arrays[name])
        if name not in self.given.rows:
            return None
        *columns, scores = self.given.rows[name]
        found = np.zeros((self.nodes, self.nodes, 2 if name == "stop" else self.nodes), dtype=self.arc.dtype)
        found[tuple(columns)] = self.integers(scores)
        return found

    @cached_property
    def tables(self) -> list[list[Table]]:
        """The sibling and stop scores of both sides of each node."""
        tables = [[[[0] * (len(side) + 1) for _ in range(len(side) + 1)] for side in sides] for sides in self.sides]
        for name in ("sib", "stop"):
            if name in self.given.arrays:
                self._fill_from_array(tables, name)
            elif name in self.given.rows:
                self._fill_from_rows(tables, name)
        tables[0][1][0][-1] = self.never  # the root has a modifier
        return tables

    def _fill_from_array(self, tables: list[list[Table]], name: str) -> None:
        values = self.integers(self.given.arrays[name]).tolist()
        for h, sides in enumerate(self.sides):
            for right, side in enumerate(sides):
                for p, s in enumerate([h, *side]):
                    row = tables[h][right][p]
                    if name == "stop":
                        row[-1] = values[h][s][right]
                    else:
                        for q in range(p, len(side)):
                            row[q] = values[h][side[q]][s]

    def _fill_from_rows(self, tables: list[list[Table]], name: str) -> None:
        *columns, scores = self.given.rows[name]
        rank, values = self.rank, self.integers(scores).tolist()
        for h, first, second, x in zip(*(column.tolist() for column in columns), values, strict=True):
            s = second if name == "sib" else first
            p = 0 if s == h else rank.get((h, s), -1) + 1
            if p == 0 and s != h:
                continue
            if name == "stop":
                tables[h][second][p][-1] = x
            elif (h, first) in rank:
                tables[h][first > h][p][rank[h, first]] = x

    @cached_property
    def grands(self) -> list[dict[int, list[int]]]:
        """For each node h and candidate modifier m, the score under each head of `heads_of[h]`; m is not h's head."""
        found: list[dict[int, list[int]]] = [
            {m: [self.never if g == m else 0 for g in self.heads_of[h]] for side in sides for m in side}
            for h, sides in enumerate(self.sides)
        ]
        if "grand" in self.given.arrays:
            values = self.integers(self.given.arrays["grand"]).tolist()
            for h in range(1, self.nodes):
                for m, row in found[h].items():
                    row[:] = [self.never if g == m else values[g][h][m] for g in self.heads_of[h]]
        elif "grand" in self.given.rows:
            *columns, scores = self.given.rows["grand"]
            place = [{g: k for k, g in enumerate(heads)} for heads in self.heads_of]
            for g, h, m, x in zip(*(c.tolist() for c in columns), self.integers(scores).tolist(), strict=True):
                if g != m and g in place[h] and m in found[h]:
                    found[h][m][place[h][g]] = x
        return found


def rounded_up(x: Fraction) -> float:
    """The smallest double that is not lower."""
    try:
        nearest = float(x)
    except OverflowError:
        return math.inf if x > 0 else -sys.float_info.max
    return nearest if nearest >= x else math.nextafter(nearest, math.inf)


def exact_sum(numbers: Sequence[float]) -> Fraction:
    """The sum without rounding."""
    ratios = [x.as_integer_ratio() for x in numbers]
    shift = max((denominator.bit_length() for _, denominator in ratios), default=1)
    return Fraction(sum(n << (shift - d.bit_length()) for n, d in ratios), 1 << (shift - 1))


def _exact(column: Floats, shift: int, floor: int) -> Integers:
    mantissa, exponent = np.frexp(np.where(column > -np.inf, column, 0.0))
    whole = (mantissa * 2.0**53).astype(np.int64).ravel().tolist()
    moves = (exponent.astype(np.int64) - 53 + shift).ravel().tolist()
    found = np.empty(column.size, dtype=object)
    found[:] = [x << by if by >= 0 else x >> -by for x, by in zip(whole, moves, strict=True)]
    found[(column == -np.inf).ravel()] = floor
    return found.reshape(column.shape)


def _finite(column: Floats) -> Floats:
    finite: Floats = column[(column > -np.inf) & (column != 0)]
    return finite


def _lowest_bit(column: Floats) -> int:
    """The shift that makes every score an integer."""
    finite = _finite(column)
    return 0 if not finite.size else max(0, 53 - int(np.frexp(finite)[1].min()))


def _largest(column: Floats) -> int:
    finite = _finite(column)
    return 0 if not finite.size else max(0, int(np.frexp(finite)[1].max()))
