"""Substates of the symbols of a grammar, learned by splitting, merging and smoothing (Petrov et al. 2006).

A round splits every substate in two and estimates the weights by expectation maximisation on the trees; merges the half
of the splits whose loss of likelihood is smallest; and smooths the weights of the substates of a symbol towards their
mean. The expected counts are computed by the kernel (core/grammar/latent_em.hpp).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from treewright._core import latent_frequencies
from treewright.caching import cached_property
from treewright.grammar.latent_trees import Indices, TreeTable, Vector
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
        self.rule_symbols, self.chain_rows = table.model.rules, table.chains

    # -- places in the flat arrays

    def rule_begins(self, states: Indices) -> NDArray[np.int64]:
        """Where the weights of each rule begin, and the number of all weights."""
        sizes = states.astype(np.int64)[self.rule_symbols].prod(axis=1)
        return np.concatenate([[0], np.cumsum(sizes)])

    def chain_begins(self, states: Indices) -> NDArray[np.int64]:
        """The same for chains."""
        tops, bottoms = states[self.chain_rows[:, 0]].astype(np.int64), states[self.chain_rows[:, 1]]
        return np.concatenate([[0], np.cumsum(np.where(self.chain_rows[:, 2] == 1, tops, tops * bottoms))])

    def word_states(self, found: Substates) -> NDArray[np.int64]:
        """For each place of the counts of words, the substate of the tag, counted over all symbols."""
        tags = self.table.lexemes.tags
        return ranges(found.begins[tags], found.states[tags])

    def word_entries(self, states: Indices) -> NDArray[np.int64]:
        """For each place of the counts of words, its entry."""
        return np.repeat(np.arange(len(self.table.lexemes.tags)), states[self.table.lexemes.tags])

    # -- estimation

    def start(self) -> Substates:
        """One substate a symbol: relative frequencies."""
        model, lexemes = self.table.model, self.table.lexemes
        states = np.ones(len(model.symbols), dtype=np.int32)
        begin = Substates(states, np.ones(len(model.rules)), np.ones(len(model.chains)), np.ones(len(lexemes.tags)))
        counts = self.expected(begin, np.ones(len(lexemes.tags)))
        return self.maximised(begin, counts)

    def expected(self, found: Substates, words: Vector) -> Expected:
        """Expected counts under the weights of rules and chains, and probabilities of words."""
        return Expected(
            *self.table.kernel.expect(
                *(found.states, self.rule_symbols, self.chain_rows, found.rules, found.chains, words, self.threads)
            )
        )

    def maximised(self, found: Substates, counts: Expected) -> Substates:
        """The relative frequencies of expected counts."""
        rules, chains = latent_frequencies(
            *(found.states, self.rule_symbols, self.chain_rows, counts.rules, counts.chains, SMALLEST)
        )
        return replace(found, rules=rules, chains=chains, word_counts=counts.words)

    def word_weights(self, found: Substates, smoothed: bool) -> Vector:
        """P(w | T_x) of each entry and substate: relative frequencies, or smoothed as in treewright.grammar.lexicon."""
        places, entries = self.word_states(found), self.word_entries(found.states)
        count = found.begins[-1]
        totals = np.bincount(places, found.word_counts, count)
        with np.errstate(divide="ignore", invalid="ignore"):
            if not smoothed:
                return np.asarray(np.nan_to_num(found.word_counts / totals[places], nan=0.0))
            lexemes = self.table.lexemes
            rare = np.bincount(places, found.word_counts * lexemes.is_rare[entries], count)
            rare = rare / rare.sum() if rare.any() else totals / totals.sum()
            occurrences = lexemes.totals[lexemes.entry_words][entries]
            extra = np.where(occurrences <= MANY, FEW, LITTLE)
            shares = (found.word_counts + extra * rare[places]) / (occurrences + extra)
            return np.asarray(np.nan_to_num(shares * occurrences / totals[places], nan=0.0, posinf=0.0))

    def iterate(self, found: Substates, iterations: int, smoothing: bool, after: Callable[[float], None]) -> Substates:
        """Steps of expectation maximisation; after is called with the log likelihood before each step."""
        for _ in range(iterations):
            counts = self.expected(found, self.word_weights(found, smoothing or self.options.smooth_words))
            found = self.maximised(found, counts)
            if smoothing:
                found = self.smoothed(found)
            after(counts.log_likelihood)
        return found

    # -- splitting

    def split(self, found: Substates, noise: float, generator: np.random.Generator) -> Substates:
        """Every substate in two; the weights of two siblings as children differ by noise that cancels out."""
        factor = np.full(len(found.states), 2, dtype=np.int32)
        factor[0] = 1  # the goal
        states = found.states * factor
        own = np.concatenate([np.arange(count, dtype=np.int32) for count in found.states])
        doubled = np.repeat(np.arange(found.begins[-1]), np.repeat(factor, found.states))
        return Substates(
            states,
            self._split_rules(found, factor, noise, generator),
            self._split_chains(found, factor, noise, generator),
            self._split_words(found),
            (*(level[doubled] for level in found.joined), own[doubled]),
        )

    def _split_rules(self, found: Substates, factor: Indices, noise: float, generator: np.random.Generator) -> Vector:
        parts: list[Vector] = []
        begins = self.rule_begins(found.states)
        for number, (parent, left, right) in enumerate(self.rule_symbols.tolist()):
            xs, ys, zs = found.states[parent], found.states[left], found.states[right]
            weights = found.rules[begins[number] : begins[number + 1]].reshape(xs, ys, zs)
            xs = xs * factor[parent]
            children = np.repeat(weights, factor[parent], axis=0)[:, :, None, :, None] / 4
            first = noise * (generator.random((xs, ys, 1, zs, 1)) - 0.5)
            second = noise * (generator.random((xs, ys, 1, zs, 1)) - 0.5)
            signs = np.array([1.0, -1.0])
            children = children * (1 + first * signs[None, None, :, None, None])
            children = children * (1 + second * signs[None, None, None, None, :])
            parts.append(children.reshape(-1))
        return np.concatenate(parts) if parts else np.zeros(0)

    def _split_chains(self, found: Substates, factor: Indices, noise: float, generator: np.random.Generator) -> Vector:
        parts: list[Vector] = []
        begins = self.chain_begins(found.states)
        for number, (top, bottom, is_single) in enumerate(self.chain_rows.tolist()):
            weights = found.chains[begins[number] : begins[number + 1]]
            if is_single:
                parts.append(np.repeat(weights, factor[top]))
                continue
            xs, ys = found.states[top], found.states[bottom]
            doubled = np.repeat(weights.reshape(xs, ys), factor[top], axis=0)[:, :, None] / 2
            change = noise * (generator.random((xs * factor[top], ys, 1)) - 0.5)
            parts.append((doubled * (1 + change * np.array([1.0, -1.0]))).reshape(-1))
        return np.concatenate(parts)

    def _split_words(self, found: Substates) -> Vector:
        return np.repeat(found.word_counts, 2) / 2

    # -- merging

    def merged(self, found: Substates, share: float) -> Substates:
        """The share of the splits with the smallest loss of likelihood undone."""
        counts = self.expected(found, self.word_weights(found, self.options.smooth_words))
        tops, bases = self.frequencies(found, counts)
        losses = self.merge_losses(found, counts)
        pairs = self.pairs(found)
        order = pairs[np.argsort(losses[pairs], kind="stable")]
        return self.joined(found, order[: int(len(order) * share)], tops, bases)

    def merge_losses(self, found: Substates, counts: Expected) -> Vector:
        """The loss of log likelihood if a substate is merged with the next, at the first of each pair."""
        tops, bases = self.frequencies(found, counts)
        single = np.zeros_like(tops)
        begins = self.chain_begins(found.states)
        for number, (top, _, is_single) in enumerate(self.chain_rows.tolist()):
            if is_single:
                single[found.begins[top] : found.begins[top + 1]] += counts.chains[begins[number] : begins[number + 1]]
        nodes = np.maximum(tops + bases - single, 0)
        words = self.word_weights(found, self.options.smooth_words)
        arguments = (found.states, self.rule_symbols, self.chain_rows, found.rules, found.chains, words)
        return self.table.kernel.merge_losses(*arguments, nodes, self.threads)

    def pairs(self, found: Substates) -> NDArray[np.int64]:
        """The first substate of each pair that was split."""
        return np.concatenate([np.arange(found.begins[s], found.begins[s + 1], 2) for s in range(1, len(found.states))])

    def frequencies(self, found: Substates, counts: Expected) -> tuple[Vector, Vector]:
        """The expected number of times that each substate is at the top of a chain, and at its bottom."""
        tops, bases = np.zeros(found.begins[-1]), np.zeros(found.begins[-1])
        rules, chains = self.rule_begins(found.states), self.chain_begins(found.states)
        for number, (parent, _, _) in enumerate(self.rule_symbols.tolist()):
            own = counts.rules[rules[number] : rules[number + 1]].reshape(found.states[parent], -1)
            bases[found.begins[parent] : found.begins[parent + 1]] += own.sum(axis=1)
        for number, (top, _, _) in enumerate(self.chain_rows.tolist()):
            own = counts.chains[chains[number] : chains[number + 1]].reshape(found.states[top], -1)
            tops[found.begins[top] : found.begins[top + 1]] += own.sum(axis=1)
        bases += np.bincount(self.word_states(found), counts.words, len(bases))
        return tops, bases

    def joined(self, found: Substates, firsts: NDArray[np.int64], tops: Vector, bases: Vector) -> Substates:
        """Substates with each of some pairs replaced by one, whose rules are weighted with their frequencies."""
        dropped = np.zeros(found.begins[-1], dtype=bool)
        dropped[firsts + 1] = True
        target = np.cumsum(~dropped) - 1  # of each substate, over all symbols
        states = np.array(
            [int((~dropped[found.begins[s] : found.begins[s + 1]]).sum()) for s in range(len(found.states))],
            dtype=np.int32,
        )
        sums: list[Vector] = []  # [new, old] of each symbol: 1 where old becomes new
        for symbol in range(len(states)):
            old = target[found.begins[symbol] : found.begins[symbol + 1]]
            sums.append((np.arange(old[0], old[0] + states[symbol])[:, None] == old).astype(np.float64))
        top_means = [mean_of(total, tops[found.begins[s] : found.begins[s + 1]]) for s, total in enumerate(sums)]
        base_means = [mean_of(total, bases[found.begins[s] : found.begins[s + 1]]) for s, total in enumerate(sums)]
        kept = ~dropped
        words = self.word_states(found)
        new_places = np.cumsum(kept[words]) - 1  # a dropped substate follows its twin
        return Substates(
            states,
            self._join_rules(found, sums, base_means),
            self._join_chains(found, sums, top_means),
            np.bincount(new_places, found.word_counts).astype(np.float64),
            tuple(level[kept] for level in found.joined),
        )

    def _join_rules(self, found: Substates, sums: list[Vector], means: list[Vector]) -> Vector:
        parts: list[Vector] = []
        begins = self.rule_begins(found.states)
        for number, (parent, left, right) in enumerate(self.rule_symbols.tolist()):
            shape = (found.states[parent], found.states[left], found.states[right])
            weights = found.rules[begins[number] : begins[number + 1]].reshape(shape)
            weights = np.tensordot(means[parent], weights, axes=1)
            weights = np.matmul(sums[left], np.matmul(weights, sums[right].T))
            parts.append(weights.reshape(-1))
        return np.concatenate(parts) if parts else np.zeros(0)

    def _join_chains(self, found: Substates, sums: list[Vector], means: list[Vector]) -> Vector:
        parts: list[Vector] = []
        begins = self.chain_begins(found.states)
        for number, (top, bottom, is_single) in enumerate(self.chain_rows.tolist()):
            weights = found.chains[begins[number] : begins[number + 1]]
            if is_single:
                parts.append(means[top] @ weights)
            else:
                parts.append((means[top] @ weights.reshape(found.states[top], -1) @ sums[bottom].T).reshape(-1))
        return np.concatenate(parts)

    # -- smoothing

    def smoothed(self, found: Substates) -> Substates:
        """The weights of each substate moved towards the mean of those of its symbol."""
        rules, chains, words = found.rules.copy(), found.chains.copy(), found.word_counts.copy()
        rule_begins, chain_begins = self.rule_begins(found.states), self.chain_begins(found.states)
        for number, (parent, _, _) in enumerate(self.rule_symbols.tolist()):
            own = rules[rule_begins[number] : rule_begins[number + 1]].reshape(found.states[parent], -1)
            own += self.options.rule_smoothing * (own.mean(axis=0) - own)
        for number, (top, _, _) in enumerate(self.chain_rows.tolist()):
            own = chains[chain_begins[number] : chain_begins[number + 1]].reshape(found.states[top], -1)
            own += self.options.rule_smoothing * (own.mean(axis=0) - own)
        return replace(found, rules=rules, chains=chains, word_counts=self._smoothed_words(found, words))

    def _smoothed_words(self, found: Substates, counts: Vector) -> Vector:
        """P(w | T_x) moved towards the mean over x; the counts of each substate keep their sum."""
        places, entries = self.word_states(found), self.word_entries(found.states)
        totals = np.bincount(places, counts, found.begins[-1])
        with np.errstate(divide="ignore", invalid="ignore"):
            weights = np.nan_to_num(counts / totals[places], nan=0.0)
        numbers = found.states[self.table.lexemes.tags]
        means = np.bincount(entries, weights, len(numbers)) / numbers
        weights += self.options.word_smoothing * (means[entries] - weights)
        return weights * totals[places]

    # -- a round

    def round(self, found: Substates, number: int, seed: int, after: Callable[[float], None]) -> Substates:
        """Split, merge and smooth once; after is called after each step of expectation maximisation."""
        options = self.options
        generator = np.random.default_rng([seed, number])
        found = self.split(found, options.noise, generator)
        found = self.iterate(found, options.split_iterations, False, after)
        found = self.merged(found, options.merge_share)
        found = self.iterate(found, options.merge_iterations, False, after)
        return self.iterate(self.smoothed(found), options.smooth_iterations, True, after)


def mean_of(total: Vector, frequencies: Vector) -> Vector:
    """[new, old]: the share of each old substate in the new one."""
    weighted = total * frequencies
    sizes = weighted.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares: Vector = np.where(sizes > 0, weighted / sizes, total / total.sum(axis=1, keepdims=True))
    return shares


def ranges(begins: NDArray[np.int64], lengths: Indices) -> NDArray[np.int64]:
    """begins[0], begins[0] + 1, ... for lengths[0] numbers, then from begins[1] on, and so on.

    >>> ranges(np.array([5, 0]), np.array([2, 3], dtype=np.int32)).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(lengths, dtype=np.int64)
    found: NDArray[np.int64] = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begins - (ends - lengths), lengths)
    return found
