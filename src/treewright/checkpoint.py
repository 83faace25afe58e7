"""Checkpoints: where a training stands, in a file, so that one that was killed goes on and ends with the same model.

A checkpoint is a safetensors file as a model is. Many weights of a table are never touched, so that each array is kept
as the rows that are not zero and what stands there. What the training depends on goes with it: a checkpoint of other
data, options or another version is refused.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from glob import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright import modelfile
from treewright.errors import InputError

FORMAT = 1
KIND = "treewright checkpoint"
PLACES, VALUES = "places", "values"
MOST = 0.05  # of the time of training is spent on checkpoints: where epochs are short, not each has one

Anything = TypeVar("Anything")
Tuples = Mapping[str, Callable[..., Any]]  # the named tuples that a state may hold, by name


@dataclass(frozen=True)
class Origin:
    """What a training depends on. Two trainings of one origin end with the same model."""

    training: str  # hashes of what is read of the sentences
    development: str
    options: Mapping[str, Any]
    version: str

    @classmethod
    def now(cls, training: str, development: str, options: Mapping[str, Any]) -> Origin:
        """That of a training about to begin."""
        # By way of JSON, for what comes out of a file must be equal to what went in.
        return cls(training, development, json.loads(json.dumps(options)), version("treewright"))

    def differences(self, other: Mapping[str, Any]) -> list[str]:
        """What is not the same there, in words."""
        found = []
        if other["version"] != self.version:
            found.append(f"Treewright {other['version']} (this is {self.version})")
        if other["training"] != self.training:
            found.append("other training data")
        if other["development"] != self.development:
            found.append("other development data")
        mine, theirs = flat(self.options), flat(other["options"])
        for name in sorted({*mine, *theirs}):
            if mine.get(name) != theirs.get(name):
                found.append(f"{name} {theirs.get(name)} (now {mine.get(name)})")
        return found


def flat(options: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested options by their names.

    >>> flat({"model": "arc", "scoring": {"epochs": 8}})
    {'model': 'arc', 'scoring epochs': 8}
    """
    found: dict[str, Any] = {}
    for name, value in options.items():
        found |= flat(value, f"{prefix}{name} ") if isinstance(value, Mapping) else {prefix + name: value}
    return found


def save(path: modelfile.Path, state: Mapping[str, Any], origin: Origin) -> None:
    """Write a checkpoint, in the place of the one before."""
    arrays: dict[str, NDArray[Any]] = {}
    header = {"origin": vars(origin), "state": taken_apart(dict(state), arrays)}
    modelfile.save(path, KIND, FORMAT, header, arrays)


def load(path: modelfile.Path, origin: Origin, tuples: Tuples | None = None) -> dict[str, Any]:
    """The state to go on from, if it is one of this training."""
    try:
        header = modelfile.read_header(path, KIND, FORMAT)
    except InputError as error:
        raise InputError(f"{error}; delete it to begin anew") from None
    check_origin(path, origin, header["origin"])
    state: dict[str, Any] = put_together(header["state"], path, tuples or {})
    return state


def begun(path: modelfile.Path, resume: bool) -> bool:
    """Whether there is a checkpoint to go on from; without `resume` one that is there is not overwritten."""
    if os.path.exists(path) and not resume:
        raise InputError(f"{path}: a training was interrupted here; --resume goes on, or delete it to begin anew")
    return os.path.exists(path)


def now_and_then(save: Callable[[Anything], None]) -> Callable[[Anything], None]:
    """Saves the first state, and others when enough time has passed for the last one's cost not to matter."""
    ready = -math.inf

    def save_if_ready(state: Anything) -> None:
        nonlocal ready
        begin = time.monotonic()
        if begin >= ready:
            save(state)
            end = time.monotonic()
            ready = end + (end - begin) / MOST

    return save_if_ready


def check_origin(path: modelfile.Path, origin: Origin, found: Mapping[str, Any]) -> None:
    """Refuse to go on with another training."""
    if different := origin.differences(found):
        raise InputError(
            f"{path}: the checkpoint of another training: {', '.join(different)}; "
            "train as it was trained, or delete it to begin anew"
        )


def place(output: modelfile.Path) -> Path:
    """Where the checkpoint of a training stands that will write its model to `output`."""
    return Path(f"{os.fspath(output)}.checkpoint")


def clear(output: modelfile.Path) -> None:
    """Once the model is written: remove its checkpoint, and what trainings that were killed while writing left."""
    place(output).unlink(missing_ok=True)
    for path in (output, place(output)):
        target = Path(os.path.realpath(path))
        for file in target.parent.glob(f".{escape(target.name)}.*.part"):
            file.unlink(missing_ok=True)


def taken_apart(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """A value as JSON can hold it; the arrays in it go to `arrays`."""
    if isinstance(value, np.ndarray):
        name = str(len(arrays) // 2)
        arrays[f"{name} {PLACES}"], arrays[f"{name} {VALUES}"] = packed(value)
        return {"array": name, "shape": value.shape}
    if isinstance(value, dict):
        return {"names": list(value), "values": [taken_apart(entry, arrays) for entry in value.values()]}
    if isinstance(value, tuple):
        return {"tuple": type(value).__name__, "values": [taken_apart(entry, arrays) for entry in value]}
    return value


def put_together(value: Any, path: modelfile.Path, tuples: Tuples) -> Any:
    """What `taken_apart` took apart."""
    if not isinstance(value, dict):
        return value
    if "array" in value:
        places, kept = (modelfile.mapped(path, f"{value['array']} {part}") for part in (PLACES, VALUES))
        return unpacked(places, kept, value["shape"])
    entries = [put_together(entry, path, tuples) for entry in value["values"]]
    if "tuple" in value:
        return tuples[value["tuple"]](*entries)
    return dict(zip(value["names"], entries, strict=True))


def packed(array: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The numbers of the rows that are not zero to the bit, and those rows."""
    bits = np.ascontiguousarray(array).view(f"u{array.itemsize}").reshape(len(array), -1)
    touched = bits[:, 0].copy()
    for column in range(1, bits.shape[1]):
        touched |= bits[:, column]
    places = np.flatnonzero(touched)
    return places, array[places]


def unpacked(places: NDArray[Any], values: NDArray[Any], shape: list[int]) -> NDArray[Any]:
    """What `packed` took apart.

    >>> unpacked(*packed(np.array([[0.0, 2.5], [-0.0, 0.0]])), [2, 2])
    array([[ 0. ,  2.5],
           [-0. ,  0. ]])
    """
    array = np.zeros(shape, dtype=values.dtype)
    array[places] = values
    return array
