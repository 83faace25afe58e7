"""The keywords that all trainings have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypedDict, TypeVar

from treewright.learn import Observer, Plan, Progress, Report, State
from treewright.model import modelfile
from treewright.model.checkpoint import Origin, StepResults, open_checkpoint, open_training

T = TypeVar("T")


class RunOptions(TypedDict, total=False):
    """The keywords of every training beside its data and options.

    seed replaces that of the options. report is called after each epoch (iteration, round), progress before each
    example. checkpoint is a file that keeps the state at the ends of epochs; a later call with resume=True continues
    from it and ends with the same model, and the caller removes it when the model is saved. Training that only counts
    takes these keywords and has no use for them.
    """

    seed: int | None
    report: Callable[[Report], None] | None
    progress: Progress | None
    checkpoint: modelfile.Path | None
    resume: bool


@dataclass(frozen=True)
class Run:
    """One run of a training: the values of `RunOptions`."""

    seed: int | None = None
    report: Callable[[Report], None] | None = None
    progress: Progress | None = None
    checkpoint: modelfile.Path | None = None
    resume: bool = False

    @classmethod
    def split(cls, keywords: Mapping[str, Any]) -> tuple[Run, dict[str, Any]]:
        """Return the run of the keywords of a training, and its other keywords."""
        others = dict(keywords)
        values = {field.name: others.pop(field.name) for field in fields(cls) if field.name in others}
        return cls(**values), others

    def with_seed(self, options: T) -> T:
        """Return the options with the seed of the run, if it has one."""
        return options if self.seed is None else replace(options, seed=self.seed)  # type: ignore[type-var]

    def open(self, origin: Callable[[], Origin]) -> tuple[State | None, Observer]:
        """Return the state from which the run resumes, if there is one, and an observer that saves later states."""
        state, save = open_training(self.checkpoint, self.resume, origin)
        return state, Observer(self.report, save, self.progress)

    def results(self, origin: Callable[[], Origin]) -> StepResults:
        """Return the results of steps that are finished; later ones are saved at the checkpoint."""
        done, save = open_checkpoint(self.checkpoint, self.resume, origin)
        return StepResults({} if done is None else done, save)

    def follow(self, plan: Plan[Any, T]) -> T:
        """Train by a plan."""
        observer = Observer(self.report, progress=self.progress)
        return plan.run(observer, checkpoint=self.checkpoint, resume=self.resume)
