"""The truth about decodings of a few words: random scores, all trees enumerated, values compared in exact arithmetic.

Differences of values are computed by `math.fsum`, whose result is the exact sum rounded once, so that no difference has
a wrong sign. Values of all trees are first compared in extended precision; those that rounding leaves open are compared
exactly. A certified result is

    false      if another structure is better by more than tolerance * spread, or than the tolerance times the largest
               spread that scores without masks can have
    costly     if it loses more than 1000 * tolerance (1e-6 by default) of the difference between the best structure and
               the median of 100 random ones: what the definition of the spread must not allow
    rounded    if it loses as much, but no more than the rounding of the scores: half a unit in the last place of each
               score that only one of the two structures has. Scores that both have, such as masks, do not count. Which
               of the two is better the numbers do not say that were rounded to these scores
    bad gap    if another structure is better by more than its gap, or has a higher value than its bound
    bad value  if its score is not the value of the structure, or the structure breaks the constraints
"""

from __future__ import annotations

import math
import platform
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import common
import numpy as np

Array = np.ndarray[Any, Any]

PARTS = (("arc",), ("arc", "sib"), ("arc", "sib", "stop"), ("arc", "grand"), ("arc", "sib", "grand", "stop"))
# Sizes of 1 to 1e16 within one instance: scales of arrays, nodes or parts, masks, and masks that every tree has.
MIXED = ("mixed arrays", "mixed nodes", "mixed parts", "mixed masks", "mixed forced masks")
KINDS = ("normal", "ties", "decimals", "near ties", "masks", "forbidden", "shift", "scale", "masks shift scale", *MIXED)
# Losses of up to 2^20 times the scores are no penalties (core/trees/losses.hpp), in up to 50 parts.
LARGEST_SPREAD = 50 * 2.0**20
SAMPLE = 100  # random structures, whose median is the scale of what a certified one may lose
LARGEST_LOSS = 1000  # times the tolerance and the distance of the best structure from that median
COUNTS = ("decodings", "certified", "false", "costly", "rounded", "bad gap", "bad value", "infeasible")
COLUMNS = (*COUNTS, "refused", "errors")


@dataclass(frozen=True)
class Trees:
    """All trees of n words, and the places of their parts in the flattened arrays; the last place is a zero."""

    heads: Array  # [tree, node]
    is_single: Array
    is_projective: Array
    places: Mapping[str, Array]  # [tree, part]

    @staticmethod
    @cache
    def of(n: int) -> Trees:
        heads = _all_heads(n)
        places = {"arc": _arc_places(heads), "grand": _grand_places(heads)}
        places["sib"], places["stop"] = _side_places(heads)
        return Trees(heads, (heads[:, 1:] == 0).sum(axis=1) == 1, _are_projective(heads), places)


def _all_heads(n: int) -> Array:
    """The heads of all trees of n words, one tree a row; the head of the root is written as -1."""
    heads = np.zeros(((n + 1) ** n, n + 1), np.int32)
    heads[:, 1:] = np.indices((n + 1,) * n, dtype=np.int32).reshape(n, -1).T
    above = heads
    for _ in range(n.bit_length()):
        above = np.take_along_axis(above, above, axis=1)
    heads = heads[(above == 0).all(axis=1)]
    heads[:, 0] = -1
    return np.asarray(heads)


def _are_projective(heads: Array) -> Array:
    """Whether no two arcs of a tree cross, the root being left of all words."""
    words = np.arange(1, heads.shape[1])
    left, right = np.minimum(heads[:, 1:], words), np.maximum(heads[:, 1:], words)
    crosses = np.zeros(len(heads), bool)
    for a, b in product(range(len(words)), repeat=2):
        crosses |= (left[:, a] < left[:, b]) & (left[:, b] < right[:, a]) & (right[:, a] < right[:, b])
    return np.asarray(~crosses)


def _arc_places(heads: Array) -> Array:
    nodes = heads.shape[1]
    return np.asarray(heads[:, 1:] * nodes + np.arange(1, nodes, dtype=np.int32))


