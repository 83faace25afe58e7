"""The scores of a network beside those of the linear model: arcs, and labels of the arcs of a tree.

log P(head | word) of the network is added, times a weight, to the scores of the arcs, before a tree is decoded; its
log P(label | head, word) to the scores of labels. Trees are decoded as without a network, so that certificates,
constraints, k best and marginals are those of the sum. The network also chooses the candidate arcs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.checks import Checked, NotNegative, Share
from treewright.corpus import Sentence
from treewright.decode import Parts
from treewright.network import Network, Reading

Indices = NDArray[np.int32]

# Factors of log P of heads and of labels, of which those with the highest LAS on the development data are kept. Larger
# ones were not better beside the best network (docs/figures.md, "Learning from a larger model").
ARC_WEIGHTS, LABEL_WEIGHTS = (0.5, 0.7, 1.0, 1.4, 2.0), (0.5, 1.0, 2.0)
# Candidate heads of each word, though a network may be sure of one: without alternatives the spread of the scores, to
# which the tolerance of certificates is relative, is next to nothing.
MIN_HEADS = 2
UNKNOWN_LABEL = -20.0  # log P of a label that the network does not have; not tuned


@dataclass(frozen=True)
class NetworkWeights(Checked):
    """The factors of the network's logarithms of probabilities, and how it prunes.

    threshold: heads below this share of the marginal of the best one are no candidates.
    """

    arc: NotNegative = 1.0
    label: NotNegative = 1.0
    threshold: Share = 0.001


class NetworkScores:
    """Reads sentences with a network, and adds its scores to those of a parser with these labels."""

    def __init__(self, network: Network, labels: Sequence[str], weights: NetworkWeights) -> None:
        self.network = network
        self.weights = weights
        numbers = {label: number for number, label in enumerate(network.model.labels)}
        self._columns = np.array([numbers.get(label, -1) for label in labels])

    def readings(self, sentences: Sequence[Sentence]) -> list[Reading]:
        """Return those that the sentences have from the tagger, and new ones for the others."""
        missing = [sentence for sentence in sentences if not isinstance(sentence.reading, Reading)]
        new = iter(self.network.read(missing))
        return [sentence.reading if isinstance(sentence.reading, Reading) else next(new) for sentence in sentences]

    def add_arcs(self, batch: Sequence[Parts], readings: Sequence[Reading]) -> None:
        """Add the network's scores to those of the arcs of each sentence."""
        Parts.add_arc_scores(batch, [reading.arcs for reading in readings], self.weights.arc)

    def labels(self, readings: Sequence[Reading], heads: Sequence[Indices], scale: float) -> NDArray[np.float32]:
        """Return what to add to the score of each label at each node, before scores are multiplied by `scale`.

        The trees of the sentences follow one another.
        """
        known = np.concatenate([reading.labels(tree) for reading, tree in zip(readings, heads, strict=True)])
        of_words = known[:, self._columns]
        of_words[:, self._columns < 0] = UNKNOWN_LABEL
        is_word = np.concatenate(heads) >= 0
        added = np.full((len(is_word), len(self._columns)), UNKNOWN_LABEL, dtype=np.float32)
        added[is_word] = of_words
        added *= np.float32(self.weights.label / scale)
        return added
