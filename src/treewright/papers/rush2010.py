"""Tables 1 to 3 and Figure 5 of Rush, Sontag, Collins & Jaakkola (2010): grammars that agree with another model.

The paper trains on the Wall Street Journal; here it is any treebank in Penn brackets with train.mrg, dev.mrg and
test.mrg, for example CRAFT, or without test.mrg, as English-GUM, whose dev.mrg is divided. Tables 1 and 2 and Figure 5
are about model 1 and a dependency parser, Tables 1 and 3 about model 1 and a tagger.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import numpy as np
import typer
from numpy.typing import NDArray

from treewright.cli.options import (
    Json,
    PlainCommand,
    Quiet,
    SkipBadTrees,
    examples,
    head_rules_option,
    new_app,
    output_option,
)
from treewright.cli.shared import note_skipped
from treewright.corpus import Tree, read_trees, strip_traces
from treewright.errors import FormatError, InfeasibleError, InputError
from treewright.evaluate import Score
from treewright.grammar import CollinsOptions, LexicalParse, PhraseParse, dependencies
from treewright.grammar.kinds import scores_of
from treewright.grammar.trees import prepare_trees
from treewright.joint import GrammarWithDependencies, GrammarWithTagger, JointOptions, JointParse, TagParse
from treewright.joint.agreement import STEP
from treewright.joint.dependencies import JointProblem
from treewright.joint.model import evenly_spaced
from treewright.joint.tags import TagProblem
from treewright.papers.common import (
    COLOURS,
    MaxSentences,
    Treebank,
    axes,
    bracket_part,
    data_argument,
    echo_json,
    ensure_matplotlib,
    p_value_of,
    progress,
    show_lines,
    stage_printer,
    with_option_groups,
)
from treewright.relax import HalvingStep, Step
from treewright.words import Words

WHAT = {
    "model 1": "Collins' model 1 alone",
    "restricted": "model 1 with the arcs of the dependency parser only",
    "joint": "model 1 and the dependency parser agree on arcs",
}
WHAT_OF_TAGS = {
    "fixed tags": "the grammar with the tags of the tagger",
    "joint": "the grammar and the tagger agree on tags",
}
PUBLISHED = {  # precision, recall, F1, dependency accuracy (Table 2)
    "model 1": (88.4, 87.8, 88.1, 91.4),
    "restricted": (89.9, 89.6, 89.7, 93.3),
    "joint": (91.0, 90.4, 90.7, 93.8),
}
PUBLISHED_TAGS = {
    "fixed tags": (88.1, 87.6, 87.9, 96.7),
    "joint": (88.7, 88.0, 88.3, 97.1),
}  # and tag accuracy (Table 3)
BUCKETS = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 10), (11, 20), (21, 50))  # iterations of Table 1
PUBLISHED_ITERATIONS = {  # per cent; the last: not certified
    "dependencies": (43.5, 20.1, 10.2, 4.9, 14.0, 5.7, 1.4, 0.4),
    "tags": (58.7, 15.4, 6.3, 3.6, 10.3, 3.8, 0.8, 1.1),
}
LIMITS = (1, 2, 3, 5, 10, 20, 50)  # of iterations, for Figure 5
SAMPLES = 10_000  # of the bootstrap; not tuned

OnReport = Callable[[int, int], None]  # sentences done, of
Joint = TypeVar("Joint", GrammarWithDependencies, GrammarWithTagger)


@dataclass(frozen=True)
class Counts:
    """Of one sentence and system: brackets, and the words with the right head (or tag) among those that count."""

    brackets: Score
    right: int
    words: int


@dataclass(frozen=True)
class Limited:
    """A sentence under a limit of iterations: counts, certificate, whether the tree is that of the highest limit."""

    counts: Counts
    certified: bool
    is_same: bool


class Search(NamedTuple):
    """What dual decomposition did with a sentence."""

    iterations: int
    certified: bool


@dataclass(frozen=True)
class Outcome:
    """One sentence: the counts of the systems, and what dual decomposition did, also under limits of iterations."""

    systems: dict[str, Counts]
    joint: Search
    without_split: Search  # dual decomposition alone, as published
    limited: tuple[Limited, ...] = ()  # by LIMITS


@dataclass(frozen=True)
class Row:
    """A row of Table 2 or 3, in per cent; accuracy is that of heads or tags.

    p_f1 and p_accuracy are the p-values of the differences to the row above.
    """

    system: str
    precision: float
    recall: float
    f1: float
    accuracy: float
    p_f1: float | None
    p_accuracy: float | None
    published: tuple[float, ...]


class Gold(NamedTuple):
    """A tree as the treebank has it, without traces, for the score of brackets; and as grammars are trained on it."""

    tree: Tree
    prepared: Tree

    @property
    def words(self) -> list[str]:
        """The words to parse."""
        return self.prepared.leaves()


@dataclass(frozen=True)
class TreebankFolder:
    """A folder with train.mrg, dev.mrg and perhaps test.mrg, and the errors of trees that were left out of them.

    With skip_bad, trees that cannot be read or prepared are left out; else the first of them is an error.
    """

    path: Path
    skip_bad: bool = False
    left_out: list[FormatError] = field(default_factory=list)

    def __post_init__(self) -> None:
        for part in ("train", "dev", "test"):
            bracket_part(self.path, part)

    def trees(self, part: str, count: int | None = None) -> Iterator[Gold]:
        """Yield the first trees of a part, or all."""
        path, own = bracket_part(self.path, part)
        with read_trees(path, on_error="skip" if self.skip_bad else "raise") as reader:
            for tree in islice(islice(reader, own.start, own.stop, own.step), count):
                found, errors = prepare_trees([tree], self.skip_bad)
                self.left_out.extend(errors)
                for prepared in found:
                    yield Gold(strip_traces(tree) or tree, prepared)
            self.left_out.extend(reader.errors)

    def to_parse(self, part: str, count: int | None, max_words: int | None = None) -> Sequence[Gold]:
        """So many trees of a part at equal distances, of at most max_words; all if count is None."""
        trees = [gold for gold in self.trees(part) if max_words is None or len(gold.words) <= max_words]
        if not trees:
            limit = "" if max_words is None else f" of at most {max_words} words"
            raise InputError(f"{self.path / part}.mrg has no sentence{limit}")
        return trees if count is None else evenly_spaced(trees, count)

    def to_train(self, max_sentences: int | None) -> tuple[list[Tree], list[Tree]]:
        """Return the first training trees and all development trees, prepared."""
        train, dev = self.trees("train", max_sentences), self.trees("dev")
        return [gold.prepared for gold in train], [gold.prepared for gold in dev]


def outcomes(
    model: Joint, trees: Sequence[Gold], outcome: Callable[[Joint, Gold], Outcome], report: OnReport
) -> list[Outcome]:
    """Return the outcomes of the words of some trees."""
    found: list[Outcome] = []
    for number, tree in enumerate(trees):
        report(number, len(trees))
        found.append(outcome(model, tree))
    return found


def dependency_outcome(
    model: GrammarWithDependencies, gold: Gold, limits: Sequence[int] = (), step: Step = STEP
) -> Outcome:
    """Parse the words of a gold tree by the systems of Table 2, by the joint one under limits of iterations too.

    step is the rule for step sizes of dual decomposition.
    """
    problem = model.problem(gold.words)
    joint = problem.parse(model.weight, step=step)
    count = partial(counts_of_heads, model, gold)
    parses = {"model 1": problem.grammar_parse(), "restricted": restricted_parse(problem), "joint": joint}
    limited = []
    for limit in limits:
        is_enough = joint.iterations <= limit
        parse = joint if is_enough else problem.parse(model.weight, max_iterations=limit, step=step)
        limited.append(Limited(count(parse.tree, parse.heads), parse.certified, parse.tree == joint.tree))
    systems = {name: count(parse.tree, parse.heads) for name, parse in parses.items()}
    return Outcome(systems, search_of(joint), search_without_split(model, problem, joint, step), tuple(limited))


def restricted_parse(problem: JointProblem) -> LexicalParse:
    """Find the grammar's best tree with the arcs of the dependency parser; without one, its best of all."""
    if problem.parts is None:
        return problem.grammar_parse()
    [parsed] = problem.model.parser.parse([problem.sentence])
    sentence = problem.forest.sentence
    node = [0, *(position + 1 for position in sentence.kept)]
    arcs = np.full((len(sentence.words) + 1, len(sentence.words) + 1), -np.inf)
    arcs[[node[h] for h in parsed.heads], node[1:]] = 0.0
    try:
        return problem.model.grammar.parse(sentence.words, adjust=arcs, considered=problem.considered)
    except InfeasibleError:
        return problem.grammar_parse()


