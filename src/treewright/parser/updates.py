"""Steps of learning: what one training sentence changes, by the learner of the options (treewright.learn)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import decode
from treewright.features import Scorer, TensorScorer, TreeScorer
from treewright.features.scoring import TENSOR_SIDES
from treewright.learn import (
    Averaged,
    add_margin,
    automata_difference,
    nonprojective_gradient,
    projective_gradient,
    step_size,
    tree_difference,
)
from treewright.parser.completion import Arc
from treewright.parser.examples import Example
from treewright.parser.model import Indices, climb_options
from treewright.parser.options import FactorOptions, ParserSettings, TensorOptions
from treewright.parser.partial import decided_arcs

BELIEF_ITERATIONS = 5  # of belief propagation for the gradient of a non-projective sentence; by convention
SEARCH_NODES = 10  # of branch and bound for one wrong non-projective tree, which may be approximate; by convention

# Steps of the scorer, and of the tensor and the factors beside it. They return the loss of the sentence.
Update = Callable[[ParserSettings, Scorer, Averaged, decode.Parts, Example], float]
TensorUpdate = Callable[[ParserSettings, TensorScorer, Averaged, decode.Parts, Example], float]
FactorUpdate = Callable[[ParserSettings, TreeScorer, Averaged, decode.Parts, Example], float]


def is_single(settings: ParserSettings) -> bool:
    """Whether trees have exactly one child of the root."""
    return settings.root == "single"


def factors_of(settings: ParserSettings) -> FactorOptions:
    """The settings of third-order parts and global features of a model that has them."""
    assert settings.factors is not None
    return settings.factors


def tensor_of(settings: ParserSettings) -> TensorOptions:
    """The settings of the tensor of a model that has one."""
    assert settings.tensor is not None
    return settings.tensor


def best_tree(
    settings: ParserSettings, scores: NDArray[np.float64] | decode.Parts, projective: bool, require: Sequence[Arc] = ()
) -> Indices:
    """The best tree; one that may cross arcs is searched for in a limited number of nodes."""
    limits: dict[str, Any] = {}
    if isinstance(scores, decode.Parts) and not projective:
        limits["max_nodes"] = SEARCH_NODES
    return decode.tree(scores, projective=projective, root=settings.root, require=require, **limits).heads


def agreeing_tree(settings: ParserSettings, scores: NDArray[np.float64] | decode.Parts, one: Example) -> Indices:
    """The best tree that has the decided heads."""
    if one.is_complete:
        return one.heads
    return best_tree(settings, scores, settings.projective and one.projective, decided_arcs(one.heads))


def likelihood(
    settings: ParserSettings, scorer: Scorer, learner: Averaged, parts: decode.Parts, example: Example
) -> float:
    """Log-linear over all trees, with a margin for every wrong arc (softmax-margin; Gimpel & Smith 2010).

    Where heads are open, the probability of all trees that have the others is maximised. A projective model for
    which there is no such tree learns the best of the other trees, as it does from a complete tree that crosses.
    """
    loss, step = likelihood_gradient(settings, parts, example, settings.scoring.margin)
    scorer.add_parts(learner.learner, step.core)
    learner.step(settings.scoring.rate)
    return loss


def likelihood_gradient(
    settings: ParserSettings, parts: decode.Parts, example: Example, margin: float
) -> tuple[float, decode.Parts]:
    """The negative log-likelihood, and the gradient of the log-likelihood by the scores of the parts."""
    add_margin(parts.core, example.heads, margin)
    if settings.projective:
        heads = example.heads if example.projective else agreeing_tree(settings, parts, example)
        loss, step = projective_gradient(parts.core, heads, is_single(settings), not example.projective)
    else:
        loss, step = nonprojective_gradient(parts.core, example.heads, is_single(settings), BELIEF_ITERATIONS)
    return loss, decode.Parts.of(step)


def independent(
    settings: ParserSettings, scorer: Scorer, learner: Averaged, parts: decode.Parts, example: Example
) -> float:
    """Log-linear over the candidate heads of each word, without regard to the tree (Zhang et al. 2014, Table 1)."""
    add_margin(parts.core, example.heads, settings.scoring.margin)
    loss, step = head_gradient(parts, example.heads)
    scorer.add_parts(learner.learner, step.core)
    learner.step(settings.scoring.rate)
    return loss


def perceptron(
    settings: ParserSettings, scorer: Scorer, learner: Averaged, parts: decode.Parts, example: Example
) -> float:
    """The best modifiers of each head, chosen independently of the tree (Koo et al. 2010)."""
    missed, step = automata_difference(parts.core, agreeing_tree(settings, parts, example))
    scorer.add_parts(learner.learner, step)
    learner.move(1.0)
    return missed


def mira(settings: ParserSettings, scorer: Scorer, learner: Averaged, parts: decode.Parts, example: Example) -> float:
    """The shortest step after which the best tree is worse by the number of its errors (McDonald 2006)."""
    found, gold = best_tree(settings, parts, settings.projective), agreeing_tree(settings, parts, example)
    missed = int(((found != example.heads) & (example.heads >= 0)).sum())
    scorer.add_parts(learner.learner, tree_difference(parts.core, gold, found))
    short = missed - parts.value(gold) + parts.value(found)
    learner.move(step_size(short, learner.squared_length()))
    return float(missed)


def passive_aggressive(
    settings: ParserSettings, scorer: Scorer, learner: Averaged, parts: decode.Parts, example: Example
) -> float:
    """A limited step away from the loss-augmented best tree (PA-I; Crammer et al. 2006)."""
    add_margin(parts.core, example.heads, settings.scoring.margin)
    found, gold = best_tree(settings, parts, settings.projective), agreeing_tree(settings, parts, example)
    scorer.add_parts(learner.learner, tree_difference(parts.core, gold, found))
    loss = parts.value(found) - parts.value(gold)
    learner.move(step_size(loss, learner.squared_length(), settings.scoring.max_step))
    return max(loss, 0.0)


def factor_choices(
    settings: ParserSettings, kernel: TreeScorer, learner: Averaged, parts: decode.Parts, example: Example
) -> float:
    """The head of each word among those that it could move to: pseudo-likelihood with a margin."""
    factors, shape = factors_of(settings), (is_single(settings), settings.projective)
    loss = kernel.add_choices(learner.learner, parts.core, example.heads, example.heads, *shape, 1.0, factors.margin)
    learner.step(factors.rate)
    return loss


def factor_passive_aggressive(
    settings: ParserSettings, kernel: TreeScorer, learner: Averaged, parts: decode.Parts, example: Example
) -> float:
    """A limited step away from the loss-augmented tree of a climb, which begins with that of the second order."""
    factors = factors_of(settings)
    add_margin(parts.core, example.heads, factors.margin)
    first = best_tree(settings, parts, settings.projective)
    options = climb_options(settings, settings.projective, settings.root)
    found, value, _ = kernel.climb(parts.core, options, first, learner.weights, 1.0, inf)
    gold = parts.value(example.heads) + float(kernel.values(example.heads[None], learner.weights, 1.0)[0])
    kernel.add_trees(learner.learner, np.stack([example.heads, found]), np.array([1.0, -1.0]))
    learner.move(step_size(value - gold, learner.squared_length(), factors.max_step))
    return max(value - gold, 0.0)


def tensor_likelihood(
    settings: ParserSettings, kernel: TensorScorer, learner: Averaged, parts: decode.Parts, example: Example
) -> float:
    """Likelihood, as that of the scorer, with the scores of each tensor in turn added to those of the arcs."""
    options = tensor_of(settings)
    sum_of_losses = 0.0
    for tensor in range(options.tensors):
        scored = parts.adjusted(np.zeros(parts.core.arcs))
        kernel.add_scores_of(tensor, scored.core, learner.weights, 1.0)
        loss, step = likelihood_gradient(settings, scored, example, options.margin)
        kernel.add_gradient(learner.learner, tensor, step.core)
        sum_of_losses += loss
    learner.step(options.rate)
    return sum_of_losses / options.tensors


def tensor_passive_aggressive(
    settings: ParserSettings, kernel: TensorScorer, learner: Averaged, parts: decode.Parts, example: Example
) -> float:
    """A limited step away from the loss-augmented best tree, of the rows of one side, in turn (Lei et al. 2014)."""
    options = tensor_of(settings)
    kernel.add_scores(parts.core, learner.weights, 1.0)
    add_margin(parts.core, example.heads, options.margin)
    found, gold = best_tree(settings, parts, settings.projective), agreeing_tree(settings, parts, example)
    loss = parts.value(found) - parts.value(gold)
    side = TENSOR_SIDES[learner.steps % len(TENSOR_SIDES)]
    kernel.add_gradient(learner.learner, 0, tree_difference(parts.core, gold, found), side)
    learner.move(step_size(loss, learner.squared_length(), options.max_step))
    return max(loss, 0.0)


def head_gradient(parts: decode.Parts, heads: Indices) -> tuple[float, decode.Parts]:
    """The negative log probability of the heads, each chosen by itself, and the gradient of their log probability.

    Words with the head -1 are open: they have no gradient.
    """
    head, modifier, score = parts.arcs
    best = np.full(parts.nodes, -np.inf)
    np.maximum.at(best, modifier, score)
    weight = np.exp(score - best[modifier])
    probability = weight / np.bincount(modifier, weight, parts.nodes)[modifier]
    is_gold = heads[modifier] == head
    is_decided = heads[modifier] >= 0
    loss = -float(np.log(probability[is_gold]).sum())
    return loss, decode.Parts(parts.nodes, (head, modifier, np.where(is_decided, is_gold - probability, 0.0)))


UPDATES: dict[str, Update] = {
    "crf": likelihood,
    "independent": independent,
    "perceptron": perceptron,
    "mira": mira,
    "pa": passive_aggressive,
}
TENSOR_UPDATES: dict[str, TensorUpdate] = {"crf": tensor_likelihood, "pa": tensor_passive_aggressive}
FACTOR_UPDATES: dict[str, FactorUpdate] = {"choices": factor_choices, "pa": factor_passive_aggressive}
