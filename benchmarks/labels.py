"""Compares joint prediction of arcs and labels with labelling after parsing.

    python benchmarks/labels.py [FOLDER] [--treebanks ud/English-EWT ud/Hungarian-Szeged] [--sentences 1500]
                                [--model grand] [--split test] [--rates 0.1]

Labelling after parsing: the tree is decoded first, then its labels, with features of the whole tree (as in the parser)
or of each arc alone. Joint: one log-linear model of labelled trees, in which the score of an arc is the score by the
parser's templates plus the logarithm of the sum over labels of exp(label weights . features of the arc). Both are
trained on the gradient of the labelled tree's log probability (for a label: the arc's marginal times the label's
conditional probability, minus gold). The joint model is decoded for the best labelled tree, or for the most probable
tree with labels summed out; its trees, and those of the mean of its scores and the parser's, are also labelled by the
parser's labeller. A second seed of the parser shows the variation by chance and the effect of averaging two scorers.
--rates are the learning rates of the joint model's label weights.

All systems share the pruner, train on the first N sentences of `train` without a development set, and parse `split`
with gold tokens, tags, features and lemmas. CPU seconds of one thread; the labels of the joint model are computed in
NumPy, so that its times are not comparable. Without a folder a generated treebank shows that the benchmark runs.
"""

from __future__ import annotations

import argparse
import platform
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from parsers import files_of
from scipy.sparse import csr_array
from scipy.special import logsumexp

import treewright as tw
from treewright.decode import Parts
from treewright.features import Encoded, Scorer, label_tables
from treewright.features.atoms import REACH
from treewright.features.standard import STANDARD
from treewright.features.templates import DISTANCE
from treewright.learn import Averaged, State, Weights, add_margin, nonprojective_gradient, projective_gradient
from treewright.learn.engine import restart_epochs
from treewright.parser import ParserOptions
from treewright.parser.model import ParserModel, Worker, new_scorer
from treewright.parser.training import Trainer
from treewright.parser.updates import BELIEF_ITERATIONS


def is_of_arc(template: str) -> bool:
    """Whether a label template depends on head and modifier, with the words around them, and not on the tree."""
    return {item[0] for item in template.removesuffix(f" {DISTANCE}").split()} <= {"h", "m"}


ARC_ALONE = STANDARD._replace(label=tuple(filter(is_of_arc, STANDARD.label)))
ROWS = 1 << 18  # of label weights
ADAGRAD_EPSILON, MARGIN = 10.0, 1.0  # of the labeller
MAX_SECONDS = 10.0  # of the search for one tree, where arcs may cross

DECODINGS = ("best labelled tree", "labels summed out", "summed, mean with parser")

Hashes = NDArray[np.uint32]
Floats = NDArray[np.float32]
Indices = NDArray[np.int32]
Labelled = tuple[Indices, list[str]]  # the head of each node, the label of each word


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path, nargs="?")
    arguments.add_argument("--treebanks", nargs="*", default=["ud/English-EWT", "ud/Hungarian-Szeged"])
    arguments.add_argument("--sentences", type=int, default=1500)
    arguments.add_argument("--model", default="grand")
    arguments.add_argument("--split", default="test", choices=["dev", "test"])
    arguments.add_argument("--rates", type=float, nargs="*", default=[0.1])
    given = arguments.parse_args()
    print(f"{platform.machine()}, Python {platform.python_version()}, treewright {tw.__version__}, one thread")
    for treebank in given.treebanks if given.folder else ["generated"]:
        print(f"\n{treebank}, {given.model}\n{'':64} {'UAS':>6} {'LAS':>6} {'words/s':>8} {'training s':>11}")
        with tempfile.TemporaryDirectory() as scratch:
            files = files_of(given.folder, treebank, Path(scratch), given.sentences)
            compare(
                list(tw.read(files["train"])),
                list(tw.read(files[given.split])),
                ParserOptions(given.model),
                given.rates,
            )


def compare(train: list[tw.Sentence], gold: list[tw.Sentence], options: ParserOptions, rates: Sequence[float]) -> None:
    start = time.process_time()
    trainer = Trainer(train, [], options)
    model = trainer.run()
    seconds = time.process_time() - start
    show_pipeline("tree, then labels over the tree (the parser)", model, gold, seconds)
    start = time.process_time()
    others = {name: weights for name, weights in trainer.weights.items() if name != "labeller"}
    alone = Trainer(train, [], options, templates=ARC_ALONE).run(State(weights=others))
    show_pipeline("tree, then labels from the arc alone", alone, gold, seconds + time.process_time() - start)
    start = time.process_time()
    other = Trainer(train, [], replace(options, seed=2))
    show_pipeline("the parser, another seed", other.run(), gold, time.process_time() - start)
    mean = replace(model, scorer=Weights.of(mean_of([scorer_of(trainer), scorer_of(other)])))
    show_pipeline("the parser, mean of both seeds", mean, gold, seconds + time.process_time() - start)
    for rate in rates:
        start = time.process_time()
        joint = Joint(trainer, model, rate)
        joint.train()
        seconds = time.process_time() - start
        for how in DECODINGS:
            show_joint(f"joint, rate {rate:g}, {how}", joint, gold, how, seconds)


