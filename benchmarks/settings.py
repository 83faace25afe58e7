"""Which restarts and which AdaGrad epsilon suit treebanks of different sizes?

    python benchmarks/settings.py [FOLDER] [--treebanks ud/Hungarian-Szeged ...] [--seeds 1 2 3] [--jsonl FILE]

For each treebank, setting and seed a `grand` model is trained on `train`; the figure is the UAS on `dev` of the epoch
that the development set chooses. The table has the mean over the seeds and half of their range, and the difference of
each setting from the first one. The numbers in src/treewright/parser/size_settings.py cite it. With --jsonl results are
kept in a file, and those already in it are not computed again. Without a folder a generated treebank shows that the
benchmark runs.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from statistics import mean

from treewright.corpus import Sentence, Treebank, write
from treewright.learn import Report
from treewright.parser import Labelling, Parser, ParserOptions, Scoring

TREEBANKS = (
    "ud/Hungarian-Szeged",
    "ud/Wolof-WTB",
    "ud/Vietnamese-VTB",
    "ud/Irish-IDT",
    "ud/Gothic-PROIEL",
    "ud/Turkish-IMST",
)


@dataclass(frozen=True)
class Setting:
    """What is compared."""

    restarts: int
    adagrad_epsilon: float

    def __str__(self) -> str:
        return f"{self.restarts} restart{'s' * (self.restarts > 1)}, epsilon {self.adagrad_epsilon:g}"


SETTINGS = (Setting(3, 10.0), Setting(3, 3.0), Setting(1, 10.0))


@dataclass(frozen=True)
class Run:
    """One training."""

    treebank: str
    sentences: int
    seed: int
    restarts: int
    adagrad_epsilon: float
    uas: float

    @property
    def setting(self) -> Setting:
        return Setting(self.restarts, self.adagrad_epsilon)


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path, nargs="?")
    arguments.add_argument("--treebanks", nargs="*", default=TREEBANKS)
    arguments.add_argument("--seeds", nargs="*", type=int, default=[1, 2, 3])
    arguments.add_argument("--jsonl", type=Path)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder, treebanks, seeds = given.folder, given.treebanks, given.seeds
        if folder is None:
            folder, treebanks, seeds = generated(Path(scratch)), ["generated"], [1]
        print(f"{'UAS on dev':24} {'sentences':>9}" + "".join(f"  {setting!s:>26}" for setting in SETTINGS))
        for treebank in treebanks:
            print(row(treebank, list(runs_of(folder, treebank, seeds, given.jsonl))), flush=True)


def runs_of(folder: Path, treebank: str, seeds: Sequence[int], kept: Path | None) -> Iterator[Run]:
    """Every setting with every seed."""
    known = [Run(**json.loads(line)) for line in kept.read_text().splitlines()] if kept and kept.exists() else []
    done = {(run.treebank, run.seed, run.setting): run for run in known}
    train, dev = (Treebank.read(folder / treebank / f"{split}.conllu", check="tree") for split in ("train", "dev"))
    for seed in seeds:
        for setting in SETTINGS:
            run = done.get((treebank, seed, setting))
            if run is None:
                run = Run(treebank, len(train), seed, **asdict(setting), uas=best_uas(train, dev, seed, setting))
                if kept:
                    with kept.open("a") as file:
                        file.write(json.dumps(asdict(run)) + "\n")
            yield run


def best_uas(train: Treebank, dev: Treebank, seed: int, setting: Setting) -> float:
    """The UAS on dev of the chosen epoch of the scorer."""
    found: list[float] = []

    def report(done: Report) -> None:
        if done.stage == "scorer" and "uas" in done.figures:
            found.append(done.figures["uas"])

    options = ParserOptions(seed=seed, scoring=Scoring(**asdict(setting)), labelling=Labelling(epochs=1))
    Parser.train(train, dev, options=options, report=report)
    return max(found)


def row(treebank: str, runs: Sequence[Run]) -> str:
    """Mean and half range of each setting, and the difference of the means from the first."""
    cells = []
    first = mean(run.uas for run in runs if run.setting == SETTINGS[0])
    for setting in SETTINGS:
        found = [run.uas for run in runs if run.setting == setting]
        cells.append(f"{mean(found):.2f} ± {(max(found) - min(found)) / 2:.2f} ({mean(found) - first:+.2f})")
    return f"{treebank:24} {runs[0].sentences:9}" + "".join(f"  {cell:>26}" for cell in cells)


def generated(folder: Path) -> Path:
    """A treebank of three-word sentences."""
    random = Random(1)
    (folder / "generated").mkdir()
    for split, count in (("train", 60), ("dev", 20)):
        write((sentence(random) for _ in range(count)), folder / "generated" / f"{split}.conllu")
    return folder


def sentence(random: Random) -> Sentence:
    words = [random.choice(["the", "a"]), random.choice(["dog", "cat", "bird"]), random.choice(["barks", "sleeps"])]
    return Sentence.from_words(words, upos=["DET", "NOUN", "VERB"], heads=[2, 3, 0], deprels=["det", "nsubj", "root"])


if __name__ == "__main__":
    main()
