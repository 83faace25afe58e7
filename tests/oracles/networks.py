"""Networks with random weights."""

from __future__ import annotations

import numpy as np

from treewright.network.model import NetworkModel, NetworkSizes, array_shapes

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
