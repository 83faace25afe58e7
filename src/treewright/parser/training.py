"""Training: candidate arcs from a jackknifed pruner, then the parts, then the labels.

Each stage is a number of epochs over the training sentences in an order that depends on seed, stage and epoch alone,
so that training can go on from the end of any epoch and finish with the same weights to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from treewright import decode, trees
from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.features import Encoded, Encoder, Labeller, Scorer, Templates, common_words
from treewright.features.standard import STANDARD
from treewright.learn import (
    Averaged,
    Numbers,
    Weights,
    add_margin,
    arc_gradient,
    automata_difference,
    nonprojective_gradient,
    projective_gradient,
    step_size,
    tree_difference,
)
from treewright.parser.model import (
    Candidates,
    Indices,
    LabelSets,
    Model,
    Worker,
    candidates,
    new_labeller,
    new_pruner,
    new_scorer,
)
from treewright.parser.options import FLOOR, Labelling, Options, Pruning, Scoring, epochs_of, fitted

ROUNDS = 5  # of messages between a tree and its heads where arcs may cross
SEARCH = 10  # nodes of the search for one wrong tree where arcs may cross: a good one will do
FEW_NON_PROJECTIVE = 0.002  # of the arcs: below it trees are taken to be projective


class Example(NamedTuple):
    """A training sentence: atoms, the head of each node (-1 for the root), the label of each node (-1 for the root)."""

    encoded: Encoded
    heads: Indices
    labels: Indices
    projective: bool


@dataclass(frozen=True)
class Report:
    """How far training is, at the end of an epoch."""

    stage: str
    epoch: int  # counted from 1
    epochs: int
    loss: float  # mean over words
    uas: float | None = None  # on the development set, in per cent
    las: float | None = None
    oracle: float | None = None  # how many gold heads of the development set survive pruning, in per cent


class Judgement(NamedTuple):
    """What the development set says about weights: the score that chooses the epoch, and figures for the report."""

    score: float
    uas: float | None = None
    las: float | None = None
    oracle: float | None = None


@dataclass
class State:
    """Where training stands at the end of an epoch: enough to go on from there."""

    weights: dict[str, Numbers] = field(default_factory=dict)  # of the stages that are done
    stage: str = ""  # the one under way
    epoch: int = 0  # how many epochs of it are done
    steps: int = 0
    learned: Numbers | None = None  # weights and memory of its learner
    memory: Numbers | None = None
    earlier: Numbers | None = None  # the sum of the weights of its earlier runs
    best: Numbers | None = None  # of its epochs on the development set
    best_score: float = -1.0


@dataclass(frozen=True)
class Stage:
    """A model that learns: `learn` takes a step by one example and returns its loss; `judge` is its dev score."""

    name: str
    rules: Pruning | Scoring | Labelling
    examples: Sequence[int]
    learn: Callable[[Averaged, int], float]
    judge: Callable[[Weights], Judgement] | None = None


class Trainer:
    """Trains a parser; `state` is renewed at the end of each epoch and may be given to another to go on."""

    def __init__(
        self,
        sentences: Sequence[Sentence],
        dev: Sequence[Sentence],
        options: Options,
        *,
        templates: Templates = STANDARD,
        state: State | None = None,
        report: Callable[[Report], None] | None = None,
        checkpoint: Callable[[State], None] | None = None,
        progress: Callable[[str, int, int, int], None] | None = None,
    ) -> None:
        check_treebank(sentences, "training")
        self.sentences, self.dev = sentences, dev
        self.options = decided(options, sentences)
        self.templates = templates._replace(beyond=()) if self.options.projective else templates
        self._asks_dev = options.projective is None and not self.options.projective and bool(dev)
        self.labels = label_names(sentences)
        self.common = tuple(common_words(sentences, options.scoring.common))
        self.state = state or State()
        self._report, self._checkpoint, self._progress = report, checkpoint, progress
        encoder = Encoder(self.common)
        numbers = {label: number for number, label in enumerate(self.labels)}
        self.examples = [example(encoder, sentence, numbers) for sentence in sentences]
        self.label_sets = label_sets(new_labeller(self.options, len(self.labels), self.templates), self.examples)
        self.projective = bool(self.options.projective)
        self.root = self.options.root or "single"
        self.candidates: list[Candidates] = []
        self._pruned_dev: dict[bool, list[Candidates]] = {}
        self._best_trees: list[Indices] | None = None  # of the development set

    def run(self) -> Model:
        """Every stage that is not done yet, and the model."""
        for stage in self._stages():
            if stage.name not in self.state.weights:
                self._run_stage(stage)
        return self._model(self._done("pruner"), self._done("scorer"), self._done("labeller"))

    def _done(self, stage: str) -> Weights:
        """The weights of a stage that is done, as the model will have them."""
        return Weights.of(self.state.weights[stage])

    # -- the stages

    def _stages(self) -> Iterator[Stage]:
        everyone = range(len(self.examples))
        pruning = self.options.pruning
        folds = min(pruning.folds, len(everyone))
        for fold in range(folds if folds > 1 else 0):
            others = [number for number in everyone if number % folds != fold]
            yield Stage(f"fold {fold + 1}", pruning, others, self._pruner_learns())
        yield Stage("pruner", pruning, everyone, self._pruner_learns())
        self._prune_training_data(folds)
        yield Stage("scorer", self.options.scoring, everyone, self._scorer_learns(), self._judge_scorer)
        if self._asks_dev:
            self._choose_projectivity()
        yield Stage("labeller", self.options.labelling, everyone, self._labeller_learns(), self._judge_labeller)

    def _run_stage(self, stage: Stage) -> None:
        state, rules = self.state, stage.rules
        learner = Averaged(rules.bits, FLOOR if rules.floor is None else rules.floor)
        if state.stage == stage.name and state.learned is not None and state.memory is not None:
            learner.restore(state.learned, state.memory, state.steps)
        else:
            state = self.state = State(weights=state.weights, stage=stage.name)
        words = sum(len(self.sentences[number]) for number in stage.examples)
        epochs = epochs_of(rules, len(stage.examples))
        begins = beginnings(epochs, rules.runs or 1) if isinstance(rules, Scoring) else [0]
        for epoch in range(state.epoch, epochs):
            if epoch in begins[1:]:
                average = learner.average()
                state.earlier = average if state.earlier is None else state.earlier + average
                learner.forget()
            loss = 0.0
            for done, number in enumerate(shuffled(stage.examples, self.options.seed, stage.name, epoch)):
                if self._progress:
                    self._progress(stage.name, epoch, done, len(stage.examples))
                loss += stage.learn(learner, number)
            is_due = is_judged(epoch, epochs, begins)
            judged = self._judge(stage, learner, epoch, begins) if is_due else Judgement(float(epoch))
            state.epoch, state.steps = epoch + 1, learner.steps
            state.learned, state.memory = learner.weights, learner.memory
            if self._checkpoint:
                self._checkpoint(state)
            if self._report:
                self._report(Report(stage.name, epoch + 1, epochs, loss / words, *judged[1:]))
        self.state = State(weights={**state.weights, stage.name: best_of(state)})

    def _judge(self, stage: Stage, learner: Averaged, epoch: int, begins: Sequence[int]) -> Judgement:
        """Compare the mean of all runs so far with the best one, and keep the better."""
        state, average = self.state, learner.average()
        if state.earlier is not None:
            average += state.earlier
            average /= sum(begin <= epoch for begin in begins)
        judged = stage.judge(Weights.of(average)) if stage.judge and self.dev else Judgement(float(epoch))
        if state.best is None or judged.score > state.best_score:
            state.best, state.best_score = average, judged.score
        return judged

    def _pruner_learns(self) -> Callable[[Averaged, int], float]:
        pruner = new_pruner(self.options, self.templates)

        def learn(learner: Averaged, number: int) -> float:
            example = self.examples[number]
            pruner.open(example.encoded.atoms, example.encoded.each, False)
            arc = pruner.arcs(learner.weights, 1.0)
            missed, step = arc_gradient(arc, example.heads, self.projective, self.root == "single")
            pruner.add_arcs(learner.learner, step)
            learner.step(self.options.pruning.rate)
            return missed

        return learn

    def _prune_training_data(self, folds: int) -> None:
        names = [f"fold {fold + 1}" for fold in range(folds)] if folds > 1 else ["pruner"]
        weights = [self._done(name) for name in names]
        pruner = new_pruner(self.options, self.templates)
        for number, example in enumerate(self.examples):
            judge = weights[number % len(weights)]
            self.candidates.append(
                candidates(pruner, judge, example.encoded, self.options, self.projective, example.heads)
            )

    def _scorer_learns(self) -> Callable[[Averaged, int], float]:
        options, scorer = self.options, new_scorer(self.options, self.templates)
        update = {"crf": self._likelihood, "perceptron": self._perceptron, "mira": self._mira, "pa": self._passive}
        chosen = update[options.learner]

        def learn(learner: Averaged, number: int) -> float:
            example, arcs = self.examples[number], self.candidates[number]
            scorer.open(example.encoded.atoms, example.encoded.each, options.siblings)
            core = scorer.parts(arcs.head, arcs.modifier, options.siblings, options.grandparents, learner.weights, 1.0)
            return chosen(scorer, learner, decode.Parts.of(core), example)

        return learn

    def _likelihood(self, scorer: Scorer, learner: Averaged, parts: decode.Parts, example: Example) -> float:
        """Log-linear over all trees, every wrong arc raised by a cost (Gimpel & Smith 2010)."""
        add_margin(parts.core, example.heads, self.options.scoring.cost)
        single = self.root == "single"
        if self.projective:
            loss, step = projective_gradient(parts.core, example.heads, single, not example.projective)
        else:
            loss, step = nonprojective_gradient(parts.core, example.heads, single, ROUNDS)
        scorer.add_parts(learner.learner, step)
        learner.step(self.options.scoring.rate)
        return loss

    def _perceptron(self, scorer: Scorer, learner: Averaged, parts: decode.Parts, example: Example) -> float:
        """Every head by itself, with no thought for the tree (Koo et al. 2010)."""
        missed, step = automata_difference(parts.core, example.heads)
        scorer.add_parts(learner.learner, step)
        learner.move(1.0)
        return missed

    def _mira(self, scorer: Scorer, learner: Averaged, parts: decode.Parts, example: Example) -> float:
        """The best tree, and the shortest step after which it is worse by the number of its errors (McDonald 2006)."""
        found = self._best_tree(parts)
        missed = int((found != example.heads).sum())
        scorer.add_parts(learner.learner, tree_difference(parts.core, example.heads, found))
        short = missed - parts.value(example.heads) + parts.value(found)
        learner.move(step_size(short, learner.squared_length()))
        return float(missed)

    def _passive(self, scorer: Scorer, learner: Averaged, parts: decode.Parts, example: Example) -> float:
        """The best tree when errors are rewarded, and a short step away from it (Crammer et al. 2006)."""
        add_margin(parts.core, example.heads, self.options.scoring.cost)
        found = self._best_tree(parts)
        scorer.add_parts(learner.learner, tree_difference(parts.core, example.heads, found))
        loss = parts.value(found) - parts.value(example.heads)
        learner.move(step_size(loss, learner.squared_length(), self.options.scoring.most))
        return max(loss, 0.0)

    def _best_tree(self, parts: decode.Parts) -> Indices:
        rules: dict[str, Any] = {} if self.projective else {"max_nodes": SEARCH}
        return decode.tree(parts, projective=self.projective, root=self.root, **rules).heads

    def _labeller_learns(self) -> Callable[[Averaged, int], float]:
        labeller = new_labeller(self.options, len(self.labels), self.templates)
        labeller.set_candidates(*self.label_sets)

        def learn(learner: Averaged, number: int) -> float:
            example = self.examples[number]
            labeller.open(example.encoded.atoms, example.encoded.each, example.heads)
            loss = labeller.learn(learner.learner, example.labels, self.options.labelling.cost)
            learner.step(self.options.labelling.rate)
            return loss

        return learn

    # -- development scores

    def _model(self, pruner: Weights, scorer: Weights, labeller: Weights) -> Model:
        return Model(
            self.options, self.labels, self.label_sets, self.common, pruner, scorer, labeller, templates=self.templates
        )

    @cached_property
    def _encoded_dev(self) -> list[Encoded]:
        encoder = Encoder(self.common)
        return [encoder.encode(sentence) for sentence in self.dev]

    def _dev_candidates(self, projective: bool) -> list[Candidates]:
        """The development set, pruned once for each kind of trees."""
        if projective not in self._pruned_dev:
            nobody = nothing(self.options.scoring), nothing(self.options.labelling)
            worker = Worker(self._model(self._done("pruner"), *nobody))
            self._pruned_dev[projective] = [worker.prune(atoms, projective) for atoms in self._encoded_dev]
        return self._pruned_dev[projective]

    def _dev_trees(self, scorer: Weights, projective: bool) -> list[Indices]:
        worker = Worker(self._model(self._done("pruner"), scorer, nothing(self.options.labelling)))
        both = zip(self._encoded_dev, self._dev_candidates(projective), strict=True)
        return [worker.tree(atoms, arcs, projective).heads for atoms, arcs in both]

    def _right_heads(self, found: Sequence[Indices]) -> int:
        both = zip(self.dev, found, strict=True)
        return sum(int((heads[1:] == sentence.heads).sum()) for sentence, heads in both)

    def _judge_scorer(self, weights: Weights) -> Judgement:
        words = sum(map(len, self.dev))
        kept = sum(
            int((sentence.heads[arcs.modifier - 1] == arcs.head).sum())
            for sentence, arcs in zip(self.dev, self._dev_candidates(self.projective), strict=True)
        )
        trees = self._dev_trees(weights, self.projective)
        uas = 100 * self._right_heads(trees) / words
        if uas > self.state.best_score:
            self._best_trees = trees
        return Judgement(uas, uas, oracle=100 * kept / words)

    def _choose_projectivity(self) -> None:
        """One scorer, learned from all trees, decodes the development set with crossing arcs and without."""
        trees = self._dev_trees(self._done("scorer"), True)
        if self._right_heads(trees) > self._right_heads(self._best_dev_trees()):
            self.options, self.projective = replace(self.options, projective=True), True
            self._best_trees = trees

    def _best_dev_trees(self) -> list[Indices]:
        """By the scorer that is done; known already unless training went on from a checkpoint."""
        if self._best_trees is None:
            self._best_trees = self._dev_trees(self._done("scorer"), self.projective)
        return self._best_trees

    def _judge_labeller(self, weights: Weights) -> Judgement:
        worker = Worker(self._model(self._done("pruner"), nothing(self.options.scoring), weights))
        right = heads = words = 0
        for sentence, atoms, tree in zip(self.dev, self._encoded_dev, self._best_dev_trees(), strict=True):
            same = tree[1:] == sentence.heads
            heads += int(same.sum())
            labels = zip(worker.label(atoms, tree), sentence.deprels, same.tolist(), strict=True)
            right += sum(head and found == gold for found, gold, head in labels)
            words += len(sentence)
        return Judgement(100 * right / words, 100 * heads / words, 100 * right / words)


def nothing(rules: Scoring | Labelling) -> Weights:
    """Weights for a stage that is not asked."""
    return Weights(np.zeros(1 << rules.bits, dtype=np.int8), 1.0)


def best_of(state: State) -> Numbers:
    """The weights of the best epoch."""
    if state.best is None:
        raise InputError(f"{state.stage}: training wants at least one epoch")
    return state.best


def beginnings(epochs: int, runs: int) -> list[int]:
    """The epochs with which runs begin, each of at least two.

    >>> beginnings(8, 4), beginnings(5, 2), beginnings(3, 4)
    ([0, 2, 4, 6], [0, 2], [0])
    """
    runs = max(1, min(runs, epochs // 2))
    return [run * (epochs // runs) for run in range(runs)]


def is_judged(epoch: int, epochs: int, begins: Sequence[int]) -> bool:
    """Whether weights are compared after an epoch: after each of a single run, after the last of each of several.

    >>> [is_judged(epoch, 5, [0]) for epoch in range(5)], [is_judged(epoch, 5, [0, 2]) for epoch in range(5)]
    ([True, True, True, True, True], [False, True, False, False, True])
    """
    return len(begins) == 1 or epoch + 1 == epochs or epoch + 1 in begins


def shuffled(numbers: Sequence[int], seed: int, stage: str, epoch: int) -> list[int]:
    """The order of an epoch."""
    key = [seed, epoch, *stage.encode()]
    order = np.random.default_rng(key).permutation(len(numbers))
    return [numbers[place] for place in order.tolist()]


def check_treebank(sentences: Sequence[Sentence], name: str) -> None:
    """Every sentence must have a tree, and there must be some."""
    if not sentences:
        raise InputError(f"the {name} data has no sentences")
    for sentence in sentences:
        sentence.check("tree")


def label_names(sentences: Sequence[Sentence]) -> tuple[str, ...]:
    """Every label, in alphabetical order."""
    return tuple(sorted({label for sentence in sentences for label in sentence.deprels}))


def label_sets(labeller: Labeller, examples: Sequence[Example]) -> LabelSets:
    """Which labels stand between two tags in one direction."""
    found: dict[int, set[int]] = {}
    for one in examples:
        labeller.open(one.encoded.atoms, one.encoded.each, one.heads)
        for key, label in zip(labeller.keys()[1:].tolist(), one.labels[1:].tolist(), strict=True):
            found.setdefault(key, set()).add(label)
    keys = sorted(found)
    begin = np.cumsum([0, *(len(found[key]) for key in keys)], dtype=np.int32)
    label = np.array([label for key in keys for label in sorted(found[key])], dtype=np.int32)
    return LabelSets(np.array(keys, dtype=np.uint32), begin, label)


def example(encoder: Encoder, sentence: Sentence, numbers: dict[str, int]) -> Example:
    """A sentence as the kernels take it."""
    heads = trees.from_conll(sentence.heads)
    labels = np.array([-1, *(numbers[label] for label in sentence.deprels)], dtype=np.int32)
    return Example(encoder.encode(sentence), heads, labels, trees.is_projective(heads))


def decided(options: Options, sentences: Sequence[Sentence]) -> Options:
    """What was left open, read off the training data: one root or several; projective, where hardly any arc crosses."""
    root, projective = options.root, options.projective
    if root is None:
        root = "single" if all(int((sentence.heads == 0).sum()) == 1 for sentence in sentences) else "multi"
    if projective is None:
        crossing = arcs = 0
        for sentence in sentences:
            crossing += len(trees.nonprojective_arcs(trees.from_conll(sentence.heads)))
            arcs += len(sentence)
        projective = crossing < FEW_NON_PROJECTIVE * arcs
    scoring = fitted(options, len(sentences), sum(map(len, sentences)))
    return replace(options, root=root, projective=projective, scoring=scoring)
