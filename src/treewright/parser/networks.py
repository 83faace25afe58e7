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
    is_read = [len(sentence) <= MAX_WORDS for sentence in sentences]
    both = list(zip(sentences, is_read, strict=True))
    readings = iter(network.read([sentence for sentence, read in both if read]))
    copies = [sentence.copy() if read else sentence for sentence, read in both]
    for copy, read in zip(copies, is_read, strict=True):
        if read:
            copy.reading = next(readings)
    return copies


def without_reading(sentence: Sentence) -> Sentence:
    """Return the sentence itself, which no longer holds the reading that it was tagged with."""
    sentence.reading = None
    return sentence
