"""Train the English model that comes with Treewright, in steps whose products stay on disk.

    python scripts/train_embedded.py FOLDER --encoder ENCODER --lexicon FILE [--keep FOLDER] [--output PATH]

FOLDER has ud/English-EWT and ud/English-GUM with train.conllu and dev.conllu, the first also test.conllu, raw text in
raw/, and in words/ the vectors and classes of words that the networks read. ENCODER is a pretrained transformer
(`treewright train --encoder`), FILE a full-form lexicon for the lemmas (`scripts/english_lexicon.py` writes it).

| step | product in --keep | what it does |
|---|---|---|
| text | text/*.txt | the raw text as it was probably written, a file for each kind |
| teacher | teacher.tw | a network over ENCODER, trained on both treebanks and data/constructions; linear models |
| distil | parsed.conllu | --words words of the text, balanced over its kinds, parsed by the teacher |
| network | network.tw | a small network, trained on the treebanks and the parsed text; from --start, if that is given |
| linear | linear.tw | tokeniser, tagger and parser; the parser is trained on predicted tags (jackknifing) |
| pack | --output | the network beside the linear models: weights of its scores and calibration, chosen on both `dev` |

A step whose product exists is left out, and one that was killed continues from its checkpoint: the same command is
given again, with --until STEP to end after a step. The lemmas are those of EWT alone, and small weights of the parser
are set to zero: the loss of accuracy on raw text is printed. The figures on the test set of English-EWT are written to
the model card beside the model. --sentences: a trial, with the first sentences of each file.
"""

from __future__ import annotations

import argparse
import gzip
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import treewright as tw
from treewright.evaluate import evaluate
from treewright.languages.installed import EMBEDDED
from treewright.model.checkpoint import checkpoint_path, remove_checkpoint
from treewright.network import Network, NetworkOptions
from treewright.network.options import Sizes
from treewright.parser import ParserOptions, Pruning, Scoring
from treewright.pipeline import Pipeline, prune_weights
from treewright.pipeline.networks import with_network
from treewright.tagger import Tagger
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
# A wider network than the default for the same reason, and because it reads ten times as many words; larger batches
# for its speed (docs/figures.md, "What does a network add?").
NETWORK = NetworkOptions(Sizes(units=240, label=128), epochs=10, batch_words=400, dropout=0.2, min_count=3, parsed=3.0)
# The present model, from the one before it (87.6): LAS of the network alone on both development sets, epoch by epoch:
# 87.6, 87.6, 88.0, 88.2, 88.3.
ADAPTING = replace(NETWORK, epochs=5, rate=0.001)
CONSTRUCTIONS = Path(__file__).parents[1] / "data" / "constructions" / "train.conllu"
TEACHER_EPOCHS = 2  # in place of three: an epoch takes half an hour on two cores; not tuned
JUDGED = 5  # every fifth sentence of `dev` chooses the epoch of the teacher, which reads 1,000 words a second
TIMES = 3  # that an epoch reads the constructions, which are 1 % of the words of the treebanks; not tuned
METADATA = {
    "name": "en",
    "code": "en",
    "language": "English",
    "treebank": "English-EWT",
    "release": "2.16",
    "training_data": "Universal Dependencies English-EWT 2.16 and English-GUM 2025-05, train; data/constructions",
    "licence": "CC BY-SA 4.0",
    "lexicon": "LemmInflect 0.2.3 (MIT), from the SPECIALIST Lexicon of the National Library of Medicine",
    "words": "GloVe vectors of 6 billion tokens (PDDL 1.0); Brown clusters of spacy-lookups-data (MIT)",
    "parsed": "raw text, parsed by a network over all-mpnet-base-v2 (Apache-2.0)",
}
SPACED, SHORT = re.compile(r" [,.] "), 30  # marks of text that is divided into tokens; words of a single sentence
LIGHT = 0.01  # the share of the largest weight of the parser below which weights are set to zero
VECTORS, CLASSES = "glove-en-100d.npy", "brown-en.tsv.gz"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--encoder", help="a folder or a name that transformers loads")
    arguments.add_argument("--frozen-layers", type=int, default=6, help="of the encoder (default: 6 of 12)")
    arguments.add_argument("--lexicon", type=Path, help="words with their lemmas (treewright train --lexicon)")
    arguments.add_argument("--keep", type=Path, default=Path("build/english"), help="the products of the steps")
    arguments.add_argument("--output", type=Path, default=EMBEDDED["en"])
    arguments.add_argument("--words", type=int, default=2_000_000, help="to parse with the teacher")
    arguments.add_argument(
        "--start", help="a model: the teacher takes its linear models, its network is trained further"
    )
    arguments.add_argument("--until", choices=list(STEPS), default="pack")
    arguments.add_argument("--sentences", type=int)
    given = arguments.parse_args()
    for folder in (given.keep, given.output.parent):
        folder.mkdir(parents=True, exist_ok=True)
    for name, (product, step) in STEPS.items():
        path = given.output if product is None else given.keep / product
        if product is None or not path.exists():
            say(name)
            step(given, path)
            say(f"{name}: {path}")
        if name == given.until:
            return


