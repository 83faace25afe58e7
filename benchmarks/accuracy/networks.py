"""What a network adds: tags and trees of the linear models, and of their sum with a network.

For each treebank and seed a pipeline is trained with a network (PyTorch is needed), and parses the gold words of `test`
without their tags: with the network, and by its linear models alone, which are those of a training without a network.
Columns: UPOS, UAS and LAS as the official script counts them, CPU minutes of training, words parsed in a CPU second.
--words: vectors and classes made by `treewright words`, for treebanks of that language. --keep: checkpoints are written
to this folder, and a training that was interrupted continues from them; its minutes are those since then.
--encoder: the network reads the states of this pretrained encoder (`treewright train --encoder`), of which --frozen
layers stay as they are. --judged: the first N sentences of `dev`, and of the part that is parsed, are enough.
--orders: parsers of these models instead (such as grand and full), alone and beside one network that reads gold tags,
on sentences with gold tags.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import treewright as tw
from treewright.evaluate import evaluate
from treewright.network import Network, NetworkOptions
from treewright.words import Words

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

TREEBANKS = ("ud/Hungarian-Szeged", "ud/Portuguese-Bosque", "ud/Turkish-IMST", "ud/Irish-IDT", "ud/Vietnamese-VTB")
HEADER = f"{'treebank':20} {'seed':>4} {'model':8} {'UPOS':>6} {'UAS':>6} {'LAS':>6} {'min':>6} {'words/s':>8}"


class Row(NamedTuple):
    """The figures of one model."""

    upos: float
    uas: float
    las: float


def main() -> None:
    arguments = common.arguments(__doc__, treebanks=TREEBANKS)
    arguments.add_argument("--seeds", type=int, nargs="+", default=[1])
    arguments.add_argument("--sentences", type=int, help="train on the first N sentences only")
    arguments.add_argument("--epochs", type=int, help="of the network (default: by the size of the treebank)")
    arguments.add_argument("--part", choices=("dev", "test"), default="test")
    arguments.add_argument("--judged", type=int)
    arguments.add_argument("--encoder")
    arguments.add_argument("--frozen", type=int, default=0)
    arguments.add_argument("--words", type=Path)
    arguments.add_argument("--keep", type=Path)
    arguments.add_argument("--orders", nargs="+", metavar="MODEL", help="compare models beside one network")
    given = common.parse(arguments, needs="ud/English-EWT and others")
    _ = common.peer("torch").nn  # which ends the benchmark if PyTorch is missing
    words = None if given.words is None else Words.load(given.words)
    print(HEADER, flush=True)
    rows: dict[str, list[Row]] = {"linear": [], "network": []}
    for treebank in given.treebanks:
        folder = given.data / treebank
        name = folder.name
        train = list(islice(tw.read(folder / "train.conllu"), given.sentences))
        dev, gold = (list(islice(tw.read(folder / f"{part}.conllu"), given.judged)) for part in ("dev", given.part))
        if given.orders:
            for seed in given.seeds:
                compare_orders(name, given.orders, (train, dev, gold), NetworkOptions(epochs=given.epochs, seed=seed))
            continue
        bare = [without_annotation(sentence) for sentence in gold]
        for seed in given.seeds:
            keep = None if given.keep is None else given.keep / f"{name}-{len(train)}-{seed}"
            network = NetworkOptions()
            if given.encoder is not None:
                network = NetworkOptions.with_encoder(given.encoder, frozen=given.frozen)
            network = replace(network, epochs=given.epochs or network.epochs, seed=seed)
            nlp, minutes = train_pipeline(train, dev, network, words, keep)
            for kind, model in (("linear", nlp.without_network()), ("network", nlp)):
                row, speed = measure(gold, partial(model.parse, bare))
                rows[kind].append(row)
                print(line(name, str(seed), kind, row, f"{minutes:6.1f} {speed:8.0f}"), flush=True)
    for kind, runs in rows.items() if not given.orders else ():
        print(line("mean", "", kind, Row(*map(mean, zip(*runs, strict=True))), ""))


def compare_orders(
    name: str, orders: Sequence[str], parts: Sequence[Sequence[tw.Sentence]], network: NetworkOptions
) -> None:
    """Print the figures of parsers of several models on gold tags: alone, and beside one network that reads them."""
    train, dev, gold = parts
    begin = time.process_time()
    reader = Network.train(train, dev, options=network.reading_tags())
    minutes = (time.process_time() - begin) / 60
    for order in orders:
        begin = time.process_time()
        parser = tw.Parser.train(train, dev, model=order, seed=network.seed)
        alone = (time.process_time() - begin) / 60
        for kind, model in ((order, parser), (f"{order}+n", parser.with_network(reader, dev))):
            row, speed = measure(gold, partial(model.parse, gold))
            spent = alone if model is parser else minutes
            print(line(name, str(network.seed), kind, row, f"{spent:6.1f} {speed:8.0f}"), flush=True)


def line(name: str, seed: str, kind: str, row: Row, rest: str) -> str:
    """Return a line of the table."""
    return f"{name:20} {seed:>4} {kind:8} {row.upos:6.2f} {row.uas:6.2f} {row.las:6.2f} {rest}"


def train_pipeline(
    train: Sequence[tw.Sentence],
    dev: Sequence[tw.Sentence],
    network: NetworkOptions,
    words: Words | None,
    keep: Path | None,
) -> tuple[tw.Pipeline, float]:
    """Return a pipeline as its file has it, and the CPU minutes of its training."""
    begin = time.process_time()
    options: Any = {"seed": network.seed, "checkpoint": keep, "resume": keep is not None}
    nlp = tw.Pipeline.train(train, dev, network=network, words=words, note=print, **options)
    minutes = (time.process_time() - begin) / 60
    with tempfile.TemporaryDirectory() as folder:
        nlp.save(Path(folder) / "model.tw", pack=False)
        return tw.Pipeline.load(Path(folder) / "model.tw"), minutes


def without_annotation(sentence: tw.Sentence) -> tw.Sentence:
    """A copy with forms and multiword tokens alone."""
    nothing = ["_"] * len(sentence)
    columns = dict.fromkeys(("lemmas", "upos", "xpos", "feats", "deprels", "deps"), nothing)
    return sentence.with_columns(heads=[-1] * len(sentence), **columns)


def measure(gold: Sequence[tw.Sentence], parse: Callable[[], Iterable[tw.Sentence]]) -> tuple[Row, float]:
    """Return the figures of parsed sentences, and the words parsed in a CPU second."""
    begin = time.process_time()
    parsed = list(parse())
    speed = sum(map(len, gold)) / (time.process_time() - begin)
    scores = evaluate(gold, parsed).scores
    return Row(*(100 * scores[name].f1 for name in ("UPOS", "UAS", "LAS"))), speed


if __name__ == "__main__":
    main()
