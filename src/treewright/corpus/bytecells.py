"""Many short strings as ranges of one buffer of bytes, compared and cut all at once.

A treebank has ten cells a word. To make a Python string of each costs more than all that evaluation asks of them,
which is mostly whether two cells are equal. Here a column is two arrays, where its cells begin and where they end,
and equality is decided on eight bytes at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from treewright.caching import cached_property

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]
Bytes = NDArray[np.uint8]

WORD = 8
MASKS = np.array([(1 << 8 * size) - 1 for size in range(WORD + 1)], np.uint64)  # the first so many bytes of a word
ONES, HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)  # of every byte the lowest, the highest bit
HIGH_OF = np.array([0x80 << 8 * place for place in range(WORD)], np.uint64)  # of each byte
MIX = np.uint64(0x9E3779B97F4A7C15)


def buffer_of(data: bytes) -> Bytes:
    """The bytes, and zeros behind them so that eight can be read from any place."""
    return np.frombuffer(data + bytes(WORD), np.uint8)


@dataclass(frozen=True)
class ByteCells:
    """buffer[begins[i]:ends[i]] is cell i. ByteCells stand in the order of the buffer and do not overlap.

    >>> cells = ByteCells(buffer_of(b"nsubj:pass det"), np.array([0, 11]), np.array([10, 14]))
    >>> [cells.text(i) for i in range(len(cells))]
    ['nsubj:pass', 'det']
    >>> [cells.before(":").text(i) for i in range(len(cells))]
    ['nsubj', 'det']
    """

    buffer: Bytes
    begins: Indices
    ends: Indices

    def __len__(self) -> int:
        return len(self.begins)

    @cached_property
    def widths(self) -> Indices:
        return self.ends - self.begins

    def text(self, i: SupportsIndex) -> str:
        return str(self.buffer.data[self.begins[i] : self.ends[i]], "utf-8")

    def take(self, which: Indices | Flags) -> ByteCells:
        return ByteCells(self.buffer, self.begins[which], self.ends[which])

    def word(self, which: Indices, offset: int) -> NDArray[np.uint64]:
        """Eight bytes of each cell from the offset on, those beyond its end made zero."""
        words: NDArray[np.uint64] = np.ndarray((len(self.buffer) - WORD + 1,), "<u8", self.buffer, strides=(1,))
        begins = self.begins[which] + offset
        return np.asarray(words[begins] & MASKS[np.minimum(self.ends[which] - begins, WORD)])

    def equal(self, other: ByteCells) -> Flags:
        """For each i: are the cells i equal?"""
        same: Flags = np.asarray(self.widths == other.widths)
        left = np.flatnonzero(same)
        offset = 0
        while len(left):
            alike = self.word(left, offset) == other.word(left, offset)
            same[left[~alike]] = False
            offset += WORD
            left = left[alike & (self.widths[left] > offset)]
        return same

    def is_just(self, character: str) -> Flags:
        """Is the cell this one (ASCII) character?"""
        return np.asarray((self.widths == 1) & (self.buffer[self.begins] == ord(character)))

    def codes(self) -> tuple[Indices, list[str]]:
        """A number for each cell and the different cells by their numbers; equal cells have equal numbers."""
        if not len(self):
            return np.zeros(0, np.int64), []
        hashes = np.zeros(len(self), np.uint64)
        left = np.arange(len(self))
        offset = 0
        while len(left):
            hashes[left] = (hashes[left] ^ self.word(left, offset)) * MIX
            hashes[left] ^= hashes[left] >> np.uint64(29)
            offset += WORD
            left = left[self.widths[left] > offset]
        _, first, codes = np.unique(hashes, return_index=True, return_inverse=True)
        if self.equal(self.take(first[codes])).all():
            return codes, [self.text(i) for i in first]
        known: dict[str, int] = {}  # two different cells share a hash
        by_hand = np.array([known.setdefault(self.text(i), len(known)) for i in range(len(self))])
        return by_hand, list(known)

    def classify(self, test: Callable[[str], bool]) -> Flags:
        """test of every cell, called once for each different one."""
        codes, texts = self.codes()
        return np.array([test(text) for text in texts], bool)[codes]

    def before(self, character: str) -> ByteCells:
        """Each cell up to the first such (ASCII) character."""
        ends = self.ends.copy()
        pattern = np.uint64(ord(character)) * ONES
        left = np.arange(len(self))
        offset = 0
        while len(left):
            other = self.word(left, offset) ^ pattern  # has a zero where the character is
            zeros = (other - ONES) & ~other & HIGHS  # its lowest bit that is set marks the first zero byte
            found = zeros != 0
            place = np.searchsorted(HIGH_OF, zeros[found] & (~zeros[found] + np.uint64(1)))
            ends[left[found]] = self.begins[left[found]] + offset + place
            offset += WORD
            left = left[~found & (self.widths[left] > offset)]
        return ByteCells(self.buffer, self.begins, ends)

    def has(self, character: str) -> Flags:
        return np.asarray(self.before(character).ends < self.ends)

    def split(self, character: str) -> tuple[ByteCells, Indices]:
        """The pieces of all cells, and how many pieces each cell has."""
        pieces = np.ones(len(self), np.int64)
        some = np.flatnonzero(self.has(character))
        positions = np.flatnonzero(self.buffer == ord(character)) if len(some) else some
        low, high = np.searchsorted(positions, self.begins[some]), np.searchsorted(positions, self.ends[some])
        pieces[some] += high - low
        inside = positions[spread(low, high - low)]
        last = np.zeros(int(pieces.sum()), bool)
        last[np.cumsum(pieces) - 1] = True
        first = np.zeros(len(last), bool)
        first[np.cumsum(pieces) - pieces] = True
        begins, ends = np.empty(len(last), np.int64), np.empty(len(last), np.int64)
        begins[first], begins[~first] = self.begins, inside + 1
        ends[last], ends[~last] = self.ends, inside
        return ByteCells(self.buffer, begins, ends), pieces

    def joined(self) -> Bytes:
        """The bytes of all cells."""
        return self.buffer[spread(self.begins, self.widths)]

    def numbers(self) -> Indices:
        """The numbers written in the cells; -1 for what is no number of at most nine digits."""
        widths = self.widths
        numbers: Indices = np.zeros(len(self), np.int64)
        fine = (widths > 0) & (widths <= 9)
        left = np.flatnonzero(fine)
        place = 0
        while len(left):
            digits = self.buffer[self.begins[left] + place].astype(np.int64) - ord("0")
            numbers[left] = 10 * numbers[left] + digits
            is_digit = (digits >= 0) & (digits <= 9)
            fine[left[~is_digit]] = False
            place += 1
            left = left[is_digit & (widths[left] > place)]
        numbers[~fine] = -1
        return numbers


def spread(begins: Indices, sizes: Indices) -> Indices:
    """begins[0], begins[0] + 1, ... (sizes[0] of them), begins[1], ...

    >>> spread(np.array([5, 9]), np.array([2, 3])).tolist()
    [5, 6, 9, 10, 11]
    """
    return np.asarray(np.arange(int(sizes.sum())) + np.repeat(begins - (np.cumsum(sizes) - sizes), sizes))
