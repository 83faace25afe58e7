"""The experiments of Zhang et al. (2014): the trees of hill climbing, and what third-order and global features gain.

Parsers are trained on treebanks that stand in for those of CoNLL-X, and allow crossing arcs. They learn as published
in Tables 3 to 6, against the trees of hill climbing or of dual decomposition (climbing.py), or by our likelihood
(learner "crf"), whose models of third order are trained in stages and climb from certified trees. Hill climbing is that
of `treewright.decode` (method "climb"); dual decomposition is run as published (Koo et al. 2010) with 5,000 iterations.
UAS is without punctuation. The paper's figures are those of its own treebanks: compare the differences between columns,
not their levels.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import decode
from treewright.corpus import Sentence
from treewright.decode.options import SearchOptions
from treewright.decode.parts import arc_matrix
from treewright.decode.search.climb import Start, restart_options
from treewright.evaluate.attachment import is_punctuation
from treewright.features.kernels import Scorer
from treewright.learn import Averaged, Numbers, State, Training
from treewright.learn.gradients import add_margin
from treewright.papers import koo2010
from treewright.papers.climbing import Climbing, Search, train_by_violations
from treewright.papers.common import (
    corpus,
    training,
)
from treewright.papers.feature_sets import templates_of
from treewright.parser import Parser, ParserOptions, ParserSettings, resolve
from treewright.parser.parser import fingerprint
from treewright.parser.stages import train_model
from treewright.parser.stages.data import Example
from treewright.parser.worker import Worker

TREEBANKS = tuple(koo2010.TREEBANKS)
INDEPENDENT = "independent"  # the learner of Table 1 that chooses heads one by one
CLIMBING, DUAL = "climbing", "dd"  # the learners of the paper, by the search that finds wrong trees (climbing.py)
PUBLISHED_LEARNERS: dict[str, Search] = {CLIMBING: "climb", DUAL: "dd"}
SHORT = 15  # words of the longest short sentence, in Tables 2 and 6 and Figures 4 and 5
SAME_VALUE = 1e-6  # values that differ by less are equal, as in the paper
MAX_OPTIMA = 10_000  # local optima are counted up to this number, as in the paper
RESTARTS = 300  # of the paper: restarts of Table 2, and without a better tree elsewhere
ALL_RESTARTS = 3000  # of Table 6 and Figure 5
MARKS = (1, 3, 10, 30, 100, 300, 1000, 3000)  # restarts at which Figure 5 is printed
STARTS: dict[str, Start] = {"MAP-1st": "map", "Uniform": "uniform", "Rnd-1st": "first-order"}

Report = Callable[[str], None]  # what begins


def silence(what: str) -> None:
    """The default: no report."""


@dataclass(frozen=True)
class System:
    """A parser of the tables: a model, and how it learns; "full" with or without its tensor."""

    model: str = "grand"
    learner: str = "crf"  # of the parser's options, INDEPENDENT, CLIMBING or DUAL
    has_tensor: bool = True

    @property
    def name(self) -> str:
        """The name in reports and of files."""
        return f"{self.model}-{self.learner}" + ("" if self.has_tensor else "-no-tensor")

    def options(self) -> ParserOptions:
        """Return the options of its training."""
        learner = "crf" if self.learner in (INDEPENDENT, *PUBLISHED_LEARNERS) else self.learner
        options = ParserOptions(model=self.model, learner=learner, projective=False)
        return options if self.has_tensor else replace(options, tensor=None)


@dataclass(frozen=True)
class Study:
    """The treebanks under `data`, and the parsers trained on them; with `keep`, models are kept in that folder.

    Parsers of one treebank are held at a time, and stages that they have in common are trained once.
    """

    data: Path
    sentences: int | None = None  # of each training set; None: all
    test_sentences: int | None = None
    keep: Path | None = None
    report: Report = silence
    features: str = "standard"  # of feature_sets
    climbing: Climbing = field(default_factory=Climbing)  # how CLIMBING and DUAL learn
    _parsers: dict[tuple[str, System], Parser] = field(default_factory=dict)
    _stages: dict[tuple[object, ...], Mapping[str, Numbers]] = field(default_factory=dict)

    def test(self, treebank: str) -> list[Sentence]:
        """Return the test sentences."""
        return list(islice(corpus(self.data, treebank, "test"), self.test_sentences))

    def parser(self, treebank: str, system: System) -> Parser:
        """Return a trained parser; it is trained once."""
        key = treebank, system
        if key not in self._parsers:
            if any(other != treebank for other, _ in self._parsers):
                self._parsers.clear()
                self._stages.clear()
            self._parsers[key] = self._kept(treebank, system)
        return self._parsers[key]

    def _kept(self, treebank: str, system: System) -> Parser:
        sentences = training(self.data, treebank, self.sentences)
        path = None if self.keep is None else self.keep / f"{treebank.replace('/', '-')}-{self._name(system)}.tw"
        if path is not None and path.exists():
            parser = Parser.load(path)
            if parser.model.metadata.get("training_sha256") == fingerprint(sentences):
                return parser
        self.report(f"{treebank}: training {system.name} on {len(sentences)} sentences")
        parser = self._trained(sentences, system)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            parser.save(path)
        return parser

    def _name(self, system: System) -> str:
        """Return the name of a model's file: the system, and what else decides how it is trained."""
        features = "" if self.features == "standard" else f"-{self.features}"
        how = f"-{self.climbing.epochs or 'all'}-{self.climbing.patience}"
        return system.name + features + (how if system.learner in PUBLISHED_LEARNERS else "")

    def _trained(self, sentences: Sequence[Sentence], system: System) -> Parser:
        """Train a parser; second order, tensor and labels are those of an earlier one, if that was trained alike."""
        settings, templates = resolve(system.options(), sentences), templates_of(self.features, system.model)
        metadata = {"training_sha256": fingerprint(sentences)}
        if system.learner in PUBLISHED_LEARNERS:
            how = replace(self.climbing, search=PUBLISHED_LEARNERS[system.learner])
            return Parser(replace(train_by_violations(sentences, settings, templates, how), metadata=metadata))
        key = settings.siblings, settings.grandparents, system.learner, settings.scoring
        run = Training(settings.seed, State(weights=dict(self._stages.get(key, {}))))
        update = independent if system.learner == INDEPENDENT else None
        model = train_model(sentences, [], settings, run, templates=templates, update=update)
        shared = {name: weights for name, weights in run.state.weights.items() if name != "factors"}
        self._stages[key] = {**self._stages.get(key, {}), **shared}
        return Parser(replace(model, metadata=metadata))


