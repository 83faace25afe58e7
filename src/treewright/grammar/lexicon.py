"""The probability of a word given its tag, also for words that were not in the training data.

For a tag T and a word w with c(w) occurrences, of which c(T, w) with the tag (Petrov et al. 2006, as implemented):

    P(T | w) = (c(T, w) + s P(T | rare)) / (c(w) + s)            s = FEW for words seen up to MANY times, else LITTLE
    P(T | w) = (c(T, class) + a P(T | rare)) / (c(class) + a)    a word that was never seen, by its class; a = BY_CLASS
    P(w | T) = P(T | w) c(w) / c(T)                              with c(w) = 1 for a word that was never seen

P(T | rare) and the counts of classes are over the occurrences of rare words in the training data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import bracket_word
from treewright.grammar.words import Vocabulary

FEW, MANY, LITTLE, BY_CLASS = 0.1, 100, 1e-4, 0.5  # as published (Petrov et al. 2006, their implementation)
FLOOR = 1e-10  # P(T | w) of a tag that was required for a word and never seen with one like it; not tuned
CACHE_SIZE = 1 << 15  # words whose scores are kept, to bound memory; not tuned, it changes the speed only

Vector = NDArray[np.float64]
TagCounts = Mapping[str, Mapping[int, float]]  # word or class -> number of a tag -> count


@dataclass(frozen=True)
class Lexicon:
    """Counts of words with tags (numbers), of the classes of rare words with tags, and their vocabulary."""

    vocabulary: Vocabulary
    words: TagCounts
    classes: TagCounts
    tag_counts: Vector
    _cache: dict[tuple[str, bool], Vector] = field(default_factory=dict, repr=False, compare=False)
    _rare: Vector = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rare = np.zeros(len(self.tag_counts))
        for counts in self.classes.values():
            np.add.at(rare, list(counts), list(counts.values()))
        if not rare.any():  # no word is rare: every tag may have unknown words
            rare = self.tag_counts
        object.__setattr__(self, "_rare", rare / rare.sum())

    def scores(self, words: Sequence[str]) -> Vector:
        """Return log P(w | T) for each word and tag; -inf for tags that the word cannot have."""
        return np.array([self._scores(word, place == 0) for place, word in enumerate(words)])

    def floors(self) -> Vector:
        """Return for each tag the score of a word that was never seen with it."""
        floors: Vector = np.log(FLOOR / self.tag_counts)
        return floors

    def _scores(self, word: str, is_first: bool) -> Vector:
        known = self._cache.get((word, is_first))
        if known is not None:
            return known
        if len(self._cache) > CACHE_SIZE:
            self._cache.clear()
        share, count = self._shares(word, is_first)
        with np.errstate(divide="ignore"):
            scores: Vector = np.log(share * count / self.tag_counts)
        self._cache[word, is_first] = scores
        return scores

    def _shares(self, word: str, is_first: bool) -> tuple[Vector, float]:
        """P(T | w) of each tag, and the number of occurrences of the word, at least 1."""
        for spelled in (word, bracket_word(word)):
            if spelled in self.words:
                count = self.vocabulary.counts[spelled]
                return self._smoothed(self.words[spelled], FEW if count <= MANY else LITTLE), count
        return self._smoothed(self.classes.get(self.vocabulary.class_of(word, is_first), {}), BY_CLASS), 1

    def _smoothed(self, counts: Mapping[int, float], weight: float) -> Vector:
        share = weight * self._rare
        np.add.at(share, list(counts), list(counts.values()))
        smoothed: Vector = share / (sum(counts.values()) + weight)
        return smoothed
