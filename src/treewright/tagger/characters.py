"""What the tokeniser sees of a text: for each character, hashed features of the characters around it.

Everything is done for all characters at once. The hash of text[i:j] comes from two sums (Karp & Rabin 1987):

    sums[i] = sum over k < i of  code[k] * base^k          hash(i, j) = (sums[j] - sums[i]) * base^-i      (mod 2^64)
"""

from __future__ import annotations

import unicodedata

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint64]
Hashes = NDArray[np.uint64]

BASE = 0x9E3779B97F4A7C15  # odd, so that it has an inverse
INVERSE = pow(BASE, -1, 1 << 64)
REACH = 4  # characters before and after that are looked at one by one

SPACE = 1  # the class of white space
_CLASSES = {"Lu": 2, "Lt": 2, "Ll": 3, "Lm": 4, "Lo": 4, "Mn": 5, "Mc": 5, "Me": 5, "Nd": 6, "Nl": 7, "No": 7}
_MARKS = ".,!?'’\"“”-:;()…/@#&%$*_"  # characters that are classes of their own


def class_of(letter: str) -> int:
    """The kind of a character: a number below 64.

    >>> class_of(" "), class_of("A"), class_of("1"), class_of(".") == class_of("!")
    (1, 2, 6, False)
    """
    if letter.isspace():
        return SPACE
    place = _MARKS.find(letter)
    if place >= 0:
        return 16 + place
    category = unicodedata.category(letter)
    return _CLASSES.get(category, {"P": 8, "S": 9}.get(category[0], 10))


