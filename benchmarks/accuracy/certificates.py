"""False certificates: decodings of up to seven words against the enumeration of all structures in exact arithmetic.

Scores have ties, rounding, masks of -1e9 to -3.4e38, shifts of all heads of a word and scales; parts are of first or
second order. Every method of `tree`, batches of `trees`, `graph` and `relax` decode each of them. A result is

    false      it is certified, but another structure is better by more than tolerance * spread, or than the tolerance
               times the largest spread that scores without masks can have
    costly     it is certified, but loses more than 1000 * tolerance of the difference between the best structure
               and the median of 100 random ones: what the definition of the spread must not allow
    bad gap    another structure is better by more than its gap, or has a higher value than its bound
    bad value  its score is not the value of the structure, or the structure breaks the constraints

With --forged, proofs are forged instead: numbers of true proofs and claims are replaced, heads by those of other trees.
`verify` must refuse every claim that is false in this sense; true ones may be accepted.

Differences of values are computed by `math.fsum`, whose result is the exact sum rounded once, so that no difference has
a wrong sign. Values of all trees are first compared in extended precision; those that rounding leaves open are compared
exactly.

    python benchmarks/accuracy/certificates.py                  a million decodings, in about 35 minutes
    python benchmarks/accuracy/certificates.py --decodings 5000 --seed 3
    python benchmarks/accuracy/certificates.py --decodings 100000 --kind mixed
    python benchmarks/accuracy/certificates.py --decodings 100000 --forged
"""

from __future__ import annotations

import copy
import math
import platform
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from treewright.errors import BudgetError, InfeasibleError, InputError

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

Array = np.ndarray[Any, Any]

PARTS = (("arc",), ("arc", "sib"), ("arc", "sib", "stop"), ("arc", "grand"), ("arc", "sib", "grand", "stop"))
# Sizes of 1 to 1e16 within one instance: scales of arrays, nodes or parts, masks, and masks that every tree has.
MIXED = ("mixed arrays", "mixed nodes", "mixed parts", "mixed masks", "mixed forced masks")
KINDS = ("normal", "ties", "decimals", "near ties", "masks", "forbidden", "shift", "scale", "masks shift scale", *MIXED)
TOLERANCES = (None, None, 0.0, 1e-6)
# How many instances of each length: trees multiply by ten with each word.
LENGTHS = {1: 4, 2: 12, 3: 26, 4: 34, 5: 23, 6: 0.95, 7: 0.05}
SOLVERS = 0.01  # share of the instances that HiGHS and the climbers decode too: they take a hundred times longer
OTHERS = 60  # of so many instances one is a graph and one a relaxation, for the same reason
# Losses of up to 2^20 times the scores are no penalties (core/trees/losses.hpp), in up to 50 parts.
LARGEST_SPREAD = 50 * 2.0**20
SAMPLE = 100  # random structures, whose median is the scale of what a certified one may lose
LARGEST_LOSS = 1000  # times the tolerance and the distance of the best structure from that median
COLUMNS = ("decodings", "certified", "false", "costly", "bad gap", "bad value", "infeasible", "refused", "errors")


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
    """The sum of one less that of the other, rounded once."""
    return math.fsum([*one, *(-x for x in other)])


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
        """Compare a result with the truth; scale is that of the scores without masks, median a typical structure."""
        if parts is None or best is None:
            self.count(row, "bad value", note)
            return
        regret = difference(best, parts)
        if parse.certified:
            self.count(row, "certified")
            if regret > parse.tolerance * min(parse.spread, LARGEST_SPREAD * scale):
                self.count(row, "false", f"{note} regret {regret} gap {parse.gap} spread {parse.spread}")
            if median is not None and regret > LARGEST_LOSS * parse.tolerance * difference(best, median):
                self.count(row, "costly", f"{note} regret {regret} gap {parse.gap} spread {parse.spread}")
        if regret > parse.gap or difference(best, [parse.bound]) > 0:
            self.count(row, "bad gap", f"{note} regret {regret} gap {parse.gap} bound {parse.bound}")
        rounding = 1e-14 * math.fsum(map(abs, parts)) + getattr(parse, "rounding", 0.0)  # relaxations state their own
        if abs(difference(parts, [parse.score])) > rounding:
            self.count(row, "bad value", f"{note} score {parse.score}")

    def table(self) -> str:
        lines = [f"{'':26}" + "".join(f"{name:>11}" for name in COLUMNS)]
        total = sum(self.rows.values(), Counter())
        for row, counts in [*sorted(self.rows.items()), ("all", total)]:
            lines.append(f"{row:26}" + "".join(f"{counts[name]:>11}" for name in COLUMNS))
        return "\n".join(lines)


