"""Networks with random weights, and the network by its definition (docs/network.md) in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.network.inputs import Inputs
from treewright.network.model import (
    DIRECTIONS,
    NO_VECTOR_ROW,
    ROOT_ROW,
    Floats,
    NetworkModel,
    NetworkSizes,
    array_shapes,
    quantise_rows,
)

# Networks with random weights.

SMALL = NetworkSizes(word=5, vector=3, cls=2, subword=4, units=6, layers=2, arc=7, label=5)
WORDS = ("the", "dog", "sees", "a", "house", "old")
VECTOR_WORDS = ("dog", "cat", "house")
CLASSES = ("0", "01", "1", "10")
WORD_CLASSES = {"dog": "01", "cat": "01", "sees": "10", "the": "1"}
COLUMNS = {"upos": ("NOUN", "VERB", "DET"), "xpos": ("N", "V"), "feats": ("_", "Number=Sing", "Number=Plur", "A=B")}
LABELS = ("root", "det", "nsubj", "obj")


def random_network(
    seed: int = 0,
    sizes: NetworkSizes = SMALL,
    *,
    buckets: int = 50,
    columns: dict[str, tuple[str, ...]] = COLUMNS,
    labels: tuple[str, ...] = LABELS,
    words: tuple[str, ...] = WORDS,
    spread: float = 1.0,
) -> NetworkModel:
    """A model of a few words whose weights are normal numbers, scaled so that states are not saturated."""
    random = np.random.default_rng(seed)
    counts = {"words": len(words), "vectors": len(VECTOR_WORDS), "classes": len(CLASSES), "labels": len(labels)}
    shapes = array_shapes(sizes, tags=sum(map(len, columns.values())), **counts)
    arrays = {}
    for name, shape in shapes.items():
        lengths = [buckets if length is None else length for length in shape]
        scale = spread / np.sqrt(lengths[0]) if len(lengths) == 2 and "." in name else spread
        arrays[name] = (scale * random.normal(size=lengths)).astype(np.float32)
    arrays["vector"][0] = 0
    return NetworkModel(sizes, words, VECTOR_WORDS, CLASSES, columns, labels, arrays, WORD_CLASSES).quantise()


def random_sentences(seed: int, lengths: list[int]) -> list[list[str]]:
    """Sentences of known and unknown words."""
    random = np.random.default_rng(seed)
    words = [*WORDS, *VECTOR_WORDS, "Dogs", "un\u00e9t\u00e9", "x", "\U0001f600", "42"]
    return [[words[int(k)] for k in random.integers(len(words), size=length)] for length in lengths]


# The network by its definition (docs/network.md), in NumPy: one sentence at a time.

EXP_TERMS = (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)


@dataclass(frozen=True)
class Expected:
    """The states of a sentence and what is computed from them."""

    model: NetworkModel
    states: Floats
    rounded: bool  # whether factors of products are rounded to integers of eight bits, as in the kernel

    @property
    def arcs(self) -> NDArray[np.float64]:
        return arc_probabilities(self.model, self.states, self.rounded)

    @property
    def tags(self) -> Floats:
        return tag_probabilities(self.model, self.states[1:], self.rounded)

    def labels(self, heads: Sequence[int]) -> Floats:
        arrays = self.model.arrays
        head = product(self.states, arrays["label.head"], self.rounded)
        modifier = arrays["label.bias"] + product(self.states, arrays["label.modifier"], self.rounded)
        hidden = np.maximum(head[list(heads[1:])] + modifier[1:], 0)
        scores = arrays["label.output_bias"] + product(hidden, arrays["label.output"], self.rounded)
        return np.asarray(log_softmax(scores))


def expected(model: NetworkModel, forms: Sequence[str], *, rounded: bool = True) -> Expected:
    """What a network says about a sentence; rounded=False: with products of 32 bits, as it is trained."""
    inputs = Inputs.of_model(model)
    root = input_of(model, ROOT_ROW, NO_VECTOR_ROW, [], [])
    states = np.stack([root, *(input_of(model, *inputs.of(form)) for form in forms)])
    for layer in range(model.sizes.layers):
        states = np.concatenate([lstm(model, layer, name, states, rounded) for name in DIRECTIONS], axis=1)
    return Expected(model, states, rounded)


def input_of(model: NetworkModel, word: int, vector: int, classes: Sequence[int], subwords: Sequence[int]) -> Floats:
    """The input of a word of these rows: [word | vector | class | subword]."""
    arrays = model.arrays
    found = [arrays["word"][word], arrays["vector"][vector], arrays["class"][list(classes)].sum(axis=0)]
    subword = arrays["subword"][list(subwords)].sum(axis=0)
    return np.concatenate([*found, subword * (np.float32(1) / np.float32(max(len(subwords), 1)))])


def product(rows: Floats, matrix: Floats, rounded: bool) -> Floats:
    """The product of rows and a matrix; both as integers of eight bits times scales if it is rounded."""
    if not rounded:
        return rows @ matrix
    numbers, scales = quantise_rows(matrix)
    return product_of_bytes(rows * scales, numbers)


def product_of_bytes(rows: Floats, matrix: NDArray[np.integer]) -> Floats:
    """The product of rows, each as integers of eight bits times a scale, and a matrix of integers."""
    numbers, scales = round_rows(rows)
    return (numbers @ matrix.astype(np.int64)).astype(np.float32) * scales[:, None]


def round_rows(rows: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Each row as integers from -127 to 127, the largest of them 127 or -127, and their scale."""
    largest = np.abs(rows).max(axis=1, initial=0)
    inverse = np.divide(np.float32(127), largest, out=np.zeros_like(largest), where=largest > 0)
    return np.rint(rows * inverse[:, None]).astype(np.int64), largest / np.float32(127)


