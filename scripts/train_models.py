"""Train the models of the distribution in models/: eight languages, each light enough for its limit.

    python scripts/train_models.py FOLDER [--output FOLDER] [--languages af,fr]

FOLDER/ud has a folder for each treebank, as in French-Sequoia, with train.conllu, dev.conllu, test.conllu and
LICENSE.txt. Weights are pruned as `treewright train --light` does and, if the file is still larger than 5 MB, further:
the figures before and after are printed. A language whose model exists is skipped, and a killed training continues from
its checkpoints, which are in build/models. The figures of the card are those from the raw text of `test`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import treewright as tw
from treewright.evaluate import evaluate
from treewright.languages.cards import card_of, metadata_of
from treewright.languages.catalogue import find_treebank
from treewright.languages.fetch import TreebankFiles, find_on_disk
from treewright.languages.installed import card_path
from treewright.learn import Report
from treewright.model.checkpoint import checkpoint_path, remove_checkpoint
from treewright.pipeline import Pipeline, lighten, prune_weights
from treewright.tokeniser.tokeniser import text_and_ends

RELEASES = {  # language -> treebank and the UD release of its files
    "af": ("Afrikaans-AfriBooms", "2.16"),
    "fr": ("French-Sequoia", "2.17"),
    "ga": ("Irish-IDT", "2.6"),
    "lt": ("Lithuanian-ALKSNIS", "2.4"),
    "pt": ("Portuguese-Bosque", "2.16"),
    "ru": ("Russian-Taiga", "2.7"),
    "th": ("Thai-TUD", "2.17"),
    "vi": ("Vietnamese-VTB", "2.16"),
}
REPO = Path(__file__).parents[1]
MAX_BYTES = 5_000_000  # of a model, so that the distribution stays below the limits of package indexes
SHARES = (0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15)  # tried in this order for a model that is too large
FIGURES = ("Tokens", "Sentences", "Words", "UPOS", "UFeats", "Lemmas", "UAS", "LAS")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--output", type=Path, default=REPO / "models" / "treewright_models")
    arguments.add_argument("--languages", default=",".join(RELEASES), help="codes separated by commas")
    arguments.add_argument("--unfinished", type=Path, default=REPO / "build" / "models", help="for checkpoints")
    given = arguments.parse_args()
    given.unfinished.mkdir(parents=True, exist_ok=True)
    for code in given.languages.split(","):
        target = given.output / f"{code}.tw"
        if target.exists():
            print(f"{target} exists", flush=True)
        else:
            make_model(code, given.folder / "ud", target, given.unfinished / f"{code}.tw")


def make_model(code: str, folder: Path, target: Path, unfinished: Path) -> None:
    """Train, prune and judge the model of a language; write it with its card and licence."""
    treebank, release = RELEASES[code]
    entry = find_treebank(treebank)
    files = find_on_disk(entry, folder)
    dev = list(tw.read(files.dev or files.train))
    begin = time.process_time()
    whole = train(files, unfinished)
    small = fit_size(whole, dev, unfinished.with_suffix(".small"))
    print(f"{code}: {time.process_time() - begin:.0f} CPU seconds", flush=True)
    for name, nlp in (("whole", whole), ("small", small)):
        print(f"{code} {name}, dev: {figures_in_words(figures_of(nlp, dev))}", flush=True)
    figures = figures_of(small, list(tw.read(files.test or files.train)))
    metadata = metadata_of(code, entry, release, files.licence_text) | {"figures": figures, "figures_of": "test"}
    card_path(target).write_text(card_of(metadata), encoding="utf-8")
    target.with_suffix(".LICENSE.txt").write_text(files.licence_text or f"{entry.licence}\n", encoding="utf-8")
    replace(small, metadata=metadata).save(target)
    remove_checkpoint(unfinished)
    print(f"{target}: {target.stat().st_size / 1e6:.2f} MB, test: {figures_in_words(figures)}", flush=True)


def train(files: TreebankFiles, unfinished: Path) -> Pipeline:
    """Train a pipeline with checkpoints beside `unfinished`."""
    checkpoint = checkpoint_path(unfinished)
    return Pipeline.train(files.train, files.dev, checkpoint=checkpoint, resume=True, report=say)


def fit_size(whole: Pipeline, dev: Sequence[tw.Sentence], scratch: Path) -> Pipeline:
    """Return the light pipeline, or one that is pruned so far that its file has at most MAX_BYTES."""
    small = lighten(whole, dev)
    for share in SHARES:
        if size_of(small, scratch) <= MAX_BYTES:
            return small
        small = prune_weights(whole, parser=share, labeller=min(share, 0.03), tagger=0.01).calibrate(dev)
    return small


def size_of(nlp: Pipeline, scratch: Path) -> int:
    """Return the size of the file of a pipeline."""
    nlp.save(scratch)
    size = scratch.stat().st_size
    scratch.unlink()
    return size


def figures_of(nlp: Pipeline, gold: Sequence[tw.Sentence]) -> dict[str, float]:
    """Return F1 in per cent, from the raw text of a treebank, as the official script counts it."""
    scores = evaluate(gold, nlp(text_and_ends(gold)[0])).scores
    return {name: 100 * scores[name].f1 for name in FIGURES}


def figures_in_words(figures: Mapping[str, float]) -> str:
    """Write figures in one line."""
    return ", ".join(f"{name} {figure:.2f}" for name, figure in figures.items())


def say(report: Report) -> None:
    """Print the end of an epoch with the CPU time so far."""
    figures = figures_in_words(report.figures)
    print(f"{time.process_time():7.0f} s  {report.stage} {report.epoch}/{report.epochs} {figures}", flush=True)


if __name__ == "__main__":
    main()
