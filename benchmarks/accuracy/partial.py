"""How accurate are parsers that learn from partial trees?

From the first 2,000 sentences of each treebank either a share of the heads is drawn, with their relations (`heads`), or
a share of the sentences with all their heads (`sentences`): about the same number of decisions. A parser is trained on
each with the default settings for such data (with --epochs, N epochs of the scorer and one restart), without
development data, on gold tags. The table has UAS / LAS on `dev`, the mean over the seeds (of the draw and of the
training) and half of their range. --nonprojective adds parsers on the
drawn heads whose trees may cross, which the default settings do not choose (MIN_COMPLETE_SHARE in
src/treewright/parser/options.py). With --jsonl results are kept in a file, and those already in it are not computed
again. Without DATA a generated treebank shows that the benchmark runs.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from random import Random
from statistics import mean
from time import process_time

from treewright.corpus import Sentence, Treebank, read, write
from treewright.parser import Parser, ParserOptions, Scoring
from treewright.parser.partial import attachment

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

TREEBANKS = ("ud/English-EWT", "ud/Hungarian-Szeged", "ud/Wolof-WTB")
SENTENCES = 2000  # of each treebank
KINDS = ("heads", "sentences")
NONPROJECTIVE = "heads, trees may cross"


@dataclass(frozen=True)
class Run:
    """One training; share is in per cent."""

    treebank: str
    kind: str
    share: int
    seed: int
    model: str
    decided: int
    uas: float
    las: float
    seconds: float


def main() -> None:
    arguments = common.arguments(__doc__)
    arguments.add_argument("--treebanks", nargs="*", default=TREEBANKS)
    arguments.add_argument("--shares", nargs="*", type=int, default=[10, 30, 50, 100])
    arguments.add_argument("--seeds", nargs="*", type=int, default=[1, 2, 3])
    arguments.add_argument("--model", default="sib")
    arguments.add_argument("--epochs", type=int)
    arguments.add_argument("--nonprojective", action="store_true")
    arguments.add_argument("--jsonl", type=Path)
    given = common.parse(arguments)
    kinds = (*KINDS, NONPROJECTIVE) if given.nonprojective else KINDS
    with tempfile.TemporaryDirectory() as scratch:
        if given.data is None:
            given.data, given.treebanks, given.seeds = generated(Path(scratch)), ["generated"], [1]
        epochs = f"{given.epochs} epochs" if given.epochs else "default epochs"
        print(f"model {given.model}, {epochs}, gold tags, UAS / LAS on dev\n")
        print(f"{'treebank':20} {'trained on':24}" + "".join(f" {share:>16} %" for share in given.shares), flush=True)
        for treebank in given.treebanks:
            runs = list(runs_of(given.data, treebank, kinds, given))
            for kind in kinds:
                print(row(treebank, kind, given.shares, runs), flush=True)


def runs_of(folder: Path, treebank: str, kinds: Sequence[str], given: argparse.Namespace) -> Iterator[Run]:
    """Every kind of data with every share and seed."""
    kept: Path | None = given.jsonl
    known = [Run(**json.loads(line)) for line in kept.read_text().splitlines()] if kept and kept.exists() else []
    done = {(run.treebank, run.kind, run.share, run.seed, run.model): run for run in known}
    train = list(islice(read(folder / treebank / "train.conllu", check="tree"), SENTENCES))
    dev = Treebank.read(folder / treebank / "dev.conllu", check="tree")
    scoring = Scoring() if given.epochs is None else Scoring(epochs=given.epochs, restarts=1)
    for share in given.shares:
        for seed in given.seeds:
            for kind in kinds if share < 100 else KINDS[:1]:
                run = done.get((treebank, kind, share, seed, given.model))
                if run is None:
                    options = ParserOptions(given.model, False if kind == NONPROJECTIVE else None, seed=seed)
                    some = drawn(train, kind, share, seed)
                    run = trained(treebank, some, dev, kind, share, replace(options, scoring=scoring))
                    if kept:
                        with kept.open("a") as file:
                            file.write(json.dumps(asdict(run)) + "\n")
                yield run


def drawn(sentences: Sequence[Sentence], kind: str, share: int, seed: int) -> list[Sentence]:
    """About this share of the sentences, or all of them with about this share of their heads."""
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


def trained(treebank: str, train: list[Sentence], dev: Treebank, kind: str, share: int, options: ParserOptions) -> Run:
    """Train a parser and measure it."""
    begin = process_time()
    parser = Parser.train(train, options=options)
    seconds = process_time() - begin
    scores = attachment(list(dev), list(parser.parse(dev, confidence=False)))
    decided = sum(int((sentence.heads >= 0).sum()) for sentence in train)
    seed, model = options.seed, options.model
    return Run(treebank, kind, share, seed, model, decided, scores.uas, scores.las, round(seconds, 1))


def row(treebank: str, kind: str, shares: Sequence[int], runs: Sequence[Run]) -> str:
    """Means and half ranges of one kind of data."""
    cells = []
    for share in shares:
        found = [run for run in runs if run.share == share and run.kind == (kind if share < 100 else KINDS[0])]
        cells.append(f"{spread([run.uas for run in found])} / {spread([run.las for run in found])}" if found else "")
    return f"{treebank.removeprefix('ud/'):20} {kind:24}" + "".join(f" {cell:>18}" for cell in cells)


def spread(values: Sequence[float]) -> str:
    return f"{mean(values):.1f}±{(max(values) - min(values)) / 2:.1f}"


def generated(folder: Path) -> Path:
    """A treebank of three-word sentences."""
    random = Random(1)
    (folder / "generated").mkdir()
    for split, count in (("train", 60), ("dev", 20)):
        write((three_words(random) for _ in range(count)), folder / "generated" / f"{split}.conllu")
    return folder


def three_words(random: Random) -> Sentence:
    words = [random.choice(["the", "a"]), random.choice(["dog", "cat", "bird"]), random.choice(["barks", "sleeps"])]
    return Sentence.from_words(words, upos=["DET", "NOUN", "VERB"], heads=[2, 3, 0], deprels=["det", "nsubj", "root"])


if __name__ == "__main__":
    main()
