"""What do a tensor, third-order parts and global features add to the second-order parser?

    python benchmarks/factors.py FOLDER [--treebanks ud/Hungarian-Szeged ...] [--sentences N] [--seeds 1]
                                 [--models tensor third full] [--ablation] [--drop] [--scales 0.4 1]
                                 [--tensor-scales 0.5 1] [--patience 3] [--learners choices pa] [--part test]
                                 [--keep DIR]

`grand` is the second-order parser inside the others, trained once for each treebank and seed; tensor and factors of
each row are trained beside the same jackknifed scorers. Further rows: --ablation, `full` trained without each group;
--learners, `full` with factors that learn in another way; and for the last of the models, without training, --drop, the
scores of each group left out; --scales and --tensor-scales, other scales of the scores; --patience, climbs from random
trees until so many have brought nothing. --keep: a folder for the weights of finished stages but tensor and factors;
those that are there are not trained again, and their time is not in the table. UAS and LAS count every word, with gold
tags, on --part; `dev` chooses epochs. CPU seconds of one thread: training is that of the first model, or of the first
and of what is new; words per second are those of parsing without confidence. The peak of the memory is that of all.
"""

from __future__ import annotations

import argparse
import platform
import resource
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from treewright.features.factors import GROUPS, TENSOR, kind_of, without_groups
from treewright.learn import Numbers, State
from treewright.parser import FactorOptions, Parser, ParserOptions
from treewright.parser.training import Trainer

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


@dataclass(frozen=True)
class Data:
    """The sentences of a treebank."""

    train: list[tw.Sentence]
    dev: list[tw.Sentence]
    part: list[tw.Sentence]


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--treebanks", nargs="*", default=TREEBANKS)
    arguments.add_argument("--sentences", type=int, default=None)
    arguments.add_argument("--seeds", type=int, nargs="*", default=[1])
    arguments.add_argument("--models", nargs="*", default=["tensor", "third", "full"])
    arguments.add_argument("--ablation", action="store_true")
    arguments.add_argument("--drop", action="store_true")
    arguments.add_argument("--scales", type=float, nargs="*", default=[])
    arguments.add_argument("--tensor-scales", type=float, nargs="*", default=[])
    arguments.add_argument("--patience", type=int, nargs="*", default=[])
    arguments.add_argument("--learners", nargs="*", default=[])
    arguments.add_argument("--part", default="test")
    arguments.add_argument("--keep", type=Path)
    given = arguments.parse_args()
    print(f"{platform.machine()}, Python {platform.python_version()}, treewright {tw.__version__}, one thread")
    rows: dict[str, list[float]] = {}
    for treebank in given.treebanks:
        data = read(given.folder / treebank, given.sentences, given.part)
        for seed in given.seeds:
            print(f"{treebank}, {len(data.train)} sentences, seed {seed}, {given.part}")
            print(f"{'':36} {'UAS':>6} {'LAS':>6} {'words/s':>9} {'training s':>11}", flush=True)
            second_order = None
            kept = given.keep and given.keep / f"{Path(treebank).name}-{given.sentences}-{seed}.npz"
            for name, found in compare(data, seed, given.models, kept, given):
                second_order = second_order or found
                gain = found.uas - second_order.uas
                rows.setdefault(name, []).append(gain)
                print(
                    f"{name:36} {found.uas:6.2f} {found.las:6.2f} {found.words_a_second:9.0f} {found.training:11.1f} "
                    f"{gain:+6.2f}",
                    flush=True,
                )
    print("UAS over grand: mean, smallest and largest over treebanks and seeds")
    for name, gains in rows.items():
        print(f"{name:36} {sum(gains) / len(gains):+6.2f} {min(gains):+6.2f} {max(gains):+6.2f}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


def read(folder: Path, sentences: int | None, part: str) -> Data:
    extension = "conll" if (folder / "train.conll").exists() else "conllu"
    train, dev, other = (list(tw.read(folder / f"{split}.{extension}")) for split in ("train", "dev", part))
    return Data(list(islice(train, sentences)), dev, other)


def compare(
    data: Data, seed: int, models: Sequence[str], kept: Path | None, given: argparse.Namespace
) -> Iterator[tuple[str, Figures]]:
    """The figures of `grand`, of the models, of changes of the last one, and of `full` without each group."""
    weights: Mapping[str, Numbers] = {}
    if kept and kept.exists():
        with np.load(kept) as arrays:
            weights = dict(arrays)
    shared = 0.0
    for model in models:
        parser, weights, seconds = trained(data, ParserOptions(model=model, seed=seed), weights)
        if not shared:
            shared = seconds
            if kept:
                finished: Any = {
                    name: some for name, some in weights.items() if name.split()[0] not in ("tensor", "factors")
                }
                np.savez(kept, **finished)
            yield "grand", figures(Parser(replace(parser.without_factors().model, tensor=None)), data, seconds)
            yield model, figures(parser, data, seconds)
        else:
            yield model, figures(parser, data, shared + seconds)
    for name, changed in changes(parser, given):
        yield f"{models[-1]}, {name}", figures(changed, data, shared)
    others = {f"full without {group}": FactorOptions(without=(group,)) for group in GROUPS if given.ablation}
    others |= {f"full, learner {learner}": FactorOptions(learner=learner) for learner in given.learners}
    for name, factors in others.items():
        parser, weights, seconds = trained(data, ParserOptions(model="full", seed=seed, factors=factors), weights)
        yield name, figures(parser, data, shared + seconds)


def second_order(weights: Mapping[str, Numbers]) -> dict[str, Any]:
    """The weights of the stages but those of tensor and factors."""
    return {name: some for name, some in weights.items() if not name.startswith(("tensor", "factors"))}


def changes(parser: Parser, given: argparse.Namespace) -> Iterator[tuple[str, Parser]]:
    """A trained parser with other scales of the scores of its tensor and factors, and without those of each group."""
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
    for group in set_of_groups(model.templates.factors) if given.drop else ():
        templates = model.templates._replace(factors=without_groups(model.templates.factors, [group]))
        yield f"dropped {group}", Parser(replace(model, templates=templates))
    if given.drop and tensor is not None:
        yield f"dropped {TENSOR}", Parser(replace(model, tensor=None))


def set_of_groups(templates: Sequence[str]) -> list[str]:
    """The groups that have templates, in their order."""
    kinds = {kind_of(template) for template in templates}
    return [group for group, members in GROUPS.items() if kinds & {*members}]


def trained(
    data: Data, options: ParserOptions, weights: Mapping[str, Numbers]
) -> tuple[Parser, Mapping[str, Numbers], float]:
    """A parser, the weights of its stages, and the CPU seconds of those that were not given."""
    start = time.process_time()
    trainer = Trainer(data.train, data.dev, options)
    known = {name: some for name, some in weights.items() if name != "factors"}
    model = trainer.run(State(weights=known))
    return Parser(replace(model, metadata={})), trainer.weights, time.process_time() - start


def figures(parser: Parser, data: Data, training: float) -> Figures:
    start = time.process_time()
    found = list(parser.parse(data.part, confidence=False))
    seconds = time.process_time() - start
    scores = tw.evaluate.evaluate(data.part, found)
    words = sum(map(len, data.part))
    return Figures(100 * scores["UAS"].f1, 100 * scores["LAS+"].f1, words / seconds, training)


if __name__ == "__main__":
    main()
