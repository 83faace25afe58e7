"""Learning by the search itself (Zhang et al. 2014): one online loop over all weights, against cost-augmented trees.

For each training sentence the search finds the tree with the highest sum of its value and its number of wrong heads;
all weights together take the passive-aggressive step (PA-I; Crammer et al. 2006) away from it: arcs, siblings,
grandparents, third-order parts and global features. The tensor, whose scores are not linear in its parameters, takes an
AdaGrad step by the same difference of trees (Lei et al. 2014 update its components one after the other). The search is
randomized hill climbing with restarts, or, for models of second order, dual decomposition as published. Weights are
averaged. Candidate arcs are chosen by the pruner of `treewright.parser`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from treewright import decode
from treewright.corpus import Sentence
from treewright.decode import Candidates, Parts
from treewright.decode.search.climb import restart_options
from treewright.errors import InputError
from treewright.features import Templates
from treewright.learn import Averaged, Numbers, Stage, Training, Weights
from treewright.learn.averaged import step_size
from treewright.learn.gradients import add_margin, tree_difference
from treewright.parser import ParserSettings
from treewright.parser.model import Indices, ParserModel, new_scorer, new_tensor, new_tree_scorer
from treewright.parser.stages.data import TrainingData
from treewright.parser.stages.pruner import prune_examples, train_pruners
from treewright.parser.stages.tensor import new_tensor_learner

Search = Literal["climb", "dd"]
EPOCHS = {"full": 20}  # as published; 10 for the other models
# Of dual decomposition in training, as published. With 200, 45 % of the steps of the third epoch found no violation,
# and UAS was 5 points lower than with 2,000 (150 training sentences of Danish-DDT).
DUAL_ITERATIONS = 5000


@dataclass(frozen=True)
class Climbing:
    """The options of the loop. The published number of restarts without a better tree is 300, in training too."""

    search: Search = "climb"
    epochs: int | None = None  # None: 10, 20 for "full", as published
    patience: int = 10  # restarts without a better tree; fewer than published, for speed; not tuned
    max_step: float = 0.01  # of the passive-aggressive update
    cost: float = 1.0  # of each wrong head


class JointWeights:
    """Several tables of weights that learn together: the learner of one stage."""

    def __init__(self, tables: Mapping[str, Averaged]) -> None:
        self.tables = dict(tables)
        self.steps = 0

    def arrays(self) -> dict[str, Numbers]:
        """Return the arrays of all tables, not copied."""
        return {f"{name} {key}": array for name, table in self.tables.items() for key, array in table.arrays().items()}

    def restore(self, arrays: Mapping[str, Numbers], steps: int) -> None:
        """Continue from a saved state."""
        self.steps = steps
        for name, table in self.tables.items():
            own = {key.removeprefix(f"{name} "): array for key, array in arrays.items() if key.startswith(f"{name} ")}
            table.restore(own, steps)

    def reset(self) -> None:
        """Start again from zero weights; the stage has one restart, so that nothing calls it."""
        raise NotImplementedError

    def average(self) -> Numbers:
        """Return the averages of all tables, one after the other."""
        return np.concatenate([table.average() for table in self.tables.values()])


def split_average(settings: ParserSettings, average: Numbers) -> dict[str, Weights]:
    """Return the weights of each table of a model from the average of its `JointWeights`."""
    options = {"scorer": settings.scoring, "factors": settings.factors, "tensor": settings.tensor}
    sizes = {name: 1 << table.bits for name, table in options.items() if table is not None}
    ends = np.cumsum(list(sizes.values()))
    return dict(zip(sizes, map(Weights.of, np.split(average, ends[:-1])), strict=True))


class Violations:
    """The training sentences under all scores of a model: the tree that violates the margin most, and the step."""

    def __init__(
        self, data: TrainingData, settings: ParserSettings, candidates: Sequence[Candidates], options: Climbing
    ) -> None:
        self.data, self.settings, self.candidates, self.options = data, settings, candidates, options
        self.scorer = new_scorer(settings, data.templates)
        self.tree_scorer = new_tree_scorer(settings, data.templates)
        self.tensor = new_tensor(settings, data.templates)
        if self.tree_scorer is not None and options.search == "dd":
            raise InputError(f"dual decomposition has no form for the model {settings.model!r}; learn by climbing")

    def new_weights(self) -> JointWeights:
        """Make the tables of the model; the parameters of the tensor begin with random numbers."""
        settings = self.settings
        tables = {"scorer": Averaged(settings.scoring.bits, settings.scoring.adagrad_epsilon)}
        if settings.factors is not None:
            tables["factors"] = Averaged(settings.factors.bits, settings.factors.adagrad_epsilon)
        if settings.tensor is not None:
            tables["tensor"] = new_tensor_learner(settings.tensor, settings.seed)
        return JointWeights(tables)

    def parts(self, weights: JointWeights, number: int) -> Parts:
        """Score the arcs, siblings and grandparents of a sentence, the tensor included."""
        settings, example, arcs = self.settings, self.data.examples[number], self.candidates[number]
        kinds = settings.siblings, settings.grandparents
        table = weights.tables["scorer"].weights
        [core] = self.scorer.parts(example.batch, [(arcs.head, arcs.modifier)], *kinds, table, 1.0, False)
        if self.tensor is not None:
            self.tensor.add_scores(example.batch, [core], weights.tables["tensor"].weights, 1.0, 0)
        return Parts.of(core)

    def value(self, weights: JointWeights, number: int, parts: Parts, heads: Indices) -> float:
        """Return the value of a tree under `parts` and the third-order parts and global features."""
        value = parts.value(heads)
        if self.tree_scorer is not None:
            rows, table = heads[None].astype(np.int32), weights.tables["factors"].weights
            value += float(self.tree_scorer.values(self.data.examples[number].batch, rows, table, 1.0)[0])
        return value

    def find(self, weights: JointWeights, number: int, parts: Parts) -> Indices:
        """Search for the best tree under parts with the cost of wrong heads; the number of the step is the seed."""
        settings, options = self.settings, self.options
        if options.search == "dd":
            return decode.tree(
                parts, root=settings.root, method="dd", published=True, max_iterations=DUAL_ITERATIONS
            ).heads
        if self.tree_scorer is None:
            return decode.tree(
                parts, root=settings.root, method="climb", patience=options.patience, seed=weights.steps
            ).heads
        restarts = restart_options(projective=False, root=settings.root, patience=options.patience, seed=weights.steps)
        batch, table = self.data.examples[number].batch, weights.tables["factors"].weights
        [(heads, _, _)] = self.tree_scorer.climb(batch, [parts.core], restarts, None, table, 1.0, math.inf)
        return heads

    def learn(self, weights: JointWeights, number: int) -> float:
        """Take one step; return the loss, by how much the tree found exceeds the gold tree, cost included."""
        example, parts = self.data.examples[number], self.parts(weights, number)
        add_margin(parts.core, example.heads, self.options.cost)
        violator = self.find(weights, number, parts)
        loss = self.value(weights, number, parts, violator) - self.value(weights, number, parts, example.heads)
        difference = tree_difference(parts.core, example.heads, violator)
        linear = [table for name, table in weights.tables.items() if name != "tensor"]
        if loss > 0:
            self.scorer.add_parts(linear[0].learner, difference)
            if self.tree_scorer is not None:
                factors = weights.tables["factors"].learner
                self.tree_scorer.add_difference(factors, example.batch, example.heads, violator)
            if self.tensor is not None:
                self.tensor.add_gradient(weights.tables["tensor"].learner, 0, difference)
        size = step_size(loss, sum(table.squared_length() for table in linear), self.options.max_step)
        for table in linear:
            table.move(size)
        if self.settings.tensor is not None:
            weights.tables["tensor"].step(self.settings.tensor.rate)
        weights.steps += 1
        return max(loss, 0.0)


def train_by_violations(
    sentences: Sequence[Sentence], settings: ParserSettings, templates: Templates, options: Climbing | None = None
) -> ParserModel:
    """Train a parser whose arcs may cross by the search of `options`; it has no weights for labels.

    Sentences with open heads are left out.
    """
    options = options or Climbing()
    if settings.tensor is not None:
        settings = replace(settings, tensor=replace(settings.tensor, tensors=1))
    data, training = TrainingData.of(sentences, [], settings, templates, None), Training(settings.seed)
    pruners = train_pruners(data, settings, training)
    violations = Violations(data, settings, prune_examples(data, settings, pruners), options)
    examples = [number for number in data.decided if data.examples[number].is_complete]
    stage = Stage(
        options.search,
        learner=violations.new_weights,
        learn=violations.learn,
        examples=examples,
        size=data.words(examples),
        epochs=options.epochs or EPOCHS.get(settings.model, 10),
    )
    average = training.run(stage)
    return data.model(settings, pruner=pruners.weights, **split_average(settings, average))
