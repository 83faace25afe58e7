"""Labels under the rules about tags: labels that a word, or a modifier of a word, with some tag never has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.parser.label_rules import ROOT, ROOT_TAG, LabelRules

Indices = NDArray[np.int32]


class LabelSets(NamedTuple):
    """The labels seen between two tags in one direction: label[begin[k] : begin[k + 1]] for the k-th sorted key."""

    key: NDArray[np.uint32]
    begin: Indices
    label: Indices

    @classmethod
    def of(cls, labels_of: Mapping[int, Iterable[int]]) -> LabelSets:
        """Return labels by key as arrays."""
        rows = [sorted(labels_of[key]) for key in sorted(labels_of)]
        begin = np.cumsum([0, *map(len, rows)], dtype=np.int32)
        label = np.array([label for row in rows for label in row], dtype=np.int32)
        return cls(np.array(sorted(labels_of), dtype=np.uint32), begin, label)

    def find(self, key: int) -> set[int] | None:
        """Return the labels of a key; None if it is unknown."""
        row = int(np.searchsorted(self.key, np.uint32(key)))
        if row == len(self.key) or self.key[row] != key:
            return None
        return set(self.label[self.begin[row] : self.begin[row + 1]].tolist())


class TagRules:
    """The rules of a model about labels and tags, and the labels that they permit.

    A model that has the label "root" gives it to the words below the root and to no others, as Universal Dependencies
    require, whatever the other rules say: a sentence may be one punctuation mark.
    """

    def __init__(self, rules: LabelRules, labels: Sequence[str], seen: LabelSets) -> None:
        self.forbidden = rules.forbidden()
        self.labels, self.seen = labels, seen
        self.root = labels.index(ROOT) if ROOT in labels else None

    def __bool__(self) -> bool:
        return self.root is not None or any(self.forbidden)

    def is_broken(self, tags: Sequence[str], heads: Indices, labels: Sequence[str]) -> bool:
        """Whether a rule forbids one of the labels; tags are those of all nodes."""
        below = heads[1:].tolist()
        head_tags = [tags[head] for head in below]
        if self.root is not None and any(
            (head == 0) != (label == ROOT) for head, label in zip(below, labels, strict=True)
        ):
            return True
        return not (
            self.forbidden.tags.isdisjoint(zip(labels, tags[1:], strict=True))
            and self.forbidden.head_tags.isdisjoint(zip(labels, head_tags, strict=True))
        )

    def candidates(self, keys: NDArray[np.uint32], tags: Sequence[str], heads: Indices) -> LabelSets:
        """Return the labels that the rules permit for the keys of a tree; tags are those of all nodes.

        Where no permitted label was seen between two tags, every permitted label is a candidate. If the rules permit
        none at all, the candidates are the labels that were seen.
        """
        labels_of: dict[int, set[int]] = {}
        for key, tag, head in zip(keys[1:].tolist(), tags[1:], heads[1:].tolist(), strict=True):
            if key not in labels_of:
                labels_of[key] = self._candidates(self.seen.find(key), tag, tags[head])
        return LabelSets.of(labels_of)

    def _candidates(self, seen: set[int] | None, tag: str, head_tag: str) -> set[int]:
        if self.root is not None and head_tag == ROOT_TAG:
            return {self.root}
        every = set(range(len(self.labels))) - {self.root}
        permitted = {number for number in every if self.forbidden.permits(self.labels[number], tag, head_tag)}
        return permitted & (seen or every) or permitted or (seen or every) & every or {0}
