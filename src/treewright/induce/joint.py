"""Joint training of two models of one corpus (Jiang, Han & Tu 2017).

The DMV gives the log probability of a tree, Convex-MST a regression score for each of its arcs. In every round, dual
decomposition finds for each sentence the tree that maximises the weighted sum of both; each model is then fitted to
these trees and may train alone for a few further iterations. The trees are all that the models exchange.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.checks import Checked, Count, NotNegative, Positive
from treewright.induce import convex_mst, dmv
from treewright.induce.dmv import DmvParameters, Limits
from treewright.induce.tagged import TaggedCorpus
from treewright.relax import Answer, Oracle, Relaxation, relax

Array = NDArray[np.float64]
Heads = NDArray[np.int32]
# Of the gap of a joint tree, relative to what the models lose by it. Not tuned: with the tolerance 1e-9 of other
# decoders, the rounding of log probabilities would leave trees without a certificate on which one model loses nothing
# and the other, of small weight, very little.
TOLERANCE = 1e-6
CONVERGED_SHARE = 0.005  # joint training ends when a smaller share of the heads changes; not tuned


@dataclass(frozen=True)
class JointOptions(Checked):
    """Options of joint training and joint decoding; docs/induction-models.md says how the defaults were chosen."""

    # Of the arc scores x.w + mu v in the sum with log probabilities. Training replaces "balanced" by the number that
    # `balanced_weight` computes from the corpus and both models before the first round; the model has this number.
    weight: float | Literal["balanced"] = "balanced"
    rounds: Count = 3
    iterations: Positive = 50  # of dual decomposition for one sentence
    smoothing: NotNegative = 1e-2  # added to the counts of the joint trees
    length_bias: float = 0.1  # of the DMV in joint training, its initial EM included


@dataclass(frozen=True)
class JointTrees:
    """The result of joint decoding: the tree of each model, which are the same where the tree is certified."""

    generative: Heads
    discriminative: Heads
    certified: int  # sentences whose joint tree is proved to be optimal
    sentences: int
    value: float  # sum over sentences of the value of the joint tree
    bound: float  # sum over sentences of the upper bound on it

    @property
    def certified_share(self) -> float:
        return self.certified / self.sentences


@dataclass(frozen=True)
class DmvOracle:
    """Finds the best tree of one sentence under the DMV, with a multiplier added to the log weight of each arc."""

    corpus: TaggedCorpus
    parameters: DmvParameters
    limits: Limits

    @property
    def keys(self) -> NDArray[np.intp]:
        return np.arange((len(self.corpus.tags) + 1) ** 2)

    def solve(self, multipliers: Array) -> Answer:
        nodes = len(self.corpus.tags) + 1
        heads, values = dmv.decode(self.corpus, self.parameters, self.limits, multipliers.reshape(nodes, nodes))
        return Answer(float(values[0]), arc_indicator(heads, nodes), heads)


@dataclass(frozen=True)
class ArcOracle:
    """Finds the best projective tree of one sentence for arc scores with multipliers added."""

    scores: Array  # [h, m]

    @property
    def keys(self) -> NDArray[np.intp]:
        return np.arange(self.scores.size)

    def solve(self, multipliers: Array) -> Answer:
        heads, value = _core.best_tree(self.scores + multipliers.reshape(self.scores.shape), True, True)
        return Answer(value, arc_indicator(heads[1:], len(self.scores)), heads[1:])

    def score(self, assignment: Array) -> float:
        chosen = assignment.reshape(self.scores.shape) > 0.5
        return float(self.scores[chosen].sum())


def arc_indicator(heads: Heads, nodes: int) -> Array:
    """Return 1 for the arcs of a tree and 0 for the others, [h, m] flattened."""
    cells = np.zeros((nodes, nodes))
    cells[heads, np.arange(1, nodes)] = 1.0
    return cells.ravel()


def weight_of(options: JointOptions) -> float:
    """Return the weight, after a check that it is a number."""
    if options.weight == "balanced":
        raise ValueError("joint decoding needs a weight; balanced_weight computes one")
    return options.weight


def balanced_weight(corpus: TaggedCorpus, parameters: DmvParameters, limits: Limits, arc_scores: list[Array]) -> float:
    """Return the weight of arc scores with which both models lose the same, in total, by the other model's trees.

    The loss of the DMV is measured on the tree within its limits that shares most arcs with the best tree for the arc
    scores, because that tree itself may be outside the limits.
    """
    by_dmv, dmv_values = dmv.decode(corpus, parameters, limits)
    lost_by_dmv = lost_by_arcs = 0.0
    for i, (span, scores) in enumerate(zip(corpus.spans(), arc_scores, strict=True)):
        by_arcs, best = _core.best_tree(scores, True, True)
        lost_by_arcs += best - float(scores[by_dmv[span], np.arange(1, len(scores))].sum())
        lost_by_dmv += float(dmv_values[i]) - nearest_tree(corpus.sentence(span), parameters, limits, by_arcs[1:])[1]
    if lost_by_arcs <= 0 or lost_by_dmv <= 0:  # both models have the same trees
        return 1.0
    return lost_by_dmv / lost_by_arcs


def nearest_tree(
    sentence: TaggedCorpus, parameters: DmvParameters, limits: Limits, target: Heads
) -> tuple[Heads, float]:
    """Return the most probable tree, and its log value, of those within the limits that are nearest to `target`."""
    nodes = len(target) + 1
    bonus = 1.0 + dmv.value_range(sentence, parameters, limits)  # one shared arc outweighs everything else
    bonuses = bonus * arc_indicator(target, nodes).reshape(nodes, nodes)
    heads, values = dmv.decode(sentence, parameters, limits, bonuses)
    return heads, float(values[0]) - bonus * int((heads == target).sum())


def decode_jointly(
    corpus: TaggedCorpus,
    parameters: DmvParameters,
    limits: Limits,
    arc_scores: list[Array],
    options: JointOptions,
    max_seconds: float = math.inf,
) -> JointTrees:
    """Find the best tree of each sentence for log P(tree) + weight * score(tree); `arc_scores` has a matrix for each.

    max_seconds limits the dual decomposition of one sentence; a sentence that reaches this limit, or the limit on
    iterations, is not certified and has a gap between value and bound.
    """
    weight = weight_of(options)
    relaxations = []
    for span, scores in zip(corpus.spans(), arc_scores, strict=True):
        oracles: list[Oracle] = [DmvOracle(corpus.sentence(span), parameters, limits), ArcOracle(weight * scores)]
        relaxations.append(
            relax(oracles, max_iterations=options.iterations, max_seconds=max_seconds, tolerance=TOLERANCE)
        )
    generative, discriminative = zip(*map(trees_of, relaxations), strict=True)
    return JointTrees(
        np.concatenate(generative),
        np.concatenate(discriminative),
        certified=sum(relaxation.certified for relaxation in relaxations),
        sentences=len(corpus),
        value=sum(relaxation.value for relaxation in relaxations),
        bound=sum(relaxation.bound for relaxation in relaxations),
    )


def trees_of(relaxation: Relaxation) -> tuple[Heads, Heads]:
    """Return the DMV's tree and the arc model's tree; both are the certified tree if there is one."""
    if not relaxation.certified or relaxation.answer is None:
        return relaxation.structures[0], relaxation.structures[1]
    nodes = math.isqrt(len(relaxation.answer))
    tree = relaxation.answer.reshape(nodes, nodes).argmax(axis=0)[1:].astype(np.int32)
    return tree, tree


@dataclass(frozen=True)
class Pair:
    """A generative and a discriminative model of one corpus."""

    dmv: DmvParameters
    weights: Array  # of the regression's features


Refine = Callable[[Pair, JointTrees], Pair]  # trains both models after a round, given the trees of the round


@dataclass(frozen=True)
class Round:
    """Figures of one round of joint training."""

    number: int
    likelihood: float  # log likelihood of the corpus under the DMV after the round
    certified_share: float  # of sentences whose joint tree is proved to be optimal
    gap: float  # mean over sentences of bound minus value of the joint tree
    changed: float  # share of words whose head differs from the previous round's


@dataclass(frozen=True)
class JointState:
    """The state of joint training after a round, from which it can be resumed."""

    pair: Pair
    number: int = 0  # rounds done
    heads: Heads | None = None  # of the round's joint trees
    converged: bool = False  # less than CONVERGED_SHARE of the heads changed


def arc_scores_of(
    cells: convex_mst.Cells,
    regression: convex_mst.Regression,
    weights: Array,
    convex: convex_mst.ConvexMstOptions,
) -> list[Array]:
    """Return the arc scores x.w + mu v of every sentence of the training corpus."""
    scores = np.where(cells.valid, regression.matrix @ weights + convex.rule_weight * cells.follows_rule, -np.inf)
    return cells.matrices(scores)


def train_jointly(
    corpus: TaggedCorpus,
    cells: convex_mst.Cells,
    regression: convex_mst.Regression,
    state: JointState,
    limits: Limits,
    convex: convex_mst.ConvexMstOptions,
    options: JointOptions,
    *,
    report: Callable[[Round], None] = lambda done: None,
    keep: Callable[[JointState], None] = lambda state: None,
    refine: Refine = lambda pair, trees: pair,
) -> Pair:
    """Decode jointly and refit both models until the trees converge or `options.rounds` is reached.

    `refine` may train the refitted models further; `keep` receives the state after every round.
    """
    while state.number < options.rounds and not state.converged:
        arc_scores = arc_scores_of(cells, regression, state.pair.weights, convex)
        trees = decode_jointly(corpus, state.pair.dmv, limits, arc_scores, options)
        pair = refine(refit(corpus, cells, regression, trees, state.pair.weights, convex, options.smoothing), trees)
        changed = 1.0 if state.heads is None else float((state.heads != trees.generative).mean())
        state = JointState(pair, state.number + 1, trees.generative, changed < CONVERGED_SHARE)
        likelihood = dmv.expectations(corpus, pair.dmv, limits)[0]
        gap = (trees.bound - trees.value) / len(corpus)
        report(Round(state.number, likelihood, trees.certified_share, gap, changed))
        keep(state)
    return state.pair


def refit(
    corpus: TaggedCorpus,
    cells: convex_mst.Cells,
    regression: convex_mst.Regression,
    trees: JointTrees,
    weights: Array,
    convex: convex_mst.ConvexMstOptions,
    smoothing: float,
) -> Pair:
    """Fit both models to the joint trees; `weights` are the regression's start."""
    parameters = dmv.counts_of(corpus, trees.generative).normalised(smoothing)
    y = convex_mst.indicator(cells, trees.discriminative)
    weights = regression.fit(y, weights, convex.tolerance)
    return Pair(parameters, weights)
