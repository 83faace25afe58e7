"""Taggers as one of two models that agree on tags: scores of tag sequences, the shared variables, and the oracle."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.caching import cached_property
from treewright.corpus import Sentence, Tree
from treewright.errors import InfeasibleError, InputError
from treewright.grammar.words import leaf_of
from treewright.joint.agreement import Flags, SharedOracle, Vector
from treewright.relax import Answer
from treewright.tagger import Tagger, viterbi

EXCLUDED = -1e6  # added to the score of a tag that is known already while others are listed; above any sum of scores


class TagScorer(Protocol):
    """A model of tag sequences of one sentence."""

    @property
    def tags(self) -> Sequence[str]:
        """The names of its tags."""

    def best(self, adjust: Vector) -> tuple[NDArray[np.int32], float]:
        """Return the best sequence with adjust[i, t] added to the score of tag t of word i, and its value, or -inf."""


@dataclass(frozen=True, eq=False)
class Trigrams:
    """Given scores: scores[i, t] of tag t for word i, trigram[a, b, c] as in `treewright.tagger.viterbi`."""

    tags: Sequence[str]
    scores: Vector
    trigram: Vector

    def best(self, adjust: Vector) -> tuple[NDArray[np.int32], float]:
        """Find the best sequence."""
        try:
            sequence = viterbi(self.scores, self.trigram, adjust)
        except InfeasibleError:
            return np.zeros(len(adjust), dtype=np.int32), -math.inf
        return sequence.tags, sequence.value


@dataclass(frozen=True, eq=False)
class SentenceTagger:
    """A trained tagger and the words of one sentence, which it reads as leaves of a tree: brackets as -LRB-."""

    tagger: Tagger
    words: Sequence[str]

    @property
    def tags(self) -> Sequence[str]:
        """The tags in the one column that the tagger fills."""
        if any(len(tag) != 1 for tag in self.tagger.tags):
            raise InputError('the tagger fills several columns; train it with columns=["xpos"]: the tags of the trees')
        return [tag[0] for tag in self.tagger.tags]

    def best(self, adjust: Vector) -> tuple[NDArray[np.int32], float]:
        """Find the best sequence."""
        sequence = self.tagger.decode(self._sentence, adjust, confidence=False)
        return sequence.tags, sequence.value

    @cached_property
    def _sentence(self) -> Sentence:
        return Sentence.from_words([leaf_of(word) for word in self.words])


@dataclass(frozen=True, eq=False)
class TagVariables:
    """The shared variables: a word (from 0) and one of its tags (a number of the grammar's tags).

    others[word, tag] are tags that the tagger may choose for words without variables.
    """

    word: NDArray[np.intp]
    tag: NDArray[np.intp]
    others: Flags

    @property
    def group(self) -> NDArray[np.intp]:
        """A word has one tag."""
        return self.word

    def matrix(self, values: Vector) -> Vector:
        """Return [word, tag] with these values, 0 for other tags that are allowed, and -inf for the rest."""
        full = np.where(self.others, 0.0, -np.inf)
        full[self.word, self.tag] = values
        return full

    def assignment(self, tags: Sequence[int] | NDArray[Any]) -> Vector:
        """Return 1.0 for each variable of a tag sequence."""
        on: Vector = (np.asarray(tags)[self.word] == self.tag).astype(np.float64)
        return on


@dataclass(frozen=True, eq=False)
class TagOracle(SharedOracle[TagVariables]):
    """The best tag sequence of a tagger with tags among the shared variables."""

    tagger: TagScorer
    columns: NDArray[np.intp]  # for each tag of the tagger its number among the grammar's, -1 for none

    def solve(self, multipliers: Vector) -> Answer:
        """Find the sequence that maximises its score plus the multipliers of its tags."""
        adjust = self.variables.matrix(np.where(self.mask, multipliers, -np.inf))
        padded = np.column_stack([adjust, np.full(len(adjust), -np.inf)])  # the last column is that of -1
        tags, value = self.tagger.best(np.ascontiguousarray(padded[:, self.columns]))
        if value == -math.inf:
            return self.none()
        return Answer(value, self.variables.assignment(self.columns[tags]), tags)


class ConsideredTags:
    """The tags that a tagger considers for each word: each decoding excludes what the earlier ones found."""

    def __init__(self, tagger: TagScorer, words: int) -> None:
        every = np.arange(words)
        self.names = list(tagger.tags)
        self.flags: Flags = np.zeros((words, len(self.names)), dtype=bool)  # [word, tag]
        self.best: NDArray[np.int32] | None = None  # its best sequence, None if it has none
        while True:
            tags, value = tagger.best(np.where(self.flags, EXCLUDED, 0.0))
            if value == -math.inf or self.flags[every, tags].all():
                return
            self.best = tags if self.best is None else self.best
            self.flags[every, tags] = True

    def by_word(self) -> list[list[str]]:
        """Return the tags of each word, that of the best sequence first."""
        if self.best is None:
            return [[] for _ in self.flags]
        orders = [np.flatnonzero(row) for row in self.flags]
        return [
            [self.names[best], *(self.names[tag] for tag in order.tolist() if tag != best)]
            for best, order in zip(self.best.tolist(), orders, strict=True)
        ]


def tagged_sentences(trees: Iterable[Tree]) -> list[Sentence]:
    """Return the words of prepared trees with their tags as XPOS, for the training of a tagger."""
    return [Sentence.from_words(tree.leaves(), xpos=tree.tags()) for tree in trees]
