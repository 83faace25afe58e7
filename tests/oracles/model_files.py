"""Model files by the definition of the format, independently of treewright.modelfile; and mutations of them."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

# Model files taken apart and put together by the definition of the format, independently of treewright.modelfile.

PLACE = re.compile(rb'(?<=\{"__metadata__":\{"checksum":")[0-9a-f]{8}(?=")')


@dataclass(frozen=True)
class Parsed:
    """The index with its metadata, the header in it, and the data."""

    index: Mapping[str, Any]
    header: Any
    data: bytes

    @classmethod
    def of(cls, file: bytes) -> Parsed:
        length = int.from_bytes(file[:8], "little")
        index = json.loads(file[8 : 8 + length])
        return cls(index, json.loads(index["__metadata__"]["treewright"]), file[8 + length :])

    def bytes(self) -> bytes:
        """The file, with a valid checksum if its metadata have one."""
        metadata = {**self.index["__metadata__"], "treewright": json.dumps(self.header)}
        text = json.dumps({**self.index, "__metadata__": metadata}, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        return with_checksum(len(text).to_bytes(8, "little") + text + self.data)

    def without_checksum(self) -> Parsed:
        """As older versions wrote it."""
        metadata = {"treewright": self.index["__metadata__"]["treewright"]}
        return replace(self, index={**self.index, "__metadata__": metadata})


def with_checksum(file: bytes) -> bytes:
    """The file with the CRC-32 of all its bytes, its own digits being zeros."""
    zeroed = PLACE.sub(b"0" * 8, file, count=1)
    return PLACE.sub(b"%08x" % zlib.crc32(zeroed), zeroed, count=1)


# Mutations of model files: bit flips, cuts, edited headers, exchanged arrays, other types, deep and truncated JSON.

Random = np.random.Generator
Mutation = Callable[[bytes, Random], bytes]

# What an edited header has in place of a value. JSON has no NaN; Python's reader accepts it.
VALUES: tuple[Any, ...] = (
    *(None, True, 0, 1, -1, 2, 31, 64, 10**6, 2**31, 2**40, 10**30, 0.5, -0.5, 1e30, 1e308, -1e308, float("nan")),
    *(float("inf"), "", "x", "1", "none", [], [[]], [0], ["x"], [None], [[1, 2]], {}, {"x": 1}, {"bits": 8}),
)
DTYPES = ("F64", "F32", "F16", "BF16", "I64", "I32", "I8", "U8", "U16", "U32", "BOOL", "", "F32 ", 7, None)


def bit_flip(file: bytes, random: Random) -> bytes:
    data = bytearray(file)
    data[random.integers(len(data))] ^= 1 << random.integers(8)
    return bytes(data)


def bit_flip_in_the_index(file: bytes, random: Random) -> bytes:
    data = bytearray(file)
    data[random.integers(8 + int.from_bytes(file[:8], "little"))] ^= 1 << random.integers(8)
    return bytes(data)


def cut(file: bytes, random: Random) -> bytes:
    return file[: random.integers(len(file))]


def extended(file: bytes, random: Random) -> bytes:
    return file + random.bytes(int(random.integers(1, 64)))


def removed_bytes(file: bytes, random: Random) -> bytes:
    begin = int(random.integers(len(file)))
    return file[:begin] + file[begin + int(random.integers(1, 64)) :]


def overwritten_bytes(file: bytes, random: Random) -> bytes:
    begin = int(random.integers(len(file)))
    some = random.bytes(int(random.integers(1, 64)))
    return file[:begin] + some + file[begin + len(some) :]


def other_length_of_the_index(file: bytes, random: Random) -> bytes:
    length = int(random.choice([0, 1, 7, 2**20, 2**31, 2**63, 2**64 - 1], 1)[0]) if random.random() < 0.5 else None
    chosen = int(random.integers(len(file))) if length is None else length
    return (chosen % 2**64).to_bytes(8, "little") + file[8:]


def truncated_json(file: bytes, random: Random) -> bytes:
    parsed = Parsed.of(file)
    text = json.dumps(parsed.header)
    metadata = {**parsed.index["__metadata__"], "treewright": text[: random.integers(len(text))]}
    return assembled({**parsed.index, "__metadata__": metadata}, parsed.data)


def deep_json(file: bytes, random: Random) -> bytes:
    parsed = Parsed.of(file)
    depth = int(random.choice([50, 5_000, 200_000]))
    text = json.dumps(parsed.header)
    nested = '{"deep": ' + "[" * depth + "]" * depth + ", " + text[1:]
    metadata = {**parsed.index["__metadata__"], "treewright": nested}
    return assembled({**parsed.index, "__metadata__": metadata}, parsed.data)


def edited_header(file: bytes, random: Random) -> bytes:
    parsed = Parsed.of(file)
    header = json.loads(json.dumps(parsed.header))
    places = list(places_in(header))
    for _ in range(int(random.integers(1, 3))):
        place, key = places[random.integers(len(places))]
        edit(place, key, random)
    return replace(parsed, header=header).bytes()


def edited_index(file: bytes, random: Random) -> bytes:
    def change(entry: dict[str, Any]) -> None:
        places = list(places_in(entry))
        place, key = places[random.integers(len(places))]
        edit(place, key, random)

    return with_entry(file, random, change)


def other_dtype(file: bytes, random: Random) -> bytes:
    return with_entry(file, random, lambda entry: entry.update(dtype=DTYPES[random.integers(len(DTYPES))]))


def with_entry(file: bytes, random: Random, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The file with a change of the index entry of a random array."""
    parsed = Parsed.of(file)
    index = json.loads(json.dumps(parsed.index))
    names = [name for name in index if name != "__metadata__"]
    change(index[names[random.integers(len(names))]])
    return replace(parsed, index=index).bytes()


