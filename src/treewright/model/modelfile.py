"""Model files: one safetensors file with a JSON header, mapped on load; never a pickle.

The header has the kind of the model, its format, and what that kind needs beside its arrays. A packed file is smaller
and is unpacked on load: each array is a zlib stream of its bytes, all first bytes, then all second ones, and so on;
an array of at most 256 different values is a list of these, and a byte for each number.

The index begins with a checksum: the CRC-32 of the whole file, computed with zeros in its own place. It is verified
when the file is opened, and every size is compared with the file before memory is reserved. A file that cannot be used
is refused with an error that names it.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import stat
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import replacing
from treewright.errors import InputError

PACKED = "packed"  # the entry of the header that says how arrays were before they were packed
CODES = 256  # different values of one byte
KEY = "treewright"  # of the header among the metadata of safetensors
CHECKSUM = "checksum"  # the key before it
NO_CHECKSUM = "0" * 8  # the hexadecimal digits of a CRC-32, in their place while it is computed
OPENING = f'{{"__metadata__":{{"{CHECKSUM}":"'.encode()  # of the index; the digits follow
MAX_INDEX = 1 << 26  # bytes of the index, not tuned; that of the English model has 78 kB
MAX_ARRAY = 1 << 31  # bytes of an unpacked array, not tuned: 2^28 weights of 32 bits have half of it
MAX_ZLIB_RATIO = 1032  # zlib's largest ratio of unpacked to packed bytes (zlib.net/zlib_tech.html)
MAX_PACKED_SHARE = 0.9  # of the bytes that compression may leave; with 0.9, weights of networks are not compressed
GET_AGAIN = "get the file again, or train the model again"
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
PACKED_DTYPES = {np.dtype(dtype) for dtype in DTYPES.values()}
CACHE_LINE = 64  # bytes
MAX_AXES = 8  # of an array; not tuned, NumPy has up to 64

Path = str | os.PathLike[str]
Buffer = bytes | memoryview


def save(
    path: Path,
    kind: str,
    format: int,
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    pack: bool = False,
) -> None:
    """Write a model file; a regular file is written beside its path and renamed on success."""
    whole = {"format": format, "kind": PREFIX + kind, **header}
    tables = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    if pack:
        done = {name: pack_array(array) for name, array in tables.items()}
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
    index: dict[str, Any] = {"__metadata__": {CHECKSUM: NO_CHECKSUM, **metadata}}
    end = 0
    for name in names:
        table = tables[name]
        begin, end = end, end + table.nbytes
        index[name] = {"dtype": codes[table.dtype], "shape": table.shape, "data_offsets": [begin, end]}
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    head = len(text).to_bytes(8, "little") + text
    data = [tables[name].data.cast("B") if tables[name].size else b"" for name in names]
    digits = 8 + len(OPENING)  # where the checksum is written
    file.write(head[:digits] + checksum_of(head, data) + head[digits + len(NO_CHECKSUM) :])
    for piece in data:
        file.write(piece)


def checksum_of(head: bytes, data: Sequence[Buffer]) -> bytes:
    """Return the digits of the CRC-32 of a file; `head`, up to the end of the index, has zeros in their place."""
    checksum = zlib.crc32(head)
    for piece in data:
        checksum = zlib.crc32(piece, checksum)
    return f"{checksum:08x}".encode()


def package_version() -> str:
    """Return the version of Treewright that is installed, for the metadata of models."""
    from importlib.metadata import version  # imported on use: it takes longer than most of Treewright's modules

    return version("treewright")


class FormatVersionError(InputError):
    """A file whose format is not the one that this version of Treewright reads."""

    def __init__(self, path: Path, kind: str, format: int, expected: int) -> None:
        super().__init__(
            f"{path}: the {kind} has format {format}, but this Treewright reads format {expected}; "
            "train it again, or install the version of Treewright that wrote it"
        )


class DamagedFileError(InputError):
    """A file that is damaged, or that Treewright did not write."""

    def __init__(self, path: Path, problem: object) -> None:
        text = " ".join(str(problem).split())  # one line
        super().__init__(f"{path}: not a model file, or a damaged one ({text}); {GET_AGAIN}")


@dataclass(frozen=True)
class ModelFile:
    """A model file whose index is read and checked; its arrays are mapped or unpacked on access."""

    path: Path
    kind: str
    header: Mapping[str, Any]
    index: Mapping[str, Any]  # array -> dtype, shape, data_offsets
    data: int  # the offset of the data

    def arrays(self, prefix: str = "", without: str | None = None) -> dict[str, NDArray[Any]]:
        """Return the arrays whose names begin with a prefix, by the rest of their names.

        without: the kind of a part whose arrays are left out, and are not read.
        """
        names = [name for name in self.index if name.startswith(prefix) and without not in name.split(".")]
        return {name.removeprefix(prefix): self.array(name) for name in names}

    def array(self, name: str) -> NDArray[Any]:
        """Return one array, mapped or unpacked."""
        try:
            array = self._mapped(self.index[name])
            form = self.header.get(PACKED, {}).get(name)
            return array if form is None else unpack_array(form, array)
        except UNREADABLE as error:
            raise DamagedFileError(self.path, f"its array {name}: {problem_of(error)}") from None

    def _mapped(self, entry: Mapping[str, Any]) -> NDArray[Any]:
        begin, end = entry["data_offsets"]
        dtype, shape = np.dtype(DTYPES[entry["dtype"]]), tuple(entry["shape"])
        if end == begin:
            return np.zeros(shape, dtype)
        return np.asarray(np.memmap(self.path, dtype=dtype, mode="r", offset=self.data + begin, shape=shape))


# What reading damaged bytes raises. MemoryError: sizes are checked first, but the memory may still be too small.
UNREADABLE = (
    *(ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError),
    *(zlib.error, MemoryError),
)


def problem_of(error: BaseException) -> str:
    """Return an error as part of a sentence."""
    if isinstance(error, KeyError):
        return f"it lacks {error}"
    if isinstance(error, RecursionError):
        return "its header is nested too deeply"
    if "incompatible function arguments" in str(error):  # of the native module, for a number of more than 32 bits
        return "a number in its header is out of range"
    return str(error) or type(error).__name__


def open_model(path: Path) -> ModelFile:
    """Read and check the index of a model file: the length of the index, the index as JSON, and the data."""
    try:
        check_is_file(path)
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            text = read_index(file, size)
            index = plain_object(text, "its index")
            metadata = plain_object(index.pop("__metadata__", {}), "its metadata")
            check_metadata(file, text, metadata)
        for name, entry in index.items():
            check_entry(name, entry, 8 + len(text), size)
        header = plain_object(metadata[KEY], "its header")
        kind = header.get("kind")
        if not isinstance(kind, str) or not kind.startswith(PREFIX):
            raise ValueError("its header names no kind of model")
        if not isinstance(header.get(PACKED, {}), dict):
            raise ValueError("its header does not say how its arrays are packed")
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except UNREADABLE as error:
        raise DamagedFileError(path, problem_of(error)) from None
    return ModelFile(path, kind.removeprefix(PREFIX), header, index, 8 + len(text))


def check_is_file(path: Path) -> None:
    """Refuse folders and pipes; a pipe would be waited for."""
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode):
        raise ValueError("it is a folder" if stat.S_ISDIR(mode) else "it is not a regular file")


def read_index(file: BinaryIO, size: int) -> bytes:
    """Return the bytes of the index."""
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or length > size - 8:
        raise ValueError("it is shorter than its index")
    if length > MAX_INDEX:
        raise ValueError(f"its index has {length} bytes, more than {MAX_INDEX}")
    return file.read(length)


def plain_object(source: Any, name: str) -> dict[str, Any]:
    """Return an object of JSON, given as text, or read already."""
    if isinstance(source, (str, bytes)):
        source = json.loads(source, parse_constant=finite_number, parse_float=finite_number)
    if not isinstance(source, dict):
        raise ValueError(f"{name} is not an object of JSON")
    return source


def finite_number(text: str) -> float:
    """Return a number of JSON; Python's reader accepts NaN and infinite ones too."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"its header has the number {text[:10]}; expected a finite one")
    return number


