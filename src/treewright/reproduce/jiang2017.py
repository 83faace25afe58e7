"""Table 1 of Jiang, Han & Tu (2017): six systems trained without a treebank, the published figures beside ours.

Protocol: UD 1.4, punctuation removed, gold UPOS; trained on sentences of at most 15 words, tested on at most 40 (and
15); directed accuracy, the root's arc included. docs/figures.md says how the settings were chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import read
from treewright.induce import convex_mst, dmv, joint
from treewright.induce.convex_mst import ArcModel
from treewright.induce.model import InducedParser
from treewright.induce.options import InductionOptions, InductionSettings, resolve
from treewright.induce.rules import load_rules
from treewright.induce.tagged import TaggedCorpus, accuracy, read_tagged
from treewright.induce.training import ArcSpace, Steps, train_dmv
from treewright.learn import Report

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
# Test sentences of at most 40 words, as the paper prints them.
PUBLISHED = {
    "English": (54.0, 56.0, 49.8, 57.3, 60.1, 53.4),
    "Basque": (50.0, 45.4, 54.2, 52.1, 55.7, 50.2),
    "Dutch-LassySmall": (42.4, 27.0, 16.4, 43.2, 41.2, 36.3),
    "Gothic": (52.7, 49.9, 47.3, 59.6, 56.4, 58.0),
}


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

    options: InductionSettings
    alone_limits: dmv.Limits  # of the DMV that is trained alone
    space_codes: NDArray[np.int64]
    alone: joint.Pair
    from_parses: dmv.DmvParameters
    together: joint.Pair

    def heads(self, system: str, corpus: TaggedCorpus) -> Heads:
        """The parses of one system."""
        if system in {"D", "D-I"}:
            return dmv.decode(corpus, self.alone.dmv if system == "D" else self.from_parses, self.alone_limits)[0]
        limits = self.options.limits
        if system == "D-J":
            return dmv.decode(corpus, self.together.dmv, limits)[0]
        cells = convex_mst.cells_of(corpus, load_rules(self.options.rules, corpus.kinds))
        weights = self.alone.weights if system == "M" else self.together.weights
        scores = ArcModel(self.space_codes, weights).scores(cells)
        if system != "DD":
            return convex_mst.best_trees(cells, scores, self.options.convex.projective)
        scores = scores + self.options.convex.rule_weight * cells.follows_rule
        return joint.decode_jointly(
            corpus, self.together.dmv, limits, cells.matrices(scores), self.options.joint
        ).generative


def train_systems(corpus: TaggedCorpus, options: InductionOptions, report: Callable[[Report], None]) -> Systems:
    """Train M and D separately, D-I from M's parses, then both together."""
    settings, alone_settings = resolve(options), resolve(replace(options, method="lc-dmv"))
    space = ArcSpace.of(corpus, load_rules(settings.rules, corpus.kinds), settings)
    weights = space.train(settings, report).w
    alone = joint.Pair(train_dmv(corpus, alone_settings, report), weights)
    scores = ArcModel(space.regression.codes, weights).scores(space.cells)
    parses = convex_mst.best_trees(space.cells, scores, options.convex.projective)
    counted = dmv.counts_of(corpus, parses).normalised(options.joint.smoothing)
    from_parses = dmv.fit(corpus, counted, alone_settings.limits, iterations=options.iterations)
    start = joint.Pair(train_dmv(corpus, settings, report), weights)
    settings = space.balanced(corpus, start, settings, Steps())
    together = space.train_jointly(corpus, start, settings, report, Steps())
    return Systems(settings, alone_settings.limits, space.regression.codes, alone, from_parses, together)


def corpora(data: Path, treebank: str, options: InductionOptions, split: str) -> tuple[TaggedCorpus, TaggedCorpus]:
    """The training corpus and the test corpus."""
    source = data / treebank / "train.conllu"
    train = read_tagged(read(source), max_length=options.max_length, source=str(source))
    return train, read_tagged(read(data / treebank / f"{split}.conllu"), max_length=40, kinds=train.kinds)


def table1(
    data: Path,
    treebanks: Iterable[str] = tuple(PUBLISHED),
    *,
    options: InductionOptions | None = None,
    split: str = "test",
    report: Callable[[str, Report], None] = lambda treebank, report: None,
) -> Iterator[Row]:
    """A row for each treebank; `data` has a folder for each, with train.conllu and test.conllu."""
    options = options or InductionOptions()
    for treebank in treebanks:
        train, test = corpora(data, treebank, options, split)
        systems = train_systems(train, options, partial(report, treebank))
        parses = {system: systems.heads(system, test) for system in PAPERS}
        best = InducedParser.learned(train, replace(options, method="best"), partial(report, treebank))
        parses["best"] = best.heads(test)
        is_short = np.repeat(test.lengths <= 15, test.lengths)
        short = test.shorter_than(15)
        yield Row(
            treebank,
            {system: 100 * accuracy(heads, test) for system, heads in parses.items()},
            {system: 100 * accuracy(heads[is_short], short) for system, heads in parses.items()},
            dict(zip(PAPERS, PUBLISHED[treebank], strict=True)) if treebank in PUBLISHED else {},
        )


def average(rows: Sequence[Row]) -> Row:
    """The mean over treebanks, of the published figures too if the paper has all of them."""

    def mean(columns: Sequence[dict[str, float]]) -> dict[str, float]:
        return {system: float(np.mean([column[system] for column in columns])) for system in columns[0]}

    published = mean([row.published for row in rows]) if all(row.published for row in rows) else {}
    return Row("average", mean([row.at_most_40 for row in rows]), mean([row.at_most_15 for row in rows]), published)
