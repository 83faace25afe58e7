"""The stages of the training of a parser with their costs, for the estimate of the time left."""

from __future__ import annotations

from treewright.learn import StageCost
from treewright.parser.options import ParserSettings
from treewright.parser.training import FOLD_EPOCHS, fold_names

# The time of a training sentence relative to the pruner; not tuned.
SCORER_COSTS = {"arc": 6.0, "sib": 9.0, "grand": 13.0, "tensor": 13.0, "outer": 13.0, "third": 13.0, "full": 13.0}
TENSOR_COST = 14.0
FACTOR_COSTS = {"third": 16.0, "full": 24.0}
LABELLER_COST = 3.0
GRAPHS_COST = 0.5


def stage_costs(settings: ParserSettings, sentences: int) -> list[StageCost]:
    """Return the stages of a training on so many sentences."""

    def of_folds(stage: str, cost: float) -> list[StageCost]:
        names = fold_names(stage, sentences)
        return [StageCost(name, FOLD_EPOCHS, cost * (len(names) - 1) / len(names)) for name in names]

    folds = min(settings.pruning.folds, sentences)
    pruners = [f"fold {fold + 1}" for fold in range(folds if folds > 1 else 0)] + ["pruner"]
    stages = [StageCost(name, settings.pruning.epochs, 1.0) for name in pruners]
    stages.append(StageCost("scorer", settings.scoring.epochs, SCORER_COSTS[settings.model]))
    if settings.tensor is not None or settings.factors is not None:
        stages += of_folds("scorer", SCORER_COSTS[settings.model])
    if settings.tensor is not None:
        stages += [] if settings.factors is None else of_folds("tensor", TENSOR_COST)
        stages.append(StageCost("tensor", settings.tensor.epochs, TENSOR_COST))
    if settings.factors is not None:
        stages.append(StageCost("factors", settings.factors.epochs, FACTOR_COSTS[settings.model]))
    stages.append(StageCost("labeller", settings.labelling.epochs, LABELLER_COST))
    if settings.graphs is not None:
        stages.append(StageCost("graphs", settings.graphs.epochs, GRAPHS_COST))
    return stages
