"""Model files: one safetensors file with a JSON header, mapped on load; never a pickle.

The header has the kind of the model, its format, and what that kind needs beside its arrays. A packed file is smaller
and is unpacked on load: each array is a zlib stream of its bytes, all first bytes, then all second ones, and so on;
an array of at most 256 different values is a list of these, and a byte for each number.
"""

from __future__ import annotations

import json
import math
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import replacing
from treewright.errors import InputError

OLD_KEYS = {  # kind -> path of a key of older files, after the entries above it -> the key's name now
    "parser": {
        "facts": "metadata",
        "options.pruning.floor": "adagrad_epsilon",
        "options.scoring.floor": "adagrad_epsilon",
        "options.scoring.cost": "margin",
        "options.scoring.runs": "restarts",
        "options.scoring.most": "max_step",
        "options.labelling.floor": "adagrad_epsilon",
        "options.labelling.cost": "margin",
    },
    "tagger": {
        "facts": "metadata",
        "options.keep": "max_candidates",
        "options.most": "max_guesses",
        "options.rare": "rare_count",
        "options.sure": "min_known_count",
        "options.tags.floor": "adagrad_epsilon",
        "options.tags.cost": "margin",
        "options.lemmas.floor": "adagrad_epsilon",
        "options.lemmas.cost": "margin",
    },
    "tokeniser": {
        "rules": "settings",
        "settings.floor": "adagrad_epsilon",
        "settings.cost": "margin",
    },
    "pipeline": {"facts": "metadata"},
}
PACKED = "packed"  # the entry of the header that says how arrays were before they were packed
CODES = 256  # different values of one byte
KEY = "treewright"  # of the header among the metadata of safetensors
PREFIX = "treewright "  # of the kind in the header
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
    whole = {"format": format, "kind": PREFIX + kind, **header}
    tables = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    if pack:
        done = {name: packed(array) for name, array in tables.items()}
        whole[PACKED] = {name: form for name, (form, _) in done.items()}
        tables = {name: data for name, (_, data) in done.items()}
    metadata = {KEY: json.dumps(whole, ensure_ascii=False, sort_keys=True)}
    # Written here, not by safetensors, whose own temporary file would stay behind when the process is killed.
    with replacing(path) as beside, open(beside, "wb") as file:
        write_tensors(file, metadata, tables)


def write_tensors(file: BinaryIO, metadata: Mapping[str, str], tables: Mapping[str, NDArray[Any]]) -> None:
    """Write safetensors: the length of the index, the index as JSON, the data; wider numbers first, for alignment."""
    codes = {np.dtype(dtype): code for code, dtype in DTYPES.items()}
    names = sorted(tables, key=lambda name: (-tables[name].itemsize, name))
    index: dict[str, Any] = {"__metadata__": dict(metadata)}
    end = 0
    for name in names:
        table = tables[name]
        begin, end = end, end + table.nbytes
        index[name] = {"dtype": codes[table.dtype], "shape": table.shape, "data_offsets": [begin, end]}
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    file.write(len(text).to_bytes(8, "little") + text)
    for name in names:
        file.write(tables[name].data if tables[name].size else b"")


class NewerFormatError(InputError):
    """A file that a newer version of Treewright wrote."""

    def __init__(self, path: Path, kind: str, format: int, reads: int) -> None:
        super().__init__(
            f"{path}: the {kind} has format {format} of a newer Treewright; this one reads up to {reads}: "
            "pip install --upgrade treewright"
        )


@dataclass(frozen=True)
class ModelFile:
    """A model file whose index is read and checked; its arrays are mapped or unpacked on access."""

    path: Path
    kind: str
    header: Mapping[str, Any]
    index: Mapping[str, Any]  # array -> dtype, shape, data_offsets
    data: int  # the offset of the data

    def arrays(self, prefix: str = "") -> dict[str, NDArray[Any]]:
        """The arrays whose names begin with a prefix, by the rest of their names."""
        names = [name for name in self.index if name.startswith(prefix)]
        return {name.removeprefix(prefix): self.array(name) for name in names}

    def array(self, name: str) -> NDArray[Any]:
        """One array, mapped or unpacked."""
        array = self._mapped(self.index[name])
        form = self.header.get(PACKED, {}).get(name)
        if form is None:
            return array
        try:
            return unpacked(form, array)
        except (zlib.error, KeyError, TypeError, ValueError) as error:
            raise InputError(f"{self.path}: its packed arrays are damaged ({error}); get the file again") from None

    def _mapped(self, entry: Mapping[str, Any]) -> NDArray[Any]:
        begin, end = entry["data_offsets"]
        dtype, shape = np.dtype(DTYPES[entry["dtype"]]), tuple(entry["shape"])
        if end == begin:
            return np.zeros(shape, dtype)
        return np.asarray(np.memmap(self.path, dtype=dtype, mode="r", offset=self.data + begin, shape=shape))


def open_model(path: Path) -> ModelFile:
    """Read and check the index of a model file: the length of the index, the index as JSON, and the data."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            length = int.from_bytes(file.read(8), "little")
            if length > size - 8:
                raise ValueError("it is shorter than its index")
            index = json.loads(file.read(length))
        text = index.pop("__metadata__", {}).get(KEY)
        for name, entry in index.items():
            check_entry(name, entry, size - 8 - length)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except (IsADirectoryError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: not a model file, or a damaged one ({error})") from None
    if text is None:
        raise InputError(f"{path}: a safetensors file, but not one of Treewright's")
    header = json.loads(text)
    return ModelFile(path, str(header.get("kind")).removeprefix(PREFIX), header, index, 8 + length)


def check_entry(name: str, entry: Mapping[str, Any], size: int) -> None:
    """The data of an array must be in the file, and must have its shape."""
    begin, end = entry["data_offsets"]
    expected = math.prod(entry["shape"]) * np.dtype(DTYPES[entry["dtype"]]).itemsize
    if not 0 <= begin <= end <= size or end - begin != expected:
        raise ValueError(f"the array {name} is not complete")


def with_new_keys(kind: str, header: Mapping[str, Any]) -> dict[str, Any]:
    """A header with the keys of older files replaced by those of today.

    >>> with_new_keys("tokeniser", {"rules": {"bits": 20, "floor": 0.1}})
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


def packed(array: NDArray[Any]) -> tuple[dict[str, Any], NDArray[np.uint8]]:
    """An array compressed without loss, and what is needed to unpack it.

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
    """The inverse of `packed`."""
    dtype, shape = np.dtype(form["dtype"]), tuple(form["shape"])
    planes = np.frombuffer(zlib.decompress(data.tobytes()), dtype=np.uint8)
    if "values" in form:
        return np.asarray(np.array(form["values"], dtype=dtype)[planes].reshape(shape))
    if dtype.itemsize == 1:
        return np.asarray(planes.view(dtype).reshape(shape))
    return np.asarray(np.ascontiguousarray(planes.reshape(dtype.itemsize, -1).T).view(dtype).reshape(shape))
