"""Checkpoints: the state of a training in a file, so that a killed training resumes and ends with the same model.

A checkpoint is a safetensors file, as a model is. Most weights of a table are never updated, so that an array is stored
as the numbers of its nonzero rows and these rows. Data, options and version that the training depends on are stored
too: a checkpoint of another training is refused.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright.corpus.files import partial_of
from treewright.errors import InputError
from treewright.learn import State
from treewright.model import modelfile

FORMAT = 1
KIND = "checkpoint"
ROWS, VALUES = "places", "values"  # suffixes of the names of the two arrays of a stored array
CHECKPOINT_TIME_SHARE = 0.05  # upper limit of the time spent on checkpoints, not tuned; short epochs may be skipped


@dataclass(frozen=True)
class Origin:
    """What a training depends on. Two trainings with the same origin end with the same model."""

    training: str  # hashes of the columns that training reads
    development: str
    options: Mapping[str, Any]
    version: str

    @classmethod
    def now(cls, training: str, development: str, options: Mapping[str, Any]) -> Origin:
        """Return the origin of a training that starts now; training and development data are given by their hashes."""
        # Through JSON, so that options read from a file compare equal.
        return cls(training, development, json.loads(json.dumps(options)), modelfile.package_version())

    def differences(self, other: Mapping[str, Any]) -> list[str]:
        """Name the differences from another origin, as phrases."""
        phrases = []
        if other["version"] != self.version:
            phrases.append(f"Treewright {other['version']} (this is {self.version})")
        if other["training"] != self.training:
            phrases.append("other training data")
        if other["development"] != self.development:
            phrases.append("other development data")
        mine, theirs = flat(self.options), flat(other["options"])
        for name in sorted({*mine, *theirs}):
            if mine.get(name) != theirs.get(name):
                phrases.append(f"{name} {theirs.get(name)} (now {mine.get(name)})")
        return phrases


def flat(options: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested options as one level.

    >>> flat({"model": "arc", "scoring": {"epochs": 8}})
    {'model': 'arc', 'scoring epochs': 8}
    """
    values: dict[str, Any] = {}
    for name, value in options.items():
        values |= flat(value, f"{prefix}{name} ") if isinstance(value, Mapping) else {prefix + name: value}
    return values


def save(path: modelfile.Path, state: Mapping[str, Any], origin: Origin) -> None:
    """Write a checkpoint; it replaces the previous one."""
    arrays: dict[str, NDArray[Any]] = {}
    header = {"origin": vars(origin), "state": to_plain(dict(state), arrays)}
    modelfile.save(path, KIND, FORMAT, header, arrays)


def load(path: modelfile.Path, origin: Origin) -> dict[str, Any]:
    """Return the saved state, after a check that it belongs to this training."""
    try:
        file = modelfile.open_model(path)
        if file.kind != KIND or file.header["format"] != FORMAT:
            raise ValueError("not a checkpoint of this version of Treewright")
        different = origin.differences(file.header["origin"])
        state: dict[str, Any] = {} if different else from_plain(file.header["state"], file)
    except modelfile.UNREADABLE as error:
        problem = modelfile.problem_of(error).removeprefix(f"{path}: ").removesuffix(f"; {modelfile.GET_AGAIN}")
        raise InputError(f"{path}: {problem}; delete it to start again") from None
    if different:
        raise InputError(
            f"{path}: the checkpoint of another training: {', '.join(different)}; "
            "use the same data and options, or delete it to start again"
        )
    return state


def can_resume(path: modelfile.Path, resume: bool) -> bool:
    """Return whether there is a checkpoint to resume from; without `resume` an existing one is not overwritten."""
    if os.path.exists(path) and not resume:
        raise InputError(
            f"{path}: a training was interrupted here; continue it with resume, or delete it to start again"
        )
    return os.path.exists(path)


def open_checkpoint(
    path: modelfile.Path | None, resume: bool, origin: Callable[[], Origin]
) -> tuple[dict[str, Any] | None, Callable[[Mapping[str, Any]], None]]:
    """Return the state to resume from, if there is one, and a function that saves later states at the path, if any."""
    if path is None:
        return None, lambda state: None
    mine = origin()
    state = load(path, mine) if can_resume(path, resume) else None
    return state, throttled(lambda reached: save(path, reached, mine))


@dataclass(frozen=True)
class StepResults:
    """The results of the steps of a training by their names: arrays or plain values."""

    done: dict[str, Any] = field(default_factory=dict)
    save: Callable[[Mapping[str, Any]], None] = lambda done: None

    def get(self, name: str, compute: Callable[[], Any]) -> Any:
        """Return the result of a step, by compute() if an interrupted run has not stored it."""
        if name not in self.done:
            self.add(**{name: compute()})
        return self.done[name]

    def add(self, **results: Any) -> None:
        """Store results beside those that are there."""
        self.done.update(results)
        self.save(self.done)


def open_training(
    path: modelfile.Path | None, resume: bool, origin: Callable[[], Origin]
) -> tuple[State | None, Callable[[State], None] | None]:
    """Open the checkpoint of a training by treewright.learn; there is no function that saves without a path."""
    if path is None:
        return None, None
    state, save_state = open_checkpoint(path, resume, origin)
    return None if state is None else State(**state), lambda reached: save_state(vars(reached))


