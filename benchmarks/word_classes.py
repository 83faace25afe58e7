"""What classes of words add to the linear templates, alone and beside a network that reads them too.

    python benchmarks/word_classes.py DATA WORDS [--set NAME] [--sentences N] [--seeds N ...]

WORDS is a file of `treewright words` with vectors and classes. Parsers are trained on gold tags with and without the
classes, which are given to the templates as features of words (FEATS: prefixes of the bit path of 4, 6 and 10 bits, and
the path), and each is measured alone and in a sum with the same network, which reads the tags too (PyTorch is needed).
UAS and LAS on `dev` and `test` as the official script counts them, with the mean over the seeds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from statistics import mean

import treewright as tw
from treewright.evaluate import evaluate
from treewright.network import Network, NetworkOptions
from treewright.network.inputs import path_prefixes
from treewright.parser import ParserOptions
from treewright.words import Words

Figures = dict[str, list[float]]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("words", type=Path)
    arguments.add_argument("--set", default="English-EWT")
    arguments.add_argument("--sentences", type=int, default=4000, help="train on the first N sentences (default 4000)")
    arguments.add_argument("--seeds", type=int, nargs="+", default=[1])
    given = arguments.parse_args()
    folder, words = given.data / "ud" / given.set, Words.load(given.words)
    train = list(islice(tw.read(folder / "train.conllu"), given.sentences))
    dev, test = (list(tw.read(folder / f"{part}.conllu")) for part in ("dev", "test"))
    print(f"{'seed':>4} {'model':26} {'dev UAS':>8} {'LAS':>6} {'test UAS':>9} {'LAS':>6} {'CPU min':>8}", flush=True)
    found: Figures = {}
    for seed in given.seeds:
        begin = time.process_time()
        network = Network.train(train, dev, words=words, options=NetworkOptions(seed=seed).reading_tags())
        minutes = (time.process_time() - begin) / 60
        for with_classes in (False, True):
            parts = [classified(part, words) if with_classes else part for part in (train, dev, test)]
            begin = time.process_time()
            linear = tw.Parser.train(parts[0], parts[1], options=ParserOptions(seed=seed))
            own = (time.process_time() - begin) / 60
            name = "linear, classes" if with_classes else "linear"
            show(seed, name, linear, parts[1:], own, found)
            show(seed, f"{name} + network", linear.with_network(network, parts[1]), parts[1:], own + minutes, found)
    for name, figures in found.items():
        columns = [mean(figures[place::4]) for place in range(4)]
        print(f"mean {name:26} {columns[0]:8.2f} {columns[1]:6.2f} {columns[2]:9.2f} {columns[3]:6.2f}")


def classified(sentences: Sequence[tw.Sentence], words: Words) -> list[tw.Sentence]:
    """Copies whose words have the classes of their forms among their features."""
    found = []
    for sentence in sentences:
        copy = sentence.copy()
        copy.feats = [
            "|".join([value for value in (feats,) if value != "_"] + class_features(words, form)) or "_"
            for form, feats in zip(sentence.forms, sentence.feats, strict=True)
        ]
        found.append(copy)
    return found


def class_features(words: Words, form: str) -> list[str]:
    """The class of a form as features."""
    path = words.classes.get(form) or words.classes.get(form.lower()) or ""
    return [f"Class{number}={prefix}" for number, prefix in enumerate(path_prefixes(path))]


def show(
    seed: int, name: str, parser: tw.Parser, parts: Sequence[Sequence[tw.Sentence]], minutes: float, found: Figures
) -> None:
    """Measure a parser and print its line."""
    figures = []
    for gold in parts:
        scores = evaluate(gold, list(parser.parse(gold, confidence=False))).scores
        figures += [100 * scores["UAS"].f1, 100 * scores["LAS"].f1]
    found.setdefault(name, []).extend(figures)
    print(
        f"{seed:4} {name:26} {figures[0]:8.2f} {figures[1]:6.2f} {figures[2]:9.2f} {figures[3]:6.2f} {minutes:8.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
