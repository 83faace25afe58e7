"""The training of a model by a command: data, settings, progress, checkpoints, the saved file, the report."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import typer

from treewright.cli.inputs import open_bar
from treewright.cli.shared import check_output, note, note_skipped
from treewright.corpus import Sentence, Tree, Treebank
from treewright.errors import InputError
from treewright.grammar import trees_of
from treewright.learn import Observer, Plan, Progress, Report, StageCost
from treewright.model.checkpoint import checkpoint_path, remove_checkpoint
from treewright.model.component import hold_out
from treewright.pipeline.networks import NO_GAIN

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID


PERCENTAGES = {
    "uas": "UAS",
    "las": "LAS",
    "oracle": "pruning recall",
    "accuracy": "tag accuracy",
    "lemma_accuracy": "lemma accuracy",
    "elas": "ELAS",
    "extra": "extra edges F1",
    "tokens": "token F1",
    "sentences": "sentence F1",
    "f1": "F1",
    "tags": "tag accuracy",
}
PROGRESS_STEP = 16  # examples between two updates of the progress bar; not tuned


class Saved(Protocol):
    """A model that can be saved."""

    def save(self, path: Path, /) -> None: ...


ModelType = TypeVar("ModelType", bound=Saved)


@dataclass(frozen=True)
class Task:
    """What every training command is given."""

    train: str
    dev: str | None
    output: Path
    resume: bool = False
    skip_bad: bool = False
    quiet: bool = False
    as_json: bool = False

    def banks(self, check: str = "format") -> tuple[Sequence[Sentence], Sequence[Sentence]]:
        """Read training and development sentences; without --dev a part of TRAIN is held out."""

        check_output(self.output)
        banks: list[Sequence[Sentence]] = []
        for name in (self.train, self.dev):
            if name is None:
                continue
            bank = Treebank.read(name, check=check, on_error="skip" if self.skip_bad else "raise")
            note_skipped(bank.skipped, bank.errors)
            if not len(bank):
                raise InputError(f"{name}: no sentence is left to train with")
            banks.append(bank)
        if self.dev is not None:
            return banks[0], banks[1]
        train, dev = hold_out(list(banks[0]))
        if not dev:
            raise InputError(f"{self.train}: one sentence, of which none can be held out; give --dev")
        if not self.quiet:
            note(f"no --dev: {len(dev)} of {len(banks[0])} sentences are held out to choose the best epoch")
        return train, dev

    def trees(self) -> tuple[list[Tree], list[Tree] | None]:
        """Read the trees of TRAIN and of DEV, prepared for a grammar."""
        check_output(self.output)
        trees = training_trees(self.train, self.skip_bad)
        return trees, None if self.dev is None else training_trees(self.dev, self.skip_bad)

    def show_settings(self, settings: Mapping[str, Any]) -> None:
        """Print the settings before the training starts."""
        if not self.quiet:
            typer.echo(settings_block(settings), err=True)

    def run(self, plan: Plan[Any, ModelType]) -> Trained[ModelType]:
        """Show the notes and the settings of a plan, train with progress and checkpoints, and save the model."""

        for line in () if self.quiet else plan.notes:
            note(line)
        self.show_settings(plan.settings)

        def train(run: Run) -> ModelType:
            observer = Observer(run.report, progress=run.progress)
            return plan.run(observer, checkpoint=run.checkpoint, resume=self.resume)

        trained = train_and_save(self.output, plan.stages, self.quiet, train)
        if "network" in plan.settings and not self.quiet:
            note_rejected_network(trained.model)
        return trained

    def run_component(
        self,
        kind: Any,
        options: Any,
        stages: Callable[[Sequence[Sentence]], Sequence[StageCost]],
        check: str = "format",
        judge: Callable[[Any, Sequence[Sentence]], Mapping[str, float]] | None = None,
        **data: Any,
    ) -> None:
        """Train a component that has no plan of its own, save it, and report its size and figures on gold trees.

        stages: returns the stages of the training on a treebank. data: what it is trained on beside the treebank.
        """

        train, dev = self.banks(check)
        plan = Plan(
            train,
            dev,
            asdict(options),
            stages(train),
            lambda observer, checkpoint, resume: kind.train(
                train,
                dev,
                options=options,
                report=observer.report,
                progress=observer.progress,
                checkpoint=checkpoint,
                resume=resume,
                **data,
            ),
        )
        trained = self.run(plan)
        summary = {**size_of(self.output, train, trained.seconds), "options": plan.settings}
        in_words = f"treewright: {self.output}: {trained.model}; {training_size(summary)}"
        if judge is not None:
            figures = judge(trained.model, dev)
            summary["development"] = figures
            in_words += f"; from the gold trees of the development sentences {figures_in_words(figures)}"
        self.report(summary, trained.epochs, in_words)

    def report_grammar(
        self, trained: Trained[Any], trees: Sequence[Tree], further: str = "", scores: str = "", **figures: Any
    ) -> None:
        """Report a model of phrase-structure trees; `further` are the data beside the trees, for the line in words."""
        report = {
            "file": str(self.output),
            "bytes": self.output.stat().st_size,
            "trees": len(trees),
            "words": sum(len(tree.leaves()) for tree in trees),
            "seconds": round(trained.seconds, 3),
            **figures,
        }
        data = f"{len(trees)} trees{further} in {trained.seconds:.1f} s"
        self.report(report, trained.epochs, f"treewright: {self.output}: {trained.model}; {data}{scores}")

    @property
    def has_report(self) -> bool:
        """Whether a report is printed."""
        return self.as_json or not self.quiet

    def report(self, summary: Mapping[str, Any], epochs: list[dict[str, Any]], in_words: str) -> None:
        """Print the report: as JSON with all epochs, or in words."""
        if self.as_json:
            typer.echo(json.dumps({**summary, "epochs": epochs}, indent=2))
        elif not self.quiet:
            typer.echo(in_words, err=True)


class Run(NamedTuple):
    """What a training function is given: callbacks, and the place of its checkpoint."""

    report: Callable[[Any], None]
    progress: Progress
    checkpoint: Path | None


class Trained(NamedTuple, Generic[ModelType]):
    """A model, the seconds that its training took, and the reports of its epochs."""

    model: ModelType
    seconds: float
    epochs: list[dict[str, Any]]


def train_and_save(
    output: Path | None, stages: Sequence[StageCost], quiet: bool, train: Callable[[Run], ModelType]
) -> Trained[ModelType]:
    """Train with a progress display and, if there is an output, with checkpoints beside it; save the model."""
    begin = time.monotonic()
    with nullcontext() if output is None else keep_checkpoint(output) as checkpoint, display(stages, quiet) as shown:
        model = train(Run(shown.report, shown.advance, checkpoint))
        if output is not None:
            model.save(output)
    return Trained(model, time.monotonic() - begin, shown.epochs())


def note_rejected_network(model: Any) -> None:
    """Say so if a network was trained and is not used, because it gains nothing on the development data."""

    if getattr(model, "trained_parser", model).model.network is None:
        note(NO_GAIN)


def size_of(output: Path, sentences: Sequence[Sentence], seconds: float) -> dict[str, Any]:
    """Return the file, its size, and the size of the training data."""
    counts = {"sentences": len(sentences), "words": sum(map(len, sentences))}
    return {"file": str(output), "bytes": output.stat().st_size, **counts, "seconds": round(seconds, 3)}


def training_trees(source: str, skip_bad: bool) -> list[Tree]:
    """Return the prepared trees of a file, with a note on those left out."""

    trees, errors = trees_of(source, skip_bad=skip_bad)
    note_skipped(len(errors), errors)
    if not trees:
        raise InputError(f"{source}: no tree is left to train with")
    return trees


def training_size(summary: Mapping[str, Any]) -> str:
    """Write the size of the training data and the time."""
    return f"trained on {summary['sentences']} sentences, {summary['words']} words in {summary['seconds']:.1f} s"


def figures_in_words(figures: Mapping[str, float]) -> str:
    """Write figures in one line.

    >>> figures_in_words({"UAS": 90.123, "LAS": 88.0})
    'UAS 90.12, LAS 88.00'
    """
    return ", ".join(f"{name} {figure:.2f}" for name, figure in figures.items())


@contextmanager
def keep_checkpoint(output: Path) -> Iterator[Path | None]:
    """Yield the path of the checkpoint; it is removed at the end, or kept and named if the training is interrupted.

    A device or a pipe has none.
    """

    if output.exists() and not output.is_file():
        yield None
        return
    checkpoint = checkpoint_path(output)
    try:
        yield checkpoint
    except KeyboardInterrupt:
        if checkpoint.exists():
            note(f"interrupted; the same command with --resume continues from {checkpoint}")
        raise
    remove_checkpoint(output)


def settings_block(settings: Mapping[str, Any]) -> str:
    """Write settings as lines: plain values first, then one line for each part.

    >>> print(settings_block({"model": "arc", "seed": 1, "scoring": {"epochs": 6, "rate": 0.05}}))
    settings  model arc, seed 1
      scoring  epochs 6, rate 0.05
    """
    parts = {name: value for name, value in settings.items() if isinstance(value, Mapping)}
    plain = {name: value for name, value in settings.items() if name not in parts}
    lines = [f"settings  {list_values(plain)}", *(f"  {name}  {list_values(values)}" for name, values in parts.items())]
    return "\n".join(lines)


def list_values(values: Mapping[str, Any]) -> str:
    """Write names and values in one line.

    >>> list_values({"adagrad_epsilon": 3.0, "columns": ("upos", "lemma")})
    'adagrad_epsilon 3.0, columns upos+lemma'
    """
    texts = {name: "+".join(value) if isinstance(value, (list, tuple)) else value for name, value in values.items()}
    return ", ".join(f"{name} {text}" for name, text in texts.items())


@contextmanager
def display(stages: Sequence[StageCost], quiet: bool) -> Iterator[Display]:
    """Show a bar with the time left on a terminal, and a line for each epoch on standard error.

    The bar shows the whole training, by the costs of its stages, or each stage on its own if there are no costs.
    """
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("left"))
    with open_bar(*columns, TimeRemainingColumn(), quiet=quiet) as bar:
        yield Display(bar, stages)


class Display:
    """The progress of a training, by the cost of its stages; `advance` and `report` are its callbacks."""

    def __init__(self, bar: Bar, stages: Sequence[StageCost]) -> None:
        self.bar = bar
        self.reports: list[Report] = []
        self.begins: dict[str, tuple[float, float]] = {}  # the cost before a stage, and the cost of one of its epochs
        total = 0.0
        for name, epochs, cost in stages:
            self.begins[name] = (total, cost)
            total += epochs * cost
        self.task: TaskID = bar.add_task("training", total=total)
        self.has_started = False

    def advance(self, stage: str, epoch: int, done: int, of: int) -> None:
        if done % PROGRESS_STEP == 0:
            begin, cost = self.begins[stage]
            completed = begin + cost * (epoch + done / of)
            if not self.has_started:  # resumed work does not count for the speed
                self.bar.reset(self.task, completed=int(completed))
                self.has_started = True
            self.bar.update(self.task, completed=completed, description=stage)

    def report(self, report: Report) -> None:
        self.reports.append(report)
        if report.stage not in self.begins:
            self.bar.update(self.task, completed=report.epoch, total=report.epochs, description=report.stage)
        self.bar.console.print(line_of(report))

    def epochs(self) -> list[dict[str, Any]]:
        """Return every report as plain values, for JSON."""
        fields = ("stage", "epoch", "epochs", "loss")
        return [{**{name: getattr(report, name) for name in fields}, **report.figures} for report in self.reports]


def line_of(report: Report) -> str:
    """Write one epoch as a line.

    >>> from treewright.learn import Report
    >>> line_of(Report("scorer", 2, 8, 0.125, {"uas": 86.5, "oracle": 99.25}))
    'scorer    epoch 2/8  loss 0.1250  UAS 86.50  pruning recall 99.25'
    >>> line_of(Report("DMV", 2, 20, figures={"log likelihood a word": -2.125}))
    'DMV       epoch 2/20  log likelihood a word -2.125'
    """
    pieces = [f"{report.stage:8}  epoch {report.epoch}/{report.epochs}"]
    if report.loss is not None:
        pieces.append(f"loss {report.loss:.4f}")
    pieces += [figure_text(name, figure) for name, figure in report.figures.items()]
    return "  ".join(pieces)


def figure_text(name: str, figure: float) -> str:
    """Write percentages with two decimals, other figures with four digits."""
    return f"{PERCENTAGES[name]} {figure:.2f}" if name in PERCENTAGES else f"{name} {figure:.4g}"
