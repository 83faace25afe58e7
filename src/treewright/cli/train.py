"""`treewright train`: a parser from a treebank."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from treewright.cli.shared import Root, check_output, note_skipped
from treewright.errors import InputError

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from treewright.corpus import Treebank
    from treewright.parser import Options, Parser, Pruning, Report, Scoring

    Rules = TypeVar("Rules", Pruning, Scoring)

app = typer.Typer(add_completion=False)

HELP = (
    "Train a parser on the trees of TRAIN and save it.\n\n"
    "Both files hold complete trees (CoNLL-U or CoNLL-X, packed or not). The model learns from TRAIN; DEV decides "
    "which epoch is kept, and what the figures at the end are measured on. Columns that are empty are done without. "
    "One root or several is read off TRAIN unless you say; so are crossing arcs or none, and DEV has the last word.\n\n"
    "Checkpoints are written beside the model at the ends of epochs. A training that was interrupted or killed goes on "
    "with --resume and ends with the same file, byte for byte, as if nothing had happened.\n\n"
    "  treewright train train.conllu --dev dev.conllu -o en.tw\n\n"
    "  treewright train train.conllu --dev dev.conllu -o small.tw --model arc --epochs 4\n\n"
    "  treewright train train.conllu --dev dev.conllu -o en.tw --resume\n\n"
)

# What a sentence costs in each stage, in sentences of the pruner, for the estimate of the time left.
COSTS = {"arc": 6.0, "sib": 9.0, "grand": 13.0}
LABELLER = 3.0


class Order(str, Enum):
    arc = "arc"
    sib = "sib"
    grand = "grand"


class How(str, Enum):
    crf = "crf"
    perceptron = "perceptron"
    mira = "mira"
    pa = "pa"


@app.command(help=HELP)
def train(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help='The treebank to learn from; "-" is standard input.')],
    dev: Annotated[str, typer.Option("--dev", metavar="DEV", help="Another one, to choose the epoch and to measure.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Where to save the parser.")],
    model: Annotated[
        Order, typer.Option(help="What is scored: arcs; siblings too; grandparents too (slower, better).")
    ] = Order.grand,
    projective: Annotated[
        bool | None,
        typer.Option("--projective/--nonprojective", help="No crossing arcs, or any; read off the data if not given."),
    ] = None,
    root: Annotated[Root, typer.Option(help="One word hangs from the root, or several may.")] = Root.auto,
    seed: Annotated[int, typer.Option(min=0, help="Of the order of the sentences; the same seed, the same file.")] = 1,
    epochs: Annotated[int | None, typer.Option(min=1, help="Passes over TRAIN for the scores of trees.")] = None,
    learner: Annotated[
        How, typer.Option(help="How the scores are learned: log-linear, perceptron, MIRA, passive-aggressive.")
    ] = How.crf,
    max_heads: Annotated[
        int | None, typer.Option(min=1, help="Most heads a word has to choose from after pruning; 10 if not given.")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=1.0, help="Heads below this share of the best one's probability go; 0.001 if not given."
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint, if there is one.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out sentences without a proper tree.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON, with every epoch.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
) -> None:
    from treewright.checkpoint import clear, place
    from treewright.corpus import Treebank
    from treewright.parser import Options
    from treewright.parser.checkpoint import train_with_checkpoints
    from treewright.parser.options import fitted

    check_output(output)
    check, on_error = "single-root" if root is Root.single else "tree", "skip" if skip_bad else "raise"
    banks = [Treebank.read(file, check=check, on_error=on_error) for file in (train, dev)]
    for name, bank in zip((train, dev), banks, strict=True):
        note_skipped(bank.skipped, bank.errors)
        if not len(bank):
            raise InputError(f"{name}: no sentence is left to train with")
    options = Options(model.value, projective, None if root is Root.auto else root.value, seed, learner.value)
    options = replace(
        options,
        pruning=where_given(options.pruning, max_heads=max_heads, threshold=threshold),
        scoring=where_given(options.scoring, epochs=epochs),
    )
    checkpoint = place(output)
    begin = time.monotonic()
    expected = replace(options, scoring=fitted(options, len(banks[0]), banks[0].words))
    try:
        with display(expected, len(banks[0]), quiet) as shown:
            parser = train_with_checkpoints(
                banks[0],
                banks[1],
                options,
                path=checkpoint,
                resume=resume,
                report=shown.report,
                progress=shown.advance,
            )
            parser.save(output)
    except KeyboardInterrupt:
        if checkpoint.exists():
            typer.echo(f"treewright: interrupted; the same command with --resume goes on from {checkpoint}", err=True)
        raise
    clear(output)
    if as_json or not quiet:
        found = summary(parser, banks, output, time.monotonic() - begin)
        if as_json:
            typer.echo(json.dumps({**found, "epochs": [asdict(report) for report in shown.reports]}, indent=2))
        else:
            typer.echo(in_words(found), err=True)


def where_given(rules: Rules, **values: Any) -> Rules:
    """The rules with those of the values that are not None."""
    return replace(rules, **{name: value for name, value in values.items() if value is not None})


def summary(parser: Parser, banks: list[Treebank], output: Path, seconds: float) -> dict[str, Any]:
    """What was trained, on what, and how well it parses the development data."""
    bank, dev = banks
    heads = labels = certified = 0
    for gold, found in zip(dev, parser.parse(dev), strict=True):
        right = (gold.heads == found.heads).tolist()
        heads += sum(right)
        pairs = zip(gold.deprels, found.deprels, right, strict=True)
        labels += sum(same and wanted == label for wanted, label, same in pairs)
        certified += found.parse.certified
    return {
        "file": str(output),
        "bytes": output.stat().st_size,
        "sentences": len(bank),
        "words": bank.words,
        "labels": len(parser.model.labels),
        "options": parser.options.to_json(),
        "development": {
            "sentences": len(dev),
            "words": dev.words,
            "uas": 100 * heads / dev.words,
            "las": 100 * labels / dev.words,
            "certified": certified / len(dev),
        },
        "seconds": round(seconds, 3),
    }


def in_words(found: dict[str, Any]) -> str:
    options, dev = found["options"], found["development"]
    kind = "projective" if options["projective"] else "non-projective"
    roots = "one root" if options["root"] == "single" else "several roots"
    return (
        f"{found['file']}: {options['model']}, {kind}, {roots}, {found['labels']} relations; "
        f"learned from {found['sentences']} sentences, {found['words']} words in {found['seconds']:.1f} s; "
        f"on {dev['sentences']} others UAS {dev['uas']:.2f}, LAS {dev['las']:.2f}, "
        f"{100 * dev['certified']:.1f} % of the trees certified"
    )


@contextmanager
def display(options: Options, sentences: int, quiet: bool) -> Iterator[Display]:
    """A bar with the time left on a terminal, and a line for each epoch on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True, quiet=quiet, highlight=False, soft_wrap=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("left"))
    bar = Progress(*columns, TimeRemainingColumn(), console=console, transient=True, disable=not console.is_terminal)
    with bar:
        yield Display(bar, options, sentences)


