"""The dependency model with valence (DMV), with an optional bound on centre-embedding: initialise, fit by EM, decode.

The kernel (core/charts/dmv.hpp) processes a whole corpus in one call; this module has the parameters, their initial
values, and the M step. docs/induction-models.md describes the model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.checks import Checked, Range
from treewright.errors import InputError
from treewright.induce.tagged import TaggedCorpus

FUNCTION_TAGS = ("ADP", "AUX", "CCONJ", "CONJ", "DET", "PART", "SCONJ")
LENGTHS = 100  # longer arcs have the weight of this length; not tuned
# Not tuned: far above the published values (1 to 3, and 3): memory grows with depth times chunk.
MAX_DEPTH, MAX_CHUNK = 16, 64
MAX_LENGTH_BIAS = 100.0  # not tuned: from about 8 on the longest arcs have no weight at all
MIN_PROBABILITY = 1e-100  # of a parameter, not tuned; training adds 1e-12 to every count

TABLES = ("root", "stop", "go", "attach")

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Limits(Checked):
    """Constraints on trees, and the length bias of arcs; docs/induction-models.md says where the defaults come from."""

    depth: Annotated[int, Range(0, MAX_DEPTH)] = 1  # maximum depth of centre-embedding; 0: no bound
    chunk: Annotated[int, Range(0, MAX_CHUNK)] = 3  # embedded chunks of at most so many words do not count as embedding
    length_bias: Annotated[float, Range(0, MAX_LENGTH_BIAS)] = 0.05  # each arc has the factor exp(-bias (length - 1))
    leaves: tuple[str, ...] = FUNCTION_TAGS  # tags that take no modifiers

    def leaf_mask(self, kinds: tuple[str, ...]) -> NDArray[np.bool_]:
        """Return whether each of the kinds of tags takes no modifiers."""
        return np.array([kind in self.leaves for kind in kinds])

    def length_weight(self) -> Array:
        """Return the factor of an arc by its length less one."""
        weight: Array = np.exp(-self.length_bias * np.arange(LENGTHS))
        return weight


UNLIMITED = Limits(depth=0, chunk=0, length_bias=0.0, leaves=())


@dataclass(frozen=True)
class DmvParameters:
    """The parameters, or counts of the same shape: root[t], stop and go[t, side, v], attach[head, side, modifier].

    Side 0 is left; v is 1 when the head already has a modifier on that side.
    """

    root: Array
    stop: Array
    go: Array
    attach: Array

    def tables(self) -> tuple[Array, Array, Array, Array]:
        return self.root, self.stop, self.go, self.attach

    def check_probabilities(self, kinds: int) -> None:
        """Refuse arrays of other shapes than so many tags need, and numbers that are not positive probabilities."""
        for name, table, form in zip(TABLES, self.tables(), ones(kinds).tables(), strict=True):
            if table.dtype != np.float64 or table.shape != form.shape:
                raise ValueError(f"{name} is {table.dtype}{list(table.shape)}; expected float64{list(form.shape)}")
            if not ((table >= MIN_PROBABILITY) & (table <= 1 + 1e-9)).all():
                raise ValueError(f"{name} has a number that is not a positive probability")

    def normalised(self, smoothing: float = 1e-12) -> DmvParameters:
        """Return the parameters that maximise the likelihood of counts."""
        root, stop, go, attach = (table + smoothing for table in self.tables())
        return DmvParameters(
            root / root.sum(), stop / (stop + go), go / (stop + go), attach / attach.sum(2, keepdims=True)
        )


def ones(kinds: int) -> DmvParameters:
    return DmvParameters(np.ones(kinds), np.ones((kinds, 2, 2)), np.ones((kinds, 2, 2)), np.ones((kinds, 2, kinds)))


def expectations(corpus: TaggedCorpus, model: DmvParameters, limits: Limits) -> tuple[float, DmvParameters]:
    """Return the log likelihood of the corpus and expected counts."""
    values, counts = _core.dmv_expectations(
        corpus.tags,
        corpus.ends,
        *model.tables(),
        limits.leaf_mask(corpus.kinds),
        limits.length_weight(),
        limits.depth,
        limits.chunk,
    )
    return float(values.sum()), DmvParameters(*counts)


def decode(
    corpus: TaggedCorpus, model: DmvParameters, limits: Limits, extra: Array | None = None
) -> tuple[NDArray[np.int32], Array]:
    """Return the best trees (flat CoNLL heads) and their log values; `extra[h, m]` is for a corpus of one sentence."""
    heads, values = _core.dmv_decode(
        corpus.tags,
        corpus.ends,
        *model.tables(),
        limits.leaf_mask(corpus.kinds),
        limits.length_weight(),
        limits.depth,
        limits.chunk,
        extra,
    )
    return heads, values


def value_range(sentence: TaggedCorpus, parameters: DmvParameters, limits: Limits) -> float:
    """Return an upper bound on the difference between the log values of two trees of a sentence within the limits.

    Every tree of n words has one root, n - 1 arcs, n - 1 decisions to go on and 2n stops, so that n times the largest
    difference between two log weights of each kind bounds the difference of the sums.
    """
    tags = sentence.tags
    n = len(tags)
    position = np.arange(n)
    side = (position > position[:, None]).astype(np.intp)
    distance = np.abs(position - position[:, None])
    length_weight = limits.length_weight()[np.clip(distance - 1, 0, LENGTHS - 1)]
    arc = (parameters.attach[tags[:, None], side, tags] * length_weight)[distance > 0]
    counted = ((1, parameters.root[tags]), (n - 1, arc), (n - 1, parameters.go[tags]), (2 * n, parameters.stop[tags]))
    return sum(count * log_range(weights) for count, weights in counted)


def log_range(weights: Array) -> float:
    """Return the largest difference between the logarithms of two positive weights."""
    positive = weights[weights > 0]
    return float(np.log(positive.max()) - np.log(positive.min())) if len(positive) else 0.0


def counts_of(corpus: TaggedCorpus, heads: NDArray[np.int32]) -> DmvParameters:
    """Return the event counts of given trees."""
    return DmvParameters(*_core.dmv_counts(corpus.tags, corpus.ends, heads, len(corpus.kinds)))


def uniform(corpus: TaggedCorpus) -> DmvParameters:
    return ones(len(corpus.kinds)).normalised()


def klein_manning(corpus: TaggedCorpus) -> DmvParameters:
    """Klein & Manning's start in Smith's version: heads by inverse distance, stops consistent with the valences."""
    kinds = len(corpus.kinds)
    counts, correction = ones(kinds), DmvParameters(*(np.zeros_like(table) for table in ones(kinds).tables()))
    for table in counts.tables():
        table[...] = 0.1
    for span in corpus.spans():
        tags = corpus.tags[span]
        n = len(tags)
        np.add.at(counts.root, tags, 1.0 / n)
        distance = np.abs(np.arange(n)[:, None] - np.arange(n)[None, :]).astype(float)
        near = np.divide(1.0, distance, out=np.zeros_like(distance), where=distance > 0)
        share = near / np.maximum(near.sum(axis=0, keepdims=True), 1e-300) * (n - 1) / n  # [h, m]
        for side, mask in enumerate((np.tril(share, -1), np.triu(share, 1))):  # m < h is left
            np.add.at(counts.attach[:, side], (tags[:, None], tags[None, :]), mask)
            received = mask.sum(axis=1)
            for tag, mass in zip(tags.tolist(), received.tolist(), strict=True):
                counts.stop[tag, side, 0] += 1
                if mass > 0:
                    counts.go[tag, side, 1] += mass
                    correction.go[tag, side] += (1, -1)
                    correction.stop[tag, side] += (-1, 1)
    ratios = [
        -counts_table[negative] / correction_table[negative]
        for counts_table, correction_table in ((counts.go, correction.go), (counts.stop, correction.stop))
        for negative in [correction_table < 0]
    ]
    step = 0.9 * min(1.0, float(np.concatenate(ratios).min(initial=1.0)))
    return DmvParameters(
        counts.root, counts.stop + step * correction.stop, counts.go + step * correction.go, counts.attach
    ).normalised()


INITIAL = {"uniform": uniform, "klein-manning": klein_manning}


def initial(name: str, corpus: TaggedCorpus) -> DmvParameters:
    """Return the initial parameters of a name."""
    if name not in INITIAL:
        raise InputError(f"no initialisation {name!r}; there are {', '.join(INITIAL)}")
    return INITIAL[name](corpus)


Report = Callable[[int, float], None]


def fit(
    corpus: TaggedCorpus,
    model: DmvParameters,
    limits: Limits,
    *,
    iterations: int,
    tolerance: float = 1e-5,
    report: Report = lambda iteration, value: None,
) -> DmvParameters:
    """Run EM from `model`; `report(iteration, log likelihood)` follows every iteration.

    It stops when the relative gain of the log likelihood is less than `tolerance`.
    """
    before = -np.inf
    for iteration in range(1, iterations + 1):
        value, counts = expectations(corpus, model, limits)
        model = counts.normalised()
        report(iteration, value)
        if value - before < tolerance * abs(value):
            break
        before = value
    return model
