"""Speed of the decoders, and how many of their results are certified.

Each function in TABLES prints one table; --tables NAME ... prints only the named ones. The same run measures
ufal.chu_liu_edmonds, networkx, and SciPy's MILP (HiGHS) as "ilp". Scores are generated: "random" scores are standard
normal, which is hard; in "near-tree" scores the arcs of a random tree are raised by 4, as from a trained model.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import scipy

import treewright as tw

sys.path.insert(0, str(Path(__file__).parents[1]))
import common
from speed import first_order

Item = TypeVar("Item")


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


def timed(decode: Callable[[Item], Any], batch: list[Item]) -> tuple[list[Any], float]:
    """The answers, and CPU milliseconds a sentence."""
    start = time.process_time()
    answers = [decode(sentence) for sentence in batch]
    return answers, 1000 * (time.process_time() - start) / len(batch)


def microseconds(decode: Callable[[], Any], repeats: int = 7) -> float:
    """CPU time of a call, the least of several runs of at least a few milliseconds."""
    start = time.thread_time()
    decode()
    once = time.thread_time() - start
    calls = max(1, int(0.004 / max(once, 1e-7)))
    best = once
    for _ in range(repeats if once < 1 else 1):
        start = time.thread_time()
        for _ in range(calls):
            decode()
        best = min(best, (time.thread_time() - start) / calls)
    return 1e6 * best


def candidates(rng: np.random.Generator, words: int, heads_a_word: int, names: str) -> tw.decode.Parts:
    """Parts over a few candidate heads a word, near ones first, with a projective tree among them."""
    arcs = {(m - 1, m) for m in range(1, words + 1)} | {(m + 1, m) for m in range(1, words)}
    for m in range(1, words + 1):
        arcs |= {(int(h), m) for h in rng.integers(0, words + 1, heads_a_word - 2) if h != m}
    h, m = np.array(sorted(arcs)).T
    columns: dict[str, Any] = {"arcs": (h, m, rng.normal(size=len(h)))}
    if "sib" in names:
        pairs = [
            (g, a, b)
            for g, a in arcs
            for b in [g, *(k for f, k in arcs if f == g)]
            if min(g, a) < b < max(g, a) or b == g
        ]
        columns["siblings"] = (*np.array(pairs).T, rng.normal(size=len(pairs)))
    if "grand" in names:
        chains = [(g, k, a) for g, k in arcs for f, a in arcs if f == k and a != g]
        columns["grandparents"] = (*np.array(chains).T, rng.normal(size=len(chains)))
    return tw.decode.Parts(words + 1, **columns)


def projective() -> None:
    """Projective trees: microseconds a sentence, over whole arrays and over five candidate heads a word."""
    names = ("arcs", "siblings", "grandparents")
    print(f"{'':5} {'whole arrays':>38} {'candidates':>26}")
    print(f"{'words':>5}", *(f"{name:>12}" for name in names), *(f"{name:>12}" for name in names[1:]))
    for words in (10, 20, 30, 40, 60, 80, 100, 160):
        rng = np.random.default_rng(words)
        arc, sib, grand = (rng.normal(size=(words + 1,) * axes) for axes in (2, 3, 3))
        sibling_parts, all_parts = (candidates(rng, words, 5, kind) for kind in ("sib", "sib grand"))
        times = [
            microseconds(partial(tw.decode.tree, arc, projective=True)),
            microseconds(partial(tw.decode.tree, arc, sib=sib, projective=True)),
            microseconds(partial(tw.decode.tree, arc, sib=sib, grand=grand, projective=True)),
            microseconds(partial(tw.decode.tree, sibling_parts, projective=True)),
            microseconds(partial(tw.decode.tree, all_parts, projective=True)),
        ]
        print(f"{words:5}", *(f"{time:12.1f}" for time in times), flush=True)


def by_inverse(arc: np.ndarray) -> np.ndarray:
    """Multi-root marginals as they are usually computed, from the inverse of the Laplacian."""
    weight = np.exp(arc - arc.max(axis=0))
    np.fill_diagonal(weight, 0)
    laplacian = np.diag(weight[:, 1:].sum(axis=0)) - weight[1:, 1:]
    inverse = np.linalg.inv(laplacian)
    marginal = np.zeros_like(arc)
    marginal[0, 1:] = weight[0, 1:] * inverse.diagonal()
    marginal[1:, 1:] = weight[1:, 1:] * (inverse.diagonal() - inverse.T)
    return marginal


def sums() -> None:
    """Marginals, log partitions, random trees: microseconds; and how far off the inverse is when scores are peaked.

    "off" is the largest error of a marginal from the inverse of the Laplacian, scores with a standard deviation of 30.
    """
    over = ("marginals", "marginals", "NumPy", "log Z", "log Z", "tree drawn", "tree drawn", "off")
    under = ("", "projective", "inverse", "", "projective", "", "projective", "inverse")
    for names, first in ((over, ""), (under, "words")):
        print(f"{first:>5}", *(f"{name:>10}" for name in names))
    for words in (10, 20, 40, 80, 160):
        arc = np.random.default_rng(words).normal(size=(words + 1, words + 1))
        times = [
            microseconds(partial(tw.decode.marginals, arc)),
            microseconds(partial(tw.decode.marginals, arc, projective=True)),
            microseconds(partial(by_inverse, arc)),
            microseconds(partial(tw.decode.log_partition, arc)),
            microseconds(partial(tw.decode.log_partition, arc, projective=True)),
            microseconds(partial(tw.decode.sample, arc, 100)) / 100,
            microseconds(partial(tw.decode.sample, arc, 100, projective=True)) / 100,
        ]
        peaked = np.random.default_rng(words).normal(size=(20, words + 1, words + 1)) * 30
        with np.errstate(all="ignore"):
            errors = [np.abs(tw.decode.marginals(a, root="multi") - by_inverse(a)).max() for a in peaked]
        print(f"{words:5}", *(f"{time:10.1f}" for time in times), f"{max(errors):10.1e}", flush=True)


def batch_sums() -> None:
    """Marginals of a padded batch, several roots, one thread: microseconds a sentence, and torch-struct's time / ours.

    torch-struct inverts the Laplacian in float32; we compute in doubles.
    """
    torch, struct = common.peer("torch"), common.peer("torch_struct")
    if isinstance(struct, common.Missing):
        print("torch-struct is not installed; pip install torch torch-struct")
        return
    torch.set_num_threads(1)
    print(f"{'words':>5} {'marginals':>13} {'torch-struct/':>13}")
    for words in (10, 20, 40, 80, 160, 320):
        count = max(4, 4000 // words)
        arc = np.random.default_rng(words).normal(size=(count, words + 1, words + 1))
        root_on_diagonal = torch.tensor(arc[:, 1:, 1:], dtype=torch.float32)
        torch.diagonal(root_on_diagonal, dim1=1, dim2=2).copy_(torch.tensor(arc[:, 0, 1:]))
        options = {"lengths": [words] * count, "threads": 1, "root": "multi"}
        ours = partial(tw.decode.batched, tw.decode.marginals, arc, **options)
        peer = partial(struct.deptree.deptree_nonproj, root_on_diagonal, multi_root=True)
        of_root = np.array([marginal[0, 1:] for marginal in ours()])
        assert np.allclose(of_root, torch.diagonal(peer(), dim1=1, dim2=2).numpy(), atol=1e-3)
        times = [microseconds(call) / count for call in (ours, peer)]
        print(f"{words:5} {times[0]:13.1f} {times[1] / times[0]:12.2f}x", flush=True)


def kbest() -> None:
    """The k best trees: milliseconds."""
    counts = (1, 10, 100, 1000)
    print(f"{'words':>5}", *(f"{f'k = {k}':>10}" for k in counts), *(f"{f'k = {k}':>10}" for k in counts), "projective")
    for words in (10, 20, 40, 80, 160):
        arc = np.random.default_rng(words).normal(size=(words + 1, words + 1))
        times = [
            microseconds(partial(tw.decode.kbest, arc, k, projective=projective), repeats=2) / 1000
            for projective in (False, True)
            for k in counts
        ]
        print(f"{words:5}", *(f"{time:10.2f}" for time in times), flush=True)


def sibling_models() -> None:
    """Sibling models: dual decomposition and the exact search beside HiGHS' integer program on the same sentences."""
    print(
        f"{'scores':10} {'words':>5} {'sentences':>9}  {'ilp ms':>8} {'dd ms':>7} {'exact ms':>8} {'ilp/dd':>7} "
        f"{'ilp/exact':>9} {'dd certified':>12} {'exact certified':>15} {'nodes':>6}"
    )
    tw.decode.tree(np.zeros((2, 2)), method="ilp")  # imports SciPy's optimisers
    for kind, words, count in (("random", 10, 40), ("near-tree", 10, 20), ("near-tree", 20, 10), ("near-tree", 40, 5)):
        batch = sentences(kind, words, count, grand=False)
        programs, ilp = timed(lambda s: tw.decode.tree(s.arc, sib=s.sib, method="ilp"), batch)
        duals, dd = timed(lambda s: tw.decode.tree(s.arc, sib=s.sib, method="dd"), batch)
        proofs, exact = timed(lambda s: tw.decode.tree(s.arc, sib=s.sib), batch)
        for program, proof in zip(programs, proofs, strict=True):
            assert abs(program.score - proof.score) < 1e-5 or not program.certified
        certified = [np.mean([parse.certified for parse in parses]) for parses in (duals, proofs)]
        print(
            f"{kind:10} {words:5} {count:9}  {ilp:8.1f} {dd:7.2f} {exact:8.2f} {ilp / dd:7.1f} {ilp / exact:9.1f} "
            f"{certified[0]:12.0%} {certified[1]:15.0%} {np.mean([parse.nodes for parse in proofs]):6.1f}",
            flush=True,
        )


