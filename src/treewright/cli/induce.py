"""`treewright induce`: a parser from tags alone."""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli.shared import check_output

if TYPE_CHECKING:
    from rich.progress import TaskID

    from treewright.corpus import Sentence
    from treewright.induce import InducedParser, Options, Progress

app = typer.Typer(add_completion=False)

HELP = (
    "Learn a parser from text with part-of-speech tags; heads are not needed, and not looked at.\n\n"
    "Two models learn alone and then from each other: one says how likely a tree is (the DMV), the other how "
    "well its arcs can be predicted (Convex-MST). The model file serves `treewright parse` like any other.\n\n"
    "  treewright induce tagged.conllu -o model.tw\n\n"
    "  treewright induce tagged.conllu --method lc-dmv --explain\n\n"
    "  treewright induce tagged.conllu --rules my-rules.toml -o model.tw\n\n"
    "  treewright induce untagged.conllu --clusters 50 -o model.tw\n\n"
    "A training that was interrupted goes on with --resume and ends with the same file.\n\n"
)


class Method(str, Enum):
    best = "best"
    joint = "joint"
    dmv = "dmv"
    lc_dmv = "lc-dmv"
    convex_mst = "convex-mst"


@app.command(help=HELP)
def induce(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help='Sentences with UPOS: CoNLL-U; "-" is standard input.')],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="MODEL", help="Where the model goes.")
    ] = None,
    method: Annotated[
        Method | None,
        typer.Option(
            help="Both models together (best: more rules, and both parse; joint: as published), or one of them alone; "
            "joint if not given, with --clusters lc-dmv."
        ),
    ] = None,
    clusters: Annotated[
        int | None,
        typer.Option(min=2, metavar="N", help="For text without tags: learn N classes of words in their place."),
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            help="Which heads may well have which modifiers: ud, content, noji, universal, or a TOML file; ud if not "
            "given, for best content."
        ),
    ] = None,
    max_length: Annotated[int, typer.Option(min=1, help="Leave out longer sentences (punctuation not counted).")] = 15,
    start: Annotated[
        str | None,
        typer.Option(
            help="What EM starts from: klein-manning, harmonic, uniform or random; "
            "klein-manning if not given, for best uniform."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of a random start; the same seed, the same file.")] = 1,
    iterations: Annotated[int, typer.Option(min=1, help="Of EM.")] = 20,
    viterbi: Annotated[bool, typer.Option("--viterbi", help="EM that counts the best trees only.")] = False,
    features: Annotated[
        bool,
        typer.Option("--features", help="Nouns share features, and verbs; fitted by L-BFGS in the place of EM."),
    ] = False,
    rounds: Annotated[int, typer.Option(min=1, help="Of joint training.")] = 3,
    weight: Annotated[
        float | None, typer.Option(help="Of Convex-MST's scores beside log probabilities; balanced if not given.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print what was learned: roots, attachments, stops.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was learned as JSON.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint, if there is one.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out sentences that cannot be read.")] = False,
) -> None:
    from dataclasses import replace

    from treewright.corpus import read
    from treewright.errors import InputError
    from treewright.induce import Options, preferences

    if output is None and not (explain or as_json):
        raise InputError("nothing to do with the model: give -o MODEL to keep it, or --explain to look at it")
    if output is not None:
        check_output(output)
    method = method or (Method.lc_dmv if clusters else Method.joint)
    options = Options(method.value, max_length, clusters or 0, rules, start, iterations, features, viterbi, seed)
    options = replace(options, joint=replace(options.joint, rounds=rounds, weight=weight))
    options.check()
    sentences = list(read(train, on_error="skip" if skip_bad else "raise"))
    parser = trained(sentences, options, output, resume, quiet)
    if as_json:
        typer.echo(json.dumps(preferences(parser), ensure_ascii=False))
    elif explain:
        show_preferences(parser)


def trained(
    sentences: list[Sentence], options: Options, output: Path | None, resume: bool, quiet: bool
) -> InducedParser:
    """Train, with a checkpoint beside the output, and save."""
    from treewright.checkpoint import clear, place
    from treewright.induce import InducedParser
    from treewright.induce.checkpoint import steps_at

    if output is None:
        with Reporter(quiet) as report:
            return InducedParser.train(sentences, options, report=report.hear)
    checkpoint = place(output)
    steps = steps_at(checkpoint, sentences, options, resume=resume)
    try:
        with Reporter(quiet) as report:
            parser = InducedParser.train(sentences, options, report=report.hear, steps=steps)
        parser.save(output)
    except KeyboardInterrupt:
        if checkpoint.exists():
            typer.echo(f"treewright: interrupted; the same command with --resume goes on from {checkpoint}", err=True)
        raise
    clear(output)
    return parser


class Reporter:
    """A bar a stage on a terminal; a line for each stage, and for each round of joint training."""

    def __init__(self, quiet: bool) -> None:
        from rich import progress as bars
        from rich.console import Console

        from treewright.induce.training import JOINT_STAGE

        console = Console(stderr=True)
        self.rounds = JOINT_STAGE
        columns = (
            bars.TextColumn("{task.description:16}"),
            bars.BarColumn(),
            bars.TextColumn("{task.completed:.0f}/{task.total:.0f}  {task.fields[figures]}"),
            bars.TimeRemainingColumn(),
        )
        self.quiet = quiet
        self.bars = bars.Progress(*columns, console=console, disable=quiet or not console.is_terminal)
        self.tasks: dict[str, TaskID] = {}
        self.last: Progress | None = None

    def __enter__(self) -> Reporter:
        self.bars.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.bars.stop()
        self.tell_stage()

    def hear(self, progress: Progress) -> None:
        if self.last is not None and self.last.stage != progress.stage:
            self.tell_stage()
        self.last = progress
        if progress.stage not in self.tasks:
            self.tasks[progress.stage] = self.bars.add_task(progress.stage, total=progress.total, figures="")
        task = self.tasks[progress.stage]
        self.bars.update(task, completed=progress.iteration, figures=figures_of(progress))
        if progress.stage == self.rounds:
            self.tell(f"{progress.stage}: round {progress.iteration}, {figures_of(progress)}")

    def tell_stage(self) -> None:
        """One line for a stage that is over."""
        if self.last is not None and self.last.stage != self.rounds:
            self.tell(f"{self.last.stage}: {self.last.iteration} iterations, {figures_of(self.last)}")

    def tell(self, line: str) -> None:
        if not self.quiet:
            self.bars.console.print(line, highlight=False, soft_wrap=True)


def figures_of(progress: Progress) -> str:
    rounded = {name: value if abs(value) > 1e-9 else 0.0 for name, value in progress.figures.items()}
    return ", ".join(f"{name} {value:.4g}" for name, value in rounded.items())


def show_preferences(parser: InducedParser) -> None:
    from rich.console import Console
    from rich.table import Table

    from treewright.induce import preferences

    told = preferences(parser)
    console = Console()
    console = console if console.is_terminal else Console(width=120)
    if "classes" in told:
        classes = Table("class", "its most frequent words", title="What the classes are")
        for row in told["classes"]:
            classes.add_row(row["tag"], " ".join(row["words"]))
        console.print(classes)
    roots = Table("root", "probability", title="What heads a sentence")
    for row in told["roots"][:8]:
        roots.add_row(row["tag"], f"{row['probability']:.3f}")
    console.print(roots)
    table = Table("head", "side", "stops at once", "stops later", "modifiers", title="What a head takes")
    for attachment, stop in zip(told["attachments"], told["stops"], strict=True):
        takes_none = stop["at once"] > 0.995
        modifiers = "  ".join(f"{tag} {share:.2f}" for tag, share in attachment["modifiers"] if share >= 0.01)
        table.add_row(
            attachment["head"] if attachment["side"] == "left" else "",
            attachment["side"],
            f"{stop['at once']:.2f}",
            "" if takes_none else f"{stop['after a modifier']:.2f}",
            "" if takes_none else modifiers,
            end_section=attachment["side"] == "right",
        )
    console.print(table)
