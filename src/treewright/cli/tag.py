"""`treewright tag`: train a tagger or a tokeniser, tag and tokenise with them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli.shared import check_output, counting, note, note_skipped, with_misc, write_sentences
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.corpus import Sentence
    from treewright.tagger import Report

HELP = (
    "Fill UPOS, XPOS, FEATS and LEMMA: train a tagger on a treebank, then run it on sentences that have only forms.\n\n"
    "  treewright tag train train.conllu --dev dev.conllu -o en.tagger\n\n"
    "  treewright tag run en.tagger words.conllu -o tagged.conllu\n\n"
    "  echo 'It rains. Stay!' | treewright tag tokenise | treewright tag run en.tagger\n\n"
)
TRAIN_TOKENISER = (
    "Learn from TRAIN where tokens and sentences end, and which tokens are several words.\n\n"
    "  treewright tag train-tokeniser train.conllu -o en.tokeniser\n\n"
)
TOKENISE = (
    "Cut raw text into sentences and words, as CoNLL-U. Without --model, rules of Unicode do it.\n\n"
    "  treewright tag tokenise letter.txt --model en.tokeniser -o letter.conllu\n\n"
    "  echo 'It rains. Stay!' | treewright tag tokenise\n\n"
)
TRAIN = (
    "Train a tagger on the columns of TRAIN and save it. DEV decides which epoch is kept.\n\n"
    "  treewright tag train train.conllu --dev dev.conllu -o en.tagger\n\n"
    "  treewright tag train train.conllu -o upos.tagger --columns upos\n\n"
)
RUN = (
    "Tag the sentences of INPUT: CoNLL-U in, CoNLL-U out. Only the columns that the tagger fills change; sentences are "
    "written as they come, so that it works as a filter.\n\n"
    "  treewright tag run en.tagger words.conllu -o tagged.conllu\n\n"
    "  cat words.conllu | treewright tag run en.tagger | treewright parse en.tw\n\n"
)
TAG_CONFIDENCE = "TagConfidence"  # the name in MISC

app = typer.Typer(add_completion=False, help=HELP, no_args_is_help=True)


@app.command(help=TRAIN)
def train(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help='The treebank to learn from; "-" is standard input.')],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Where to save the tagger.")],
    dev: Annotated[str | None, typer.Option("--dev", metavar="DEV", help="Another one, to choose the epoch.")] = None,
    columns: Annotated[
        str, typer.Option(help="What to learn, commas between: upos, xpos, feats, lemma.")
    ] = "upos,xpos,feats,lemma",
    epochs: Annotated[int | None, typer.Option(min=1, help="Passes over TRAIN.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the order of the sentences; the same seed, the same file.")] = 1,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out sentences that cannot be read.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
) -> None:
    from treewright.corpus import Treebank
    from treewright.tagger import Options, Tagger

    check_output(output)
    options = Options(tuple(columns.split(",")), seed)
    if epochs is not None:
        options = replace(options, tags=replace(options.tags, epochs=epochs))
    on_error = "skip" if skip_bad else "raise"
    banks = [Treebank.read(file, on_error=on_error) for file in (train, dev) if file is not None]
    for bank in banks:
        note_skipped(bank.skipped, bank.errors)
    begin = time.monotonic()
    with display(quiet, {"tags": options.tags.epochs, "lemmas": options.lemmas.epochs}) as (advance, report):
        tagger = Tagger.train(*banks, options=options, progress=advance, report=report)
    tagger.save(output)
    if not quiet:
        seconds = time.monotonic() - begin
        note(f"{output}: {tagger}; learned from {len(banks[0])} sentences, {banks[0].words} words in {seconds:.1f} s")


@contextmanager
def display(quiet: bool, epochs: Mapping[str, int]) -> Iterator[tuple[Any, Any]]:
    """A bar with the time that a stage has left on a terminal, and a line for each epoch on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, quiet=quiet, highlight=False, soft_wrap=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("training", total=1.0)

        def advance(stage: str, epoch: int, done: int, of: int) -> None:
            if done % 16 == 0:
                all_done, all_of = epoch * of + done, epochs[stage] * of
                bar.update(task, description=f"{stage}, epoch {epoch + 1}", completed=all_done, total=all_of)

        def report(report: Report) -> None:
            console.print(line_of(report))

        yield advance, report


def line_of(report: Report) -> str:
    """One epoch.

    >>> from treewright.tagger import Report
    >>> line_of(Report("tags", 2, 8, 0.125, 91.5))
    'tags    epoch 2/8  loss 0.1250  whole tags right 91.50'
    """
    accuracy = "" if report.accuracy is None else f"  whole tags right {report.accuracy:.2f}"
    return f"{report.stage:6}  epoch {report.epoch}/{report.epochs}  loss {report.loss:.4f}{accuracy}"


@app.command(help=RUN)
def run(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A file that `treewright tag train` wrote.")],
    input: Annotated[
        str, typer.Argument(metavar="INPUT", help='Sentences: CoNLL-U or CoNLL-X; "-" is standard input.')
    ] = "-",
    output: Annotated[str, typer.Option("--output", "-o", help='Where to write; "-" is standard output.')] = "-",
    threads: Annotated[int, typer.Option(min=1, help="How many sentences at a time; the tags are the same.")] = 1,
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
            if confidence and sentence.confidence is not None:
                cells = zip(sentence.misc, sentence.confidence, strict=True)
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
    train: Annotated[str, typer.Argument(metavar="TRAIN", help='The treebank to learn from; "-" is standard input.')],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Where to save the tokeniser.")],
    seed: Annotated[int, typer.Option(min=0, help="Of the order of the text; the same seed, the same file.")] = 1,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
) -> None:
    from treewright.corpus import Treebank
    from treewright.tagger import Tokeniser

    check_output(output)
    bank = Treebank.read(train)
    with display(quiet, {}) as (_, report):
        tokeniser = Tokeniser.train(bank, seed=seed, report=report)
    tokeniser.save(output)
    if not quiet:
        note(f"{output}: {tokeniser}; learned from {len(bank)} sentences, {bank.words} words")


@app.command(help=TOKENISE)
def tokenise(
    input: Annotated[str, typer.Argument(metavar="TEXT", help='Raw text in UTF-8; "-" is standard input.')] = "-",
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="A file that `treewright tag train-tokeniser` wrote.")
    ] = None,
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
