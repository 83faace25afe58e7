"""Accuracy and speed of the tagger, compared with the tagger of UDPipe 1.

For each treebank under DATA/ud both are trained on the first N sentences of `train` (0: on all), without development
data, and tag `test` with gold tokens. Percentage of words with the correct cell; words per second of CPU time on one
thread, minimum of the repeats, each with a newly loaded model; CPU seconds of training. Without
a folder, a generated language shows that the benchmark runs. UDPipe is trained with its default options except
--iterations; --keep stores its models in a folder and reuses them, since its training is slow (a CPU minute per 10,000
words).
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import treewright as tw

sys.path.insert(0, str(Path(__file__).parents[1]))
import common
from udpipe_peer import train_udpipe, udpipe, udpipe_sentences

TREEBANKS = ("ud/English-EWT", "ud/Turkish-IMST", "ud/Hungarian-Szeged")
COLUMNS = ("UPOS", "XPOS", "FEATS", "LEMMA")
REPEATS = 3

Cells = list[list[tuple[str, ...]]]  # sentence, word, column
Model = TypeVar("Model")
Input = TypeVar("Input")
Found = TypeVar("Found")


class Run(NamedTuple):
    """The cells that a system found, its CPU seconds, and those of training (0 if the model was reused)."""

    found: Cells
    seconds: float
    learning: float


def main() -> None:
    parser = common.arguments(__doc__, treebanks=TREEBANKS)
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--part", default="test")
    parser.add_argument("--keep", type=Path)
    given = common.parse(parser)
    columns = f"{'UPOS':>7} {'XPOS':>7} {'FEATS':>7} {'LEMMA':>7} {'all tags':>8} {'words/s':>9} {'learning':>8}"
    print(f"{'':18} {'':10} {'words':>6} {columns}")
    with tempfile.TemporaryDirectory() as scratch:
        for treebank in given.treebanks if given.data else ["generated"]:
            name = Path(treebank).name
            train, test = files_of(
                given.data and given.data / treebank, name, Path(scratch), given.sentences, given.part
            )
            gold = cells_of(tw.read(test))
            kept = (given.keep or Path(scratch)) / f"{name}.{given.sentences}.{given.iterations}.udpipe"
            theirs = run_udpipe(train, test, given.iterations, kept)
            print_row(name, "UDPipe 1", gold, theirs)
            ours = run_ours(train, test)
            print_row(name, "Treewright", gold, ours)
            print(f"{'':18} {'faster by':10} {theirs.seconds / ours.seconds:.1f} times", flush=True)


def files_of(folder: Path | None, name: str, scratch: Path, sentences: int, part: str) -> tuple[Path, Path]:
    train, test = scratch / f"{name}.train.conllu", scratch / f"{name}.test.conllu"
    if folder is None:
        tw.write(common.suffix_language(200, 1), train)
        tw.write(common.suffix_language(100, 2), test)
    else:
        tw.write(islice(tw.read(folder / "train.conllu"), sentences or None), train)
        tw.write(tw.read(folder / f"{part}.conllu"), test)
    return train, test


def cells_of(sentences: Iterable[tw.Sentence]) -> Cells:
    return [list(zip(*(sentence.column(name) for name in COLUMNS), strict=True)) for sentence in sentences]


def fastest(
    load: Callable[[], Model], prepare: Callable[[], Input], tag: Callable[[Model, Input], Found]
) -> tuple[Found, float]:
    """The result of `tag`, and the lowest CPU time of the repeats."""
    times = []
    for _ in range(REPEATS):
        model, sentences = load(), prepare()
        begin = time.process_time()
        found = tag(model, sentences)
        times.append(time.process_time() - begin)
    return found, min(times)


def run_ours(train: Path, test: Path) -> Run:
    begin = time.process_time()
    model = tw.tagger.Tagger.train(train).model
    trained = time.process_time() - begin
    found, seconds = fastest(
        lambda: tw.tagger.Tagger(model),
        lambda: list(tw.read(test)),
        lambda tagger, sentences: list(tagger.tag(sentences, confidence=False)),
    )
    return Run(cells_of(found), seconds, trained)


def run_udpipe(train: Path, test: Path, iterations: int, kept: Path) -> Run:
    trained = 0.0
    if not kept.exists():
        begin = time.process_time()
        kept.write_bytes(train_udpipe(train, "none", f"iterations={iterations}"))
        trained = time.process_time() - begin
    error = udpipe.ProcessingError()

    def tag(model: Any, sentences: list[Any]) -> list[Any]:
        for sentence in sentences:
            model.tag(sentence, model.DEFAULT, error)
        return sentences

    found, seconds = fastest(lambda: udpipe.Model.load(str(kept)), lambda: list(udpipe_sentences(test)), tag)
    cells: Cells = [
        [(word.upostag, word.xpostag or "_", word.feats or "_", word.lemma) for word in list(sentence.words)[1:]]
        for sentence in found
    ]
    return Run(cells, seconds, trained)


def print_row(name: str, system: str, gold: Cells, run: Run) -> None:
    pairs = [(a, b) for x, y in zip(gold, run.found, strict=True) for a, b in zip(x, y, strict=True)]
    right = [100 * sum(a[place] == b[place] for a, b in pairs) / len(pairs) for place in range(len(COLUMNS))]
    tags = 100 * sum(a[:3] == b[:3] for a, b in pairs) / len(pairs)
    figures = " ".join(f"{figure:7.2f}" for figure in right)
    learning = f"{run.learning:8.0f}" if run.learning else f"{'kept':>8}"
    speed = len(pairs) / run.seconds
    print(f"{name:18} {system:10} {len(pairs):6} {figures} {tags:8.2f} {speed:9.0f} {learning}", flush=True)


if __name__ == "__main__":
    main()
