"""False certificates: decodings of up to seven words against the enumeration of all structures in exact arithmetic.

Scores have ties, rounding, masks of -1e9 to -3.4e38, shifts of all heads of a word and scales; parts are of first or
second order. Every method of `tree`, batches of `trees`, `graph` and `relax` decode each of them. A result is

    false      it is certified, but another structure is better by more than tolerance * spread
    bad gap    another structure is better by more than its gap, or has a higher value than its bound
    bad value  its score is not the value of the structure, or the structure breaks the constraints

Differences of values are computed by `math.fsum`, whose result is the exact sum rounded once, so that no difference has
a wrong sign. Values of all trees are first compared in extended precision; those that rounding leaves open are compared
exactly.

    python benchmarks/certificates.py                  a million decodings, in about 40 minutes
    python benchmarks/certificates.py --decodings 5000 --seed 3
"""

from __future__ import annotations

import argparse
import math
import platform
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any

import numpy as np

import treewright as tw
from treewright.errors import BudgetError, InfeasibleError, InputError

Array = np.ndarray[Any, Any]

PARTS = (("arc",), ("arc", "sib"), ("arc", "sib", "stop"), ("arc", "grand"), ("arc", "sib", "grand", "stop"))
KINDS = ("normal", "ties", "decimals", "near ties", "masks", "forbidden", "shift", "scale", "masks shift scale")
TOLERANCES = (None, None, 0.0, 1e-6)
# How many instances of each length: trees multiply by ten with each word.
LENGTHS = {1: 4, 2: 12, 3: 24, 4: 30, 5: 26, 6: 3.5, 7: 0.3}
SOLVERS = 0.03  # share of the instances that HiGHS and the climbers decode too: they take a hundred times longer
COLUMNS = ("decodings", "certified", "false", "bad gap", "bad value", "infeasible", "refused", "errors")


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
        heads = np.array(list(_all_heads(n)), dtype=np.int32)
        places = {name: np.array([_places(tree, name) for tree in heads.tolist()], np.int32) for name in _CELLS}
        projective = np.array([tw.trees.is_projective(tree) for tree in heads])
        return Trees(heads, (heads == 0).sum(axis=1) == 1, projective, places)


_CELLS = {"arc": 2, "sib": 3, "grand": 3, "stop": 3}  # the number of axes


def _all_heads(n: int) -> Iterator[list[int]]:
    for heads in product(range(n + 1), repeat=n):
        if all(_reaches_root(heads, m) for m in range(1, n + 1)):
            yield [-1, *heads]


def _reaches_root(heads: tuple[int, ...], m: int) -> bool:
    for _ in range(len(heads)):
        m = heads[m - 1]
        if m == 0:
            return True
    return False


def _places(heads: list[int], name: str) -> list[int]:
    """The flat places of the parts of one kind that a tree has, by the definition of the parts."""
    nodes = len(heads)
    absent = nodes**2 * (2 if name == "stop" else 1 if name == "arc" else nodes)
    if name == "arc":
        return [heads[m] * nodes + m for m in range(1, nodes)]
    if name == "grand":
        return [(heads[heads[m]] * nodes + heads[m]) * nodes + m if heads[m] else absent for m in range(1, nodes)]
    found = []
    for h in range(nodes):
        for side in (0, 1) if h else (1,):
            inner = h
            for m in range(h + 1, nodes) if side else range(h - 1, 0, -1):
                if heads[m] == h:
                    if name == "sib":
                        found.append((h * nodes + m) * nodes + inner)
                    inner = m
            if name == "stop":
                found.append((h * nodes + inner) * 2 + side)
    return found


@dataclass
class Tally:
    """The counts of one row of the table, and the first findings."""

    counts: Counter[str] = field(default_factory=Counter)


