"""Training sentences as arrays: atoms, heads and labels, open where the treebank leaves them open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treewright.corpus import Sentence
from treewright.features import Encoded, Encoder, Labeller
from treewright.parser.completion import OPEN
from treewright.parser.model import Indices
from treewright.parser.partial import decided_heads, decided_labels, fits_projective_tree
from treewright.parser.tag_rules import LabelSets


class Example(NamedTuple):
    """A training sentence: atoms, the head and the label of each node, -1 for the root and where they are open.

    projective: the tree is projective; or, if heads are open, a projective tree has the others.
    """

    encoded: Encoded
    heads: Indices
    labels: Indices
    projective: bool
    is_complete: bool

    @property
    def decided(self) -> int:
        """The number of words with a head."""
        return int((self.heads[1:] >= 0).sum())

    @property
    def is_undecided(self) -> bool:
        """Whether every head is open."""
        return not self.is_complete and self.decided == 0


def label_names(sentences: Sequence[Sentence]) -> tuple[str, ...]:
    """Every label, in alphabetical order; "_" is none, unless there is no other."""
    found = {label for sentence in sentences for label in sentence.deprels}
    return tuple(sorted(found - {OPEN} or found))


def label_sets(labeller: Labeller, examples: Sequence[Example]) -> LabelSets:
    """The labels seen between two tags in one direction."""
    found: dict[int, set[int]] = {}
    for one in examples:
        heads = np.where(one.heads < 0, 0, one.heads).astype(np.int32)  # open words have no label
        heads[0] = -1
        labeller.open(one.encoded.atoms, one.encoded.each, heads)
        for key, label in zip(labeller.keys()[1:].tolist(), one.labels[1:].tolist(), strict=True):
            if label >= 0:
                found.setdefault(key, set()).add(label)
    return LabelSets.of(found)


def example(encoder: Encoder, sentence: Sentence, numbers: dict[str, int], root: str) -> Example:
    """A training sentence as arrays."""
    heads = decided_heads(sentence, tuple(numbers), root)
    labels = decided_labels(sentence, heads, numbers)
    is_complete = bool((heads[1:] >= 0).all())
    return Example(encoder.encode(sentence), heads, labels, fits_projective_tree(heads), is_complete)
