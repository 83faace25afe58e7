"""Enhanced graphs: how many of the gold edges in DEPS the system has (Bouma et al. 2020).

An edge is a head and a relation; after the collapsing of empty nodes a relation may be a path, "conj>obj". ELAS
compares the whole relation, EULAS each step without its subtype. As in the official script an edge to an empty node
is left out, and each gold edge is compared with each system edge of its word: an edge written twice counts twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from treewright.corpus.bytecells import ByteCells, Flags, Indices, spread
from treewright.errors import InputError
from treewright.evaluate.alignment import Alignment
from treewright.evaluate.columns import Columns

EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+")


@dataclass(frozen=True)
class Edges:
    """The edges of all words, word by word; heads are positions in the columns, -1 for the root."""

    heads: Indices
    relations: ByteCells
    first: Indices  # the first edge of each word
    counts: Indices  # the edges of each word


@dataclass(frozen=True)
class Matches:
    """The edges that agree, wholly and without subtypes, of each pair of words; the edges of each word."""

    whole: Indices
    base: Indices
    gold: Indices
    system: Indices


def graph_matches(alignment: Alignment) -> Matches:
    gold, system = edges_of(alignment.gold), edges_of(alignment.system)
    if not len(gold.heads) or not len(system.heads):
        nothing = np.zeros(len(alignment.gold_words), np.int64)
        return Matches(nothing, nothing, gold.counts, system.counts)
    pair, gold_edges, system_edges = pairs_of_edges(alignment, gold, system)
    same_head = gold.heads[gold_edges] == alignment.gold_of[system.heads[system_edges]]
    pair = pair[same_head]
    gold_relations = gold.relations.take(gold_edges[same_head])
    system_relations = system.relations.take(system_edges[same_head])
    pairs = len(alignment.gold_words)
    whole = np.bincount(pair[gold_relations.equal(system_relations)], minlength=pairs)
    base = np.bincount(pair[equal_without_subtypes(gold_relations, system_relations)], minlength=pairs)
    return Matches(whole, base, gold.counts, system.counts)


@dataclass(frozen=True)
class Heads:
    """Every pair of a word and one of its heads once; heads are positions in the columns, -1 for the root."""

    words: Indices
    heads: Indices
    is_extra: Flags  # whether the pair is no arc of the tree

    @classmethod
    def of(cls, columns: Columns) -> Heads:
        edges = edges_of(columns)
        pairs = np.column_stack([np.repeat(np.arange(len(columns)), edges.counts), edges.heads])
        words, heads = np.unique(pairs, axis=0).T if len(pairs) else pairs.T
        return cls(words, heads, heads != columns.heads[words])

    def extra(self) -> Heads:
        """The pairs that are no arcs of the tree."""
        return Heads(self.words[self.is_extra], self.heads[self.is_extra], self.is_extra[self.is_extra])

    def counts(self, columns: Columns) -> Indices:
        """The number of heads of each word."""
        return np.bincount(self.words, minlength=len(columns))


def head_matches(alignment: Alignment, *, extra: bool) -> tuple[Indices, Indices, Indices]:
    """The heads that agree of each pair of words, and the heads of each gold and system word, whatever the relations.

    extra: those outside the tree alone, in both files.
    """
    gold, system = Heads.of(alignment.gold), Heads.of(alignment.system)
    if extra:
        gold, system = gold.extra(), system.extra()
    size = len(alignment.gold) + 2
    of_gold = gold.words * size + gold.heads
    of_system = alignment.gold_of[system.words] * size + alignment.gold_of[system.heads]
    both = (np.intersect1d(of_gold, of_system) + 1) // size  # the gold words of heads that agree
    pair_of = np.zeros(len(alignment.gold), np.int64)
    pair_of[alignment.gold_words] = np.arange(len(alignment.gold_words))
    right = np.bincount(pair_of[both], minlength=len(alignment.gold_words))
    return right, gold.counts(alignment.gold), system.counts(alignment.system)


def edges_of(columns: Columns) -> Edges:
    has_edges = ~(columns.deps.is_just("_") | (columns.deps.widths == 0))
    edges, counts = columns.deps.take(has_edges).split("|")
    word = np.repeat(np.flatnonzero(has_edges), counts)
    head_cells = edges.before(":")
    heads = head_cells.numbers()
    odd = (heads < 0) | (head_cells.ends == edges.ends) | (heads > columns.lengths[columns.sentence_of[word]])
    is_to_word = ~odd
    for edge in np.flatnonzero(odd):
        if not EMPTY_NODE.fullmatch(head_cells.text(edge)) or head_cells.ends[edge] == edges.ends[edge]:
            raise bad_edge(columns, int(word[edge]), edges.text(edge))
    word = word[is_to_word]
    heads = np.where(heads[is_to_word] > 0, heads[is_to_word] - 1 + columns.first[columns.sentence_of[word]], -1)
    relations = ByteCells(edges.buffer, head_cells.ends[is_to_word] + 1, edges.ends[is_to_word])
    counts = np.bincount(word, minlength=len(columns))
    return Edges(heads, relations, np.cumsum(counts) - counts, counts)


def pairs_of_edges(alignment: Alignment, gold: Edges, system: Edges) -> tuple[Indices, Indices, Indices]:
    """Every edge of a gold word with every edge of its system word, and which pair of words they belong to."""
    gold_counts, system_counts = gold.counts[alignment.gold_words], system.counts[alignment.system_words]
    gold_edges = spread(gold.first[alignment.gold_words], gold_counts)
    pair = np.repeat(np.arange(len(gold_counts)), gold_counts)
    repeats = system_counts[pair]  # the number of system edges that each gold edge is compared with
    system_edges = spread(system.first[alignment.system_words][pair], repeats)
    return np.repeat(pair, repeats), np.repeat(gold_edges, repeats), system_edges


def equal_without_subtypes(gold: ByteCells, system: ByteCells) -> Flags:
    same = gold.before(":").equal(system.before(":"))
    for i in np.flatnonzero(gold.has(">") | system.has(">")):
        same[i] = steps(gold.text(i)) == steps(system.text(i))
    return same


def steps(path: str) -> list[str]:
    """The relations of a path without their subtypes.

    >>> steps("conj:and>obl:in")
    ['conj', 'obl']
    """
    return [step.split(":", 1)[0] for step in path.split(">")]


def bad_edge(columns: Columns, word: int, edge: str) -> InputError:
    length = columns.lengths[columns.sentence_of[word]]
    return InputError(
        f"{columns.place(columns.lines[word])}: DEPS has {edge!r}; an edge is head:relation, "
        f"edges are joined by |, and a head is between 0 (the root) and {length}, the number of words"
    )