def fixed_tags_parse(problem: TagProblem) -> PhraseParse:
    """Find the best tree of the grammar with the tags of the tagger, or a cover."""
    return problem.grammar.parse(problem.words, tags=problem.tags_of_tagger(), partial=True)


def tag_outcome(model: GrammarWithTagger, gold: Gold, step: Step = STEP) -> Outcome:
    """Parse the words of a gold tree by the systems of Table 3; step is the rule for step sizes."""
    problem = model.problem(gold.words)
    joint = problem.parse(model.weight, step=step)
    parses = {"fixed tags": fixed_tags_parse(problem), "joint": joint}
    systems = {name: counts_of_tags(gold, parse.tree) for name, parse in parses.items()}
    return Outcome(systems, search_of(joint), search_without_split(model, problem, joint, step))


def search_of(parse: JointParse | TagParse) -> Search:
    """What the result says about the search."""
    return Search(parse.iterations, parse.certified)


def search_without_split(
    model: Joint, problem: JointProblem | TagProblem, joint: JointParse | TagParse, step: Step
) -> Search:
    """Return the search if a problem on which the models do not agree is not split."""
    return search_of(joint if joint.nodes == 1 else problem.parse(model.weight, split_after=None, step=step))


def counts_of_heads(model: GrammarWithDependencies, gold: Gold, system: Tree, heads: NDArray[np.int32]) -> Counts:
    """Brackets as EVALB counts them; arcs of words that are no punctuation, against those of the gold tree."""
    rules = model.grammar.rules
    scored = np.array([not rules.is_punctuation(tag) for tag in gold.prepared.tags()])
    right = (dependencies(gold.prepared, rules)[1:] == heads[1:]) & scored
    return Counts(bracket_score(gold, system), int(right.sum()), int(scored.sum()))


