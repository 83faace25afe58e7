"""What do a tensor, third-order parts and global features add to the second-order parser?

`grand` is the second-order parser inside the others, trained once for each treebank and seed; tensor and factors of
each row are trained beside the same jackknifed scorers. UAS and LAS count every word, with gold tags, on --part; `dev`
chooses epochs. CPU seconds of one thread: training is that of the first model, or of the first and of what is new;
words per second are those of parsing without confidence. The peak of the memory is that of all.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean

import treewright as tw
from treewright.features.standard import STANDARD
from treewright.learn import Numbers, State, Training
from treewright.parser import Parser, ParserOptions, resolve
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
    arguments = common.arguments(__doc__, treebanks=TREEBANKS)
    arguments.add_argument("--sentences", type=int, default=None)
    arguments.add_argument("--seeds", type=int, nargs="*", default=[1])
    arguments.add_argument("--models", nargs="*", default=["tensor", "third", "full"])
    arguments.add_argument("--part", default="test")
    given = common.parse(arguments, needs="ud/Hungarian-Szeged and others")
    rows: dict[str, dict[str, list[Figures]]] = {}
    for treebank in given.treebanks:
        data = read(given.data / treebank, given.sentences, given.part)
        of_treebank = rows.setdefault(f"{treebank}, {len(data.train)} sentences", {})
        for seed in given.seeds:
            print(f"{treebank}, {len(data.train)} sentences, seed {seed}, {given.part}")
            print(f"{'':36} {'UAS':>6} {'LAS':>6} {'words/s':>9} {'training s':>11}", flush=True)
            for name, row in compare(data, seed, given.models):
                of_treebank.setdefault(name, []).append(row)
                print(
                    f"{name:36} {row.uas:6.2f} {row.las:6.2f} {row.words_a_second:9.0f} {row.training:11.1f} "
                    f"{row.gain:+6.2f}",
                    flush=True,
                )
    for treebank, of_treebank in rows.items():
        print(f"{treebank}, seeds {' '.join(map(str, given.seeds))}: UAS, LAS, UAS over grand; mean (range)")
        show_means(of_treebank)
    if len(rows) > 1:
        print("all: UAS, LAS, UAS over grand; mean over treebanks and seeds (range)")
        names = next(iter(rows.values()))
        show_means({name: [row for of_treebank in rows.values() for row in of_treebank[name]] for name in names})
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


def show_means(rows: Mapping[str, Sequence[Figures]]) -> None:
    for name, runs in rows.items():
        columns = zip(*((run.uas, run.las, run.gain) for run in runs), strict=True)
        cells = [f"{mean(column):6.2f} ({min(column):.2f} to {max(column):.2f})" for column in columns]
        print(f"{name:36} {'  '.join(cells)}")


def read(folder: Path, sentences: int | None, part: str) -> Data:
    extension = "conll" if (folder / "train.conll").exists() else "conllu"
    train, dev, other = (list(tw.read(folder / f"{split}.{extension}")) for split in ("train", "dev", part))
    return Data(train[:sentences], dev, other)


def compare(data: Data, seed: int, models: Sequence[str]) -> Iterator[tuple[str, Figures]]:
    """Yield the figures of `grand` and of the models."""
    shared, grand = 0.0, None
    weights: dict[str, Numbers] = {}
    for model in models:
        parser, seconds = train(data, ParserOptions(model=model, seed=seed), weights)
        if grand is None:
            inner = measure(Parser(replace(parser.without_factors().model, tensor=None)), data, seconds)
            shared, grand = seconds, inner.uas
            yield "grand", replace(inner, gain=0.0)
            yield model, measure(parser, data, seconds, grand)
        else:
            yield model, measure(parser, data, shared + seconds, grand)


def train(data: Data, options: ParserOptions, weights: dict[str, Numbers]) -> tuple[Parser, float]:
    """Return a parser and the CPU seconds of the stages that have no weights yet; add the weights that models share.

    Not shared are those of factors, and of labels: projectivity is chosen when that stage is prepared.
    """
    start = time.process_time()
    settings = resolve(options, data.train)
    training = Training(settings.seed, State(weights=dict(weights)))
    model = train_model(data.train, data.dev, settings, training, templates=STANDARD)
    seconds = time.process_time() - start
    weights |= {stage: array for stage, array in training.state.weights.items() if stage not in ("factors", "labeller")}
    return Parser(model), seconds


def measure(parser: Parser, data: Data, training: float, grand: float = 0.0) -> Figures:
    start = time.process_time()
    parsed = list(parser.parse(data.part, confidence=False))
    seconds = time.process_time() - start
    scores = tw.evaluate.evaluate(data.part, parsed)
    words, uas = sum(map(len, data.part)), 100 * scores["UAS"].f1
    return Figures(uas, 100 * scores["LAS+"].f1, words / seconds, training, uas - grand)


if __name__ == "__main__":
    main()
