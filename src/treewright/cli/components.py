"""The training of a model by a command: data, settings, progress, checkpoints, the saved file, the report."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import typer

from treewright.cli.shared import check_output, note, note_skipped
from treewright.cli.training import Display, checkpointed, display, settings_block
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.corpus import Sentence
    from treewright.learn import Plan, Progress, StageCost


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
        from treewright.corpus import Treebank
        from treewright.model.component import hold_out

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

    def show_settings(self, settings: Mapping[str, Any]) -> None:
        """Print the settings before the training starts."""
        if not self.quiet:
            typer.echo(settings_block(settings), err=True)

    def run(self, plan: Plan[Any, ModelType]) -> Trained[ModelType]:
        """Show the notes and the settings of a plan, train with progress and checkpoints, and save the model."""
        from treewright.learn import Observer

        for line in () if self.quiet else plan.notes:
            note(line)
        self.show_settings(plan.settings)

        def train(run: Run) -> ModelType:
            observer = Observer(run.report, progress=run.progress)
            return plan.run(observer, checkpoint=run.checkpoint, resume=self.resume)

        return train_and_save(self.output, plan.stages, self.quiet, train)

    def run_component(
        self,
        kind: Any,
        options: Any,
        stages: Sequence[StageCost],
        check: str = "format",
        judge: Callable[[Any, Sequence[Sentence]], Mapping[str, float]] | None = None,
    ) -> None:
        """Train a component that has no plan of its own, save it, and report its size and figures on gold trees."""
        from treewright.learn import Plan

        train, dev = self.banks(check)
        plan = Plan(
            train,
            dev,
            asdict(options),
            stages,
            lambda observer, checkpoint, resume: kind.train(
                train,
                dev,
                options=options,
                report=observer.report,
                progress=observer.progress,
                checkpoint=checkpoint,
                resume=resume,
            ),
        )
        trained = self.run(plan)
        summary = {**size_of(self.output, train, trained.seconds), "options": plan.settings}
        in_words = f"treewright: {self.output}: {trained.model}; {trained_on(summary)}"
        if judge is not None:
            figures = judge(trained.model, dev)
            summary["development"] = figures
            in_words += f"; from the gold trees of the development sentences {figures_in_words(figures)}"
        self.report(summary, trained.epochs, in_words)

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

    def run(shown: Display, checkpoint: Path | None) -> ModelType:
        return train(Run(shown.report, shown.advance, checkpoint))

    if output is None:
        with display(stages, quiet) as shown:
            model = run(shown, None)
    else:
        with checkpointed(output) as checkpoint, display(stages, quiet) as shown:
            model = run(shown, checkpoint)
            model.save(output)
    return Trained(model, time.monotonic() - begin, shown.epochs())


def size_of(output: Path, sentences: Sequence[Sentence], seconds: float) -> dict[str, Any]:
    """Return the file, its size, and that of the training data."""
    return {
        "file": str(output),
        "bytes": output.stat().st_size,
        "sentences": len(sentences),
        "words": sum(map(len, sentences)),
        "seconds": round(seconds, 3),
    }


def trained_on(summary: Mapping[str, Any]) -> str:
    """Write the size of the training data and the time."""
    return f"trained on {summary['sentences']} sentences, {summary['words']} words in {summary['seconds']:.1f} s"


def figures_in_words(figures: Mapping[str, float]) -> str:
    """Write figures in one line.

    >>> figures_in_words({"UAS": 90.123, "LAS": 88.0})
    'UAS 90.12, LAS 88.00'
    """
    return ", ".join(f"{name} {figure:.2f}" for name, figure in figures.items())