def counts_of_tags(gold: Gold, system: Tree) -> Counts:
    """Brackets as EVALB counts them; tags of all words."""
    pairs = list(zip(gold.prepared.tags(), system.tags(), strict=True))
    return Counts(bracket_score(gold, system), sum(one == other for one, other in pairs), len(pairs))


def bracket_score(gold: Gold, system: Tree) -> Score:
    """Return the brackets in common with the tree of the treebank."""
    return scores_of([gold.tree], [system]).brackets


def table1(found: Sequence[Search]) -> list[float]:
    """Per cent of the sentences that are certified at the iterations of each bucket; the last: not certified."""
    shares = [
        sum(one.certified and low <= one.iterations <= high for one in found) / len(found) for low, high in BUCKETS
    ]
    return [100 * share for share in [*shares, sum(not one.certified for one in found) / len(found)]]


def accuracy_table(found: Sequence[Outcome], published: Mapping[str, tuple[float, ...]]) -> list[Row]:
    """Tables 2 and 3: the accuracy of each system, and whether it differs from that of the one above."""
    rows: list[Row] = []
    above: list[Counts] | None = None
    for system, figures in published.items():
        counts = [one.systems[system] for one in found]
        score = summed(counts)
        accuracy = sum(one.right for one in counts) / max(sum(one.words for one in counts), 1)
        p_values = [None if above is None else significance(above, counts, share) for share in (f1_of, accuracy_of)]
        precision, recall, f1 = (100 * share for share in (score.precision, score.recall, score.f1))
        rows.append(Row(system, precision, recall, f1, 100 * accuracy, p_values[0], p_values[1], figures))
        above = counts
    return rows


