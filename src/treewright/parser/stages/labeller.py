"""The labeller of the arcs of trees, which learns on the training trees and is judged on trees of the parser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treewright.decode import Candidates, Parse
from treewright.learn import Averaged, Judgement, Numbers, Stage, StageCost, Training, Weights
from treewright.parser.model import Indices, ParserModel, new_labeller
from treewright.parser.options import ParserSettings
from treewright.parser.partial import is_labelled, per_cent
from treewright.parser.stages.data import TrainingData
from treewright.parser.stages.updates import agreeing_tree
from treewright.parser.worker import Inputs, Worker

NAME = "labeller"
COST = 3.0  # of an epoch, relative to the pruner's; measured roughly


def costs(settings: ParserSettings) -> list[StageCost]:
    """Return the stage with its cost."""
    return [StageCost(NAME, settings.labelling.epochs, COST)]


def complete_trees(data: TrainingData, model: ParserModel, candidates: Sequence[Candidates]) -> list[Indices]:
    """Return the training trees; open heads are those of the model's best tree that has the others."""
    worker, trees = Worker(model), []
    for example, arcs in zip(data.examples, candidates, strict=True):
        tree = example.heads
        if not example.is_complete:
            [parts] = worker.score(Inputs(example.batch, [], []), [arcs])
            tree = agreeing_tree(model.options, parts, example)
        trees.append(tree)
    return trees


def labeller_stage(data: TrainingData, settings: ParserSettings, trees: Sequence[Indices]) -> Stage[Averaged]:
    """Learn by the likelihood of the gold labels among the candidate labels, with a margin."""
    options, labeller = settings.labelling, new_labeller(settings, len(data.labels), data.templates)
    labeller.set_candidates(*data.label_sets)

    def learn(learner: Averaged, number: int) -> float:
        example = data.examples[number]
        loss = labeller.learn(learner.learner, example.batch, [trees[number]], example.labels, options.margin)
        learner.step(options.rate)
        return loss

    return data.stage(NAME, options, learn, data.decided)


def train_labeller(
    data: TrainingData,
    model: ParserModel,
    trees: Sequence[Indices],
    dev_parses: Sequence[Sequence[Parse]],
    training: Training,
) -> Weights:
    """Train the labels of a model without them on training trees, and judge them on the model's development trees."""

    def judge(average: Numbers) -> Judgement:
        worker = Worker(replace(model, labeller=Weights.of(average)))
        right = heads = arcs = 0
        for group, parses in zip(data.dev, dev_parses, strict=True):
            labels, _ = worker.label(group.sentences, group.inputs, [parse.heads for parse in parses])
            for sentence, parse, names in zip(group.sentences, parses, labels, strict=True):
                is_right = parse.heads[1:] == sentence.heads
                heads += int(is_right.sum())
                arcs += int(is_labelled(sentence).sum())
                each = zip(is_right.tolist(), names, sentence.deprels, strict=True)
                right += sum(head and label == gold for head, label, gold in each)
        uas, las = per_cent(heads, data.dev_words), per_cent(right, arcs)
        return Judgement(las, {"uas": uas, "las": las})

    stage = labeller_stage(data, model.options, trees)
    return Weights.of(training.run(replace(stage, judge=judge if data.dev else None)))
