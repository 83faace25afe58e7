"""Model files taken apart and put together by the definition of the format, independently of treewright.modelfile."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

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
