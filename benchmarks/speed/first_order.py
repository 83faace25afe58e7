"""Speed of Chu-Liu-Edmonds and Eisner's algorithm through `tw.decode.tree`, compared with other libraries.

The same run measures ufal.chu_liu_edmonds (C++; several root children allowed, scores as [modifier, head]),
networkx (Python) and the flow program through SciPy's MILP (HiGHS). "random" scores are standard normal; in
"near-tree" scores the arcs of a random tree are raised by 4, as from a trained model. Every sentence is decoded once;
CPU time per sentence, minimum of the repeats, which alternate between the libraries, with argument checks and
conversions. "batch" is one call of `tw.decode.trees` with one thread for all sentences of a row, whose trees are all
read: each becomes a Parse only then. ufal.chu_liu_edmonds has no batches and is called once a sentence.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

import treewright as tw

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

UFAL = common.peer("ufal.chu_liu_edmonds")

SIZES = (5, 7, 10, 20, 40, 80, 160, 320)
LONG = 1000
SLOWEST = {"networkx": 80, "milp": 20}  # words


def random_tree(rng: np.random.Generator, n: int) -> np.ndarray:
    """The head of each word precedes it in a random order; that of the first is the root."""
    heads, order = np.zeros(n + 1, dtype=int), 1 + rng.permutation(n)
    for place in range(1, n):
        heads[order[place]] = order[rng.integers(place)]
    return heads


def sentences(kind: str, n: int, count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(n)
    scores = [rng.normal(size=(n + 1, n + 1)) for _ in range(count)]
    if kind == "near-tree":
        for arc in scores:
            arc[random_tree(rng, n)[1:], np.arange(1, n + 1)] += 4
    return scores


def by_networkx(arc: np.ndarray) -> Any:
    graph = nx.DiGraph()
    nodes = range(len(arc))
    graph.add_weighted_edges_from((h, m, arc[h, m]) for h in nodes for m in nodes[1:] if h != m)
    return nx.maximum_spanning_arborescence(graph)


def loop_over(call: str) -> Callable[[Sequence[Any]], None]:
    """A function that evaluates the call for each `scores` of a batch, as a program would write it."""
    names = {"tree": tw.decode.tree, "trees": tw.decode.trees, "ufal": UFAL.chu_liu_edmonds, "by_networkx": by_networkx}
    exec(f"def run(batch):\n    for scores in batch:\n        {call}", names)
    run: Callable[[Sequence[Any]], None] = names["run"]
    return run


def microseconds(calls: Mapping[str, Sequence[Any]], repeats: int = 15) -> list[float]:
    """Of each call over its own batch; the repeats of all alternate, so that a busy moment hits all of them."""
    loops = [(loop_over(call), batch) for call, batch in calls.items()]
    best = [float("inf")] * len(loops)
    for _ in range(repeats):
        for place, (run, batch) in enumerate(loops):
            start = time.thread_time()
            run(batch)
            best[place] = min(best[place], time.thread_time() - start)
    return [1e6 * seconds / len(batch) for seconds, (_, batch) in zip(best, loops, strict=True)]


def row(kind: str, n: int) -> str:
    count = max(2, 4000 // n)
    batch = sentences(kind, n, count)
    transposed = [np.ascontiguousarray(arc.T) for arc in batch]
    for arc, turned in zip(batch[:20], transposed, strict=False):
        assert abs(tw.decode.tree(arc, root="multi").score - UFAL.chu_liu_edmonds(turned)[1]) < 1e-6
    multi, single, together, eisner, peer = microseconds(
        {
            "tree(scores, root='multi')": batch,
            "tree(scores)": batch,
            "for parse in trees(scores, root='multi', threads=1): parse.heads": [batch],
            "tree(scores, projective=True)": batch,
            "ufal(scores)": transposed,
        }
    )
    many = together / count
    slow = {"networkx": "by_networkx(scores)", "milp": "tree(scores, root='multi', method='ilp')"}
    ratios = [
        f"{microseconds({call: batch[:3]}, repeats=2)[0] / multi:8.0f}x" if n <= SLOWEST[name] else "        -"
        for name, call in slow.items()
    ]
    times = f"{multi:9.2f} {single:9.2f} {many:9.2f} {eisner:9.2f} {peer:9.2f}"
    peers = f"{peer / multi:8.2f}x {peer / single:8.2f}x {peer / many:8.2f}x {multi / many:8.2f}x"
    return f"{kind:10} {n:5} {times} {peers} {' '.join(ratios)}"


def long_row(kind: str) -> str:
    batch = sentences(kind, LONG, 2)
    transposed = [np.ascontiguousarray(arc.T) for arc in batch]
    calls = {"tree(scores, root='multi')": batch, "tree(scores)": batch, "ufal(scores)": transposed}
    multi, single, peer = microseconds(calls, repeats=3)
    [eisner] = microseconds({"tree(scores, projective=True)": batch[:1]}, repeats=1)
    times = f"{multi:9.0f} {single:9.0f} {'-':>9} {eisner:9.0f} {peer:9.0f}"
    return (
        f"{kind:10} {LONG:5} {times} {peer / multi:8.2f}x {peer / single:8.2f}x         -         -         -         -"
    )


def table() -> None:
    """The best tree of a score matrix: microseconds a sentence, and how many times longer its peers take."""
    over = ("multi", "single", "batch,", "Eisner", "ufal", "ufal/", "ufal/", "ufal/", "multi/", "networkx/", "MILP/")
    under = ("root", "root", "multi", "single", "")
    print(f"{'':16}", *(f"{name:>9}" for name in over))
    print(
        f"{'scores':10} {'words':>5}",
        *(f"{name:>9}" for name in (*under, "multi", "single", "batch", "batch", "multi", "multi")),
    )
    for kind in ("random", "near-tree"):
        for n in SIZES:
            print(row(kind, n), flush=True)
        print(long_row(kind), flush=True)


if __name__ == "__main__":
    common.parse(common.arguments(__doc__))
    print("microseconds a sentence")
    table()