def _grand_places(heads: Array) -> Array:
    """Of each word; the place after the array for a word with the head 0."""
    nodes = heads.shape[1]
    head = heads[:, 1:]
    grandparent = np.take_along_axis(heads, head, axis=1)
    places = (grandparent * nodes + head) * nodes + np.arange(1, nodes, dtype=np.int32)
    return np.asarray(np.where(head == 0, nodes**3, places))


def _side_places(heads: Array) -> tuple[Array, Array]:
    """The sibling part of each word, and the stops of all sides."""
    nodes = heads.shape[1]
    siblings, stops = np.zeros((len(heads), nodes - 1), np.int32), []
    for h in range(nodes):
        for side in (0, 1) if h else (1,):
            inner = np.full(len(heads), h, np.int32)
            for m in range(h + 1, nodes) if side else range(h - 1, 0, -1):
                has_arc = heads[:, m] == h
                siblings[has_arc, m - 1] = (h * nodes + m) * nodes + inner[has_arc]
                inner[has_arc] = m
            stops.append((h * nodes + inner) * 2 + side)
    return siblings, np.stack(stops, axis=1)


class Values:
    """The values of all trees of an instance in extended precision, with bounds on their errors."""

    def __init__(self, scores: Mapping[str, Array], n: int, scale: float) -> None:
        self.trees, self.scale = Trees.of(n), scale
        self.flat = {name: np.append(array.ravel(), 0.0) for name, array in scores.items()}
        self.value = np.zeros(len(self.trees.heads), np.longdouble)
        size = np.zeros(len(self.trees.heads), np.longdouble)
        for name, flat in self.flat.items():
            terms = flat[self.trees.places[name]].astype(np.longdouble)
            self.value += terms.sum(axis=1)
            size += np.abs(terms).sum(axis=1)
        self.error = 64 * np.finfo(np.longdouble).eps * size

    def parts(self, tree: int) -> list[float]:
        """The scores of the parts of a tree."""
        return [x for name, flat in self.flat.items() for x in flat[self.trees.places[name][tree]].tolist()]


