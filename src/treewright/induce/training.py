"""The training of an induced parser, step by step; each step's result can be kept, so that a training can go on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from treewright.induce import convex_mst, dmv, featurised, joint
from treewright.induce.convex_mst import ArcModel
from treewright.induce.dmv import Valence
from treewright.induce.options import Options
from treewright.induce.rules import Rules
from treewright.induce.tagged import TaggedCorpus


@dataclass(frozen=True)
class Progress:
    """One line while training: what is under way, which iteration, and its figures by name."""

    stage: str
    iteration: int
    total: int
    figures: dict[str, float]


Report = Callable[[Progress], None]
ROUNDS = "joint training"  # the stage whose iterations are rounds


class Steps:
    """The results of a training's steps: those of an earlier run that was interrupted are not computed again."""

    def __init__(
        self, done: dict[str, Any] | None = None, keep: Callable[[dict[str, Any]], None] = lambda done: None
    ) -> None:
        self.done = done if done is not None else {}
        self._keep = keep

    def of(self, name: str, compute: Callable[[], Any]) -> Any:
        """The result of a step: an array, or arrays and plain values by name."""
        if name not in self.done:
            self.keep(name, compute())
        return self.done[name]

    def keep(self, name: str, result: Any) -> None:
        self.done[name] = result
        self._keep(self.done)


@dataclass(frozen=True)
class Learned:
    """What a training ends with: a valence model, arc weights, or both."""

    valence: Valence | None = None
    arcs: ArcModel | None = None
    weight: float | None = None  # of the arcs, where they were trained together


def train_on(corpus: TaggedCorpus, rules: Rules, options: Options, report: Report, steps: Steps) -> Learned:
    """Learn from a corpus of tags by the method of the options."""
    if options.method in {"dmv", "lc-dmv"}:
        return Learned(valence_step(corpus, options, report, steps))
    space = ArcSpace.of(corpus, rules, options)
    weights = steps.of("arcs", lambda: space.train(options, report).w)
    if options.method == "convex-mst":
        return Learned(arcs=ArcModel(space.regression.codes, weights))
    start = joint.Pair(valence_step(corpus, options, report, steps), weights)
    options = space.balanced(corpus, start, options, steps)
    pair = space.train_together(corpus, start, options, report, steps)
    return Learned(pair.valence, ArcModel(space.regression.codes, pair.weights), options.joint.weight)


def valence_step(corpus: TaggedCorpus, options: Options, report: Report, steps: Steps) -> Valence:
    return Valence(**steps.of("valence", lambda: dict(vars(train_valence(corpus, options, report)))))


def train_valence(corpus: TaggedCorpus, options: Options, report: Report) -> Valence:
    """The valence model alone, under the limits of the method: EM, Viterbi EM, or features and L-BFGS."""

    def heard(iteration: int, value: float) -> None:
        report(Progress("valence model", iteration, options.iterations, {"log likelihood a word": value / words}))

    words, limits = len(corpus.tags), options.limits_used
    if options.features:
        return featurised.fit_featurised(corpus, limits, iterations=options.iterations, report=heard)
    start = dmv.initial(options.start_used, corpus, options.seed)
    return dmv.fit(corpus, start, limits, iterations=options.iterations, hard=options.hard, report=heard)


@dataclass(frozen=True)
class ArcSpace:
    """The arcs of a corpus with their features: what Convex-MST and joint training work in."""

    cells: convex_mst.Cells
    regression: convex_mst.Regression

    @classmethod
    def of(cls, corpus: TaggedCorpus, rules: Rules, options: Options) -> ArcSpace:
        cells = convex_mst.cells_of(corpus, rules)
        return cls(cells, convex_mst.Regression(cells, options.convex.ridge))

    def train(self, options: Options, report: Report) -> convex_mst.State:
        """Convex-MST alone."""

        def heard(iteration: int, objective: float, gap: float) -> None:
            figures = {"objective": objective, "gap": gap}
            report(Progress("Convex-MST", iteration, options.convex.iterations, figures))

        start = convex_mst.start(self.cells, self.regression, options.convex)
        return convex_mst.frank_wolfe(self.cells, self.regression, start, options.convex, report=heard)

    def balanced(self, corpus: TaggedCorpus, start: joint.Pair, options: Options, steps: Steps) -> Options:
        """The options, with a weight between the models if they had none."""
        if options.joint.weight is not None:
            return options
        squares = joint.squares_of(self.cells, self.regression, start.weights, options.convex)
        weight = steps.of("weight", lambda: joint.balanced_weight(corpus, start.valence, options.limits_used, squares))
        return replace(options, joint=replace(options.joint, weight=weight))

    def train_together(
        self, corpus: TaggedCorpus, start: joint.Pair, options: Options, report: Report, steps: Steps
    ) -> joint.Pair:
        """Rounds of joint training, from where it stood if it had begun."""

        def heard(done: joint.Round) -> None:
            figures = {
                "log likelihood a word": done.likelihood / len(corpus.tags),
                "agreement": done.share,
                "gap": done.gap,
                "heads changed": done.changed,
                "weight": options.joint.weight or 0.0,
            }
            report(Progress(ROUNDS, done.number, options.joint.rounds, figures))

        def keep(reached: joint.Reached) -> None:
            valence = dict(vars(reached.pair.valence))
            steps.keep("joint", {**vars(reached), "pair": {"valence": valence, "weights": reached.pair.weights}})

        reached = joint.Reached(start)
        if (kept := steps.done.get("joint")) is not None:
            pair = joint.Pair(Valence(**kept["pair"]["valence"]), kept["pair"]["weights"])
            reached = joint.Reached(**{**kept, "pair": pair})
        return joint.train_together(
            corpus,
            self.cells,
            self.regression,
            reached,
            options.limits_used,
            options.convex,
            options.joint,
            report=heard,
            keep=keep,
        )
