"""Word vectors and classes as a header and arrays (treewright.model.component)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.checks import read_plain
from treewright.model.component import ArrayForm, Arrays, Stored
from treewright.words.classes import Classes
from treewright.words.vectors import Vectors

ARRAYS: dict[str, ArrayForm] = {
    "vocabulary": (np.uint8, (None,)),  # lines of UTF-8, as class_words
    "codes": (np.int8, (None, None)),
    "scales": (np.float32, (None,)),
    "class_words": (np.uint8, (None,)),
    "class_numbers": (np.int32, (None,)),
}


@dataclass(frozen=True)
class Header:
    """The header of a model file."""

    paths: tuple[str, ...]
    shapes: Mapping[str, int]
    metadata: Mapping[str, Any] = field(default_factory=dict)


def to_arrays(vectors: Vectors, classes: Classes, metadata: Mapping[str, Any]) -> Stored:
    """Return the header and the arrays of a model file."""
    header = {"paths": list(classes.paths), "shapes": dict(classes.shapes), "metadata": dict(metadata)}
    arrays: dict[str, NDArray[Any]] = {
        "vocabulary": lines_of(vectors.vocabulary),
        "codes": vectors.codes,
        "scales": vectors.scales,
        "class_words": lines_of(classes.words),
        "class_numbers": classes.numbers,
    }
    return header, arrays


def from_arrays(header: Mapping[str, Any], arrays: Arrays) -> tuple[Vectors, Classes, Mapping[str, Any]]:
    """Read what `to_arrays` returned."""
    fields = read_plain(header, Header, "header")
    vocabulary = words_of("vocabulary", arrays)
    codes, scales = arrays["codes"], arrays["scales"]
    if not len(vocabulary) == len(codes) == len(scales):
        raise ValueError("the arrays vocabulary, codes and scales do not have one entry a word")
    if (scales < 0).any():
        raise ValueError("the array scales has a number below zero")
    words, numbers = words_of("class_words", arrays), arrays["class_numbers"]
    if len(words) != len(numbers):
        raise ValueError("the arrays class_words and class_numbers do not have one entry a word")
    if not all(0 <= number < len(fields.paths) for number in (*numbers.tolist(), *fields.shapes.values())):
        raise ValueError("a word has the number of a class that has no path")
    if any(set(path) - {"0", "1"} for path in fields.paths):
        raise ValueError("header.paths has a path that does not consist of 0 and 1")
    return Vectors(vocabulary, codes, scales), Classes(words, numbers, fields.paths, fields.shapes), fields.metadata


def lines_of(words: Sequence[str]) -> NDArray[np.uint8]:
    """Write words as lines of UTF-8."""
    return np.frombuffer("\n".join(words).encode(), dtype=np.uint8)


def words_of(name: str, arrays: Arrays) -> tuple[str, ...]:
    """Read what `lines_of` returned."""
    text = arrays[name].tobytes().decode()
    words = tuple(text.split("\n")) if text else ()
    if len(set(words)) != len(words) or "" in words:
        raise ValueError(f"the array {name} has a word twice, or an empty one")
    return words