def mean_of(arrays: Sequence[Floats]) -> Floats:
    mean: Floats = np.asarray(sum(arrays) / len(arrays), dtype=np.float32)
    return mean


def scorer_of(trainer: Trainer) -> Floats:
    return trainer.weights["scorer"]


def show_pipeline(name: str, model: ParserModel, gold: list[tw.Sentence], seconds: float) -> None:
    start = time.process_time()
    parsed = list(tw.Parser(model).parse(gold, max_seconds=MAX_SECONDS))
    used = time.process_time() - start
    show(name, gold, [(sentence.parse.heads, sentence.deprels) for sentence in parsed], used, seconds)


def show_joint(name: str, joint: Joint, gold: list[tw.Sentence], how: str, seconds: float) -> None:
    start = time.process_time()
    found = [joint.parse(sentence, how) for sentence in gold]
    used = time.process_time() - start
    show(name, gold, found, used, seconds)
    worker = joint.worker
    trees = [(heads, worker.label(worker.encode(one), heads)) for one, (heads, _) in zip(gold, found, strict=True)]
    show(f"{name}; labels over its tree", gold, trees, time.process_time() - start, seconds)


def show(name: str, gold: list[tw.Sentence], found: Iterable[Labelled], used: float, seconds: float) -> None:
    heads = labels = 0
    for sentence, (tree, names) in zip(gold, found, strict=True):
        right = tree[1:] == sentence.heads
        heads += int(right.sum())
        labels += sum(a == b for a, b, same in zip(names, sentence.deprels, right.tolist(), strict=True) if same)
    words = sum(map(len, gold))
    figures = f"{100 * heads / words:6.2f} {100 * labels / words:6.2f} {words / used:8.0f} {seconds:11.1f}"
    print(f"{name:64} {figures}", flush=True)


class ArcRows(NamedTuple):
    """The features of the candidate arcs of a sentence: rows of label weights, and which of them each arc has."""

    row: Hashes
    has: csr_array  # [arc, place in row]


class LabelWeights:
    """A row of weights a feature, one a label; they learn as core/learning/learning.hpp does, and are averaged."""

    def __init__(self, labels: int) -> None:
        self.weights, self.squares, self.totals = (np.zeros((ROWS, labels), dtype=np.float32) for _ in range(3))
        self.steps = 0

    def scores(self, arcs: ArcRows) -> Floats:
        """[arc, label]."""
        scores: Floats = arcs.has @ self.weights[arcs.row]
        return scores

    def step(self, arcs: ArcRows, slope: Floats, rate: float) -> None:
        self.steps += 1
        taught = np.flatnonzero(np.abs(slope).max(axis=1) > 1e-3)
        if not len(taught):
            return
        some = arcs.has[taught]
        used = np.unique(some.indices)
        row, change = arcs.row[used], (some.T @ slope[taught])[used]
        self.squares[row] += change * change
        change *= rate / np.sqrt(self.squares[row] + ADAGRAD_EPSILON)
        self.weights[row] += change
        self.totals[row] += self.steps * change

    def average(self) -> Floats:
        return np.asarray(self.weights - self.totals / (self.steps + 1), dtype=np.float32)