def decode_trees(census: Census, random: np.random.Generator, seed: int, kinds: tuple[str, ...]) -> None:
    """One instance by every method."""
    lengths = np.array(list(LENGTHS.values()))
    n = int(random.choice(list(LENGTHS), p=lengths / lengths.sum()))
    kind, names = str(random.choice(kinds)), PARTS[random.integers(len(PARTS))]
    scores, scale = instance(random, n, kind, names)
    tolerance = TOLERANCES[random.integers(len(TOLERANCES))]
    options = {} if tolerance is None else {"tolerance": tolerance}
    methods = ["exact", "dd"] + ["ilp", "lp", "climb", "rearrange"] * (random.random() < SOLVERS)
    values = Values(scores, n, scale)
    for root in ("single", "multi"):
        for projective in (False, True):
            truth = Truth(values, root, projective)
            for method in methods:
                arguments = {"root": root, "projective": projective, "method": method, **options}
                row = f"{'tree' if len(names) == 1 else 'tree, second order'} {method}"
                note = f"seed {seed} n {n} {kind} {'+'.join(names)} {arguments}"
                judge_tree(census, row, truth, {**scores, **arguments}, note)
    judge_batch(census, scores, Truth(values, "single", False), f"seed {seed} n {n} {kind} {'+'.join(names)}")


def judge_tree(census: Census, row: str, truth: Truth, arguments: dict[str, Any], note: str) -> None:
    census.tried(row)
    try:
        parse = tw.decode.tree(**arguments)
    except InfeasibleError:
        return census.count(row, "infeasible") if truth.best is None else census.count(row, "bad value", note)
    except (BudgetError, InputError):  # a method that found no finite tree and says so
        return census.count(row, "refused")
    except Exception as error:
        return census.count(row, "errors", f"{note} {error!r}")
    parts = truth.parts_of(parse.heads)
    return census.judge(row, parse, parts, truth.best, truth.values.scale, note, truth.median)


def judge_batch(census: Census, scores: dict[str, Array], truth: Truth, note: str) -> None:
    row = "trees"
    found = tw.decode.trees([dict(scores), dict(scores)], errors="return", threads=1)
    for parse in found:
        census.tried(row)
        if isinstance(parse, tw.decode.Parse):
            parts = truth.parts_of(parse.heads)
            census.judge(row, parse, parts, truth.best, truth.values.scale, note, truth.median)
        else:
            census.count(row, "infeasible" if truth.best is None else "bad value", "" if truth.best is None else note)


# What an attacker who wants a worse tree to be certified would write.
LIES: tuple[dict[str, float], ...] = (
    {"gap": 0.0},
    {"gap": 0.0, "spread": 1e12},
    {"gap": 1e3, "spread": 1e12},
    {"gap": 0.0, "tolerance": 1e6},
    {"gap": 0.0, "tolerance": -1.0, "spread": -1000.0},
    {"gap": 0.0, "tolerance": 0.999},
)
CLAIMS = ("score", "bound", "gap", "spread", "tolerance")
FORGERIES = 40  # of one instance


def judge_forgeries(census: Census, random: np.random.Generator, seed: int, kinds: tuple[str, ...]) -> None:
    """Forge the proof of one instance in many ways."""
    n, kind, names = int(random.integers(2, 6)), str(random.choice(kinds)), PARTS[random.integers(len(PARTS))]
    scores, scale = instance(random, n, kind, names)
    root, projective = str(random.choice(["single", "multi"])), bool(random.random() < 0.5)
    arguments: dict[str, Any] = {**scores, "root": root, "projective": projective}
    truth = Truth(Values(scores, n, scale), root, projective)
    try:
        parse = tw.decode.tree(**arguments, proof=True)
    except InputError:
        return
    row = f"forged, {parse.proof.kind}" if parse.proof else ""
    for record in forged_records(parse, truth, random):
        census.tried(row)
        note = f"seed {seed} n {n} {kind} {'+'.join(names)} {root} {projective} {record}"
        try:
            numbers = [float(record[name]) for name in CLAIMS]
            score, bound, gap, spread, tolerance = numbers
            claim = tw.decode.Parse(np.array(record["heads"]), score, bound, "forged", gap, spread, tolerance)
            claim = replace(claim, proof=tw.decode.Proof.from_dict(record["proof"]))
            tw.decode.verify(parse=claim, **arguments)
        except InputError:
            census.count(row, "refused")
        except Exception as error:
            census.count(row, "errors", f"{note} {error!r}")
        else:
            parts = truth.parts_of(claim.heads)
            census.judge(row, claim, parts, truth.best, scale, note, truth.median)