def lstm(model: NetworkModel, layer: int, direction: str, inputs: Floats, rounded: bool) -> Floats:
    """The states of one direction of a layer."""
    name, units = f"lstm.{layer}.{direction}", model.sizes.units
    recurrent = model.arrays[f"{name}.recurrent"]
    projected = model.arrays[f"{name}.bias"] + product(inputs, model.arrays[f"{name}.input"], rounded)
    states = np.zeros((len(inputs), units), dtype=np.float32)
    state = cell = np.zeros(units, dtype=np.float32)
    places = range(len(inputs))
    for place in places if direction == "forward" else reversed(places):
        i, f, g, o = np.split(projected[place] + product(state[None], recurrent, rounded)[0], 4)
        cell = sigmoid(f) * cell + sigmoid(i) * tanh(g)
        state = states[place] = sigmoid(o) * tanh(cell)
    return states


def arc_probabilities(model: NetworkModel, states: Floats, rounded: bool) -> NDArray[np.float64]:
    """[h, m]: the logarithm of the probability of the head h of the word m."""
    arrays = model.arrays
    heads = np.maximum(arrays["arc.head_bias"] + product(states, arrays["arc.head"], rounded), 0)
    modifiers = np.maximum(arrays["arc.modifier_bias"] + product(states, arrays["arc.modifier"], rounded), 0)
    if rounded:
        bilinear, scales = quantise_rows(arrays["arc.bilinear"])
        queries = arrays["arc.linear"] + product_of_bytes(modifiers, bilinear.T) * scales
        numbers, head_scales = round_rows(heads)
        scores = (product_of_bytes(queries, numbers.T) * head_scales).T.astype(np.float64)
    else:
        scores = (heads @ (arrays["arc.bilinear"] @ modifiers.T + arrays["arc.linear"][:, None])).astype(np.float64)
    np.fill_diagonal(scores, -np.inf)
    scores[:, 1:] = log_softmax(scores[:, 1:].T).T
    scores[:, 0] = -np.inf
    return np.asarray(scores)


def tag_probabilities(model: NetworkModel, states: Floats, rounded: bool) -> Floats:
    """[n, T]: the logarithms of the probabilities of the tags of each word."""
    scores = model.arrays["tag.output_bias"] + product(states, model.arrays["tag.output"], rounded)
    for begin, end in model.column_ranges().values():
        scores[:, begin:end] = log_softmax(scores[:, begin:end])
    return scores


def log_softmax(scores: NDArray[Any]) -> NDArray[Any]:
    """Of each row."""
    shifted = scores - scores.max(axis=1, keepdims=True, initial=-np.finfo(scores.dtype).max)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def sigmoid(numbers: Floats) -> Floats:
    """1 / (1 + exp(-x))."""
    return np.asarray(np.float32(1) / (np.float32(1) + exp(-numbers)))


def tanh(numbers: Floats) -> Floats:
    """1 - 2 / (1 + exp(2 x))."""
    return np.asarray(np.float32(1) - np.float32(2) / (np.float32(1) + exp(np.float32(2) * numbers)))


def exp(numbers: Floats) -> Floats:
    """exp with the bits of core/network: a state of other bits may be rounded to another integer."""
    x = np.clip(numbers, np.float32(-87), np.float32(87))
    n = np.rint(x * np.float32(1.44269504))
    r = (x - n * np.float32(0.693359375)) - n * np.float32(-2.12194440e-4)
    value = np.full_like(r, np.float32(EXP_TERMS[0]))
    for term in EXP_TERMS[1:]:
        value = value * r + np.float32(term)
    return np.asarray(np.ldexp((value * (r * r) + r) + np.float32(1), n.astype(np.int32)))
