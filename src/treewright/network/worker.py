"""Reads sentences with a network, for one thread: the core computes (core/network), strings and caches are here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._core import NetworkReader, NetworkWeights
from treewright.checks import describe_value
from treewright.corpus import Sentence
from treewright.network.inputs import Inputs, tag_strings
from treewright.network.model import SCALES, TABLES, Floats, NetworkModel, quantise_rows
from treewright.streams import groups_of
from treewright.tokeniser.casing import without_capitals

if TYPE_CHECKING:
    from treewright.network.pretrained import LabelScores  # it needs PyTorch

CACHE_SIZE = 1 << 13  # words whose products with the first matrix are kept: 4 kB each with 128 units; not tuned
MAX_WORDS = 1 << 13  # of the sentences that the core reads in one call, to bound memory; not tuned


Words = Sequence[str] | Sentence  # of a sentence: its forms, or with its tags
WordType = str | tuple[str, tuple[str, ...]]  # a form, or a form and the strings of its tags


@dataclass(frozen=True, eq=False)
class Reading:
    """What a network says about a sentence of n words."""

    arcs: NDArray[np.float64]  # [n + 1, n + 1]: log P(h | m); -inf on the diagonal and in column 0
    tags: Floats  # [n, T]: log-probabilities, the columns side by side
    sides: Floats  # what labels are computed from: the shares of head and modifier in their hidden layer
    weights: NetworkWeights | LabelScores
    model: NetworkModel  # whose columns and labels these are

    def labels(self, heads: ArrayLike) -> Floats:
        """[n, L]: log P(label | head, word) for each word, where heads[m] is its head and heads[0] is -1."""
        return self.weights.labels(self.sides, check_heads(heads, len(self.arcs)))


def check_heads(heads: ArrayLike, nodes: int) -> NDArray[np.int32]:
    """Return the heads as an array: one for each node, that of the root being -1."""
    array = np.asarray(heads)
    if array.shape != (nodes,) or array.dtype.kind not in "iu":
        raise ValueError(f"heads is {array.dtype}{list(array.shape)}; expected {nodes} whole numbers, one a node")
    if array[0] != -1 or (nodes > 1 and not 0 <= array[1:].min() <= array[1:].max() < nodes):
        raise ValueError(f"heads is {array.tolist()}; expected -1, and then a node from 0 to {nodes - 1} for each word")
    return np.ascontiguousarray(array, dtype=np.int32)


def kernel_weights(model: NetworkModel) -> NetworkWeights:
    """Return the weights of a model in the layout of the core; all threads share them."""
    sizes = [size for name, size in asdict(model.sizes).items() if name != "encoder"]
    columns = [len(values) for values in model.columns.values()]
    return NetworkWeights(kernel_arrays(model.arrays), sizes, columns, len(model.labels))


def kernel_arrays(arrays: Mapping[str, Floats]) -> dict[str, object]:
    """Return the arrays as the core takes them: matrices as integers of eight bits and the scales of their rows."""
    numbers: dict[str, object] = {}
    for name, array in arrays.items():
        if array.ndim == 1 or name in TABLES:
            numbers[name] = np.ascontiguousarray(array)
        else:
            numbers[name], numbers[name + SCALES] = quantise_rows(array)
    return numbers


class NetworkWorker:
    """Reads sentences. It caches what the core computes for a word type, so each thread has a worker of its own."""

    def __init__(self, model: NetworkModel, inputs: Inputs, weights: NetworkWeights, *, portable: bool = False) -> None:
        self.model = model
        self.inputs = inputs
        self.weights = weights
        self.kernel = NetworkReader(weights, portable)
        self._types: dict[WordType, int] = {}

    def read(self, sentences: Sequence[Words]) -> list[Reading]:
        """Read each sentence, given as its forms, or with its tags."""
        return [reading for batch in batches(sentences) for reading in self._read_together(batch)]

    def _read_together(self, sentences: Sequence[Words]) -> Iterator[Reading]:
        if len(self._types) > CACHE_SIZE:
            self.clear()
        known = self._types
        words = (word_types(sentence, self.model.tag_inputs) for sentence in sentences)
        types = [known.get(word) or self._add(word) for word in chain.from_iterable(words)]
        lengths = np.array([len(words) for words in sentences], dtype=np.int32)
        for arcs, tags, sides in self.kernel.read(np.array(types, dtype=np.int32), lengths):
            yield Reading(arcs, tags, sides, self.weights, self.model)

    def _add(self, word: WordType) -> int:
        rows = self.inputs.of(word) if isinstance(word, str) else self.inputs.of(*word)
        number = self._types[word] = self.kernel.add(*rows)
        return number

    def clear(self) -> None:
        """Forget all word types."""
        self._types.clear()
        self.kernel.clear()


def word_types(sentence: Words, tag_inputs: Sequence[str]) -> Sequence[WordType]:
    """Return what the inputs of each word depend on, in a network that reads these columns."""
    forms = without_capitals(sentence.forms if isinstance(sentence, Sentence) else sentence)
    if not tag_inputs:
        return forms
    if not isinstance(sentence, Sentence):
        columns = ", ".join(map(str.upper, tag_inputs))
        raise TypeError(f"sentences has forms alone; this network also reads {columns}: expected sentences")
    return list(zip(forms, tag_strings(sentence, tag_inputs), strict=True))


def batches(sentences: Sequence[Words]) -> Iterator[list[Words]]:
    """Divide the sentences into lists of at most MAX_WORDS words, or of one sentence."""
    for number, forms in enumerate(sentences):
        if isinstance(forms, str):
            raise TypeError(f"sentences[{number}] is {describe_value(forms)}; expected a list of forms")
    return groups_of(sentences, len, MAX_WORDS)
