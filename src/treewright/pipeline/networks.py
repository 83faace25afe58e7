"""A network beside a tagger and a parser: the choice of the weights of its scores; a parser with a network alone.

The linear models are trained without the network, and the scores of all are added: a linear parser that learned beside
jackknifed readings of networks had a lower LAS on the development set of English-EWT (docs/network.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treewright.corpus import Sentence
from treewright.network import Network
from treewright.parser import Parser
from treewright.parser.networks import with_readings
from treewright.tagger import Tagger
from treewright.tagger.options import Candidates
from treewright.tagger.training import judge_tags

TAG_WEIGHTS = (0.25, 0.5, 1.0, 1.4, 2.0)  # of the network beside the tagger; the best on the development data is kept
# Candidate tags beside the network, of which the best on the development data are kept; None: those of the tagger,
# which were chosen for a tagger alone. With a weight of 1.4 the last gives UPOS 96.47 on the development set of
# English-EWT and 97.62 on that of GUM; the second, at its best weight, has fewer whole tags right (92.88 against
# 93.02 per cent of the words of both); 20 in place of 200 has UPOS 96.39 and 97.58.
CANDIDATES = (None, Candidates(4, 12), Candidates(200, 20))
NO_GAIN = "the network does not improve the trees of the development data: the model is without it"


def with_network(tagger: Tagger, parser: Parser, network: Network, dev: Sequence[Sentence]) -> tuple[Tagger, Parser]:
    """Put a network beside tagger and parser, if that is better on the development data."""
    read = with_readings(network, dev)
    weighted = weigh_network(tagger, read)
    parser_with_network = parser.with_network(network, list(weighted.tag(read)))
    if parser_with_network.model.network is None:
        return tagger, parser
    return weighted, parser_with_network


def weigh_network(tagger: Tagger, dev: Sequence[Sentence]) -> Tagger:
    """Choose the weight of the readings of `dev`, and the candidates, that give most tags right; calibrate."""
    if not tagger.tags or not any(len(sentence) for sentence in dev):
        return tagger
    linear = tagger.model.calibration
    models = [
        replace(tagger.model, network_weight=weight, network_candidates=candidates, linear_calibration=linear)
        for candidates in CANDIDATES
        for weight in TAG_WEIGHTS
    ]
    best = max([tagger.model, *models], key=lambda model: judge_tags(model, dev).score)  # the first of equals
    return Tagger(best).calibrate(dev)