def summed(counts: Sequence[Counts]) -> Score:
    """Return the brackets of several sentences."""
    return Score(
        sum(one.brackets.correct for one in counts),
        sum(one.brackets.gold for one in counts),
        sum(one.brackets.system for one in counts),
        None,
    )


def f1_of(one: Counts) -> tuple[int, int]:
    """Numerator and denominator of F1."""
    return 2 * one.brackets.correct, one.brackets.gold + one.brackets.system


def accuracy_of(one: Counts) -> tuple[int, int]:
    """Numerator and denominator of the accuracy of heads or tags."""
    return one.right, one.words


def significance(a: Sequence[Counts], b: Sequence[Counts], share: Callable[[Counts], tuple[int, int]]) -> float:
    """Return the p-value of the difference in a share by a paired bootstrap over sentences."""
    return p_value_of([share(one) for one in a], [share(one) for one in b], SAMPLES)


def figure5(found: Sequence[Outcome]) -> Iterator[tuple[int, float, float, float]]:
    """For each limit of iterations: F1, per cent certified, per cent with the tree of the highest limit."""
    for place, limit in enumerate(LIMITS):
        limited = [one.limited[place] for one in found]
        shares = [sum(getattr(one, name) for one in limited) / len(found) for name in ("certified", "is_same")]
        yield limit, 100 * summed([one.counts for one in limited]).f1, 100 * shares[0], 100 * shares[1]


def draw_figure5(rows: Sequence[tuple[int, float, float, float]], path: Path) -> None:
    """Draw F1, certificates and unchanged trees by the limit on iterations, the rows of `figure5`."""
    limits, *columns = zip(*rows, strict=True)
    names = ("F1", "certified", f"trees as with {LIMITS[-1]} iterations")
    with axes(path) as axis:
        for name, column, colour in zip(names, columns, COLOURS, strict=True):
            axis.plot(limits, column, "o-", color=colour, markersize=3, label=name)
        axis.set(xscale="log", xlabel="limit on iterations", ylabel="%")
        axis.set_xticks(limits, [str(limit) for limit in limits], minor=False)
        axis.set_xticks([], minor=True)
        axis.legend(frameon=False)


# -- commands

DATA = (
    "DATA is a folder with treebanks in Penn brackets (train.mrg, dev.mrg, test.mrg), such as trees/CRAFT; where there "
    "is no test.mrg, every second tree of dev.mrg is the test part. "
    "--test-sentences are taken at equal distances from the file. "
)
TABLE1_HELP = (
    "After how many iterations does a grammar agree with another model (Table 1)?\n\n" + DATA + "Per cent of the "
    "sentences that are certified at each iteration; the certificate is about the trees within the beam of model 1, or "
    "with tags that the tagger considers."
) + examples(
    "treewright reproduce rush2010 table1 data --test-sentences 200",
    "treewright reproduce rush2010 table1 data --with tags --joint-model tags.tw",
)
TABLE2_HELP = (
    "What does agreement with a dependency parser gain (Table 2)?\n\n"
    + DATA
    + "Collins' model 1 alone, restricted to the "
    "arcs of the dependency parser, and jointly with it; p is that of the difference to the row above. The line of "
    "Table 1 for the same sentences follows."
) + examples(
    "treewright reproduce rush2010 table2 data --test-sentences 200",
    "treewright reproduce rush2010 table2 data --joint-model joint.tw",
    "treewright reproduce rush2010 table2 data --treebank trees/English-GUM",
    "treewright reproduce rush2010 table2 data --head-rules general",
)
TABLE3_HELP = (
    "What does agreement with a tagger gain (Table 3)?\n\n"
    + DATA
    + "Collins' model 1 with the tags of a trigram tagger, and jointly with it; p is that of the difference to the "
    "row above. The line of Table 1 for the same sentences follows."
) + examples(
    "treewright reproduce rush2010 table3 data --test-sentences 200",
    "treewright reproduce rush2010 table3 data --joint-model tags.tw",
)
FIGURE5_HELP = (
    "What does a limit on the iterations cost (Figure 5)?\n\n" + DATA + "F1, certified sentences and trees as with 50 "
    "iterations, by the limit; -o draws it. Tables 1 and 2 for the same sentences come before."
) + examples(
    "treewright reproduce rush2010 figure5 data --joint-model joint.tw",
    "treewright reproduce rush2010 figure5 data --joint-model joint.tw --steps halving -o figure5.svg",
)
app = new_app("Rush, Sontag, Collins & Jaakkola (2010): dual decomposition for grammars.")


