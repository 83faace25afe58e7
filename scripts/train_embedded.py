"""Train the English model that comes with Treewright.

    python scripts/train_embedded.py FOLDER [--output PATH] [--sentences N] [--folds K] [--light SHARE]

FOLDER holds ud/English-EWT/train.conllu, dev.conllu and test.conllu. Tokeniser and tagger learn from `train`. So does
the parser, from tags that the tagger would give: each part of `train` is tagged by a tagger that learned from the rest.
Epochs are chosen on `dev`. Then weights that hardly count are dropped and the others rounded; what that costs on `dev`,
from raw text, is printed before the model is saved. Its figures on `test` go into the model card beside it. The same
data gives the same file.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import treewright as tw
from treewright.evaluate import evaluate
from treewright.models import EMBEDDED
from treewright.parser import ParserOptions, Pruning, Scoring
from treewright.pipeline import Pipeline, prune_weights
from treewright.tagger.tokeniser import text_and_ends

LARGEST = 12_000_000  # bytes
DEAREST = 0.2  # points of LAS that a smaller file may cost
FIGURES = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX")
BEGIN, END = "<!-- figures: written by scripts/train_embedded.py -->", "<!-- end of figures -->"  # in the model card
# More patient than the defaults, which are for people who wait.
THOROUGH = ParserOptions("grand", True, "single", pruning=Pruning(epochs=3, folds=4), scoring=Scoring(epochs=8))
METADATA = {
    "name": "en",
    "language": "English",
    "training_data": "Universal Dependencies English-EWT 2.16, train",
    "licence": "CC BY-SA 4.0",
}


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--output", type=Path, default=EMBEDDED["en"])
    arguments.add_argument("--sentences", type=int, help="learn from the first N only")
    arguments.add_argument("--folds", type=int, default=4)
    arguments.add_argument("--light", type=float, default=0.01, help="drop weights below this share of the largest")
    given = arguments.parse_args()
    bank = given.folder / "ud" / "English-EWT"
    train, dev = list(islice(tw.read(bank / "train.conllu"), given.sentences)), list(tw.read(bank / "dev.conllu"))
    whole = Pipeline.train(train, dev, options=THOROUGH, folds=given.folds, metadata=METADATA, report=say)
    light = prune_weights(whole, parser=given.light)
    lost = compare(whole, light, dev)
    light.save(given.output)
    size = given.output.stat().st_size
    print(f"{given.output}: {size / 1e6:.2f} MB, {lost:.2f} points of LAS lost", flush=True)
    if size > LARGEST or lost > DEAREST:
        sys.exit(f"at most {LARGEST / 1e6:.0f} MB and {DEAREST} points are allowed: try another --light")
    write_card(given.output.with_name("MODEL_CARD.md"), light, list(tw.read(bank / "test.conllu")))


def say(what: object) -> None:
    """A line with the time so far."""
    print(f"{time.process_time():7.0f} s  {what}", flush=True)


def compare(whole: Pipeline, light: Pipeline, dev: Sequence[tw.Sentence]) -> float:
    """Print the figures of both on raw text, and return the points of LAS that the second is worse."""
    print(f"{'':10} " + " ".join(f"{name:>9}" for name in FIGURES))
    las = []
    for name, nlp in (("whole", whole), ("light", light)):
        figures = figures_of(nlp, dev)
        print(f"{name:10} " + " ".join(f"{figure:9.2f}" for figure in figures.values()), flush=True)
        las.append(figures["LAS"])
    return las[0] - las[1]


def figures_of(nlp: Pipeline, gold: Sequence[tw.Sentence]) -> dict[str, float]:
    """F1 in per cent, from the raw text of a treebank, as the official script counts it."""
    scores = evaluate(gold, nlp(text_and_ends(gold)[0])).scores
    return {figure: 100 * scores[figure].f1 for figure in FIGURES}


def write_card(path: Path, nlp: Pipeline, test: Sequence[tw.Sentence]) -> None:
    """Put the figures on `test` in the place of the old ones."""
    rows = [f"| {name} | {figure:.2f} |" for name, figure in figures_of(nlp, test).items()]
    table = ["From the raw text of `test`, F1 as the official script counts it:", "", "| | |", "|---|---|", *rows]
    if path.exists():
        before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
        _, end, after = rest.partition(END)
        path.write_text(before + begin + "\n".join(["", *table, ""]) + end + after, encoding="utf-8")
    print("\n".join(table), flush=True)


if __name__ == "__main__":
    main()