def parses(
    parser: Parser, test: Sequence[Sentence], method: str = "exact", **options: Unpack[SearchOptions]
) -> list[Sentence]:
    """Return the parses of a test set by a method with its options."""
    return list(parser.parse(test, confidence=False, max_seconds=None, method=method, **options))


def uas(gold: Sequence[Sentence], found: Sequence[Sentence]) -> float:
    """Per cent of right heads, without punctuation."""
    return right_heads(gold, [sentence.heads for sentence in found])


def right_heads(gold: Sequence[Sentence], heads: Sequence[ArrayLike]) -> float:
    """Per cent of right heads, without punctuation; the heads of a sentence need not be a tree."""
    right = []
    for sentence, own in zip(gold, heads, strict=True):
        is_counted = [not is_punctuation(form) for form in sentence.forms]
        right.append((sentence.heads == np.asarray(own))[is_counted])
    return share(np.concatenate(right)) if right else float("nan")


def share(flags: Sequence[bool] | NDArray[np.bool_]) -> float:
    """Per cent of the flags that are set; nan if there is none."""
    return 100 * float(np.mean(flags)) if len(flags) else float("nan")


def values(found: Sequence[Sentence]) -> NDArray[np.float64]:
    """Return the value of each tree."""
    return np.array([sentence.parse.score for sentence in found])


def by_length(test: Sequence[Sentence], flags: NDArray[np.bool_]) -> tuple[float, float]:
    """Per cent of the flags of short and of long sentences."""
    is_short = np.array([len(sentence) <= SHORT for sentence in test])
    return share(flags[is_short]), share(flags[~is_short])


# -- Table 1: heads one by one, and as a tree


@dataclass(frozen=True)
class Row1:
    """UAS of heads that are chosen one by one, and of trees; the same features."""

    treebank: str
    independent: float
    tree: float


def table1(study: Study, treebanks: Sequence[str] = TREEBANKS) -> Iterator[Row1]:
    """Two first-order parsers: a classifier of each word's head, and the likelihood of trees; each decoded in its way.

    Candidate heads are those that pruning leaves, for both.
    """
    for treebank in treebanks:
        test = study.test(treebank)
        classifier = study.parser(treebank, System("arc", INDEPENDENT))
        heads = [best_heads(classifier, sentence) for sentence in test]
        trees = parses(study.parser(treebank, System("arc")), test)
        yield Row1(treebank, right_heads(test, heads), uas(test, trees))


