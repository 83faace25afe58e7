"""How accurate are parsers that learn from partial trees?

From the first 2,000 sentences of each treebank either a share of the heads is drawn, with their relations (`heads`), or
a share of the sentences with all their heads (`sentences`): about the same number of decisions. A parser is trained on
each with the default settings for such data (with --epochs, N epochs of the scorer and one restart), without
development data, on gold tags. The table has UAS / LAS on `dev`, the mean over the seeds (of the draw and of the
training) and half of their range. Without DATA a generated
treebank shows that the benchmark runs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from statistics import mean
from typing import NamedTuple

from treewright.corpus import Sentence, read, write
from treewright.parser import Parser, ParserOptions, Scoring
from treewright.parser.partial import attachment

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

TREEBANKS = ("ud/English-EWT", "ud/Hungarian-Szeged", "ud/Wolof-WTB")
SENTENCES = 2000  # of each treebank
KINDS = ("heads", "sentences")


class Run(NamedTuple):
    """One training; share is in per cent."""

    kind: str
    share: int
    uas: float
    las: float


def main() -> None:
    arguments = common.arguments(__doc__, treebanks=TREEBANKS, model="sib")
    arguments.add_argument("--shares", nargs="*", type=int, default=[10, 30, 50, 100])
    arguments.add_argument("--seeds", nargs="*", type=int, default=[1, 2, 3])
    arguments.add_argument("--epochs", type=int)
    given = common.parse(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        if given.data is None:
            given.data, given.treebanks, given.seeds = generated(Path(scratch)), ["generated"], [1]
        epochs = f"{given.epochs} epochs" if given.epochs else "default epochs"
        print(f"model {given.model}, {epochs}, gold tags, UAS / LAS on dev\n")
        print(f"{'treebank':20} {'trained on':24}" + "".join(f" {share:>16} %" for share in given.shares), flush=True)
        for treebank in given.treebanks:
            runs = list(runs_of(given.data, treebank, given))
            for kind in KINDS:
                print(row(treebank, kind, given.shares, runs), flush=True)


def runs_of(folder: Path, treebank: str, given: argparse.Namespace) -> Iterator[Run]:
    """Yield every kind of data with every share and seed."""
    train = list(islice(read(folder / treebank / "train.conllu", check="tree"), SENTENCES))
    dev = list(read(folder / treebank / "dev.conllu", check="tree"))
    scoring = Scoring() if given.epochs is None else Scoring(epochs=given.epochs, restarts=1)
    for share in given.shares:
        for seed in given.seeds:
            for kind in KINDS if share < 100 else KINDS[:1]:
                options = ParserOptions(given.model, seed=seed, scoring=scoring)
                parser = Parser.train(draw(train, kind, share, seed), options=options)
                scores = attachment(dev, list(parser.parse(dev, confidence=False)))
                yield Run(kind, share, scores.uas, scores.las)


def draw(sentences: Sequence[Sentence], kind: str, share: int, seed: int) -> list[Sentence]:
    """Return about this share of the sentences, or all of them with about this share of their heads."""
    random = Random(f"{seed} {share}")
    if share == 100:
        return list(sentences)
    if kind == "sentences":
        return [sentence for sentence in sentences if random.random() < share / 100]
    return [
        with_some_heads(sentence, [random.random() < share / 100 for _ in sentence.forms]) for sentence in sentences
    ]


def with_some_heads(sentence: Sentence, kept: Sequence[bool]) -> Sentence:
    """The sentence with the heads and relations of these words, the others open."""
    heads = [head if keep else -1 for head, keep in zip(sentence.heads.tolist(), kept, strict=True)]
    labels = [label if keep else "_" for label, keep in zip(sentence.deprels, kept, strict=True)]
    return sentence.with_columns(heads=heads, deprels=labels)


def row(treebank: str, kind: str, shares: Sequence[int], runs: Sequence[Run]) -> str:
    """Means and half ranges of one kind of data."""
    cells = []
    for share in shares:
        chosen = [run for run in runs if run.share == share and run.kind == (kind if share < 100 else KINDS[0])]
        cells.append(f"{spread([run.uas for run in chosen])} / {spread([run.las for run in chosen])}" if chosen else "")
    return f"{treebank.removeprefix('ud/'):20} {kind:24}" + "".join(f" {cell:>18}" for cell in cells)


def spread(values: Sequence[float]) -> str:
    return f"{mean(values):.1f}±{(max(values) - min(values)) / 2:.1f}"


def generated(folder: Path) -> Path:
    """A treebank of three-word sentences."""
    (folder / "generated").mkdir()
    for seed, (split, count) in enumerate((("train", 60), ("dev", 20))):
        write(common.three_words(count, seed), folder / "generated" / f"{split}.conllu")
    return folder


if __name__ == "__main__":
    main()
