"""Calibration: parameters that make probabilities the shares of right predictions."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from treewright.evaluate import reliability
from treewright.learn import Calibration
from treewright.learn.calibration import fit, logistic

Numbers = NDArray[np.float64]


def drawn(scale: float, offset: float, seed: int) -> tuple[Callable[[float], Numbers], NDArray[np.bool_]]:
    """Probabilities by temperature of predictions that a model scores too high, and which of them are right."""
    dice = np.random.default_rng(seed)
    scores = dice.normal(size=20_000) * 3 + 2
    return lambda temperature: logistic(scale * scores / temperature), dice.random(20_000) < logistic(scores + offset)


@pytest.mark.parametrize("offset", [-0.7, 0.0, 0.7])
@pytest.mark.parametrize("scale", [0.01, 0.5, 1.0, 3.0, 100.0])
def test_confidence_is_the_share_of_right_predictions_at_any_scale_of_scores(scale: float, offset: float) -> None:
    probabilities, right = drawn(scale, offset, seed=1)
    found = fit(probabilities, right)
    unseen, truth = drawn(scale, offset, seed=2)
    after = reliability(found.apply(unseen(found.temperature)), truth).ece
    assert after < 0.015
    if scale != 1.0 or offset:
        assert after < reliability(unseen(1.0), truth).ece


def test_a_model_that_is_certain_is_corrected_to_its_accuracy() -> None:
    right = np.arange(1000) % 20 > 0
    found = fit(lambda temperature: np.ones(1000), right)
    assert found.apply([1.0])[0] == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize("right", [[True] * 5, [False] * 5, [True, False, True, True, False]])
def test_few_predictions_do_not_change_much(right: list[bool]) -> None:
    found = fit(lambda temperature: np.full(5, 0.8), np.array(right))
    assert 0.2 < found.apply([0.8])[0] < 0.99


def test_a_higher_probability_is_never_a_lower_confidence() -> None:
    dice = np.random.default_rng(3)
    grid = np.linspace(0, 1, 201)
    for _ in range(20):
        probability = dice.random(50)
        right = dice.random(50) < dice.random()
        found = fit(lambda temperature, given=probability: given, right).apply(grid)  # type: ignore[misc]
        assert (np.diff(found) >= 0).all()
        assert ((found >= 0) & (found <= 1)).all()


def test_parameters_survive_json() -> None:
    found = Calibration(1.7, 0.5, 0.25, -0.125)
    assert Calibration(**json.loads(json.dumps(vars(found)))) == found


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"temperature": 0.0}, "temperature of a calibration is 0.0; expected a positive number"),
        ({"temperature": np.nan}, "temperature of a calibration is nan; expected a finite number"),
        ({"of_right": -1.0}, "of_right of a calibration is -1.0"),
        ({"offset": np.inf}, "offset of a calibration is inf"),
    ],
)
def test_bad_parameters_are_named(values: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Calibration(**values)