def codes_of(text: str) -> Codes:
    """The number of each character."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)


def classes_of(text: str) -> NDArray[np.uint64]:
    """The class of each character."""
    codes = codes_of(text)
    found, places = np.unique(codes, return_inverse=True)
    return np.array([class_of(chr(code)) for code in found.tolist()], dtype=np.uint64)[places]


def features_of(text: str, rule: NDArray[np.int32]) -> NDArray[np.uint32]:
    """A row of hashed features for each character; `rule` is what rules say that it ends.

    >>> features_of("Hi there.", np.zeros(9, dtype=np.int32)).shape[0]
    9
    """
    n = len(text)
    lower = codes_of("".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text))
    classes = classes_of(text)
    spaces = classes == SPACE
    lower[spaces] = 32
    char = _Around(lower)
    kind = _Around(classes)
    ruled = _Around(rule.astype(np.uint64) + np.uint64(1))
    first, last = _chunk_ends(spaces)
    here = np.arange(n)
    sums = _Substrings(lower)
    prefix = sums.of(first, here + 1)  # of the chunk between spaces, up to here
    rest = sums.of(here + 1, np.maximum(last, here + 1))
    whole = sums.of(first, last)
    after = _next_chunk(last, spaces)
    next_chunk = sums.of(after, last[np.minimum(after, n - 1)] if n else after)
    class_at = np.append(classes, np.zeros(2, dtype=np.uint64))
    next_class, next_second = class_at[after], class_at[after + 1]
    own_class = class_at[first]
    words = word_bucket(spaces, rule)
    length = np.minimum(here - first, 8).astype(np.uint64)
    columns = [
        *(char.at(offset) for offset in range(-REACH, REACH + 1)),
        *(kind.at(offset) for offset in range(-REACH, REACH + 1)),
        *(joined(char.at(0), char.at(1)), joined(char.at(-1), char.at(0)), joined(char.at(1), char.at(2))),
        *(joined(char.at(-1), char.at(0), char.at(1)), joined(char.at(0), char.at(1), char.at(2))),
        joined(kind.at(-1), kind.at(0), kind.at(1)),
        joined(kind.at(0), kind.at(1), kind.at(2)),
        joined(kind.at(-1), kind.at(0), kind.at(1), kind.at(2)),
        joined(kind.at(-2), kind.at(-1), kind.at(0), kind.at(1), kind.at(2), kind.at(3)),
        *(prefix, rest, whole, joined(prefix, next_class), joined(prefix, next_chunk), joined(rest, kind.at(0))),
        joined(next_chunk, char.at(0)),
        joined(next_class, char.at(0), length),
        joined(next_class, kind.at(-1), char.at(0)),
        joined(prefix, rest),
        joined(ruled.at(-1), ruled.at(0), ruled.at(1)),
        joined(ruled.at(0), char.at(0), char.at(1)),
        joined(ruled.at(0), kind.at(-1), kind.at(0), kind.at(1)),
        joined(ruled.at(0), prefix),
        joined(whole, next_chunk),
        joined(char.at(0), next_class, next_second, own_class),
        joined(kind.at(0), next_class, next_second, words),
        joined(ruled.at(0), next_class, words),
        joined(next_chunk, next_class, kind.at(0)),
    ]
    table = np.empty((n, len(columns)), dtype=np.uint32)
    for place, column in enumerate(columns):
        table[:, place] = joined(column, np.uint64(place)) >> np.uint64(32)
    return table


def word_bucket(spaces: NDArray[np.bool_], rule: NDArray[np.int32]) -> NDArray[np.uint64]:
    """How many spaces there are since rules ended a sentence, in powers of two.

    >>> word_bucket(np.array([False, True, False, True, False]), np.array([0, 0, 2, 0, 1])).tolist()
    [1, 2, 2, 1, 1]
    """
    count = np.cumsum(spaces)
    ended = np.maximum.accumulate(np.append(0, np.where(rule == 2, count + 1, 0))[:-1]) if len(spaces) else count
    return np.asarray(np.log2(np.maximum(count - ended, 0) + 1) + 1, dtype=np.uint64)


def joined(*values: NDArray[np.uint64] | np.uint64) -> Hashes:
    """One hash of several."""
    result = np.asarray(values[0], dtype=np.uint64) + np.uint64(0x632BE59BD9B4E019)
    with np.errstate(over="ignore"):
        for value in values[1:]:
            result = (result ^ (result >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9) + value
        return (result ^ (result >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)


class _Around:
    """The values of the characters that stand `offset` from each one; 0 outside the text."""

    def __init__(self, values: NDArray[np.uint64]) -> None:
        self.size = len(values)
        self.padded = np.pad(values, REACH)

    def at(self, offset: int) -> NDArray[np.uint64]:
        return self.padded[REACH + offset : REACH + offset + self.size]


class _Substrings:
    """Hashes of substrings."""

    def __init__(self, codes: Codes) -> None:
        n = len(codes) + 1
        powers = np.cumprod(np.append(np.uint64(1), np.full(n - 1, BASE, dtype=np.uint64)), dtype=np.uint64)
        self.inverse = np.cumprod(np.append(np.uint64(1), np.full(n - 1, INVERSE, dtype=np.uint64)), dtype=np.uint64)
        self.sums = np.append(np.uint64(0), np.cumsum(codes * powers[:-1], dtype=np.uint64))

    def of(self, begin: NDArray[np.int64], end: NDArray[np.int64]) -> Hashes:
        return np.asarray((self.sums[end] - self.sums[begin]) * self.inverse[begin], dtype=np.uint64)


def _chunk_ends(spaces: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the run of characters between spaces that a character is in begins, and where it has ended."""
    here = np.arange(len(spaces))
    first = np.maximum.accumulate(np.where(spaces, here + 1, 0)) if len(spaces) else here
    last = np.minimum.accumulate(np.where(spaces, here, len(spaces))[::-1])[::-1] if len(spaces) else here
    return np.minimum(first, last), last


def _next_chunk(last: NDArray[np.int64], spaces: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where the next run of characters begins; the end of the text if there is none."""
    n = len(spaces)
    begins = np.append(np.where(spaces, n, np.arange(n)), n)
    following = np.minimum.accumulate(begins[::-1])[::-1]  # the first character from here on that is no space
    return np.asarray(following[last], dtype=np.int64)
