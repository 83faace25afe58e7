"""A trained parser as data (options, labels, weights), and the kernels that score with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.features import Templates, atom_number
from treewright.features.factors import KINDS, keep_kinds, tree_scorer
from treewright.features.kernels import Labeller, Scorer, TensorScorer, TreeScorer
from treewright.features.standard import STANDARD
from treewright.features.templates import arc_tables, label_tables, part_tables, tensor_tables
from treewright.graphs.model import GraphModel
from treewright.learn import Calibration, Weights
from treewright.network import Network
from treewright.parser.label_rules import NO_RULES, LabelRules, LabelSets
from treewright.parser.options import ParserSettings

Indices = NDArray[np.int32]
Confidence = NDArray[np.float64]


class Calibrations(NamedTuple):
    """Calibration of head and label probabilities, fitted on held-out data; labels are those of right heads."""

    head: Calibration
    label: Calibration


# Of models that were trained without development data. The temperature of the heads is that of models of English-EWT
# (benchmarks/accuracy/calibration.py).
UNCALIBRATED = Calibrations(Calibration(temperature=2.0), Calibration())


@dataclass(frozen=True, eq=False)
class ParserModel:
    """A trained parser as data; `metadata` describe its training data."""

    options: ParserSettings
    labels: tuple[str, ...]
    label_sets: LabelSets
    common: tuple[str, ...]
    pruner: Weights
    scorer: Weights
    labeller: Weights
    templates: Templates = STANDARD
    metadata: Mapping[str, Any] = field(default_factory=dict)
    label_rules: LabelRules = NO_RULES
    calibration: Calibrations | None = None  # None: not measured, UNCALIBRATED is used
    graphs: GraphModel | None = None  # finds the edges of graphs beside those of the tree
    network: Network | None = None  # its scores, times the factors `options.network`, are added to those of the weights
    linear_calibration: Calibrations | None = None  # without the network, if there is one
    factors: Weights | None = None  # of third-order parts and global features
    tensor: Weights | None = None  # of the tensor that scores arcs

    @property
    def calibrations(self) -> Calibrations:
        """The calibration, or what stands in for it."""
        return UNCALIBRATED if self.calibration is None else self.calibration

    @property
    def projective(self) -> bool:
        """Whether trees are projective by default."""
        return self.options.projective

    @property
    def root(self) -> str:
        """ "single" or "multi"."""
        return self.options.root


def label_width(labels: int) -> int:
    """Return the cells that a row of label weights takes: a power of two."""
    width = 4
    while width < labels:
        width *= 2
    return width


def new_pruner(options: ParserSettings, templates: Templates) -> Scorer:
    """Make the kernel that scores all arcs."""
    return Scorer(arc_tables(templates.pruner), options.pruning.bits)


def new_scorer(options: ParserSettings, templates: Templates) -> Scorer:
    """Make the kernel that scores the parts over candidate arcs."""
    tables = part_tables(templates, siblings=options.siblings, grandparents=options.grandparents)
    return Scorer(tables, options.scoring.bits)


def new_labeller(options: ParserSettings, labels: int, templates: Templates) -> Labeller:
    """Make the kernel that scores labels."""
    tables = label_tables(templates.label)
    return Labeller(tables, options.labelling.bits, labels, label_width(labels), atom_number("upos"))


def new_tree_scorer(options: ParserSettings, templates: Templates) -> TreeScorer | None:
    """Make the kernel that scores third-order parts and global features; None for models that have none."""
    if options.factors is None:
        return None
    kinds = [kind for kind in KINDS if kind != "nonprojective" or not options.projective]
    return tree_scorer(keep_kinds(templates.factors, kinds), options.factors.bits, style=options.factors.style)


def new_tensor(options: ParserSettings, templates: Templates) -> TensorScorer | None:
    """Make the kernel of the tensor that scores arcs; None for models that have none."""
    settings = options.tensor
    if settings is None:
        return None
    return TensorScorer(tensor_tables(templates.tensor), settings.bits, settings.rank, settings.tensors)