class Truth:
    """The best tree of an instance under one root rule, projective or not."""

    def __init__(self, scores: Mapping[str, Array], n: int, root: str, projective: bool) -> None:
        self.trees, self.n = Trees.of(n), n
        self.flat = {name: np.append(array.ravel(), 0.0) for name, array in scores.items()}
        self.allowed = self.trees.is_single.copy() if root == "single" else np.ones(len(self.trees.heads), bool)
        if projective:
            self.allowed &= self.trees.is_projective
        self.best = self._best()

    def parts(self, tree: int) -> list[float]:
        """The scores of the parts of a tree."""
        return [x for name, flat in self.flat.items() for x in flat[self.trees.places[name][tree]].tolist()]

    def _best(self) -> list[float] | None:
        """The parts of the best tree; None when every tree has a forbidden part."""
        numbers = np.flatnonzero(self.allowed)
        value = np.zeros(len(numbers), np.longdouble)
        size = np.zeros(len(numbers), np.longdouble)
        for name, flat in self.flat.items():
            terms = flat[self.trees.places[name][numbers]].astype(np.longdouble)
            value += terms.sum(axis=1)
            size += np.abs(terms).sum(axis=1)
        finite = np.isfinite(value)
        if not finite.any():
            return None
        numbers, value, size = numbers[finite], value[finite], size[finite]
        error = 64 * np.finfo(np.longdouble).eps * size
        best: list[float] | None = None
        for tree in numbers[value + error >= (value - error).max()].tolist():
            parts = self.parts(tree)
            if best is None or difference(parts, best) > 0:
                best = parts
        return best

    def parts_of(self, heads: Array) -> list[float] | None:
        """The parts of a tree that a decoder found; None when it is no tree under the constraints."""
        same = np.flatnonzero((self.trees.heads == heads).all(axis=1))
        return self.parts(int(same[0])) if len(same) and self.allowed[same[0]] else None


def difference(one: list[float], other: list[float]) -> float:
    """The sum of one less that of the other, rounded once."""
    return math.fsum([*one, *(-x for x in other)])


def instance(random: np.random.Generator, n: int, kind: str, names: tuple[str, ...]) -> dict[str, Array]:
    nodes = n + 1
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
    if kind == "forbidden":
        share = random.choice([0.1, 0.3, 0.5])
        for array in scores.values():
            array[random.random(array.shape) < share] = -np.inf
    if "shift" in kind:
        size = 10.0 ** random.integers(2, 13)
        scores["arc"] = scores["arc"] + size * random.choice([-1, 0, 1], size=nodes)
    if "scale" in kind:
        factor = 10.0 ** random.integers(-40, 41) if random.random() < 0.7 else 2.0 ** random.integers(-200, 200)
        scores = {name: array * min(factor, 1e250) for name, array in scores.items()}
    return scores


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

    def judge(self, row: str, parse: Any, parts: list[float] | None, best: list[float] | None, note: str) -> None:
        """Compare a result with the truth."""
        if parts is None or best is None:
            self.count(row, "bad value", note)
            return
        regret = difference(best, parts)
        if parse.certified:
            self.count(row, "certified")
            if regret > parse.tolerance * parse.spread:
                self.count(row, "false", f"{note} regret {regret} gap {parse.gap} spread {parse.spread}")
        if regret > parse.gap or difference(best, [parse.bound]) > 0:
            self.count(row, "bad gap", f"{note} regret {regret} gap {parse.gap} bound {parse.bound}")
        if abs(difference(parts, [parse.score])) > 1e-14 * math.fsum(map(abs, parts)):
            self.count(row, "bad value", f"{note} score {parse.score}")

    def table(self) -> str:
        lines = [f"{'':26}" + "".join(f"{name:>11}" for name in COLUMNS)]
        total = sum(self.rows.values(), Counter())
        for row, counts in [*sorted(self.rows.items()), ("all", total)]:
            lines.append(f"{row:26}" + "".join(f"{counts[name]:>11}" for name in COLUMNS))
        return "\n".join(lines)


