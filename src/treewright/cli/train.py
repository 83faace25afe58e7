"""`treewright train`: train a parser on a treebank."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli.shared import Root, check_output, note_skipped
from treewright.cli.training import StageCost, checkpointed, display, settings_block
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.corpus import Treebank
    from treewright.parser import Parser, ParserSettings

app = typer.Typer(add_completion=False)

HELP = (
    "Train a parser on the trees of TRAIN and save it.\n\n"
    "Both files contain complete trees (CoNLL-U or CoNLL-X, compressed or not). The model is trained on TRAIN; the "
    "epoch with the best score on DEV is kept, and the figures at the end are measured on DEV. Empty columns are "
    "ignored. Settings that are not given are chosen from TRAIN and printed before the training starts; where "
    "TRAIN has crossing arcs, DEV decides between projective and non-projective parsing.\n\n"
    "Checkpoints are written beside the model at the ends of epochs. An interrupted or killed training continues with "
    "--resume and ends with the same file, byte for byte.\n\n"
    "  treewright train train.conllu --dev dev.conllu -o en.tw\n\n"
    "  treewright train train.conllu --dev dev.conllu -o small.tw --model arc --epochs 4\n\n"
    "  treewright train train.conllu --dev dev.conllu -o en.tw --resume\n\n"
)

# The time of a training sentence relative to the pruner, for the estimate of the time left; approximate, by convention.
SCORER_COSTS = {"arc": 6.0, "sib": 9.0, "grand": 13.0}
LABELLER_COST = 3.0


class Order(str, Enum):
    arc = "arc"
    sib = "sib"
    grand = "grand"


class Learner(str, Enum):
    crf = "crf"
    perceptron = "perceptron"
    mira = "mira"
    pa = "pa"


@app.command(help=HELP)
def train(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help='The treebank to train on; "-" is standard input.')],
    dev: Annotated[str, typer.Option("--dev", metavar="DEV", help="Another treebank, which chooses the best epoch.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Where to save the parser.")],
    model: Annotated[
        Order,
        typer.Option(
            help="Model order: arc (first order), sib (adds adjacent siblings), grand (adds siblings and grandparents; "
            "most accurate)."
        ),
    ] = Order.grand,
    projective: Annotated[
        bool | None,
        typer.Option(
            "--projective/--nonprojective", help="Trees without or with crossing arcs; by the data if not given."
        ),
    ] = None,
    root: Annotated[Root, typer.Option(help="One child of the root, or several; auto: as in TRAIN.")] = Root.auto,
    seed: Annotated[int, typer.Option(min=0, help="Random seed; the same seed gives the same file.")] = 1,
    epochs: Annotated[int | None, typer.Option(min=1, help="Epochs of the scorer.")] = None,
    learner: Annotated[
        Learner,
        typer.Option(
            help="Updates of the scorer: crf (log-linear), perceptron, mira, pa (passive-aggressive against the "
            "loss-augmented best tree)."
        ),
    ] = Learner.crf,
    max_heads: Annotated[
        int | None, typer.Option(min=1, help="Largest number of candidate heads a word after pruning; 10 if not given.")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=1.0, help="Prune heads below this share of the best head's marginal; 0.001 if not given."
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue from the checkpoint, if there is one.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out sentences without a valid tree.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print settings, epochs and summary as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
) -> None:
    from treewright.corpus import Treebank
    from treewright.parser import Parser, ParserOptions, changed, resolve

    check_output(output)
    check, on_error = "single-root" if root is Root.single else "tree", "skip" if skip_bad else "raise"
    banks = [Treebank.read(file, check=check, on_error=on_error) for file in (train, dev)]
    for name, bank in zip((train, dev), banks, strict=True):
        note_skipped(bank.skipped, bank.errors)
        if not len(bank):
            raise InputError(f"{name}: no sentence is left to train with")
    options = ParserOptions(model.value, projective, None if root is Root.auto else root.value, seed, learner.value)
    options = replace(
        options,
        pruning=changed(options.pruning, max_heads=max_heads, threshold=threshold),
        scoring=changed(options.scoring, epochs=epochs),
    )
    settings = resolve(options, banks[0])
    if not quiet:
        typer.echo(settings_block(settings.to_json()), err=True)
    begin = time.monotonic()
    with checkpointed(output) as checkpoint, display(stage_costs(settings, len(banks[0])), quiet) as shown:
        parser = Parser.train(
            *banks,
            options=settings,
            report=shown.report,
            progress=shown.advance,
            checkpoint=checkpoint,
            resume=resume,
        )
        parser.save(output)
    if as_json or not quiet:
        found = summary(parser, banks, output, time.monotonic() - begin)
        if as_json:
            typer.echo(json.dumps({**found, "epochs": shown.epochs()}, indent=2))
        else:
            typer.echo(in_words(found), err=True)


def stage_costs(settings: ParserSettings, sentences: int) -> list[StageCost]:
    """The stages of a training."""
    folds = min(settings.pruning.folds, sentences)
    pruners = [f"fold {fold + 1}" for fold in range(folds if folds > 1 else 0)] + ["pruner"]
    return [
        *(StageCost(name, settings.pruning.epochs, 1.0) for name in pruners),
        StageCost("scorer", settings.scoring.epochs, SCORER_COSTS[settings.model]),
        StageCost("labeller", settings.labelling.epochs, LABELLER_COST),
    ]


def summary(parser: Parser, banks: list[Treebank], output: Path, seconds: float) -> dict[str, Any]:
    """Settings, sizes, and the scores on the development data."""
    bank, dev = banks
    heads = labels = certified = 0
    for gold, found in zip(dev, parser.parse(dev), strict=True):
        right = (gold.heads == found.heads).tolist()
        heads += sum(right)
        pairs = zip(gold.deprels, found.deprels, right, strict=True)
        labels += sum(same and gold_label == label for gold_label, label, same in pairs)
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
        f"trained on {found['sentences']} sentences, {found['words']} words in {found['seconds']:.1f} s; "
        f"on {dev['sentences']} development sentences UAS {dev['uas']:.2f}, LAS {dev['las']:.2f}, "
        f"{100 * dev['certified']:.1f} % of the trees certified"
    )
