"""`treewright train`: train a pipeline, or one component of it, on a treebank."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli.components import Task, train_tagger, train_tokeniser
from treewright.cli.shared import Root, note
from treewright.cli.training import StageCost, checkpointed, display

if TYPE_CHECKING:
    from treewright.corpus import Sentence
    from treewright.parser import Parser, ParserOptions, ParserSettings
    from treewright.pipeline import Pipeline
    from treewright.pipeline.training import Recipe
    from treewright.tagger import Learning, TaggerOptions

app = typer.Typer(add_completion=False)

HELP = (
    "Train a model on the sentences of TRAIN and save it: a tokeniser, a tagger with lemmas, and a parser.\n\n"
    "The files contain complete trees (CoNLL-U or CoNLL-X, compressed or not). The epochs with the best scores on DEV "
    "are kept, and the figures at the end are measured from the raw text of DEV; without --dev the last tenth of TRAIN "
    "is held out. The parser is trained on predicted tags: a tagger that was trained on three quarters of TRAIN tags "
    "the fourth. Columns that are empty in TRAIN are not learned.\n\n"
    "--only trains one component. A parser alone is trained on the columns as they are in TRAIN. Settings that are not "
    "given are chosen from TRAIN and printed before the training starts; where TRAIN has crossing arcs, DEV decides "
    "between projective and non-projective parsing.\n\n"
    "Checkpoints are written beside the model at the ends of epochs. An interrupted or killed training continues with "
    "--resume and ends with the same file, byte for byte.\n\n"
    "  treewright train train.conllu --dev dev.conllu -o my.tw\n\n"
    "  treewright train train.conllu -o my.tw --resume\n\n"
    "  treewright train train.conllu --dev dev.conllu -o my.parser --only parser --model arc --epochs 4\n\n"
    "  treewright train train.conllu --dev dev.conllu -o my.tagger --only tagger --columns upos\n\n"
)

# The time of a training sentence relative to the pruner, for the estimate of the time left; approximate, by convention.
SCORER_COSTS = {"arc": 6.0, "sib": 9.0, "grand": 13.0}
LABELLER_COST = 3.0
WORD_COST = 1.0  # of tokeniser and tagger
FIGURES = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS")  # from raw text
OF_THE_PARSER = ("model", "projective", "root", "learner", "max_heads", "threshold")  # options


class Order(str, Enum):
    arc = "arc"
    sib = "sib"
    grand = "grand"


class Learner(str, Enum):
    crf = "crf"
    perceptron = "perceptron"
    mira = "mira"
    pa = "pa"


class Only(str, Enum):
    parser = "parser"
    tagger = "tagger"
    tokeniser = "tokeniser"


@app.command(help=HELP)
def train(
    context: typer.Context,
    train: Annotated[str, typer.Argument(metavar="TRAIN", help='The treebank to train on; "-" is standard input.')],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Where to save the model.")],
    dev: Annotated[
        str | None,
        typer.Option(
            "--dev", metavar="DEV", help="Another treebank, which chooses the best epoch; else part of TRAIN."
        ),
    ] = None,
    only: Annotated[Only | None, typer.Option(help="Train one component, not the whole pipeline.")] = None,
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
    epochs: Annotated[
        int | None, typer.Option(min=1, help="Epochs of the scorer; with --only, of the tags or the tokeniser.")
    ] = None,
    columns: Annotated[
        str, typer.Option(help="The columns that the tagger fills, separated by commas: upos, xpos, feats, lemma.")
    ] = "upos,xpos,feats,lemma",
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
    from treewright.parser import ParserOptions, changed
    from treewright.tagger import TaggerOptions, TokeniserOptions

    task = Task(train, dev, output, resume, skip_bad, quiet)
    check_options(context, only, as_json)
    tagging = TaggerOptions(tuple(columns.split(",")), seed)
    if only is Only.tagger:
        train_tagger(task, replace(tagging, tags=with_epochs(tagging.tags, epochs)))
        return
    if only is Only.tokeniser:
        options = TokeniserOptions(seed)
        train_tokeniser(task, replace(options, learning=with_epochs(options.learning, epochs)))
        return
    parsing = ParserOptions(model.value, projective, None if root is Root.auto else root.value, seed, learner.value)
    parsing = replace(
        parsing,
        pruning=changed(parsing.pruning, max_heads=max_heads, threshold=threshold),
        scoring=changed(parsing.scoring, epochs=epochs),
    )
    check = "single-root" if root is Root.single else "tree"
    if only is Only.parser:
        train_parser(task, check, parsing, as_json)
    else:
        train_pipeline(task, check, parsing, tagging, as_json)


def with_epochs(learning: Learning, epochs: int | None) -> Learning:
    """Other epochs, where they are given."""
    return learning if epochs is None else replace(learning, epochs=epochs)


def check_options(context: typer.Context, only: Only | None, as_json: bool) -> None:
    """Refuse options that the chosen component does not have."""
    refused = {Only.tagger: OF_THE_PARSER, Only.tokeniser: (*OF_THE_PARSER, "columns"), Only.parser: ("columns",)}
    for name in refused[only] if only else ():
        source = context.get_parameter_source(name)
        if only and source and source.name == "COMMANDLINE":
            raise typer.BadParameter(
                f"--only {only.value} has no such option", param_hint=f"--{name.replace('_', '-')}"
            )
    if as_json and only in (Only.tagger, Only.tokeniser):
        raise typer.BadParameter("only for a parser or a whole pipeline", param_hint="--json")


def train_parser(task: Task, check: str, options: ParserOptions, as_json: bool) -> None:
    """Train a parser alone on the columns as they are."""
    from treewright.parser import Parser, resolve

    banks = task.banks(check)
    settings = resolve(options, banks[0])
    task.show_settings(settings.to_json())
    begin = time.monotonic()
    with checkpointed(task.output) as checkpoint, display(stage_costs(settings, len(banks[0])), task.quiet) as shown:
        parser = Parser.train(
            *banks,
            options=settings,
            report=shown.report,
            progress=shown.advance,
            checkpoint=checkpoint,
            resume=task.resume,
        )
        parser.save(task.output)
    if as_json or not task.quiet:
        found = parser_summary(parser, banks, task.output, time.monotonic() - begin)
        if as_json:
            typer.echo(json.dumps({**found, "epochs": shown.epochs()}, indent=2))
        else:
            typer.echo(parser_in_words(found), err=True)


def train_pipeline(task: Task, check: str, parsing: ParserOptions, tagging: TaggerOptions, as_json: bool) -> None:
    """Train tokeniser, tagger and parser, and measure them together from raw text."""
    from treewright.parser import resolve
    from treewright.pipeline import Pipeline
    from treewright.pipeline.training import Recipe
    from treewright.tagger import TokeniserOptions

    sentences, dev = task.banks(check)
    settings = resolve(parsing, sentences)
    tokenising = TokeniserOptions(tagging.seed)
    notes = (lambda line: None) if task.quiet else note
    recipe = Recipe(tokenising, tagging, settings).for_treebank(sentences, notes)
    task.show_settings(settings.to_json())
    begin = time.monotonic()
    stages = pipeline_costs(recipe, settings, len(sentences))
    with checkpointed(task.output) as checkpoint, display(stages, task.quiet) as shown:
        pipeline = Pipeline.train(
            *(sentences, dev),
            options=settings,
            tagger_options=tagging,
            tokeniser_options=tokenising,
            metadata={"name": task.output.stem},
            report=shown.report,
            progress=shown.advance,
            checkpoint=checkpoint,
            resume=task.resume,
        )
        pipeline.save(task.output)
    if as_json or not task.quiet:
        found = pipeline_summary(pipeline, sentences, dev, task.output, time.monotonic() - begin)
        if as_json:
            typer.echo(json.dumps({**found, "epochs": shown.epochs()}, indent=2))
        else:
            typer.echo(pipeline_in_words(found), err=True)


def stage_costs(settings: ParserSettings, sentences: int) -> list[StageCost]:
    """The stages of the training of a parser."""
    folds = min(settings.pruning.folds, sentences)
    pruners = [f"fold {fold + 1}" for fold in range(folds if folds > 1 else 0)] + ["pruner"]
    return [
        *(StageCost(name, settings.pruning.epochs, 1.0) for name in pruners),
        StageCost("scorer", settings.scoring.epochs, SCORER_COSTS[settings.model]),
        StageCost("labeller", settings.labelling.epochs, LABELLER_COST),
    ]


def pipeline_costs(recipe: Recipe, settings: ParserSettings, sentences: int) -> list[StageCost]:
    """The stages of the training of a pipeline."""
    from treewright.pipeline.training import fold_name

    stages = []
    if recipe.tokeniser is not None:
        stages.append(StageCost("tokens", recipe.tokeniser.learning.epochs, WORD_COST))
    for name in ("", *map(fold_name, range(recipe.folds))):
        stages.append(StageCost(f"{name}tags", recipe.tagger.tags.epochs, WORD_COST))
        stages.append(StageCost(f"{name}lemmas", recipe.tagger.lemmas.epochs, WORD_COST))
    return stages + stage_costs(settings, sentences)


def size_of(output: Path, sentences: Sequence[Sentence], seconds: float) -> dict[str, Any]:
    """The file, its size, and that of the training data."""
    words = sum(map(len, sentences))
    size = output.stat().st_size
    return {
        "file": str(output),
        "bytes": size,
        "sentences": len(sentences),
        "words": words,
        "seconds": round(seconds, 3),
    }


def parser_summary(
    parser: Parser, banks: tuple[Sequence[Sentence], Sequence[Sentence]], output: Path, seconds: float
) -> dict[str, Any]:
    """Settings, sizes, and the scores on the development data."""
    bank, dev = banks
    heads = labels = certified = 0
    for gold, found in zip(dev, parser.parse(dev), strict=True):
        right = (gold.heads == found.heads).tolist()
        heads += sum(right)
        pairs = zip(gold.deprels, found.deprels, right, strict=True)
        labels += sum(same and gold_label == label for gold_label, label, same in pairs)
        certified += found.parse.certified
    words = sum(map(len, dev))
    development = {
        "sentences": len(dev),
        "words": words,
        "uas": 100 * heads / words,
        "las": 100 * labels / words,
        "certified": certified / len(dev),
    }
    return {
        **size_of(output, bank, seconds),
        "labels": len(parser.model.labels),
        "options": parser.options.to_json(),
        "development": development,
    }


def parser_in_words(found: dict[str, Any]) -> str:
    options, dev = found["options"], found["development"]
    kind = "projective" if options["projective"] else "non-projective"
    roots = "one root" if options["root"] == "single" else "several roots"
    return (
        f"{found['file']}: {options['model']}, {kind}, {roots}, {found['labels']} relations; {trained_on(found)}; "
        f"on {dev['sentences']} development sentences UAS {dev['uas']:.2f}, LAS {dev['las']:.2f}, "
        f"{100 * dev['certified']:.1f} % of the trees certified"
    )


def pipeline_summary(
    pipeline: Pipeline, sentences: Sequence[Sentence], dev: Sequence[Sentence], output: Path, seconds: float
) -> dict[str, Any]:
    """Sizes, options, and the figures from the raw text of the development data."""
    from treewright.evaluate import evaluate
    from treewright.tagger.tokeniser import text_and_ends

    found = pipeline(text_and_ends(dev)[0])
    scores = evaluate(dev, found).scores
    return {
        **size_of(output, sentences, seconds),
        "columns": pipeline.tagger.columns,
        "options": pipeline.trained_parser.options.to_json(),
        "development": {
            "sentences": len(dev),
            "words": sum(map(len, dev)),
            "certified": sum(one.parse.certified for one in found) / len(found),
            "f1": {name: 100 * scores[name].f1 for name in FIGURES},
        },
    }


def pipeline_in_words(found: dict[str, Any]) -> str:
    dev = found["development"]
    figures = ", ".join(f"{name} {figure:.2f}" for name, figure in dev["f1"].items())
    return (
        f"{found['file']}: {found['bytes'] / 1e6:.1f} MB; {trained_on(found)}\n"
        f"from the raw text of {dev['sentences']} development sentences (F1): {figures}; "
        f"{100 * dev['certified']:.1f} % of the trees certified"
    )


def trained_on(found: dict[str, Any]) -> str:
    """The size of the training data and the time."""
    return f"trained on {found['sentences']} sentences, {found['words']} words in {found['seconds']:.1f} s"
