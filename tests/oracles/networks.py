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


@dataclass(frozen=True)
class Expected:
    """The states of a sentence and what is computed from them."""

    model: NetworkModel
    states: Floats

    @property
    def arcs(self) -> NDArray[np.float64]:
        return arc_probabilities(self.model, self.states)

    @property
    def tags(self) -> Floats:
        return tag_probabilities(self.model, self.states[1:])

    def labels(self, heads: Sequence[int]) -> Floats:
        arrays = self.model.arrays
        head, modifier = self.states @ arrays["label.head"], self.states @ arrays["label.modifier"]
        hidden = np.maximum(head[list(heads[1:])] + modifier[1:] + arrays["label.bias"], 0)
        return np.asarray(log_softmax(hidden @ arrays["label.output"] + arrays["label.output_bias"]))


def expected(model: NetworkModel, forms: Sequence[str]) -> Expected:
    """What a network says about a sentence."""
    inputs = Inputs.of_model(model)
    root = input_of(model, ROOT_ROW, NO_VECTOR_ROW, [], [])
    states = np.stack([root, *(input_of(model, *inputs.of(form)) for form in forms)])
    for layer in range(model.sizes.layers):
        states = np.concatenate([lstm(model, layer, name, states) for name in DIRECTIONS], axis=1)
    return Expected(model, states)


def input_of(model: NetworkModel, word: int, vector: int, classes: Sequence[int], subwords: Sequence[int]) -> Floats:
    """The input of a word of these rows: [word | vector | class | subword]."""
    arrays = model.arrays
    found = [arrays["word"][word], arrays["vector"][vector], arrays["class"][list(classes)].sum(axis=0)]
    subword = arrays["subword"][list(subwords)].sum(axis=0)
    return np.concatenate([*found, subword / np.float32(max(len(subwords), 1))])


def lstm(model: NetworkModel, layer: int, direction: str, inputs: Floats) -> Floats:
    """The states of one direction of a layer."""
    name, units = f"lstm.{layer}.{direction}", model.sizes.units
    recurrent = model.arrays[f"{name}.recurrent"]
    projected = inputs @ model.arrays[f"{name}.input"] + model.arrays[f"{name}.bias"]
    states = np.zeros((len(inputs), units), dtype=np.float32)
    state = cell = np.zeros(units, dtype=np.float32)
    places = range(len(inputs))
    for place in places if direction == "forward" else reversed(places):
        i, f, g, o = np.split(projected[place] + state @ recurrent, 4)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        state = states[place] = sigmoid(o) * np.tanh(cell)
    return states


def arc_probabilities(model: NetworkModel, states: Floats) -> NDArray[np.float64]:
    """[h, m]: the logarithm of the probability of the head h of the word m."""
    arrays = model.arrays
    heads = np.maximum(states @ arrays["arc.head"] + arrays["arc.head_bias"], 0)
    modifiers = np.maximum(states @ arrays["arc.modifier"] + arrays["arc.modifier_bias"], 0)
    scores = (heads @ arrays["arc.bilinear"] @ modifiers.T + (heads @ arrays["arc.linear"])[:, None]).astype(np.float64)
    np.fill_diagonal(scores, -np.inf)
    scores[:, 1:] = log_softmax(scores[:, 1:].T).T
    scores[:, 0] = -np.inf
    return np.asarray(scores)


def tag_probabilities(model: NetworkModel, states: Floats) -> Floats:
    """[n, T]: the logarithms of the probabilities of the tags of each word."""
    scores = states @ model.arrays["tag.output"] + model.arrays["tag.output_bias"]
    for begin, end in model.column_ranges().values():
        scores[:, begin:end] = log_softmax(scores[:, begin:end])
    return scores


def log_softmax(scores: NDArray[Any]) -> NDArray[Any]:
    """Of each row."""
    shifted = scores - scores.max(axis=1, keepdims=True, initial=-np.finfo(scores.dtype).max)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def sigmoid(numbers: Floats) -> Floats:
    """1 / (1 + exp(-x)), without overflow."""
    return np.asarray(np.float32(0.5) * np.tanh(np.float32(0.5) * numbers) + np.float32(0.5))
