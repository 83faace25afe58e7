"""Jiang, Han & Tu (2017): joint training of two unsupervised parsers, the published figures beside ours.

Protocol: UD 1.4, punctuation removed, gold UPOS; trained on sentences of at most 15 words, tested on at most 40 (and
15); directed accuracy, the root's arc included. docs/papers.md says how the settings were chosen.

Table 2 shows whether Convex-MST learned from the DMV to prefer short arcs: the mean length of the arcs of its parses,
before and after. Figure 1 shows whether the DMV learned the rules from Convex-MST: the share of the arcs of its parses
that follow each rule. We do not have the paper's figures of both, only their direction.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypedDict, Unpack

import numpy as np
import typer
from numpy.typing import NDArray

from treewright.cli.options import Json, PlainCommand, Quiet, examples, new_app, output_option
from treewright.corpus import Sentence, read
from treewright.errors import InputError
from treewright.induce import convex_mst, dmv, joint
from treewright.induce.convex_mst import ArcModel
from treewright.induce.model import InducedParser
from treewright.induce.options import InductionOptions, resolve
from treewright.induce.rules import ROOT, Rules, load_rules, table
from treewright.induce.tagged import TaggedCorpus, read_tagged, words_of
from treewright.induce.training import ArcSpace, OnReport, train_dmv
from treewright.learn import Report
from treewright.model.checkpoint import StepResults
from treewright.papers.common import (
    Treebank,
    Treebanks,
    axes,
    data_argument,
    ensure_matplotlib,
    names_of,
    show_lines,
    show_rows,
    stage_printer,
    with_option_groups,
)

Heads = NDArray[np.int32]
PAPERS = ("M", "D", "D-I", "M-J", "D-J", "DD")
SYSTEMS = (*PAPERS, "best")
WHAT = {
    "M": "Convex-MST alone",
    "D": "left-corner DMV alone",
    "D-I": "D started from the parses of M",
    "M-J": "Convex-MST after joint training",
    "D-J": "DMV after joint training",
    "DD": "both, decoded together",
    "best": "ours: --algorithm best",
}
MAX_WORDS = 40  # of test sentences, without punctuation, as in the paper

# Table 1, test sentences of at most 40 words, by the folder of the treebank in UD 1.4.
PUBLISHED = {
    "Ancient_Greek": (43.4, 33.1, 38.8, 44.2, 44.9, 38.9),
    "Ancient_Greek-PROIEL": (50.4, 43.0, 44.7, 50.8, 52.9, 44.9),
    "Basque": (50.0, 45.4, 54.2, 52.1, 55.7, 50.2),
    "Bulgarian": (61.6, 62.4, 60.3, 64.7, 73.8, 64.8),
    "Czech": (48.6, 17.4, 53.9, 48.7, 54.0, 53.5),
    "Czech-CAC": (50.4, 53.0, 53.9, 55.6, 62.3, 50.2),
    "Dutch": (45.3, 34.1, 56.7, 48.2, 43.5, 40.7),
    "Dutch-LassySmall": (42.4, 27.0, 16.4, 43.2, 41.2, 36.3),
    "English": (54.0, 56.0, 49.8, 57.3, 60.1, 53.4),
    "Estonian": (49.4, 31.8, 47.5, 48.7, 44.0, 44.4),
    "Finnish": (44.7, 26.9, 39.0, 44.2, 43.5, 31.2),
    "Finnish-FTB": (49.9, 31.0, 47.9, 47.7, 48.0, 36.5),
    "French": (62.0, 48.6, 57.0, 54.5, 57.0, 55.5),
    "German": (51.4, 50.5, 54.1, 49.3, 55.7, 48.6),
    "Gothic": (52.7, 49.9, 47.3, 59.6, 56.4, 58.0),
    "Hindi": (56.8, 54.2, 48.4, 52.1, 60.0, 49.1),
    "Italian": (69.1, 71.1, 67.4, 62.8, 70.3, 64.5),
    "Japanese": (44.8, 43.8, 43.8, 42.8, 45.8, 41.0),
    "Latin-ITTB": (38.8, 38.6, 42.3, 47.0, 42.2, 40.3),
    "Latin-PROIEL": (44.3, 34.8, 38.7, 46.8, 41.8, 42.9),
    "Norwegian": (55.3, 45.5, 51.4, 57.4, 60.8, 46.6),
    "Old_Church_Slavonic": (56.4, 26.6, 51.3, 58.3, 58.6, 42.0),
    "Polish": (63.4, 63.7, 61.5, 70.7, 74.2, 68.9),
    "Portuguese": (57.9, 67.2, 60.1, 56.1, 62.9, 57.4),
    "Portuguese-BR": (59.3, 63.1, 62.0, 65.5, 68.8, 58.3),
    "Russian-SynTagRus": (47.6, 51.7, 56.5, 52.1, 64.4, 52.6),
    "Slovak": (57.4, 59.3, 51.9, 61.7, 65.9, 58.7),
    "Slovenian": (54.0, 49.5, 56.3, 65.5, 69.6, 56.1),
    "Spanish": (61.9, 61.9, 60.3, 57.4, 68.0, 60.2),
    "Spanish-AnCora": (59.4, 59.5, 56.4, 56.8, 65.2, 57.6),
}
# As printed; the means of the rows above are up to 0.7 away from the first, so it may be weighted.
PUBLISHED_AVERAGE = {40: (52.7, 47.2, 50.3, 54.2, 56.5, 49.6), 15: (55.4, 48.9, 54.9, 57.3, 60.2, 53.8)}

# Universal: the rules of Naseem et al. (2010) for twelve tags, as Grave & Elhadad (2015) have them; noji: those of
# Noji et al. (2016) for UD. The paper does not say which it used. `ud` of treewright.induce is ours.
NOUNS = "NOUN PROPN PRON"
OF_A_NOUN = f"ADJ DET NUM {NOUNS} CONJ CCONJ AUX"
RULE_SETS = {
    "universal": table(
        VERB="VERB NOUN PRON ADV ADP",
        NOUN="NOUN ADJ DET NUM CONJ CCONJ",
        ADJ="ADV",
        ADP="NOUN",
    ),
    "noji": table(
        ROOT=f"VERB {NOUNS}",
        VERB=f"{NOUNS} ADV VERB AUX",
        NOUN=OF_A_NOUN,
        PROPN=OF_A_NOUN,
        PRON=OF_A_NOUN,
        ADJ="ADV",
    ),
}


@dataclass(frozen=True)
class Training:
    """How the six systems are trained: rules, weight of the arc scores, separate iterations after each joint round."""

    rules: str = "ud"  # of RULE_SETS, of treewright.induce, or a file
    refinement: int = 0  # the paper: 3
    weight: float | None = None  # None: balanced

    @property
    def options(self) -> InductionOptions:
        """The options of joint training; `rules` may be unknown to treewright.induce and are not among them."""
        return InductionOptions(joint=joint.JointOptions(weight="balanced" if self.weight is None else self.weight))

    def load_rules(self, kinds: Sequence[str]) -> Rules:
        """Return the rules, for a corpus with the tags `kinds`."""
        if self.rules in RULE_SETS:
            return Rules(self.rules, RULE_SETS[self.rules])
        return load_rules(self.rules, kinds)


@dataclass(frozen=True)
class Row:
    """One treebank: accuracies in percent by system, on sentences of at most 40 and 15 words."""

    treebank: str
    at_most_40: dict[str, float]
    at_most_15: dict[str, float]
    published: dict[str, float]  # of the paper's six systems; empty when it has no such row


@dataclass(frozen=True)
class Systems:
    """The paper's six systems, trained on one corpus."""

    options: InductionOptions
    rules: Rules
    alone_limits: dmv.Limits  # of the DMV that is trained alone
    space_codes: NDArray[np.int64]
    alone: joint.Pair
    from_parses: dmv.DmvParameters
    together: joint.Pair

    def heads(self, system: str, corpus: TaggedCorpus) -> Heads:
        """Return the parses of one system."""
        if system in {"D", "D-I"}:
            return dmv.decode(corpus, self.alone.dmv if system == "D" else self.from_parses, self.alone_limits)[0]
        limits = self.options.limits
        if system == "D-J":
            return dmv.decode(corpus, self.together.dmv, limits)[0]
        cells = convex_mst.cells_of(corpus, self.rules)
        weights = self.alone.weights if system == "M" else self.together.weights
        scores = ArcModel(self.space_codes, weights).scores(cells)
        if system != "DD":
            return convex_mst.best_trees(cells, scores, self.options.convex.projective)
        scores = scores + self.options.convex.rule_weight * cells.follows_rule
        return joint.decode_jointly(
            corpus, self.together.dmv, limits, cells.matrices(scores), self.options.joint
        ).generative


