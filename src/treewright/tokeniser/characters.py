"""Features of characters for the tokeniser: templates over atoms of each character, hashed.

A template lists atoms with the offset of the character that they belong to: "-1.char 0.char" is the previous character
and this one. A chunk is a run of characters between white space. Features are computed for all characters at once; the
hashes of substrings come from prefix sums (Karp & Rabin 1987):

    sums[i] = sum over k < i of  code[k] * base^k          hash(i, j) = (sums[j] - sums[i]) * base^-i      (mod 2^64)
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._core import template_features

Codes = NDArray[np.uint64]
Hashes = NDArray[np.uint64]
Items = NDArray[np.int32]  # rows of template, atom and offset

BASE = 0x9E3779B97F4A7C15  # odd, hence with an inverse
INVERSE = pow(BASE, -1, 1 << 64)
REACH = 4  # the largest offset of a template
MAX_LENGTH = 8  # of the atom `length`; not tuned

SPACE = 1  # the class of white space
MARK = 5  # that of combining marks
_CLASSES = {"Lu": 2, "Lt": 2, "Ll": 3, "Lm": 4, "Lo": 4, "Mn": MARK, "Mc": MARK, "Me": MARK, "Nd": 6, "Nl": 7, "No": 7}
_MARKS = ".,!?'’\"“”-:;()…/@#&%$*_"  # characters with a class of their own

ATOMS = (
    "char",  # in lower case
    "class",  # see `class_of`
    "rule",  # 1 + the label by rule
    "prefix",  # of the chunk: its characters up to this one; undefined for white space
    "rest",  # of the chunk: its characters after this one
    "chunk",
    "first_class",  # the class of the chunk's first character
    "length",  # characters of the chunk before this one
    "next_chunk",  # undefined if there is none
    "next_class",  # the class of the next chunk's first character; 0 if there is none
    "next_class2",  # that of its second character
    "words",  # see `word_bucket`
)
# The place of a template and the order of its atoms enter the hash: a change needs a new FORMAT of the tokeniser.
TEMPLATES = (
    *("-4.char", "-3.char", "-2.char", "-1.char", "0.char", "1.char", "2.char", "3.char", "4.char"),
    *("-4.class", "-3.class", "-2.class", "-1.class", "0.class", "1.class", "2.class", "3.class", "4.class"),
    "0.char 1.char",
    "-1.char 0.char",
    "1.char 2.char",
    "-1.char 0.char 1.char",
    "0.char 1.char 2.char",
    "-1.class 0.class 1.class",
    "0.class 1.class 2.class",
    "-1.class 0.class 1.class 2.class",
    "-2.class -1.class 0.class 1.class 2.class 3.class",
    "0.prefix",
    "0.rest",
    "0.chunk",
    "0.prefix 0.next_class",
    "0.prefix 0.next_chunk",
    "0.rest 0.class",
    "0.next_chunk 0.char",
    "0.next_class 0.char 0.length",
    "0.next_class -1.class 0.char",
    "0.prefix 0.rest",
    "-1.rule 0.rule 1.rule",
    "0.rule 0.char 1.char",
    "0.rule -1.class 0.class 1.class",
    "0.rule 0.prefix",
    "0.chunk 0.next_chunk",
    "0.char 0.next_class 0.next_class2 0.first_class",
    "0.class 0.next_class 0.next_class2 0.words",
    "0.rule 0.next_class 0.words",
    "0.next_chunk 0.next_class 0.class",
)


def compile_templates(templates: Sequence[str], atoms: Sequence[str]) -> Items:
    """Compile templates into rows of template, atom and offset.

    >>> compile_templates(["0.form", "-1.lower 0.form"], ["form", "lower"]).tolist()
    [[0, 0, 0], [1, 1, -1], [1, 0, 0]]
    """
    items = [(number, item.split(".")) for number, template in enumerate(templates) for item in template.split()]
    return np.array([(number, atoms.index(atom), int(offset)) for number, (offset, atom) in items], dtype=np.int32)


_ITEMS = compile_templates(TEMPLATES, ATOMS)


def class_of(character: str) -> int:
    """Return the class of a character, a number below 64: white space, a mark of its own, or the Unicode category.

    >>> class_of(" "), class_of("A"), class_of("1"), class_of(".") == class_of("!")
    (1, 2, 6, False)
    """
    if character.isspace():
        return SPACE
    place = _MARKS.find(character)
    if place >= 0:
        return 16 + place
    category = unicodedata.category(character)
    return _CLASSES.get(category, {"P": 8, "S": 9}.get(category[0], 10))


_ASCII_CLASSES = np.array([class_of(chr(code)) for code in range(128)], dtype=np.uint64)


def codes_of(text: str) -> Codes:
    """Return the code point of each character."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)


def classes_of(text: str) -> NDArray[np.uint64]:
    """Return the class of each character."""
    codes = codes_of(text)
    classes = _ASCII_CLASSES[np.minimum(codes, 127)]
    if not text.isascii():
        others = codes > 127
        distinct, places = np.unique(codes[others], return_inverse=True)
        classes[others] = np.array([class_of(chr(code)) for code in distinct.tolist()], dtype=np.uint64)[places]
    return classes


def lower_letters(text: str) -> str:
    """Bring each character into lower case; one whose lower case is longer stays.

    >>> lower_letters("İΑΣ")
    'İασ'
    """
    if "\u0130" in text:
        return "\u0130".join(map(lower_letters, text.split("\u0130")))
    return text.replace("Σ", "σ").lower()  # str.lower makes the last sigma of a word another letter


