"""The training of one component by a command: data, settings, progress, checkpoints, summary."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from treewright.cli.shared import check_output, note, note_skipped
from treewright.cli.training import StageCost, checkpointed, display, settings_block
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.corpus import Sentence
    from treewright.tagger import TaggerOptions, TokeniserOptions


@dataclass(frozen=True)
class Task:
    """What every training command is given."""

    train: str
    dev: str | None
    output: Path
    resume: bool = False
    skip_bad: bool = False
    quiet: bool = False

    def banks(self, check: str = "format") -> tuple[Sequence[Sentence], Sequence[Sentence]]:
        """Training and development sentences; without --dev a part of TRAIN is held out."""
        from treewright.component import hold_out
        from treewright.corpus import Treebank

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

    def show_settings(self, settings: dict[str, Any]) -> None:
        """Print the settings before the training starts."""
        if not self.quiet:
            typer.echo(settings_block(settings), err=True)


def train_tagger(task: Task, options: TaggerOptions) -> None:
    """Train a tagger and save it."""
    from treewright.tagger import Tagger

    stages = [StageCost("tags", options.tags.epochs, 1.0), StageCost("lemmas", options.lemmas.epochs, 1.0)]
    train_words(task, Tagger.train, stages, options)


def train_tokeniser(task: Task, options: TokeniserOptions) -> None:
    """Train a tokeniser and save it."""
    from treewright.tagger import Tokeniser

    train_words(task, Tokeniser.train, [StageCost("tokens", options.learning.epochs, 1.0)], options)


def train_words(task: Task, train: Callable[..., Any], stages: Sequence[StageCost], options: Any) -> None:
    """Train a component that needs no trees, and save it."""
    sentences, dev = task.banks()
    task.show_settings(asdict(options))
    begin = time.monotonic()
    with checkpointed(task.output) as checkpoint, display(stages, task.quiet) as shown:
        trained = train(
            *(sentences, dev),
            options=options,
            report=shown.report,
            progress=shown.advance,
            checkpoint=checkpoint,
            resume=task.resume,
        )
        trained.save(task.output)
    if not task.quiet:
        words, seconds = sum(map(len, sentences)), time.monotonic() - begin
        size = f"{len(sentences)} sentences, {words} words"
        note(f"{task.output}: {trained}; trained on {size} in {seconds:.1f} s")
