"""Latent-variable grammars: F1 by round, products, confidence of phrases, time and size.

Grammars with different seeds are trained on the first N trees of DATA/trees/CRAFT. rounds: F1 of the first grammar
after each round, CPU seconds and the peak memory of the process, then the size of its file and the time to load it;
product: each grammar, their product, sentences a second; confidence: expected calibration error of phrases, raw and
calibrated on development sentences. F1 is that of sentences
of at most 40 words of dev.mrg; confidence is calibrated there and measured on test.mrg. --keep stores the grammars in a
folder and reuses them.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np

from treewright.corpus import Tree
from treewright.evaluate import reliability
from treewright.grammar import LatentGrammar, LatentOptions
from treewright.grammar.kinds import bracket_scores
from treewright.grammar.latent import Training, calibrate
from treewright.papers.huang2010 import MAX_WORDS, first_trees, member_f1

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

PARTS = ("rounds", "product", "confidence")
LOADS = 5  # of which the median is printed
PUBLISHED = "61.9 74.9 81.1 83.9 85.6"  # of the reference on the WSJ sample of NLTK, rounds 0 to 4


def main() -> None:
    arguments = common.arguments(__doc__)
    arguments.add_argument("--trees", type=int, default=3000)
    arguments.add_argument("--sentences", type=int, default=200)
    arguments.add_argument("--grammars", type=int, default=4)
    arguments.add_argument("--rounds", type=int, default=4)
    arguments.add_argument("--keep", type=Path)
    arguments.add_argument("--parts", nargs="*", choices=PARTS, default=PARTS)
    given = common.parse(arguments, needs="trees/CRAFT")
    folder = given.data / "trees" / "CRAFT"
    train = first_trees(folder, "train", given.trees)
    dev = first_trees(folder, "dev", given.sentences, MAX_WORDS)
    if "rounds" in given.parts:
        print_rounds(train, dev, given.rounds)
    if set(given.parts) == {"rounds"}:
        return
    grammars = [trained(train, given.rounds, seed, given.keep) for seed in range(1, given.grammars + 1)]
    if "product" in given.parts:
        print_product(grammars, dev)
    if "confidence" in given.parts:
        print_confidence(grammars[0], dev, first_trees(folder, "test", given.sentences, MAX_WORDS))


def print_rounds(train: Sequence[Tree], dev: Sequence[Tree], rounds: int) -> None:
    """F1, CPU seconds of the training and peak memory after each round; size of the last grammar."""
    names = f"{'round':>5} {'substates':>9} {'rules':>7} {'CPU s':>6} {'peak MB':>7} {'F1':>6} {'tags':>6}"
    print(f"{names}   (reference: {PUBLISHED}; {peak_megabytes():.0f} MB before the training)")
    begin = time.process_time()
    training = Training(train, None, [1.0] * len(train), LatentOptions(rounds=rounds), 1)
    scoring = 0.0
    for number, grammar in enumerate(training.grammars()):
        seconds, peak = time.process_time() - begin - scoring, peak_megabytes()
        start = time.process_time()
        scores = bracket_scores(grammar, dev)
        scoring += time.process_time() - start
        [model] = grammar.models
        figures = f"{int(model.states.sum()):>9} {np.count_nonzero(model.rules):>7} {seconds:>6.1f} {peak:>7.0f}"
        print(f"{number:>5} {figures} {100 * scores['f1']:>6.2f} {100 * scores['tags']:>6.2f}", flush=True)
    print_size(grammar)


def peak_megabytes() -> float:
    """The largest memory that the process has had so far; Linux counts in kilobytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def print_size(grammar: LatentGrammar) -> None:
    """The size of a grammar's file, and the CPU seconds to load it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "grammar.tw"
        grammar.save(path)
        seconds = []
        for _ in range(LOADS):
            begin = time.process_time()
            LatentGrammar.load(path)
            seconds.append(time.process_time() - begin)
        megabytes = path.stat().st_size / 1e6
    print(f"{megabytes:.2f} MB, loads in {median(seconds):.3f} CPU s (median of {LOADS}; {max(seconds):.3f} at most)")


def trained(train: Sequence[Tree], rounds: int, seed: int, keep: Path | None) -> LatentGrammar:
    """A grammar of the training trees, or the one that was kept."""
    path = None if keep is None else keep / f"latent-{len(train)}-{rounds}-{seed}.tw"
    if path is not None and path.exists():
        return LatentGrammar.load(path)
    found = LatentGrammar.train(train, rounds=rounds, seed=seed)
    if path is not None:
        found.save(path)
    return found


def print_product(grammars: Sequence[LatentGrammar], dev: Sequence[Tree]) -> None:
    """F1 of the members and of their product; speed on sentences of 20 to 25 words."""
    scores = member_f1(grammars, dev)
    print("members", " ".join(f"{score:.2f}" for score in scores[:-1]), f"product {scores[-1]:.2f}")
    print(f"product - best member: {scores[-1] - max(scores[:-1]):+.2f}")
    some = [tree.leaves() for tree in dev if 20 <= len(tree.leaves()) <= 25]
    for words in some:
        grammars[0].parse(words)
    begin = time.process_time()
    for words in some:
        grammars[0].parse(words)
    print(f"{len(some) / (time.process_time() - begin):.1f} sentences of 20 to 25 words a second")


def print_confidence(grammar: LatentGrammar, dev: Sequence[Tree], test: Sequence[Tree]) -> None:
    """The expected calibration error of phrases, in points."""
    for name, one in (("raw", LatentGrammar(grammar.models)), ("calibrated", calibrate(grammar, dev))):
        confidence: list[float] = []
        right: list[bool] = []
        for tree in test:
            parse, gold = one.parse(tree.leaves(), partial=True), set(tree.spans())
            confidence += parse.confidence
            right += [span in gold for span in parse.spans if span[0]][: len(parse.confidence)]
        found = reliability(np.array(confidence), np.array(right))
        print(
            f"confidence, {name}: {len(right)} phrases, {100 * np.mean(right):.2f} % right, ECE {100 * found.ece:.2f}"
        )


if __name__ == "__main__":
    main()
