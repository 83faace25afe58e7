"""The labels of word forms and suffixes in the training data, as sorted lists that the core searches.

A label is a number: a tag, the edit script of a lemma, or the universal tag of a stem. Keys are hashes of word forms,
of stems, or of suffixes by group (the surface class of a form, or the tag of a lemma). Only rare words contribute to
suffixes, so that closed classes are not candidates of unknown words (Brants 2000).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright._core import LabelLists, suffix_key
from treewright.caching import cached_property
from treewright.errors import InputError

MAX_SUFFIX = 6  # characters; not tuned (Brants 2000 takes 10), the same as in core/text/lexicon.hpp
MAX_RARE_COUNT = 6  # occurrences; not tuned (Brants 2000 takes 10), the same as in core/text/lexicon.hpp
MAX_LABELS = 40  # of a suffix; not tuned, bounds the size of the model
MIN_SHARED_LENGTH = 3  # suffixes from this length on are dropped if only one rare word has them; not tuned
MAX_UINT16 = (1 << 16) - 1  # largest label or count that the arrays can store
ARRAYS: dict[str, type[np.generic]] = {
    "keys": np.uint32,
    "begin": np.int32,
    "labels": np.uint16,
    "counts": np.uint16,
}
NO_SUFFIX = 0  # the key of the labels of all rare words
LEMMA_ENDS = 1  # the group of suffixes that holds the ends of lemmas, the same as in core/text/lemma_words.hpp
MIN_LEMMAS = 2000  # different lemmas from which on their ends restrict the lemmas of unknown words; not tuned
LEMMA_END = 3  # characters of such an end with the mark ^ of the start; not tuned, the same as there


class Observation(NamedTuple):
    """An occurrence of a word in the training data: the key of its form, the group of its suffixes, its label."""

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
        """Order labels by their counts."""
        keys = sorted(lists)
        pairs = [(label, lists[key][label]) for key in keys for label in by_count(lists[key])]
        if max((label for label, _ in pairs), default=0) > MAX_UINT16:
            raise InputError(f"the training data has more than {MAX_UINT16} different tags or edit scripts")
        return cls(
            np.array(keys, dtype=np.uint32),
            np.cumsum([0, *(len(lists[key]) for key in keys)], dtype=np.int32),
            np.array([label for label, _ in pairs], dtype=np.uint16),
            np.array([min(count, MAX_UINT16) for _, count in pairs], dtype=np.uint16),
        )

    def join(self, lists: Mapping[int, Counter[int]]) -> Listing:
        """Return a copy with the lists of further keys; keys that it has keep their lists."""
        bounds = zip(self.keys.tolist(), self.begin[:-1].tolist(), self.begin[1:].tolist(), strict=True)
        labels, counts = self.labels.tolist(), self.counts.tolist()
        known = {
            key: Counter(dict(zip(labels[first:last], counts[first:last], strict=True))) for key, first, last in bounds
        }
        return Listing.of({**lists, **known})

    @cached_property
    def core(self) -> LabelLists:
        """The lists for the core, which checks them."""
        return LabelLists(self.keys, self.begin, self.labels, self.counts)

    def to_arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Return the arrays of a model file, their names beginning with `name`."""
        return {f"{name}.{part}": getattr(self, part) for part in ARRAYS}

    @classmethod
    def from_arrays(cls, name: str, arrays: Mapping[str, NDArray[Any]]) -> Listing:
        """Make the lists of the arrays of `to_arrays`."""
        listing = cls(*(arrays[f"{name}.{part}"] for part in ARRAYS))
        _ = listing.core  # raises ValueError if the arrays are damaged
        return listing


@dataclass(frozen=True)
class Lexicon:
    """Word forms and suffixes with their labels."""

    words: Listing
    suffixes: Listing

    @classmethod
    def of(cls, observations: Iterable[Observation], min_suffix: Mapping[int, int] | None = None) -> Lexicon:
        """Count the words of a treebank.

        min_suffix: the length of the shortest suffix that suggests a label to unknown words; a label that it does not
        have is not suggested. None: every suffix suggests every label.
        """
        counts: dict[int, Counter[int]] = {}
        forms: dict[int, tuple[int, str]] = {}  # group and form
        for key, group, form, label in observations:
            counts.setdefault(key, Counter())[label] += 1
            forms[key] = group, form
        return cls(Listing.of(counts), Listing.of(_suffix_counts(counts, forms, min_suffix)))

    def with_words(self, labels: Mapping[int, int]) -> Lexicon:
        """Return a copy with more words, each with a label by its key; words that it has keep their labels."""
        return replace(self, words=self.words.join({key: Counter([label]) for key, label in labels.items()}))

    def with_lemma_ends(self, lemmas: Iterable[str]) -> Lexicon:
        """Return a copy with the ends of lemmas in lower case, in the group LEMMA_ENDS of the suffixes.

        A guessed lemma must have one of these ends. Few lemmas say nothing about others: then nothing is added.
        """
        known = set(lemmas)
        if len(known) < MIN_LEMMAS:
            return self
        ends = {"", *(f"^{lemma}"[-LEMMA_END:] for lemma in known)}
        return replace(self, suffixes=self.suffixes.join({suffix_key(LEMMA_ENDS, end): Counter([0]) for end in ends}))

    def to_arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Return the arrays of a model file, their names beginning with `name`."""
        return {**self.words.to_arrays(f"{name}.words"), **self.suffixes.to_arrays(f"{name}.suffixes")}

    @classmethod
    def from_arrays(cls, name: str, arrays: Mapping[str, NDArray[Any]]) -> Lexicon:
        """Make the lexicon of the arrays of `to_arrays`."""
        return cls(Listing.from_arrays(f"{name}.words", arrays), Listing.from_arrays(f"{name}.suffixes", arrays))


def _suffix_counts(
    counts: Mapping[int, Counter[int]], forms: Mapping[int, tuple[int, str]], min_suffix: Mapping[int, int] | None
) -> dict[int, Counter[int]]:
    """Count for each suffix of rare words how many of those have each label."""

    def suggested(labels: Iterable[int], length: int) -> list[int]:
        return [label for label in labels if min_suffix is None or min_suffix.get(label, MAX_SUFFIX + 1) <= length]

    suffixes: dict[int, Counter[int]] = {NO_SUFFIX: Counter()}
    long: set[int] = set()
    rare = {key: seen for key, seen in counts.items() if seen.total() <= MAX_RARE_COUNT}
    for key, seen in rare.items():
        group, form = forms[key]
        suffixes[NO_SUFFIX].update(suggested(seen, 0))
        for length in range(min(len(form), MAX_SUFFIX) + 1):
            suffix = suffix_key(group, form[len(form) - length :])
            suffixes.setdefault(suffix, Counter()).update(suggested(seen, length))
            if length >= MIN_SHARED_LENGTH:
                long.add(suffix)
    if not rare:
        suffixes[NO_SUFFIX] = Counter(label for seen in counts.values() for label in suggested(seen, 0))
    return {
        suffix: Counter(dict(seen.most_common(MAX_LABELS)))
        for suffix, seen in suffixes.items()
        if seen.total() > 1 or suffix not in long
    }


def array_forms(*names: str) -> dict[str, tuple[type[np.generic], tuple[None]]]:
    """Return the arrays of listings, each with its type and one axis of any length."""
    return {f"{name}.{part}": (dtype, (None,)) for name in names for part, dtype in ARRAYS.items()}


def by_count(seen: Counter[int]) -> list[int]:
    """Sort labels by descending count, ties by number."""
    return sorted(seen, key=lambda label: (-seen[label], label))
