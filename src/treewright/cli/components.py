"""The training of a model by a command: data, settings, progress, checkpoints, the saved file, the report."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import typer

from treewright.cli.shared import check_output, note, note_skipped
from treewright.cli.training import Display, StageCost, checkpointed, display, settings_block
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.corpus import Sentence
    from treewright.learn import Progress
    from treewright.tagger import TaggerOptions
    from treewright.tokeniser import TokeniserOptions


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
        """Training and development sentences; without --dev a part of TRAIN is held out."""
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

    def show_open_cells(self, banks: Sequence[Sequence[Sentence]]) -> None:
        """Print how many heads and relations of the training and the development data are open."""
        from treewright.parser.partial import open_cells

        for name, bank in zip(("training data", "development data"), banks, strict=True):
            if (line := open_cells(bank)) and not self.quiet:
                note(f"{name}: {line}")

    def show_settings(self, settings: dict[str, Any]) -> None:
        """Print the settings before the training starts."""
        if not self.quiet:
            typer.echo(settings_block(settings), err=True)

    def show_lines(self, lines: Iterable[str]) -> None:
        """Print lines for people, unless quiet."""
        if not self.quiet:
            typer.echo("\n".join(lines), err=True)

    @property
    def has_report(self) -> bool:
        return self.as_json or not self.quiet

    def report(self, found: Mapping[str, Any], epochs: list[dict[str, Any]], in_words: str) -> None:
        """Print the report: as JSON with all epochs, or in words."""
        if self.as_json:
            typer.echo(json.dumps({**found, "epochs": epochs}, indent=2))
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


def train_tagger(task: Task, options: TaggerOptions) -> None:
    """Train a tagger and save it."""
    from treewright.tagger import Tagger

    stages = [StageCost("tags", options.tags.epochs, 1.0), StageCost("lemmas", options.lemmas.epochs, 1.0)]
    train_words(task, Tagger.train, stages, options)


def train_tokeniser(task: Task, options: TokeniserOptions) -> None:
    """Train a tokeniser and save it."""
    from treewright.tokeniser import Tokeniser

    train_words(task, Tokeniser.train, tokeniser_costs(options, 1.0), options)


def tokeniser_costs(options: TokeniserOptions, cost: float) -> list[StageCost]:
    """The stages of the training of a tokeniser."""
    stages = {"tokens": options.learning, "boundaries": options.boundaries}
    return [StageCost(name, learning.epochs, cost) for name, learning in stages.items()]


def train_words(task: Task, train: Callable[..., Any], stages: Sequence[StageCost], options: Any) -> None:
    """Train a component that needs no trees, and save it."""
    banks = task.banks()
    task.show_settings(asdict(options))
    trained = train_and_save(
        task.output, stages, task.quiet, lambda run: train(*banks, options=options, resume=task.resume, **run._asdict())
    )
    found = {**size_of(task.output, banks[0], trained.seconds), "options": asdict(options)}
    task.report(found, trained.epochs, f"treewright: {task.output}: {trained.model}; {trained_on(found)}")


def size_of(output: Path, sentences: Sequence[Sentence], seconds: float) -> dict[str, Any]:
    """The file, its size, and that of the training data."""
    return {
        "file": str(output),
        "bytes": output.stat().st_size,
        "sentences": len(sentences),
        "words": sum(map(len, sentences)),
        "seconds": round(seconds, 3),
    }


def trained_on(found: Mapping[str, Any]) -> str:
    """The size of the training data and the time."""
    return f"trained on {found['sentences']} sentences, {found['words']} words in {found['seconds']:.1f} s"
