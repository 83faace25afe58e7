"""What annotators should check first in completed sentences: words by confidence, sentences by an order of choice."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

import numpy as np

from treewright.errors import InputError
from treewright.parser.completion import Completion
from treewright.parser.decisions import OPEN

DOUBTFUL = 0.9  # a word is doubtful below this confidence; not tuned


class Ranked(NamedTuple):
    """A line of the list of what to check first; `word` is 0 for a whole sentence.

    confidence is the calibrated probability that head and relation are both right, of a sentence the mean over its open
    words. entropy is the uncertainty about the head in nats, of a sentence the sum.
    """

    kind: Literal["sentence", "arc"]
    sentence: str  # sent_id, or the file and line
    word: int
    form: str
    head: int
    relation: str
    confidence: float
    entropy: float


def total_entropy(completion: Completion) -> float:
    """Return the sum of the entropies of the open words."""
    return float(completion.entropy[completion.is_open].sum())


def mean_entropy(completion: Completion) -> float:
    """Return the mean of the entropies of the open words."""
    return float(completion.entropy[completion.is_open].mean())


def expected_errors(completion: Completion) -> float:
    """Return the expected share of wrong arcs among the open words."""
    return float(1 - completion.arc_confidence[completion.is_open].mean())


ORDERS: dict[str, Callable[[Completion], float]] = {  # sentences with high values come first; ties keep their order
    "file": lambda completion: 0.0,
    "expected-errors": expected_errors,
    "mean-entropy": mean_entropy,
    "total-entropy": total_entropy,
}
DEFAULT_ORDER = "file"  # no other order saves corrections: benchmarks/accuracy/annotation.py


def rank(completions: Iterable[Completion], *, order: str = DEFAULT_ORDER) -> list[Ranked]:
    """List what to check first of completions: open words by confidence, then sentences by falling values of order.

    order: "file" keeps sentences as they are; "expected-errors" and "mean-entropy" are means over the open words,
    "total-entropy" is a sum, which puts long sentences first. Ties keep their order.

    >>> import treewright as tw
    >>> open_word = tw.Sentence.from_words(["It", "rains"], heads=[-1, 0], deprels=["_", "root"])
    >>> [(line.kind, line.word) for line in rank(tw.load("en").complete([open_word]))]
    [('arc', 1), ('sentence', 0)]
    """
    if order not in ORDERS:
        raise InputError(f"there is no order {order!r} of sentences; there are {', '.join(ORDERS)}")
    kept = [completion for completion in completions if completion.is_open.any()]
    if any(np.isnan(completion.confidence).any() for completion in kept):
        raise InputError("an induced model has no probabilities of heads, by which the list is sorted")
    words = sorted((line for completion in kept for line in words_of(completion)), key=lambda line: line.confidence)
    return words + [whole(completion) for completion in sorted(kept, key=lambda completion: -ORDERS[order](completion))]


def words_of(completion: Completion) -> list[Ranked]:
    """Return the lines of the open words of a sentence."""
    sentence, confidence = completion.sentence, completion.arc_confidence
    return [
        Ranked(
            *("arc", name_of(completion), word, sentence.forms[word - 1]),
            *(int(sentence.heads[word - 1]), sentence.deprels[word - 1]),
            *(float(confidence[word - 1]), float(completion.entropy[word - 1])),
        )
        for word in (np.flatnonzero(completion.is_open) + 1).tolist()
    ]


def whole(completion: Completion) -> Ranked:
    """Return the line of a sentence."""
    confidence = float(completion.arc_confidence[completion.is_open].mean())
    return Ranked("sentence", name_of(completion), 0, OPEN, 0, OPEN, confidence, total_entropy(completion))


def name_of(completion: Completion) -> str:
    """Return what a list calls a sentence."""
    return completion.sentence.sent_id or completion.sentence.place
