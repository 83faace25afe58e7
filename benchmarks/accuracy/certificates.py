"""False certificates: decodings of up to seven words against the enumeration of all structures in exact arithmetic.

Scores have ties, rounding, masks of -1e9 to -3.4e38, shifts of all heads of a word and scales; parts are of first or
second order. Every method of `tree`, batches of `trees`, `graph` and `relax` decode each of them. The columns of the
table are defined in benchmarks/enumeration.py.

    python benchmarks/accuracy/certificates.py                  a million decodings, in about 10 minutes
    python benchmarks/accuracy/certificates.py --decodings 5000 --seed 3
    python benchmarks/accuracy/certificates.py --decodings 100000 --kind mixed
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from treewright.errors import BudgetError, InfeasibleError, InputError

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1]))
import enumeration
from enumeration import PARTS, SAMPLE, Array, Census, Truth, Values, difference, instance
from oracles.graphs import all_graphs

TOLERANCES = (None, None, 0.0, 1e-6)
# How many instances of each length: trees multiply by ten with each word.
LENGTHS = {1: 4, 2: 12, 3: 26, 4: 34, 5: 23, 6: 0.95, 7: 0.05}
SOLVERS = 0.01  # share of the instances that HiGHS and the climbers decode too: they take a hundred times longer
MAX_NODES = 30  # of relaxations: beside masks a thousand would take half a minute
OTHERS = 60  # of so many instances one is a graph and one a relaxation, for the same reason


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
    except Exception as error:
        if arguments["method"] != "exact" and is_refusal(error):
            return census.count(row, "refused")
        return census.count(row, "errors", f"{note} {error!r}")
    parts = truth.parts_of(parse.heads)
    return census.judge(row, parse, parts, truth.best, truth.values.scale, note, truth.median)


def is_refusal(error: Exception) -> bool:
    """Whether a search that is not exact found no structure without a part of -inf, and says so."""
    return isinstance(error, BudgetError) or (isinstance(error, InputError) and "the score -inf" in str(error))


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


def best_and_median(
    random: np.random.Generator, feasible: list[list[float]]
) -> tuple[list[float] | None, list[float] | None]:
    """The parts of the best of all structures, and of the median of random ones."""
    best: list[float] | None = None
    for parts in feasible:
        best = parts if best is None or difference(parts, best) > 0 else best
    sample = [feasible[number] for number in random.integers(len(feasible), size=SAMPLE)] if feasible else []
    return best, sorted(sample, key=math.fsum)[SAMPLE // 2] if sample else None


def decode_graph(census: Census, random: np.random.Generator, seed: int, kinds: tuple[str, ...]) -> None:
    n, root = int(random.integers(1, 4)), str(random.choice(["single", "multi"]))
    kind, names = str(random.choice(kinds)), PARTS[random.integers(len(PARTS))]
    scores, scale = instance(random, n, kind, names)
    all_parts = (graph_parts(n, set(arcs), scores) for arcs in all_graphs(n, root=root))
    best, median = best_and_median(random, [parts for parts in all_parts if min(parts) > -np.inf])
    for method in ("exact", "rearrange"):
        row, note = f"graph {method}", f"seed {seed} n {n} {kind} {'+'.join(names)} {root}"
        census.tried(row)
        try:
            arguments: dict[str, Any] = {**scores, "root": root, "method": method}
            parse = tw.decode.graph(**arguments)
        except InfeasibleError:
            census.count(row, "infeasible" if best is None else "bad value", "" if best is None else note)
            continue
        except Exception as error:
            refused = method == "rearrange" and is_refusal(error)
            census.count(row, *(("refused",) if refused else ("errors", f"{note} {error!r}")))
            continue
        found = {(int(h), int(m)) for h, m in parse.arcs}
        is_graph = tuple(pair for pair in sorted(found, key=lambda a: (a[1], a[0]))) in all_graphs(n, root=root)
        census.judge(row, parse, graph_parts(n, found, scores) if is_graph else None, best, scale, note, median)


@dataclass(frozen=True)
class _AsParse:
    """A relaxation with the attribute names of a parse."""

    found: tw.relax.Relaxation

    def __getattr__(self, name: str) -> Any:
        return getattr(self.found, "value" if name == "score" else name)


def decode_relaxation(census: Census, random: np.random.Generator, seed: int, kinds: tuple[str, ...]) -> None:
    """Two or three oracles over four variables, each a table of allowed assignments with scores."""
    kind = str(random.choice(["normal", "ties", "decimals", "scale", "shift", "masks"]))
    assignments = np.array(list(product((0, 1), repeat=4)))
    factor = 10.0 ** random.integers(-40, 41) if kind == "scale" else 1.0
    shift = 10.0 ** random.integers(2, 13) if kind == "shift" else 0.0
    tables = []
    for _ in range(int(random.integers(2, 4))):
        rows = random.permutation(16)[: random.integers(3, 13)]
        scores = random.normal(size=len(rows))
        scores = random.integers(-3, 4, len(rows)).astype(float) if kind == "ties" else scores
        scores = random.integers(-9, 10, len(rows)) / 10 if kind == "decimals" else scores
        scores[random.random(len(rows)) < 0.3 * (kind == "masks")] = -(10.0 ** random.integers(3, 17))
        tables.append((rows, scores * factor + shift))
    common = set.intersection(*(set(rows.tolist()) for rows, _ in tables))
    parts_of = {row: [float(scores[rows.tolist().index(row)]) for rows, scores in tables] for row in sorted(common)}
    best, median = best_and_median(random, list(parts_of.values()))
    oracles = [tw.relax.Table([0, 1, 2, 3], assignments[rows], scores) for rows, scores in tables]
    for name, solve in (("relax", tw.relax.relax), ("branch", partial(tw.relax.branch, max_nodes=MAX_NODES))):
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
            census.judge(row, _AsParse(found), parts_of.get(number), best, factor, note, median)


def decode_instance(census: Census, random: np.random.Generator, seed: int, kinds: tuple[str, ...]) -> None:
    """Decode one instance; the seed decides which kind of structure it has."""
    others = {0: decode_graph, 1: decode_relaxation}
    others.get(int(random.integers(OTHERS)), decode_trees)(census, random, seed, kinds)


if __name__ == "__main__":
    enumeration.main(__doc__, decode_instance)
