"""Word vectors: associations by their definition, and the singular value decomposition of NumPy."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from treewright.words.factorisation import ROOT_MEAN_SQUARE, SMOOTHING, association, factorise
from treewright.words.units import Units

TEXTS = [text.split() for text in ("a dog sees a cat", "the cat eats", "a dog eats the fish", "it rains", "dog")]
TOLERANCE = 1e-9


def pairs_by_definition(window: int) -> Counter[tuple[str, int, str]]:
    """Word, distance (negative: before the word), neighbour; at distance one the edges of sentences are neighbours."""
    found: Counter[tuple[str, int, str]] = Counter()
    for text in TEXTS:
        for place, word in enumerate(text):
            for distance in range(-window, window + 1):
                other = place + distance
                if distance and 0 <= other < len(text):
                    found[word, distance, text[other]] += 1
                elif distance in (-1, 1):
                    found[word, distance, "<edge>"] += 1
    return found


@pytest.mark.parametrize("window", [1, 2, 3])
def test_neighbours_are_counted_by_place(window: int) -> None:
    units = Units.of(TEXTS, 1)
    names = [*units.names, "<edge>"]
    expected = np.zeros((units.edge, 2 * window, len(names)))
    for (word, distance, other), count in pairs_by_definition(window).items():
        block = 2 * (abs(distance) - 1) + (distance > 0)
        expected[names.index(word), block, names.index(other)] = count
    np.testing.assert_array_equal(units.neighbours(window).toarray(), expected.reshape(units.edge, -1))


def test_the_vectors_are_those_of_a_full_decomposition() -> None:
    units = Units.of(TEXTS, 1)
    counts = units.neighbours(2).toarray()
    total, words, others = counts.sum(), counts.sum(axis=1), counts.sum(axis=0) ** SMOOTHING
    others *= total / others.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.log(counts * total / (words[:, None] * others[None, :]))
    expected = np.where(counts > 0, np.maximum(expected, 0), 0)
    np.testing.assert_allclose(association(units.neighbours(2)).toarray(), expected, rtol=TOLERANCE)
    left, values, _ = np.linalg.svd(expected, full_matrices=False)
    table = left[:, :3] * values[:3]
    found = factorise(units, 3, 1, window=2, power=1.0)
    products = found @ found.T  # the same for any signs
    scale = ROOT_MEAN_SQUARE / np.sqrt((table**2).mean())
    np.testing.assert_allclose(products, (table @ table.T) * scale**2, rtol=1e-4, atol=1e-5)
    assert np.sqrt((found**2).mean()) == pytest.approx(ROOT_MEAN_SQUARE, rel=1e-5)