def throttled(save: Callable[[Mapping[str, Any]], None]) -> Callable[[Mapping[str, Any]], None]:
    """Return a function that saves the first state, and later ones while saving stays within its share of the time."""
    ready = -math.inf

    def save_if_ready(state: Mapping[str, Any]) -> None:
        nonlocal ready
        begin = time.monotonic()
        if begin >= ready:
            save(state)
            end = time.monotonic()
            ready = end + (end - begin) / CHECKPOINT_TIME_SHARE

    return save_if_ready


def checkpoint_path(output: modelfile.Path) -> Path:
    """Return the path of the checkpoint of a training that writes its model to `output`."""
    return Path(f"{os.fspath(output)}.checkpoint")


def step_file(checkpoint: modelfile.Path, step: str, is_finished: bool) -> Path:
    """Return the file of a step of a training of several: of its result if it is finished, else of its state."""
    return Path(f"{os.fspath(checkpoint)}.{step}.{'finished' if is_finished else 'state'}")


class Kept(Protocol):
    """The result of a step of a training: it is kept in a file."""

    @classmethod
    def load(cls: type[K], path: modelfile.Path) -> K:
        """Read the file."""

    def save(self, path: modelfile.Path) -> None:
        """Write the file."""


K = TypeVar("K", bound=Kept)


@dataclass(frozen=True)
class Steps:
    """The steps of a training that are finished, in files beside its checkpoint; none without a path."""

    path: Path | None = None

    @classmethod
    def at(cls, path: modelfile.Path | None, resume: bool, origin: Callable[[], Origin]) -> Steps:
        """Open the steps at a path; with `resume` those of an interrupted training, if it was the same training."""
        if path is None:
            return cls()
        mine = origin()
        if can_resume(path, resume):
            load(path, mine)
        else:
            remove_steps(Path(path))  # of a training whose checkpoint was deleted
        save(path, {}, mine)
        return cls(Path(path))

    def part(self, kind: type[K], name: str, train: Callable[[Path | None, bool], K]) -> K:
        """Return the part from its file, or train it by train(checkpoint, resume)."""
        if self.path is None:
            return train(None, False)
        finished, state = (step_file(self.path, name, is_finished) for is_finished in (True, False))
        if finished.exists():
            return kind.load(finished)
        part = train(state, True)
        part.save(finished)
        state.unlink(missing_ok=True)
        return part


def remove_checkpoint(output: modelfile.Path) -> None:
    """Remove the checkpoints of a model that is written, and partial files of trainings that were killed."""
    checkpoint_path(output).unlink(missing_ok=True)
    remove_steps(checkpoint_path(output))
    for path in (output, checkpoint_path(output)):
        partial_of(Path(os.path.realpath(path))).unlink(missing_ok=True)


def remove_steps(checkpoint: Path) -> None:
    """Remove the files of the steps of a training."""
    for ending in ("finished", "state", "finished.partial", "state.partial"):
        for step in checkpoint.parent.glob(f"{escape(checkpoint.name)}.*.{ending}"):
            step.unlink()


def to_plain(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """Return a value as JSON; its arrays are added to `arrays`."""
    if isinstance(value, np.ndarray):
        name = str(len(arrays) // 2)
        arrays[f"{name} {ROWS}"], arrays[f"{name} {VALUES}"] = nonzero_rows(value)
        return {"array": name, "shape": value.shape}
    if isinstance(value, dict):
        return {"names": list(value), "values": [to_plain(entry, arrays) for entry in value.values()]}
    return value


def from_plain(value: Any, file: modelfile.ModelFile) -> Any:
    """Undo `to_plain`."""
    if not isinstance(value, dict):
        return value
    if "array" in value:
        rows, values = (file.array(f"{value['array']} {part}") for part in (ROWS, VALUES))
        return full_array(rows, values, value["shape"])
    entries = [from_plain(entry, file) for entry in value["values"]]
    return dict(zip(value["names"], entries, strict=True))


def nonzero_rows(array: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the numbers of the rows with a nonzero bit, and these rows."""
    bits = np.ascontiguousarray(array).view(f"u{array.itemsize}").reshape(len(array), math.prod(array.shape[1:]))
    is_nonzero = np.zeros(len(array), dtype=bits.dtype)
    for column in range(bits.shape[1]):
        is_nonzero |= bits[:, column]
    rows = np.flatnonzero(is_nonzero)
    return rows, array[rows]


def full_array(rows: NDArray[Any], values: NDArray[Any], shape: list[int]) -> NDArray[Any]:
    """Undo `nonzero_rows`.

    >>> full_array(*nonzero_rows(np.array([[0.0, 2.5], [-0.0, 0.0]])), [2, 2])
    array([[ 0. ,  2.5],
           [-0. ,  0. ]])
    """
    if len(shape) == 0 or math.prod(shape) * values.itemsize > modelfile.MAX_ARRAY * 4:
        raise ValueError(f"it has an array of the shape {shape}")
    array = np.zeros(shape, dtype=values.dtype)
    array[rows] = values
    return array
