"""How fast does a network read sentences?

A network with random weights reads English-EWT test (DATA/ud), or sentences of random words with a similar distribution
of words and lengths. Words per second of CPU time on one thread, the best of three runs, 64 sentences in a call: with
the products of word types kept from call to call (after one run over all sentences); computed in each call; with one
sentence in a call; without vector instructions; and in NumPy by the definition, one sentence at a time. The rows of the
tables of a word are found once for each word type that is kept, and again in each call where none is kept. Labels of
given trees are not part of the first rows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from oracles.networks import expected, random_network

import treewright as tw
from treewright.network import Network
from treewright.network.model import NetworkModel, NetworkSizes
from treewright.network.worker import NetworkWorker

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

CALL = 64  # sentences in a call, as streams.CHUNK
NUMPY_SENTENCES = 100
VOCABULARY = 5000  # words of the random sentences: as many as English-EWT test has

Sentences = list[list[str]]


def main() -> None:
    arguments = common.arguments(__doc__)
    arguments.add_argument("--units", type=int, default=128)
    arguments.add_argument("--layers", type=int, default=2)
    arguments.add_argument("--tags", type=int, default=400)
    arguments.add_argument("--profile", action="store_true", help="only the first row, for a profiler")
    given = common.parse(arguments)
    sentences = sentences_of(given.data)
    model = network(given.units, given.layers, given.tags)
    words = sum(map(len, sentences))
    print(f"{given.layers} x {given.units} units, {given.tags} tags; {len(sentences)} sentences, {words} words")
    print(f"{'':44} {'words/s':>8} {'ratio':>6}", flush=True)
    rows = runs(model, sentences)
    if given.profile:
        rows = dict([next(iter(rows.items()))])
    first = None
    for name, (run, count) in rows.items():
        speed = count / common.fastest(run)[1]
        first = first or speed
        print(f"{name:44} {speed:8.0f} {speed / first:6.2f}", flush=True)


def network(units: int, layers: int, tags: int) -> NetworkModel:
    """The sizes of the inputs and scorers are those of the study that chose the architecture."""
    sizes = NetworkSizes(word=64, vector=100, cls=32, subword=64, units=units, layers=layers, arc=128, label=96)
    columns = {"upos": tuple(map(str, range(17))), "xpos": tuple(map(str, range(tags - 17)))}
    return random_network(0, sizes, buckets=16384, columns=columns, labels=tuple(map(str, range(50))))


def sentences_of(folder: Path | None) -> Sentences:
    if folder is not None:
        return [list(sentence.forms) for sentence in tw.read(folder / "ud" / "English-EWT" / "test.conllu")]
    random = np.random.default_rng(0)
    lengths = 1 + random.geometric(1 / 12, size=2000)
    return [[f"w{min(int(word), VOCABULARY)}" for word in random.zipf(1.3, size=length)] for length in lengths]


def runs(model: NetworkModel, sentences: Sentences) -> dict[str, tuple[Callable[[], object], int]]:
    """What is measured, and the words that it reads."""
    reader = Network(model)._new_worker()
    portable = NetworkWorker(model, reader.inputs, reader.weights, portable=True)
    words = sum(map(len, sentences))
    some = sentences[:NUMPY_SENTENCES]
    readings = reader.read(sentences)
    trees = [np.r_[-1, np.arange(len(forms))].astype(np.int32) for forms in sentences]

    def labels() -> object:
        return [reading.labels(heads) for reading, heads in zip(readings, trees, strict=True)]

    return {
        "products of word types kept": (lambda: read(reader, sentences), words),
        "products of word types computed in each call": (lambda: read(reader, sentences, clear=True), words),
        "kept, one sentence in a call": (lambda: read(reader, sentences, size=1), words),
        "kept, without vector instructions": (lambda: read(portable, some), sum(map(len, some))),
        "labels of given trees alone": (labels, words),
        "NumPy, one sentence at a time": (lambda: by_definition(model, some), sum(map(len, some))),
    }


def read(reader: NetworkWorker, sentences: Sentences, *, size: int = CALL, clear: bool = False) -> None:
    for begin in range(0, len(sentences), size):
        if clear:
            reader.clear()
        reader.read(sentences[begin : begin + size])


def by_definition(model: NetworkModel, sentences: Sequence[Sequence[str]]) -> None:
    for forms in sentences:
        found = expected(model, forms)
        _ = found.arcs, found.tags


if __name__ == "__main__":
    main()