def forged_records(parse: tw.decode.Parse, truth: Truth, random: np.random.Generator) -> Iterator[dict[str, Any]]:
    """The claim and the proof with one number replaced, or another tree and a lie; then each number in turn."""
    assert parse.proof is not None
    record = {name: getattr(parse, name) for name in CLAIMS}
    record |= {"heads": parse.heads.tolist(), "proof": parse.proof.to_dict()}
    trees = np.flatnonzero(truth.allowed & np.isfinite(truth.values.value))
    for _ in range(FORGERIES):
        forged = copy.deepcopy(record)
        if random.random() < 0.5:
            tree = int(random.choice(trees))
            value = math.fsum(truth.values.parts(tree))
            forged |= {"heads": truth.values.trees.heads[tree].tolist(), "score": value, "bound": parse.bound}
            forged |= LIES[random.integers(len(LIES))]
            if random.random() < 0.5:
                forged["bound"] = math.nextafter(value + forged["gap"], math.inf)
        if random.random() < 0.7:
            replace_number(forged, random)
        yield forged
    for number in range(len(list(number_places(record)))):
        forged = copy.deepcopy(record)
        replace_number(forged, random, number)
        yield forged


def replace_number(record: dict[str, Any], random: np.random.Generator, number: int | None = None) -> None:
    """Replace a number in nested lists and dictionaries: the one at this place, or any."""
    places = list(number_places(record))
    container, key = places[random.integers(len(places)) if number is None else number]
    old = container[key]
    if isinstance(old, bool):
        container[key] = not old
    elif isinstance(old, int):
        container[key] = old + int(random.choice([-2, -1, 1, 2]))
    else:
        container[key] = float(
            random.choice([-old, old / 2, 2 * old, old + 1, old - 1, 0, 1e300, -1e300, np.inf, np.nan])
        )


