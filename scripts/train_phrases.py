"""Train the English grammar of phrases that comes with Treewright.

    python scripts/train_phrases.py FOLDER [--grammars N] [--rounds N] [--trees N] [--keep FOLDER] [--compare]

FOLDER has trees/English-GUM with train.mrg and dev.mrg, and trees/CRAFT with test.mrg. Grammars with the seeds 1, 2 and
so on are trained on GUM, each in a file of --keep, where those that are there already are not trained again. Their
product is made small, and its confidence is calibrated on the development trees with the tags of the English pipeline.
Its figures are printed and written to the model card beside it; --compare prints those of each grammar, of the product
before it was made small, and without the tags of the pipeline. The same data gives the same file.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

import treewright as tw
from treewright.corpus import Sentence, Tree
from treewright.corpus.transforms import ESCAPES
from treewright.evaluate import reliability
from treewright.grammar import LatentGrammar, product
from treewright.grammar.kinds import scores_of
from treewright.grammar.latent import LatentParse, calibration_of
from treewright.grammar.trees import trees_of
from treewright.joint.model import evenly_spaced
from treewright.languages.installed import EMBEDDED
from treewright.model import modelfile
from treewright.pipeline.phrases import find_phrases

MAX_BYTES = 6_000_000  # of the file
BEGIN, END = "<!-- phrases: written by scripts/train_phrases.py -->", "<!-- end of phrases -->"  # in the model card
METADATA = {
    "name": "en_phrases",
    "language": "English",
    "treebank": "English-GUM",
    "release": "2025-05",
    "training_data": "GUM 2025-05, phrase-structure trees of the ten genres that are free for any use, train",
    "licence": "CC BY-SA 4.0",
}


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--grammars", type=int, default=2)
    arguments.add_argument("--rounds", type=int, default=4)
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--keep", type=Path, default=Path("phrases"))
    arguments.add_argument("--trees", type=int, default=500, help="of each treebank to parse, at equal distances")
    arguments.add_argument("--compare", action="store_true", help="score the grammars and their product too")
    arguments.add_argument("--output", type=Path, default=EMBEDDED["en_phrases"])
    given = arguments.parse_args()
    gum, craft = given.folder / "trees" / "English-GUM", given.folder / "trees" / "CRAFT"
    dev = evenly_spaced(trees_of(gum / "dev.mrg")[0], given.trees)
    members = [member(gum, given, seed) for seed in range(1, given.grammars + 1)]
    whole = product(members)
    light = whole.lighten()
    tagged = tagged_sentences(dev)
    if given.compare:
        for name, grammar in [*((f"grammar {n}", one) for n, one in enumerate(members, 1)), ("product", whole)]:
            report(name, dev, find_phrases(tagged, grammar))
        report("light, tags of the grammar", dev, (light.parse(tree.leaves(), partial=True) for tree in dev))
    parses = list(find_phrases(tagged, light))
    figures = {f"GUM `dev`, {len(dev):,} trees": report("GUM dev", dev, parses)}
    print(f"calibration error: {100 * calibration_error(dev, parses):.2f} points", flush=True)
    calibrated = LatentGrammar(light.models, calibration_of(dev, parses))
    header, arrays = calibrated.to_arrays()
    modelfile.save(
        *(given.output, calibrated.KIND, calibrated.FORMAT, {**header, "metadata": METADATA}, arrays), pack=True
    )
    size = given.output.stat().st_size
    print(f"{given.output}: {size / 1e6:.2f} MB", flush=True)
    if size > MAX_BYTES:
        sys.exit(f"at most {MAX_BYTES / 1e6:.0f} MB are allowed: try fewer --grammars")
    test = evenly_spaced(trees_of(craft / "test.mrg")[0], given.trees)
    parses = list(find_phrases(tagged_sentences(test), calibrated))
    figures[f"CRAFT `test`, {len(test):,} trees"] = report("CRAFT test", test, parses)
    write_card(given.output.with_name("MODEL_CARD.md"), figures)


def member(gum: Path, given: argparse.Namespace, seed: int) -> LatentGrammar:
    """Load a grammar that was trained before, or train it."""
    file = given.keep / f"gum-{seed}.tw"
    if not file.exists():
        given.keep.mkdir(parents=True, exist_ok=True)
        trained = LatentGrammar.train(
            gum / "train.mrg",
            rounds=given.rounds,
            seed=seed,
            threads=given.threads,
            checkpoint=file.with_suffix(".checkpoint"),
            resume=True,
            report=say,
        )
        trained.save(file)
    return LatentGrammar.load(file)


def tagged_sentences(trees: Sequence[Tree]) -> list[Sentence]:
    """The words of trees with the tags of the English pipeline."""
    written = {escaped: word for word, escaped in ESCAPES.items()}
    plain = [Sentence.from_words([written.get(word, word) for word in tree.leaves()]) for tree in trees]
    return list(tw.load("en").tag(plain, confidence=False))


def report(name: str, gold: Sequence[Tree], parses: Iterable[LatentParse]) -> dict[str, float]:
    """Print and return the figures of parses."""
    begin = time.process_time()
    found = list(parses)
    scores = scores_of(gold, [parse.tree for parse in found])
    figures = {
        "F1": 100 * scores.brackets.f1,
        "precision": 100 * scores.brackets.precision,
        "recall": 100 * scores.brackets.recall,
        "tags": 100 * scores.tagging_accuracy,
    }
    shown = ", ".join(f"{key} {value:.2f}" for key, value in figures.items())
    print(f"{name}: {shown}; {time.process_time() - begin:.0f} CPU s", flush=True)
    return figures


def calibration_error(trees: Sequence[Tree], parses: Sequence[LatentParse]) -> float:
    """Calibrate on every second tree; return the expected calibration error of the phrases of the others."""
    calibration = calibration_of(trees[::2], parses[::2])
    confidence = [value for parse in parses[1::2] for value in parse.confidence]
    right = [
        span in set(tree.spans())
        for tree, parse in zip(trees[1::2], parses[1::2], strict=True)
        for span in [span for span in parse.spans if span.label][: len(parse.confidence)]
    ]
    return reliability(calibration.apply(confidence), np.array(right)).ece


def write_card(path: Path, figures: Mapping[str, Mapping[str, float]]) -> None:
    """Replace the figures of phrases in the model card by these."""
    names = list(next(iter(figures.values())))
    rows = [f"| {data} | " + " | ".join(f"{row[name]:.2f}" for name in names) + " |" for data, row in figures.items()]
    table = ["", f"| | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|", *rows, ""]
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    path.write_text(before + begin + "\n".join(table) + end + after, encoding="utf-8")


def say(what: object) -> None:
    """A line with the time so far."""
    print(f"{time.process_time():7.0f} s  {what}", flush=True)


if __name__ == "__main__":
    main()
