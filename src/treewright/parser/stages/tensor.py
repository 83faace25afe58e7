"""The low-rank tensor that scores arcs beside the second-order parts (Lei et al. 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from treewright.decode import Candidates, Parse
from treewright.learn import Averaged, Judgement, Numbers, Stage, StageCost, Training, Weights
from treewright.parser.model import ParserModel, new_tensor
from treewright.parser.options import ParserSettings, TensorOptions
from treewright.parser.stages.data import TrainingData, others
from treewright.parser.stages.scorer import FOLD_EPOCHS, JackknifedParts, fold_costs, fold_names
from treewright.parser.stages.updates import likelihood_gradient

NAME = "tensor"
COST = 14.0  # of an epoch, relative to the pruner's; measured roughly
DISTANCES = 15  # the first rows: all distances, 7 leftward, 7 rightward (core/learning/arc_tensor.hpp)


class Tensors(NamedTuple):
    """The trained tensor, those that were trained without the sentences of each fold, and the development trees."""

    weights: Weights
    folds: list[Numbers]  # empty if no factors learn beside them
    parses: list[list[Parse]]


def costs(settings: ParserSettings, sentences: int) -> list[StageCost]:
    """Return the stages with their costs."""
    if settings.tensor is None:
        return []
    folds = [] if settings.factors is None else fold_costs(NAME, sentences, COST)
    return [*folds, StageCost(NAME, settings.tensor.epochs, COST)]


class AveragedTensor(Averaged):
    """Parameters of a tensor. Those of features that never occurred are still random: their average is zero."""

    def average(self) -> Numbers:
        """Return the mean of the parameters before the first step and after each; zero where no step changed them."""
        squares = self.memory[:, 0]
        return np.where(squares > 0, super().average(), np.float32(0))


def new_tensor_learner(options: TensorOptions, seed: int) -> Averaged:
    """Make parameters that begin with random rows, since the gradient of zero rows is zero; distances begin alike."""
    learner = AveragedTensor(options.bits, options.adagrad_epsilon)
    width = options.rank * options.tensors
    random = np.random.default_rng([seed, width])
    learner.weights[:] = random.uniform(-options.initial, options.initial, len(learner.weights))
    distances = learner.weights[: DISTANCES * width]
    distances[:] = 0
    distances[:width] = 1
    return learner


def tensor_weights(options: TensorOptions, average: Numbers) -> Weights:
    """Return the parameters as a model stores them, with the scale of the scores."""
    weights = Weights.of(average)
    return weights._replace(scale=weights.scale * options.factor_scale)


def tensor_stage(
    name: str,
    data: TrainingData,
    settings: ParserSettings,
    options: TensorOptions,
    parts: JackknifedParts,
    examples: Sequence[int],
) -> Stage[Averaged]:
    """Learn by the likelihood of the scorer, with the scores of each tensor in turn added to those of the arcs."""
    kernel = new_tensor(replace(settings, tensor=options), data.templates)
    assert kernel is not None

    def learn(learner: Averaged, number: int) -> float:
        example, second_order = data.examples[number], parts.copy(number)
        sum_of_losses = 0.0
        for tensor in range(options.tensors):
            scored = second_order.adjusted(np.zeros(second_order.core.arcs))
            kernel.add_scores(example.batch, [scored.core], learner.weights, 1.0, tensor)
            loss, step = likelihood_gradient(settings, scored, example, options.margin)
            kernel.add_gradient(learner.learner, tensor, step.core)
            sum_of_losses += loss
        learner.step(options.rate)
        return sum_of_losses / options.tensors

    return replace(
        data.stage(name, options, learn, examples), learner=lambda: new_tensor_learner(options, settings.seed)
    )


def train_tensor(
    data: TrainingData,
    model: ParserModel,
    parts: JackknifedParts,
    dev_candidates: Sequence[Sequence[Candidates]],
    training: Training,
) -> Tensors:
    """Train beside a model of second order; before the tensor, one for each fold if factors learn beside it."""
    settings, options = model.options, model.options.tensor
    assert options is not None
    names = [] if settings.factors is None else fold_names(NAME, len(data.examples))
    folds = []
    for fold, name in enumerate(names):
        single = replace(options, tensors=1, epochs=FOLD_EPOCHS)
        stage = tensor_stage(name, data, settings, single, parts, others(data.decided, fold, len(names)))
        folds.append(training.run(replace(stage, shuffle_key=f"{NAME} {fold}")))

    def parse(weights: Weights) -> list[list[Parse]]:
        return data.parse_dev(replace(model, tensor=weights), dev_candidates)

    def judge(average: Numbers) -> Judgement:
        return data.judge(parse(tensor_weights(options, average)))

    stage = tensor_stage(NAME, data, settings, options, parts, data.decided)
    weights = tensor_weights(options, training.run(replace(stage, judge=judge if data.dev else None)))
    return Tensors(weights, folds, parse(weights))
