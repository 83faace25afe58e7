"""Model files: safetensors with a JSON header, mapped on load."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import replacing
from treewright.errors import InputError
from treewright.parser.model import Model, label_width
from treewright.parser.options import Options

FORMAT = 1  # raised when a file can no longer be read by the versions before
KIND = "treewright parser"
KEY = "treewright"  # of our header among the metadata of safetensors
ARRAYS = ("pruner", "scorer", "labeller")

Path = str | os.PathLike[str]


def save_model(model: Model, path: Path) -> None:
    """Write a model beside the path and rename it on success."""
    from safetensors.numpy import save_file

    header = {
        "format": FORMAT,
        "kind": KIND,
        "options": model.options.to_json(),
        "labels": model.labels,
        "common": model.common,
        "facts": dict(model.facts),
    }
    metadata = {KEY: json.dumps(header, ensure_ascii=False, sort_keys=True)}
    with replacing(path) as beside:
        save_file({name: getattr(model, name) for name in ARRAYS}, beside, metadata=metadata)


def load_model(path: Path) -> Model:
    """Map a model file into memory: what parsing does not touch is never read."""
    header = read_header(path)
    try:
        options = Options.from_json(header["options"])
        labels, common, facts = tuple(header["labels"]), tuple(header["common"]), header["facts"]
        bits = {"pruner": options.pruning.bits, "scorer": options.scoring.bits, "labeller": options.labelling.bits}
        arrays = {name: mapped(path, name, 1 << bits[name]) for name in ARRAYS}
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: its header lacks or misnames {error}; train the model again") from None
    if not 0 < label_width(len(labels)) <= 1 << options.labelling.bits:
        raise InputError(f"{path}: {len(labels)} labels do not fit its table; train the model again")
    return Model(options, labels, common, facts=facts, **arrays)


def read_header(path: Path) -> dict[str, Any]:
    """The JSON header of a model file, after a look at the whole file's layout."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            text = (file.metadata() or {}).get(KEY)
            missing = set(ARRAYS) - set(file.keys())
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except (SafetensorError, IsADirectoryError) as error:
        raise InputError(f"{path}: not a model file, or a damaged one ({error})") from None
    if text is None:
        raise InputError(f"{path}: a safetensors file, but not one of Treewright's")
    header: dict[str, Any] = json.loads(text)
    if header.get("kind") != KIND:
        raise InputError(f"{path}: holds a {header.get('kind')}, not a parser")
    if header.get("format", 0) > FORMAT:
        raise InputError(
            f"{path}: written in format {header['format']} by a newer Treewright; this one reads up to {FORMAT}: "
            "pip install --upgrade treewright"
        )
    if missing:
        raise InputError(f"{path}: lacks the weights {', '.join(sorted(missing))}; train the model again")
    return header


def mapped(path: Path, name: str, size: int) -> NDArray[np.float32]:
    """One array of a safetensors file: after the length of the JSON index, the index, then the data."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        entry = json.loads(file.read(length))[name]
    begin, end = entry["data_offsets"]
    if entry["dtype"] != "F32" or end - begin != 4 * size:
        raise InputError(f"{path}: {name} is not {size} numbers of 32 bits; train the model again")
    return np.asarray(np.memmap(path, dtype=np.float32, mode="r", offset=8 + length + begin, shape=(size,)))
