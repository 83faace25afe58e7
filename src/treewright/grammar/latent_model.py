"""A trained latent-variable grammar: a treebank model, the substates of its symbols, and the kernel with the charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._core import LatentKernel
from treewright.caching import cached_property
from treewright.grammar.constraints import ChartConstraints, Limits
from treewright.grammar.latent_em import Expected, Learner, Substates
from treewright.grammar.latent_trees import Indices, Lexemes, Vector, chain_rows
from treewright.grammar.lexicon import Lexicon
from treewright.grammar.model import TreebankModel
from treewright.grammar.options import LatentOptions
from treewright.grammar.treebank import ChartSentence, limit_scores
from treewright.grammar.words import Vocabulary

# Of log probabilities, by level; -inf: the level is skipped. Compared on 100 development sentences of CRAFT with one
# grammar of 1,000 trees and three rounds: F1 77.9 at 35 sentences a second, 76.3 at 34 with -9 at all levels, 76.7 at 4
# without coarse levels. Differences of this size are noise for so few sentences; the choice is about time.
COARSE_THRESHOLDS = (-8.0, -np.inf, -9.0, -9.0, -9.0, -9.0, -9.0, -9.0)
SMALLEST_KEPT = 1e-9  # weights of rules below are not in a finished grammar; not tuned
SMALLEST_COUNT = 1e-4  # expected numbers of tokens below are not in a finished lexicon; not tuned
LIGHT = 1e-6  # weights of rules below are not in a light grammar; F1 on GUM dev is in docs/figures.md
STEPS = 8  # values of a light grammar in a factor of e
Scores = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LatentModel:
    """Weights by the places that follow from the numbers of substates (core/grammar/latent_rules.hpp).

    The counts of words are those of the lexicon; `plain` has the symbols, rules and chains.
    """

    options: LatentOptions
    plain: TreebankModel
    states: Indices  # of each symbol
    joined: Indices  # [level, substate]: the substate of a coarser level
    rules: NDArray[np.float32]
    chains: NDArray[np.float32]
    top_frequencies: NDArray[np.float32]
    base_frequencies: NDArray[np.float32]
    lexicon: Lexicon  # its tags are substates of preterminals
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def kernel(self) -> LatentKernel:
        """The charts."""
        return LatentKernel(
            shape=(self.states, self.plain.rules, chain_rows(self.plain.chains)),
            rule_weights=wide(self.rules),
            chain_weights=wide(self.chains),
            preterminals=self.plain.preterminals,
            joined=self.joined,
            top_frequencies=wide(self.top_frequencies),
            base_frequencies=wide(self.base_frequencies),
        )

    @cached_property
    def tag_of_state(self) -> Indices:
        """For each substate of a preterminal, the number of its tag."""
        return np.repeat(self.plain.tag_of_preterminal, self.states[self.plain.preterminals])

    def thresholds(self, exact: bool) -> list[float]:
        """Return the thresholds of the coarse levels; -inf for none."""
        return [-np.inf if exact else threshold for threshold in COARSE_THRESHOLDS[: len(self.joined)]]


def wide(array: NDArray[np.float32]) -> Vector:
    return np.ascontiguousarray(array, dtype=np.float64)


def finish(
    learner: Learner, substates: Substates, counts: Expected, options: LatentOptions, metadata: Mapping[str, Any]
) -> LatentModel:
    """Return the model of learned substates; counts are expected under them."""
    plain = learner.table.model
    tops, bases = learner.frequencies(substates, counts)
    joined = np.array(substates.joined, dtype=np.int32).reshape(len(substates.joined), int(substates.begins[-1]))
    return LatentModel(
        *(options, plain, substates.states, joined),
        *(narrow(substates.rules), narrow(substates.chains)),
        *(tops.astype(np.float32), bases.astype(np.float32)),
        lexicon_of(learner.table.lexemes, substates, plain),
        metadata,
    )


def narrow(weights: Vector) -> NDArray[np.float32]:
    return np.where(weights < SMALLEST_KEPT, 0, weights).astype(np.float32)


def lighten(model: LatentModel) -> LatentModel:
    """Return the model with weights and counts rounded to powers of e^(1/STEPS), and without rules below LIGHT."""
    words, classes = (
        {
            name: dict(zip(counts, rounded(np.array([*counts.values()])).tolist(), strict=True))
            for name, counts in table.items()
        }
        for table in (model.lexicon.words, model.lexicon.classes)
    )
    return replace(
        model,
        rules=rounded(np.where(model.rules < LIGHT, 0, model.rules)),
        chains=rounded(np.where(model.chains < LIGHT, 0, model.chains)),
        lexicon=lexicon_from_tables(as_stored(words), as_stored(classes), len(model.lexicon.tag_counts)),
    )


def rounded(values: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return values, none of them negative, as the nearest powers of e^(1/STEPS)."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.exp(np.round(np.log(values) * STEPS) / STEPS), dtype=np.float32)


def lexicon_of(lexemes: Lexemes, substates: Substates, plain: TreebankModel) -> Lexicon:
    """Return the lexicon of learned substates; its tags are counted over the substates of preterminals."""
    counts = substates.word_counts.astype(np.float32).astype(np.float64)
    states = substates.states
    ends = np.concatenate([[0], np.cumsum(states[lexemes.tags])])
    preterminals = plain.preterminals.tolist()
    first_state = dict(zip(preterminals, np.cumsum([0, *states[preterminals]]).tolist(), strict=False))
    words: dict[str, dict[int, float]] = {word: {} for word in lexemes.words}
    classes: dict[str, dict[int, float]] = {name: {} for name in lexemes.classes}

    def add(entry: int, share: float, table: dict[int, float]) -> None:
        first = first_state[int(lexemes.tags[entry])]
        for state, count in enumerate((counts[ends[entry] : ends[entry + 1]] * share).tolist(), start=first):
            if count > SMALLEST_COUNT:
                table[state] = table.get(state, 0.0) + count

    for entry, word in enumerate(lexemes.entry_words.tolist()):
        add(entry, 1.0, words[lexemes.words[word]])
    rows = zip(lexemes.class_entries.tolist(), lexemes.class_numbers.tolist(), lexemes.class_shares, strict=True)
    for entry, number, share in rows:
        add(entry, share, classes[lexemes.classes[number]])
    return lexicon_from_tables(as_stored(words), as_stored(classes), int(states[preterminals].sum()))


def as_stored(tables: Mapping[str, Mapping[int, float]]) -> dict[str, dict[int, float]]:
    """Return counts as a file has them, in order."""
    return {
        name: {state: float(np.float32(count)) for state, count in sorted(table.items())}
        for name, table in tables.items()
    }


def lexicon_from_tables(
    words: Mapping[str, Mapping[int, float]], classes: Mapping[str, Mapping[int, float]], states: int
) -> Lexicon:
    """Return the lexicon of counts by substate; one that no word has keeps a count of one, which gives it no words."""
    numbers = [state for table in words.values() for state in table]
    counts = [count for table in words.values() for count in table.values()]
    totals = np.bincount(np.array(numbers, dtype=np.int64), counts, states)
    vocabulary = Vocabulary({word: sum(table.values()) for word, table in words.items()}, 0)
    return Lexicon(vocabulary, words, classes, np.where(totals > 0, totals, 1.0))


class LatentSentence(ChartSentence):
    """A sentence with its constraints and the probabilities of its words, as the charts take them."""

    def __init__(self, latent: LatentModel, words: Sequence[str], **limits: Unpack[Limits]) -> None:
        self.latent = latent
        super().__init__(latent.plain, words, **limits)

    def _scores(self, limits: ChartConstraints, adjust: ArrayLike | None) -> Scores:
        lexicon, tags = self.latent.lexicon, self.latent.tag_of_state
        refined = limit_scores(lexicon.scores(self.words), tags, limits, lexicon.floors())
        refined = self._adjusted(refined, tags, adjust)
        largest = refined.max(axis=1, keepdims=True)
        self.log_scale = float(largest.sum())
        with np.errstate(invalid="ignore"):
            self.weights = np.nan_to_num(np.exp(refined - largest), nan=0.0)
        return super()._scores(limits, adjust)
