"""Rules about labels: what they remove from the output of a parser, and what they cost or gain in LAS.

    python benchmarks/label_rules.py DATA [--treebank NAME ...] [--sentences N] [--seeds N] [--expected X ...]

For each treebank and seed a parser is trained without rules on jackknifed tags. Its development set, with predicted
tags, is then labelled without rules and with those of the training set: "pairs" are labels that exclude each other
below a word; "tags" adds labels that never have a tag, or never stand below one, to the pairs of the default. The
number is the smallest expected count of a rule. Columns: LAS and the change by the rules; the heads with two modifiers
that the rules exclude, and the words whose label the rules forbid, both by all rules of the first expected count.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import treewright as tw
from treewright.evaluate import evaluate
from treewright.model.checkpoint import Steps
from treewright.parser import LabelRules, Parser, ParserOptions
from treewright.parser.label_rules import ROOT_TAG, tags_of
from treewright.parser.training import Trainer
from treewright.pipeline.training import Callbacks, Recipe, jackknifed_tags
from treewright.tagger import Tagger

TREEBANKS = ("English-EWT", "Hungarian-Szeged", "Portuguese-Bosque", "Turkish-IMST", "Vietnamese-VTB", "Gothic-PROIEL")


class Figures(NamedTuple):
    """What is counted on a development set."""

    las: float
    excluded: int
    forbidden: int


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--treebank", nargs="+", default=TREEBANKS)
    arguments.add_argument("--sentences", type=int, default=2_000, help="of the training set")
    arguments.add_argument("--seeds", type=int, default=1)
    arguments.add_argument("--expected", type=float, nargs="+", default=(3.0, 10.0, 30.0, 100.0, 300.0, 1000.0))
    given = arguments.parse_args()
    print(f"{'treebank':20} {'seed':>4} {'rules':>10} {'LAS':>6} {'change':>7} {'excluded':>8} {'forbidden':>9}")
    for name in given.treebank:
        folder = given.data / "ud" / name
        train, dev = (list(tw.read(folder / f"{part}.conllu")) for part in ("train", "dev"))
        for seed in range(1, given.seeds + 1):
            compare(name, train[: given.sentences], dev, seed, given.expected)


def compare(
    name: str, train: Sequence[tw.Sentence], dev: Sequence[tw.Sentence], seed: int, counts: Sequence[float]
) -> None:
    """One treebank and seed: a row for each set of rules."""
    recipe = Recipe().with_seed(seed)
    tagged = jackknifed_tags(train, recipe, Steps(), Callbacks())
    dev_tagged = list(Tagger.train(train, options=recipe.tagger).tag(dev))
    model = Trainer(tagged, dev_tagged, ParserOptions(seed=seed, label_rules=False)).run()
    strict = LabelRules.read(train, counts[0], counts[0])
    before = None
    for kind, rules in variants(train, counts):
        changed = replace(model, label_rules=rules)
        found = figures(Parser(changed), dev, dev_tagged, strict)
        before = before or found
        row = f"{name:20} {seed:4} {kind:>10} {found.las:6.2f} {found.las - before.las:+7.2f}"
        print(f"{row} {found.excluded:8} {found.forbidden:9}", flush=True)


def variants(train: Sequence[tw.Sentence], counts: Sequence[float]) -> Iterator[tuple[str, LabelRules]]:
    """Sets of rules with their names."""
    yield "none", LabelRules()
    for count in counts:
        yield f"pairs {count:g}", LabelRules.read(train, count, math.inf)
    for count in counts:
        yield f"tags {count:g}", LabelRules.read(train, min_tag=count)
    yield "default", LabelRules.for_predicted_tags(train)


def figures(parser: Parser, gold: Sequence[tw.Sentence], tagged: Sequence[tw.Sentence], rules: LabelRules) -> Figures:
    """LAS, and what the rules do not permit."""
    found = list(parser.parse(tagged, confidence=False))
    las = 100 * evaluate(gold, found).scores["LAS"].f1
    return Figures(las, sum(excluded(one, rules) for one in found), sum(forbidden(one, rules) for one in found))


def excluded(sentence: tw.Sentence, rules: LabelRules) -> int:
    """The heads with two modifiers whose labels exclude each other."""
    pairs = set(rules.excluding())
    below: dict[int, list[str]] = {}
    for head, label in zip(sentence.heads.tolist(), sentence.deprels, strict=True):
        below.setdefault(head, []).append(label)
    below.pop(0, None)
    return sum(any(pair in pairs for pair in combinations(sorted(labels), 2)) for labels in below.values())


def forbidden(sentence: tw.Sentence, rules: LabelRules) -> int:
    """The words whose label does not go with a tag."""
    pairs = rules.forbidden()
    tags = [ROOT_TAG, *tags_of(sentence)]
    words = zip(sentence.heads.tolist(), sentence.deprels, tags[1:], strict=True)
    return sum(not pairs.permits(label, tag, tags[head]) for head, label, tag in words)


if __name__ == "__main__":
    main()
