"""A log-linear classifier of characters or tokens: each has a few candidate labels and is decided alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from treewright._core import TagModel
from treewright.learn import AveragedCells, Learning, Stage
from treewright.learn.hashing import REACH, hashed
from treewright.tokeniser.text import Labels


@dataclass(frozen=True)
class Decisions:
    """Rows of hashed features, each with its candidate labels, as the kernel takes them."""

    features: NDArray[np.uint32]  # after rows of zeros: templates reach REACH rows back
    begin: NDArray[np.int32]  # the candidates of a row are pool[begin[row] : begin[row + 1]]
    pool: NDArray[np.int32]
    rows: NDArray[np.int32]
    relations: NDArray[np.uint32] | None = None  # hashed features of each candidate

    @classmethod
    def of(cls, features: NDArray[np.uint32], first: Labels, last: Labels) -> Decisions:
        """Decide each row between the labels from `first` to `last`, without the last."""
        padding = 2 * REACH
        sizes = last - first
        begin = np.zeros(padding + len(features) + 1, dtype=np.int32)
        begin[padding + 1 :] = np.cumsum(sizes)
        offsets = np.arange(begin[-1]) - np.repeat(begin[padding:-1], sizes)
        pool = (np.repeat(first, sizes) + offsets).astype(np.int32)
        padded = np.concatenate([np.zeros((padding, features.shape[1]), dtype=np.uint32), features])
        return cls(padded, begin, pool, np.arange(padding, len(padded), dtype=np.int32))

    @classmethod
    def among(cls, features: NDArray[np.uint32], allowed: NDArray[np.bool_]) -> Decisions:
        """Decide each row between the labels that are allowed, [row, label]."""
        count = np.full(len(features), allowed.shape[1], dtype=np.int32)
        decisions = cls.of(features, np.zeros_like(count), count)
        begin = np.append(0, np.cumsum(allowed))[decisions.begin].astype(np.int32)
        return replace(decisions, begin=begin, pool=decisions.pool[allowed.reshape(-1)])

    @classmethod
    def between(cls, sizes: Labels, relations: NDArray[np.uint32]) -> Decisions:
        """Decide each row between so many candidates; relations: a row of hashed features for each candidate."""
        decisions = cls.of(np.zeros((len(sizes), 1), dtype=np.uint32), np.zeros_like(sizes), sizes)
        return replace(decisions, relations=relations)

    def classify(
        self, labels: Sequence[str], settings: Learning, weights: NDArray[np.float32]
    ) -> tuple[Labels, NDArray[np.float64]]:
        """Choose the best label of each row, and compute its probability."""
        kernel = kernel_of(labels, self.features.shape[1], settings)
        table = self.features, self.begin, self.pool, self.rows
        chosen, _, confidence = kernel.decode(*table, weights, None, True, relations=self.relations)
        assert confidence is not None
        return chosen, confidence


def kernel_of(labels: Sequence[str], features: int, settings: Learning, word_feature: int | None = None) -> TagModel:
    """Return the kernel that decides each row alone; every feature is a template of its own.

    word_feature: this feature is combined with the label of the row before, and the best sequence of labels is chosen.
    """
    items = np.array([(feature, feature, 0) for feature in range(features)], dtype=np.int32)
    table = np.array([[hashed(label)] for label in (*labels, "<before>")], dtype=np.uint32)
    return TagModel(items, features, table, settings.bits, len(labels), word_feature or 0, word_feature is not None)


def classifier_stage(
    name: str,
    labels: Sequence[str],
    data: Sequence[tuple[Decisions, Labels]],
    settings: Learning,
    rows_per_step: int,
    *,
    size: int,
    shuffle_key: str | None = None,
) -> Stage[AveragedCells]:
    """Train the weights of a classifier on batches of decisions with their gold labels, a few rows at a time."""
    kernel = kernel_of(labels, data[0][0].features.shape[1], settings)
    steps = [
        (decisions, gold, slice(first, first + rows_per_step))
        for decisions, gold in data
        for first in range(0, len(gold), rows_per_step)
    ]

    def learn(learner: AveragedCells, number: int) -> float:
        decisions, gold, rows = steps[number]
        return kernel.learn(
            *(decisions.features, decisions.begin, decisions.pool, decisions.rows[rows], gold[rows]),
            *(learner.cells, learner.next_step(), settings.rate, settings.adagrad_epsilon, settings.margin),
            relations=decisions.relations,
        )

    return replace(settings.stage(name, learn, range(len(steps)), size), shuffle_key=shuffle_key)
