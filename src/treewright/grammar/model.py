"""A trained treebank grammar: symbols, rules, chains and the lexicon, with the kernel that has the charts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._core import ContextFree
from treewright.caching import cached_property
from treewright.corpus import Tree
from treewright.grammar.constraints import Names
from treewright.grammar.counts import GOAL, RuleCounts, Symbol
from treewright.grammar.lexicon import Lexicon
from treewright.grammar.options import TreebankOptions
from treewright.grammar.trees import binarise_tree
from treewright.grammar.words import Vocabulary

Indices = NDArray[np.int32]
Scores = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TreebankModel:
    """Counts in the training data, by numbers of symbols; everything else is computed from them."""

    options: TreebankOptions
    symbols: tuple[Symbol, ...]  # the goal first
    rules: Indices  # [rule, 3]: parent, left, right
    rule_counts: Indices
    chains: tuple[tuple[int, ...], ...]  # from the top to the bottom
    chain_counts: Indices
    lexicon: Lexicon  # its tags are numbers of preterminals
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def preterminals(self) -> Indices:
        """The numbers of the symbols that are tags."""
        return np.array([number for number, symbol in enumerate(self.symbols) if symbol.is_tag], dtype=np.int32)

    @cached_property
    def names(self) -> Names:
        """The labels and tags in trees, and the labels of each chain."""
        labels = {symbol.label for symbol in self.symbols if is_phrase(symbol)}
        tags = {symbol.label for symbol in self.symbols if symbol.is_tag}
        return Names(tuple(sorted(labels)), tuple(sorted(tags)), tuple(map(self._labels_of, self.chains)))

    def _labels_of(self, chain: Sequence[int]) -> frozenset[str]:
        return frozenset(self.symbols[number].label for number in chain if is_phrase(self.symbols[number]))

    @cached_property
    def tag_of_preterminal(self) -> Indices:
        """For each preterminal, the number of its tag among names.tags."""
        number_of = {tag: number for number, tag in enumerate(self.names.tags)}
        return np.array([number_of[self.symbols[number].label] for number in self.preterminals], dtype=np.int32)

    @cached_property
    def kernel(self) -> ContextFree:
        """The charts over relative frequencies."""
        tops = np.array([chain[0] for chain in self.chains], dtype=np.int32)
        ends = np.array([[chain[0], chain[-1]] for chain in self.chains], dtype=np.int32).reshape(-1, 2)
        is_top = np.array([not symbol.is_inserted for symbol in self.symbols])  # of a part of a cover
        return ContextFree(
            len(self.symbols),
            0,
            self.rules,
            relative(self.rule_counts, self.rules[:, 0]),
            ends,
            relative(self.chain_counts, tops),
            self.preterminals,
            is_top,
        )


def is_phrase(symbol: Symbol) -> bool:
    """Return whether a symbol is the label of a phrase in a tree: no tag, no inserted node, not the root."""
    return not symbol.is_tag and not symbol.is_inserted and symbol != GOAL


def relative(counts: Indices, given: Indices) -> Scores:
    """Return the logarithm of each count over the sum of those with the same condition."""
    totals = np.bincount(given, counts) if len(given) else np.zeros(0)
    scores: Scores = np.log(counts / totals[given])
    return scores


def estimate(trees: Sequence[Tree], options: TreebankOptions) -> TreebankModel:
    """Return the model of prepared trees."""
    counts = RuleCounts.of(binarise_tree(tree, options.markov) for tree in trees)
    in_trees = {symbol for chain in counts.chains for symbol in chain}
    in_trees |= {symbol for rule in counts.rules for symbol in rule}
    symbols = (GOAL, *sorted(in_trees - {GOAL}, key=lambda symbol: (symbol.is_tag, symbol)))  # the order of a file
    number = {symbol: place for place, symbol in enumerate(symbols)}
    rules = sorted((tuple(number[symbol] for symbol in rule), count) for rule, count in counts.rules.items())
    chains = sorted((tuple(number[symbol] for symbol in chain), count) for chain, count in counts.chains.items())
    return TreebankModel(
        options,
        symbols,
        np.array([rule for rule, _ in rules], dtype=np.int32).reshape(-1, 3),
        np.array([count for _, count in rules], dtype=np.int32),
        tuple(chain for chain, _ in chains),
        np.array([count for _, count in chains], dtype=np.int32),
        lexicon_of(counts.words, [symbol for symbol in symbols if symbol.is_tag], options.rare_count),
    )


def lexicon_of(words: Counter[tuple[Symbol, str, bool]], tags: Sequence[Symbol], rare_count: int) -> Lexicon:
    """Return the lexicon of counts of words; rare words are counted by their class too."""
    number = {tag: place for place, tag in enumerate(tags)}
    by_word: dict[str, Counter[int]] = defaultdict(Counter)
    for (tag, word, _), count in words.items():
        by_word[word][number[tag]] += count
    totals = {word: by_word[word].total() for word in sorted(by_word)}
    vocabulary = Vocabulary(totals, 1)
    classes: dict[str, Counter[int]] = defaultdict(Counter)
    tag_counts = np.zeros(len(tags))
    for (tag, word, is_first), count in words.items():
        tag_counts[number[tag]] += count
        if totals[word] <= rare_count:
            classes[vocabulary.class_of(word, is_first)][number[tag]] += count
    return Lexicon(vocabulary, by_word, classes, tag_counts)
