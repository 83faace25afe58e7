"""What annotators should check first in completed sentences: the words with the lowest confidence.

Sentences follow in their own order: sorting them by entropy or expected errors saves no corrections
(benchmarks/accuracy/annotation.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np

from treewright.parser.completion import Completion
from treewright.parser.decisions import OPEN


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


def rank(completions: Iterable[Completion]) -> list[Ranked]:
    """List what to check first of completions: open words by confidence, then sentences in their order.

    >>> import treewright as tw
    >>> open_word = tw.Sentence.from_words(["It", "rains"], heads=[-1, 0], deprels=["_", "root"])
    >>> [(line.kind, line.word) for line in rank(tw.load("en").complete([open_word]))]
    [('arc', 1), ('sentence', 0)]
    """
    kept = [completion for completion in completions if completion.is_open.any()]
    words = sorted((line for completion in kept for line in words_of(completion)), key=lambda line: line.confidence)
    return words + [whole(completion) for completion in kept]


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
    entropy = float(completion.entropy[completion.is_open].sum())
    return Ranked("sentence", name_of(completion), 0, OPEN, 0, OPEN, confidence, entropy)


def name_of(completion: Completion) -> str:
    """Return what a list calls a sentence."""
    return completion.sentence.sent_id or completion.sentence.place
