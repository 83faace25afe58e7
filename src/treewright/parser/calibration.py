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
    """The calibration on sentences with gold trees, of which the first MAX_WORDS words are used; None without heads.

    Heads are calibrated on all words with a head, labels on those whose head is right: the probability of a label is
    that given the head, and the product of both that of the labelled arc.
    """
    worker = Worker(model)
    held = parse_held_out(worker, list(first_sentences(sentences)))
    if not held.has_head.any():
        return None
    labelled = held.right_heads & held.has_label

    def of_heads(temperature: float) -> NDArray[np.float64]:
        found = [worker.head_probabilities(one, temperature) for one in held.decoded]
        return np.asarray(np.concatenate(found)[held.has_head])

    def of_labels(temperature: float) -> NDArray[np.float64]:
        found = [worker.label_probabilities(one.inputs, one.heads, temperature)[1] for one in held.decoded]
        return np.asarray(np.concatenate(found)[labelled])

    return Calibrations(fit(of_heads, held.right_heads[held.has_head]), fit(of_labels, held.right_labels[labelled]))


def parse_held_out(worker: Worker, sentences: Sequence[Sentence]) -> Held:
    """The sentences with the model's trees and labels, compared with their own."""
    decoded = [worker.decode(group, worker.model.projective) for group in groups(sentences)]
    found = [tree[1:] for one in decoded for tree in one.heads]
    labels = [
        label
        for one in decoded
        for names in worker.label_probabilities(one.inputs, one.heads, 1.0)[0]
        for label in names
    ]
    gold = [label for sentence in sentences for label in sentence.deprels]
    heads = [head == sentence.heads for head, sentence in zip(found, sentences, strict=True)]
    right = np.array([one == other for one, other in zip(labels, gold, strict=True)], dtype=np.bool_)
    nothing = np.zeros(0, dtype=np.bool_)
    has_head = [nothing, *(sentence.heads >= 0 for sentence in sentences)]
    has_label = [nothing, *(is_labelled(sentence) for sentence in sentences)]
    return Held(decoded, np.concatenate([nothing, *heads]), right, np.concatenate(has_head), np.concatenate(has_label))
