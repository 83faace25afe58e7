"""A trained latent-variable grammar: a treebank model, the substates of its symbols, and the kernel with the charts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._core import LatentKernel
from treewright.caching import cached_property
from treewright.grammar.constraints import ChartConstraints, Constraint, checked_adjustment
from treewright.grammar.latent_em import Expected, Learner, Substates
from treewright.grammar.latent_trees import Indices, Lexemes, Vector, chain_rows
from treewright.grammar.lexicon import Lexicon
from treewright.grammar.model import TreebankModel
from treewright.grammar.options import LatentOptions
from treewright.grammar.treebank import Prepared, with_required
from treewright.grammar.words import Vocabulary

# Of log probabilities, by level; -inf: the level is skipped. Compared on 100 development sentences of CRAFT with one
# grammar of 1,000 trees and three rounds: F1 77.9 at 35 sentences a second, 76.3 at 34 with -9 at all levels, 76.7 at 4
# without coarse levels. Differences of this size are noise for so few sentences; the choice is about time.
COARSE_THRESHOLDS = (-8.0, -np.inf, -9.0, -9.0, -9.0, -9.0, -9.0, -9.0)
SMALLEST_KEPT = 1e-9  # weights of rules below are not in a finished grammar; by convention
SMALLEST_COUNT = 1e-4  # expected numbers of tokens below are not in a finished lexicon; by convention
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
    def chain_rows(self) -> Indices:
        """[chain, 3]: the symbols at its ends, and whether it has a single symbol."""
        return chain_rows(self.plain)

    @cached_property
    def kernel(self) -> LatentKernel:
        """The charts."""
        return LatentKernel(
            states=self.states,
            rules=self.plain.rules,
            chains=self.chain_rows,
            rule_weights=wide(self.rules),
            chain_weights=wide(self.chains),
            preterminals=self.plain.preterminals,
            joined=self.joined,
            top_frequencies=wide(self.top_frequencies),
            base_frequencies=wide(self.base_frequencies),
        )

    @cached_property
    def preterminal_of_state(self) -> NDArray[np.int64]:
        """For each substate of a tag, the place of its preterminal."""
        return np.repeat(np.arange(len(self.plain.preterminals)), self.states[self.plain.preterminals])

    @cached_property
    def numbers(self) -> tuple[Indices, Indices, Indices]:
        """The own numbers of rules, chains and symbols, as max_rule takes them."""
        counts = (len(self.plain.rules), len(self.plain.chains), len(self.plain.symbols))
        rules, chains, symbols = (np.arange(count, dtype=np.int32) for count in counts)
        return rules, chains, symbols

    def thresholds(self, exact: bool) -> list[float]:
        """The thresholds of the coarse levels; -inf for none."""
        return [-np.inf if exact else threshold for threshold in COARSE_THRESHOLDS[: len(self.joined)]]


def wide(array: NDArray[np.float32]) -> Vector:
    return np.ascontiguousarray(array, dtype=np.float64)


def finished(
    learner: Learner, found: Substates, counts: Expected, options: LatentOptions, metadata: Mapping[str, Any]
) -> LatentModel:
    """The model of learned substates; counts are expected under them."""
    plain = learner.table.model
    tops, bases = learner.frequencies(found, counts)
    joined = np.array(found.joined, dtype=np.int32).reshape(len(found.joined), int(found.begins[-1]))
    return LatentModel(
        *(options, plain, found.states, joined),
        *(narrow(found.rules), narrow(found.chains)),
        *(tops.astype(np.float32), bases.astype(np.float32)),
        lexicon_of(learner.table.lexemes, found, plain, learner),
        metadata,
    )


def narrow(weights: Vector) -> NDArray[np.float32]:
    return np.where(weights < SMALLEST_KEPT, 0, weights).astype(np.float32)


def lexicon_of(lexemes: Lexemes, found: Substates, plain: TreebankModel, learner: Learner) -> Lexicon:
    """The lexicon of learned substates; its tags are counted over the substates of preterminals."""
    counts = found.word_counts.astype(np.float32).astype(np.float64)
    begins = np.concatenate([[0], np.cumsum(found.states[lexemes.tags])])
    first = state_begins(found.states, plain)
    words: dict[str, dict[int, float]] = {word: {} for word in lexemes.words}
    classes: dict[str, dict[int, float]] = {name: {} for name in lexemes.classes}
    for entry, (tag, word) in enumerate(zip(lexemes.tags.tolist(), lexemes.entry_words.tolist(), strict=True)):
        own = counts[begins[entry] : begins[entry + 1]].tolist()
        words[lexemes.words[word]] |= {first[tag] + x: count for x, count in enumerate(own) if count > SMALLEST_COUNT}
    class_rows = zip(lexemes.class_entries.tolist(), lexemes.class_numbers.tolist(), lexemes.class_shares, strict=True)
    for entry, number, share in class_rows:
        own = counts[begins[entry] : begins[entry + 1]] * share
        known = classes[lexemes.classes[number]]
        start = first[int(lexemes.tags[entry])]
        for x, count in enumerate(own.tolist()):
            if count > SMALLEST_COUNT:
                known[start + x] = known.get(start + x, 0.0) + count
    return lexicon_from_tables(rounded(words), rounded(classes), sum(found.states[plain.preterminals].tolist()))


def rounded(tables: Mapping[str, Mapping[int, float]]) -> dict[str, dict[int, float]]:
    """Counts as a file has them, in order."""
    return {
        name: {state: float(np.float32(count)) for state, count in sorted(table.items())}
        for name, table in tables.items()
    }


def state_begins(states: Indices, plain: TreebankModel) -> dict[int, int]:
    """The place of the first substate of each preterminal, by the number of its symbol."""
    begins = np.concatenate([[0], np.cumsum(states[plain.preterminals])]).tolist()
    return dict(zip(plain.preterminals.tolist(), begins, strict=False))


def lexicon_from_tables(
    words: Mapping[str, Mapping[int, float]], classes: Mapping[str, Mapping[int, float]], states: int
) -> Lexicon:
    """The lexicon of counts by substate; a substate that no word has keeps a count of one, which gives it no words."""
    numbers = [state for table in words.values() for state in table]
    counts = [count for table in words.values() for count in table.values()]
    totals = np.bincount(np.array(numbers, dtype=np.int64), counts, states)
    vocabulary = Vocabulary({word: sum(table.values()) for word, table in words.items()}, 0)
    return Lexicon(vocabulary, words, classes, np.where(totals > 0, totals, 1.0))


class LatentSentence(Prepared):
    """A sentence with its constraints and the probabilities of its words, as the charts take them."""

    def __init__(
        self,
        latent: LatentModel,
        words: Sequence[str],
        tags: Sequence[str | None] | None = None,
        adjust: ArrayLike | None = None,
        require: Iterable[Constraint] = (),
        forbid: Iterable[Constraint] = (),
    ) -> None:
        self.latent = latent
        super().__init__(latent.plain, words, tags, adjust, require, forbid)

    def _scores(self, limits: ChartConstraints, adjust: ArrayLike | None) -> Scores:
        refined = self.latent.lexicon.scores(self.words)
        tag_of_state = self.latent.plain.tag_of_preterminal[self.latent.preterminal_of_state]
        if limits.tags is not None:
            refined = with_required(refined, limits.tags[:, tag_of_state], self.latent.lexicon.floors())
        if adjust is not None:
            shape = (len(self.words), len(self.latent.plain.names.tags))
            refined = refined + checked_adjustment(adjust, shape)[:, tag_of_state]
        largest = refined.max(axis=1, keepdims=True)
        self.log_scale = float(largest.sum())
        with np.errstate(invalid="ignore"):
            self.weights = np.nan_to_num(np.exp(refined - largest), nan=0.0)
        return super()._scores(limits, adjust)
