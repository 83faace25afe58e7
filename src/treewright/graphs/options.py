"""The options of a graph parser."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.checks import Bits, Checked, Count, NotNegative, Positive, Rate


@dataclass(frozen=True)
class GraphOptions(Checked):
    """Options of the training of a graph parser; saved with the model.

    acyclic and keep_tree are those of the training data if None. The numbers were not tuned: with half and
    twice as many epochs, other rates, epsilons, margins and table sizes ELAS from gold trees changes by at most 0.02 on
    the development sets of Danish-DDT and Lithuanian-ALKSNIS.
    """

    seed: Count = 1
    acyclic: bool | None = None  # whether graphs have no cycle
    keep_tree: bool | None = None  # whether every arc of the tree is an edge of the graph
    bits: Bits = 18
    epochs: Positive = 8
    rate: Rate = 0.1
    adagrad_epsilon: NotNegative = 0.1
    margin: NotNegative = 1.0  # for each false positive, each false negative, and each wrong label
    min_paths: Positive = 2  # how often a path must have an edge outside the tree to be considered
    min_labels: Positive = 2  # how often a path must have a label to be considered
