"""The tensor with which the published learner begins: a decomposition of first-order weights (Lei et al. 2014).

A first-order model, which has a weight A[f, g, d] for features f of the head and g of the modifier and a distance d,
learns in one epoch of passive-aggressive steps. Unfolded, A is a matrix with a row for each f. Its truncated singular
value decomposition gives rows u and matrices Q over (g, d); each Q is approximated by the product of its first singular
vectors v and w:

    A[f, g, d]  ~  sum over r of  s_r u_r[f] Q_r[g, d],     Q_r[g, d]  ~  t_r v_r[g] w_r[d]

The distance 0 stands for all. Departure: the features are those of words in the tensor, paired with the same template
of the other word and with its tag, so that weights are not those of the templates of arcs.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from treewright import decode
from treewright.decode import Candidates
from treewright.features import Templates, TensorScorer, tensor_tables
from treewright.features.scoring import TENSOR_DISTANCES
from treewright.learn import Numbers, add_margin, step_size
from treewright.parser.examples import Example
from treewright.parser.options import ParserSettings
from treewright.parser.updates import agreeing_tree, best_tree, tensor_of

TAG = "w.upos"

Key = tuple[int, int, int]  # row of a feature of the head, row of a feature of the modifier, row of a distance
Arc = tuple[int, int]


def decomposed_weights(
    settings: ParserSettings, kernel: TensorScorer, templates: Templates, examples: Sequence[tuple[Example, Candidates]]
) -> Numbers:
    """The parameters of one tensor, from a first-order model that is trained on the examples for one epoch."""
    options = tensor_of(settings)
    weights = first_order_weights(settings, kernel, templates, examples)
    found = np.zeros(1 << options.bits, dtype=np.float32)
    if weights:
        table = found[: len(found) // options.rank * options.rank].reshape(-1, options.rank)
        for rows, columns in decomposed(weights, options.rank):
            table[rows, : columns.shape[1]] = columns
    return found


def first_order_weights(
    settings: ParserSettings, kernel: TensorScorer, templates: Templates, examples: Sequence[tuple[Example, Candidates]]
) -> dict[Key, float]:
    """The weights of pairs of features after one epoch over the candidate arcs."""
    options, pairs = tensor_of(settings), TemplatePairs(templates.tensor)
    weights: dict[Key, float] = {}
    for example, arcs in examples:
        kernel.open(*example.encoded[:2])
        features = SentenceFeatures(kernel, pairs)
        scores = [sum(weights.get(key, 0.0) for key in features.keys(*arc)) for arc in arcs_of(arcs)]
        parts = decode.Parts(example.encoded.nodes, (arcs.head, arcs.modifier, np.array(scores)))
        add_margin(parts.core, example.heads, options.margin)
        found, gold = best_tree(settings, parts, settings.projective), agreeing_tree(settings, parts, example)
        step = difference(features, gold.tolist(), found.tolist())
        loss = parts.value(found) - parts.value(gold)
        size = step_size(loss, sum(count * count for count in step.values()), options.max_step)
        for key, count in step.items() if size else ():
            weights[key] = weights.get(key, 0.0) + size * count
    return weights


def arcs_of(arcs: Candidates) -> list[Arc]:
    """Pairs of head and modifier."""
    return list(zip(arcs.head.tolist(), arcs.modifier.tolist(), strict=True))


class TemplatePairs:
    """Which features of two words are paired: those of the same template, and those of any template with the tag."""

    def __init__(self, templates: Sequence[str]) -> None:
        tables = tensor_tables(templates)
        self.plain = sum(table.templates for table in tables if table.kind == 0)
        self.with_each = sum(table.templates for table in tables if table.kind == 1)
        plain = [template for template in templates if ".each" not in template]
        self.tag = plain.index(TAG) if TAG in plain else None
        self._places: dict[tuple[int, int], list[tuple[int, int]]] = {}

    def template_of(self, place: int) -> int:
        """The template of a feature, by its place among those of a word."""
        return place if place < self.plain else self.plain + (place - self.plain) % self.with_each

    def are_paired(self, one: int, other: int) -> bool:
        """Whether features of two templates are paired."""
        return one == other or self.tag in (one, other)

    def places(self, of_head: int, of_modifier: int) -> list[tuple[int, int]]:
        """The places of paired features among so many of a head and so many of a modifier."""
        found = self._places.get((of_head, of_modifier))
        if found is None:
            every = itertools.product(range(of_head), range(of_modifier))
            found = [(i, j) for i, j in every if self.are_paired(self.template_of(i), self.template_of(j))]
            self._places[of_head, of_modifier] = found
        return found


class SentenceFeatures:
    """The features of the arcs of the sentence that a kernel has opened."""

    def __init__(self, kernel: TensorScorer, pairs: TemplatePairs) -> None:
        self.kernel, self.pairs = kernel, pairs
        self.heads, self.modifiers = (split(kernel.rows(side), kernel.begin()) for side in (False, True))

    def keys(self, h: int, m: int) -> list[Key]:
        """The weights whose sum is the score of an arc."""
        heads, modifiers, distance = self.heads[h], self.modifiers[m], self.kernel.distance(h, m)
        places = self.pairs.places(len(heads), len(modifiers))
        return [(heads[i], modifiers[j], d) for i, j in places for d in (0, distance)]


def split(rows: Sequence[int], begin: Sequence[int]) -> list[Sequence[int]]:
    """The rows of each node."""
    return [rows[first:last] for first, last in itertools.pairwise(begin)]


def difference(features: SentenceFeatures, gold: Sequence[int], found: Sequence[int]) -> Counter[Key]:
    """The counts of the features of one tree minus those of another."""
    step: Counter[Key] = Counter()
    for m, (right, wrong) in enumerate(zip(gold, found, strict=True)):
        if right != wrong:
            step.update(features.keys(right, m))
            step.subtract(features.keys(wrong, m))
    return step


def decomposed(weights: Mapping[Key, float], rank: int) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """The rows of heads, modifiers and distances, and their numbers, of which there are at most `rank` a row."""
    keys, values = np.array(list(weights)), np.array(list(weights.values()))
    heads, row = np.unique(keys[:, 0], return_inverse=True)
    modifiers, column = np.unique(keys[:, 1], return_inverse=True)
    u, s, q = singular_vectors(row, column * TENSOR_DISTANCES + keys[:, 2], values, rank)
    v, w = np.empty((len(modifiers), len(s))), np.empty((TENSOR_DISTANCES, len(s)))
    for r in range(len(s)):
        left, t, right = np.linalg.svd(q[r].reshape(-1, TENSOR_DISTANCES), full_matrices=False)
        v[:, r], w[:, r] = left[:, 0], s[r] * t[0] * right[0]
    return [(heads, u), (modifiers, v), (np.arange(TENSOR_DISTANCES), w)]


def singular_vectors(
    rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[np.float64], rank: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The first singular vectors and values of a sparse matrix, largest first; its columns are counted by distances."""
    from scipy import sparse
    from scipy.sparse.linalg import svds

    shape = int(rows.max()) + 1, (int(columns.max()) // TENSOR_DISTANCES + 1) * TENSOR_DISTANCES
    matrix = sparse.csr_matrix((values, (rows, columns)), shape=shape)
    if rank >= min(shape):
        left, sizes, right = np.linalg.svd(matrix.toarray(), full_matrices=False)
    else:
        left, sizes, right = svds(matrix, k=rank, v0=np.ones(min(shape)), solver="arpack")
    order = np.argsort(-sizes, kind="stable")[:rank]
    return left[:, order], sizes[order], right[order]
