"""The best tag sequence is the best of all sequences."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from treewright.errors import InfeasibleError
from treewright.tagger import viterbi

SIZES = [(n, tags) for n in (1, 2, 3, 4, 5) for tags in (1, 2, 3)]


def value(tags: tuple[int, ...], scores: NDArray[np.float64], trigram: NDArray[np.float64]) -> float:
    before = scores.shape[1]
    padded = (before, before, *tags)
    return sum(float(scores[i, c] + trigram[padded[i], padded[i + 1], c]) for i, c in enumerate(tags))


def instance(n: int, tags: int, forbidden: bool = False) -> tuple[NDArray[np.float64], ...]:
    random = np.random.default_rng([n, tags])
    scores, trigram = random.normal(size=(n, tags)), random.normal(size=(tags + 1, tags + 1, tags))
    if forbidden:
        trigram[random.random(trigram.shape) < 0.2] = -np.inf
    return scores, trigram, random.normal(size=(n, tags))


@pytest.mark.parametrize("forbidden", [False, True])
@pytest.mark.parametrize(("n", "tags"), SIZES)
def test_best_of_all_sequences(n: int, tags: int, forbidden: bool) -> None:
    scores, trigram, adjust = instance(n, tags, forbidden)
    best = max(value(found, scores + adjust, trigram) for found in product(range(tags), repeat=n))
    if best == -np.inf:
        with pytest.raises(InfeasibleError, match="every tag sequence is forbidden"):
            viterbi(scores, trigram, adjust)
        return
    found = viterbi(scores, trigram, adjust)
    assert found.value == pytest.approx(best, rel=1e-12)
    assert value(tuple(found.tags.tolist()), scores + adjust, trigram) == pytest.approx(best, rel=1e-12)


def test_no_positions() -> None:
    path = viterbi(np.zeros((0, 2)), np.zeros((3, 3, 2)))
    assert (path.tags.tolist(), path.value) == ([], 0.0)


@pytest.mark.parametrize(
    ("scores", "trigram", "adjust", "message"),
    [
        ([[np.nan, 0]], np.zeros((3, 3, 2)), None, r"scores\[0, 0\] is nan; write -inf to forbid a tag"),
        ([[0, np.inf]], np.zeros((3, 3, 2)), None, r"scores\[0, 1\] is inf"),
        ([0, 0], np.zeros((3, 3, 2)), None, "scores has 1 axes; expected 2"),
        (np.zeros((2, 0)), np.zeros((1, 1, 0)), None, r"scores has shape \(2, 0\)"),
        ([[0, 0]], np.zeros((2, 2, 2)), None, r"trigram has shape \(2, 2, 2\); expected \(3, 3, 2\)"),
        ([[0, 0]], np.zeros((3, 3, 2)), [[0]], r"adjust has shape \(1, 1\); expected \(1, 2\)"),
    ],
)
def test_what_is_refused(scores: object, trigram: object, adjust: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        viterbi(scores, trigram, adjust)  # type: ignore[arg-type]
