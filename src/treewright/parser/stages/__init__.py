"""The training of a parser: stages in order, each a function of what the stages before it found.

| stage | learns |
|---|---|
| `pruner` | arc scores that choose candidate arcs; before it, one for each fold of the training sentences |
| `scorer` | scores of arcs, siblings and grandparents; projectivity is chosen by it |
| `scorer of fold` | the same without a fold, beside which tensor and factors learn |
| `tensor` | a low-rank tensor that scores arcs; before it, one for each fold beside which factors learn |
| `factors` | third-order parts and global features |
| `labeller` | labels of the arcs of trees |
| `graphs` | edges of graphs beside the tree (treewright.graphs) |

Then the probabilities of heads and labels are calibrated on the development set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treewright.corpus import Sentence
from treewright.features import Templates
from treewright.graphs.training import Trainer as GraphTrainer
from treewright.graphs.training import checked_examples
from treewright.learn import StageCost, Training
from treewright.learn.calibration import calibration_report
from treewright.parser.calibration import calibrate
from treewright.parser.label_rules import LabelRules
from treewright.parser.model import ParserModel
from treewright.parser.options import ParserOptions, ParserSettings
from treewright.parser.stages import factors, labeller, pruner, scorer, tensor
from treewright.parser.stages.data import TrainingData
from treewright.parser.stages.updates import Update

GRAPHS_COST = 0.5  # of an epoch, relative to the pruner's; measured roughly


def stage_costs(settings: ParserSettings, sentences: int) -> list[StageCost]:
    """Return the stages of a training on so many sentences, in order."""
    return [
        *pruner.costs(settings, sentences),
        *scorer.costs(settings, sentences),
        *tensor.costs(settings, sentences),
        *factors.costs(settings),
        *labeller.costs(settings),
        *([StageCost("graphs", settings.graphs.epochs, GRAPHS_COST)] if settings.graphs else []),
    ]


def train_model(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence],
    settings: ParserSettings,
    training: Training,
    *,
    templates: Templates,
    label_rules: LabelRules | None = None,
    update: Update | None = None,
) -> ParserModel:
    """Run the stages that are left, and return the model.

    update: a step of the scorer other than that of the learner in the settings.
    """
    graphs = None
    if settings.graphs:
        graphs = GraphTrainer(with_heads(sentences), with_heads(dev), settings.graphs)
    data = TrainingData.of(sentences, dev, settings, templates, label_rules)
    pruners = pruner.train_pruners(data, settings, training)
    candidates = pruner.prune_examples(data, settings, pruners)
    scored = scorer.train_scorer(data, settings, pruners, candidates, training, update)
    model = data.model(scored.settings, pruner=pruners.weights, scorer=scored.weights)
    trees = labeller.complete_trees(data, replace(model, options=settings), candidates)
    dev_parses = scored.parses
    if scorer.is_jackknifed(settings):
        parts = scorer.train_jackknifed_scorers(data, settings, candidates, training, update)
        fold_tensors = []
        if settings.tensor is not None:
            tensors = tensor.train_tensor(data, model, parts, scored.candidates, training)
            model, fold_tensors, dev_parses = replace(model, tensor=tensors.weights), tensors.folds, tensors.parses
        if settings.factors is not None:
            weights, dev_parses = factors.train_factors(
                data, model, parts, fold_tensors, scored.candidates, dev_parses, training
            )
            model = replace(model, factors=weights)
    model = replace(model, labeller=labeller.train_labeller(data, model, trees, dev_parses, training))
    if graphs is not None:
        model = replace(model, graphs=graphs.model(training.run(graphs.stage())))
    calibration = calibrate(model, dev)
    if calibration:
        training.report(calibration_report(calibration._asdict()))
    return replace(model, calibration=calibration)


def with_heads(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences without an open head."""
    return [sentence for sentence in sentences if -1 not in sentence.head_numbers()]


def check_graphs(sentences: Sequence[Sentence], options: ParserOptions | ParserSettings) -> None:
    """Raise an error if a graph parser is asked for and cannot learn from these sentences."""
    if options.graphs is not None:
        checked_examples(with_heads(sentences), options.graphs)
