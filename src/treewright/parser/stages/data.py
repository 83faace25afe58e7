"""What every stage of a training reads: training sentences as arrays, and the development set in groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from treewright.corpus import Sentence
from treewright.decode import Candidates, Parse
from treewright.features import Encoder, Templates
from treewright.features.atoms import common_words
from treewright.features.factors import THIRD_ORDER, keep_kinds
from treewright.features.kernels import AtomBatch, Labeller
from treewright.learn import Averaged, Judgement, Stage, Weights
from treewright.parser.decisions import OPEN
from treewright.parser.label_rules import NO_RULES, LabelRules, LabelSets, TagRules
from treewright.parser.model import Indices, ParserModel, new_labeller
from treewright.parser.options import (
    FactorOptions,
    Labelling,
    ParserSettings,
    Pruning,
    ScoringSettings,
    TensorOptions,
)
from treewright.parser.partial import decided_heads, decided_labels, fits_projective_tree, per_cent
from treewright.parser.worker import Inputs, Worker, groups

TableOptions = Pruning | ScoringSettings | Labelling | FactorOptions | TensorOptions


class Example(NamedTuple):
    """A training sentence: atoms, the head and the label of each node, -1 for the root and where they are open.

    projective: the tree is projective; or, if heads are open, a projective tree has the others.
    """

    batch: AtomBatch  # of one sentence
    heads: Indices
    labels: Indices
    projective: bool
    is_complete: bool

    @property
    def decided(self) -> int:
        """The number of words with a head."""
        return int((self.heads[1:] >= 0).sum())


class DevGroup(NamedTuple):
    """Development sentences that are parsed together."""

    sentences: list[Sentence]
    inputs: Inputs


@dataclass(frozen=True)
class TrainingData:
    """The sentences of a training as its stages read them."""

    examples: Sequence[Example]
    dev: Sequence[DevGroup]
    labels: tuple[str, ...]
    label_sets: LabelSets
    label_rules: LabelRules
    common: tuple[str, ...]
    templates: Templates

    @classmethod
    def of(
        cls,
        sentences: Sequence[Sentence],
        dev: Sequence[Sentence],
        settings: ParserSettings,
        templates: Templates,
        label_rules: LabelRules | None,
    ) -> TrainingData:
        """Encode the sentences; the rules about labels are read off them if they are None."""
        used = used_templates(templates, settings)
        labels, common = label_names(sentences), tuple(common_words(sentences, settings.scoring.common))
        encoder, numbers = Encoder(common), {label: number for number, label in enumerate(labels)}
        examples = [new_example(encoder, sentence, numbers, settings.root) for sentence in sentences]
        rules = NO_RULES
        if settings.label_rules:
            rules = label_rules or LabelRules.read(sentences)
        label_sets = read_label_sets(new_labeller(settings, len(labels), used), examples)
        marks = TagRules(rules, labels, label_sets, settings.label_rules).marks
        return cls(
            examples,
            [DevGroup(group, Inputs(encoder.encode(group), [], list(map(marks, group)))) for group in groups(dev)],
            labels,
            label_sets,
            rules,
            common,
            used,
        )

    @property
    def decided(self) -> list[int]:
        """The numbers of the examples with at least one head."""
        return [number for number, example in enumerate(self.examples) if example.is_complete or example.decided > 0]

    def words(self, numbers: Sequence[int]) -> int:
        """Count the words with a head in these examples."""
        return sum(self.examples[number].decided for number in numbers)

    def stage(
        self, name: str, options: TableOptions, learn: Callable[[Averaged, int], float], examples: Sequence[int]
    ) -> Stage[Averaged]:
        """Return the training of a table of weights on some of the examples."""
        return Stage(
            name,
            learner=lambda: Averaged(options.bits, options.adagrad_epsilon),
            learn=learn,
            examples=examples,
            size=self.words(examples),
            epochs=options.epochs,
        )

    def model(self, settings: ParserSettings, **weights: Weights | None) -> ParserModel:
        """Make a model of the weights that are trained; the others are zero."""
        untrained = {
            "pruner": Weights.zeros(settings.pruning.bits),
            "scorer": Weights.zeros(settings.scoring.bits),
            "labeller": Weights.zeros(settings.labelling.bits),
        }
        return ParserModel(
            options=settings,
            labels=self.labels,
            label_sets=self.label_sets,
            common=self.common,
            templates=self.templates,
            label_rules=self.label_rules,
            **untrained | weights,  # type: ignore[arg-type]
        )

    def parse_dev(self, model: ParserModel, candidates: Sequence[Sequence[Candidates]]) -> list[list[Parse]]:
        """Parse the development set over its candidate arcs, group by group."""
        worker, both = Worker(model), zip(self.dev, candidates, strict=True)
        return [worker.trees(group.inputs, arcs, model.projective)[1] for group, arcs in both]

    def right_heads(self, parses: Sequence[Sequence[Parse]]) -> int:
        """Count the right heads in trees of the development set."""
        return sum(
            int((parse.heads[1:] == sentence.heads).sum())
            for group, trees in zip(self.dev, parses, strict=True)
            for sentence, parse in zip(group.sentences, trees, strict=True)
        )

    @property
    def dev_words(self) -> int:
        """The number of words of the development set with a head."""
        return sum(int((sentence.heads >= 0).sum()) for group in self.dev for sentence in group.sentences)

    def judge(self, parses: Sequence[Sequence[Parse]], **figures: float) -> Judgement:
        """Judge trees of the development set by the share of right heads."""
        uas = per_cent(self.right_heads(parses), self.dev_words)
        return Judgement(uas, {"uas": uas, **figures})


def others(numbers: Sequence[int], fold: int, folds: int) -> list[int]:
    """Return the examples that are not in a fold."""
    return [number for number in numbers if number % folds != fold]


def label_names(sentences: Sequence[Sentence]) -> tuple[str, ...]:
    """Return every label, in alphabetical order; "_" is none, unless there is no other."""
    labels = {label for sentence in sentences for label in sentence.deprels}
    return tuple(sorted(labels - {OPEN} or labels))


def read_label_sets(labeller: Labeller, examples: Sequence[Example]) -> LabelSets:
    """Collect the labels seen between two tags in one direction."""
    labels_of: dict[int, set[int]] = {}
    for example in examples:
        heads = np.where(example.heads < 0, 0, example.heads).astype(np.int32)  # open words have no label
        heads[0] = -1
        keys = labeller.keys(example.batch, [heads])
        for key, label in zip(keys[1:].tolist(), example.labels[1:].tolist(), strict=True):
            if label >= 0:
                labels_of.setdefault(key, set()).add(label)
    return LabelSets.of(labels_of)


def new_example(encoder: Encoder, sentence: Sentence, numbers: dict[str, int], root: str) -> Example:
    """Return a training sentence as arrays."""
    heads = decided_heads(sentence, tuple(numbers), root)
    labels = decided_labels(sentence, heads, numbers)
    is_complete = bool((heads[1:] >= 0).all())
    return Example(encoder.encode([sentence]), heads, labels, fits_projective_tree(heads), is_complete)


def used_templates(templates: Templates, settings: ParserSettings) -> Templates:
    """Return the templates that a model with these settings has."""
    if settings.factors is None:
        templates = templates._replace(factors=())
    elif settings.model == "third":
        templates = templates._replace(factors=keep_kinds(templates.factors, THIRD_ORDER))
    if settings.tensor is None:
        templates = templates._replace(tensor=())
    return templates._replace(beyond=()) if settings.projective else templates
