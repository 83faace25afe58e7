"""How often does dual decomposition certify third-order trees, and does hill climbing find them?

    python benchmarks/third_order.py FOLDER [--treebanks ud/Hungarian-Szeged ...] [--sentences 300] [--parsed 50]
                                     [--iterations 200] [--nodes 1] [--keep models]

Trains the model `third` on the first sentences of a treebank, once with the parts of Martins et al. (2013): siblings,
grandparents, grand-siblings, tri-siblings, head bigrams; and once with all of its parts. Development sentences are
parsed by hill climbing, then by dual decomposition that begins with that tree (`Parser.bounded_tree`). certified: a
proof that no tree over the candidate arcs is better; optimal: of the certified trees, those that hill climbing had
found; better: trees that dual decomposition found and hill climbing did not; gap: the mean of gap / spread of the
others. CPU seconds of one thread.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np

import treewright as tw
from treewright.corpus import Sentence
from treewright.parser import Parser
from treewright.reproduce.koo2010_parsers import corpus
from treewright.reproduce.zhang2014 import SAME_VALUE, Study, System, share

SYSTEMS = {
    "Martins et al.": System("third", without=("great-grandparents", "parent-sibling-child", "all-siblings")),
    "third": System("third"),
}
COLUMNS = ("open", "certified", "optimal", "better", "gap", "s/sentence")


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--treebanks", nargs="*", default=["ud/Hungarian-Szeged"])
    arguments.add_argument("--sentences", type=int, default=300)
    arguments.add_argument("--parsed", type=int, default=50)
    arguments.add_argument("--iterations", type=int, default=200)
    arguments.add_argument("--nodes", type=int, default=1)
    arguments.add_argument("--keep", type=Path)
    given = arguments.parse_args()
    print(f"{platform.machine()}, Python {platform.python_version()}, treewright {tw.__version__}, one thread")
    print(f"{given.iterations} iterations, {given.nodes} nodes, {given.sentences} training sentences")
    study = Study(given.folder, sentences=given.sentences, keep=given.keep)
    for treebank in given.treebanks:
        dev = list(islice(corpus(given.folder, treebank, "dev"), given.parsed))
        print(f"\n{treebank}, {len(dev)} sentences\n{'':16}" + "".join(f"{name:>12}" for name in COLUMNS))
        for name, system in SYSTEMS.items():
            show(name, study.parser(treebank, system), dev, given.iterations, given.nodes)


def show(name: str, parser: Parser, dev: Sequence[Sentence], iterations: int, nodes: int) -> None:
    """One line: sentences with more than one tree over the candidate arcs, and what was proved of them."""
    start = time.process_time()
    climbed = list(parser.parse(dev, confidence=False, max_seconds=None))
    found = [parser.bounded_tree(one, max_iterations=iterations, max_nodes=nodes, max_seconds=None) for one in dev]
    seconds = (time.process_time() - start) / len(dev)
    is_open = np.array([not sentence.parse.certified for sentence in climbed])
    gain = np.array([tree.score - one.parse.score for tree, one in zip(found, climbed, strict=True)])
    certified = np.array([tree.certified for tree in found])
    gaps = [tree.gap / tree.spread for tree in found if not tree.certified and tree.spread > 0]
    figures = (
        share(is_open),
        share(certified),
        share(gain[certified] <= SAME_VALUE),
        share(gain > SAME_VALUE),
        float(np.mean(gaps)) if gaps else 0.0,
        seconds,
    )
    digits = (1, 1, 1, 1, 4, 2)
    print(f"{name:16}" + "".join(f"{figure:12.{d}f}" for figure, d in zip(figures, digits, strict=True)), flush=True)


if __name__ == "__main__":
    main()