def pruned() -> None:
    """Problems as in a parser: siblings, grandparents, stops, few candidate heads a word; microseconds a word."""
    print(
        f"{'words':>5} {'heads a word':>12} {'exact us':>9} {'dd us':>8} {'exact certified':>15} {'dd certified':>12}"
    )
    for words, heads, count in ((20, 5, 60), (40, 5, 30), (40, 10, 20)):
        batch = [near_candidates(words, heads, seed) for seed in range(count)]
        duals, dd = timed(lambda parts: tw.decode.tree(parts, method="dd", max_iterations=500), batch)
        proofs, exact = timed(tw.decode.tree, batch)
        certified = [np.mean([parse.certified for parse in parses]) for parses in (proofs, duals)]
        print(
            f"{words:5} {heads:12} {1000 * exact / words:9.1f} {1000 * dd / words:8.1f} {certified[0]:15.0%} "
            f"{certified[1]:12.0%}",
            flush=True,
        )
    parts = near_candidates(1000, 10, 0)
    for seconds in (1, 4):
        start = time.monotonic()
        parse = tw.decode.tree(parts, max_seconds=seconds)
        print(
            f" 1000           10 in {time.monotonic() - start:.2f} s of {seconds}: value {parse.score:.1f}, "
            f"gap {100 * parse.gap / abs(parse.score):.2f} %"
        )