def exchanged_arrays(file: bytes, random: Random) -> bytes:
    """Two entries of the index change their names, or share one place."""
    parsed = Parsed.of(file)
    index = json.loads(json.dumps(parsed.index))
    names = [name for name in index if name != "__metadata__"]
    one, other = (names[k] for k in random.choice(len(names), 2))
    if random.random() < 0.5:
        index[one], index[other] = index[other], index[one]
    else:
        index[one]["data_offsets"] = index[other]["data_offsets"]
    return replace(parsed, index=index).bytes()


def removed_array(file: bytes, random: Random) -> bytes:
    parsed = Parsed.of(file)
    names = [name for name in parsed.index if name != "__metadata__"]
    gone = names[random.integers(len(names))]
    return replace(parsed, index={name: entry for name, entry in parsed.index.items() if name != gone}).bytes()


def other_numbers(file: bytes, random: Random) -> bytes:
    """One array has random bytes, or the largest, smallest or NaN numbers."""
    parsed = Parsed.of(file)
    names = [name for name in parsed.index if name != "__metadata__"]
    begin, end = parsed.index[names[random.integers(len(names))]]["data_offsets"]
    fill = [random.bytes(end - begin), b"\xff" * (end - begin), b"\0" * (end - begin), b"\x7f" * (end - begin)]
    some = fill[random.integers(4)]
    if random.random() < 0.5 and end > begin:
        at = int(random.integers(begin, end))
        begin, end, some = at, min(at + 4, end), some[:4][: min(at + 4, end) - at]
    return replace(parsed, data=parsed.data[:begin] + some + parsed.data[end:]).bytes()


def foreign(file: bytes, random: Random) -> bytes:
    texts = (b"", b"\0", b"{}", b"\x89PNG\r\n", b"PK\x03\x04", b"\x1f\x8b", b"1\tA\t_\n", random.bytes(200))
    return texts[random.integers(len(texts))]


MUTATIONS: dict[str, Mutation] = {
    mutation.__name__: mutation
    for mutation in (
        *(bit_flip, bit_flip_in_the_index, cut, extended, removed_bytes, overwritten_bytes, other_length_of_the_index),
        *(truncated_json, deep_json, edited_header, edited_index, other_dtype, exchanged_arrays, removed_array),
        *(other_numbers, foreign),
    )
}


def assembled(index: Any, data: bytes) -> bytes:
    text = json.dumps(index, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return with_checksum(len(text).to_bytes(8, "little") + text + data)


def places_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) in nested lists and objects; of a long list the first entries."""
    keys: list[Any] = []
    if isinstance(value, dict):
        keys = list(value)
    if isinstance(value, list):
        keys = list(range(min(len(value), 4)))
    for key in keys:
        yield value, key
        yield from places_in(value[key])


def edit(place: Any, key: Any, random: Random) -> None:
    """Replace a value, remove it, or rename its key."""
    if (isinstance(place, list) and key >= len(place)) or (isinstance(place, dict) and key not in place):
        return  # an earlier edit removed it
    choice = random.random()
    if choice < 0.15:
        del place[key]
    elif choice < 0.25 and isinstance(place, dict):
        place[f"{key}x"] = place.pop(key)
    else:
        place[key] = VALUES[random.integers(len(VALUES))]
