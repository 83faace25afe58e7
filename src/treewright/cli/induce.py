"""`treewright induce`: a parser from tags alone."""

from __future__ import annotations

import json
import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.progress import TaskID

    from treewright.induce import InducedParser, Progress

app = typer.Typer(add_completion=False)

HELP = (
    "Learn a parser from text with part-of-speech tags; heads are not needed, and not looked at.\n\n"
    "Two models learn alone and then from each other: one says how likely a tree is (the valence model), the other how "
    "well its arcs can be predicted (Convex-MST). The model file serves `treewright parse` like any other.\n\n"
    "  treewright induce tagged.conllu -o model.tw\n\n"
    "  treewright induce tagged.conllu --method lc-dmv --explain\n\n"
    "  treewright induce tagged.conllu --rules my-rules.toml -o model.tw\n\n"
)


class Method(str, Enum):
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
    method: Annotated[Method, typer.Option(help="Both models together, or one of them alone.")] = Method.joint,
    rules: Annotated[
        str, typer.Option(help="Which heads may well have which modifiers: ud, noji, universal, or a TOML file.")
    ] = "ud",
    max_length: Annotated[int, typer.Option(min=1, help="Leave out longer sentences (punctuation not counted).")] = 15,
    start: Annotated[
        str, typer.Option(help="What EM starts from: klein-manning, harmonic or uniform.")
    ] = "klein-manning",
    iterations: Annotated[int, typer.Option(min=1, help="Of EM.")] = 20,
    rounds: Annotated[int, typer.Option(min=1, help="Of joint training.")] = 3,
    weight: Annotated[float, typer.Option(help="Of Convex-MST's scores beside log probabilities.")] = 10.0,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print what was learned: roots, attachments, stops.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was learned as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out sentences that cannot be read.")] = False,
) -> None:
    from dataclasses import replace

    from treewright.corpus import read
    from treewright.errors import InputError
    from treewright.induce import InducedParser, Options, preferences

    if output is None and not (explain or as_json):
        raise InputError("nothing to do with the model: give -o MODEL to keep it, or --explain to look at it")
    options = Options(method=method.value, max_length=max_length, rules=rules, start=start, iterations=iterations)
    options = replace(options, joint=replace(options.joint, rounds=rounds, weight=weight))
    sentences = read(train, on_error="skip" if skip_bad else "raise")
    with Reporter(quiet) as report:
        parser = InducedParser.train(sentences, options, report=report.hear)
    if output is not None:
        parser.save(output)
    if as_json:
        typer.echo(json.dumps(preferences(parser), ensure_ascii=False))
    elif explain:
        show_preferences(parser)


class Reporter:
    """A bar a stage on a terminal, a line a stage elsewhere."""

    def __init__(self, quiet: bool) -> None:
        from rich import progress as bars
        from rich.console import Console

        console = Console(stderr=True)
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
        self.tell()

    def hear(self, progress: Progress) -> None:
        if self.last is not None and self.last.stage != progress.stage:
            self.tell()
        self.last = progress
        if progress.stage not in self.tasks:
            self.tasks[progress.stage] = self.bars.add_task(progress.stage, total=progress.total, figures="")
        task = self.tasks[progress.stage]
        self.bars.update(task, completed=progress.iteration, figures=figures_of(progress))

    def tell(self) -> None:
        """Where there are no bars, one line for a stage that is over."""
        if self.last is not None and self.bars.disable and not self.quiet:
            print(f"{self.last.stage}: {self.last.iteration} iterations, {figures_of(self.last)}", file=sys.stderr)


def figures_of(progress: Progress) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in progress.figures.items())


def show_preferences(parser: InducedParser) -> None:
    from rich.console import Console
    from rich.table import Table

    from treewright.induce import preferences

    told = preferences(parser)
    roots = Table("root", "probability", title="What heads a sentence")
    for row in told["roots"][:8]:
        roots.add_row(row["tag"], f"{row['probability']:.3f}")
    table = Table("head", "side", "stops at once", "stops later", "modifiers", title="What a head takes")
    for attachment, stop in zip(told["attachments"], told["stops"], strict=True):
        modifiers = "  ".join(f"{tag} {share:.2f}" for tag, share in attachment["modifiers"] if share >= 0.01)
        table.add_row(
            attachment["head"],
            attachment["side"],
            f"{stop['at once']:.2f}",
            f"{stop['after a modifier']:.2f}",
            modifiers,
        )
    console = Console()
    console.print(roots)
    console.print(table)
