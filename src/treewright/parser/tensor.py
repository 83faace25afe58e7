"""The parameters of a tensor in training: how they begin, are averaged and stored, and which words it reads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treewright.features.scoring import TENSOR_DISTANCES
from treewright.learn import Averaged, Numbers, Weights
from treewright.parser.options import ParserSettings, TensorOptions
from treewright.words import Words


def kept_words(settings: ParserSettings, words: Words | None) -> Words | None:
    """The words whose vectors a parser keeps; None without a tensor, which alone reads them, or without vectors."""
    if settings.tensor is None or words is None or words.size == 0:
        return None
    return words.keep(settings.tensor.vectors, classes=0)


def with_tensors(settings: ParserSettings, tensors: int) -> ParserSettings:
    """The settings with another number of tensors, if there are any."""
    if settings.tensor is None:
        return settings
    return replace(settings, tensor=replace(settings.tensor, tensors=tensors))


class AveragedTensor(Averaged):
    """Parameters of a tensor. Those of features that never occurred are still random: their average is zero."""

    def average(self) -> Numbers:
        """The mean of the parameters before the first step and after each; zero where no step changed them."""
        squares = self.memory[:, 0]
        return np.where(squares > 0, super().average(), np.float32(0))


def new_tensor_learner(settings: TensorOptions, seed: int) -> Averaged:
    """Parameters that begin with random rows, since the gradient of zero rows is zero; at first distances are alike."""
    learner = AveragedTensor(settings.bits, settings.adagrad_epsilon)
    width = settings.rank * settings.tensors
    random = np.random.default_rng([seed, width])
    learner.weights[:] = random.uniform(-settings.initial, settings.initial, len(learner.weights))
    distances = learner.weights[: TENSOR_DISTANCES * width]
    distances[:] = 0
    distances[:width] = 1
    return learner


def tensor_weights(settings: TensorOptions, average: Numbers) -> Weights:
    """The parameters as a model stores them, with the scale of the scores."""
    weights = Weights.of(average)
    return weights._replace(scale=weights.scale * settings.factor_scale)