def number_places(data: Any) -> Iterator[tuple[Any, Any]]:
    """The container and the key of every number and truth value."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        if isinstance(value, int | float):
            yield data, key
        else:
            yield from number_places(value)


@cache
def graphs(n: int, root: str) -> tuple[tuple[tuple[int, int], ...], ...]:
    """All acyclic graphs in which every word has a head."""
    pairs = [(h, m) for m in range(1, n + 1) for h in range(n + 1) if h != m]
    found = []
    for bits in product((False, True), repeat=len(pairs)):
        arcs = tuple(pair for pair, on in zip(pairs, bits, strict=True) if on)
        one_root = sum(h == 0 for h, _ in arcs) == 1
        if len({m for _, m in arcs}) == n and (one_root or root == "multi") and _is_acyclic(n, arcs):
            found.append(arcs)
    return tuple(found)


def _is_acyclic(n: int, arcs: tuple[tuple[int, int], ...]) -> bool:
    left = set(range(n + 1))
    while left:
        free = {node for node in left if not any(m == node and h in left for h, m in arcs)}
        if not free:
            return False
        left -= free
    return True


def graph_parts(n: int, arcs: set[tuple[int, int]], scores: Mapping[str, Array]) -> list[float]:
    parts = [float(scores["arc"][h, m]) for h, m in arcs]
    if "grand" in scores:
        parts += [float(scores["grand"][g, h, m]) for g, h in arcs for other, m in arcs if other == h]
    for h in range(n + 1):
        for side in (0, 1) if h else (1,):
            inner = h
            for m in range(h + 1, n + 1) if side else range(h - 1, 0, -1):
                if (h, m) in arcs:
                    if "sib" in scores:
                        parts.append(float(scores["sib"][h, m, inner]))
                    inner = m
            if "stop" in scores:
                parts.append(float(scores["stop"][h, inner, side]))
    return parts


def decode_graph(census: Census, random: np.random.Generator, seed: int, kinds: tuple[str, ...]) -> None:
    n, root = int(random.integers(1, 4)), str(random.choice(["single", "multi"]))
    kind, names = str(random.choice(kinds)), PARTS[random.integers(len(PARTS))]
    scores, scale = instance(random, n, kind, names)
    best: list[float] | None = None
    feasible = []
    for arcs in graphs(n, root):
        parts = graph_parts(n, set(arcs), scores)
        if min(parts) > -np.inf:
            feasible.append(parts)
            best = parts if best is None or difference(parts, best) > 0 else best
    sample = [feasible[number] for number in random.integers(len(feasible), size=SAMPLE)] if feasible else []
    median = sorted(sample, key=math.fsum)[SAMPLE // 2] if sample else None
    for method in ("exact", "rearrange"):
        row, note = f"graph {method}", f"seed {seed} n {n} {kind} {'+'.join(names)} {root}"
        census.tried(row)
        try:
            arguments: dict[str, Any] = {**scores, "root": root, "method": method}
            parse = tw.decode.graph(**arguments)
        except InfeasibleError:
            census.count(row, "infeasible" if best is None else "bad value", "" if best is None else note)
            continue
        except InputError:
            census.count(row, "refused")
            continue
        except Exception as error:
            census.count(row, "errors", f"{note} {error!r}")
            continue
        found = {(int(h), int(m)) for h, m in parse.arcs}
        is_graph = tuple(pair for pair in sorted(found, key=lambda a: (a[1], a[0]))) in graphs(n, root)
        census.judge(row, parse, graph_parts(n, found, scores) if is_graph else None, best, scale, note, median)


@dataclass(frozen=True)
class _AsParse:
    """A relaxation with the attribute names of a parse."""

    found: tw.relax.Relaxation

    def __getattr__(self, name: str) -> Any:
        return getattr(self.found, "value" if name == "score" else name)


def decode_relaxation(census: Census, random: np.random.Generator, seed: int, kinds: tuple[str, ...]) -> None:
    """Two or three oracles over four variables, each a table of allowed assignments with scores."""
    kind = str(random.choice(["normal", "ties", "decimals", "scale", "shift"]))
    assignments = np.array(list(product((0, 1), repeat=4)))
    factor = 10.0 ** random.integers(-40, 41) if kind == "scale" else 1.0
    shift = 10.0 ** random.integers(2, 13) if kind == "shift" else 0.0
    tables = []
    for _ in range(int(random.integers(2, 4))):
        rows = random.permutation(16)[: random.integers(3, 13)]
        scores = random.normal(size=len(rows))
        scores = random.integers(-3, 4, len(rows)).astype(float) if kind == "ties" else scores
        scores = random.integers(-9, 10, len(rows)) / 10 if kind == "decimals" else scores
        tables.append((rows, scores * factor + shift))
    common = set.intersection(*(set(rows.tolist()) for rows, _ in tables))
    parts_of = {row: [float(scores[rows.tolist().index(row)]) for rows, scores in tables] for row in sorted(common)}
    best: list[float] | None = None
    for parts in parts_of.values():
        best = parts if best is None or difference(parts, best) > 0 else best
    oracles = [tw.relax.Table([0, 1, 2, 3], assignments[rows], scores) for rows, scores in tables]
    for name, solve in (("relax", tw.relax.relax), ("branch", tw.relax.branch)):
        row, note = f"relax {name}", f"seed {seed} {kind}"
        census.tried(row)
        try:
            found = solve(oracles)
        except Exception as error:
            census.count(row, "errors", f"{note} {error!r}")
            continue
        if found.certificate == "infeasible":
            census.count(row, "infeasible" if best is None else "bad value", "" if best is None else note)
        elif found.value == -math.inf:
            census.count(row, "refused")
        else:
            number = int(np.flatnonzero((assignments == found.answer).all(axis=1))[0])
            census.judge(row, _AsParse(found), parts_of.get(number), best, factor, note)


def run(
    decodings: int, seed: int, seconds: float = math.inf, forged: bool = False, kinds: tuple[str, ...] = KINDS
) -> Census:
    """Decode, or forge proofs, until one of the limits is reached. Findings name the seed of the instance."""
    census, end = Census(), time.monotonic() + seconds
    while census.decodings < decodings and time.monotonic() < end:
        random = np.random.default_rng(seed)
        others = {0: decode_graph, 1: decode_relaxation}
        judge = judge_forgeries if forged else others.get(int(random.integers(OTHERS)), decode_trees)
        judge(census, random, seed, kinds)
        seed += 1
    return census


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--decodings", type=int, default=1_000_000, help="how many results to check")
    parser.add_argument("--seed", type=int, default=0, help="of the first instance; each has the next number")
    parser.add_argument("--forged", action="store_true", help="forge proofs, and check that `verify` refuses them")
    parser.add_argument(
        "--kind", default="", help="only kinds of scores with this in their name, such as masks or mixed"
    )
    parser.add_argument("--seconds", type=float, default=math.inf, help="end after this time")
    options = parser.parse_args()
    start = time.monotonic()
    kinds = tuple(kind for kind in KINDS if options.kind in kind)
    if not kinds:
        parser.error(f"--kind {options.kind}: there are {', '.join(KINDS)}")
    census = run(options.decodings, options.seed, options.seconds, options.forged, kinds)
    print(census.table())
    machine = platform.processor() or platform.machine()
    print(f"{census.decodings} decodings in {time.monotonic() - start:.0f} s; {machine}")


if __name__ == "__main__":
    main()
