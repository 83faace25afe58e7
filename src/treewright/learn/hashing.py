"""Hashing of feature names, and how far templates reach."""

from __future__ import annotations

from zlib import crc32

REACH = 2  # the largest offset of a template, as in core/learning/features.hpp


def hashed(text: str) -> int:
    """Return a hash of 32 bits, the same on every machine."""
    return crc32(text.encode("utf-8", "surrogatepass"))