StepRule = Literal["polyak", "halving"]
STEP_RULES: dict[StepRule, Step] = {"polyak": STEP, "halving": HalvingStep()}


@dataclass(frozen=True)
class Options:
    """The options of all tables and figures, and the experiments that they describe."""

    data: Annotated[Path, data_argument(", such as trees/CRAFT")]
    treebank: Treebank = "trees/CRAFT"
    model: Annotated[
        str | None,
        typer.Option("--joint-model", metavar="FILE", help="A model of `grammar train --with`; no training."),
    ] = None
    head_rules: Annotated[str, head_rules_option("for model 1 and its dependencies")] = "english"
    sentences: MaxSentences = None
    count: Annotated[
        int | None, typer.Option("--test-sentences", min=1, metavar="N", help="Parse N sentences only.")
    ] = None
    longest: Annotated[
        int | None, typer.Option("--longest", min=1, metavar="N", help="Parse sentences of at most N words only.")
    ] = None
    part: Annotated[Literal["dev", "test"], typer.Option("--part", help="What is parsed.")] = "test"
    steps: Annotated[
        StepRule,
        typer.Option("--steps", help="Step sizes of dual decomposition: halving as published, or Polyak's rule."),
    ] = "polyak"
    weight: Annotated[
        float | None,
        typer.Option(
            "--weight", metavar="X", help="Weight of the other model's score; if not given, chosen on dev trees."
        ),
    ] = None
    words: Annotated[
        Path | None,
        typer.Option(
            "--words",
            metavar="FILE",
            help="Word classes (a model of `treewright words`) as features of the dependency parser (Koo et al. 2008).",
        ),
    ] = None
    skip_bad: SkipBadTrees = False
    quiet: Quiet = False
    as_json: Json = False

    def with_dependencies(self, limits: Sequence[int] = ()) -> list[Outcome]:
        """Parse with model 1 and a dependency parser, also under limits of iterations."""
        outcome = partial(dependency_outcome, limits=limits, step=STEP_RULES[self.steps])
        return self._outcomes(GrammarWithDependencies, outcome)

    def with_tags(self) -> list[Outcome]:
        """Parse with a grammar and a tagger."""
        return self._outcomes(GrammarWithTagger, partial(tag_outcome, step=STEP_RULES[self.steps]))

    def _outcomes(self, kind: type[Joint], outcome: Callable[[Joint, Gold], Outcome]) -> list[Outcome]:
        """Parse with a joint model of a kind."""
        folder = TreebankFolder(self.data / self.treebank, self.skip_bad)
        trees = folder.to_parse(self.part, self.count, self.longest)
        model = self.joint_model(kind, folder)
        note_skipped(len(folder.left_out), folder.left_out)
        with progress("sentences", self.quiet) as report:
            return outcomes(model, trees, outcome, report)

    def joint_model(self, kind: type[Joint], folder: TreebankFolder) -> Joint:
        """Load a model of a kind, or train one on the trees of a folder; with --weight, this is its weight."""
        options = JointOptions(weight=self.weight)
        if self.words is not None and (self.model is not None or kind is not GrammarWithDependencies):
            raise InputError("--words is for the training of a dependency parser; leave it out with this model")
        if self.model is not None:
            model = kind.load(self.model)
            model.weight = options.weight or model.weight
            return model
        show_stage = stage_printer(self.quiet)
        show_stage(f"{self.treebank}: reading")
        train, dev = folder.to_train(self.sentences)
        show_stage(f"{self.treebank}: training model 1 on {len(train):,} trees")
        classes: Any = {} if self.words is None else {"words": Words.load(self.words)}
        return kind.train(
            train,
            dev,
            grammar_options=CollinsOptions(self.head_rules),
            options=options,
            report=lambda done: show_stage(f"{self.treebank}: {done.stage}, {done.epoch} of {done.epochs}"),
            **classes,
        )


