"""The first model of the tokeniser: each character ends nothing, a token, or a token and a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.learn import AveragedCells, Learning, Stage
from treewright.tokeniser.characters import SPACE, classes_of, features_of
from treewright.tokeniser.classifier import Decisions, classifier_stage
from treewright.tokeniser.rules import labels_by_rule
from treewright.tokeniser.text import INSIDE, TOKEN, Labels, Places, batches_of

LABELS = ("inside", "token", "sentence")
ROWS_PER_STEP = 16  # characters of one update; not tuned


class Batch(NamedTuple):
    """A part of a canonical text, made of pieces that are decoded as if each were alone."""

    span: slice
    text: str
    lengths: list[int]  # of the pieces
    rule: Labels  # by rule, for features


def read_batches(canonical: str) -> Iterator[Batch]:
    """Divide a canonical text into batches."""
    begin = 0
    for pieces in batches_of(canonical):
        text = "".join(pieces)
        span = slice(begin, begin + len(text))
        yield Batch(span, text, list(map(len, pieces)), np.concatenate(list(map(labels_by_rule, pieces))))
        begin = span.stop


@dataclass(frozen=True)
class Characters:
    """The characters of a batch with a decision to make, and the labels of the others."""

    places: Places
    decisions: Decisions
    labels: Labels  # of all characters; INSIDE where there is a decision

    @classmethod
    def of(cls, batch: Batch, parted: frozenset[int], gold: Labels | None = None) -> Characters:
        """Find the candidate labels of each character: before a space, it ends a token or a sentence.

        Tokens end only between the kinds of characters in `parted`; in training, wherever they end in `gold`.
        """
        classes = classes_of(batch.text)
        n = len(classes)
        final = np.cumsum(batch.lengths) - 1  # the last characters of the pieces
        first, last = np.zeros(n, dtype=np.int32), np.full(n, len(LABELS), dtype=np.int32)
        before_space = np.append(classes[1:] == SPACE, True)[:n]
        before_space[final] = True
        first[before_space] = TOKEN
        may_end = np.isin(neighbours(classes, final), list(parted)) | before_space
        if gold is not None:
            may_end |= gold != INSIDE
            first[before_space & (gold == INSIDE)] = INSIDE  # a token with a space in it
        last[~may_end | (classes == SPACE)] = 1
        first[classes == SPACE] = INSIDE
        places = np.flatnonzero(last - first > 1)
        features = features_of(batch.text, batch.rule, batch.lengths, places)
        labels = first.copy()
        labels[places] = INSIDE
        return cls(places, Decisions.of(features, first[places], last[places]), labels)


def parted_classes(text: str, labels: Labels) -> frozenset[int]:
    """Return the kinds of neighbouring characters that tokens of a treebank end between."""
    return frozenset(np.unique(neighbours(classes_of(text))[labels != INSIDE]).tolist())


def neighbours(classes: NDArray[np.uint64], final: Places | None = None) -> Places:
    """Return the classes of each character and the next as one number; nothing follows the final ones of pieces."""
    following = np.append(classes[1:], np.uint64(0))[: len(classes)]
    if final is not None:
        following[final] = 0
    return np.asarray(np.uint64(64) * classes + following, dtype=np.int64)


def token_stage(text: str, labels: Labels, parted: frozenset[int], settings: Learning) -> Stage[AveragedCells]:
    """Train the weights on a canonical text and the labels of its characters."""
    data = []
    for batch in read_batches(text):
        gold = labels[batch.span]
        characters = Characters.of(batch, parted, gold)
        data.append((characters.decisions, gold[characters.places]))
    return classifier_stage("tokens", LABELS, data, settings, ROWS_PER_STEP, size=len(text), shuffle_key="")