def train_systems(corpus: TaggedCorpus, training: Training, report: Callable[[Report], None]) -> Systems:
    """Train M and D separately, D-I from M's parses, then both together."""
    options, rules = training.options, training.load_rules(corpus.kinds)
    settings, alone_settings = resolve(options), resolve(replace(options, method="lc-dmv"))
    space = ArcSpace.of(corpus, rules, settings)
    weights = space.train(settings, report)
    alone = joint.Pair(train_dmv(corpus, alone_settings, report), weights)
    scores = ArcModel(space.regression.codes, weights).scores(space.cells)
    parses = convex_mst.best_trees(space.cells, scores, options.convex.projective)
    counted = dmv.counts_of(corpus, parses).normalised(options.joint.smoothing)
    from_parses = dmv.fit(corpus, counted, alone_settings.limits, iterations=options.iterations)
    start = joint.Pair(train_dmv(corpus, settings, report), weights)
    settings = space.balanced(corpus, start, settings, StepResults())
    refine = partial(refined, corpus, space, settings, training.refinement)
    together = space.train_jointly(corpus, start, settings, report, StepResults(), refine)
    return Systems(settings, rules, alone_settings.limits, space.regression.codes, alone, from_parses, together)


def refined(
    corpus: TaggedCorpus,
    space: ArcSpace,
    settings: InductionOptions,
    iterations: int,
    pair: joint.Pair,
    trees: joint.JointTrees,
) -> joint.Pair:
    """Train each model of a pair alone for some iterations after a joint round; `trees` are those of the round."""
    if iterations == 0:
        return pair
    parameters = dmv.fit(corpus, pair.dmv, settings.limits, iterations=iterations, tolerance=-np.inf)
    convex = replace(settings.convex, iterations=iterations)
    start = convex_mst.indicator(space.cells, trees.discriminative)
    return joint.Pair(parameters, convex_mst.frank_wolfe(space.cells, space.regression, convex, start=start)[1])


