"""Accuracy of the tagger on text in lower case, in capitals and in title case, by the share of case noise in training.

    python benchmarks/casing.py [FOLDER] [--treebank NAME ...] [--shares S ...] [--seeds N ...] [--sentences N]

A tagger is trained in this run for each share and seed, on N sentences of the treebank's `train`, evenly spaced. The
figures are the shares of words of `dev`, in per cent, that have the right UPOS, all the right tags, and the right lemma
regardless of case, when the forms are written in another casing. Without a folder it prints a message and stops.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import treewright as tw
from treewright.tagger import Tagger, TaggerOptions

CASINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "lower": str.lower,
    "capitals": str.upper,
    "title": lambda form: form[:1].upper() + form[1:],
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--treebank", nargs="*", default=["English-EWT", "Portuguese-Bosque", "Turkish-IMST"])
    parser.add_argument("--shares", type=float, nargs="*", default=[0.0, 0.1, 0.2, 0.3])
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--sentences", type=int, default=4000)
    given = parser.parse_args()
    if given.folder is None:
        print("needs a folder with ud/NAME/train.conllu and dev.conllu")
        return
    print(f"{platform.machine()}, Python {platform.python_version()}, treewright {tw.__version__}")
    for treebank in given.treebank:
        bank = given.folder / "ud" / treebank
        train, dev = (list(tw.read(bank / f"{part}.conllu")) for part in ("train", "dev"))
        train = train[:: max(1, len(train) // given.sentences)]
        print(f"{treebank}, {len(train)} sentences to learn from; UPOS, all tags, lemmas in per cent")
        print(f"{'share':>5} {'seed':>4} " + " ".join(f"{name:>17}" for name in CASINGS) + f" {'CPU s':>5}", flush=True)
        for share in given.shares:
            for seed in given.seeds:
                print_row(train, dev, replace(TaggerOptions(), case_noise=share, seed=seed))


def print_row(train: Sequence[tw.Sentence], dev: Sequence[tw.Sentence], options: TaggerOptions) -> None:
    """Train with these options and print the figures."""
    start = time.process_time()
    tagger = Tagger.train(train, options=options)
    seconds = time.process_time() - start
    rows = (figures_of(tagger, dev, change) for change in CASINGS.values())
    cells = " ".join(" ".join(f"{figure:5.2f}" for figure in row) for row in rows)
    print(f"{options.case_noise:5.2f} {options.seed:4} {cells} {seconds:5.0f}", flush=True)


def figures_of(tagger: Tagger, dev: Sequence[tw.Sentence], change: Callable[[str], str]) -> tuple[float, float, float]:
    """UPOS, all tags, and lemmas in lower case."""
    upos = tags = lemmas = 0
    for gold in dev:
        written = gold.with_columns(forms=[change(form) for form in gold.forms])
        [found] = tagger.tag([written], confidence=False)
        both = list(zip(found.upos, found.xpos, found.feats, strict=True))
        wanted = list(zip(gold.upos, gold.xpos, gold.feats, strict=True))
        upos += sum(one == other for one, other in zip(found.upos, gold.upos, strict=True))
        tags += sum(one == other for one, other in zip(both, wanted, strict=True))
        lemmas += sum(one.lower() == other.lower() for one, other in zip(found.lemmas, gold.lemmas, strict=True))
    words = sum(map(len, dev))
    return 100 * upos / words, 100 * tags / words, 100 * lemmas / words


if __name__ == "__main__":
    main()