def features_of(
    text: str, rule: NDArray[np.int32], lengths: Sequence[int], places: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """Return a row of hashed features for each of these characters; `rule` is the label by rule (rules.py) of all.

    text may be several texts one after another, of these lengths: each has the features that it has alone.

    >>> features_of("Hi there.", np.zeros(9, dtype=np.int32), [9], np.array([1, 8])).shape == (2, len(TEMPLATES))
    True
    """
    layout = Layout.of(lengths)
    return template_features(atoms_of(text, rule, layout), _ITEMS, layout.places[places])


@dataclass(frozen=True)
class Layout:
    """Texts one after another with a gap of REACH places before, between and after them, as templates see them."""

    size: int
    gaps: NDArray[np.bool_]  # of each place: whether it belongs to no text
    begins: NDArray[np.int64]  # of each place: where its text begins; a gap belongs to the text before it
    ends: NDArray[np.int64]  # of each place: where its text ends

    @classmethod
    def of(cls, lengths: Sequence[int]) -> Layout:
        """Return the layout of texts of these lengths.

        >>> Layout.of([1, 2]).places.tolist() == [REACH, 2 * REACH + 1, 2 * REACH + 2]
        True
        """
        filled = np.array(lengths, dtype=np.int64)
        spans = filled + REACH
        begins = REACH + np.cumsum(spans) - spans
        gaps = np.ones(REACH + int(spans.sum()), dtype=np.bool_)
        here = np.arange(len(gaps))
        begin_at, end_at = (np.append(np.full(REACH, REACH), np.repeat(at, spans)) for at in (begins, begins + filled))
        gaps[(here >= begin_at) & (here < end_at)] = False
        return cls(len(gaps), gaps, begin_at, end_at)

    @property
    def places(self) -> NDArray[np.int64]:
        """Where the characters of the texts are."""
        return np.flatnonzero(~self.gaps)

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the values of the characters at their places, zero in the gaps."""
        table = np.zeros(self.size, dtype=values.dtype)
        table[~self.gaps] = values
        return table


def atoms_of(text: str, rule: NDArray[np.int32], layout: Layout) -> NDArray[np.uint64]:
    """Return a row for each of ATOMS with a value for each place of the layout, zero in the gaps."""
    codes = codes_of(lower_letters(text))
    classes = classes_of(text)
    codes[classes == SPACE] = ord(" ")
    codes, classes, rule = (layout.spread(values) for values in (codes, classes, rule))
    spaces = (classes == SPACE) | layout.gaps
    first, last = _chunk_ends(spaces)
    here = np.arange(layout.size)
    after = np.minimum(_next_chunk(last, spaces), layout.ends)
    class_at = np.append(classes, np.zeros(2, dtype=np.uint64))
    substrings = Substrings(codes)
    values = {
        "char": codes,
        "class": classes,
        "rule": rule + 1,
        "prefix": substrings.of(first, here + 1),
        "rest": substrings.of(here + 1, np.maximum(last, here + 1)),
        "chunk": substrings.of(first, last),
        "first_class": class_at[first],
        "length": np.minimum(here - first, MAX_LENGTH),
        "next_chunk": substrings.of(after, last[np.minimum(after, layout.ends - 1)]),
        "next_class": class_at[after],
        "next_class2": class_at[after + 1],
        "words": word_bucket(spaces, rule, layout.begins),
    }
    table = np.stack([values[atom].astype(np.uint64) for atom in ATOMS])
    table[:, layout.gaps] = 0
    return table


def word_bucket(spaces: NDArray[np.bool_], rule: NDArray[np.int32], begins: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Count the spaces since the last sentence end by rule or the begin of the text, in powers of two.

    >>> spaces = np.array([False, True, False, True, False])
    >>> word_bucket(spaces, np.array([0, 0, 2, 0, 1]), np.zeros(5, dtype=np.int64)).tolist()
    [1, 2, 2, 1, 1]
    """
    count = np.cumsum(spaces)
    ended = np.maximum.accumulate(np.append(0, np.where(rule == 2, count + 1, 0))[:-1])
    ended = np.maximum(ended, np.append(0, count)[begins])
    return np.asarray(np.log2(np.maximum(count - ended, 0) + 1) + 1, dtype=np.uint64)


class Substrings:
    """Hashes of substrings of a text."""

    def __init__(self, codes: Codes) -> None:
        n = len(codes) + 1
        powers = np.cumprod(np.append(np.uint64(1), np.full(n - 1, BASE, dtype=np.uint64)), dtype=np.uint64)
        self.inverse = np.cumprod(np.append(np.uint64(1), np.full(n - 1, INVERSE, dtype=np.uint64)), dtype=np.uint64)
        self.sums = np.append(np.uint64(0), np.cumsum(codes * powers[:-1], dtype=np.uint64))

    def of(self, begin: NDArray[np.int64], end: NDArray[np.int64]) -> Hashes:
        """Return the hash of each substring from begin to end."""
        return np.asarray((self.sums[end] - self.sums[begin]) * self.inverse[begin], dtype=np.uint64)


def _chunk_ends(spaces: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first character of each character's chunk, and the one after its last."""
    here = np.arange(len(spaces))
    first = np.maximum.accumulate(np.where(spaces, here + 1, 0))
    last = np.minimum.accumulate(np.where(spaces, here, len(spaces))[::-1])[::-1]
    return np.minimum(first, last), last


def _next_chunk(last: NDArray[np.int64], spaces: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the first character of the next chunk; the end of the text if there is none."""
    n = len(spaces)
    begins = np.append(np.where(spaces, n, np.arange(n)), n)
    following = np.minimum.accumulate(begins[::-1])[::-1]  # the first character from here on that is no space
    return np.asarray(following[last], dtype=np.int64)