def corpora(
    data: Path, treebank: str, options: InductionOptions, split: str
) -> tuple[TaggedCorpus, TaggedCorpus, Heads]:
    """Return the training corpus, the test corpus and the gold heads of the latter."""
    source = data / treebank / "train.conllu"
    train = read_tagged(read(source), max_length=options.max_length, source=str(source))
    sentences = list(read(data / treebank / f"{split}.conllu"))
    return train, read_tagged(sentences, max_length=MAX_WORDS, kinds=train.kinds), gold_heads(sentences)


def gold_heads(sentences: Iterable[Sentence]) -> Heads:
    """Return the gold heads of the test words as flat CoNLL numbers among the words that are no punctuation."""
    trees = []
    for sentence in sentences:
        positions = words_of(sentence).positions
        if 0 < len(positions) <= MAX_WORDS:
            tree = heads_among(positions, sentence.heads)
            if tree is None:
                raise InputError(f"{sentence.place}: a word has no head; the test sentences must have gold trees")
            trees.append(tree)
    return np.concatenate(trees)


def heads_among(positions: NDArray[np.int32], heads: NDArray[np.int32]) -> NDArray[np.int32] | None:
    """Return gold heads as CoNLL numbers among the words at `positions`; None without a complete tree.

    The head of a word below punctuation is the nearest ancestor that is no punctuation.
    """
    if len(heads) == 0 or (heads < 0).any():
        return None
    number_of = {0: 0} | {int(position) + 1: new for new, position in enumerate(positions, start=1)}
    renumbered = []
    for position in positions:
        head = int(heads[position])
        for _ in heads:  # at most so many steps, for a cycle of punctuation has no end
            if head in number_of:
                break
            head = int(heads[head - 1])
        else:
            return None
        renumbered.append(number_of[head])
    return np.array(renumbered, dtype=np.int32)