class Joint:
    """A model of labelled trees over the candidate arcs of a trained parser."""

    def __init__(self, trainer: Trainer, model: ParserModel, rate: float) -> None:
        self.trainer, self.model, self.rate = trainer, model, rate
        self.rows: dict[int, ArcRows] = {}  # of the training sentences

    def train(self) -> None:
        """As the parser's scorer: runs that share the epochs, and the mean of what they end with."""
        settings = self.trainer.settings.scoring
        scorer, epochs = new_scorer(self.trainer.settings, self.trainer.templates), settings.epochs
        begins = restart_epochs(epochs, settings.restarts)
        [stage] = [stage for stage in self.trainer.stages() if stage.name == "scorer"]
        ends = []
        for epoch in range(epochs):
            if epoch in begins:
                learner, labels = stage.learner(), LabelWeights(len(self.model.labels))
            for number in stage.order(self.trainer.settings.seed, epoch):
                self.learn(scorer, learner, labels, number)
            if epoch + 1 == epochs or epoch + 1 in begins:
                ends.append((learner.average(), labels.average()))
        weights, labels.weights = (mean_of(column) for column in zip(*ends, strict=True))
        self.labels = labels
        mean = mean_of([weights, scorer_of(self.trainer)])
        self.worker, self.mean = (Worker(replace(self.model, scorer=Weights.of(both))) for both in (weights, mean))

    def learn(self, scorer: Scorer, learner: Averaged, labels: LabelWeights, number: int) -> None:
        """A step by the gradient of the labelled tree's log probability, each wrong arc and label raised by a cost."""
        options, single = self.trainer.settings, self.trainer.settings.root == "single"
        example, arcs = self.trainer.examples[number], self.trainer.candidates[number]
        scorer.open(example.encoded.atoms, example.encoded.each, options.siblings)
        parts = Parts.of(scorer.parts(*arcs[:2], options.siblings, options.grandparents, learner.weights, 1.0))
        head, modifier, _ = parts.arcs
        if number not in self.rows:
            self.rows[number] = arc_rows(example.encoded, head, modifier)
        score = labels.scores(self.rows[number])
        gold = np.flatnonzero(example.heads[modifier] == head)
        gold_label = example.labels[modifier[gold]]
        score[gold] += MARGIN
        score[gold, gold_label] -= MARGIN
        value = log_sums(score)
        joined = with_values(parts, value)
        add_margin(joined.core, example.heads, options.scoring.margin)
        if options.projective:
            _, step = projective_gradient(joined.core, example.heads, single, not example.projective)
        else:
            _, step = nonprojective_gradient(joined.core, example.heads, single, BELIEF_ITERATIONS)
        scorer.add_parts(learner.learner, step)
        learner.step(options.scoring.rate)
        expected = -step.arc
        expected[gold] += 1
        slope = -expected[:, None] * np.exp(score - value[:, None])
        slope[gold, gold_label] += 1
        labels.step(self.rows[number], slope.astype(np.float32), self.rate)

    def parse(self, sentence: tw.Sentence, how: str) -> Labelled:
        """The best labelled tree; or the best tree with the labels summed out, and the best labels of its arcs."""
        projective = self.model.projective
        worker, share = (self.mean, 0.5) if "mean" in how else (self.worker, 1.0)
        encoded = worker.encode(sentence)
        parts = worker.score(encoded, worker.prune(encoded, projective))
        head, modifier, _ = parts.arcs
        score = self.labels.scores(arc_rows(encoded, head, modifier))
        joined = with_values(parts, share * (score.max(axis=1) if how == "best labelled tree" else log_sums(score)))
        tree = tw.decode.tree(joined, projective=projective, root=self.model.root, max_seconds=MAX_SECONDS).heads
        names = [""] * len(tree)
        for arc in np.flatnonzero(tree[modifier] == head):
            names[modifier[arc]] = self.model.labels[score[arc].argmax()]
        return tree, names[1:]


def with_values(parts: Parts, value: Floats) -> Parts:
    """The parts with something added to each arc."""
    head, modifier, score = parts.arcs
    siblings, stops = (parts.siblings, parts.stops) if parts.core.has_transitions else (None, None)
    grandparents = parts.grandparents if parts.core.has_grand else None
    return Parts(parts.nodes, (head, modifier, score + value), siblings, grandparents, stops)


def log_sums(score: Floats) -> Floats:
    sums: Floats = logsumexp(score, axis=1)
    return sums


def arc_rows(encoded: Encoded, head: Indices, modifier: Indices) -> ArcRows:
    """The label templates of arcs alone, hashed."""
    [(_, _, templates, items, with_distance)] = label_tables(ARC_ALONE.label)
    keys = np.repeat(np.arange(1, templates + 1, dtype=np.uint32)[None] * np.uint32(7919), len(head), axis=0)
    keys ^= np.where(head < modifier, 0x5BD1E995, 0).astype(np.uint32)[:, None]
    for place, (role, template, atom, offset) in enumerate(items.tolist()):
        value = encoded.atoms[(head, modifier)[role] + REACH + offset, atom]
        keys[:, template] ^= mixed(value + np.uint32(place * 0x01000193))
    distance = np.searchsorted([1, 2, 3, 4, 5, 7, 10, 15, 25], np.abs(head - modifier)).astype(np.uint32)
    near = keys[:, with_distance] ^ mixed(distance + np.uint32(77))[:, None]
    hashed = mixed(np.concatenate([keys, near], axis=1)) % np.uint32(ROWS)
    row, column = np.unique(hashed, return_inverse=True)
    arcs, each = hashed.shape
    ones = np.ones(arcs * each, dtype=np.float32)
    return ArcRows(row, csr_array((ones, column.ravel(), np.arange(0, arcs * each + 1, each)), shape=(arcs, len(row))))


def mixed(x: Hashes) -> Hashes:
    """Every bit of x decides about every bit of the answer."""
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x = (x ^ (x >> np.uint32(shift))) * np.uint32(factor)
    return x ^ (x >> np.uint32(16))


if __name__ == "__main__":
    main()
