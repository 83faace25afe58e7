"""Model files: one safetensors file with a JSON header, mapped on load; never a pickle.

The header tells what the file holds (`kind`), in which format, and whatever that kind of model needs beside its arrays.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import replacing
from treewright.errors import InputError

KEY = "treewright"  # of our header among the metadata of safetensors
DTYPES = {
    "F32": np.float32,
    "F64": np.float64,
    "I32": np.int32,
    "I64": np.int64,
    "I8": np.int8,
    "U8": np.uint8,
    "U32": np.uint32,
    "F16": np.float16,
}

Path = str | os.PathLike[str]


def save(path: Path, kind: str, format: int, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a model beside the path and rename it on success."""
    from safetensors.numpy import save_file

    whole = {"format": format, "kind": kind, **header}
    metadata = {KEY: json.dumps(whole, ensure_ascii=False, sort_keys=True)}
    with replacing(path) as beside:
        beside.touch()
        mode = stat.S_IMODE(beside.stat().st_mode)  # what the user's umask grants; safetensors would keep it private
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, beside, metadata=metadata)
        beside.chmod(mode)


def read_header(path: Path, kind: str | None = None, format: int = 0, arrays: Iterable[str] = ()) -> dict[str, Any]:
    """The JSON header of a model file, after a look at the whole file's layout.

    With `kind`, the file must hold that kind of model, in a format up to `format`, with these arrays.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            text = (file.metadata() or {}).get(KEY)
            missing = set(arrays) - set(file.keys())
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except (SafetensorError, IsADirectoryError) as error:
        raise InputError(f"{path}: not a model file, or a damaged one ({error})") from None
    if text is None:
        raise InputError(f"{path}: a safetensors file, but not one of Treewright's")
    header: dict[str, Any] = json.loads(text)
    if kind is None:
        return header
    if header.get("kind") != kind:
        raise InputError(f"{path}: holds a {header.get('kind')}; wanted is a {kind}")
    if header.get("format", 0) > format:
        raise InputError(
            f"{path}: written in format {header['format']} by a newer Treewright; this one reads up to {format}: "
            "pip install --upgrade treewright"
        )
    if missing:
        raise InputError(f"{path}: lacks the weights {', '.join(sorted(missing))}; train the model again")
    return header


def mapped(path: Path, name: str) -> NDArray[Any]:
    """One array of a model file, mapped: after the length of the JSON index come the index and the data."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        entry = json.loads(file.read(length))[name]
    begin, end = entry["data_offsets"]
    dtype = np.dtype(DTYPES[entry["dtype"]])
    shape = tuple(entry["shape"])
    if end == begin:
        return np.zeros(shape, dtype)
    return np.asarray(np.memmap(path, dtype=dtype, mode="r", offset=8 + length + begin, shape=shape))
