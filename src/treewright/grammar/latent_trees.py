"""The trees of a treebank as tables of numbers, over which the rules of a latent-variable grammar are counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright._core import LatentTrees
from treewright.corpus import Tree
from treewright.grammar.counts import chain_below, symbol_of
from treewright.grammar.model import TreebankModel
from treewright.grammar.words import Vocabulary

Indices = NDArray[np.int32]
Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lexemes:
    """The entries of the lexicon: each tag with each of its words, and which classes of rare words they count for.

    class_entries[k] is an entry whose tokens in the share class_shares[k] have the class class_numbers[k].
    """

    words: tuple[str, ...]  # sorted
    totals: Vector  # weighted number of occurrences of each word
    tags: Indices  # of each entry: the number of a symbol
    entry_words: Indices
    is_rare: NDArray[np.bool_]  # of each entry
    classes: tuple[str, ...]  # sorted
    class_entries: Indices
    class_numbers: Indices
    class_shares: Vector


@dataclass(frozen=True, eq=False)
class TreeTable:
    """Trees with weights, by the symbols, rules and chains of a treebank model."""

    model: TreebankModel
    kernel: LatentTrees
    lexemes: Lexemes
    word_count: float  # weighted


def chain_rows(chains: Iterable[Sequence[int]]) -> Indices:
    """Return [chain, 3]: the symbols at the ends of each chain, and whether it has a single symbol."""
    rows = [(chain[0], chain[-1], len(chain) == 1) for chain in chains]
    return np.array(rows, dtype=np.int32).reshape(-1, 3)


def table_of(trees: Iterable[Tree], weights: Sequence[float], model: TreebankModel, rare_count: int) -> TreeTable:
    """Return the table of binarised trees, whose rules and chains the model has."""
    symbols = {symbol: number for number, symbol in enumerate(model.symbols)}
    chains = {chain: number for number, chain in enumerate(model.chains)}
    rules = {tuple(rule): number for number, rule in enumerate(model.rules.tolist())}
    nodes: list[list[int]] = []
    begins = [0]
    tokens: dict[tuple[int, str], list[float]] = {}  # tag and word -> weight of first words of sentences, of others
    for tree, weight in zip(trees, weights, strict=True):
        open_ = [(tree, -1, 0)]  # a node, and where its number goes
        is_first = True
        while open_:
            top, parent, side = open_.pop()
            below = list(chain_below(top))
            chain = tuple(symbols[symbol_of(node)] for node in below)
            if parent >= 0:
                nodes[parent][2 + side] = len(nodes)
            last = below[-1]
            if last.is_preterminal():
                key = (chain[-1], str(last.children[0]))
                known = tokens.setdefault(key, [0.0, 0.0, len(tokens)])
                known[0 if is_first else 1] += weight
                is_first = False
                nodes.append([chains[chain], -1, int(known[2]), 0])
                continue
            left, right = last.children
            assert isinstance(left, Tree)
            assert isinstance(right, Tree)
            rule = rules[chain[-1], symbols[symbol_of(left)], symbols[symbol_of(right)]]
            open_ += [(right, len(nodes), 1), (left, len(nodes), 0)]
            nodes.append([chains[chain], rule, 0, 0])
        begins.append(len(nodes))
    lexemes = lexemes_of(tokens, rare_count)
    kernel = LatentTrees(
        np.array(nodes, dtype=np.int32).reshape(-1, 4),
        np.array(begins, dtype=np.int32),
        np.array(weights, dtype=np.float64),
        lexemes.tags,
    )
    return TreeTable(model, kernel, lexemes, float(lexemes.totals.sum()))


def lexemes_of(tokens: dict[tuple[int, str], list[float]], rare_count: int) -> Lexemes:
    """Return the lexicon of weighted tokens, in their order."""
    words = sorted({word for _, word in tokens})
    number = {word: place for place, word in enumerate(words)}
    entry_words = np.array([number[word] for _, word in tokens], dtype=np.int32)
    weights = np.array([first + other for first, other, _ in tokens.values()])
    totals = np.bincount(entry_words, weights, len(words)).astype(np.float64)
    vocabulary = Vocabulary(dict(zip(words, totals.tolist(), strict=True)), 1)
    is_rare = totals[entry_words] <= rare_count
    parts: list[tuple[int, str, float]] = []
    for entry, ((_, word), (first, other, _)) in enumerate(tokens.items()):
        if is_rare[entry]:
            for weight, begins in ((first, True), (other, False)):
                if weight > 0:
                    parts.append((entry, vocabulary.class_of(word, begins), weight / (first + other)))
    classes = sorted({name for _, name, _ in parts})
    class_number = {name: place for place, name in enumerate(classes)}
    return Lexemes(
        tuple(words),
        totals,
        np.array([tag for tag, _ in tokens], dtype=np.int32),
        entry_words,
        is_rare,
        tuple(classes),
        np.array([entry for entry, _, _ in parts], dtype=np.int32),
        np.array([class_number[name] for _, name, _ in parts], dtype=np.int32),
        np.array([share for _, _, share in parts]),
    )