def write_texts(given: argparse.Namespace, path: Path) -> None:
    """Write the raw text of all sources into a folder, a file for each kind."""
    raw = given.folder / "raw"
    texts = {
        "masc": map(without_tokens, (raw / "masc_tokenised.txt").read_text(encoding="utf-8").splitlines()),
        "speeches": map(one_line, (raw / "state_union.txt").read_text(encoding="utf-8").split("\n\n")),
    }
    kinds: dict[str, list[str]] = {"tokenised": [], "paragraphs": [], "sentences": []}
    with gzip.open(raw / "english.txt.gz", "rt", encoding="utf-8") as file:
        for line in file:
            is_short = len(line.split()) <= SHORT
            kind = "tokenised" if SPACED.search(line) else "sentences" if is_short else "paragraphs"
            kinds[kind].append(without_tokens(line) if kind == "tokenised" else line.strip())
    beside = path.with_name("text.partial")
    beside.mkdir(exist_ok=True)
    for name, lines in {**texts, **kinds}.items():
        written = islice((line for line in lines if line), given.sentences)
        (beside / f"{name}.txt").write_text("".join(f"{line}\n\n" for line in written), encoding="utf-8")
    beside.rename(path)


def train_teacher(given: argparse.Namespace, path: Path) -> None:
    """Train a network over the encoder, beside the linear models of --start, or new ones."""
    if given.encoder is None:
        sys.exit("the teacher needs --encoder")
    encoder = NetworkOptions.with_encoder(given.encoder, frozen=given.frozen_layers)
    options = replace(encoder, vectors=120_000, epochs=TEACHER_EPOCHS)
    train, dev = treebanks(given)
    network = Network.train(
        *(train, dev[::JUDGED]),
        options=options,
        words=words_of(given.folder / "words"),
        report=say,
        checkpoint=checkpoint_path(path),
        resume=True,
    )
    if given.start is None:
        linear = Pipeline.train(train, dev, options=THOROUGH, folds=2, report=say, note=say)
    else:
        linear = Pipeline.load(given.start)
    tagger = Tagger(linear.tagger.model.without_network())
    tagger, parser = with_network(tagger, linear.trained_parser, network, dev)
    teacher = replace(linear, tagger=tagger, parser=parser)
    compare(linear, teacher, dev)
    teacher.save(path)
    remove_checkpoint(path)


def distil(given: argparse.Namespace, path: Path) -> None:
    """Parse raw text with the teacher; sentences of the treebanks are left out."""
    texts = sorted((given.keep / "text").glob("*.txt"))
    banks = sorted(path for bank in TREEBANKS for path in (given.folder / "ud" / bank).glob("*.conllu"))
    command = [sys.executable, "-m", "treewright", "distil", given.keep / "teacher.tw", *texts, "-o", path, "--resume"]
    command += ["--threads", "2", "--stop-after", str(given.words)]
    command += (part for bank in banks for part in ("--without", bank))
    subprocess.run(list(map(str, command)), check=True)


def train_network(given: argparse.Namespace, path: Path) -> None:
    """Train the network of the model on the treebanks and on the text that the teacher parsed."""
    start = None if given.start is None else Pipeline.load(given.start).network
    Network.train(
        *treebanks(given),
        options=NETWORK if start is None else ADAPTING,
        words=None if start else words_of(given.folder / "words"),
        parsed=given.keep / "parsed.conllu",
        start=start,
        report=say,
        checkpoint=checkpoint_path(path),
        resume=True,
    ).save(path)
    remove_checkpoint(path)