def table1(
    data: Path,
    treebanks: Iterable[str],
    *,
    training: Training | None = None,
    split: str = "test",
    report: Callable[[str, Report], None] = lambda treebank, report: None,
) -> Iterator[Row]:
    """Yield a row for each treebank; `data` has a folder for each, with train.conllu and test.conllu."""
    training = training or Training()
    options = training.options
    for treebank in treebanks:
        train, test, gold = corpora(data, treebank, options, split)
        systems = train_systems(train, training, partial(report, treebank))
        parses = {system: systems.heads(system, test) for system in PAPERS}
        best = InducedParser.learned(train, InductionOptions(method="best"), partial(report, treebank))
        parses["best"] = best.heads(test)
        is_short = np.repeat(test.lengths <= 15, test.lengths)
        yield Row(
            treebank,
            {system: 100 * float((heads == gold).mean()) for system, heads in parses.items()},
            {system: 100 * float((heads == gold)[is_short].mean()) for system, heads in parses.items()},
            dict(zip(PAPERS, PUBLISHED[treebank], strict=True)) if treebank in PUBLISHED else {},
        )


def average(rows: Sequence[Row]) -> Row:
    """Return the mean over treebanks, of the published figures too if the paper has all of them."""

    def mean(columns: Sequence[dict[str, float]]) -> dict[str, float]:
        return {system: float(np.mean([column[system] for column in columns])) for system in columns[0]}

    published = mean([row.published for row in rows]) if all(row.published for row in rows) else {}
    return Row("average", mean([row.at_most_40 for row in rows]), mean([row.at_most_15 for row in rows]), published)


GOLD = "gold"
INK, BLUE, ORANGE = "#333333", "#0072b2", "#d55e00"


@dataclass(frozen=True)
class Lengths:
    """Mean length of the arcs of a system's parses, the root's not counted."""

    system: str
    at_most_40: float
    at_most_15: float


class StudyOptions(TypedDict, total=False):
    """The keywords of table 2 and figure 1."""

    training: Training
    split: str
    report: OnReport


def table2(data: Path, treebank: str = "English", **how: Unpack[StudyOptions]) -> list[Lengths]:
    """Mean arc lengths of Convex-MST alone, after joint training, and of the gold trees."""
    test, parses = parses_of(("M", "M-J"), data, treebank, **how)
    is_short = np.repeat(test.lengths <= 15, test.lengths)
    return [
        Lengths(
            system,
            mean_length(heads, test.lengths),
            mean_length(heads[is_short], test.lengths[test.lengths <= 15]),
        )
        for system, heads in parses.items()
    ]


@dataclass(frozen=True)
class Share:
    """Per cent of the arcs that follow one rule, by system."""

    head: str
    modifier: str
    percent: dict[str, float]


def figure1(data: Path, treebank: str = "English", **how: Unpack[StudyOptions]) -> list[Share]:
    """Return the share of arcs that follow each rule: of the DMV alone, after joint training, and of gold trees."""
    test, parses = parses_of(("D", "D-J"), data, treebank, **how)
    return shares(parses, test, how.get("training", Training()).load_rules(test.kinds))


def parses_of(
    names: tuple[str, str], data: Path, treebank: str, **how: Unpack[StudyOptions]
) -> tuple[TaggedCorpus, dict[str, Heads]]:
    """Return the test sentences, and their heads by two systems and by the treebank."""
    training, split = how.get("training", Training()), how.get("split", "test")
    report = how.get("report", lambda report: None)
    train, test, gold = corpora(data, treebank, training.options, split)
    systems = train_systems(train, training, report)
    return test, {name: systems.heads(name, test) for name in names} | {GOLD: gold}


