"""Checkpoints store a state to the bit and take little time."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from treewright.errors import InputError
from treewright.learn import State
from treewright.model import checkpoint
from treewright.model.checkpoint import Origin, open_training, throttled

ORIGIN = Origin.now("training", "development", {"seed": 1})


def saved(path: Path, state: State, origin: Origin = ORIGIN) -> State:
    checkpoint.save(path, vars(state), origin)
    return State(**checkpoint.load(path, ORIGIN))


def test_a_state_comes_back_to_the_bit(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    cells = np.where(rng.random((64, 4)) < 0.1, rng.normal(size=(64, 4)), 0).astype(np.float32)
    cells[3] = [-0.0, 0, 0, 0]
    cells[5, 2] = np.float32(1e-45)
    weights = {"fold 1": rng.normal(size=16).astype(np.float32), "pruner": np.zeros(8, dtype=np.float32)}
    state = State(weights, "scorer", epoch=3, steps=120, arrays={"cells": cells}, best=cells, best_score=1 / 3)
    found = saved(tmp_path / "c", state)
    assert (found.stage, found.epoch, found.steps, found.best_score) == ("scorer", 3, 120, 1 / 3)
    assert found.best is not None
    assert found.best.tobytes() == found.arrays["cells"].tobytes() == cells.tobytes()
    assert {name: array.tobytes() for name, array in found.weights.items()} == {
        name: array.tobytes() for name, array in weights.items()
    }


def test_a_state_without_arrays_comes_back(tmp_path: Path) -> None:
    assert saved(tmp_path / "c", State(stage="fold 1")) == State(stage="fold 1")


@pytest.mark.parametrize("shape", [(0,), (0, 4), (3, 0)])
def test_an_empty_array_comes_back(shape: tuple[int, ...], tmp_path: Path) -> None:
    found = saved(tmp_path / "c", State(stage="rounds", arrays={"rules": np.zeros(shape, dtype=np.float32)}))
    assert found.arrays["rules"].shape == shape


def test_another_version_is_refused(tmp_path: Path) -> None:
    older = Origin(ORIGIN.training, ORIGIN.development, ORIGIN.options, "0.0.1")
    with pytest.raises(InputError, match=r"c: the checkpoint of another training: Treewright 0\.0\.1 \(this is"):
        saved(tmp_path / "c", State(), older)


def test_an_older_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(checkpoint, "FORMAT", 0)
        checkpoint.save(tmp_path / "c", vars(State()), ORIGIN)
    with pytest.raises(InputError, match="c: not a checkpoint of this version of Treewright; delete it to start again"):
        checkpoint.load(tmp_path / "c", ORIGIN)


def test_a_model_is_no_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("weights")
    with pytest.raises(InputError, match=r"c: not a model file, or a damaged one .*; delete it to start again"):
        checkpoint.load(tmp_path / "c", ORIGIN)


def test_a_training_is_opened_where_it_was_saved(tmp_path: Path) -> None:
    assert open_training(None, False, lambda: ORIGIN) == (None, None)
    state, save = open_training(tmp_path / "c", True, lambda: ORIGIN)
    assert state is None
    assert save is not None
    save(State(stage="tags", epoch=2))
    assert open_training(tmp_path / "c", True, lambda: ORIGIN)[0] == State(stage="tags", epoch=2)
    with pytest.raises(InputError, match="c: a training was interrupted here; continue it with resume"):
        open_training(tmp_path / "c", False, lambda: ORIGIN)


def test_checkpoints_take_a_small_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, saved = [0.0], []

    def save(state: object) -> None:
        clock[0] += 2
        saved.append(state)

    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    keep = throttled(save)
    for epoch in range(10):
        clock[0] += 10
        keep({"epoch": epoch})
    assert saved == [{"epoch": 0}, {"epoch": 4}, {"epoch": 8}]  # at most one second in twenty
