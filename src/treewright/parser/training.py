"""Training a parser: candidate arcs from a jackknifed pruner, then the parts, then the labels (treewright.learn)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from treewright import decode
from treewright.caching import cached_property
from treewright.corpus import Sentence
from treewright.decode import Candidates
from treewright.features import Encoded, Encoder, Scorer, Templates, TensorScorer, common_words
from treewright.features.factors import GROUPS, without_groups
from treewright.features.standard import STANDARD
from treewright.graphs.training import Trainer as GraphTrainer
from treewright.graphs.training import checked_examples
from treewright.learn import (
    Averaged,
    Judgement,
    Numbers,
    Observer,
    Stage,
    State,
    Weights,
    arc_gradient,
    calibration_report,
    run,
)
from treewright.parser.calibration import calibrate
from treewright.parser.examples import Example, example, label_names, label_sets
from treewright.parser.label_rules import NO_RULES, LabelRules
from treewright.parser.model import (
    Indices,
    ParserModel,
    Worker,
    new_labeller,
    new_pruner,
    new_scorer,
    new_tensor,
    new_tree_scorer,
    pruning,
    tensor_vectors,
)
from treewright.parser.options import (
    Labelling,
    ParserOptions,
    ParserSettings,
    Pruning,
    ScoringSettings,
    resolve,
)
from treewright.parser.partial import (
    check_treebanks,
    is_labelled,
    per_cent,
)
from treewright.parser.tensor import kept_words, new_tensor_learner, tensor_weights, with_tensors
from treewright.parser.tensor_start import decomposed_weights
from treewright.parser.updates import (
    FACTOR_UPDATES,
    TENSOR_UPDATES,
    UPDATES,
    agreeing_tree,
    factors_of,
    is_single,
    tensor_of,
)
from treewright.words import Words

# Jackknifing: a tensor and factors learn beside the scores of scorers that were trained without the sentence.
FOLDS, FOLD_EPOCHS = 2, 2  # by convention; epochs are those of each restart of the scorer itself
# Their scores are kept from epoch to epoch: about 1 kB a word, so that half a gigabyte is the limit, by convention.
MAX_KEPT_WORDS = 500_000

LearnStep = Callable[[Averaged, int], float]


def check_graphs(sentences: Sequence[Sentence], options: ParserOptions | ParserSettings) -> None:
    """Raise an error if a graph parser is asked for and cannot learn from these sentences."""
    if options.graphs is not None:
        checked_examples(with_heads(sentences), options.graphs)


def with_heads(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences without an open head."""
    return [sentence for sentence in sentences if -1 not in sentence.head_numbers()]