def near_candidates(words: int, heads: int, seed: int) -> tw.decode.Parts:
    """Nearby candidate heads, the one of a random tree raised by 3; half as much noise on second-order parts."""
    random = np.random.default_rng([seed, words])
    gold, order = np.zeros(words + 1, dtype=int), 1 + random.permutation(words)
    for place in range(1, words):
        before = order[:place]
        near = np.argsort(np.abs(before - order[place]), kind="stable")[:4]
        gold[order[place]] = before[random.choice(near)]
    rows = []
    for word in range(1, words + 1):
        others = np.array([other for other in range(words + 1) if other not in (word, gold[word])])
        share = 1.0 / (1 + np.abs(others - word))
        chosen = random.choice(others, heads - 1, replace=False, p=share / share.sum())
        rows += [(gold[word], word, 3 + random.normal()), *((other, word, random.normal()) for other in chosen)]
    h, m, score = (np.array(column) for column in zip(*rows, strict=True))
    leaving = {head: m[h == head] for head in range(words + 1)}
    siblings = [
        (head, b, a)
        for head, modifiers in leaving.items()
        for a in [head, *modifiers]
        for b in modifiers
        if a == head or head < a < b or b < a < head
    ]
    grands = [(g, x, y) for g, x in zip(h, m, strict=True) for y in leaving[x] if y != g]
    stops = [(a, b, side) for a in leaving for side in (0, 1) for b in [a, *leaving[a]] if b == a or (b > a) == side]

    def scored(parts: list[tuple[int, int, int]]) -> Any:
        return (*np.array(parts).T, 0.5 * random.normal(size=len(parts)))

    return tw.decode.Parts(words + 1, (h, m, score), scored(siblings), scored(grands), scored(stops[1:]))


TABLES = {
    "first-order": first_order.table,
    "projective": projective,
    "sums": sums,
    "batch-sums": batch_sums,
    "k-best": kbest,
    "sibling-models": sibling_models,
    "pruned": pruned,
}


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument(
        "--tables", nargs="*", default=[], metavar="NAME", help=f"tables to print: {', '.join(TABLES)} (default: all)"
    )
    names = parser.parse_args().tables or list(TABLES)
    if unknown := set(names) - set(TABLES):
        parser.error(f"there is no table {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
    print(f"NumPy {np.__version__}, SciPy {scipy.__version__}")
    for name in names:
        print(f"\n{name}: {TABLES[name].__doc__}")
        TABLES[name]()


if __name__ == "__main__":
    main()
