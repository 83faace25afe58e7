"""The training engine: epochs, shuffling, averaging, restarts, choice on the development set, and resuming.

A training is a list of stages that run one after the other. Each stage is a number of epochs over its examples, in an
order that depends on seed, stage and epoch alone. The state at the end of an epoch is therefore enough to continue
from, and the result has the same bits as that of a training without interruption.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from treewright.errors import InputError
from treewright.learn.averaged import Numbers

Progress = Callable[[str, int, int, int], None]  # stage, finished epochs, finished examples of this epoch, their number


class Learner(Protocol):
    """Weights that learn: `Averaged`, `AveragedCells`. Arrays and the number of steps are the whole state."""

    steps: int

    def arrays(self) -> dict[str, Numbers]:
        """Return the arrays of the state."""

    def restore(self, arrays: Mapping[str, Numbers], steps: int) -> None:
        """Continue from a saved state."""

    def reset(self) -> None:
        """Start again from zero weights."""

    def average(self) -> Numbers:
        """Return the mean of the weights over all steps."""


L = TypeVar("L", bound=Learner)


@dataclass(frozen=True)
class Judgement:
    """The score on the development set that decides between epochs, and figures for the report."""

    score: float
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """The end of an epoch: mean loss, and figures on the development set where it was evaluated."""

    stage: str
    epoch: int  # counted from 1
    epochs: int
    loss: float | None = None  # mean over the words; None for a stage that has no loss
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Stage(Generic[L]):
    """One table of weights to train.

    `learn` takes a step by one example and returns its loss; `judge` evaluates averaged weights on the development
    set, and the last epoch is kept without it. Both must depend on the data and the weights of the stages before alone,
    so that a stage can be resumed.
    """

    name: str
    learner: Callable[[], L]  # makes one with zero weights
    learn: Callable[[L, int], float]
    examples: Sequence[int]
    size: int  # what the loss is divided by, such as the number of words
    epochs: int
    restarts: int = 1  # trainings from zero that share the epochs; their averages are averaged
    judge: Callable[[Numbers], Judgement] | None = None
    shuffle_key: str | None = None  # the name, if None

    def order(self, seed: int, epoch: int) -> list[int]:
        """Return the examples in the order of an epoch."""
        text = self.name if self.shuffle_key is None else self.shuffle_key
        order = np.random.default_rng([seed, epoch, *text.encode()]).permutation(len(self.examples))
        return [self.examples[number] for number in order.tolist()]


@dataclass
class State:
    """A training at the end of an epoch: enough to continue from there."""

    weights: dict[str, Numbers] = field(default_factory=dict)  # of the finished stages
    stage: str = ""  # the current one
    epoch: int = 0  # finished epochs of the current stage
    steps: int = 0
    arrays: dict[str, Numbers] = field(default_factory=dict)  # of its learner
    earlier: Numbers | None = None  # the sum of the averages of its earlier restarts
    best: Numbers | None = None  # the average with the best score so far
    best_score: float = -1.0


@dataclass(frozen=True)
class Observer:
    """The callbacks of a training: at the end of an epoch, with its state, and before each example."""

    report: Callable[[Report], None] | None = None
    checkpoint: Callable[[State], None] | None = None
    progress: Progress | None = None


class Training:
    """A training in progress: runs stages one after the other, without those that a saved state has finished."""

    def __init__(self, seed: int, state: State | None = None, observer: Observer | None = None) -> None:
        self.seed, self.observer = seed, observer or Observer()
        self.state = state or State()

    def run(self, stage: Stage[Any]) -> Numbers:
        """Run the epochs of a stage that are left, and return its weights."""
        if stage.name not in self.state.weights:
            self.state = run_stage(stage, self.seed, self.state, self.observer)
        return self.state.weights[stage.name]

    def weights(self, stage: str) -> Numbers:
        """Return the weights of a finished stage."""
        return self.state.weights[stage]

    def report(self, report: Report) -> None:
        """Tell the observer of something beside the stages."""
        if self.observer.report:
            self.observer.report(report)


def run(
    stages: Sequence[Stage[Any]], *, seed: int, state: State | None = None, observer: Observer | None = None
) -> dict[str, Numbers]:
    """Run stages that do not depend on each other, and return the weights of each by its name."""
    training = Training(seed, state, observer)
    return {stage.name: training.run(stage) for stage in stages}


def run_stage(stage: Stage[L], seed: int, state: State, observer: Observer) -> State:
    """Run the epochs of a stage that are left, and return the state after the last."""
    if stage.epochs < 1:
        raise InputError(f"{stage.name}: epochs is {stage.epochs}; expected at least 1")
    learner = stage.learner()
    if state.stage == stage.name:
        learner.restore(state.arrays, state.steps)
    else:
        state = State(weights=state.weights, stage=stage.name)
    begins = restart_epochs(stage.epochs, stage.restarts)
    for epoch in range(state.epoch, stage.epochs):
        if epoch in begins[1:]:
            restart(learner, state)
        loss = run_epoch(stage, learner, seed, epoch, observer.progress)
        figures = choose(stage, learner, state, epoch, begins) if is_judged(epoch, stage.epochs, begins) else {}
        state.epoch, state.steps, state.arrays = epoch + 1, learner.steps, learner.arrays()
        if observer.checkpoint:
            observer.checkpoint(state)
        if observer.report:
            observer.report(Report(stage.name, epoch + 1, stage.epochs, loss / max(stage.size, 1), figures))
    assert state.best is not None  # the last epoch is always judged
    return State(weights={**state.weights, stage.name: state.best})


def run_epoch(stage: Stage[L], learner: L, seed: int, epoch: int, progress: Progress | None) -> float:
    """Pass over the examples once; returns the sum of the losses."""
    loss = 0.0
    for done, number in enumerate(stage.order(seed, epoch)):
        if progress:
            progress(stage.name, epoch, done, len(stage.examples))
        loss += stage.learn(learner, number)
    return loss


def restart(learner: Learner, state: State) -> None:
    """Add the average of this restart to those before, and begin the next one."""
    average = learner.average()
    state.earlier = average if state.earlier is None else state.earlier + average
    learner.reset()


def choose(stage: Stage[L], learner: L, state: State, epoch: int, begins: Sequence[int]) -> Mapping[str, float]:
    """Keep the mean of all restarts so far if it is better than the best before; returns its figures."""
    average = learner.average()
    if state.earlier is not None:
        average += state.earlier
        average /= sum(begin <= epoch for begin in begins)
    judged = stage.judge(average) if stage.judge else Judgement(float(epoch))
    if state.best is None or judged.score > state.best_score:
        state.best, state.best_score = average, judged.score
    return judged.figures


def restart_epochs(epochs: int, restarts: int) -> list[int]:
    """Return the epochs with which restarts begin; each restart has at least two.

    >>> restart_epochs(8, 4), restart_epochs(5, 2), restart_epochs(3, 4)
    ([0, 2, 4, 6], [0, 2], [0])
    """
    restarts = max(1, min(restarts, epochs // 2))
    return [number * (epochs // restarts) for number in range(restarts)]


def is_judged(epoch: int, epochs: int, begins: Sequence[int]) -> bool:
    """Whether weights are compared after an epoch: after each one without restarts, else at the end of each restart.

    >>> [is_judged(epoch, 5, [0]) for epoch in range(5)], [is_judged(epoch, 5, [0, 2]) for epoch in range(5)]
    ([True, True, True, True, True], [False, True, False, False, True])
    """
    return len(begins) == 1 or epoch + 1 == epochs or epoch + 1 in begins