def independent(
    settings: ParserSettings, scorer: Scorer, learner: Averaged, parts: decode.Parts, example: Example
) -> float:
    """Take a log-linear step over the candidate heads of each word, without regard to the tree."""
    add_margin(parts.core, example.heads, settings.scoring.margin)
    loss, step = head_gradient(parts, example.heads)
    scorer.add_parts(learner.learner, step.core)
    learner.step(settings.scoring.rate)
    return loss


def head_gradient(parts: decode.Parts, heads: NDArray[np.int32]) -> tuple[float, decode.Parts]:
    """Return the negative log probability of the heads, each chosen by itself, and the gradient of its opposite.

    Words with the head -1 are open: they have no gradient.
    """
    head, modifier, score = parts.arcs
    best = np.full(parts.nodes, -np.inf)
    np.maximum.at(best, modifier, score)
    weight = np.exp(score - best[modifier])
    probability = weight / np.bincount(modifier, weight, parts.nodes)[modifier]
    is_gold = heads[modifier] == head
    is_decided = heads[modifier] >= 0
    loss = -float(np.log(probability[is_gold]).sum())
    return loss, decode.Parts(parts.nodes, (head, modifier, np.where(is_decided, is_gold - probability, 0.0)))


def best_heads(parser: Parser, sentence: Sentence) -> list[int]:
    """Return the best head of each word by itself; they need not be a tree."""
    return [int(head) for head in arc_matrix(parser.parts(sentence).core)[:, 1:].argmax(axis=0)]


# -- Table 2: local optima of the first order, and how often climbing finds the best


@dataclass(frozen=True)
class Row2:
    """Local optima that 50, 70 and 90 per cent of the sentences do not exceed; success up to 15 words and above."""

    treebank: str
    optima: tuple[float, float, float]
    short: float
    long: float


def table2(study: Study, treebanks: Sequence[str] = TREEBANKS) -> Iterator[Row2]:
    """First-order models over all arcs with any number of words below the root, as in the paper.

    Optima are counted up to MAX_OPTIMA; a climb succeeds if the best tree of 300 uniform starts is that of
    Chu-Liu-Edmonds.
    """
    for treebank in treebanks:
        test = study.test(treebank)
        parser = study.parser(treebank, System("arc"))
        study.report(f"{treebank}: local optima and climbs")
        optima, succeeds = [], []
        for sentence in test:
            arc = arc_matrix(parser.parts(sentence, all_arcs=True).core)
            optima.append(decode.count_optima(arc, MAX_OPTIMA))
            best = decode.tree(arc, root="multi").score
            climb = decode.tree(
                arc, root="multi", method="climb", start="uniform", patience=RESTARTS, max_restarts=RESTARTS
            )
            succeeds.append(climb.score > best - SAME_VALUE)
        low, middle, high = np.percentile(optima, [50, 70, 90], method="higher").tolist()
        yield Row2(treebank, (low, middle, high), *by_length(test, np.array(succeeds)))


# -- Table 3: climbing against dual decomposition


@dataclass(frozen=True)
class Row3:
    """Second-order trees of climbing and dual decomposition compared, in per cent of the test sentences."""

    treebank: str
    learner: str
    certified: float  # by dual decomposition
    dual_better: float
    equal: float
    climb_better: float
    optimal: float  # where climbing finds the certified optimum of the exact search
    exact_certified: float  # where that has one
    uas: float  # of the trees of the exact search


def table3(
    study: Study,
    treebanks: Sequence[str] = TREEBANKS,
    learners: Sequence[str] = tuple(PUBLISHED_LEARNERS),
    patience: int = RESTARTS,
) -> Iterator[Row3]:
    """Models of siblings and grandparents; dual decomposition as published, and the exact search as the truth.

    learners: those of the two halves of the table, or ours.
    """
    for treebank in treebanks:
        test = study.test(treebank)
        for learner in learners:
            parser = study.parser(treebank, System("grand", learner))
            study.report(f"{treebank}: climbing and dual decomposition of grand-{learner}")
            climb = values(parses(parser, test, method="climb", patience=patience))
            dual = parses(parser, test, method="dd", published=True)
            best = parses(parser, test)
            difference = values(dual) - climb
            is_known = np.array([sentence.parse.certified for sentence in best])
            yield Row3(
                treebank,
                learner,
                certified=share([sentence.parse.certified for sentence in dual]),
                dual_better=share(difference > SAME_VALUE),
                equal=share(np.abs(difference) <= SAME_VALUE),
                climb_better=share(difference < -SAME_VALUE),
                optimal=share((climb > values(best) - SAME_VALUE)[is_known]),
                exact_certified=share(is_known),
                uas=uas(test, best),
            )


