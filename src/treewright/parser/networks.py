"""Sentences with their readings by a network."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.corpus import Sentence
from treewright.network import Network
from treewright.parser.long_sentences import MAX_WORDS


def with_readings(network: Network | None, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return copies with their readings; sentences beyond the length limit, and all without a network, have none."""
    if network is None:
        return list(sentences)
    copies = [sentence.copy() if len(sentence) <= MAX_WORDS else sentence for sentence in sentences]
    set_readings(network, copies)
    return copies


def set_readings(network: Network | None, sentences: Sequence[Sentence]) -> None:
    """Set the readings of sentences up to the length limit, if there is a network."""
    if network is not None:
        read = [sentence for sentence in sentences if len(sentence) <= MAX_WORDS]
        for sentence, reading in zip(read, network.read(read), strict=True):
            sentence.reading = reading


def without_reading(sentence: Sentence) -> Sentence:
    """Return the sentence itself, which no longer holds the reading that it was tagged with."""
    sentence.reading = None
    return sentence