def check_metadata(file: BinaryIO, text: bytes, metadata: Mapping[str, Any]) -> None:
    """Refuse a file that is not one of Treewright's, or that has other bytes than its checksum was made of."""
    if KEY not in metadata:
        raise ValueError("a safetensors file, but not one of Treewright's")
    if set(metadata) != {KEY, CHECKSUM} or not text.startswith(OPENING):
        raise ValueError("its metadata are not those that Treewright writes")
    if checksum_in(file, text) != str(metadata[CHECKSUM]).encode():
        raise ValueError("its checksum does not match its content")


def checksum_in(file: BinaryIO, text: bytes) -> bytes:
    """Return the digits of the checksum that a file with this index should have."""
    zeroed = OPENING + NO_CHECKSUM.encode() + text[len(OPENING) + len(NO_CHECKSUM) :]
    head = len(text).to_bytes(8, "little") + zeroed
    if os.fstat(file.fileno()).st_size == len(head):
        return checksum_of(head, [])
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole, memoryview(whole)[len(head) :] as data:
        return checksum_of(head, [data])


def check_entry(name: str, entry: Mapping[str, Any], data: int, size: int) -> None:
    """Refuse an array whose data is not in the file after `data`, not aligned, or not of its shape."""
    begin, end = entry["data_offsets"]
    itemsize = np.dtype(DTYPES[entry["dtype"]]).itemsize
    numbers = [begin, end, *entry["shape"]]
    if not all(type(number) is int and number >= 0 for number in numbers) or len(entry["shape"]) > MAX_AXES:
        raise ValueError(f"the array {name} has no valid shape")
    if not begin <= end <= size - data or end - begin != math.prod(entry["shape"]) * itemsize:
        raise ValueError(f"the array {name} is not complete")
    if (data + begin) % itemsize:
        raise ValueError(f"the array {name} is not aligned")


