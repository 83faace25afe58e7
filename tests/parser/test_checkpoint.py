"""Checkpoints hold a state to the bit and cost little."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.treebank import treebank

from treewright.checkpoint import Origin, now_and_then
from treewright.errors import InputError
from treewright.parser import Options, State
from treewright.parser.checkpoint import load_checkpoint, origin_of, save_checkpoint
from treewright.parser.training import Judgement

ORIGIN = origin_of(treebank(2), treebank(1), Options())


def test_a_state_comes_back_to_the_bit(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    cells = np.where(rng.random((64, 4)) < 0.1, rng.normal(size=(64, 4)), 0).astype(np.float32)
    cells[3] = [-0.0, 0, 0, 0]
    cells[5, 2] = np.float32(1e-45)
    weights = {"fold 1": rng.normal(size=16).astype(np.float32), "pruner": np.zeros(8, dtype=np.float32)}
    state = State(weights=weights, stage="scorer", epoch=3, steps=120, best=cells, best_score=1 / 3)
    save_checkpoint(tmp_path / "c", state, ORIGIN)
    found = load_checkpoint(tmp_path / "c", ORIGIN)
    assert (found.stage, found.epoch, found.steps, found.best_score) == ("scorer", 3, 120, 1 / 3)
    assert found.best is not None
    assert found.best.tobytes() == cells.tobytes()
    assert {name: array.tobytes() for name, array in found.weights.items()} == {
        name: array.tobytes() for name, array in weights.items()
    }


def test_named_tuples_come_back(tmp_path: Path) -> None:
    pair = Judgement(0.25, oracle=99.5)
    weights: dict[str, Any] = {"fold 1": pair}
    save_checkpoint(tmp_path / "c", State(weights=weights), ORIGIN)
    assert load_checkpoint(tmp_path / "c", ORIGIN).weights == weights


def test_a_state_without_arrays_comes_back(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "c", State(stage="fold 1"), ORIGIN)
    assert load_checkpoint(tmp_path / "c", ORIGIN) == State(stage="fold 1")


def test_another_version_is_refused(tmp_path: Path) -> None:
    older = Origin(ORIGIN.training, ORIGIN.development, ORIGIN.options, "0.0.1")
    save_checkpoint(tmp_path / "c", State(), older)
    with pytest.raises(InputError, match=r"c: the checkpoint of another training: Treewright 0\.0\.1 \(this is"):
        load_checkpoint(tmp_path / "c", ORIGIN)


def test_a_model_is_no_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("weights")
    with pytest.raises(InputError, match=r"c: not a model file, or a damaged one .*; delete it to begin anew"):
        load_checkpoint(tmp_path / "c", ORIGIN)


def test_checkpoints_take_a_small_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, saved = [0.0], []

    def save(state: State) -> None:
        clock[0] += 2
        saved.append(state.epoch)

    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    keep = now_and_then(save)
    for epoch in range(10):
        clock[0] += 10
        keep(State(epoch=epoch))
    assert saved == [0, 4, 8]  # at most one second in twenty