def mean_length(heads: Heads, lengths: NDArray[np.int32]) -> float:
    """Return the mean distance of a word from its head, over the words whose head is a word, of sentences."""
    words = np.concatenate([np.arange(1, length + 1) for length in lengths.tolist()])
    has_head = heads > 0
    return float(np.abs(heads - words)[has_head].mean())


def shares(parses: dict[str, Heads], corpus: TaggedCorpus, rules: Rules) -> list[Share]:
    """Per cent of the arcs that follow each rule whose tags the corpus has, in the order of the rules."""
    kinds = [*corpus.kinds, ROOT]
    number_of = {kind: number for number, kind in enumerate(kinds)}
    begins = np.repeat(corpus.begins, corpus.lengths)
    counts = {}
    for system, heads in parses.items():
        head_tags = np.where(heads > 0, corpus.tags[begins + np.maximum(heads, 1) - 1], len(kinds) - 1)
        counts[system] = np.zeros((len(kinds), len(kinds)))
        np.add.at(counts[system], (head_tags, corpus.tags), 100 / len(heads))
    return [
        Share(
            head, modifier, {name: float(table[number_of[head], number_of[modifier]]) for name, table in counts.items()}
        )
        for head, modifiers in rules.table.items()
        for modifier in modifiers
        if head in number_of and modifier in number_of
    ]


def draw_shares(rows: list[Share], path: Path) -> None:
    """An SVG file with two bars for each rule and a mark for the gold trees."""
    with axes(path, 7, 0.28 * len(rows) + 0.9) as axis:
        draw_bars(axis, rows)


def draw_bars(axis: Any, rows: list[Share]) -> None:
    places = np.arange(len(rows))
    for system, shift, colour, name in (("D", -0.19, BLUE, "alone"), ("D-J", 0.19, ORANGE, "after joint training")):
        axis.barh(places + shift, [row.percent[system] for row in rows], 0.36, color=colour, label=f"{system}: {name}")
    axis.plot(
        [row.percent[GOLD] for row in rows], places, "|", color=INK, markersize=11, markeredgewidth=1.6, label=GOLD
    )
    axis.set_yticks(places, [f"{row.head} → {row.modifier}" for row in rows])
    axis.invert_yaxis()
    axis.set(xlabel="% of all arcs", ylim=(len(rows) - 0.4, -0.6))
    axis.legend(frameon=False, loc="lower right")


# -- commands

TABLE1_HELP = (
    "How accurate are six systems that are trained on tags without trees (Table 1)?\n\n"
    "DATA has a folder for each treebank of UD 1.4; without --treebanks all of the paper's thirty that are there. "
    "Trained on sentences of at most 15 words, tested on at most 40; "
    "directed accuracy without punctuation. The paper's figures are in brackets."
) + examples(
    "treewright reproduce jiang2017 table1 data/ud-1.4 --treebanks English,Gothic",
    "treewright reproduce jiang2017 table1 data/ud-1.4 --rules universal --refinement 3",
)
TABLE2_HELP = (
    "Does Convex-MST learn from the DMV to prefer short arcs (Table 2)?\n\n"
    "The mean length of the arcs of its parses of the test sentences (at most 40 words, and 15), trained alone (M) and "
    "together (M-J), beside the gold trees'; the root's arc is not counted."
) + examples(
    "treewright reproduce jiang2017 table2 data/ud-1.4",
)
FIGURE1_HELP = (
    "Does the DMV learn rules from Convex-MST (Figure 1)?\n\n"
    "How many arcs in a hundred of its parses of the test sentences follow each rule, trained alone (D) and together "
    "(D-J), beside the gold trees'; -o draws it."
) + examples(
    "treewright reproduce jiang2017 figure1 data/ud-1.4 -o rules.svg",
)
app = new_app("Jiang, Han & Tu (2017): parsing with no treebank.")