class Trainer:
    """The stages of a training and what they share: examples, candidate arcs, development data."""

    def __init__(
        self,
        sentences: Sequence[Sentence],
        dev: Sequence[Sentence],
        options: ParserOptions | ParserSettings,
        *,
        templates: Templates = STANDARD,
        label_rules: LabelRules | None = None,
        words: Words | None = None,
    ) -> None:
        check_treebanks(sentences, dev)
        self.sentences, self.dev = sentences, dev
        self.settings = resolve(options, sentences)
        self.templates = used_templates(templates, self.settings)
        self._compares_projectivity = self.settings.compare_projective and bool(dev)
        self.labels = label_names(sentences)
        self.common = tuple(common_words(sentences, self.settings.scoring.common))
        self.words = kept_words(self.settings, words)
        self._vectors = None if self.words is None else tensor_vectors(self.words)
        encoder = Encoder(self.common, vectors=self._vectors)
        numbers = {label: number for number, label in enumerate(self.labels)}
        self.examples = [example(encoder, sentence, numbers, self.settings.root) for sentence in sentences]
        self.label_sets = label_sets(new_labeller(self.settings, len(self.labels), self.templates), self.examples)
        self.label_rules = NO_RULES
        if self.settings.label_rules:
            self.label_rules = label_rules or LabelRules.read(sentences)
        self.weights: dict[str, Numbers] = {}  # of the stages, when they are finished
        self.candidates: list[Candidates] = []  # of the training sentences
        self._untrained = tuple(Weights.zeros(part.bits) for part in self._parts().values())
        self._pruner = self._untrained[0]
        self._pruned_dev: dict[bool, list[Candidates]] = {}  # by projectivity
        self._best_dev: tuple[Weights, list[Indices]] | None = None  # the best scorer judged so far, and its trees
        self._dev_trees: list[Indices] = []  # of the trained scorer
        self.graphs: GraphTrainer | None = None
        if self.settings.graphs:
            self.graphs = GraphTrainer(with_heads(sentences), with_heads(dev), self.settings.graphs)
        self._label_trees: list[Indices] = []  # those that the labeller learns on
        self._scorer = self._untrained[1]  # the trained one, once there is one
        self._tensor: Weights | None = None  # the trained one, once there is one
        self._fold_scorers: list[Numbers] = []  # those of the jackknifing, which score training sentences
        self._fold_tensors: list[Numbers] = []
        self._kept_parts: dict[int, decode.Parts] = {}  # of training sentences, scored by jackknifed scorers
        self._kept_words = 0

    def run(self, state: State | None = None, observer: Observer | None = None) -> ParserModel:
        """Every stage that is left, and the model."""
        self.weights = run(self.stages(), seed=self.settings.seed, state=state, observer=observer)
        trained = self._model(*(Weights.of(self.weights[name]) for name in ("pruner", "scorer", "labeller")))
        if self.settings.tensor is not None:
            trained = replace(trained, tensor=tensor_weights(self.settings.tensor, self.weights["tensor"]))
        if self.settings.factors is not None:
            trained = replace(trained, factors=self._factor_weights(self.weights["factors"]))
        calibration = calibrate(trained, self.dev)
        if calibration and observer and observer.report:
            observer.report(calibration_report(calibration._asdict()))
        graphs = self.graphs.model(self.weights["graphs"]) if self.graphs else None
        return replace(trained, calibration=calibration, graphs=graphs)

    # -- the stages

    def stages(self) -> list[Stage[Any]]:
        """One pruner for each fold, the pruner, the scorer, tensor and factors if the model has them, labeller, graphs.

        Sentences without a head are left out.
        """
        everything = [number for number, one in enumerate(self.examples) if not one.is_undecided]
        has_dev = bool(self.dev)
        folds = self._folds()
        pruners = {
            name: [number for number in everything if number % len(folds) != fold] for fold, name in enumerate(folds)
        }
        pruners["pruner"] = everything
        stages = [self._stage(name, "pruner", self._learn_pruner(), examples) for name, examples in pruners.items()]
        scorer = self._stage("scorer", "scorer", self._learn_scorer(), everything)
        labeller = self._stage("labeller", "labeller", self._learn_labeller(), everything)
        return [
            *stages,
            replace(scorer, prepare=self._prepare_scorer, judge=self._judge_scorer if has_dev else None),
            *self._fold_stages(everything),
            *self._tensor_stages(everything),
            *self._factor_stages(everything),
            replace(labeller, prepare=self._prepare_labeller, judge=self._judge_labeller if has_dev else None),
            *([self.graphs.stage()] if self.graphs else []),
        ]

    def _fold_stages(self, examples: Sequence[int]) -> list[Stage[Averaged]]:
        """One scorer for each fold of the jackknifing, for the models that have a tensor or factors."""
        if self.settings.factors is None and self.settings.tensor is None:
            return []
        folds = fold_names("scorer", len(self.examples))
        scorer = replace(self._stage("", "scorer", self._learn_scorer(), examples), prepare=self._prepare_scorer)
        return [
            replace(
                scorer,
                name=name,
                examples=[number for number in examples if number % len(folds) != fold],
                epochs=FOLD_EPOCHS,
                restarts=1,
                shuffle_key=f"scorer {fold}",
            )
            for fold, name in enumerate(folds)
        ]

    def _tensor_stages(self, examples: Sequence[int]) -> list[Stage[Averaged]]:
        """The tensor; before it, one for each fold of the jackknifing, if factors learn beside it."""
        settings = self.settings.tensor
        if settings is None:
            return []
        folds = [] if self.settings.factors is None else fold_names("tensor", len(self.examples))
        of_folds = [
            replace(
                self._tensor_stage(name, 1, [number for number in examples if number % len(folds) != fold]),
                epochs=FOLD_EPOCHS,
                shuffle_key=f"tensor {fold}",
            )
            for fold, name in enumerate(folds)
        ]
        tensor = self._tensor_stage("tensor", settings.tensors, examples)
        return [*of_folds, replace(tensor, judge=self._judge_tensor if self.dev else None)]

    def _tensor_stage(self, name: str, tensors: int, examples: Sequence[int]) -> Stage[Averaged]:
        return Stage(
            name,
            learner=lambda: self._tensor_learner(tensors, examples),
            learn=self._learn_tensor(tensors),
            examples=examples,
            size=sum(self.examples[number].decided for number in examples),
            epochs=tensor_of(self.settings).epochs,
            prepare=self._prepare_jackknifing,
        )

    def _factor_stages(self, examples: Sequence[int]) -> list[Stage[Averaged]]:
        settings = self.settings.factors
        if settings is None:
            return []
        return [
            Stage(
                "factors",
                learner=lambda: Averaged(settings.bits, settings.adagrad_epsilon),
                learn=self._learn_factors(),
                examples=[number for number in examples if self.examples[number].is_complete],
                size=sum(self.examples[number].decided for number in examples),
                epochs=settings.epochs,
                judge=self._judge_factors if self.dev else None,
                prepare=self._prepare_jackknifing,
            )
        ]

    def _folds(self) -> list[str]:
        """The names of the jackknifed pruners; none if there is one fold."""
        folds = min(self.settings.pruning.folds, len(self.examples))
        return [f"fold {fold + 1}" for fold in range(folds if folds > 1 else 0)]

    def _parts(self) -> dict[str, Pruning | ScoringSettings | Labelling]:
        return {"pruner": self.settings.pruning, "scorer": self.settings.scoring, "labeller": self.settings.labelling}

    def _stage(self, name: str, part: str, learn: LearnStep, examples: Sequence[int]) -> Stage[Averaged]:
        settings = self._parts()[part]
        return Stage(
            name,
            learner=lambda: Averaged(settings.bits, settings.adagrad_epsilon),
            learn=learn,
            examples=examples,
            size=sum(self.examples[number].decided for number in examples),
            epochs=settings.epochs,
            restarts=settings.restarts if isinstance(settings, ScoringSettings) else 1,
        )

    def _learn_pruner(self) -> LearnStep:
        pruner = new_pruner(self.settings, self.templates)

        def learn(learner: Averaged, number: int) -> float:
            example = self.examples[number]
            pruner.open(example.encoded.atoms, example.encoded.each, False)
            arc = pruner.arcs(learner.weights, 1.0)
            missed, step = arc_gradient(arc, example.heads, self.settings.projective, is_single(self.settings))
            pruner.add_arcs(learner.learner, step)
            learner.step(self.settings.pruning.rate)
            return missed

        return learn

    def _prepare_scorer(self, done: Mapping[str, Numbers]) -> None:
        """Prune the training sentences with the pruners of the other folds."""
        self._pruner = Weights.of(done["pruner"])
        weights = [Weights.of(done[name]) for name in self._folds() or ["pruner"]]
        kernel = new_pruner(self.settings, self.templates)
        self.candidates = [
            self._candidates(kernel, weights[number % len(weights)], one) for number, one in enumerate(self.examples)
        ]

    def _candidates(self, pruner: Scorer, weights: Weights, one: Example) -> Candidates:
        """The candidate arcs of a training sentence, among them those of a tree that has the decided heads."""
        pruner.open(one.encoded.atoms, one.encoded.each, False)
        arc = pruner.arcs(*weights)
        gold = agreeing_tree(self.settings, arc, one)
        return decode.candidates(arc, gold=gold, **pruning(self.settings, self.settings.projective))

    def _learn_scorer(self) -> LearnStep:
        settings, scorer = self.settings, new_scorer(self.settings, self.templates)
        update = UPDATES[settings.learner]

        def learn(learner: Averaged, number: int) -> float:
            example, arcs = self.examples[number], self.candidates[number]
            scorer.open(example.encoded.atoms, example.encoded.each, settings.siblings)
            kinds = settings.siblings, settings.grandparents
            core = scorer.parts(arcs.head, arcs.modifier, *kinds, learner.weights, 1.0, settings.outermost)
            return update(self.settings, scorer, learner, decode.Parts.of(core), example)

        return learn

    def _prepare_jackknifing(self, done: Mapping[str, Numbers]) -> None:
        """Keep the scorers that score the training sentences, and parse the development set with what is trained."""
        if not self.candidates:  # resumed after the scorer
            self._prepare_scorer(done)
        self._fold_scorers = [done[name] for name in fold_names("scorer", len(self.examples)) or ["scorer"]]
        self._fold_tensors = [done[name] for name in fold_names("tensor", len(self.examples)) if name in done]
        self._parse_dev_with_second_order(done)

    def _parse_dev_with_second_order(self, done: Mapping[str, Numbers]) -> None:
        """Choose the projectivity by the scorer; the trees of the development set are those with the tensor."""
        self._scorer = Weights.of(done["scorer"])
        self._choose_projectivity(self._scorer)
        if self.settings.tensor is not None and "tensor" in done and self._tensor is None:
            self._tensor = tensor_weights(self.settings.tensor, done["tensor"])
            self._dev_trees = self._parse_dev_with_tensor(self._tensor)

    def _jackknifed_parts(self, scorer: Scorer, number: int) -> decode.Parts:
        """The second-order parts of a training sentence, scored by a scorer that was trained without it; a copy."""
        parts = self._kept_parts.get(number)
        if parts is None:
            example, arcs = self.examples[number], self.candidates[number]
            weights = self._fold_scorers[number % len(self._fold_scorers)]
            scorer.open(example.encoded.atoms, example.encoded.each, True)
            parts = decode.Parts.of(scorer.parts(arcs.head, arcs.modifier, True, True, weights, 1.0))
            self._kept_words += parts.nodes
            if self._kept_words <= MAX_KEPT_WORDS:
                self._kept_parts[number] = parts
        return parts.adjusted(np.zeros(parts.core.arcs))

    def _learn_tensor(self, tensors: int) -> LearnStep:
        """One step by the learner of the options, beside the scores of jackknifed scorers."""
        scorer, kernel = new_scorer(self.settings, self.templates), self._new_tensor(tensors)
        update = TENSOR_UPDATES[tensor_of(self.settings).learner]

        def learn(learner: Averaged, number: int) -> float:
            example, parts = self.examples[number], self._jackknifed_parts(scorer, number)
            kernel.open(*example.encoded[:2], example.encoded.vectors)
            return update(with_tensors(self.settings, tensors), kernel, learner, parts, example)

        return learn

    def _new_tensor(self, tensors: int) -> TensorScorer:
        kernel = new_tensor(with_tensors(self.settings, tensors), self.templates, self.words)
        assert kernel is not None
        return kernel

    def _tensor_learner(self, tensors: int, examples: Sequence[int]) -> Averaged:
        """Parameters that begin as the learner of the options wants them."""
        options = replace(tensor_of(self.settings), tensors=tensors)
        if options.learner == "crf":
            return new_tensor_learner(options, self.settings.seed)
        learner = Averaged(options.bits, options.adagrad_epsilon)
        some = [(self.examples[number], self.candidates[number]) for number in examples]
        learner.weights[:] = decomposed_weights(self.settings, self._new_tensor(tensors), self.templates, some)
        return learner

    def _judge_tensor(self, average: Numbers) -> Judgement:
        assert self.settings.tensor is not None
        return self._judge_trees(self._parse_dev_with_tensor(tensor_weights(self.settings.tensor, average)))

    def _parse_dev_with_tensor(self, tensor: Weights) -> list[Indices]:
        worker = Worker(replace(self._model(self._pruner, self._scorer, self._untrained[2]), tensor=tensor))
        projective = self.settings.projective
        both = zip(self._encoded_dev, self._prune_dev(projective), strict=True)
        return [worker.tree(atoms, arcs, projective).heads for atoms, arcs in both]

    def _learn_factors(self) -> LearnStep:
        """One step by the learner of the options, with the second-order scores of jackknifed scorers and tensors."""
        settings, scorer = self.settings, new_scorer(self.settings, self.templates)
        kernel = new_tree_scorer(settings, self.templates)
        tensor = new_tensor(with_tensors(settings, 1), self.templates, self.words)
        assert kernel is not None
        update = FACTOR_UPDATES[factors_of(settings).learner]

        def learn(learner: Averaged, number: int) -> float:
            example = self.examples[number]
            if self.settings.projective and not example.projective:
                return 0.0
            parts = self._jackknifed_parts(scorer, number)
            if tensor is not None and settings.tensor is not None and self._fold_tensors:
                tensor.open(*example.encoded[:2], example.encoded.vectors)
                weights = self._fold_tensors[number % len(self._fold_tensors)]
                tensor.add_scores(parts.core, weights, settings.tensor.factor_scale)
            kernel.open(*example.encoded[:2])
            return update(self.settings, kernel, learner, parts, example)

        return learn

    def _factor_weights(self, average: Numbers) -> Weights:
        """The weights beside the final scorer, which is surer than those of the jackknifing."""
        weights = Weights.of(average)
        return weights._replace(scale=weights.scale * factors_of(self.settings).scale)

    def _judge_factors(self, average: Numbers) -> Judgement:
        return self._judge_trees(self._parse_dev_with_factors(self._factor_weights(average)))

    def _judge_trees(self, found: Sequence[Indices]) -> Judgement:
        """The share of right heads in trees of the development set."""
        words = sum(int((sentence.heads >= 0).sum()) for sentence in self.dev)
        uas = per_cent(self._right_heads(found), words)
        return Judgement(uas, {"uas": uas})

    def _parse_dev_with_factors(self, factors: Weights) -> list[Indices]:
        """The trees of the development set, climbed from those of the scorer."""
        worker = Worker(replace(self._model(self._pruner, self._scorer, self._untrained[2]), factors=factors))
        projective, root = self.settings.projective, self.settings.root
        each = zip(self._encoded_dev, self._scored_dev, self._dev_trees, strict=True)
        start = [(encoded, parts, decode.Parse(heads, 0.0, inf, "start")) for encoded, parts, heads in each]
        return [worker.climb(*one, projective, root, {}).heads for one in start]

    @cached_property
    def _scored_dev(self) -> list[decode.Parts]:
        """The second-order parts of the development set, with the scores of the tensor."""
        worker = Worker(self._model(self._pruner, self._scorer, self._untrained[2]))
        both = zip(self._encoded_dev, self._prune_dev(self.settings.projective), strict=True)
        return [worker.score(*one) for one in both]

    def _prepare_labeller(self, done: Mapping[str, Numbers]) -> None:
        """Complete the partial trees of the training data, parse the development set, and choose its projectivity."""
        self._kept_parts.clear()
        self._pruner = Weights.of(done["pruner"])
        self._label_trees = self._complete_trees(done, Weights.of(done["scorer"]))
        self._parse_dev_with_second_order(done)
        if self.dev and "factors" in done:
            self._dev_trees = self._parse_dev_with_factors(self._factor_weights(done["factors"]))

    def _choose_projectivity(self, scorer: Weights) -> None:
        """Parse the development set, with and without crossing arcs if that is open, and keep what is better."""
        if not self.dev or self._dev_trees:
            return
        self._dev_trees = self._parse_dev(scorer, self.settings.projective)
        if self._compares_projectivity:
            projective = self._parse_dev(scorer, True)
            if self._right_heads(projective) > self._right_heads(self._dev_trees):
                self.settings = replace(self.settings, projective=True)
                self._dev_trees = projective

    def _complete_trees(self, done: Mapping[str, Numbers], scorer: Weights) -> list[Indices]:
        """The training trees; open heads are those of the best tree, under the scorer, that has the others."""
        if all(one.is_complete for one in self.examples):
            return [one.heads for one in self.examples]
        if not self.candidates:  # resumed at the labeller
            self._prepare_scorer(done)
        worker = Worker(self._model(self._pruner, scorer, self._untrained[2]))
        both = zip(self.examples, self.candidates, strict=True)
        return [
            one.heads if one.is_complete else agreeing_tree(self.settings, worker.score(one.encoded, arcs), one)
            for one, arcs in both
        ]

    def _learn_labeller(self) -> LearnStep:
        labeller = new_labeller(self.settings, len(self.labels), self.templates)
        labeller.set_candidates(*self.label_sets)

        def learn(learner: Averaged, number: int) -> float:
            example = self.examples[number]
            labeller.open(example.encoded.atoms, example.encoded.each, self._label_trees[number])
            loss = labeller.learn(learner.learner, example.labels, self.settings.labelling.margin)
            learner.step(self.settings.labelling.rate)
            return loss

        return learn

    # -- development scores

    def _model(self, pruner: Weights, scorer: Weights, labeller: Weights) -> ParserModel:
        return ParserModel(
            *(self.settings, self.labels, self.label_sets, self.common, pruner, scorer, labeller),
            templates=self.templates,
            label_rules=self.label_rules,
            tensor=self._tensor,
            words=self.words,
        )

    @cached_property
    def _encoded_dev(self) -> list[Encoded]:
        encoder = Encoder(self.common, vectors=self._vectors)
        return [encoder.encode(sentence) for sentence in self.dev]

    def _prune_dev(self, projective: bool) -> list[Candidates]:
        """The candidate arcs of the development set, computed once for each kind of trees."""
        if projective not in self._pruned_dev:
            worker = Worker(self._model(self._pruner, *self._untrained[1:]))
            self._pruned_dev[projective] = [worker.prune(atoms, projective) for atoms in self._encoded_dev]
        return self._pruned_dev[projective]

    def _parse_dev(self, scorer: Weights, projective: bool) -> list[Indices]:
        """The trees of the development set; those of the best scorer so far are not computed again."""
        if self._best_dev and projective == self.settings.projective:
            best, found = self._best_dev
            if best.scale == scorer.scale and np.array_equal(best.values, scorer.values):
                return found
        worker = Worker(self._model(self._pruner, scorer, self._untrained[2]))
        both = zip(self._encoded_dev, self._prune_dev(projective), strict=True)
        return [worker.tree(atoms, arcs, projective).heads for atoms, arcs in both]

    def _right_heads(self, found: Sequence[Indices]) -> int:
        both = zip(self.dev, found, strict=True)
        return sum(int((heads[1:] == sentence.heads).sum()) for sentence, heads in both)

    def _judge_scorer(self, average: Numbers) -> Judgement:
        words, scorer = sum(int((sentence.heads >= 0).sum()) for sentence in self.dev), Weights.of(average)
        kept = sum(
            int((sentence.heads[arcs.modifier - 1] == arcs.head).sum())
            for sentence, arcs in zip(self.dev, self._prune_dev(self.settings.projective), strict=True)
        )
        found = self._parse_dev(scorer, self.settings.projective)
        right = self._right_heads(found)
        if self._best_dev is None or right > self._right_heads(self._best_dev[1]):
            self._best_dev = scorer, found
        uas = per_cent(right, words)
        return Judgement(uas, {"uas": uas, "oracle": per_cent(kept, words)})

    def _judge_labeller(self, average: Numbers) -> Judgement:
        worker = Worker(self._model(self._pruner, self._untrained[1], Weights.of(average)))
        right = heads = words = arcs = 0
        for sentence, atoms, tree in zip(self.dev, self._encoded_dev, self._dev_trees, strict=True):
            same = tree[1:] == sentence.heads
            heads += int(same.sum())
            words += int((sentence.heads >= 0).sum())
            labels = zip(worker.label(atoms, tree), sentence.deprels, same.tolist(), strict=True)
            right += sum(head and found == gold for found, gold, head in labels)
            arcs += int((is_labelled(sentence)).sum())
        uas, las = per_cent(heads, words), per_cent(right, arcs)
        return Judgement(las, {"uas": uas, "las": las})


def fold_names(stage: str, sentences: int) -> list[str]:
    """The names of the jackknifed stages; none if there is one sentence.

    >>> fold_names("scorer", 10), fold_names("scorer", 1)
    (['scorer of fold 1', 'scorer of fold 2'], [])
    """
    return [f"{stage} of fold {fold + 1}" for fold in range(FOLDS if sentences >= FOLDS else 0)]


def used_templates(templates: Templates, settings: ParserSettings) -> Templates:
    """The templates that a model with these settings has."""
    groups = GROUPS if settings.factors is None else settings.factors.without
    chosen = templates._replace(factors=without_groups(templates.factors, groups))
    if settings.tensor is None:
        chosen = chosen._replace(tensor=())
    return chosen._replace(beyond=()) if settings.projective else chosen
