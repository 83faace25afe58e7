"""Train the English model that comes with Treewright.

    python scripts/train_embedded.py FOLDER --parsed FILE [--output PATH] [--folds K] [--light SHARE]
    python scripts/train_embedded.py FOLDER --linear --lexicon FILE [--parsed FILE] [--output PATH]
    python scripts/train_embedded.py FOLDER --adapt NETWORK [--linear-models FILE]
    python scripts/train_embedded.py FOLDER --network NETWORK [--linear-models FILE] [--output PATH]

FOLDER has ud/English-EWT and ud/English-GUM with train.conllu and dev.conllu, the first also test.conllu, and in words/
the vectors and classes of words that the network reads (it needs PyTorch; --linear trains a model without a network).
All components learn from both treebanks, all but the first also from data/constructions and from sentences that a model
with a network parsed (--parsed: made by `treewright distil`); the parser is trained
on predicted tags (jackknifing: each fold is tagged by a tagger that was trained on the others). Epochs are chosen on
both development sets. Then small weights are set to zero; the loss of accuracy on raw text is printed before the model
is saved. The figures on the test set of English-EWT are written to the model card beside it. The same data gives the
same file.
--adapt: train the network of --linear-models (the embedded model, if not given) further on the same data, and save it.
--network: the network of this file beside the linear models of --linear-models, which are pruned already; nothing is
trained but the weights of its scores and the calibration. --lexicon: a full-form lexicon for the lemmas
(scripts/english_lexicon.py writes it).
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import treewright as tw
from treewright.evaluate import evaluate
from treewright.languages.installed import EMBEDDED
from treewright.network import Network, NetworkOptions
from treewright.network.options import Sizes
from treewright.parser import ParserOptions, Pruning, Scoring
from treewright.pipeline import Pipeline, prune_weights
from treewright.pipeline.networks import with_network
from treewright.tokeniser import Tokeniser, TokeniserOptions
from treewright.tokeniser.tokeniser import text_and_ends
from treewright.words import Words

MAX_BYTES = 32_000_000  # of the model file; the wheel stays below 40 MB (tests/pipeline/test_embedded.py)
MAX_LAS_LOSS = 0.2  # points that pruning of weights may cost; not tuned
LIST_NUMBER = re.compile(r"\(?[0-9A-Za-z]{1,2}[.)]")
TREEBANKS = ("English-EWT", "English-GUM")
FIGURES = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX")
BEGIN, END = "<!-- figures: written by scripts/train_embedded.py -->", "<!-- end of figures -->"  # in the model card
# More epochs and folds than the defaults: this model is trained once, so that training time matters less.
# Arcs may cross: those of long questions do (data/constructions).
THOROUGH = ParserOptions("grand", False, "single", pruning=Pruning(epochs=3, folds=4), scoring=Scoring(epochs=6))
LAST_EPOCH = TokeniserOptions(choose_epoch=False)  # as the model that comes with Treewright was trained
# A wider network than the default for the same reason, and because it reads five times as many words; larger batches
# for its speed (docs/figures.md, "What does a network add?").
NETWORK = NetworkOptions(Sizes(units=240, label=128), epochs=10, batch_words=400, dropout=0.2, min_count=3, parsed=2.0)
# Network alone on both development sets: LAS 87.1 after one epoch, 87.6 after four.
ADAPTING = replace(NETWORK, epochs=4, rate=0.001)
CONSTRUCTIONS = Path(__file__).parents[1] / "data" / "constructions" / "train.conllu"
TIMES = 3  # that an epoch reads the constructions, which are 1 % of the words of the treebanks; not tuned
METADATA = {
    "name": "en",
    "code": "en",
    "language": "English",
    "treebank": "English-EWT",
    "release": "2.16",
    "training_data": "Universal Dependencies English-EWT 2.16 and English-GUM 2025-05, train; data/constructions",
    "licence": "CC BY-SA 4.0",
}
VECTORS, CLASSES = "glove-en-100d.npy", "brown-en.tsv.gz"
TEACHER_METADATA = {
    "parsed": "MASC and State of the Union addresses, parsed by a network over all-MiniLM-L6-v2 (Apache-2.0)"
}
LEXICON_METADATA = {
    "lexicon": "LemmInflect 0.2.3 (MIT), from the SPECIALIST Lexicon of the National Library of Medicine"
}
WORDS_METADATA = {"words": "GloVe vectors of 6 billion tokens (PDDL 1.0); Brown clusters of spacy-lookups-data (MIT)"}


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--output", type=Path, default=EMBEDDED["en"])
    arguments.add_argument("--folds", type=int, default=4)
    arguments.add_argument(
        "--light", type=float, default=0.01, help="set weights below this share of the largest to zero"
    )
    arguments.add_argument("--linear", action="store_true", help="train no network")
    arguments.add_argument("--parsed", type=Path, help="sentences that a larger network parsed")
    arguments.add_argument("--checkpoint", type=Path, help="keep finished parts beside this file, and resume from them")
    arguments.add_argument("--network", type=Path, help="put this network beside the linear models of --linear-models")
    arguments.add_argument("--linear-models", default="en", help="a pipeline with linear models (default: en)")
    arguments.add_argument("--lexicon", type=Path, help="words with their lemmas (treewright train --lexicon)")
    arguments.add_argument("--adapt", type=Path, help="train the network of --linear-models further, save it here")
    given = arguments.parse_args()
    train, dev = read_both(given.folder, "train"), read_both(given.folder, "dev")
    train += TIMES * list(tw.read(CONSTRUCTIONS))
    if given.adapt:
        start = Pipeline.load(given.linear_models).network
        Network.train(train, dev, options=ADAPTING, start=start, report=say).save(given.adapt)
        return
    if given.network:
        light = with_other_network(Pipeline.load(given.linear_models), Network.load(given.network), dev)
    else:
        light = trained(given, train, dev)
    figures = figures_of(light, list(tw.read(given.folder / "ud" / "English-EWT" / "test.conllu")))
    replace(light, metadata={**light.metadata, "figures": figures, "figures_of": "test"}).save(given.output)
    size = given.output.stat().st_size
    print(f"{given.output}: {size / 1e6:.2f} MB", flush=True)
    if size > MAX_BYTES:
        sys.exit(f"at most {MAX_BYTES / 1e6:.0f} MB are allowed: try another --light")
    write_card(given.output.with_name("MODEL_CARD.md"), figures)


def read_both(folder: Path, part: str) -> list[tw.Sentence]:
    """Read a part of both treebanks."""
    return [sentence for bank in TREEBANKS for sentence in tw.read(folder / "ud" / bank / f"{part}.conllu")]


def sentences_to_cut(folder: Path) -> list[tw.Sentence]:
    """Read what the tokeniser learns from: both treebanks, without list items of GUM, where `1.` is one token."""
    ewt, gum = (tw.read(folder / "ud" / bank / "train.conllu") for bank in TREEBANKS)
    return [*ewt, *(sentence for sentence in gum if not LIST_NUMBER.fullmatch(sentence.forms[0]))]


def trained(given: argparse.Namespace, train: Sequence[tw.Sentence], dev: Sequence[tw.Sentence]) -> Pipeline:
    """The pruned and calibrated pipeline."""
    whole = Pipeline.train(
        *(train, dev),
        options=THOROUGH,
        tokeniser_options=LAST_EPOCH,
        folds=given.folds,
        network=None if given.linear else NETWORK,
        words=None if given.linear else words_of(given.folder / "words"),
        parsed=given.parsed,
        lexicon=given.lexicon,
        metadata=METADATA
        | ({} if given.linear else WORDS_METADATA)
        | (TEACHER_METADATA if given.parsed else {})
        | (LEXICON_METADATA if given.lexicon else {}),
        report=say,
        note=say,
        checkpoint=given.checkpoint,
        resume=given.checkpoint is not None,
    )
    tokeniser = Tokeniser.train(sentences_to_cut(given.folder), options=LAST_EPOCH)
    tokeniser = tokeniser.with_raw_text(given.folder / "raw" / "english.txt.gz")
    # Irregular forms wrong (benchmarks/accuracy/lemmas.py): 2.8 % by lemmas of EWT, 5.6 % by those of both treebanks.
    ewt = [*tw.read(given.folder / "ud" / TREEBANKS[0] / "train.conllu"), *tw.read(CONSTRUCTIONS)]
    tagger = whole.tagger.retrain_lemmas(ewt, dev, lexicon=given.lexicon, report=say)
    whole = replace(whole, tokeniser=tokeniser, tagger=tagger)
    light = prune_weights(whole, parser=given.light).calibrate(dev)
    lost = compare(whole, light, dev)
    if lost > MAX_LAS_LOSS:
        sys.exit(f"pruning costs {lost:.2f} points of LAS; at most {MAX_LAS_LOSS} are allowed: try another --light")
    return light


def with_other_network(nlp: Pipeline, network: Network, dev: Sequence[tw.Sentence]) -> Pipeline:
    """The linear models of a pipeline with another network beside them, calibrated."""
    linear = nlp.without_network()
    tagger, parser = with_network(linear.tagger, linear.trained_parser, network, dev)
    metadata = METADATA | WORDS_METADATA | TEACHER_METADATA | LEXICON_METADATA
    joined = Pipeline(linear.tokeniser, tagger, parser, metadata).calibrate(dev)
    compare(nlp, joined, dev)
    return joined


def words_of(folder: Path) -> Words:
    """The vectors and classes of English words."""
    return Words.from_vectors(folder / VECTORS).join(Words.from_classes(folder / CLASSES))


def say(what: object) -> None:
    """A line with the time so far."""
    print(f"{time.process_time():7.0f} s  {what}", flush=True)


def compare(before: Pipeline, after: Pipeline, dev: Sequence[tw.Sentence]) -> float:
    """Print the figures of both pipelines on raw text; returns how many points of LAS the second is below the first."""
    print(f"{'':10} " + " ".join(f"{name:>9}" for name in FIGURES))
    las = []
    for name, nlp in (("before", before), ("after", after)):
        figures = figures_of(nlp, dev)
        print(f"{name:10} " + " ".join(f"{figure:9.2f}" for figure in figures.values()), flush=True)
        las.append(figures["LAS"])
    return las[0] - las[1]


def figures_of(nlp: Pipeline, gold: Sequence[tw.Sentence]) -> dict[str, float]:
    """F1 in per cent, from the raw text of a treebank, as the official script counts it."""
    scores = evaluate(gold, nlp(text_and_ends(gold)[0])).scores
    return {figure: 100 * scores[figure].f1 for figure in FIGURES}


def write_card(path: Path, figures: Mapping[str, float]) -> None:
    """Replace the figures in the model card by these, which are those on `test`."""
    rows = [f"| {name} | {figure:.2f} |" for name, figure in figures.items()]
    table = ["From the raw text of `test`, F1 as the official script counts it:", "", "| | |", "|---|---|", *rows]
    if path.exists():
        before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
        _, end, after = rest.partition(END)
        path.write_text(before + begin + "\n".join(["", *table, ""]) + end + after, encoding="utf-8")
    print("\n".join(table), flush=True)


if __name__ == "__main__":
    main()