@dataclass(frozen=True)
class Options:
    """The options of all tables and figures."""

    data: Annotated[Path, data_argument(" of UD 1.4, such as English")]
    rules: Annotated[
        str, typer.Option(metavar="NAME", help="Rules of Convex-MST: universal, noji, ud (ours), or a TOML file.")
    ] = "ud"
    refinement: Annotated[
        int, typer.Option(min=0, metavar="N", help="Iterations of each model alone after a joint round; the paper: 3.")
    ] = 0
    weight: Annotated[
        float | None, typer.Option(metavar="X", help="Weight of the arc scores; if not given, both models balance.")
    ] = None
    quiet: Quiet = False
    as_json: Json = False

    @property
    def training(self) -> Training:
        """How the systems are trained."""
        return Training(self.rules, self.refinement, self.weight)


@app.command("table1", help=TABLE1_HELP, cls=PlainCommand)
@with_option_groups
def table1_command(*, treebanks: Treebanks = None, options: Options) -> None:
    show_stage = stage_printer(options.quiet)
    names = names_of(treebanks, [name for name in PUBLISHED if (options.data / name).is_dir()])
    if not names:
        raise InputError(f"{options.data}: none of the paper's treebanks, such as English; or give --treebanks")
    rows = []
    for row in table1(
        options.data,
        names,
        training=options.training,
        report=lambda name, done: show_stage(f"{name}: {done.stage}"),
    ):
        rows.append(row)
        if options.as_json:
            typer.echo(json.dumps(asdict(row)))
    if options.as_json:
        return
    lines = []
    for row in [*rows, average(rows)] if len(rows) > 1 else rows:
        beside = {system: f" ({row.published[system]:.1f})" if system in row.published else "" for system in SYSTEMS}
        lines.append([row.treebank, *(f"{row.at_most_40[system]:.1f}{beside[system]}" for system in SYSTEMS)])
        lines.append(["  at most 15 words", *(f"{row.at_most_15[system]:.1f}" for system in SYSTEMS)])
    for words, figures in PUBLISHED_AVERAGE.items():
        name = "paper's 30" if words == MAX_WORDS else f"  at most {words} words"
        lines.append([name, *(f"({figure})" for figure in figures), ""])
    show_lines(("treebank", *SYSTEMS), lines)
    typer.echo("; ".join(f"{system}: {what}" for system, what in WHAT.items()) + ".")


@app.command("table2", help=TABLE2_HELP, cls=PlainCommand)
@with_option_groups
def table2_command(*, treebank: Treebank = "English", options: Options) -> None:
    show_stage = stage_printer(options.quiet)
    rows = table2(
        options.data, treebank, training=options.training, report=lambda done: show_stage(f"{treebank}: {done.stage}")
    )
    lines = [[row.system, f"{row.at_most_40:.3f}", f"{row.at_most_15:.3f}"] for row in rows]
    show_rows(rows, options.as_json, ("mean length of arcs", "at most 40 words", "at most 15"), lines)


@app.command("figure1", help=FIGURE1_HELP, cls=PlainCommand)
@with_option_groups
def figure1_command(
    *,
    treebank: Treebank = "English",
    output: Annotated[Path | None, output_option("an SVG file with the figure.")] = None,
    options: Options,
) -> None:
    if output is not None:
        ensure_matplotlib()
    show_stage = stage_printer(options.quiet)
    rows = figure1(
        options.data, treebank, training=options.training, report=lambda done: show_stage(f"{treebank}: {done.stage}")
    )
    if output is not None:
        draw_shares(rows, output)
    systems = list(rows[0].percent)
    lines = [[f"{row.head} -> {row.modifier}", *(f"{row.percent[system]:.2f}" for system in systems)] for row in rows]
    lines.append(["all rules", *(f"{sum(row.percent[system] for row in rows):.2f}" for system in systems)])
    show_rows(rows, options.as_json, ("% of all arcs", *systems), lines)
