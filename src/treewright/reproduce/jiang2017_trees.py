"""Table 2 and Figure 1 of Jiang, Han & Tu (2017): the effect of joint training on the trees.

Table 2 shows whether Convex-MST learned from the DMV to prefer short arcs: the mean length of the arcs of its
parses, before and after. Figure 1 shows whether the DMV learned the rules from Convex-MST: the share of the
arcs of its parses that follow each rule. We do not have the paper's figures, only their direction: arcs get
shorter, more of them follow rules. The figures of the gold trees are printed beside.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.induce.options import InductionOptions, resolve
from treewright.induce.rules import ROOT, Rules, load_rules
from treewright.induce.tagged import TaggedCorpus
from treewright.induce.training import OnReport
from treewright.reproduce.jiang2017 import corpora, train_systems
from treewright.reproduce.plots import axes

Heads = NDArray[np.int32]
GOLD = "gold"
INK, BLUE, ORANGE = "#333333", "#0072b2", "#d55e00"


@dataclass(frozen=True)
class Lengths:
    """Mean length of the arcs of a system's parses, the root's not counted."""

    system: str
    at_most_40: float
    at_most_15: float


@dataclass(frozen=True)
class Share:
    """Per cent of the arcs that follow one rule, by system."""

    head: str
    modifier: str
    percent: dict[str, float]


def table2(
    data: Path,
    treebank: str = "English",
    *,
    options: InductionOptions | None = None,
    split: str = "test",
    report: OnReport = lambda report: None,
) -> list[Lengths]:
    """Mean arc lengths of Convex-MST alone, after joint training, and of the gold trees."""
    test, parses = parses_of(("M", "M-J"), data, treebank, options or InductionOptions(), split, report)
    is_short = np.repeat(test.lengths <= 15, test.lengths)
    return [
        Lengths(system, mean_length(heads, test), mean_length(heads[is_short], test.shorter_than(15)))
        for system, heads in parses.items()
    ]


def figure1(
    data: Path,
    treebank: str = "English",
    *,
    options: InductionOptions | None = None,
    split: str = "test",
    report: OnReport = lambda report: None,
) -> list[Share]:
    """The share of arcs that follow each rule: of the DMV alone, after joint training, and of gold trees."""
    options = options or InductionOptions()
    test, parses = parses_of(("D", "D-J"), data, treebank, options, split, report)
    return shares(parses, test, load_rules(resolve(options).rules, test.kinds))


def parses_of(
    names: tuple[str, str], data: Path, treebank: str, options: InductionOptions, split: str, report: OnReport
) -> tuple[TaggedCorpus, dict[str, Heads]]:
    """The test sentences, and their heads by two systems and by the treebank."""
    train, test = corpora(data, treebank, options, split)
    systems = train_systems(train, options, report)
    return test, {name: systems.heads(name, test) for name in names} | {GOLD: gold(test)}


def gold(corpus: TaggedCorpus) -> Heads:
    if corpus.heads is None:
        raise InputError("the test sentences must have gold heads")
    return corpus.heads


def mean_length(heads: Heads, corpus: TaggedCorpus) -> float:
    """Mean distance of a word from its head, over the words whose head is a word."""
    words = np.concatenate([np.arange(1, length + 1) for length in corpus.lengths.tolist()])
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
