"""The pruner: an arc-factored model whose marginals choose candidate arcs for the models of higher order.

Training sentences are pruned by models that were trained on the other folds (jackknifing), since a model is too sure of
the sentences that it was trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from treewright import decode
from treewright.decode import Candidates
from treewright.learn import Averaged, Stage, StageCost, Training, Weights
from treewright.learn.gradients import arc_gradient
from treewright.parser.model import new_pruner
from treewright.parser.options import ParserSettings
from treewright.parser.stages.data import TrainingData, others
from treewright.parser.stages.updates import agreeing_tree, is_single
from treewright.parser.worker import Worker, pruning

NAME = "pruner"


class Pruners(NamedTuple):
    """The trained pruner, and those that prune the training sentences of each fold."""

    weights: Weights
    folds: list[Weights]


def fold_names(settings: ParserSettings, sentences: int) -> list[str]:
    """Return the names of the stages of jackknifed pruners; none if there is one fold."""
    folds = min(settings.pruning.folds, sentences)
    return [f"fold {fold + 1}" for fold in range(folds if folds > 1 else 0)]


def costs(settings: ParserSettings, sentences: int) -> list[StageCost]:
    """Return the stages with their costs, which are relative to the pruner's."""
    return [StageCost(name, settings.pruning.epochs, 1.0) for name in (*fold_names(settings, sentences), NAME)]


def train_pruners(data: TrainingData, settings: ParserSettings, training: Training) -> Pruners:
    """Train a pruner for each fold, then one on all sentences."""
    names, everything = fold_names(settings, len(data.examples)), data.decided
    folds = [
        training.run(pruner_stage(name, data, settings, others(everything, fold, len(names))))
        for fold, name in enumerate(names)
    ]
    pruner = Weights.of(training.run(pruner_stage(NAME, data, settings, everything)))
    return Pruners(pruner, [Weights.of(weights) for weights in folds] or [pruner])


def pruner_stage(name: str, data: TrainingData, settings: ParserSettings, examples: Sequence[int]) -> Stage[Averaged]:
    """Learn by the likelihood of trees with arc scores alone."""
    options, pruner = settings.pruning, new_pruner(settings, data.templates)

    def learn(learner: Averaged, number: int) -> float:
        example = data.examples[number]
        [arc] = pruner.arcs(example.batch, learner.weights, 1.0)
        missed, step = arc_gradient(arc, example.heads, settings.projective, is_single(settings))
        pruner.add_arcs(learner.learner, step)
        learner.step(options.rate)
        return missed

    return data.stage(name, options, learn, examples)


def prune_examples(data: TrainingData, settings: ParserSettings, pruners: Pruners) -> list[Candidates]:
    """Prune the training sentences; their candidate arcs have those of a tree with the decided heads."""
    kernel, rules = new_pruner(settings, data.templates), pruning(settings, settings.projective)
    candidates = []
    for number, example in enumerate(data.examples):
        [arc] = kernel.arcs(example.batch, *pruners.folds[number % len(pruners.folds)])
        candidates.append(decode.candidates(arc, gold=agreeing_tree(settings, arc, example), **rules))
    return candidates


def prune_dev(data: TrainingData, settings: ParserSettings, pruner: Weights) -> list[list[Candidates]]:
    """Prune the development set, group by group."""
    worker = Worker(data.model(settings, pruner=pruner))
    return [worker.prune(group.inputs, settings.projective) for group in data.dev]
