"""What do a tensor, third-order parts and global features add to the second-order parser?

`grand` is the second-order parser inside the others, trained once for each treebank, seed and number of restarts (the
default of the first model if none is given); tensor and factors of each row are trained beside the same jackknifed
scorers, and once for all numbers of restarts, so that only the scorer is trained again. Further rows, of the last of
the models, without training: --scales and --tensor-scales, other scales of the scores; --patience, climbs from random
trees until so many have brought nothing. --keep: a folder for the weights of the models; those that are there are not
trained again, and their time is not in the table. UAS and LAS count every word,
with gold tags, on --part; `dev` chooses epochs. CPU seconds of one thread: training is that of the first model, or of
the first and of what is new; words per second are those of parsing without confidence. The peak of the memory is that
of all.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

import treewright as tw
from treewright.features.standard import STANDARD
from treewright.learn import Numbers, State, Training
from treewright.parser import Parser, ParserOptions, Scoring, resolve
from treewright.parser.stages import train_model

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

TREEBANKS = (
    "native/Danish-DDT",
    "ud/Portuguese-Bosque",
    "ud/Turkish-IMST",
    "ud/Gothic-PROIEL",
    "ud/Hungarian-Szeged",
    "ud/English-EWT",
)


@dataclass(frozen=True)
class Figures:
    """One parser on one treebank."""

    uas: float
    las: float
    words_a_second: float
    training: float
    gain: float  # UAS over `grand`


@dataclass(frozen=True)
class Data:
    """The sentences of a treebank."""

    train: list[tw.Sentence]
    dev: list[tw.Sentence]
    part: list[tw.Sentence]


def main() -> None:
    arguments = common.arguments(__doc__)
    arguments.add_argument("--treebanks", nargs="*", default=TREEBANKS)
    arguments.add_argument("--sentences", type=int, default=None)
    arguments.add_argument("--seeds", type=int, nargs="*", default=[1])
    arguments.add_argument("--models", nargs="*", default=["tensor", "third", "full"])
    arguments.add_argument("--restarts", type=int, nargs="*", default=[])
    arguments.add_argument("--scales", type=float, nargs="*", default=[])
    arguments.add_argument("--tensor-scales", type=float, nargs="*", default=[])
    arguments.add_argument("--patience", type=int, nargs="*", default=[])
    arguments.add_argument("--part", default="test")
    arguments.add_argument("--keep", type=Path)
    given = common.parse(arguments, needs="ud/Hungarian-Szeged and others")
    rows: dict[str, dict[str, list[Figures]]] = {}
    for treebank in given.treebanks:
        data = read(given.data / treebank, given.sentences, given.part)
        of_treebank = rows.setdefault(f"{treebank}, {len(data.train)} sentences", {})
        for seed in given.seeds:
            print(f"{treebank}, {len(data.train)} sentences, seed {seed}, {given.part}")
            print(f"{'':36} {'UAS':>6} {'LAS':>6} {'words/s':>9} {'training s':>11}", flush=True)
            kept = Kept(given.keep and given.keep / f"{Path(treebank).name}-{given.sentences}-{seed}.npz")
            for restarts in given.restarts or [None]:
                name_of_restarts = f", {restarts} restarts" if restarts else ""
                for name, found in compare(data, seed, Scoring(restarts=restarts), kept, given):
                    of_treebank.setdefault(name + name_of_restarts, []).append(found)
                    print(
                        f"{name + name_of_restarts:36} {found.uas:6.2f} {found.las:6.2f} {found.words_a_second:9.0f} "
                        f"{found.training:11.1f} {found.gain:+6.2f}",
                        flush=True,
                    )
    for treebank, of_treebank in rows.items():
        print(f"{treebank}, seeds {' '.join(map(str, given.seeds))}: UAS, LAS, UAS over grand; mean (range)")
        show_means(of_treebank)
    if len(rows) > 1:
        print("all: UAS, LAS, UAS over grand; mean over treebanks and seeds (range)")
        show_means({name: [one for some in rows.values() for one in some[name]] for name in next(iter(rows.values()))})
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


def show_means(rows: Mapping[str, Sequence[Figures]]) -> None:
    for name, found in rows.items():
        columns = [[one.uas for one in found], [one.las for one in found], [one.gain for one in found]]
        cells = [f"{mean(some):6.2f} ({min(some):.2f} to {max(some):.2f})" for some in columns]
        print(f"{name:36} {'  '.join(cells)}")


def read(folder: Path, sentences: int | None, part: str) -> Data:
    extension = "conll" if (folder / "train.conll").exists() else "conllu"
    train, dev, other = (list(tw.read(folder / f"{split}.{extension}")) for split in ("train", "dev", part))
    return Data(list(islice(train, sentences)), dev, other)


class Kept:
    """The weights of the stages of all models of a treebank and seed; in a file, if there is a path."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.weights: dict[str, Numbers] = {}
        if path and path.exists():
            with np.load(path) as arrays:
                self.weights = dict(arrays)

    def stages(self, options: ParserOptions) -> dict[str, Numbers]:
        """Those that a training with these options can use."""
        stages = {name.partition(SEPARATOR)[0] for name in self.weights}
        found = {stage: self.weights.get(kept_name(stage, options)) for stage in stages}
        return {stage: some for stage, some in found.items() if some is not None}

    def keep(self, stages: Mapping[str, Numbers], options: ParserOptions) -> None:
        """Keep the weights of a training; not those of labels: projectivity is chosen when that stage is prepared."""
        found = {kept_name(stage, options): some for stage, some in stages.items() if stage != "labeller"}
        if found.keys() <= self.weights.keys():
            return
        self.weights |= found
        if self.path:
            arrays: Any = self.weights
            np.savez(self.path, **arrays)


