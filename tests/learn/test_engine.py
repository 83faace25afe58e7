"""The training engine on a toy learner: order, averaging, restarts, choice of the epoch, resuming."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy

import numpy as np
import pytest

from treewright.errors import InputError
from treewright.learn import AveragedCells, Judgement, Numbers, Observer, Report, Stage, State, Training, run

EXAMPLES = 7


class Counting:
    """A learner whose weights are the numbers of the examples it saw, and whose average is computed by definition."""

    def __init__(self) -> None:
        self.steps = 0
        self.weights = np.zeros(EXAMPLES, dtype=np.float32)
        self.total = np.zeros(EXAMPLES, dtype=np.float32)  # of the weights before the first step and after each

    def arrays(self) -> dict[str, Numbers]:
        return {"weights": self.weights, "total": self.total}

    def restore(self, arrays: Mapping[str, Numbers], steps: int) -> None:
        self.weights, self.total, self.steps = arrays["weights"], arrays["total"], steps

    def reset(self) -> None:
        self.__init__()  # type: ignore[misc]

    def average(self) -> Numbers:
        return np.asarray(self.total / (self.steps + 1), dtype=np.float32)


def learn(learner: Counting, number: int) -> float:
    learner.steps += 1
    learner.weights = learner.weights.copy()
    learner.weights[number] += learner.steps
    learner.total = learner.total + learner.weights
    return 1.0


def stage(name: str = "toy", **changes: object) -> Stage[Counting]:
    values = {"learner": Counting, "learn": learn, "examples": range(EXAMPLES), "size": EXAMPLES, "epochs": 4}
    return Stage(name, **values | changes)  # type: ignore[arg-type]


def by_hand(one: Stage[Counting], seed: int, epochs: range) -> Numbers:
    learner = Counting()
    for epoch in epochs:
        for number in one.order(seed, epoch):
            learn(learner, number)
    return learner.average()


def test_every_epoch_sees_every_example_once_in_an_order_of_its_own() -> None:
    orders = [stage().order(seed, epoch) for seed in (1, 2) for epoch in range(3)]
    assert all(sorted(order) == list(range(EXAMPLES)) for order in orders)
    assert len({tuple(order) for order in orders}) == len(orders)
    assert stage().order(1, 0) != stage("other").order(1, 0)
    assert stage(shuffle_key="").order(1, 0) == stage("other", shuffle_key="").order(1, 0)


def test_without_a_judge_the_average_of_the_last_epoch_is_kept() -> None:
    np.testing.assert_array_equal(run([stage()], seed=3)["toy"], by_hand(stage(), 3, range(4)))


@pytest.mark.parametrize("best", [0, 1, 2, 3])
def test_the_epoch_with_the_best_score_is_kept_and_the_first_of_equals(best: int) -> None:
    seen: list[Numbers] = []

    def judge(average: Numbers) -> Judgement:
        seen.append(average.copy())
        return Judgement(1.0 if len(seen) - 1 >= best else 0.5, {"count": float(len(seen))})

    reports: list[Report] = []
    found = run([stage(judge=judge)], seed=1, observer=Observer(report=reports.append))["toy"]
    np.testing.assert_array_equal(found, seen[best])
    assert [report.figures for report in reports] == [{"count": 1.0}, {"count": 2.0}, {"count": 3.0}, {"count": 4.0}]
    assert [(report.epoch, report.epochs, report.loss) for report in reports] == [(n, 4, 1.0) for n in (1, 2, 3, 4)]


def test_restarts_begin_at_zero_and_their_averages_are_averaged() -> None:
    first, second = (by_hand(stage(), 1, epochs) for epochs in (range(2), range(2, 4)))
    found = run([stage(restarts=2)], seed=1)["toy"]
    np.testing.assert_allclose(found, (first + second) / 2, rtol=1e-6)


def test_a_training_gives_the_weights_of_each_stage_and_runs_none_that_is_finished() -> None:
    expected = run([stage("first"), stage("second")], seed=1)
    ran: list[str] = []
    observer = Observer(report=lambda report: ran.append(report.stage))
    training = Training(1, State(weights={"first": expected["first"]}), observer)
    assert training.run(stage("first")) is expected["first"]
    np.testing.assert_array_equal(training.run(stage("second")), expected["second"])
    assert set(ran) == {"second"}
    assert training.weights("second") is training.run(stage("second"))


class Killed(Exception):
    pass


def killed_after(count: int, kept: list[State]) -> Callable[[State], None]:
    def checkpoint(state: State) -> None:
        kept.append(deepcopy(state))
        if len(kept) == count:
            raise Killed

    return checkpoint


@pytest.mark.parametrize("count", range(1, 9))
@pytest.mark.parametrize("restarts", [1, 2])
def test_a_training_resumed_after_any_epoch_has_the_same_weights(count: int, restarts: int) -> None:
    def judge(average: Numbers) -> Judgement:
        return Judgement(float(-abs(average[0] - 30)))

    def stages() -> list[Stage[Counting]]:
        return [stage("first", restarts=restarts), stage("second", restarts=restarts, judge=judge)]

    whole = run(stages(), seed=5)
    kept: list[State] = []
    with pytest.raises(Killed):
        run(stages(), seed=5, observer=Observer(checkpoint=killed_after(count, kept)))
    resumed = run(stages(), seed=5, state=kept[-1])
    assert {name: array.tobytes() for name, array in resumed.items()} == {
        name: array.tobytes() for name, array in whole.items()
    }


def test_progress_is_called_before_each_example() -> None:
    calls: list[tuple[str, int, int, int]] = []
    run([stage(epochs=2)], seed=1, observer=Observer(progress=lambda *call: calls.append(call)))
    assert calls == [("toy", epoch, done, EXAMPLES) for epoch in range(2) for done in range(EXAMPLES)]


def test_no_epochs_are_refused() -> None:
    with pytest.raises(InputError, match="toy: epochs is 0; expected at least 1"):
        run([stage(epochs=0)], seed=1)


def test_the_average_of_cells_is_the_weight_without_its_share_of_the_sum() -> None:
    learner = AveragedCells(3)
    history = [np.zeros(8)]
    dice = np.random.default_rng(0)
    for _ in range(10):
        change = dice.normal(size=8).astype(np.float32)
        step = learner.next_step()
        learner.cells[:, 0] += change
        learner.cells[:, 3] += np.float32(step) * change
        history.append(learner.cells[:, 0].astype(float))
    np.testing.assert_allclose(learner.average(), np.mean(history, axis=0), atol=1e-5)
