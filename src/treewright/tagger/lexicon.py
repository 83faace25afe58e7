"""Which labels words and endings were seen with, as sorted lists that the core searches.

A label is a number: a tag, the edit script of a lemma, or the universal tag of a stem. Keys are hashes of words, of
their endings by group (capitalised or not; the tag of a lemma), of stems. Endings are those of rare words only, so that
closed classes are not proposed for words never seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright._core import LabelLists, suffix_key
from treewright.errors import InputError

LONGEST = 6  # characters of an ending, as in core/text/lexicon.hpp
RARE = 6  # occurrences up to which a word's endings say something about words never seen
MOST = 40  # labels of an ending that are kept
LARGEST = (1 << 16) - 1  # that a label or count may be
ARRAYS = ("keys", "begin", "labels", "counts")
ALL_WORDS = 0  # the key of what is no ending of any group


class Observation(NamedTuple):
    """A word of the training data: under which key it is listed, in which group its endings are, its label."""

    key: int
    group: int
    form: str
    label: int


@dataclass(frozen=True)
class Listing:
    """Labels with their counts by key, the most frequent first.

    >>> Listing.of({7: Counter({2: 5, 1: 9}), 3: Counter({4: 1})}).labels.tolist()
    [4, 1, 2]
    """

    keys: NDArray[np.uint32]
    begin: NDArray[np.int32]
    labels: NDArray[np.uint16]
    counts: NDArray[np.uint16]

    @classmethod
    def of(cls, lists: Mapping[int, Counter[int]]) -> Listing:
        """From counts."""
        keys = sorted(lists)
        ordered = [by_count(lists[key]) for key in keys]
        if max((label for labels in ordered for label in labels), default=0) > LARGEST:
            raise InputError(f"the training data has more than {LARGEST} tags or ways to make a lemma")
        counts = [
            min(lists[key][label], LARGEST) for key, labels in zip(keys, ordered, strict=True) for label in labels
        ]
        return cls(
            np.array(keys, dtype=np.uint32),
            np.cumsum([0, *map(len, ordered)], dtype=np.int32),
            np.array([label for labels in ordered for label in labels], dtype=np.uint16),
            np.array(counts, dtype=np.uint16),
        )

    @cached_property
    def core(self) -> LabelLists:
        """As the core reads them."""
        return LabelLists(self.keys, self.begin, self.labels, self.counts)

    def to_arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """As arrays for a model file, their names beginning with `name`."""
        return {f"{name}.{part}": getattr(self, part) for part in ARRAYS}

    @classmethod
    def from_arrays(cls, name: str, arrays: Mapping[str, NDArray[Any]]) -> Listing:
        """From what `to_arrays` gave."""
        found = cls(*(arrays[f"{name}.{part}"] for part in ARRAYS))
        _ = found.core  # looks at everything
        return found


@dataclass(frozen=True)
class Lexicon:
    """Words and endings with their labels."""

    words: Listing
    endings: Listing

    @classmethod
    def of(cls, observations: Iterable[Observation]) -> Lexicon:
        """Count the words of a treebank."""
        counts: dict[int, Counter[int]] = {}
        shapes: dict[int, tuple[int, str]] = {}
        for key, group, form, label in observations:
            counts.setdefault(key, Counter())[label] += 1
            shapes[key] = group, form
        rare = {key: seen for key, seen in counts.items() if seen.total() <= RARE}
        endings: dict[int, Counter[int]] = {ALL_WORDS: Counter()}
        single: set[int] = set()
        for key, seen in rare.items():
            group, form = shapes[key]
            endings[ALL_WORDS].update(seen.keys())
            for length in range(min(len(form), LONGEST) + 1):
                ending = suffix_key(group, form[len(form) - length :])
                endings.setdefault(ending, Counter()).update(seen.keys())
                if length > 2:
                    single.add(ending)
        if not rare:  # then the labels of all
            endings[ALL_WORDS] = Counter(label for seen in counts.values() for label in seen)
        useful = {
            ending: Counter(dict(seen.most_common(MOST)))
            for ending, seen in endings.items()
            if seen.total() > 1 or ending not in single
        }
        return cls(Listing.of(counts), Listing.of(useful))

    def to_arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """As arrays for a model file, their names beginning with `name`."""
        return {**self.words.to_arrays(f"{name}.words"), **self.endings.to_arrays(f"{name}.endings")}

    @classmethod
    def from_arrays(cls, name: str, arrays: Mapping[str, NDArray[Any]]) -> Lexicon:
        """From what `to_arrays` gave."""
        return cls(Listing.from_arrays(f"{name}.words", arrays), Listing.from_arrays(f"{name}.endings", arrays))


def array_names(*names: str) -> list[str]:
    """The names of the arrays of listings."""
    return [f"{name}.{part}" for name in names for part in ARRAYS]


def by_count(seen: Counter[int]) -> list[int]:
    """The most frequent first, ties by number."""
    return sorted(seen, key=lambda label: (-seen[label], label))
