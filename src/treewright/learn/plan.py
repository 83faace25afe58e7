"""A training before it runs: its data, its resolved settings, and its stages with their costs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

from treewright.learn.engine import Observer

Item = TypeVar("Item")  # of the training data, such as a sentence
Model = TypeVar("Model")
CheckpointPath = str | os.PathLike[str] | None
Fit = Callable[[Observer, CheckpointPath, bool], Model]  # observer, checkpoint, resume


class StageCost(NamedTuple):
    """A stage of a training, for the estimate of the time left."""

    name: str
    epochs: int
    cost: float  # of an epoch, relative to the epochs of the other stages


@dataclass(frozen=True)
class Plan(Generic[Item, Model]):
    """A training that is ready to run: everything is checked and chosen, nothing is trained.

    train and dev are the data as they were split and read; settings are the resolved options as plain values, for
    display and for the checkpoint; notes say what the data could not teach. The names of the stages are those that
    reports and progress carry.

    >>> plan = Plan(["a", "b"], [], {"seed": 1}, [StageCost("letters", 2, 1.0)], lambda observer, path, resume: "model")
    >>> [stage.name for stage in plan.stages], plan.run()
    (['letters'], 'model')
    """

    train: Sequence[Item]
    dev: Sequence[Item]
    settings: Mapping[str, Any]
    stages: Sequence[StageCost]
    fit: Fit[Model]
    notes: Sequence[str] = ()

    def run(
        self, observer: Observer | None = None, *, checkpoint: CheckpointPath = None, resume: bool = False
    ) -> Model:
        """Train, and return the model.

        observer: its `report` is called after each epoch, its `progress` before each example. checkpoint: a file that
        keeps the state at the ends of epochs, from which a later run with `resume` continues; the caller removes it
        when the model is saved.
        """
        return self.fit(observer or Observer(), checkpoint, resume)


def prefix_stages(prefix: str, stages: Sequence[StageCost]) -> list[StageCost]:
    """Return the stages of a part of a larger training, with a prefix before their names.

    >>> prefix_stages("tagger 1 ", [StageCost("tags", 8, 1.0)])
    [StageCost(name='tagger 1 tags', epochs=8, cost=1.0)]
    """
    return [stage._replace(name=f"{prefix}{stage.name}") for stage in stages]


def prefix_observer(prefix: str, observer: Observer) -> Observer:
    """Return an observer of a part of a larger training: the names of its stages arrive with the prefix."""
    report, progress = observer.report, observer.progress
    return Observer(
        report=report and (lambda epoch: report(replace(epoch, stage=f"{prefix}{epoch.stage}"))),
        progress=progress and (lambda stage, *counts: progress(f"{prefix}{stage}", *counts)),
    )
