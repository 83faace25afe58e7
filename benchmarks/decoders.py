"""What do the decoders cost, and how near do they come to the best structure?

One table a question, each a function in TABLES; `python benchmarks/decoders.py NAME ...` prints only those. Scores are
generated: "random" ones are normal, which is hard; "near-tree" ones have a random tree raised by 4, as from a trained
model. Times are CPU milliseconds a sentence, all methods in the same run on the same sentences.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

import treewright as tw


@dataclass(frozen=True)
class Sentence:
    arc: np.ndarray
    sib: np.ndarray
    grand: np.ndarray | None


def sentences(kind: str, words: int, count: int, *, grand: bool) -> list[Sentence]:
    random = np.random.default_rng(words)
    nodes = words + 1
    drawn = []
    for _ in range(count):
        arc, sib = random.normal(size=(nodes, nodes)), random.normal(size=(nodes, nodes, nodes))
        if kind == "near-tree":
            heads, order = np.zeros(nodes, dtype=int), 1 + random.permutation(words)
            for place in range(1, words):
                heads[order[place]] = order[random.integers(place)]
            arc[heads[1:], np.arange(1, nodes)] += 4
        drawn.append(Sentence(arc, sib, random.normal(size=(nodes, nodes, nodes)) if grand else None))
    return drawn


def timed(decode: Callable[[Sentence], Any], batch: list[Sentence]) -> tuple[list[Any], float]:
    """The answers, and CPU milliseconds a sentence."""
    start = time.process_time()
    answers = [decode(sentence) for sentence in batch]
    return answers, 1000 * (time.process_time() - start) / len(batch)


SECOND_ORDER: dict[str, dict[str, Any]] = {
    "exact": {"max_seconds": 20.0},
    "dd": {"method": "dd"},
    "climb": {"method": "climb"},
    "climb, one": {"method": "climb", "start": "map"},
    "rearrange": {"method": "rearrange"},
    "lp": {"method": "lp"},
    "ilp": {"method": "ilp", "max_seconds": 20.0},
}
LARGEST_PROGRAM = {"lp": 20, "ilp": 10}  # words


def second_order() -> None:
    """Second-order non-projective decoding: how often a method has the best value of all, and what it takes."""
    print(f"{'scores':10} {'parts':9} {'words':>5}  {'method':11} {'ms':>9} {'best':>6} {'certified':>9}")
    for kind in ("near-tree", "random"):
        for grand in (False, True):
            for words, count in ((10, 10), (20, 6), (40, 4)):
                batch = sentences(kind, words, count, grand=grand)
                rows = {}
                for name, options in SECOND_ORDER.items():
                    if words > LARGEST_PROGRAM.get(name, words) or (name == "ilp" and grand and kind == "random"):
                        continue
                    rows[name] = timed(lambda s, o=options: tw.decode.tree(s.arc, sib=s.sib, grand=s.grand, **o), batch)
                best = np.max([[parse.score for parse in parses] for parses, _ in rows.values()], axis=0)
                for name, (parses, milliseconds) in rows.items():
                    reached = np.mean([parse.score > top - 1e-6 for parse, top in zip(parses, best, strict=True)])
                    certified = np.mean([parse.certified for parse in parses])
                    parts = "sib+grand" if grand else "sib"
                    print(
                        f"{kind:10} {parts:9} {words:5}  {name:11} {milliseconds:9.2f} {reached:6.0%} {certified:9.0%}",
                        flush=True,
                    )


def graphs() -> None:
    """Graphs with several heads a word: the published algorithm beside the integer program."""
    print(f"{'parts':9} {'words':>5} {'ms':>8} {'ms exact':>9} {'best':>6} {'value/exact':>11} {'heads a word':>12}")
    for grand in (False, True):
        for words in (6, 8):
            batch = sentences("near-tree", words, 6, grand=grand)
            rearranged, milliseconds = timed(lambda s: tw.decode.graph(s.arc - 2, sib=s.sib, grand=s.grand), batch)
            exact, slow = timed(
                lambda s: tw.decode.graph(s.arc - 2, sib=s.sib, grand=s.grand, method="exact", max_seconds=20), batch
            )
            pairs = list(zip(rearranged, exact, strict=True))
            reached = np.mean([a.score > b.score - 1e-6 for a, b in pairs])
            share = sum(a.score for a, _ in pairs) / sum(b.score for _, b in pairs)
            density = np.mean([len(found.arcs) / words for found in rearranged])
            parts = "sib+grand" if grand else "sib"
            print(
                f"{parts:9} {words:5} {milliseconds:8.2f} {slow:9.1f} {reached:6.0%} {share:11.3f} {density:12.2f}",
                flush=True,
            )


def local_optima() -> None:
    """Local optima of first-order scores, and how often 300 restarts from any tree find the best one."""
    print(
        f"{'scores':10} {'words':>5} {'optima at 50 %':>15} {'70 %':>7} {'90 %':>7} {'climb finds best':>17} {'ms':>7}"
    )
    for kind in ("near-tree", "random"):
        for words in (10, 20, 40):
            batch = sentences(kind, words, 20, grand=False)
            counts = sorted(tw.decode.count_optima(sentence.arc) for sentence in batch)
            places = [counts[int(share * len(counts))] for share in (0.5, 0.7, 0.9)]
            shown = [">10000" if count > 10_000 else str(count) for count in places]
            found, milliseconds = timed(
                lambda s: tw.decode.tree(s.arc, root="multi", method="climb", start="uniform"), batch
            )
            best = [tw.decode.tree(sentence.arc, root="multi").score for sentence in batch]
            reached = np.mean([parse.score > top - 1e-6 for parse, top in zip(found, best, strict=True)])
            print(f"{kind:10} {words:5} {shown[0]:>15} {shown[1]:>7} {shown[2]:>7} {reached:17.0%} {milliseconds:7.1f}")


TABLES = {"second-order": second_order, "graphs": graphs, "local-optima": local_optima}


def main(names: list[str]) -> None:
    print(
        f"Python {platform.python_version()}, {platform.machine()}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    )
    for name in [name for name in names if name in TABLES] or TABLES:
        print(f"\n{name}: {TABLES[name].__doc__}")
        TABLES[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