# -- Table 4 and Figure 4: what the order of the model gains

# The systems of the paper with the search that parses. By our learner, models of the third order climb once from the
# certified tree of the second; by the published one, climbs begin with random trees (K = 300).
SYSTEMS4: dict[str, tuple[System, str]] = {
    "1st": (System("arc"), "climb"),
    "3rd": (System("third"), "exact"),
    "full without tensor": (System("full", has_tensor=False), "exact"),
    "full": (System("full"), "exact"),
    "exact 1st": (System("arc"), "exact"),
    "exact 2nd": (System("grand"), "exact"),
}
EXACT = ("exact 1st", "exact 2nd")  # columns by our likelihood, whatever the learner of the others
COLUMNS4 = ("1st", "3rd", "full without tensor", "full", "exact 1st")  # of PUBLISHED4


@dataclass(frozen=True)
class Row4:
    """UAS of each system; of sentences of up to 15 words, and of longer ones, too."""

    treebank: str
    uas: dict[str, float]
    short: dict[str, float]
    long: dict[str, float]


def table4(
    study: Study,
    treebanks: Sequence[str] = TREEBANKS,
    systems: Sequence[str] = tuple(SYSTEMS4),
    learner: str = CLIMBING,
    patience: int = RESTARTS,
) -> Iterator[Row4]:
    """Models of every order, each decoded in its own way; the first order by climbing and exactly.

    learner: CLIMBING, whose models parse by climbs until `patience` restarts find no better tree, or "crf".
    """
    for treebank in treebanks:
        test = study.test(treebank)
        rows: tuple[dict[str, float], ...] = ({}, {}, {})
        for name in systems:
            system, method = SYSTEMS4[name]
            restarts: SearchOptions = {}
            if learner == CLIMBING and name not in EXACT:
                system, method, restarts = replace(system, learner=learner), "climb", {"patience": patience}
            parser = study.parser(treebank, system)
            study.report(f"{treebank}: parsing with {name}")
            parsed = parses(parser, test, method=method, **restarts)
            pairs = list(zip(test, parsed, strict=True))
            short = [pair for pair in pairs if len(pair[0]) <= SHORT]
            long = [pair for pair in pairs if len(pair[0]) > SHORT]
            for row, selected in zip(rows, (pairs, short, long), strict=True):
                row[name] = uas(*map(list, zip(*selected, strict=True))) if selected else float("nan")
        yield Row4(treebank, *rows)


# -- Table 5: where the climbs begin


@dataclass(frozen=True)
class Climbed:
    """The best tree of several climbs, and its value after each of them."""

    heads: list[int]  # of the words
    values: NDArray[np.float64]


def climb(worker: Worker, sentence: Sentence, start: Start, patience: int, max_restarts: int | None = None) -> Climbed:
    """Climbs over the candidate arcs with all scores of a model, of any order; options are those of method "climb"."""
    root, inputs = worker.model.root, worker.encode([sentence])
    [parts] = worker.score(inputs, worker.prune(inputs, False))
    if worker.tree_scorer is None or worker.model.factors is None:
        climbed = decode.tree(
            parts, root=root, method="climb", start=start, patience=patience, max_restarts=max_restarts, trace=True
        )
        assert climbed.trace is not None
        return Climbed(climbed.heads[1:].tolist(), climbed.trace["value"])
    first = [decode.tree(decode.Parts(parts.nodes, parts.arcs), root=root).heads] if start == "map" else None
    options = restart_options(
        projective=False,
        root=root,
        by_score=start == "first-order",
        patience=0 if start == "map" else patience,
        max_restarts=max_restarts or 0,
    )
    climbs = worker.tree_scorer.climb(inputs.batch, [parts.core], options, first, *worker.model.factors, np.inf)
    [(heads, _, values)] = climbs
    return Climbed(heads[1:].tolist(), np.maximum.accumulate(values))


@dataclass(frozen=True)
class Row5:
    """For each kind of starting trees, the UAS of the best tree and that of the starting trees."""

    treebank: str
    model: str
    uas: dict[str, float]
    start: dict[str, float]