def pack_array(array: NDArray[Any]) -> tuple[dict[str, Any], NDArray[np.uint8]]:
    """Compress an array without loss; return what is needed to unpack it, and the bytes.

    >>> form, data = pack_array(np.repeat(np.array([0.5, 0.0], dtype=np.float32), 1000))
    >>> form["values"], len(data) < 100, unpack_array(form, data)[999:1001].tolist()
    ([0.0, 0.5], True, [0.5, 0.0])
    """
    form: dict[str, Any] = {"dtype": array.dtype.str, "shape": list(array.shape)}
    if array.itemsize > 1 and array.size > CODES:
        values, codes = np.unique(array, return_inverse=True)
        if len(values) <= CODES:
            form["values"] = values.tolist()
            array = codes.astype(np.uint8)
    planes = array.reshape(-1, 1).view(np.uint8).T
    return form, np.frombuffer(compress(planes.tobytes()), dtype=np.uint8)


def compress(data: bytes) -> bytes:
    """Return a zlib stream, stored where compression saves little: stored bytes load ten times as fast."""
    stream = zlib.compress(data, 9)
    return stream if len(stream) < MAX_PACKED_SHARE * len(data) else zlib.compress(data, 0)


def unpack_array(form: Mapping[str, Any], data: NDArray[np.uint8]) -> NDArray[Any]:
    """Undo `pack_array`; sizes are checked before memory is reserved for them."""
    dtype, shape = np.dtype(form["dtype"]), tuple(form["shape"])
    if dtype not in PACKED_DTYPES or data.dtype != np.uint8:
        raise ValueError(f"packed arrays do not have numbers of the type {dtype}")
    if len(shape) > MAX_AXES or not all(type(length) is int and length >= 0 for length in shape):
        raise ValueError("its shape is not valid")
    width = 1 if "values" in form else dtype.itemsize
    size = math.prod(shape) * width
    if size > MAX_ARRAY or size > MAX_ZLIB_RATIO * (data.size + 1):
        raise ValueError(f"{data.size} packed bytes cannot have {math.prod(shape)} numbers")
    planes = np.frombuffer(inflate(data, size), dtype=np.uint8)
    if "values" in form:
        values = np.array(form["values"], dtype=dtype)
        return np.asarray(values[planes].reshape(shape))
    if dtype.itemsize == 1:
        return np.asarray(aligned(planes).view(dtype).reshape(shape))
    return np.asarray(np.ascontiguousarray(planes.reshape(dtype.itemsize, -1).T).view(dtype).reshape(shape))


def aligned(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a copy that begins with a cache line, so that a row of 64 weights needs one line and not two."""
    buffer = np.empty(len(data) + CACHE_LINE, dtype=np.uint8)
    begin = -buffer.ctypes.data % CACHE_LINE
    copy = buffer[begin : begin + len(data)]
    copy[:] = data
    return copy


def inflate(data: NDArray[np.uint8], size: int) -> bytes:
    """Return the bytes of a zlib stream, which must have this size."""
    stream = zlib.decompressobj()
    inflated = stream.decompress(data.data, size + 1)
    if len(inflated) != size or not stream.eof or stream.unused_data:
        raise ValueError(f"it unpacks to another size than {size} bytes")
    return inflated