@app.command("table1", help=TABLE1_HELP, cls=PlainCommand)
@with_option_groups
def table1_command(
    *,
    other: Annotated[
        Literal["dependencies", "tags"], typer.Option("--with", help="The model that the grammar agrees with.")
    ] = "dependencies",
    options: Options,
) -> None:
    outcomes = options.with_tags() if other == "tags" else options.with_dependencies()
    show_iterations(outcomes, other, options)


def show_iterations(found: list[Outcome], other: str, options: Options) -> None:
    """Table 1, ours beside theirs."""
    shares, published = table1([one.joint for one in found]), PUBLISHED_ITERATIONS[other]
    without_split = table1([one.without_split for one in found])
    names = [f"{low}-{high}" if high > low else str(low) for low, high in BUCKETS] + ["not certified"]
    if options.as_json:
        ours = {"ours": shares, "without_split": without_split}
        rows = {name: dict(zip(names, row, strict=True)) for name, row in ours.items()}
        typer.echo(json.dumps({**rows, "published": published}))
        return
    lines = [
        [f"{options.treebank}, {len(found)} sentences", *(f"{share:.1f}" for share in shares)],
        ["the same without splits", *(f"{share:.1f}" for share in without_split)],
        ["published (WSJ)", *(f"{share:.1f}" for share in published)],
    ]
    show_lines(("% certified at iteration", *names), lines)


@app.command("table2", help=TABLE2_HELP, cls=PlainCommand)
@with_option_groups
def table2_command(options: Options) -> None:
    show_accuracy(options.with_dependencies(), PUBLISHED, "dependencies", WHAT, options)


@app.command("table3", help=TABLE3_HELP, cls=PlainCommand)
@with_option_groups
def table3_command(options: Options) -> None:
    show_accuracy(options.with_tags(), PUBLISHED_TAGS, "tags", WHAT_OF_TAGS, options)


def show_accuracy(
    found: list[Outcome],
    published: Mapping[str, tuple[float, ...]],
    what: str,
    systems: dict[str, str],
    options: Options,
) -> None:
    """Table 2 or 3, ours beside theirs."""

    rows = accuracy_table(found, published)
    if options.as_json:
        echo_json(rows)
        return
    lines = []
    for row in rows:
        figures = (row.precision, row.recall, row.f1, row.accuracy)
        beside = [f"{ours:.1f} ({theirs:.1f})" for ours, theirs in zip(figures, row.published, strict=True)]
        p_values = ["" if p is None else f"{p:.4f}" for p in (row.p_f1, row.p_accuracy)]
        lines.append([row.system, *beside, *p_values])
    columns = ("precision", "recall", "F1", what, "p (F1)", f"p ({what})")
    show_lines((f"{options.treebank}, {len(found)} sentences", *columns), lines)
    meanings = "; ".join(f"{system}: {meaning}" for system, meaning in systems.items())
    typer.echo(f"In brackets: published, on the Wall Street Journal. {meanings}.")
    show_iterations(found, what, options)


@app.command("figure5", help=FIGURE5_HELP, cls=PlainCommand)
@with_option_groups
def figure5_command(
    *,
    output: Annotated[Path | None, output_option("the figure, as SVG, PNG or PDF.")] = None,
    options: Options,
) -> None:
    if output is not None:
        ensure_matplotlib()
    outcomes = options.with_dependencies(LIMITS)
    rows = list(figure5(outcomes))
    if output is not None:
        draw_figure5(rows, output)
    if options.as_json:
        names = ("limit", "f1", "certified", "same")
        typer.echo(json.dumps([dict(zip(names, row, strict=True)) for row in rows]))
        return
    show_accuracy(outcomes, PUBLISHED, "dependencies", WHAT, options)
    show_lines(
        ("limit on iterations", "F1", "certified %", "tree of limit 50 %"),
        [[str(limit), *(f"{figure:.2f}" for figure in figures)] for limit, *figures in rows],
    )
    typer.echo(
        "Published (WSJ): F1 90.63 with 5, 90.69 with 10, 90.7 with 50; over 80 % certified with 5, 90 % with 10."
    )
