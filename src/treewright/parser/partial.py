"""Partly annotated sentences as training data: which cells are decided, and how many are open.

A head is decided if HEAD is given, or if DEPREL is the relation of the root. A relation is decided if DEPREL is given.
Training uses the decided cells: trees are scored by the probability of all trees that have the decided heads, labels
are learned from the words whose head and relation are both decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import trees
from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.parser.decisions import OPEN, Arc, Decisions, check_single_root, is_projective_possible
from treewright.parser.label_rules import ROOT

Indices = NDArray[np.int32]


def check_treebanks(train: Sequence[Sentence], dev: Sequence[Sentence]) -> None:
    """There must be training sentences; no heads may run in a circle, and some must be given."""
    if not train:
        raise InputError("the training data has no sentences")
    for sentence in (*train, *dev):
        sentence.check("partial")
    if all(map(has_no_head, train)):
        raise InputError("the training data has only _ in HEAD; `treewright induce` learns a parser without heads")
    if dev and all(map(has_no_head, dev)):
        raise InputError("the development data has only _ in HEAD; give some heads, or leave it out")


def has_no_head(sentence: Sentence) -> bool:
    """Whether every head is open."""
    return len(sentence) > 0 and max(sentence.head_numbers()) < 0


def decided_heads(sentence: Sentence, labels: Sequence[str], root: str) -> Indices:
    """Return the head of each node, -1 for the root and where it is open; a FormatError names a second root."""
    if OPEN not in sentence.deprels and -1 not in sentence.head_numbers():
        return trees.from_conll(sentence.heads)
    heads = np.full(1 + len(sentence), -1, dtype=np.int32)
    decided = Decisions.given(sentence, labels)
    if root == "single":
        check_single_root(sentence, decided)
    for head, modifier in decided.require:
        heads[modifier] = head
    return heads


def decided_arcs(heads: Indices) -> list[Arc]:
    """Return the arcs of the nodes whose head is not open (-1).

    >>> decided_arcs(np.array([-1, 2, -1, 2], dtype=np.int32))
    [(2, 1), (2, 3)]
    """
    return [(head, modifier) for modifier, head in enumerate(heads.tolist()) if modifier and head >= 0]


def fits_projective_tree(heads: Indices) -> bool:
    """Whether a projective tree has these heads; -1 is open."""
    if (heads[1:] >= 0).all():
        return trees.is_projective(heads)
    return is_projective_possible(len(heads) - 1, {"require": decided_arcs(heads), "root": "multi"})


def decided_labels(sentence: Sentence, heads: Indices, numbers: dict[str, int]) -> Indices:
    """Return the number of the label of each node, -1 where the head or the label is open."""
    labels = np.array([-1, *(numbers.get(label, -1) for label in sentence.deprels)], dtype=np.int32)
    labels[1:][heads[1:] < 0] = -1
    return labels


def is_labelled(sentence: Sentence) -> NDArray[np.bool_]:
    """Which words have both a head and a relation; every one with a head, if the sentence has no relations at all."""
    has_label = np.array([label != OPEN for label in sentence.deprels], dtype=np.bool_)
    return (sentence.heads >= 0) & (has_label | ~has_label.any())


def open_cells(sentences: Iterable[Sentence]) -> str:
    """Return a line about how many heads and relations are open, empty if none are.

    >>> open_cells([Sentence.from_words(["It", "rains"], heads=[-1, 0], deprels=["_", "root"])] * 2000)
    '2,000 of 4,000 heads and 2,000 of 4,000 relations are open (_)'
    """
    words = heads = relations = 0
    for sentence in sentences:
        words += len(sentence)
        heads += sum(
            head < 0 and label != ROOT for head, label in zip(sentence.head_numbers(), sentence.deprels, strict=True)
        )
        relations += sentence.deprels.count(OPEN)
    if not heads and (not relations or relations == words):
        return ""
    return f"{heads:,} of {words:,} heads and {relations:,} of {words:,} relations are open (_)"


def open_cell_notes(train: Iterable[Sentence], dev: Iterable[Sentence]) -> list[str]:
    """Return lines about the open heads and relations of the training and of the development data."""
    lines = {"training data": open_cells(train), "development data": open_cells(dev)}
    return [f"{name}: {line}" for name, line in lines.items() if line]


class Attachment(NamedTuple):
    """Shares of right heads, and of words with right head and relation, in per cent."""

    uas: float
    las: float


def attachment(gold: Sequence[Sentence], parsed: Sequence[Sentence]) -> Attachment:
    """Return the scores of parsed sentences on the words whose head, or head and relation, gold has.

    >>> gold = [Sentence.from_words(["It", "rains", "now"], heads=[2, 0, -1], deprels=["nsubj", "_", "_"])]
    >>> attachment(gold, [gold[0].with_columns(heads=[2, 1, 2], deprels=["nsubj", "dep", "dep"])])
    Attachment(uas=50.0, las=100.0)
    """
    heads = labels = words = labelled = 0
    for sentence, parse in zip(gold, parsed, strict=True):
        same, has_label = sentence.heads == parse.heads, is_labelled(sentence)
        right = [label == new for label, new in zip(sentence.deprels, parse.deprels, strict=True)]
        heads += int(same.sum())
        labels += int((same & has_label & np.array(right, dtype=np.bool_)).sum())
        words += int((sentence.heads >= 0).sum())
        labelled += int(has_label.sum())
    return Attachment(per_cent(heads, words), per_cent(labels, labelled))


def per_cent(right: int, total: int) -> float:
    """Return a share in per cent; 0 of nothing."""
    return 100 * right / total if total else 0.0
