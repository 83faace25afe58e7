"""Sentences with their readings by a network."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.corpus import Sentence
from treewright.network import Network, Reading
from treewright.parser.worker import MAX_WORDS


def with_readings(network: Network | None, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return copies with their readings; sentences beyond the length limit, and all without a network, have none."""
    if network is None:
        return list(sentences)
    is_read = [len(sentence) <= MAX_WORDS for sentence in sentences]
    both = list(zip(sentences, is_read, strict=True))
    readings = iter(network.read([sentence for sentence, read in both if read]))
    return [with_reading(sentence, next(readings)) if read else sentence for sentence, read in both]


def without_reading(sentence: Sentence) -> Sentence:
    """Return the sentence itself, which no longer holds the reading that it was tagged with."""
    sentence.reading = None
    return sentence


def with_reading(sentence: Sentence, reading: Reading) -> Sentence:
    """Return a copy of a sentence with a reading."""
    copy = sentence.copy()
    copy.reading = reading
    return copy
