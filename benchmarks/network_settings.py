"""Which settings of a network are best, alone and beside the linear models?

    python benchmarks/network_settings.py DATA --setting "" --setting "units=192 epochs=15" [--words FILE]
        [--set NAME] [--sentences N] [--parsed FILE] [--seeds N] [--linear FILE] [--keep FOLDER]

A setting is a list of fields of `NetworkOptions` and of its `Sizes` that differ from the defaults. For each setting and
seed a network is trained (PyTorch is needed) and reads the gold words of `dev` without their tags: alone, where its
scores of heads are decoded as a spanning tree, and in the sum with a linear tagger and parser, all with the weight 1.
--parsed: sentences with the trees of another model, from which the networks learn too (`scripts/teacher.py` writes such
a file). --linear: a pipeline with these models, such as `en` for all of English-EWT; it is trained on the same
sentences and written to FILE if there is no such file. Columns: UPOS, UAS and LAS as the official script counts them,
CPU minutes and epochs of training, words that the network reads in a CPU second, and millions of its numbers without
vectors. --keep: networks are written to this folder, and those that are there are not trained again. --test adds a line
for the gold words and one for the raw text of `test`, parsed by a pipeline with the weights and candidate tags that are
best on `dev`, as `Pipeline.train` chooses them; for settings that are chosen already.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import treewright as tw
from treewright import decode
from treewright.checks import read_plain
from treewright.evaluate import evaluate
from treewright.model.registry import EMBEDDED
from treewright.network import Network, NetworkOptions, Reading
from treewright.network.options import Sizes
from treewright.parser.network_scores import NetworkWeights
from treewright.parser.networks import with_readings
from treewright.pipeline.networks import with_network
from treewright.tagger import Tagger
from treewright.tokeniser.tokeniser import text_and_ends
from treewright.words import Words

FIGURES = ("UPOS", "UAS", "LAS")
HEADER = (
    f"{'setting':44} {'seed':>4} {'alone: UPOS':>11} {'UAS':>6} {'LAS':>6} {'sum: UPOS':>10} {'UAS':>6} {'LAS':>6}"
    f" {'min':>5} {'epochs':>6} {'words/s':>8} {'M':>5}"
)


class Row(NamedTuple):
    """The figures of a network."""

    alone: list[float]
    sum: list[float]
    minutes: float
    epochs: int
    speed: float
    millions: float


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--setting", action="append", required=True)
    arguments.add_argument("--set", default="English-EWT")
    arguments.add_argument("--words", type=Path)
    arguments.add_argument("--sentences", type=int, help="train on the first N sentences only")
    arguments.add_argument("--parsed", type=Path, help="sentences that another model parsed")
    arguments.add_argument("--seeds", type=int, nargs="+", default=[1])
    arguments.add_argument("--linear", default="en", help="a pipeline with the linear models (default: en)")
    arguments.add_argument("--keep", type=Path)
    arguments.add_argument("--test", action="store_true")
    given = arguments.parse_args()
    folder, words = given.data / "ud" / given.set, None if given.words is None else Words.load(given.words)
    train = list(islice(tw.read(folder / "train.conllu"), given.sentences))
    dev, parsed = list(tw.read(folder / "dev.conllu")), [] if given.parsed is None else list(tw.read(given.parsed))
    linear = linear_models(given.linear, train, dev)
    print(HEADER, flush=True)
    for setting in given.setting:
        rows = []
        for seed in given.seeds:
            options = replace(options_of(setting), seed=seed)
            network, minutes = trained((train, dev, parsed), words, options, given.keep, setting)
            rows.append(measured(network, linear, dev, minutes))
            print(line(setting, str(seed), rows[-1]), flush=True)
            if given.test:
                print_test(network, linear, dev, list(tw.read(folder / "test.conllu")))
        if len(rows) > 1:
            print(line(setting, "mean", mean_of(rows)), flush=True)


def options_of(setting: str) -> NetworkOptions:
    """The options of a setting.

    >>> options_of("units=192 dropout=0.3").sizes.units
    192
    """
    given = {name: value_of(value) for name, value in map(parted, setting.split())}
    names = {field.name for field in fields(Sizes)}
    sizes = {name: value for name, value in given.items() if name in names}
    others = {name: value for name, value in given.items() if name not in names}
    if unknown := sorted(others.keys() - {field.name for field in fields(NetworkOptions)}):
        raise SystemExit(f"a network has no setting {unknown[0]!r}")
    return read_plain({**others, "sizes": sizes}, NetworkOptions, "setting")


def value_of(text: str) -> float | int | bool:
    """The value of an option: true, false or a number."""
    if text in ("true", "false"):
        return text == "true"
    return float(text) if "." in text else int(text)


def parted(text: str) -> tuple[str, str]:
    """The name and the value of an option."""
    name, _, value = text.partition("=")
    return name, value


def linear_models(name: str, train: Sequence[tw.Sentence], dev: Sequence[tw.Sentence]) -> tw.Pipeline:
    """The pipeline of this file without its network; trained, if there is none."""
    if name in EMBEDDED or Path(name).exists():
        return tw.Pipeline.load(name).without_network()
    nlp = tw.Pipeline.train(train, dev)
    nlp.save(name)
    return nlp


def trained(
    data: tuple[Sequence[tw.Sentence], Sequence[tw.Sentence], Sequence[tw.Sentence]],
    words: Words | None,
    options: NetworkOptions,
    keep: Path | None,
    setting: str,
) -> tuple[Network, float]:
    """The network of these options and the CPU minutes of its training, which are 0 for one that was kept."""
    train, dev, parsed = data
    counts = [str(len(train)), *([str(len(parsed))] if parsed else []), str(options.seed)]
    name = "-".join(["network", *setting.replace("=", "").split(), *counts])
    path = None if keep is None else keep / name
    if path is not None and path.exists():
        return Network.load(path), 0.0
    begin = time.process_time()
    network = Network.train(train, dev, words=words, parsed=parsed, options=options)
    minutes = (time.process_time() - begin) / 60
    if path is not None:
        network.save(path)
    return network, minutes


def measured(network: Network, linear: tw.Pipeline, dev: Sequence[tw.Sentence], minutes: float) -> Row:
    """The figures of a network alone and in the sum."""
    bare = [tw.Sentence.from_words(sentence.forms) for sentence in dev]
    begin = time.process_time()
    read = with_readings(network, bare)
    speed = sum(map(len, dev)) / (time.process_time() - begin)
    tagger = Tagger(replace(linear.tagger.model, network_weight=1.0))
    parser = linear.trained_parser
    options = replace(parser.options, network=NetworkWeights())
    parser = tw.Parser(replace(parser.model, network=network, options=options))
    together = list(parser.parse(list(tagger.tag(read, confidence=False)), confidence=False))
    numbers = sum(array.size for name, array in network.model.arrays.items() if name != "vector")
    epochs = NetworkOptions(epochs=network.model.settings["epochs"]).epochs_for(network.model.metadata["words"])
    return Row(
        figures_of(dev, list(map(alone, read))), figures_of(dev, together), minutes, epochs, speed, numbers / 1e6
    )


def print_test(network: Network, linear: tw.Pipeline, dev: Sequence[tw.Sentence], test: Sequence[tw.Sentence]) -> None:
    """The figures of a pipeline with this network on `test`."""
    tagger, parser = with_network(linear.tagger, linear.trained_parser, network, dev, print)
    nlp = tw.Pipeline(linear.tokeniser, tagger, parser, linear.metadata)
    bare = [tw.Sentence.from_words(sentence.forms) for sentence in test]
    for name, found in (
        ("gold words", list(nlp.parse(bare, confidence=False))),
        ("raw text", nlp(text_and_ends(test)[0], confidence=False)),
    ):
        print(f"{'test, ' + name:44} " + " ".join(f"{figure:.2f}" for figure in figures_of(test, found)), flush=True)


def alone(sentence: tw.Sentence) -> tw.Sentence:
    """A sentence with the tags and the tree of its reading."""
    reading: Reading = sentence.reading
    model, tree = reading.model, decode.tree(reading.arcs).heads
    begin, end = model.column_ranges()["upos"]
    upos = [model.columns["upos"][number] for number in reading.tags[:, begin:end].argmax(axis=1).tolist()]
    labels = [model.labels[number] for number in reading.labels(tree).argmax(axis=1).tolist()]
    return sentence.with_columns(upos=upos, heads=tree[1:].tolist(), deprels=labels)


def line(setting: str, seed: str, row: Row) -> str:
    """A line of the table."""
    upos, uas, las = row.alone
    first = f"{setting or 'default':44} {seed:>4} {upos:11.2f} {uas:6.2f} {las:6.2f}"
    upos, uas, las = row.sum
    rest = f"{row.minutes:5.1f} {row.epochs:6d} {row.speed:8.0f} {row.millions:5.2f}"
    return f"{first} {upos:10.2f} {uas:6.2f} {las:6.2f} {rest}"


def mean_of(rows: Sequence[Row]) -> Row:
    """The means of the figures."""
    alone, together = (
        [mean(column) for column in zip(*figures, strict=True)]
        for figures in ([row.alone for row in rows], [row.sum for row in rows])
    )
    return Row(
        alone,
        together,
        mean(row.minutes for row in rows),
        rows[0].epochs,
        mean(row.speed for row in rows),
        rows[0].millions,
    )


def figures_of(gold: Sequence[tw.Sentence], found: Sequence[tw.Sentence]) -> list[float]:
    """UPOS, UAS and LAS in per cent."""
    scores = evaluate(gold, found).scores
    return [100 * scores[name].f1 for name in FIGURES]


if __name__ == "__main__":
    main()
