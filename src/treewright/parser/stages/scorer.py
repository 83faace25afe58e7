"""The scorer of arcs, siblings and grandparents over candidate arcs, and the choice of projectivity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from treewright.decode import Candidates, Parse, Parts
from treewright.learn import Averaged, Judgement, Numbers, Stage, StageCost, Training, Weights
from treewright.parser.model import new_scorer
from treewright.parser.options import ParserSettings
from treewright.parser.partial import per_cent
from treewright.parser.stages.data import TrainingData, others
from treewright.parser.stages.pruner import Pruners, prune_dev
from treewright.parser.stages.updates import UPDATES, Update

NAME = "scorer"
# Of an epoch, relative to the pruner's; measured roughly.
COSTS = {"arc": 6.0, "sib": 9.0, "grand": 13.0, "tensor": 13.0, "outer": 13.0, "third": 13.0, "full": 13.0}
# Jackknifing: a tensor and factors learn beside the scores of scorers that were trained without the sentence.
FOLDS, FOLD_EPOCHS = 2, 2  # not tuned; epochs are those of each restart of the scorer itself
# Their scores are kept from epoch to epoch: about 1 kB a word, so that half a gigabyte is the limit; not tuned.
MAX_KEPT_WORDS = 500_000


class Scorers(NamedTuple):
    """The trained scorer, the candidate arcs and trees of the development set, and the settings with projectivity."""

    weights: Weights
    candidates: list[list[Candidates]]
    parses: list[list[Parse]]
    settings: ParserSettings


def fold_names(stage: str, sentences: int) -> list[str]:
    """Return the names of jackknifed stages; none if there is one sentence.

    >>> fold_names("scorer", 10), fold_names("scorer", 1)
    (['scorer of fold 1', 'scorer of fold 2'], [])
    """
    return [f"{stage} of fold {fold + 1}" for fold in range(FOLDS if sentences >= FOLDS else 0)]


def fold_costs(stage: str, sentences: int, cost: float) -> list[StageCost]:
    """Return the jackknifed stages with their costs."""
    names = fold_names(stage, sentences)
    return [StageCost(name, FOLD_EPOCHS, cost * (len(names) - 1) / len(names)) for name in names]


def is_jackknifed(settings: ParserSettings) -> bool:
    """Whether other stages learn beside jackknifed scorers."""
    return settings.tensor is not None or settings.factors is not None


def costs(settings: ParserSettings, sentences: int) -> list[StageCost]:
    """Return the stages with their costs."""
    cost = COSTS[settings.model]
    folds = fold_costs(NAME, sentences, cost) if is_jackknifed(settings) else []
    return [StageCost(NAME, settings.scoring.epochs, cost), *folds]


def scorer_stage(
    data: TrainingData, settings: ParserSettings, candidates: Sequence[Candidates], update: Update | None
) -> Stage[Averaged]:
    """Learn by the update given, or by that of the learner in the settings."""
    options, scorer = settings.scoring, new_scorer(settings, data.templates)
    step = update or UPDATES[settings.learner]
    kinds = settings.siblings, settings.grandparents

    def learn(learner: Averaged, number: int) -> float:
        example, arcs = data.examples[number], candidates[number]
        columns = [(arcs.head, arcs.modifier)]
        [core] = scorer.parts(example.batch, columns, *kinds, learner.weights, 1.0, settings.outermost)
        return step(settings, scorer, learner, Parts.of(core), example)

    return replace(data.stage(NAME, options, learn, data.decided), restarts=options.restarts)


def train_scorer(
    data: TrainingData,
    settings: ParserSettings,
    pruners: Pruners,
    candidates: Sequence[Candidates],
    training: Training,
    update: Update | None = None,
) -> Scorers:
    """Train the scorer, parse the development set, and choose projectivity by it if that is open."""
    dev_candidates = prune_dev(data, settings, pruners.weights)
    best: tuple[Numbers, list[list[Parse]]] | None = None  # the best weights so far, and their trees

    def parse(weights: Numbers, settings: ParserSettings, arcs: list[list[Candidates]]) -> list[list[Parse]]:
        return data.parse_dev(data.model(settings, pruner=pruners.weights, scorer=Weights.of(weights)), arcs)

    def judge(average: Numbers) -> Judgement:
        nonlocal best
        parses = parse(average, settings, dev_candidates)
        if best is None or data.right_heads(parses) > data.right_heads(best[1]):
            best = average, parses
        return data.judge(parses, oracle=recall(data, dev_candidates))

    stage = scorer_stage(data, settings, candidates, update)
    weights = training.run(replace(stage, judge=judge if data.dev else None))
    parses = best[1] if best and best[0] is weights else parse(weights, settings, dev_candidates)
    if settings.compare_projective and data.dev:
        projective = replace(settings, projective=True)
        arcs = prune_dev(data, projective, pruners.weights)
        trees = parse(weights, projective, arcs)
        if data.right_heads(trees) > data.right_heads(parses):
            return Scorers(Weights.of(weights), arcs, trees, projective)
    return Scorers(Weights.of(weights), dev_candidates, parses, settings)


def recall(data: TrainingData, candidates: Sequence[Sequence[Candidates]]) -> float:
    """Return the share of the heads of the development set that pruning leaves, in per cent."""
    kept = sum(
        int((sentence.heads[arcs.modifier - 1] == arcs.head).sum())
        for group, pruned in zip(data.dev, candidates, strict=True)
        for sentence, arcs in zip(group.sentences, pruned, strict=True)
    )
    return per_cent(kept, data.dev_words)


class JackknifedParts:
    """The second-order parts of training sentences, scored by scorers that were trained without them."""

    def __init__(
        self,
        data: TrainingData,
        settings: ParserSettings,
        candidates: Sequence[Candidates],
        scorers: Sequence[Numbers],
    ) -> None:
        self.data, self.candidates, self.scorers = data, candidates, scorers
        self._kernel = new_scorer(settings, data.templates)
        self._kept: dict[int, Parts] = {}
        self._kept_words = 0

    def copy(self, number: int) -> Parts:
        """Return a copy of the parts of a training sentence."""
        parts = self._kept.get(number)
        if parts is None:
            arcs, weights = self.candidates[number], self.scorers[number % len(self.scorers)]
            columns = [(arcs.head, arcs.modifier)]
            [core] = self._kernel.parts(self.data.examples[number].batch, columns, True, True, weights, 1.0)
            parts = Parts.of(core)
            self._kept_words += parts.nodes
            if self._kept_words <= MAX_KEPT_WORDS:
                self._kept[number] = parts
        return parts.adjusted(np.zeros(parts.core.arcs))


def train_jackknifed_scorers(
    data: TrainingData,
    settings: ParserSettings,
    candidates: Sequence[Candidates],
    training: Training,
    update: Update | None = None,
) -> JackknifedParts:
    """Train a scorer for each fold, and return the parts as they score them."""
    stage, names = scorer_stage(data, settings, candidates, update), fold_names(NAME, len(data.examples))
    scorers = [
        training.run(
            replace(
                stage,
                name=name,
                examples=others(stage.examples, fold, len(names)),
                epochs=FOLD_EPOCHS,
                restarts=1,
                shuffle_key=f"{NAME} {fold}",
            )
        )
        for fold, name in enumerate(names)
    ]
    return JackknifedParts(data, settings, candidates, scorers or [training.weights(NAME)])
