"""Two models of one corpus trained together (Jiang, Han & Tu 2017).

The valence model says how likely a tree is, Convex-MST how well its arcs regress on their features. Every round, dual
decomposition finds for each sentence the tree that is best for their weighted sum; each model is then fitted to those
trees and trained on by itself for a few iterations. What one has learned, the other is told by way of trees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.induce import convex_mst, dmv
from treewright.induce.dmv import Limits, Valence
from treewright.induce.tagged import TaggedCorpus
from treewright.relax import Answer, Oracle, PolyakStep, relax

Array = NDArray[np.float64]
Heads = NDArray[np.int32]
FORCE = 1e4  # added to an arc's score, more than any tree is worth
LONG = 100  # words: longer sentences get one iteration of dual decomposition, for time
SETTLED = 0.005  # of the heads change, or fewer: joint training is over


@dataclass(frozen=True)
class Options:
    """Of joint training and joint decoding."""

    weight: float | None = None  # of the discriminative scores x.w + mu v beside log probabilities; None: balanced
    rounds: int = 3
    refinement: int = 0  # iterations of each model's own training after each round
    iterations: int = 50  # of dual decomposition, a sentence
    smoothing: float = 1e-2  # of the counts of agreed trees
    length_bias: float = 0.1  # of the valence model, from its start on: beside arc scores a stronger one than alone


@dataclass(frozen=True)
class Agreement:
    """Joint decoding of a corpus: the trees of either side, and in how many sentences they are proved to be one."""

    generative: Heads
    discriminative: Heads
    certified: int
    sentences: int
    value: float  # of the joint trees together
    bound: float  # on the value of the best ones

    @property
    def share(self) -> float:
        return self.certified / self.sentences


@dataclass(frozen=True)
class ValenceOracle:
    """The valence model's best tree of one sentence, arcs adjusted by multipliers."""

    corpus: TaggedCorpus
    model: Valence
    limits: Limits

    @property
    def keys(self) -> NDArray[np.intp]:
        return np.arange((len(self.corpus.tags) + 1) ** 2)

    def solve(self, multipliers: Array) -> Answer:
        nodes = len(self.corpus.tags) + 1
        heads, values = dmv.decode(self.corpus, self.model, self.limits, multipliers.reshape(nodes, nodes))
        return Answer(float(values[0]), on(heads, nodes), heads)


@dataclass(frozen=True)
class ArcOracle:
    """The best projective tree over arc scores, adjusted by multipliers."""

    scores: Array  # [h, m]

    @property
    def keys(self) -> NDArray[np.intp]:
        return np.arange(self.scores.size)

    def solve(self, multipliers: Array) -> Answer:
        heads, value = _core.eisner(self.scores + multipliers.reshape(self.scores.shape), True)
        return Answer(value, on(heads[1:], len(self.scores)), heads[1:])

    def score(self, assignment: Array) -> float:
        chosen = assignment.reshape(self.scores.shape) > 0.5
        return float(self.scores[chosen].sum())


def on(heads: Heads, nodes: int) -> Array:
    """The cells [h, m] of a tree."""
    cells = np.zeros((nodes, nodes))
    cells[heads, np.arange(1, nodes)] = 1.0
    return cells.ravel()


def balanced_weight(corpus: TaggedCorpus, model: Valence, limits: Limits, squares: list[Array]) -> float:
    """The weight of arc scores with which both models give up as much, on average, for the other's trees.

    What the valence model gives up is counted with the tree most like the other's that its limits allow.
    """
    own, values = dmv.decode(corpus, model, limits)
    lost_by_valence = lost_by_arcs = 0.0
    for i, (span, square) in enumerate(zip(corpus.spans(), squares, strict=True)):
        words = np.arange(1, len(square))
        theirs, best = _core.eisner(square, True)
        lost_by_arcs += best - float(square[own[span], words].sum())
        bonus = np.zeros_like(square)
        bonus[theirs[1:], words] = FORCE
        nearest, value = dmv.decode(corpus.sentence(span), model, limits, bonus)
        lost_by_valence += float(values[i] - value[0]) + FORCE * int((nearest == theirs[1:]).sum())
    if lost_by_arcs <= 0 or lost_by_valence <= 0:  # the models agree on every tree
        return 1.0
    return lost_by_valence / lost_by_arcs


