"""Labels under the rules about tags: labels that a word, or a modifier of a word, with some tag never has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from treewright.features import REACH, Encoded, Labeller, atom_number
from treewright.parser.label_rules import ROOT_TAG, LabelRules

Indices = NDArray[np.int32]
UPOS = atom_number("upos")


class LabelSets(NamedTuple):
    """The labels seen between two tags in one direction: label[begin[k] : begin[k + 1]] for the k-th sorted key."""

    key: NDArray[np.uint32]
    begin: Indices
    label: Indices

    @classmethod
    def of(cls, found: Mapping[int, Iterable[int]]) -> LabelSets:
        """Labels by key as arrays."""
        rows = [sorted(found[key]) for key in sorted(found)]
        begin = np.cumsum([0, *map(len, rows)], dtype=np.int32)
        label = np.array([label for row in rows for label in row], dtype=np.int32)
        return cls(np.array(sorted(found), dtype=np.uint32), begin, label)

    def find(self, key: int) -> set[int] | None:
        """The labels of a key; None if it is unknown."""
        place = int(np.searchsorted(self.key, np.uint32(key)))
        if place == len(self.key) or self.key[place] != key:
            return None
        return set(self.label[self.begin[place] : self.begin[place + 1]].tolist())


class TagRules:
    """The rules of a model about labels and tags, and the labels that they permit."""

    def __init__(self, rules: LabelRules, labels: Sequence[str], seen: LabelSets) -> None:
        self.forbidden = rules.forbidden()
        self.labels, self.seen = labels, seen
        tags = {rule.other for rule in (*rules.tags, *rules.head_tags)}
        self._tag_of_hash = {crc32(tag.encode()): tag for tag in tags}

    def tags_of(self, encoded: Encoded) -> list[str]:
        """The tag of each node; that of a word without rules is empty."""
        hashes = encoded.atoms[REACH + 1 : -REACH, UPOS].tolist()
        return [ROOT_TAG, *(self._tag_of_hash.get(number, "") for number in hashes)]

    def is_broken(self, tags: Sequence[str], heads: Indices, labels: Sequence[str]) -> bool:
        """Whether a rule forbids one of the labels; tags are those of all nodes."""
        own, below = self.forbidden
        head_tags = [tags[head] for head in heads[1:].tolist()]
        is_free = own.isdisjoint(zip(labels, tags[1:], strict=True)) and below.isdisjoint(
            zip(labels, head_tags, strict=True)
        )
        return not is_free

    def restrict(self, labeller: Labeller, tags: Sequence[str], heads: Indices) -> None:
        """Set the candidates of a labeller with an open sentence to the labels that the rules permit.

        Where no permitted label was seen between two tags, every permitted label is a candidate. If the rules permit
        none at all, the candidates are the labels that were seen.
        """
        found: dict[int, set[int]] = {}
        for key, tag, head in zip(labeller.keys()[1:].tolist(), tags[1:], heads[1:].tolist(), strict=True):
            if key not in found:
                found[key] = self._candidates(self.seen.find(key), tag, tags[head])
        labeller.set_candidates(*LabelSets.of(found))

    def _candidates(self, seen: set[int] | None, tag: str, head_tag: str) -> set[int]:
        every = set(range(len(self.labels)))
        permitted = {number for number in every if self.forbidden.permits(self.labels[number], tag, head_tag)}
        return permitted & (seen or every) or permitted or seen or every
