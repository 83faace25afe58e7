"""Are tokens, words and sentences found as well as by UDPipe 1, and how fast?

    python benchmarks/tokenising.py [FOLDER] [--sentences N] [--epochs K] [--treebank NAME]

Both learn from the first N sentences of the treebank's `train`, in this run, and cut the raw text of its `test` (tokens
joined as their SpaceAfter says, a blank line before documents and paragraphs). F1 as the official script counts it;
characters a second of CPU time. Without a folder it says so and stops.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import ufal.udpipe as udpipe
from tagging import silence, udpipe_sentences

import treewright as tw
from treewright.evaluate import evaluate
from treewright.tagger.tokeniser import text_and_ends

FIGURES = ("Tokens", "Words", "Sentences")
Cut = Callable[[str], list[tw.Sentence]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--treebank", default="English-EWT")
    given = parser.parse_args()
    if given.folder is None:
        print("wants a folder with ud/English-EWT/train.conllu and test.conllu")
        return
    bank = given.folder / "ud" / given.treebank
    gold = list(tw.read(bank / "test.conllu"))
    text, _ = text_and_ends(gold)
    print(f"{platform.machine()}, Python {platform.python_version()}, treewright {tw.__version__}, one thread")
    print(f"{given.treebank}, {given.sentences} sentences to learn from, {len(text)} characters to cut")
    print(f"{'':20} {'Tokens':>8} {'Words':>8} {'Sentences':>10} {'characters/s':>13}")
    with tempfile.TemporaryDirectory() as scratch:
        train = Path(scratch) / "train.conllu"
        tw.write(islice(tw.read(bank / "train.conllu"), given.sentences), train)
        systems: dict[str, Cut] = {
            "Treewright, rules": tw.tagger.Tokeniser(),
            "Treewright, learned": tw.tagger.Tokeniser.train(train),
            "UDPipe 1": udpipe_tokeniser(train, given.epochs),
        }
        for name, cut in systems.items():
            print_row(name, cut, text, gold)


def udpipe_tokeniser(train: Path, epochs: int) -> Cut:
    error = udpipe.ProcessingError()
    with silence():
        trained = udpipe.Trainer.train(
            *("morphodita_parsito", udpipe_sentences(train), udpipe.Sentences()),
            *(f"epochs={epochs}", "none", "none", error),
        )
    if error.occurred():
        raise SystemExit(f"UDPipe: {error.message}")
    with tempfile.NamedTemporaryFile() as file:
        file.write(trained)
        file.flush()
        model = udpipe.Model.load(file.name)
    pipeline = udpipe.Pipeline(model, "tokenize", udpipe.Pipeline.NONE, udpipe.Pipeline.NONE, "conllu")
    return lambda text: [tw.Sentence(f"{block}\n\n") for block in pipeline.process(text).strip().split("\n\n")]


def print_row(name: str, cut: Cut, text: str, gold: list[tw.Sentence]) -> None:
    begin = time.process_time()
    found = cut(text)
    seconds = time.process_time() - begin
    scores = evaluate(gold, [with_some_tree(sentence) for sentence in found]).scores
    figures = [100 * scores[figure].f1 for figure in FIGURES]
    print(f"{name:20} {figures[0]:8.2f} {figures[1]:8.2f} {figures[2]:10.2f} {len(text) / seconds:13.0f}", flush=True)


def with_some_tree(sentence: tw.Sentence) -> tw.Sentence:
    """The figures of tokens ask for trees, whatever they are."""
    rest = len(sentence) - 1
    return sentence.with_columns(heads=[0] + [1] * rest, deprels=["root"] + ["dep"] * rest)


if __name__ == "__main__":
    sys.exit(main())
