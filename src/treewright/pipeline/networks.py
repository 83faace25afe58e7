"""Networks of a pipeline: readings of sentences, and the choice of the weight of a network's tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treewright.corpus import Sentence
from treewright.network import Network
from treewright.parser.model import MAX_WORDS
from treewright.tagger import Tagger
from treewright.tagger.training import judge_tags

TAG_WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0)  # of the network beside the tagger; the best on the development data is kept


def with_readings(network: Network | None, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Copies of the sentences with their readings; without a network, and beyond the length limit, as they are."""
    if network is None:
        return list(sentences)
    is_read = [len(sentence) <= MAX_WORDS for sentence in sentences]
    both = list(zip(sentences, is_read, strict=True))
    readings = iter(network.read([sentence.forms for sentence, read in both if read]))
    return [with_reading(sentence, next(readings)) if read else sentence for sentence, read in both]


def with_reading(sentence: Sentence, reading: object) -> Sentence:
    """A copy of a sentence with a reading."""
    copy = sentence.copy()
    copy.reading = reading
    return copy


def weighted(tagger: Tagger, dev: Sequence[Sentence]) -> Tagger:
    """The tagger with the weight of the readings of `dev` that gives most tags right, calibrated with it."""
    if not tagger.tags or not any(len(sentence) for sentence in dev):
        return tagger
    models = [replace(tagger.model, network_weight=weight) for weight in TAG_WEIGHTS]
    best = max(models, key=lambda model: judge_tags(model, dev).score)  # the smallest of equals
    return Tagger(best).calibrate(dev)