class Truth:
    """The best tree of an instance under one root rule, projective or not."""

    def __init__(self, values: Values, root: str, projective: bool) -> None:
        self.values, trees = values, values.trees
        self.allowed = trees.is_single.copy() if root == "single" else np.ones(len(trees.heads), bool)
        if projective:
            self.allowed &= trees.is_projective
        self.best = self._best()
        self.median = None if self.best is None else self._median(np.random.default_rng(0))

    def _median(self, random: np.random.Generator) -> list[float]:
        """The parts of the tree with the median value of some random ones."""
        numbers = random.choice(np.flatnonzero(self.allowed & np.isfinite(self.values.value)), SAMPLE)
        return self.values.parts(int(numbers[np.argsort(self.values.value[numbers])[SAMPLE // 2]]))

    def _best(self) -> list[float] | None:
        """The parts of the best tree; None when every tree has a forbidden part."""
        numbers = np.flatnonzero(self.allowed & np.isfinite(self.values.value))
        if not len(numbers):
            return None
        value, error = self.values.value[numbers], self.values.error[numbers]
        best: list[float] | None = None
        for tree in numbers[value + error >= (value - error).max()].tolist():
            parts = self.values.parts(tree)
            if best is None or difference(parts, best) > 0:
                best = parts
        return best

    def parts_of(self, heads: Array) -> list[float] | None:
        """The parts of a tree that a decoder found; None when it is no tree under the constraints."""
        same = np.flatnonzero((self.values.trees.heads == heads).all(axis=1))
        return self.values.parts(int(same[0])) if len(same) and self.allowed[same[0]] else None


def difference(one: list[float], other: list[float]) -> float:
    """Return the difference of two sums, rounded once."""
    return math.fsum([*one, *(-x for x in other)])


def rounding(one: list[float], other: list[float]) -> float:
    """The uncertainty of a difference of values: half a unit in the last place of each score that is not in both.

    Scores are numbers that were rounded to doubles: 0.1 + 0.2 and 0.3 are equal as decimals, but not as doubles.
    """
    differing = (Counter(one) - Counter(other)) + (Counter(other) - Counter(one))
    return math.fsum(math.ulp(score) / 2 for score in differing.elements())


def loses_much(best: list[float], parts: list[float], median: list[float], tolerance: float) -> bool:
    """Whether a certified structure loses too much of the difference between the best one and a typical one."""
    return difference(best, parts) > LARGEST_LOSS * tolerance * difference(best, median)


def is_costly(best: list[float], parts: list[float], median: list[float], tolerance: float) -> bool:
    """Whether it loses too much, and more than the rounding of the scores."""
    return loses_much(best, parts, median, tolerance) and difference(best, parts) > rounding(best, parts)


def instance(random: np.random.Generator, n: int, kind: str, names: tuple[str, ...]) -> tuple[dict[str, Array], float]:
    """Scores, and their scale without masks and shifts."""
    nodes, scale = n + 1, 1.0
    shapes = {"arc": (nodes, nodes), "stop": (nodes, nodes, 2)}
    scores = {name: random.normal(size=shapes.get(name, (nodes,) * 3)) for name in names}
    if kind == "ties":
        scores = {name: random.integers(-2, 3, array.shape).astype(float) for name, array in scores.items()}
    if kind == "decimals":
        scores = {name: random.integers(-9, 10, array.shape) / 10 for name, array in scores.items()}
    if kind == "near ties":
        scores = {
            name: random.integers(-1, 2, array.shape) + 10.0 ** random.integers(-16, -5) * array
            for name, array in scores.items()
        }
    if kind.startswith("masks"):
        mask = float(random.choice([-1e3, -1e6, -1e9, -1e12, -1e16, -1e30, -3.4e38]))
        share = random.choice([0.1, 0.3, 0.6])
        masked = random.choice(list(scores))
        for name, array in scores.items():
            if name == masked or random.random() < 0.5:
                array[random.random(array.shape) < share] = mask
    if kind in MIXED:
        mix_scales(random, kind, scores)
        scale = math.inf  # no scale is that of all scores: `costly` decides
    if kind == "forbidden":
        share = random.choice([0.1, 0.3, 0.5])
        for array in scores.values():
            array[random.random(array.shape) < share] = -np.inf
    if "shift" in kind:
        size = 10.0 ** random.integers(2, 13)
        scores["arc"] = scores["arc"] + size * random.choice([-1, 0, 1], size=nodes)
    if "scale" in kind:
        factor = 10.0 ** random.integers(-40, 41) if random.random() < 0.7 else 2.0 ** random.integers(-200, 200)
        scale = min(factor, 1e250)
        scores = {name: array * scale for name, array in scores.items()}
    return scores, scale


def mix_scales(random: np.random.Generator, kind: str, scores: dict[str, Array]) -> None:
    """Multiply or mask scores, so that sizes of 1 to 1e16 stand in one instance."""
    largest = random.choice([2, 6, 9, 12, 16])

    def sizes(shape: tuple[int, ...], share: float) -> Array:
        """Powers of ten in a share of the places, 1 elsewhere."""
        return np.asarray(10.0 ** np.where(random.random(shape) < share, random.uniform(0, largest, shape), 0))

    share = random.choice([0.1, 0.3, 0.6, 1.0])
    if kind == "mixed forced masks":  # every tree has an arc of the root, and one into every word
        scores["arc"][0] -= 10.0**largest
        scores["arc"] -= sizes((len(scores["arc"]),), random.choice([0, share]))
    for array in scores.values():
        if kind == "mixed arrays":
            array *= sizes((1,), 0.5)
        elif kind == "mixed nodes":
            axis = random.integers(2)
            array *= sizes(tuple(size if i == axis else 1 for i, size in enumerate(array.shape)), share)
        elif kind == "mixed parts":
            array *= sizes(array.shape, share)
        else:
            array -= sizes(array.shape, share / 2) - 1


class Census:
    """Counts by row of the table; findings are printed as they occur."""

    def __init__(self) -> None:
        self.rows: dict[str, Counter[str]] = {}
        self.decodings = 0

    def count(self, row: str, column: str, note: str = "") -> None:
        self.rows.setdefault(row, Counter())[column] += 1
        if note:
            print(f"{column}: {row}: {note}", flush=True)

    def tried(self, row: str) -> None:
        self.decodings += 1
        self.count(row, "decodings")

    def judge(
        self,
        row: str,
        parse: Any,
        parts: list[float] | None,
        best: list[float] | None,
        scale: float,
        note: str,
        median: list[float] | None = None,
    ) -> None:
        """Compare a result with the truth; scale: of the scores without masks; median: of typical structures."""
        if parts is None or best is None:
            self.count(row, "bad value", note)
            return
        regret = difference(best, parts)
        if parse.certified:
            self.count(row, "certified")
            if regret > parse.tolerance * min(parse.spread, LARGEST_SPREAD * scale):
                self.count(row, "false", f"{note} regret {regret} gap {parse.gap} spread {parse.spread}")
            if median is not None and loses_much(best, parts, median, parse.tolerance):
                column = "costly" if is_costly(best, parts, median, parse.tolerance) else "rounded"
                self.count(row, column, f"{note} regret {regret} gap {parse.gap} spread {parse.spread}")
        if regret > parse.gap or difference(best, [parse.bound]) > 0:
            self.count(row, "bad gap", f"{note} regret {regret} gap {parse.gap} bound {parse.bound}")
        error = 1e-14 * math.fsum(map(abs, parts)) + getattr(parse, "rounding", 0.0)  # relaxations state their own
        if abs(difference(parts, [parse.score])) > error:
            self.count(row, "bad value", f"{note} score {parse.score}")

    def table(self) -> str:
        lines = [f"{'':26}" + "".join(f"{name:>11}" for name in COLUMNS)]
        total = sum(self.rows.values(), Counter())
        for row, counts in [*sorted(self.rows.items()), ("all", total)]:
            lines.append(f"{row:26}" + "".join(f"{counts[name]:>11}" for name in COLUMNS))
        return "\n".join(lines)


Judge = Callable[
    [Census, np.random.Generator, int, tuple[str, ...]], None
]  # of one instance: its seed, kinds of scores


def run(
    judge: Judge, decodings: int, seed: int = 0, seconds: float = math.inf, kinds: tuple[str, ...] = KINDS
) -> Census:
    """Judge instances until one of the limits is reached. Findings name the seed of the instance."""
    census, end = Census(), time.monotonic() + seconds
    while census.decodings < decodings and time.monotonic() < end:
        judge(census, np.random.default_rng(seed), seed, kinds)
        seed += 1
    return census


def main(doc: str | None, judge: Judge) -> None:
    """Run a benchmark with the docstring `doc` from the command line."""
    parser = common.arguments(doc)
    parser.add_argument("--decodings", type=int, default=1_000_000, help="how many results to check")
    parser.add_argument("--seed", type=int, default=0, help="of the first instance; each has the next number")
    parser.add_argument(
        "--kind", default="", help="only kinds of scores with this in their name, such as masks or mixed"
    )
    parser.add_argument("--seconds", type=float, default=math.inf, help="end after this time")
    options = parser.parse_args()
    start = time.monotonic()
    kinds = tuple(kind for kind in KINDS if options.kind in kind)
    if not kinds:
        parser.error(f"--kind {options.kind}: there are {', '.join(KINDS)}")
    census = run(judge, options.decodings, options.seed, options.seconds, kinds)
    print(census.table())
    machine = platform.processor() or platform.machine()
    print(f"{census.decodings} decodings in {time.monotonic() - start:.0f} s; {machine}")
