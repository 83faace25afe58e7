"""Enhanced graphs: how many of the gold edges in DEPS the system has (Bouma et al. 2020).

An edge is a head and a relation; after the collapsing of empty nodes a relation may be a path, "conj>obj". ELAS
compares the whole relation, EULAS each step without its subtype. As in the official script an edge to an empty node
is left out, and each gold edge is compared with each system edge of its word: an edge written twice counts twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from treewright.corpus.graph import is_number
from treewright.errors import InputError
from treewright.evaluate.alignment import Alignment
from treewright.evaluate.columns import Columns, Indices, spread

EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+")


@dataclass(frozen=True)
class Edges:
    """The edges of all words, word by word; heads are positions in the columns, -1 for the root."""

    words: Indices
    heads: Indices
    relations: Indices  # numbers of the vocabulary
    counts: Indices  # the edges of each word


def graph_matches(alignment: Alignment, gold: Edges, system: Edges) -> tuple[Indices, Indices]:
    """Return the number of edges of each pair of words that agree: with their whole relation, and without subtypes."""
    pair, gold_edges, system_edges = pairs_of_edges(alignment, gold, system)
    same_head = gold.heads[gold_edges] == alignment.gold_of[system.heads[system_edges]]
    pair = pair[same_head]
    gold_relations = gold.relations[gold_edges[same_head]]
    system_relations = system.relations[system_edges[same_head]]
    pairs = len(alignment.gold_words)
    whole = np.bincount(pair[gold_relations == system_relations], minlength=pairs)
    vocabulary = alignment.gold.vocabulary
    gold_steps = vocabulary.replace(without_subtypes, gold_relations)
    base = np.bincount(pair[gold_steps == vocabulary.replace(without_subtypes, system_relations)], minlength=pairs)
    return whole, base


def head_matches(alignment: Alignment, gold: Edges, system: Edges, *, extra: bool) -> tuple[Indices, Indices, Indices]:
    """Return the heads that agree of each pair of words, and the heads of each gold and system word.

    Relations do not count. extra: the heads outside the tree alone, in both files.
    """
    gold_words, gold_heads = distinct_heads(alignment.gold, gold, extra)
    system_words, system_heads = distinct_heads(alignment.system, system, extra)
    size = len(alignment.gold) + 2
    of_gold = gold_words * size + gold_heads
    of_system = alignment.gold_of[system_words] * size + alignment.gold_of[system_heads]
    both = gold_words[np.isin(of_gold, of_system)]  # the gold words of heads that agree
    pair_of = np.zeros(len(alignment.gold), np.int64)
    pair_of[alignment.gold_words] = np.arange(len(alignment.gold_words))
    right = np.bincount(pair_of[both], minlength=len(alignment.gold_words))
    gold_counts = np.bincount(gold_words, minlength=len(alignment.gold))
    return right, gold_counts, np.bincount(system_words, minlength=len(alignment.system))


def distinct_heads(columns: Columns, edges: Edges, extra: bool) -> tuple[Indices, Indices]:
    """Return every pair of a word and one of its heads once; with extra, those that are no arcs of the tree."""
    size = len(columns) + 1
    pairs = np.sort(edges.words * size + edges.heads + 1)
    words, heads = np.divmod(pairs[np.diff(pairs, prepend=-1) > 0], size)
    heads -= 1
    kept = heads != columns.heads[words] if extra else slice(None)
    return words[kept], heads[kept]


def edges_of(columns: Columns) -> Edges:
    """Read the DEPS cells; a bad one is an InputError."""
    first, length = columns.first[columns.sentence_of].tolist(), columns.lengths[columns.sentence_of].tolist()
    cells = columns.cells["DEPS"]
    edges_in = {cell: read_cell(columns, cell) for cell in set(cells.tolist())}
    rows: list[tuple[int, int, int]] = []
    for word, cell in enumerate(cells.tolist()):
        for head, relation, text in edges_in[cell]:
            if not 0 <= head <= length[word]:
                raise bad_edge(columns, word, text)
            rows.append((word, head - 1 + first[word] if head else -1, relation))
    words, heads, relations = np.array(rows, np.int64).reshape(-1, 3).T
    return Edges(words, heads, relations, np.bincount(words, minlength=len(columns)))


def read_cell(columns: Columns, cell: int) -> list[tuple[int, int, str]]:
    """Return the edges of a DEPS cell: head, -1 for a bad edge, relation, and how the edge is written."""
    deps = columns.vocabulary.texts[cell]
    edges = []
    for text in deps.split("|") if deps not in ("_", "") else ():
        head, colon, relation = text.partition(":")
        if not colon or not EMPTY_NODE.fullmatch(head):
            number = int(head) if colon and is_number(head) else -1
            edges.append((number, columns.vocabulary[relation], text))
    return edges


def pairs_of_edges(alignment: Alignment, gold: Edges, system: Edges) -> tuple[Indices, Indices, Indices]:
    """Return every edge of a gold word with every edge of its system word, and which pair of words they belong to."""
    gold_counts, system_counts = gold.counts[alignment.gold_words], system.counts[alignment.system_words]
    gold_first, system_first = np.cumsum(gold.counts) - gold.counts, np.cumsum(system.counts) - system.counts
    gold_edges = spread(gold_first[alignment.gold_words], gold_counts)
    pair = np.repeat(np.arange(len(gold_counts)), gold_counts)
    repeats = system_counts[pair]  # the number of system edges that each gold edge is compared with
    system_edges = spread(system_first[alignment.system_words][pair], repeats)
    return np.repeat(pair, repeats), np.repeat(gold_edges, repeats), system_edges


def without_subtypes(path: str) -> str:
    """Return the relations of a path without their subtypes.

    >>> without_subtypes("conj:and>obl:in")
    'conj>obl'
    """
    return ">".join(step.partition(":")[0] for step in path.split(">"))


def bad_edge(columns: Columns, word: int, edge: str) -> InputError:
    length = columns.lengths[columns.sentence_of[word]]
    return InputError(
        f"{columns.place(columns.lines[word])}: DEPS has {edge!r}; an edge is head:relation, "
        f"edges are joined by |, and a head is between 0 (the root) and {length}, the number of words"
    )
