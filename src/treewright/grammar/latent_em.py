"""Substates of the symbols of a grammar, learned by splitting, merging and smoothing (Petrov et al. 2006).

A round splits every substate in two and estimates the weights by expectation maximisation on the trees; merges the half
of the splits whose loss of likelihood is smallest; and smooths the weights of the substates of a symbol towards their
mean. The expected counts are computed by the kernel (core/grammar/latent_em.hpp).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._core import latent_frequencies
from treewright.caching import cached_property
from treewright.evaluate.columns import spread
from treewright.grammar.latent_trees import Indices, TreeTable, Vector, chain_rows
from treewright.grammar.lexicon import FEW, LITTLE, MANY
from treewright.grammar.options import LatentOptions

SMALLEST = 1e-30  # weights of rules below are dropped; as published


@dataclass(frozen=True, eq=False)
class Substates:
    """The numbers of substates, and weights by the places that follow from them (core/grammar/latent_rules.hpp).

    word_counts has the expected number of tokens of each entry of the lexicon with each substate of its tag.
    joined[l] has, for each substate, that of its symbol after round l from which it was split.
    """

    states: Indices  # of each symbol
    rules: Vector
    chains: Vector
    word_counts: Vector
    joined: tuple[Indices, ...] = ()

    @cached_property
    def begins(self) -> NDArray[np.int64]:
        """The place of the first substate of each symbol, and the number of all."""
        return np.concatenate([[0], np.cumsum(self.states, dtype=np.int64)])

    def to_state(self) -> dict[str, Any]:
        """Return arrays by name, for a checkpoint."""
        joined = {str(level): array for level, array in enumerate(self.joined)}
        weights = {"states": self.states, "rules": self.rules, "chains": self.chains, "word_counts": self.word_counts}
        return {**weights, "joined": joined}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Substates:
        """Undo `to_state`."""
        joined = tuple(state["joined"][str(level)] for level in range(len(state["joined"])))
        return cls(state["states"], state["rules"], state["chains"], state["word_counts"], joined)


@dataclass(frozen=True, eq=False)
class Expected:
    """Expected counts, and the weighted log likelihood of the trees before the step."""

    log_likelihood: float
    rules: Vector
    chains: Vector
    words: Vector


class Learner:
    """Expectation maximisation over the trees of a table."""

    def __init__(self, table: TreeTable, options: LatentOptions, threads: int = 1) -> None:
        self.table, self.options, self.threads = table, options, threads
        self.rule_symbols, self.chain_rows = table.model.rules, chain_rows(table.model.chains)

    # -- places in the flat arrays

    def rule_begins(self, states: Indices) -> NDArray[np.int64]:
        """Return where the weights of each rule begin, and the number of all weights."""
        sizes = states.astype(np.int64)[self.rule_symbols].prod(axis=1)
        return np.concatenate([[0], np.cumsum(sizes)])

    def chain_begins(self, states: Indices) -> NDArray[np.int64]:
        """Return where the weights of each chain begin, and the number of all weights."""
        tops, bottoms = states[self.chain_rows[:, 0]].astype(np.int64), states[self.chain_rows[:, 1]]
        return np.concatenate([[0], np.cumsum(np.where(self.chain_rows[:, 2] == 1, tops, tops * bottoms))])

    def rule_views(self, states: Indices, flat: Vector) -> Iterator[tuple[int, int, int, Vector]]:
        """Yield parent, left and right symbol of each rule, and its part [x, y, z] of a flat array."""
        begins = self.rule_begins(states).tolist()
        for number, (parent, left, right) in enumerate(self.rule_symbols.tolist()):
            view = flat[begins[number] : begins[number + 1]]
            yield parent, left, right, view.reshape(states[parent], states[left], states[right])

    def chain_views(self, states: Indices, flat: Vector) -> Iterator[tuple[int, int, bool, Vector]]:
        """Yield top and bottom of each chain, whether both are one, and its part [x, y] of a flat array.

        A chain of a single symbol has one column.
        """
        begins = self.chain_begins(states).tolist()
        for number, (top, bottom, is_single) in enumerate(self.chain_rows.tolist()):
            yield top, bottom, bool(is_single), flat[begins[number] : begins[number + 1]].reshape(states[top], -1)

    def word_states(self, substates: Substates) -> NDArray[np.int64]:
        """Return the substate of the tag, counted over all symbols, for each place of the counts of words."""
        tags = self.table.lexemes.tags
        return spread(substates.begins[tags], substates.states[tags].astype(np.int64))

    def word_entries(self, states: Indices) -> NDArray[np.int64]:
        """Return the entry of each place of the counts of words."""
        return np.repeat(np.arange(len(self.table.lexemes.tags)), states[self.table.lexemes.tags])

    # -- estimation

    def start(self) -> Substates:
        """Return one substate a symbol: relative frequencies."""
        model, lexemes = self.table.model, self.table.lexemes
        states = np.ones(len(model.symbols), dtype=np.int32)
        equal = Substates(states, np.ones(len(model.rules)), np.ones(len(model.chains)), np.ones(len(lexemes.tags)))
        return self.maximise(equal, self.expect(equal, np.ones(len(lexemes.tags))))

    def expect(self, substates: Substates, words: Vector) -> Expected:
        """Return expected counts under the weights of rules and chains, and probabilities of words."""
        weights = substates.rules, substates.chains, words
        return Expected(*self.table.kernel.expect(self._shape(substates), weights, self.threads))

    def _shape(self, substates: Substates) -> tuple[Indices, Indices, Indices]:
        return substates.states, self.rule_symbols, self.chain_rows

    def maximise(self, substates: Substates, counts: Expected) -> Substates:
        """Return the relative frequencies of expected counts."""
        rules, chains = latent_frequencies(self._shape(substates), counts.rules, counts.chains, SMALLEST)
        return replace(substates, rules=rules, chains=chains, word_counts=counts.words)

    def word_weights(self, substates: Substates, smoothed: bool) -> Vector:
        """Return P(w | T_x) of each entry and substate: relative frequencies, or smoothed as in grammar/lexicon.py."""
        places, counts = self.word_states(substates), substates.word_counts
        size = substates.begins[-1]
        totals = np.bincount(places, counts, size)
        with np.errstate(divide="ignore", invalid="ignore"):
            if not smoothed:
                return np.asarray(np.nan_to_num(counts / totals[places], nan=0.0))
            lexemes, entries = self.table.lexemes, self.word_entries(substates.states)
            rare = np.bincount(places, counts * lexemes.is_rare[entries], size)
            rare = rare / rare.sum() if rare.any() else totals / totals.sum()
            occurrences = lexemes.totals[lexemes.entry_words][entries]
            extra = np.where(occurrences <= MANY, FEW, LITTLE)
            shares = (counts + extra * rare[places]) / (occurrences + extra)
            return np.asarray(np.nan_to_num(shares * occurrences / totals[places], nan=0.0, posinf=0.0))

    def iterate(
        self, substates: Substates, iterations: int, smoothing: bool, after: Callable[[float], None]
    ) -> Substates:
        """Take steps of expectation maximisation; after is called with the log likelihood before each step."""
        for _ in range(iterations):
            counts = self.expect(substates, self.word_weights(substates, smoothing))
            substates = self.maximise(substates, counts)
            if smoothing:
                substates = self.smooth(substates)
            after(counts.log_likelihood)
        return substates

    # -- splitting

    def split(self, substates: Substates, noise: float, generator: np.random.Generator) -> Substates:
        """Split every substate in two; the weights of two siblings as children differ by noise that cancels out."""
        states = substates.states
        factor = np.full(len(states), 2, dtype=np.int32)
        factor[0] = 1  # the goal
        number_in_symbol = np.concatenate([np.arange(count, dtype=np.int32) for count in states])
        doubled = np.repeat(np.arange(substates.begins[-1]), np.repeat(factor, states))
        signs = np.array([1.0, -1.0])
        rules: list[Vector] = []
        for parent, _, _, weights in self.rule_views(states, substates.rules):
            children = np.repeat(weights, factor[parent], axis=0)[:, :, None, :, None] / 4
            xs, ys, _, zs, _ = children.shape
            first = noise * (generator.random((xs, ys, 1, zs, 1)) - 0.5)
            second = noise * (generator.random((xs, ys, 1, zs, 1)) - 0.5)
            children = children * (1 + first * signs[None, None, :, None, None])
            children = children * (1 + second * signs[None, None, None, None, :])
            rules.append(children.reshape(-1))
        chains: list[Vector] = []
        for top, _, is_single, weights in self.chain_views(states, substates.chains):
            tops = np.repeat(weights, factor[top], axis=0)
            if not is_single:
                change = noise * (generator.random((*tops.shape, 1)) - 0.5)
                tops = tops[:, :, None] / 2 * (1 + change * signs)
            chains.append(tops.reshape(-1))
        return Substates(
            states * factor,
            np.concatenate(rules) if rules else np.zeros(0),
            np.concatenate(chains),
            np.repeat(substates.word_counts, 2) / 2,
            (*(level[doubled] for level in substates.joined), number_in_symbol[doubled]),
        )

    # -- merging

    def merge(self, substates: Substates, share: float) -> Substates:
        """Undo the share of the splits with the smallest loss of likelihood."""
        counts = self.expect(substates, self.word_weights(substates, False))
        losses = self.merge_losses(substates, counts)
        pairs = self.pairs(substates)
        order = pairs[np.argsort(losses[pairs], kind="stable")]
        return self.join(substates, order[: int(len(order) * share)], *self.frequencies(substates, counts))

    def merge_losses(self, substates: Substates, counts: Expected) -> Vector:
        """Return the loss of log likelihood if a substate is merged with the next, at the first of each pair."""
        tops, bases = self.frequencies(substates, counts)
        single = np.zeros_like(tops)
        for top, _, is_single, numbers in self.chain_views(substates.states, counts.chains):
            if is_single:
                single[substates.begins[top] : substates.begins[top + 1]] += numbers[:, 0]
        nodes = np.maximum(tops + bases - single, 0)
        weights = substates.rules, substates.chains, self.word_weights(substates, False)
        return self.table.kernel.merge_losses(self._shape(substates), weights, nodes, self.threads)

    def pairs(self, substates: Substates) -> NDArray[np.int64]:
        """Return the first substate of each pair that was split."""
        begins = substates.begins
        return np.concatenate([np.arange(begins[s], begins[s + 1], 2) for s in range(1, len(substates.states))])

    def frequencies(self, substates: Substates, counts: Expected) -> tuple[Vector, Vector]:
        """Return the expected number of times that each substate is at the top of a chain, and at its bottom."""
        begins = substates.begins
        tops, bases = np.zeros(begins[-1]), np.zeros(begins[-1])
        for parent, _, _, numbers in self.rule_views(substates.states, counts.rules):
            bases[begins[parent] : begins[parent + 1]] += numbers.reshape(len(numbers), -1).sum(axis=1)
        for top, _, _, numbers in self.chain_views(substates.states, counts.chains):
            tops[begins[top] : begins[top + 1]] += numbers.sum(axis=1)
        bases += np.bincount(self.word_states(substates), counts.words, len(bases))
        return tops, bases

    def join(self, substates: Substates, firsts: NDArray[np.int64], tops: Vector, bases: Vector) -> Substates:
        """Replace each of some pairs by one substate, whose rules are weighted with their frequencies."""
        begins, kept = substates.begins, np.ones(substates.begins[-1], dtype=bool)
        kept[firsts + 1] = False
        target = np.cumsum(kept) - 1  # of each substate, over all symbols
        spans = [slice(*ends) for ends in pairwise(begins.tolist())]
        states = np.array([int(kept[span].sum()) for span in spans], dtype=np.int32)
        sums: list[Vector] = []  # [new, old] of each symbol: 1 where old becomes new
        for symbol, span in enumerate(spans):
            old = target[span]
            sums.append((np.arange(old[0], old[0] + states[symbol])[:, None] == old).astype(np.float64))
        top_means = [mean_of(total, tops[span]) for total, span in zip(sums, spans, strict=True)]
        base_means = [mean_of(total, bases[span]) for total, span in zip(sums, spans, strict=True)]
        rules: list[Vector] = []
        for parent, left, right, weights in self.rule_views(substates.states, substates.rules):
            means = np.tensordot(base_means[parent], weights, axes=1)
            rules.append(np.matmul(sums[left], np.matmul(means, sums[right].T)).reshape(-1))
        chains: list[Vector] = []
        for top, bottom, is_single, weights in self.chain_views(substates.states, substates.chains):
            mean = top_means[top] @ (weights[:, 0] if is_single else weights)
            chains.append(mean if is_single else (mean @ sums[bottom].T).reshape(-1))
        new_places = np.cumsum(kept[self.word_states(substates)]) - 1  # a dropped substate follows its twin
        return Substates(
            states,
            np.concatenate(rules) if rules else np.zeros(0),
            np.concatenate(chains),
            np.bincount(new_places, substates.word_counts).astype(np.float64),
            tuple(level[kept] for level in substates.joined),
        )

    # -- smoothing

    def smooth(self, substates: Substates) -> Substates:
        """Move the weights of each substate towards the mean of those of its symbol."""
        rules, chains = substates.rules.copy(), substates.chains.copy()
        weight = self.options.rule_smoothing
        for _, _, _, weights in self.rule_views(substates.states, rules):
            weights += weight * (weights.mean(axis=0) - weights)
        for _, _, _, weights in self.chain_views(substates.states, chains):
            weights += weight * (weights.mean(axis=0) - weights)
        return replace(substates, rules=rules, chains=chains, word_counts=self._smooth_words(substates))

    def _smooth_words(self, substates: Substates) -> Vector:
        """Move P(w | T_x) towards the mean over x; the counts of each substate keep their sum."""
        places, entries, counts = (
            self.word_states(substates),
            self.word_entries(substates.states),
            substates.word_counts,
        )
        totals = np.bincount(places, counts, substates.begins[-1])
        with np.errstate(divide="ignore", invalid="ignore"):
            weights = np.nan_to_num(counts / totals[places], nan=0.0)
        numbers = substates.states[self.table.lexemes.tags]
        means = np.bincount(entries, weights, len(numbers)) / numbers
        weights += self.options.word_smoothing * (means[entries] - weights)
        return weights * totals[places]

    # -- a round

    def round(self, substates: Substates, number: int, after: Callable[[float], None]) -> Substates:
        """Split, merge and smooth once; after is called after each step of expectation maximisation."""
        options = self.options
        generator = np.random.default_rng([options.seed, number])
        substates = self.split(substates, options.noise, generator)
        substates = self.iterate(substates, options.split_iterations, False, after)
        substates = self.merge(substates, options.merge_share)
        substates = self.iterate(substates, options.merge_iterations, False, after)
        return self.iterate(self.smooth(substates), options.smooth_iterations, True, after)


def mean_of(total: Vector, frequencies: Vector) -> Vector:
    """Return [new, old]: the share of each old substate in the new one."""
    weighted = total * frequencies
    sizes = weighted.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares: Vector = np.where(sizes > 0, weighted / sizes, total / total.sum(axis=1, keepdims=True))
    return shares