def train_linear(given: argparse.Namespace, path: Path) -> None:
    """Train tokeniser, tagger and parser, without small weights."""
    train, dev = treebanks(given)
    whole = Pipeline.train(
        *(train, dev),
        options=THOROUGH,
        tokeniser_options=LAST_EPOCH,
        folds=2,
        parsed=given.keep / "parsed.conllu",
        lexicon=given.lexicon,
        report=say,
        note=say,
        checkpoint=checkpoint_path(path),
        resume=True,
    )
    tokeniser = Tokeniser.train(sentences_to_cut(given), options=LAST_EPOCH)
    # Irregular forms wrong (benchmarks/accuracy/lemmas.py): 2.8 % by lemmas of EWT, 5.6 % by those of both treebanks.
    ewt = [*sentences_of(given, TREEBANKS[0], "train"), *islice(tw.read(CONSTRUCTIONS), given.sentences)]
    tagger = whole.tagger.retrain_lemmas(ewt, dev, lexicon=given.lexicon, report=say)
    whole = replace(whole, tokeniser=tokeniser, tagger=tagger)
    light = prune_weights(whole, parser=LIGHT).calibrate(dev)
    lost = compare(whole, light, dev)
    if lost > MAX_LAS_LOSS and given.sentences is None:
        sys.exit(f"pruning costs {lost:.2f} points of LAS; at most {MAX_LAS_LOSS} are allowed: try another LIGHT")
    light.save(path)
    remove_checkpoint(path)


def pack(given: argparse.Namespace, path: Path) -> None:
    """Put the network beside the linear models, and write the model and the figures of its card."""
    linear, network = Pipeline.load(given.keep / "linear.tw"), Network.load(given.keep / "network.tw")
    dev = treebanks(given)[1]
    tagger, parser = with_network(linear.tagger, linear.trained_parser, network, dev)
    nlp = Pipeline(linear.tokeniser, tagger, parser, METADATA).calibrate(dev)
    compare(linear, nlp, dev)
    figures = figures_of(nlp, sentences_of(given, TREEBANKS[0], "test"))
    replace(nlp, metadata={**METADATA, "figures": figures, "figures_of": "test"}).save(path)
    size = path.stat().st_size
    print(f"{path}: {size / 1e6:.2f} MB", flush=True)
    if size > MAX_BYTES:
        sys.exit(f"at most {MAX_BYTES / 1e6:.0f} MB are allowed: try another LIGHT")
    write_card(path.with_name("MODEL_CARD.md"), figures)


STEPS: dict[str, tuple[str | None, Callable[[argparse.Namespace, Path], None]]] = {
    "text": ("text", write_texts),
    "teacher": ("teacher.tw", train_teacher),
    "distil": ("parsed.conllu", distil),
    "network": ("network.tw", train_network),
    "linear": ("linear.tw", train_linear),
    "pack": (None, pack),
}


def sentences_of(given: argparse.Namespace, bank: str, part: str) -> list[tw.Sentence]:
    """Read a part of a treebank."""
    return list(islice(tw.read(given.folder / "ud" / bank / f"{part}.conllu"), given.sentences))


def treebanks(given: argparse.Namespace) -> tuple[list[tw.Sentence], list[tw.Sentence]]:
    """Read what is trained on, and what is chosen on: both treebanks; the constructions are trained on."""
    train, dev = ([s for bank in TREEBANKS for s in sentences_of(given, bank, part)] for part in ("train", "dev"))
    return train + TIMES * list(islice(tw.read(CONSTRUCTIONS), given.sentences)), dev


def sentences_to_cut(given: argparse.Namespace) -> list[tw.Sentence]:
    """Read what the tokeniser learns from: both treebanks, without list items of GUM, where `1.` is one token."""
    ewt, gum = (sentences_of(given, bank, "train") for bank in TREEBANKS)
    return [*ewt, *(sentence for sentence in gum if not LIST_NUMBER.fullmatch(sentence.forms[0]))]


def words_of(folder: Path) -> Words:
    """The vectors and classes of English words."""
    return Words.from_vectors(folder / VECTORS).join(Words.from_classes(folder / CLASSES))


def without_tokens(line: str) -> str:
    """The text of a line of tokens, as it was probably written.

    >>> without_tokens('The " Gore- Bush " debate is over , she said .')
    'The "Gore-Bush" debate is over, she said.'
    """
    text = re.sub(r"\s+", " ", line.replace("\\", " ")).strip()
    text = re.sub(r"(\w)- (?=\w)", r"\1-", text)
    text = re.sub(r" (n't|'s|'re|'ve|'m|'ll|'d|')(?= |$)", r"\1", text)
    text = re.sub(r" ’ ?(s|re|ve|m|ll|d|t)\b", r"’\1", text)
    text = re.sub(r" ([.,!?;:%)\]])", r"\1", text)
    text = re.sub(r"([(\[$#]) ", r"\1", text)
    opening = iter((' "', '" ') * len(text))
    return re.sub(r" +", " ", re.sub(r' ?" ?', lambda _: next(opening), text)).strip()


def one_line(paragraph: str) -> str:
    """A paragraph without line breaks."""
    return " ".join(paragraph.split())


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