def decode_trees(census: Census, random: np.random.Generator, seed: int) -> None:
    """One instance by every method."""
    lengths = np.array(list(LENGTHS.values()))
    n = int(random.choice(list(LENGTHS), p=lengths / lengths.sum()))
    kind, names = str(random.choice(KINDS)), PARTS[random.integers(len(PARTS))]
    scores = instance(random, n, kind, names)
    tolerance = TOLERANCES[random.integers(len(TOLERANCES))]
    options = {} if tolerance is None else {"tolerance": tolerance}
    methods = ["exact", "dd"] + ["ilp", "lp", "climb", "rearrange"] * (random.random() < SOLVERS)
    for root in ("single", "multi"):
        for projective in (False, True):
            truth = Truth(scores, n, root, projective)
            for method in methods:
                arguments = {"root": root, "projective": projective, "method": method, **options}
                row = f"{'tree' if len(names) == 1 else 'tree, second order'} {method}"
                note = f"seed {seed} n {n} {kind} {'+'.join(names)} {arguments}"
                judge_tree(census, row, truth, {**scores, **arguments}, note)
    judge_batch(census, scores, n, f"seed {seed} n {n} {kind} {'+'.join(names)}")


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
    return census.judge(row, parse, truth.parts_of(parse.heads), truth.best, note)


def judge_batch(census: Census, scores: dict[str, Array], n: int, note: str) -> None:
    truth = Truth(scores, n, "single", False)
    row = "trees"
    found = tw.decode.trees([dict(scores), dict(scores)], errors="return", threads=1)
    for parse in found:
        census.tried(row)
        if isinstance(parse, tw.decode.Parse):
            census.judge(row, parse, truth.parts_of(parse.heads), truth.best, note)
        else:
            census.count(row, "infeasible" if truth.best is None else "bad value", "" if truth.best is None else note)


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


def decode_graph(census: Census, random: np.random.Generator, seed: int) -> None:
    n, root = int(random.integers(1, 4)), str(random.choice(["single", "multi"]))
    kind, names = str(random.choice(KINDS)), PARTS[random.integers(len(PARTS))]
    scores = instance(random, n, kind, names)
    best: list[float] | None = None
    for arcs in graphs(n, root):
        parts = graph_parts(n, set(arcs), scores)
        if min(parts) > -np.inf and (best is None or difference(parts, best) > 0):
            best = parts
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
        census.judge(row, parse, graph_parts(n, found, scores) if is_graph else None, best, note)


@dataclass(frozen=True)
class _AsParse:
    """A relaxation with the attribute names of a parse."""

    found: tw.relax.Relaxation

    def __getattr__(self, name: str) -> Any:
        return getattr(self.found, "value" if name == "score" else name)


def decode_relaxation(census: Census, random: np.random.Generator, seed: int) -> None:
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
    for name, solve in (("relax", tw.relax.relax), ("tighten", tw.relax.tighten), ("branch", tw.relax.branch)):
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
            census.judge(row, _AsParse(found), parts_of.get(number), best, note)


def run(decodings: int, seed: int, seconds: float = math.inf) -> Census:
    """Decode until one of the limits is reached. Each instance has its own seed, which findings name."""
    census, end = Census(), time.monotonic() + seconds
    while census.decodings < decodings and time.monotonic() < end:
        random = np.random.default_rng(seed)
        others = {0: decode_graph, 1: decode_relaxation}
        others.get(int(random.integers(18)), decode_trees)(census, random, seed)
        seed += 1
    return census


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decodings", type=int, default=1_000_000, help="how many results to check")
    parser.add_argument("--seed", type=int, default=0, help="of the first instance; each has the next number")
    parser.add_argument("--seconds", type=float, default=math.inf, help="end after this time")
    options = parser.parse_args()
    start = time.monotonic()
    census = run(options.decodings, options.seed, options.seconds)
    print(census.table())
    machine = platform.processor() or platform.machine()
    print(f"{census.decodings} decodings in {time.monotonic() - start:.0f} s; {machine}")


if __name__ == "__main__":
    main()
