"""Calibration of a parser on held-out sentences (treewright.learn.calibration)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import Sentence
from treewright.learn.calibration import first_sentences, fit
from treewright.parser.model import Calibrations, ParserModel
from treewright.parser.partial import is_labelled
from treewright.parser.worker import Decoded, Worker, groups

Flags = NDArray[np.bool_]


class Held(NamedTuple):
    """Parsed sentences of the held-out data, which heads and labels are right and which are given, one entry a word."""

    decoded: list[Decoded]
    right_heads: Flags
    right_labels: Flags
    has_head: Flags
    has_label: Flags


def calibrate(model: ParserModel, sentences: Iterable[Sentence]) -> Calibrations | None:
    """Calibrate on the first MAX_WORDS words of sentences with gold trees; None if none of them has a head.

    Heads are calibrated on all words with a head, labels on those whose head is right: the probability of a label is
    that given the head, and the product of both that of the labelled arc.
    """
    worker = Worker(model)
    held = parse_held_out(worker, list(first_sentences(sentences)))
    if not held.has_head.any():
        return None
    labelled = held.right_heads & held.has_label

    def of_heads(temperature: float) -> NDArray[np.float64]:
        probabilities = [worker.head_probabilities(group, temperature) for group in held.decoded]
        return np.asarray(np.concatenate(probabilities)[held.has_head])

    def of_labels(temperature: float) -> NDArray[np.float64]:
        groups = held.decoded
        probabilities = [worker.label_probabilities(group.inputs, group.heads, temperature)[1] for group in groups]
        return np.asarray(np.concatenate(probabilities)[labelled])

    return Calibrations(fit(of_heads, held.right_heads[held.has_head]), fit(of_labels, held.right_labels[labelled]))


def parse_held_out(worker: Worker, sentences: Sequence[Sentence]) -> Held:
    """Parse sentences, and compare trees and labels with their own."""
    decoded = [worker.decode(group, worker.model.projective) for group in groups(sentences)]
    trees = [tree[1:] for group in decoded for tree in group.heads]
    labels = [
        label
        for group in decoded
        for names in worker.label_probabilities(group.inputs, group.heads, 1.0)[0]
        for label in names
    ]
    gold = [label for sentence in sentences for label in sentence.deprels]
    heads = [head == sentence.heads for head, sentence in zip(trees, sentences, strict=True)]
    right = np.array([label == gold_label for label, gold_label in zip(labels, gold, strict=True)], dtype=np.bool_)
    nothing = np.zeros(0, dtype=np.bool_)
    has_head = [nothing, *(sentence.heads >= 0 for sentence in sentences)]
    has_label = [nothing, *(is_labelled(sentence) for sentence in sentences)]
    return Held(decoded, np.concatenate([nothing, *heads]), right, np.concatenate(has_head), np.concatenate(has_label))