class Display:
    """How far training is, by the cost of its stages."""

    def __init__(self, bar: Progress, options: Options, sentences: int) -> None:
        self.bar = bar
        self.reports: list[Report] = []
        folds = min(options.pruning.folds, sentences)
        pruners = [f"fold {fold + 1}" for fold in range(folds if folds > 1 else 0)] + ["pruner"]
        stages = [(name, options.pruning.epochs, 1.0) for name in pruners]
        stages += [("scorer", options.scoring.epochs or 1, COSTS[options.model])]
        stages += [("labeller", options.labelling.epochs, LABELLER)]
        self.begins: dict[str, tuple[float, float]] = {}  # where a stage begins, what an epoch of it costs
        total = 0.0
        for name, epochs, cost in stages:
            self.begins[name] = (total, cost)
            total += epochs * cost
        self.task: TaskID = bar.add_task("training", total=total)
        self.is_under_way = False

    def advance(self, stage: str, epoch: int, done: int, of: int) -> None:
        if done % 16 == 0:
            begin, cost = self.begins[stage]
            completed = begin + cost * (epoch + done / of)
            if not self.is_under_way:  # what a checkpoint had already is not the speed of this training
                self.bar.reset(self.task, completed=int(completed))
                self.is_under_way = True
            self.bar.update(self.task, completed=completed, description=stage)

    def report(self, report: Report) -> None:
        self.reports.append(report)
        self.bar.console.print(line_of(report))


def line_of(report: Report) -> str:
    """One epoch.

    >>> from treewright.parser import Report
    >>> line_of(Report("scorer", 2, 8, 0.125, uas=86.5, oracle=99.25))
    'scorer    epoch 2/8  loss 0.1250  UAS 86.50  pruning keeps 99.25'
    """
    pieces = [f"{report.stage:8}  epoch {report.epoch}/{report.epochs}  loss {report.loss:.4f}"]
    figures = {"UAS": report.uas, "LAS": report.las, "pruning keeps": report.oracle}
    pieces += [f"{name} {figure:.2f}" for name, figure in figures.items() if figure is not None]
    return "  ".join(pieces)