SEPARATOR = ", "


def kept_name(stage: str, options: ParserOptions) -> str:
    """The name under which weights are kept: with what they depend on beside treebank and seed."""
    if stage == "scorer":
        return f"scorer{SEPARATOR}restarts {options.scoring.restarts}"
    return f"{stage}{SEPARATOR}{options.model}" if stage == "factors" else stage


def compare(
    data: Data, seed: int, scoring: Scoring, kept: Kept, given: argparse.Namespace
) -> Iterator[tuple[str, Figures]]:
    """The figures of `grand`, of the models, and of changes of the last one."""
    shared, grand = 0.0, float("nan")
    for model in given.models:
        options = ParserOptions(model=model, seed=seed, scoring=scoring)
        parser, seconds = trained(data, options, kept)
        if grand != grand:
            shared = seconds
            inner = figures(Parser(replace(parser.without_factors().model, tensor=None)), data, seconds)
            grand = inner.uas
            yield "grand", replace(inner, gain=0.0)
            yield model, figures(parser, data, seconds, grand)
        else:
            yield model, figures(parser, data, shared + seconds, grand)
    for name, changed in changes(parser, given):
        yield f"{given.models[-1]}, {name}", figures(changed, data, shared, grand)


def changes(parser: Parser, given: argparse.Namespace) -> Iterator[tuple[str, Parser]]:
    """A trained parser with other scales of the scores of its tensor and factors."""
    model, factors, tensor = parser.model, parser.model.factors, parser.model.tensor
    if tensor is not None and parser.options.tensor is not None:
        for scale in given.tensor_scales:
            factor = (scale / parser.options.tensor.scale) ** (1 / 3)  # of each of three numbers that are multiplied
            yield f"tensor scale {scale}", Parser(replace(model, tensor=tensor._replace(scale=tensor.scale * factor)))
    if factors is not None and parser.options.factors is not None:
        for scale in given.scales:
            changed = factors._replace(scale=factors.scale * scale / parser.options.factors.scale)
            yield f"scale {scale}", Parser(replace(model, factors=changed))
        for climbs in given.patience:
            settings = replace(parser.options, factors=replace(parser.options.factors, patience=climbs))
            yield f"patience {climbs}", Parser(replace(model, options=settings))


def trained(data: Data, options: ParserOptions, kept: Kept) -> tuple[Parser, float]:
    """A parser, and the CPU seconds of the stages that were not kept."""
    start = time.process_time()
    settings = resolve(options, data.train)
    training = Training(settings.seed, State(weights=kept.stages(options)))
    model = train_model(data.train, data.dev, settings, training, templates=STANDARD)
    seconds = time.process_time() - start
    kept.keep(training.state.weights, options)
    return Parser(model), seconds


def figures(parser: Parser, data: Data, training: float, grand: float = 0.0) -> Figures:
    start = time.process_time()
    found = list(parser.parse(data.part, confidence=False))
    seconds = time.process_time() - start
    scores = tw.evaluate.evaluate(data.part, found)
    words, uas = sum(map(len, data.part)), 100 * scores["UAS"].f1
    return Figures(uas, 100 * scores["LAS+"].f1, words / seconds, training, uas - grand)


if __name__ == "__main__":
    main()
