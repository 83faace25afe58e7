"""The training of an induced parser, step by step; results of steps are kept, so that training can be resumed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from treewright.induce import convex_mst, dmv, joint
from treewright.induce.convex_mst import ArcModel
from treewright.induce.dmv import DmvParameters
from treewright.induce.options import InductionOptions
from treewright.induce.rules import Rules
from treewright.induce.tagged import TaggedCorpus
from treewright.learn import Report
from treewright.model.checkpoint import StepResults

OnReport = Callable[[Report], None]  # called after every iteration


@dataclass(frozen=True)
class Learned:
    """The result of training: options with the weight that was used, and DMV parameters, arc weights, or both."""

    options: InductionOptions
    dmv: DmvParameters | None = None
    arcs: ArcModel | None = None


def train_on(
    corpus: TaggedCorpus, rules: Rules, options: InductionOptions, report: OnReport, steps: StepResults
) -> Learned:
    """Train on a corpus of tags by the method of the options."""
    if options.method in {"dmv", "lc-dmv"}:
        return Learned(options, dmv_step(corpus, options, report, steps))
    space = ArcSpace.of(corpus, rules, options)
    weights = steps.get("arcs", lambda: space.train(options, report))
    if options.method == "convex-mst":
        return Learned(options, arcs=ArcModel(space.regression.codes, weights))
    start = joint.Pair(dmv_step(corpus, options, report, steps), weights)
    options = space.balanced(corpus, start, options, steps)
    pair = space.train_jointly(corpus, start, options, report, steps)
    return Learned(options, pair.dmv, ArcModel(space.regression.codes, pair.weights))


def dmv_step(corpus: TaggedCorpus, options: InductionOptions, report: OnReport, steps: StepResults) -> DmvParameters:
    return DmvParameters(**steps.get("dmv", lambda: dict(vars(train_dmv(corpus, options, report)))))


def train_dmv(corpus: TaggedCorpus, options: InductionOptions, report: OnReport) -> DmvParameters:
    """Train the DMV alone by EM, under the limits of the method."""

    def on_iteration(iteration: int, value: float) -> None:
        report(
            Report("DMV", iteration, options.iterations, figures={"log likelihood a word": value / len(corpus.tags)})
        )

    start = dmv.initial(options.start, corpus)
    return dmv.fit(corpus, start, options.limits, iterations=options.iterations, report=on_iteration)


@dataclass(frozen=True)
class ArcSpace:
    """The arcs of a corpus and the regression on their features, for Convex-MST and joint training."""

    cells: convex_mst.Cells
    regression: convex_mst.Regression

    @classmethod
    def of(cls, corpus: TaggedCorpus, rules: Rules, options: InductionOptions) -> ArcSpace:
        cells = convex_mst.cells_of(corpus, rules)
        return cls(cells, convex_mst.Regression(cells, options.convex.ridge))

    def train(self, options: InductionOptions, report: OnReport) -> convex_mst.Array:
        """Train Convex-MST alone; return its weights."""

        def on_iteration(iteration: int, objective: float, gap: float) -> None:
            figures = {"objective": objective, "gap": gap}
            report(Report("Convex-MST", iteration, options.convex.iterations, figures=figures))

        return convex_mst.frank_wolfe(self.cells, self.regression, options.convex, report=on_iteration)[1]

    def balanced(
        self, corpus: TaggedCorpus, start: joint.Pair, options: InductionOptions, steps: StepResults
    ) -> InductionOptions:
        """Return the options with the balanced weight, unless a weight was given."""
        if options.joint.weight != "balanced":
            return options
        arc_scores = joint.arc_scores_of(self.cells, self.regression, start.weights, options.convex)
        weight = steps.get("weight", lambda: joint.balanced_weight(corpus, start.dmv, options.limits, arc_scores))
        return replace(options, joint=replace(options.joint, weight=weight))

    def train_jointly(
        self,
        corpus: TaggedCorpus,
        start: joint.Pair,
        options: InductionOptions,
        report: OnReport,
        steps: StepResults,
        refine: joint.Refine = lambda pair, trees: pair,
    ) -> joint.Pair:
        """Train jointly, from the last round that was kept; `refine` may train the models further after each round."""
        weight = joint.weight_of(options.joint)

        def on_iteration(done: joint.Round) -> None:
            figures = {
                "log likelihood a word": done.likelihood / len(corpus.tags),
                "certified": done.certified_share,
                "gap": done.gap,
                "heads changed": done.changed,
                "weight": weight,
            }
            report(Report("joint training", done.number, options.joint.rounds, figures=figures))

        def keep(state: joint.JointState) -> None:
            parameters = dict(vars(state.pair.dmv))
            steps.add(joint={**vars(state), "pair": {"dmv": parameters, "weights": state.pair.weights}})

        state = joint.JointState(start)
        if (kept := steps.done.get("joint")) is not None:
            pair = joint.Pair(DmvParameters(**kept["pair"]["dmv"]), kept["pair"]["weights"])
            state = joint.JointState(**{**kept, "pair": pair})
        return joint.train_jointly(
            corpus,
            self.cells,
            self.regression,
            state,
            options.limits,
            options.convex,
            options.joint,
            report=on_iteration,
            keep=keep,
            refine=refine,
        )
