"""What the training commands share: settings and progress on the terminal, checkpoints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.cli.shared import note

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from treewright.learn import Report, StageCost

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


@contextmanager
def checkpointed(output: Path) -> Iterator[Path]:
    """Yield the path of the checkpoint; it is removed at the end, or kept and named if the training is interrupted."""
    from treewright.model.checkpoint import checkpoint_path, remove_checkpoint

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
    lines = [f"settings  {listed(plain)}", *(f"  {name}  {listed(values)}" for name, values in parts.items())]
    return "\n".join(lines)


def listed(values: Mapping[str, Any]) -> str:
    """Write names and values in one line.

    >>> listed({"adagrad_epsilon": 3.0, "columns": ("upos", "lemma")})
    'adagrad_epsilon 3.0, columns upos+lemma'
    """
    texts = {name: "+".join(value) if isinstance(value, (list, tuple)) else value for name, value in values.items()}
    return ", ".join(f"{name} {text}" for name, text in texts.items())


@contextmanager
def display(stages: Sequence[StageCost], quiet: bool) -> Iterator[Display]:
    """Show a bar with the time left on a terminal, and a line for each epoch on standard error.

    The bar shows the whole training, by the costs of its stages, or each stage on its own if there are no costs.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True, quiet=quiet, highlight=False, soft_wrap=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("left"))
    bar = Progress(*columns, TimeRemainingColumn(), console=console, transient=True, disable=not console.is_terminal)
    with bar:
        yield Display(bar, stages)


class Display:
    """The progress of a training, by the cost of its stages; `advance` and `report` are its callbacks."""

    def __init__(self, bar: Progress, stages: Sequence[StageCost]) -> None:
        self.bar = bar
        self.reports: list[Report] = []
        self.begins: dict[str, tuple[float, float]] = {}  # the cost before a stage, and that of one of its epochs
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
