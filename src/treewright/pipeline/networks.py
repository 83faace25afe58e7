"""The choice of the weight of a network's tags beside those of a tagger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treewright.corpus import Sentence
from treewright.tagger import Tagger
from treewright.tagger.training import judge_tags

TAG_WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0)  # of the network beside the tagger; the best on the development data is kept


def weighted(tagger: Tagger, dev: Sequence[Sentence]) -> Tagger:
    """The tagger with the weight of the readings of `dev` that gives most tags right, calibrated with it."""
    if not tagger.tags or not any(len(sentence) for sentence in dev):
        return tagger
    models = [replace(tagger.model, network_weight=weight) for weight in TAG_WEIGHTS]
    best = max(models, key=lambda model: judge_tags(model, dev).score)  # the smallest of equals
    return Tagger(best).calibrate(dev)