def table5(
    study: Study,
    treebanks: Sequence[str] = TREEBANKS,
    model: str = "full",
    patience: int = RESTARTS,
    learner: str = CLIMBING,
) -> Iterator[Row5]:
    """Climbs from the best first-order tree, from uniform random trees and from random first-order trees."""
    for treebank in treebanks:
        test = study.test(treebank)
        parser = study.parser(treebank, System(model, learner))
        worker = Worker(parser.model)
        ends, begins = {}, {}
        for name, start in STARTS.items():
            study.report(f"{treebank}: climbing from {name}")
            ends[name] = right_heads(test, [climb(worker, one, start, patience).heads for one in test])
            begins[name] = right_heads(test, [first_tree(parser, one, start) for one in test])
        yield Row5(treebank, model, ends, begins)


def first_tree(parser: Parser, sentence: Sentence, start: Start) -> list[int]:
    """Return a starting tree, by the arc scores of the model."""
    parts, root = parser.parts(sentence), parser.model.root
    arcs = decode.Parts(parts.nodes, parts.arcs)
    if start == "map":
        heads = decode.tree(arcs, root=root).heads
    else:
        [heads] = decode.sample(arcs, 1, root=root, uniform=start == "uniform")
    return [int(head) for head in heads[1:]]


# -- Table 6 and Figures 5 and 6: restarts


@dataclass(frozen=True)
class Row6:
    """Per cent of the sentences whose best tree of all restarts is found within the first ones; and the curves."""

    treebank: str
    model: str
    short: float
    long: float
    short_curve: list[float]  # after each restart: the mean value, relative to the best of all restarts
    long_curve: list[float]


def table6(
    study: Study,
    treebanks: Sequence[str] = TREEBANKS,
    model: str = "full",
    restarts: int = ALL_RESTARTS,
    within: int = RESTARTS,
    learner: str = CLIMBING,
) -> Iterator[Row6]:
    """Yield the value of the best tree after each restart."""
    for treebank in treebanks:
        test = study.test(treebank)
        worker = Worker(study.parser(treebank, System(model, learner)).model)
        study.report(f"{treebank}: {restarts} restarts")
        climbs = [climb(worker, sentence, "first-order", restarts, restarts) for sentence in test]
        traces = np.array([padded(one.values, restarts) for one in climbs])
        last = traces[:, -1]
        is_found = traces[:, min(within, restarts) - 1] > last - SAME_VALUE
        is_short = np.array([len(sentence) <= SHORT for sentence in test])
        relative = normalised(traces)
        curves = [relative[some].mean(axis=0).tolist() if some.any() else [] for some in (is_short, ~is_short)]
        yield Row6(treebank, model, *by_length(test, is_found), *curves)


def padded(trace: NDArray[np.float64], length: int) -> NDArray[np.float64]:
    """Return a trace with its last value repeated up to a length."""
    return np.pad(trace, (0, length - len(trace)), mode="edge")


def normalised(traces: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values relative to the last: 1 at the end. Where that is not positive, the losses are relative to its size."""
    last = traces[:, -1:]
    return np.asarray(1 + (traces - last) / np.maximum(np.abs(last), SAME_VALUE))


@dataclass(frozen=True)
class Point:
    """The accuracy and the CPU time of parsing with a number of restarts."""

    treebank: str
    model: str
    restarts: int
    uas: float
    seconds: float  # a word


def figure6(
    study: Study,
    treebanks: Sequence[str] = TREEBANKS,
    model: str = "full",
    restarts: Sequence[int] = (1, 3, 10, 30, 100, 300),
    learner: str = CLIMBING,
) -> Iterator[Point]:
    """Parse a test set with more and more restarts; the time is that of pruning, scoring and climbing."""
    for treebank in treebanks:
        test = study.test(treebank)
        worker = Worker(study.parser(treebank, System(model, learner)).model)
        words = sum(map(len, test))
        for sentence in test:  # not timed: loads the weights and encodes the words
            climb(worker, sentence, "first-order", 1, 1)
        for count in restarts:
            study.report(f"{treebank}: {count} restarts")
            begin = time.process_time()
            heads = [climb(worker, sentence, "first-order", count, count).heads for sentence in test]
            seconds = time.process_time() - begin
            yield Point(treebank, model, count, right_heads(test, heads), seconds / words)


@dataclass(frozen=True)
class Gain:
    """What a system gains over another in sentences of up to 15 words, and in longer ones."""

    short: float
    long: float


def gains(rows: Sequence[Row4], of: str = "full", over: str = "1st") -> dict[str, Gain]:
    """Figure 4, by treebank."""
    return {row.treebank: Gain(row.short[of] - row.short[over], row.long[of] - row.long[over]) for row in rows}
