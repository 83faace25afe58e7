"""How grammars are trained: frozen options, saved with the model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from treewright.checks import Checked, Count, NotNegative, Positive, Range, Share
from treewright.grammar.trees import Markov


@dataclass(frozen=True)
class TreebankOptions(Checked):
    """Everything that the training of a treebank grammar depends on beside the data."""

    markov: Markov = field(default_factory=Markov)
    rare_count: Positive = 5  # words seen at most so often are the examples of unknown words


@dataclass(frozen=True)
class LatentOptions(Checked):
    """Everything that the training of a latent-variable grammar depends on beside the data."""

    rounds: Annotated[int, Range(0, 8)] = 4  # of split, merge and smooth
    seed: Count = 1
    rare_count: Positive = 5  # words seen at most so often are the examples of unknown words
    noise: NotNegative = 0.01  # of the weights of siblings after a split; as published
    merge_share: Share = 0.5  # of the splits that a round undoes; as published
    split_iterations: Positive = 50  # of expectation maximisation after a split; as published
    merge_iterations: Positive = 20  # after the merge; as published
    smooth_iterations: Positive = 10  # with smoothing; as published
    rule_smoothing: Share = 0.01  # weight of the mean of the substates of a symbol; as published
    word_smoothing: Share = 0.1  # weight of the mean for words; as published