def agree(
    corpus: TaggedCorpus,
    model: Valence,
    limits: Limits,
    squares: list[Array],
    options: Options,
) -> Agreement:
    """The best tree of each sentence for log P(tree) + weight * score(tree); `squares` are arc scores [h, m]."""
    if options.weight is None:
        raise ValueError("joint decoding needs a weight; balanced_weight gives one")
    generative, discriminative, certified = [], [], 0
    value = bound = 0.0
    for span, square in zip(corpus.spans(), squares, strict=True):
        oracles: list[Oracle] = [
            ValenceOracle(corpus.sentence(span), model, limits),
            ArcOracle(options.weight * square),
        ]
        iterations = options.iterations if len(square) <= LONG else 1
        found = relax(oracles, step=PolyakStep(), max_iterations=iterations)
        y, z = found.structures
        if found.certified:
            tree = found.answer.reshape(square.shape).argmax(axis=0)[1:].astype(np.int32)
            y = z = tree
            certified += 1
        generative.append(y)
        discriminative.append(z)
        value, bound = value + found.value, bound + found.bound
    return Agreement(np.concatenate(generative), np.concatenate(discriminative), certified, len(corpus), value, bound)


@dataclass(frozen=True)
class Pair:
    """A generative and a discriminative model of one corpus."""

    valence: Valence
    weights: Array  # of the regression's features


@dataclass(frozen=True)
class Round:
    """What one round of joint training did."""

    number: int
    likelihood: float  # log likelihood of the corpus, by the valence model that the round left
    share: float  # of sentences whose joint tree is proved to be the best
    gap: float  # between the values of the joint trees and the bounds on them, a sentence
    changed: float  # share of words whose head differs from the last round's


@dataclass(frozen=True)
class Reached:
    """Where joint training stands after a round; it can go on from here."""

    pair: Pair
    number: int = 0
    heads: Heads | None = None  # of the round's joint trees
    is_settled: bool = False  # hardly a head changed: no round follows


def squares_of(
    cells: convex_mst.Cells, regression: convex_mst.Regression, weights: Array, convex: convex_mst.Options
) -> list[Array]:
    """Arc scores x.w + mu v of every sentence of the corpus that is learned from."""
    scores = np.where(cells.valid, regression.matrix @ weights + convex.rule_weight * cells.follows_rule, -np.inf)
    return cells.squares(scores)


def train_together(
    corpus: TaggedCorpus,
    cells: convex_mst.Cells,
    regression: convex_mst.Regression,
    reached: Reached,
    limits: Limits,
    convex: convex_mst.Options,
    options: Options,
    *,
    report: Callable[[Round], None] = lambda done: None,
    keep: Callable[[Reached], None] = lambda reached: None,
) -> Pair:
    """Rounds of agreeing and refitting, from separately trained models; stops when fewer than 0.5 % of heads change.

    `keep` is given what every round has reached.
    """
    while reached.number < options.rounds and not reached.is_settled:
        valence, weights, before = reached.pair.valence, reached.pair.weights, reached.heads
        found = agree(corpus, valence, limits, squares_of(cells, regression, weights, convex), options)
        valence = dmv.counts_of(corpus, found.generative).normalised(options.smoothing)
        y = convex_mst.indicator(cells, found.discriminative)
        weights = regression.fit(y, weights, convex.tolerance)
        if options.refinement:
            valence = dmv.fit(corpus, valence, limits, iterations=options.refinement, tolerance=-np.inf)
            state = convex_mst.State(y, weights)
            weights = convex_mst.frank_wolfe(cells, regression, state, convex, iterations=options.refinement).w
        changed = 1.0 if before is None else float((before != found.generative).mean())
        reached = Reached(Pair(valence, weights), reached.number + 1, found.generative, changed < SETTLED)
        likelihood = dmv.expectations(corpus, valence, limits)[0]
        gap = (found.bound - found.value) / len(corpus)
        report(Round(reached.number, likelihood, found.share, gap, changed))
        keep(reached)
    return reached.pair
