"""Reads sentences with a network, for one thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.network.inputs import Inputs
from treewright.network.model import DIRECTIONS, NO_VECTOR_ROW, ROOT_ROW, Floats, NetworkModel
from treewright.tagger.casing import without_capitals

CACHE_SIZE = 1 << 15  # words whose inputs are kept, to bound memory; by convention, it changes the speed only


@dataclass(frozen=True, eq=False)
class Reading:
    """What a network says about a sentence of n words."""

    arcs: NDArray[np.float64]  # [n + 1, n + 1]: log P(h | m); -inf on the diagonal and in column 0
    tags: Floats  # [n, T]: log-probabilities, the columns side by side
    model: NetworkModel
    label_heads: Floats  # [n + 1, label]: the share of the state of a head in the hidden layer of labels
    label_modifiers: Floats  # [n + 1, label]: that of a modifier

    def labels(self, heads: ArrayLike) -> Floats:
        """[n, L]: log P(label | head, word) for each word, where heads[m] is its head and heads[0] is -1."""
        chosen = checked_heads(heads, len(self.arcs))
        arrays = self.model.arrays
        hidden = self.label_heads[chosen[1:]] + self.label_modifiers[1:] + arrays["label.bias"]
        return log_softmax(np.maximum(hidden, 0) @ arrays["label.output"] + arrays["label.output_bias"])


def checked_heads(heads: ArrayLike, nodes: int) -> NDArray[np.int32]:
    """One head for each node, that of the root being -1."""
    found = np.asarray(heads)
    if found.shape != (nodes,) or found.dtype.kind not in "iu":
        raise ValueError(
            f"heads is {found.dtype}{list(found.shape)}; expected {nodes} whole numbers, one for each node"
        )
    if found[0] != -1 or (nodes > 1 and not 0 <= found[1:].min() <= found[1:].max() < nodes):
        raise ValueError(f"heads is {found.tolist()}; expected -1, and then a node from 0 to {nodes - 1} for each word")
    return found.astype(np.int32)


class NetworkWorker:
    """Reads sentences. It caches the inputs of words, so each thread has a worker of its own."""

    def __init__(self, model: NetworkModel) -> None:
        self.model = model
        self.inputs = Inputs.of_model(model)
        self._known: dict[str, Floats] = {}

    def read(self, sentences: Sequence[Sequence[str]]) -> list[Reading]:
        """A reading of each sentence, given as its forms."""
        return [self.reading(forms) for forms in sentences]

    def input_of(self, form: str) -> Floats:
        """The input of a word."""
        if form not in self._known:
            if len(self._known) >= CACHE_SIZE:
                self._known.clear()
            self._known[form] = input_of(self.model, *self.inputs.of(form))
        return self._known[form]

    def reading(self, forms: Sequence[str]) -> Reading:
        """The reading of one sentence."""
        arrays = self.model.arrays
        root = input_of(self.model, ROOT_ROW, NO_VECTOR_ROW, [], [])
        states = np.stack([root, *map(self.input_of, without_capitals(forms))])
        for layer in range(self.model.sizes.layers):
            states = np.concatenate([lstm(self.model, layer, name, states) for name in DIRECTIONS], axis=1)
        return Reading(
            arc_probabilities(self.model, states),
            tag_probabilities(self.model, states[1:]),
            self.model,
            states @ arrays["label.head"],
            states @ arrays["label.modifier"],
        )


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
