"""A training of several components: those that are finished, and the callbacks of each."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from treewright import checkpoint as checkpoints
from treewright.checkpoint import Origin
from treewright.component import Component
from treewright.learn import Progress, Report

OnReport = Callable[[Report], None]
P = TypeVar("P", bound=Component)


@dataclass(frozen=True)
class Steps:
    """The parts of a training that are finished, in files beside its checkpoint; none without a path."""

    path: Path | None = None

    @classmethod
    def at(cls, path: str | os.PathLike[str] | None, resume: bool, origin: Callable[[], Origin]) -> Steps:
        """Those of an interrupted training with `resume`, after a check that it was the same training."""
        if path is None:
            return cls()
        mine = origin()
        if checkpoints.can_resume(path, resume):
            checkpoints.load(path, mine)
        checkpoints.save(path, {}, mine)
        return cls(Path(path))

    def part(self, kind: type[P], name: str, train: Callable[[Path | None, bool], P]) -> P:
        """The part from its file, or trained; train(checkpoint, resume) trains it."""
        if self.path is None:
            return train(None, False)
        finished, state = (checkpoints.step_file(self.path, name, is_finished) for is_finished in (True, False))
        if finished.exists():
            return kind.load(finished)
        part = train(state, True)
        part.save(finished)
        state.unlink(missing_ok=True)
        return part


@dataclass(frozen=True)
class Callbacks:
    """What is called at the end of an epoch and before an example, with the name of the step before the stage."""

    report: OnReport | None = None
    progress: Progress | None = None

    def of(self, step: str) -> dict[str, Any]:
        """The arguments `report` and `progress` of the training of a part."""
        report, progress = self.report, self.progress
        return {
            "report": report and (lambda one: report(replace(one, stage=f"{step}{one.stage}"))),
            "progress": progress and (lambda stage, *counts: progress(f"{step}{stage}", *counts)),
        }
