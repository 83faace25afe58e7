"""Model files: one safetensors file with a JSON header, mapped on load; never a pickle.

The header tells what the file holds (`kind`), in which format, and whatever that kind of model needs beside its arrays.
A packed file takes less room and is unpacked on load: each array is a zlib stream of its bytes, all first bytes, then
all second ones, and so on; numbers that have at most 256 values are a list of these, and a byte each.
"""

from __future__ import annotations

import json
import os
import stat
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import replacing
from treewright.errors import InputError

OLD_KEYS = {  # kind -> path of a key of older files, after the entries above it -> the key's name now
    "treewright parser": {
        "facts": "metadata",
        "options.pruning.floor": "adagrad_epsilon",
        "options.scoring.floor": "adagrad_epsilon",
        "options.scoring.cost": "margin",
        "options.scoring.runs": "restarts",
        "options.scoring.most": "max_step",
        "options.labelling.floor": "adagrad_epsilon",
        "options.labelling.cost": "margin",
    },
    "treewright tagger": {
        "facts": "metadata",
        "options.most": "max_candidates",
        "options.tags.floor": "adagrad_epsilon",
        "options.tags.cost": "margin",
        "options.lemmas.floor": "adagrad_epsilon",
        "options.lemmas.cost": "margin",
    },
    "treewright tokeniser": {
        "rules": "settings",
        "settings.floor": "adagrad_epsilon",
        "settings.cost": "margin",
    },
    "treewright pipeline": {"facts": "metadata"},
}
PACKED = "packed"  # in our header: how an array was before it was packed
CODES = 256  # values that one byte tells apart
KEY = "treewright"  # of our header among the metadata of safetensors
DTYPES = {
    "F32": np.float32,
    "F64": np.float64,
    "I32": np.int32,
    "U16": np.uint16,
    "I64": np.int64,
    "I8": np.int8,
    "U8": np.uint8,
    "U32": np.uint32,
    "F16": np.float16,
}

Path = str | os.PathLike[str]


def save(
    path: Path,
    kind: str,
    format: int,
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    pack: bool = False,
) -> None:
    """Write a model beside the path and rename it on success."""
    from safetensors.numpy import save_file

    whole = {"format": format, "kind": kind, **header}
    tables = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    if pack:
        done = {name: packed(array) for name, array in tables.items()}
        whole[PACKED] = {name: form for name, (form, _) in done.items()}
        tables = {name: data for name, (_, data) in done.items()}
    metadata = {KEY: json.dumps(whole, ensure_ascii=False, sort_keys=True)}
    with replacing(path) as beside:
        beside.touch()
        mode = stat.S_IMODE(beside.stat().st_mode)  # what the user's umask grants; safetensors would keep it private
        save_file(tables, beside, metadata=metadata)
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


def with_new_keys(kind: str, header: Mapping[str, Any]) -> dict[str, Any]:
    """A header with the keys of older files replaced by those of today.

    >>> with_new_keys("treewright tokeniser", {"rules": {"bits": 20, "floor": 0.1}})
    {'settings': {'bits': 20, 'adagrad_epsilon': 0.1}}
    """
    found = dict(header)
    for path, new in OLD_KEYS.get(kind, {}).items():
        *parents, old = path.split(".")
        entry = found
        for parent in parents:
            entry[parent] = dict(entry.get(parent, {}))  # a copy: the header that was given stays as it is
            entry = entry[parent]
        if old in entry:
            entry[new] = entry.pop(old)
    return found


def mapped(path: Path, name: str) -> NDArray[Any]:
    """One array of a model file, mapped."""
    return load_arrays(path, [name])[name]


def load_arrays(path: Path, names: Iterable[str]) -> dict[str, NDArray[Any]]:
    """These arrays, mapped or unpacked. A file is the length of its JSON index, the index, and the data."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        index = json.loads(file.read(length))
    forms = json.loads(index.get("__metadata__", {}).get(KEY, "{}")).get(PACKED, {})
    found = {name: _mapped(path, index[name], 8 + length) for name in names}
    try:
        return {name: unpacked(forms[name], array) if name in forms else array for name, array in found.items()}
    except (zlib.error, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: its packed arrays are damaged ({error}); get the file again") from None


def _mapped(path: Path, entry: Mapping[str, Any], data: int) -> NDArray[Any]:
    begin, end = entry["data_offsets"]
    dtype = np.dtype(DTYPES[entry["dtype"]])
    shape = tuple(entry["shape"])
    if end == begin:
        return np.zeros(shape, dtype)
    return np.asarray(np.memmap(path, dtype=dtype, mode="r", offset=data + begin, shape=shape))


def packed(array: NDArray[Any]) -> tuple[dict[str, Any], NDArray[np.uint8]]:
    """An array in as few bytes as can be had without loss, and what is needed to have it back.

    >>> form, data = packed(np.repeat(np.array([0.5, 0.0], dtype=np.float32), 1000))
    >>> form["values"], len(data) < 100, unpacked(form, data)[999:1001].tolist()
    ([0.0, 0.5], True, [0.5, 0.0])
    """
    form: dict[str, Any] = {"dtype": array.dtype.str, "shape": list(array.shape)}
    if array.itemsize > 1 and array.size > CODES:
        values, codes = np.unique(array, return_inverse=True)
        if len(values) <= CODES:
            form["values"] = values.tolist()
            array = codes.astype(np.uint8)
    planes = array.reshape(-1, 1).view(np.uint8).T
    return form, np.frombuffer(zlib.compress(planes.tobytes(), 9), dtype=np.uint8)


def unpacked(form: Mapping[str, Any], data: NDArray[np.uint8]) -> NDArray[Any]:
    """What `packed` was given."""
    dtype, shape = np.dtype(form["dtype"]), tuple(form["shape"])
    planes = np.frombuffer(zlib.decompress(data.tobytes()), dtype=np.uint8)
    if "values" in form:
        return np.asarray(np.array(form["values"], dtype=dtype)[planes].reshape(shape))
    if dtype.itemsize == 1:
        return np.asarray(planes.view(dtype).reshape(shape))
    return np.asarray(np.ascontiguousarray(planes.reshape(dtype.itemsize, -1).T).view(dtype).reshape(shape))
