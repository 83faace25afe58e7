"""Third-order parts and global features, which are scored beside the second-order parts and found by hill climbing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treewright.decode import Candidates, Parse
from treewright.learn import Averaged, Judgement, Numbers, Stage, StageCost, Training, Weights
from treewright.parser.model import ParserModel, new_tensor, new_tree_scorer
from treewright.parser.options import FactorOptions, ParserSettings
from treewright.parser.stages.data import TrainingData
from treewright.parser.stages.scorer import JackknifedParts
from treewright.parser.stages.updates import is_single
from treewright.parser.worker import Worker

NAME = "factors"
COSTS = {"third": 16.0, "full": 24.0}  # of an epoch, relative to the pruner's; measured roughly


def costs(settings: ParserSettings) -> list[StageCost]:
    """Return the stage with its cost, if the model has it."""
    return [] if settings.factors is None else [StageCost(NAME, settings.factors.epochs, COSTS[settings.model])]


def options_of(settings: ParserSettings) -> FactorOptions:
    """Return the settings of the factors of a model that has them."""
    assert settings.factors is not None
    return settings.factors


def factor_stage(
    data: TrainingData,
    settings: ParserSettings,
    parts: JackknifedParts,
    tensors: Sequence[Numbers],
) -> Stage[Averaged]:
    """Learn the head of each word among those that it could move to: pseudo-likelihood with a margin.

    The second-order scores beside it are those of jackknifed scorers and tensors.
    """
    options, kernel = options_of(settings), new_tree_scorer(settings, data.templates)
    tensor_options = None if settings.tensor is None else replace(settings.tensor, tensors=1)
    tensor = new_tensor(replace(settings, tensor=tensor_options), data.templates)
    assert kernel is not None

    def learn(learner: Averaged, number: int) -> float:
        example = data.examples[number]
        if settings.projective and not example.projective:
            return 0.0
        second_order = parts.copy(number)
        if tensor is not None and tensor_options is not None and tensors:
            weights = tensors[number % len(tensors)]
            tensor.add_scores(example.batch, [second_order.core], weights, tensor_options.factor_scale)
        shape = is_single(settings), settings.projective
        step = learner.learner, example.batch, second_order.core, example.heads
        loss = kernel.add_choices(*step, *shape, options.margin)
        learner.step(options.rate)
        return loss

    stage = data.stage(NAME, options, learn, data.decided)
    return replace(stage, examples=[number for number in stage.examples if data.examples[number].is_complete])


def train_factors(
    data: TrainingData,
    model: ParserModel,
    parts: JackknifedParts,
    tensors: Sequence[Numbers],
    dev_candidates: Sequence[Sequence[Candidates]],
    dev_parses: Sequence[Sequence[Parse]],
    training: Training,
) -> tuple[Weights, list[list[Parse]]]:
    """Train beside a model of second order; return the weights and the trees of the development set.

    dev_parses are those of the model, from which climbs begin.
    """
    settings = model.options
    scorer = Worker(model)
    scored = [scorer.score(group.inputs, arcs) for group, arcs in zip(data.dev, dev_candidates, strict=True)]

    def parse(weights: Weights) -> list[list[Parse]]:
        worker = Worker(replace(model, factors=weights))
        each = zip(data.dev, scored, dev_parses, strict=True)
        return [
            worker.climb(group.inputs, scores, starts, settings.projective, settings.root, {})
            for group, scores, starts in each
        ]

    def judge(average: Numbers) -> Judgement:
        return data.judge(parse(scaled_weights(settings, average)))

    stage = factor_stage(data, settings, parts, tensors)
    weights = scaled_weights(settings, training.run(replace(stage, judge=judge if data.dev else None)))
    return weights, parse(weights)


def scaled_weights(settings: ParserSettings, average: Numbers) -> Weights:
    """Return the weights to use beside the final scorer, which is surer than those of the jackknifing."""
    weights = Weights.of(average)
    return weights._replace(scale=weights.scale * options_of(settings).scale)
