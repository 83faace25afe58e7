"""A trained network: sizes, strings and arrays.

A word has the input [word | vector | class | subword]: a row of each table (the sum of the rows of its classes and, in
a network that reads tags, of its tags; the mean of the rows of its subwords). A network with a pretrained encoder has
the mean of the states of the pieces of the word beside them. The sequence of the root and the words
goes through a bidirectional LSTM; its states S = [forward | backward] of the last layer give the scores of arcs, labels
and tags:

    H = relu(S arc.head + arc.head_bias),  M = relu(S arc.modifier + arc.modifier_bias)
    log P(h | m)    = log softmax over h != m of  H_h arc.bilinear M_m + H_h arc.linear
    log P(l | h, m) = log softmax of  relu(S_h label.head + S_m label.modifier + label.bias) label.output
                      + label.output_bias
    log P(tag of m) = log softmax of  S_m tag.output + tag.output_bias,  for each column

The gates of the LSTM have the order i, f, g, o:  c = f c + i g,  h = o tanh(c)  (Hochreiter & Schmidhuber 1997; the
scores of arcs are those of Dozat & Manning 2017).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from treewright.checks import Range, check_fields
from treewright.model.component import check_array
from treewright.network.options import TAG_COLUMNS

Floats = NDArray[np.float32]
Size = Annotated[int, Range(0, 4096)]  # the limit is far above any use
PositiveSize = Annotated[int, Range(1, 4096)]
Layers = Annotated[int, Range(1, 16)]

UNKNOWN_ROW, ROOT_ROW, FIRST_WORD_ROW = 0, 1, 2  # rows of the table `word`
NO_VECTOR_ROW, FIRST_VECTOR_ROW = 0, 1  # rows of the table `vector`
MAX_NETWORK_WEIGHT = 1e6  # far above any use; no sum overflows in networks up to the sizes above
DIRECTIONS = ("forward", "backward")
TABLES = ("word", "vector", "class", "subword")  # the rows that words have
MIXTURE = "mixture"  # the array of an encoder: what the weights of the layers are the softmax of
SCALES = ".scales"  # the scales of the rows of the array NAME are the array NAME.scales


@dataclass(frozen=True)
class NetworkSizes:
    """Sizes of the parts of an input, of the states of a layer in each direction, and of the scorers."""

    word: Size
    vector: Size
    cls: Size
    subword: Size
    units: PositiveSize
    layers: Layers
    arc: PositiveSize
    label: PositiveSize
    encoder: Size = 0  # of the states of a pretrained encoder, which are a part of the input

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.input:
            raise ValueError("a network needs an input: word, vector, cls, subword and encoder are all 0")

    @property
    def input(self) -> int:
        """The size of the input of a word."""
        return self.word + self.vector + self.cls + self.subword + self.encoder

    @property
    def state(self) -> int:
        """The size of the state of a word: both directions."""
        return 2 * self.units


@dataclass(frozen=True, eq=False)
class EncoderModel:
    """A pretrained encoder after training (treewright.network.pretrained)."""

    files: Mapping[str, bytes]  # its configuration and its tokeniser, as `transformers` writes them
    arrays: Mapping[str, NDArray[np.float16]]  # its weights, and those of the layers that are read (MIXTURE)


@dataclass(frozen=True, eq=False)
class NetworkModel:
    """Everything that reading needs."""

    sizes: NetworkSizes
    vocabulary: tuple[str, ...]  # of the table `word`, from its row 2 on
    vector_vocabulary: tuple[str, ...]  # of the table `vector`, from its row 1 on
    classes: tuple[str, ...]  # of the rows of the table `class`: bit paths, and values of columns that are read
    columns: Mapping[str, tuple[str, ...]]  # upos, xpos, feats -> their values; the tags, one column after the other
    labels: tuple[str, ...]
    arrays: Mapping[str, Floats]
    word_classes: Mapping[str, str] = field(default_factory=dict)  # word -> the bit path of its class
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the inputs and of training; plain values
    metadata: Mapping[str, Any] = field(default_factory=dict)  # about the training data, for the model file
    tag_inputs: tuple[str, ...] = ()  # the columns that the network reads beside the forms
    encoder: EncoderModel | None = None  # whose states it also reads

    def __post_init__(self) -> None:
        check_arrays(self)

    @property
    def tags(self) -> int:
        """The number of values of all columns."""
        return sum(map(len, self.columns.values()))

    def column_ranges(self) -> dict[str, tuple[int, int]]:
        """Return the first value of each column among the tags, and the first after it."""
        ranges, begin = {}, 0
        for name, values in self.columns.items():
            ranges[name] = begin, begin + len(values)
            begin += len(values)
        return ranges

    def quantise(self) -> NetworkModel:
        """Return the model as a file has it: tables and matrices as eight-bit integers times the scale of a row."""
        arrays = {
            name: array if array.ndim == 1 else restore_rows(*quantise_rows(array))
            for name, array in self.arrays.items()
        }
        return replace(self, arrays=arrays)


def array_shapes(
    sizes: NetworkSizes, *, words: int, vectors: int, classes: int, tags: int, labels: int
) -> dict[str, tuple[int | None, ...]]:
    """Return the name and the shape of each array, by the numbers of strings; None stands for any length."""
    units, state, arc, label = sizes.units, sizes.state, sizes.arc, sizes.label
    shapes: dict[str, tuple[int | None, ...]] = {
        "word": (words + FIRST_WORD_ROW, sizes.word),
        "vector": (vectors + FIRST_VECTOR_ROW, sizes.vector),
        "class": (classes, sizes.cls),
        "subword": (None, sizes.subword),
    }
    for layer in range(sizes.layers):
        for direction in DIRECTIONS:
            name = f"lstm.{layer}.{direction}"
            shapes[f"{name}.input"] = (state if layer else sizes.input, 4 * units)
            shapes[f"{name}.recurrent"] = (units, 4 * units)
            shapes[f"{name}.bias"] = (4 * units,)
    for side in ("head", "modifier"):
        shapes[f"arc.{side}"], shapes[f"arc.{side}_bias"] = (state, arc), (arc,)
        shapes[f"label.{side}"] = (state, label)
    shapes |= {"arc.bilinear": (arc, arc), "arc.linear": (arc,), "label.bias": (label,)}
    shapes |= {"label.output": (label, labels), "label.output_bias": (labels,)}
    return shapes | {"tag.output": (state, tags), "tag.output_bias": (tags,)}


def check_arrays(model: NetworkModel) -> None:
    """Refuse arrays that do not fit the sizes and strings, and numbers that are not finite."""
    if unknown := [name for name in model.tag_inputs if name not in TAG_COLUMNS]:
        raise ValueError(f"the network reads the column {unknown[0]!r}; expected one of {', '.join(TAG_COLUMNS)}")
    if (model.encoder is None) != (not model.sizes.encoder):
        raise ValueError(f"the network reads {model.sizes.encoder} numbers of an encoder, and has one, or has none")
    if not model.labels:
        raise ValueError("a network needs at least one label")
    if empty := [name for name, values in model.columns.items() if not values]:
        raise ValueError(f"the column {empty[0]} has no values")
    for name, strings in (("vocabulary", model.vocabulary), ("vector_vocabulary", model.vector_vocabulary)):
        if len(set(strings)) < len(strings):
            raise ValueError(f"{name} has a word twice")
    shapes = array_shapes(
        model.sizes,
        words=len(model.vocabulary),
        vectors=len(model.vector_vocabulary),
        classes=len(model.classes),
        tags=model.tags,
        labels=len(model.labels),
    )
    if different := sorted(set(shapes) ^ set(model.arrays)):
        raise ValueError(f"the arrays of the network lack, or are not expected to have, {', '.join(different)}")
    for name, shape in shapes.items():
        check_array(name, model.arrays[name], np.float32, shape, MAX_NETWORK_WEIGHT)


def quantise_rows(array: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Return each row as integers from -127 to 127, and their scale.

    Scales have 16 significant bits, so that products with the integers are exact: rounding the result of
    `restore_rows` gives the same integers and scales.

    >>> values, scales = quantise_rows(np.array([[0.5, -1.0], [0.0, 0.0]], dtype=np.float32))
    >>> values.tolist(), scales.round(4).tolist()
    ([[63, -127], [0, 0]], [0.007899999618530273, 0.0])
    """
    scales = (np.abs(array).max(axis=1, initial=0.0) / np.float32(127)).astype(np.float32)
    bits = scales.view(np.uint32)
    scales = ((bits + np.uint32(0xFF)) & ~np.uint32(0xFF)).view(np.float32)
    divisors = np.where(scales > 0, scales, np.float32(1))
    return np.rint(array / divisors[:, None]).astype(np.int8), scales


def restore_rows(values: NDArray[np.int8], scales: Floats) -> Floats:
    """Return the numbers of rounded rows."""
    return np.multiply(values, scales[:, None], dtype=np.float32)
