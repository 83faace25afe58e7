"""`treewright tag`: tag sentences, tokenise text."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli import components
from treewright.cli.components import Task
from treewright.cli.shared import counting, note, note_skipped, with_misc, write_sentences
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.corpus import Sentence

HELP = (
    "Fill UPOS, XPOS, FEATS and LEMMA of sentences that have only forms; split raw text into sentences and words.\n\n"
    "  treewright tag run en words.conllu -o tagged.conllu\n\n"
    "  treewright tag run my.tw words.conllu -o tagged.conllu\n\n"
    "  echo 'It rains. Stay!' | treewright tag tokenise --model en | treewright tag run en\n\n"
)
TRAIN_TOKENISER = "The same as `treewright train --only tokeniser`."
TOKENISE = (
    "Split raw text into sentences and words, as CoNLL-U. Without --model, by Unicode rules.\n\n"
    "  treewright tag tokenise letter.txt --model en -o letter.conllu\n\n"
    "  echo 'It rains. Stay!' | treewright tag tokenise\n\n"
)
TRAIN = "The same as `treewright train --only tagger`."
RUN = (
    "Tag the sentences of INPUT: CoNLL-U in, CoNLL-U out. Only the columns that the tagger fills change; sentences are "
    "written as they are read, so that it works as a filter.\n\n"
    "  treewright tag run my.tw words.conllu -o tagged.conllu\n\n"
    "  cat words.conllu | treewright tag run my.tw | treewright parse my.parser\n\n"
)
TAG_CONFIDENCE = "TagConfidence"  # the name in MISC

app = typer.Typer(add_completion=False, help=HELP, no_args_is_help=True)


def show_new_name(component: str, quiet: bool) -> None:
    """Name the command that trains every component."""
    if not quiet:
        note(f"`treewright train --only {component}` does the same, and `treewright train` trains a whole pipeline")


@app.command(help=TRAIN)
def train(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help='The treebank to train on; "-" is standard input.')],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Where to save the tagger.")],
    dev: Annotated[
        str | None, typer.Option("--dev", metavar="DEV", help="Another treebank, which chooses the best epoch.")
    ] = None,
    columns: Annotated[
        str, typer.Option(help="The columns to fill, separated by commas: upos, xpos, feats, lemma.")
    ] = "upos,xpos,feats,lemma",
    epochs: Annotated[int | None, typer.Option(min=1, help="Epochs for the tags.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed; the same seed gives the same file.")] = 1,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out sentences that cannot be read.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Continue from the checkpoint, if there is one.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
) -> None:
    from treewright.tagger import TaggerOptions

    show_new_name("tagger", quiet)
    options = TaggerOptions(tuple(columns.split(",")), seed)
    if epochs is not None:
        options = replace(options, tags=replace(options.tags, epochs=epochs))
    components.train_tagger(Task(train, dev, output, resume, skip_bad, quiet), options)


@app.command(help=RUN)
def run(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model with a tagger: a file, or en.")],
    input: Annotated[
        str, typer.Argument(metavar="INPUT", help='Sentences: CoNLL-U or CoNLL-X; "-" is standard input.')
    ] = "-",
    output: Annotated[str, typer.Option("--output", "-o", help='Where to write; "-" is standard output.')] = "-",
    threads: Annotated[int, typer.Option(min=1, help="Number of threads; the result does not depend on it.")] = 1,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Write the probability of every tag into MISC: TagConfidence=0.98.")
    ] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out sentences that cannot be read.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
) -> None:
    from treewright.corpus import read
    from treewright.tagger import Tagger

    tagger = Tagger.load(model)
    reader = read(input, on_error="skip" if skip_bad else "raise")
    counts = {"sentences": 0, "words": 0}

    def finished(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        for sentence in sentences:
            counts["sentences"] += 1
            counts["words"] += len(sentence)
            if confidence and sentence.tag_confidence is not None:
                cells = zip(sentence.misc, sentence.tag_confidence, strict=True)
                sentence.misc = [with_misc(cell, TAG_CONFIDENCE, f"{value:.4f}") for cell, value in cells]
            yield sentence

    begin = time.monotonic()
    with counting(reader, quiet=quiet, output=output) as sentences:
        write_sentences(finished(tagger.tag(sentences, threads=threads, confidence=confidence)), output)
    note_skipped(reader.skipped, reader.errors)
    if not quiet:
        speed = counts["words"] / max(time.monotonic() - begin, 1e-9)
        note(f"{counts['sentences']} sentences, {counts['words']} words, {speed:.0f} words a second")


@app.command("train-tokeniser", help=TRAIN_TOKENISER)
def train_tokeniser(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help='The treebank to train on; "-" is standard input.')],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Where to save the tokeniser.")],
    seed: Annotated[int, typer.Option(min=0, help="Random seed; the same seed gives the same file.")] = 1,
    resume: Annotated[bool, typer.Option("--resume", help="Continue from the checkpoint, if there is one.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
) -> None:
    from treewright.tagger import TokeniserOptions

    show_new_name("tokeniser", quiet)
    components.train_tokeniser(Task(train, None, output, resume, quiet=quiet), TokeniserOptions(seed))


@app.command(help=TOKENISE)
def tokenise(
    input: Annotated[str, typer.Argument(metavar="TEXT", help='Raw text in UTF-8; "-" is standard input.')] = "-",
    model: Annotated[str | None, typer.Option("--model", "-m", help="A model with a tokeniser: a file, or en.")] = None,
    output: Annotated[str, typer.Option("--output", "-o", help='Where to write; "-" is standard output.')] = "-",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No summary.")] = False,
) -> None:
    from treewright.corpus import open_input
    from treewright.tagger import Tokeniser

    tokeniser = Tokeniser() if model is None else Tokeniser.load(model)
    with open_input(input) as file:
        data = file.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{input}:{line}: byte {data[error.start]:#x} is not UTF-8; convert the text first") from None
    sentences = tokeniser(text)
    write_sentences(sentences, output)
    if not quiet:
        note(f"{len(sentences)} sentences, {sum(map(len, sentences))} words")
