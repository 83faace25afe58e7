"""Accuracy and training time of the learners of the scorer.

    python benchmarks/learners.py [FOLDER] [--treebanks ud/Hungarian-Szeged ...] [--sentences N] [--model grand]
                                  [--learners crf perceptron mira pa] [--seeds 1] [--restarts R]

Each learner is trained in this run on the first N sentences of `train` (epochs chosen on `dev`) and parses `test` with
gold tokens, tags, features and lemmas. UAS and LAS count every word; CPU seconds of one thread, for the pruner, the
scorer and the labeller together, the same pruner and labeller for all. With several seeds the means are shown.
--restarts gives all learners the same number of restarts; otherwise crf alone has several, on small treebanks. Without
a folder a generated treebank shows that the benchmark runs.
"""

from __future__ import annotations

import argparse
import platform
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import mean

from parsers import files_of

import treewright as tw
from treewright.parser import ParserOptions, Scoring
from treewright.parser.options import LEARNERS


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path, nargs="?")
    arguments.add_argument("--treebanks", nargs="*", default=["ud/Hungarian-Szeged"])
    arguments.add_argument("--sentences", type=int, default=4000)
    arguments.add_argument("--model", default="grand")
    of_any_order = [learner for learner in LEARNERS if learner != "independent"]
    arguments.add_argument("--learners", nargs="*", default=of_any_order, choices=list(LEARNERS))
    arguments.add_argument("--seeds", type=int, default=1)
    arguments.add_argument("--restarts", type=int)
    given = arguments.parse_args()
    print(f"{platform.machine()}, Python {platform.python_version()}, treewright {tw.__version__}, one thread")
    options = ParserOptions(given.model, scoring=Scoring(restarts=given.restarts))
    for treebank in given.treebanks if given.folder else ["generated"]:
        print(f"\n{treebank}, {given.model}\n{'':24} {'UAS':>6} {'LAS':>6} {'training s':>11}")
        with tempfile.TemporaryDirectory() as scratch:
            files = files_of(given.folder, treebank, Path(scratch), given.sentences)
            for learner in given.learners:
                show(learner, files, replace(options, learner=learner), given.seeds)


def show(name: str, files: dict[str, Path], options: ParserOptions, seeds: int) -> None:
    found = [trained(files, replace(options, seed=seed)) for seed in range(1, seeds + 1)]
    uas, las, seconds = (mean(column) for column in zip(*found, strict=True))
    print(f"{name:24} {uas:6.2f} {las:6.2f} {seconds:11.1f}", flush=True)


def trained(files: dict[str, Path], options: ParserOptions) -> tuple[float, float, float]:
    start = time.process_time()
    parser = tw.Parser.train(files["train"], files["dev"], options=options)
    seconds = time.process_time() - start
    gold = list(tw.read(files["test"]))
    scores = tw.evaluate.evaluate(gold, list(parser.parse(tw.read(files["test"]))))
    return 100 * scores["UAS"].f1, 100 * scores["LAS+"].f1, seconds


if __name__ == "__main__":
    main()
