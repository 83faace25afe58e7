"""A network as a header and arrays (treewright.model.component).

Tables and matrices are stored as integers of eight bits, each with a scale for each row (`NAME.scales`), biases as
they are. Lists of words are stored as text in UTF-8, each word with a line break after it. A pretrained encoder has its
weights as floats of 16 bits, and its files as bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.checks import read_plain
from treewright.model.component import ArrayForm, Arrays, Stored, check_array, with_prefix
from treewright.network.model import (
    MAX_NETWORK_WEIGHT,
    SCALES,
    TABLES,
    EncoderModel,
    NetworkModel,
    NetworkSizes,
    quantise_rows,
    restore_rows,
)
from treewright.network.word_classes import WordClasses

ENCODER = "encoder."  # what the names of the arrays of an encoder begin with
FILE, WEIGHT = f"{ENCODER}file.", f"{ENCODER}weight."
MAX_HALF = float(np.finfo(np.float16).max)
TEXTS = ("vocabulary", "vector_vocabulary", "class_words", "class_paths")
ARRAYS: dict[str, ArrayForm] = {
    **{f"text.{name}": (np.uint8, (None,)) for name in TEXTS},
    "class_numbers": (np.int32, (None,)),
    **dict.fromkeys(TABLES, (np.int8, (None, None))),
}


@dataclass(frozen=True)
class Column:
    """A column of tags; a list of them has an order, which the keys of a JSON object do not."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Header:
    """The header of a model file."""

    sizes: NetworkSizes
    classes: tuple[str, ...]
    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    tag_inputs: tuple[str, ...] = ()


def to_arrays(model: NetworkModel) -> Stored:
    """Return the header and the arrays of a model file."""
    header = {
        "sizes": asdict(model.sizes),
        "classes": model.classes,
        "columns": [{"name": name, "values": values} for name, values in model.columns.items()],
        "labels": model.labels,
        "settings": dict(model.settings),
        "metadata": dict(model.metadata),
        "tag_inputs": model.tag_inputs,
    }
    arrays: dict[str, NDArray[Any]] = {}
    for name, array in model.arrays.items():
        if array.ndim == 1:
            arrays[name] = array
        else:
            arrays[name], arrays[name + SCALES] = quantise_rows(array)
    return header, arrays | string_arrays(model) | encoder_arrays(model.encoder)


def encoder_arrays(encoder: EncoderModel | None) -> dict[str, NDArray[Any]]:
    """Return the files of an encoder as bytes, and its weights."""
    if encoder is None:
        return {}
    files = {f"{FILE}{name}": np.frombuffer(data, dtype=np.uint8) for name, data in encoder.files.items()}
    return files | {f"{WEIGHT}{name}": array for name, array in encoder.arrays.items()}


def restore_encoder(arrays: Arrays) -> EncoderModel | None:
    """Return the encoder of these arrays, if they have one."""
    files = {name: array.tobytes() for name, array in with_prefix(arrays, FILE).items()}
    weights = with_prefix(arrays, WEIGHT)
    for name, array in weights.items():
        check_array(name, array, np.float16, (None,) * array.ndim, MAX_HALF)
    return EncoderModel(files, weights) if files or weights else None


def string_arrays(model: NetworkModel) -> dict[str, NDArray[Any]]:
    """Return the lists of words, and the class of each classified word as a number of the list of paths."""
    paths = {path: number for number, path in enumerate(dict.fromkeys(model.word_classes.values()))}
    lists = {
        "vocabulary": model.vocabulary,
        "vector_vocabulary": model.vector_vocabulary,
        "class_words": tuple(model.word_classes),
        "class_paths": tuple(paths),
    }
    numbers = np.array([paths[path] for path in model.word_classes.values()], dtype=np.int32)
    return {**{f"text.{name}": text_of(lists[name], name) for name in TEXTS}, "class_numbers": numbers}


def from_arrays(header: Mapping[str, Any], arrays: Arrays) -> NetworkModel:
    """Make the model of a header and arrays, which are checked against each other."""
    fields = read_plain(header, Header, "header")
    lists = {name: strings_of(arrays[f"text.{name}"]) for name in TEXTS if name != "class_words"}
    class_words = arrays["text.class_words"].tobytes()
    return NetworkModel(
        fields.sizes,
        lists["vocabulary"],
        lists["vector_vocabulary"],
        fields.classes,
        {column.name: column.values for column in fields.columns},
        fields.labels,
        restore_numbers(arrays),
        WordClasses(class_words, lists["class_paths"], arrays["class_numbers"]),
        fields.settings,
        fields.metadata,
        fields.tag_inputs,
        restore_encoder(arrays),
    )


def restore_numbers(arrays: Arrays) -> dict[str, NDArray[np.float32]]:
    """Return the arrays of the network as float32; the model checks their shapes and values."""
    numbers = {}
    for name, array in arrays.items():
        if name.startswith(("text.", ENCODER)) or name.endswith(SCALES) or name == "class_numbers":
            continue
        if array.ndim == 1:
            numbers[name] = np.ascontiguousarray(array)
        else:
            numbers[name] = restore_table(name, array, arrays.get(name + SCALES))
    return numbers


def restore_table(name: str, values: NDArray[Any], scales: NDArray[Any] | None) -> NDArray[np.float32]:
    """Return the numbers of a table or matrix that is stored as integers of eight bits."""
    if values.dtype != np.int8 or values.ndim != 2:
        raise ValueError(f"the array {name} is {values.dtype}{list(values.shape)}; expected int8 with two axes")
    if scales is None or scales.dtype != np.float32 or scales.shape != values.shape[:1]:
        raise ValueError(f"the array {name} does not have a scale for each of its {len(values)} rows")
    if not (np.abs(scales) <= MAX_NETWORK_WEIGHT).all():
        raise ValueError(f"the array {name} has scales that are not finite, or above {MAX_NETWORK_WEIGHT:g}")
    return restore_rows(values, scales)


def text_of(strings: Sequence[str], name: str) -> NDArray[np.uint8]:
    """Write strings as UTF-8, each with a line break after it.

    >>> text_of(["a", "bc"], "words").tolist(), strings_of(text_of(["a", "bc"], "words"))
    ([97, 10, 98, 99, 10], ('a', 'bc'))
    """
    text = "".join(f"{string}\n" for string in strings)
    if text.count("\n") != len(strings):
        raise ValueError(f"{name} has a word with a line break")
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)


def strings_of(text: NDArray[np.uint8]) -> tuple[str, ...]:
    """Read what `text_of` wrote."""
    *strings, rest = text.tobytes().decode("utf-8", "surrogatepass").split("\n")
    if rest:
        raise ValueError("a list of words does not end with a line break")
    return tuple(strings)
