"""Steps of the scorer: what one training sentence changes, by the learner of the options (treewright.learn)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import decode
from treewright.features.kernels import Scorer
from treewright.learn import Averaged
from treewright.learn.averaged import step_size
from treewright.learn.gradients import (
    add_margin,
    automata_difference,
    nonprojective_gradient,
    projective_gradient,
    tree_difference,
)
from treewright.parser.decisions import Arc
from treewright.parser.model import Indices
from treewright.parser.options import ParserSettings
from treewright.parser.partial import decided_arcs
from treewright.parser.stages.data import Example

BELIEF_ITERATIONS = 5  # of belief propagation for the gradient of a non-projective sentence; not tuned
SEARCH_NODES = 10  # of branch and bound for one wrong non-projective tree, which may be approximate; not tuned

# A step of the scorer by one sentence whose parts it has scored; it returns the loss.
Update = Callable[[ParserSettings, Scorer, Averaged, decode.Parts, Example], float]


def is_single(settings: ParserSettings) -> bool:
    """Whether trees have exactly one child of the root."""
    return settings.root == "single"


def best_tree(
    settings: ParserSettings, scores: NDArray[np.float64] | decode.Parts, projective: bool, require: Sequence[Arc] = ()
) -> Indices:
    """Return the best tree; one that may cross arcs is searched for in a limited number of nodes."""
    limits: dict[str, Any] = {}
    if isinstance(scores, decode.Parts) and not projective:
        limits["max_nodes"] = SEARCH_NODES
    return decode.tree(scores, projective=projective, root=settings.root, require=require, **limits).heads


def agreeing_tree(settings: ParserSettings, scores: NDArray[np.float64] | decode.Parts, example: Example) -> Indices:
    """Return the best tree that has the decided heads."""
    if example.is_complete:
        return example.heads
    return best_tree(settings, scores, settings.projective and example.projective, decided_arcs(example.heads))


def likelihood(
    settings: ParserSettings, scorer: Scorer, learner: Averaged, parts: decode.Parts, example: Example
) -> float:
    """Take a log-linear step over all trees, with a margin for every wrong arc (softmax-margin; Gimpel & Smith 2010).

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
    """Return the negative log-likelihood, and the gradient of the log-likelihood by the scores of the parts."""
    add_margin(parts.core, example.heads, margin)
    if settings.projective:
        heads = example.heads if example.projective else agreeing_tree(settings, parts, example)
        loss, step = projective_gradient(parts.core, heads, is_single(settings), not example.projective)
    else:
        loss, step = nonprojective_gradient(parts.core, example.heads, is_single(settings), BELIEF_ITERATIONS)
    return loss, decode.Parts.of(step)


def perceptron(
    settings: ParserSettings, scorer: Scorer, learner: Averaged, parts: decode.Parts, example: Example
) -> float:
    """Step towards the gold tree from the best modifiers of each head, chosen independently (Koo et al. 2010)."""
    missed, step = automata_difference(parts.core, agreeing_tree(settings, parts, example))
    scorer.add_parts(learner.learner, step)
    learner.move(1.0)
    return missed


def mira(settings: ParserSettings, scorer: Scorer, learner: Averaged, parts: decode.Parts, example: Example) -> float:
    """Take the shortest step after which the best tree is worse by the number of its errors (McDonald 2006)."""
    return mira_step(settings, scorer, learner, parts, example, best_tree(settings, parts, settings.projective))


def mira_step(
    settings: ParserSettings,
    scorer: Scorer,
    learner: Averaged,
    parts: decode.Parts,
    example: Example,
    best: Indices,
) -> float:
    """Take the step of MIRA against `best`, the tree that a search found."""
    gold = agreeing_tree(settings, parts, example)
    missed = int(((best != example.heads) & (example.heads >= 0)).sum())
    scorer.add_parts(learner.learner, tree_difference(parts.core, gold, best))
    short = missed - parts.value(gold) + parts.value(best)
    learner.move(step_size(short, learner.squared_length()))
    return float(missed)


def passive_aggressive(
    settings: ParserSettings, scorer: Scorer, learner: Averaged, parts: decode.Parts, example: Example
) -> float:
    """Take a limited step away from the loss-augmented best tree (PA-I; Crammer et al. 2006)."""
    add_margin(parts.core, example.heads, settings.scoring.margin)
    best, gold = best_tree(settings, parts, settings.projective), agreeing_tree(settings, parts, example)
    scorer.add_parts(learner.learner, tree_difference(parts.core, gold, best))
    loss = parts.value(best) - parts.value(gold)
    learner.move(step_size(loss, learner.squared_length(), settings.scoring.max_step))
    return max(loss, 0.0)


UPDATES: dict[str, Update] = {
    "crf": likelihood,
    "perceptron": perceptron,
    "mira": mira,
    "pa": passive_aggressive,
}
