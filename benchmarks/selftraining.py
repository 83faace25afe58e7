"""Do self-training and averages of several seeds help dependency parsers?

    python benchmarks/selftraining.py [FOLDER] [--treebanks ud/English-EWT ...] [--gold 1000] [--raw 3000]
                                      [--seeds 1 2 3] [--model sib] [--methods ...] [--jsonl FILE]

A parser is trained on the first sentences of each treebank (`single`). Other sentences, without their trees, are the
raw text: FOLDER/raw/masc_tokenised.txt for English, the rest of the training data for the others.

- `averaged`: the mean of the weights of parsers with three seeds (the seed, and the next two). Scores are linear in the
  weights and all parsers have the same hashed features, so that this is also their product: the parser whose scores are
  the sums of the scores of the three.
- `three times the restarts`: one training with three times as many restarts of the scorer, whose weights are averaged
  (`Scoring.restarts`); pruner and labeller are trained once.
- `own trees`: trained again on the gold trees and on the trees that the `single` parser of the same seed gives the raw
  text. Gold sentences are repeated until both parts have about the same number of words.
- `trees of an average`: the same, with the trees of `averaged` of the first three seeds.
- `confident half`: the same, with the half of these trees that have the highest mean confidence of heads.

All parsers have the settings that suit the size of the gold trees, one for all, and are projective. Tags are predicted:
a tagger trained on the gold trees tags dev and the raw text, and jackknifed taggers tag the gold trees. No development
data is used in training. The table has UAS / LAS on `dev`, the mean over the seeds and half of their range. With
--jsonl results are kept in a file, and those already in it are not computed again. Without a folder a generated
treebank shows that the benchmark runs.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from statistics import mean
from time import process_time

import numpy as np
from partial import generated

from treewright.caching import cached_property
from treewright.corpus import Sentence, read
from treewright.learn import Weights
from treewright.model.checkpoint import Steps
from treewright.parser import Parser, ParserOptions, ParserSettings, resolve
from treewright.parser.partial import attachment
from treewright.pipeline.training import Callbacks, Recipe, jackknifed_tags
from treewright.tagger import Tagger, TaggerOptions

TREEBANKS = ("ud/English-EWT", "ud/Estonian-EWT", "ud/Turkish-IMST", "ud/Portuguese-Bosque")
RAW_TEXT = {"ud/English-EWT": "raw/masc_tokenised.txt"}  # one tokenised sentence a line
MIN_WORDS, MAX_WORDS = 3, 40  # of a sentence of raw text
AVERAGED = 3  # parsers of an average


@dataclass(frozen=True)
class Run:
    """One training and its scores."""

    treebank: str
    method: str
    gold: int
    raw: int
    model: str
    seed: int
    uas: float
    las: float
    seconds: float  # of the training, without that of the teachers

    @property
    def key(self) -> tuple[str, str, int, int, str, int]:
        return self.treebank, self.method, self.gold, self.raw, self.model, self.seed


@dataclass
class Experiment:
    """The data of a treebank, and the parsers of the gold trees."""

    folder: Path
    treebank: str
    gold_sentences: int
    raw_sentences: int
    model: str
    singles: dict[int, Parser] = field(default_factory=dict)

    @cached_property
    def train(self) -> list[Sentence]:
        count = self.gold_sentences + (0 if self.treebank in RAW_TEXT else self.raw_sentences * 2)
        return list(islice(read(self.folder / self.treebank / "train.conllu", check="tree"), count))

    @cached_property
    def tagger(self) -> Tagger:
        return Tagger.train(self.train[: self.gold_sentences], options=self.tagging)

    @property
    def tagging(self) -> TaggerOptions:
        return TaggerOptions(("upos", "xpos", "feats"))

    @cached_property
    def gold(self) -> list[Sentence]:
        recipe = Recipe(None, self.tagging)
        return jackknifed_tags(self.train[: self.gold_sentences], recipe, Steps(), Callbacks())

    @cached_property
    def dev(self) -> list[Sentence]:
        return list(self.tagger.tag(read(self.folder / self.treebank / "dev.conllu", check="tree")))

    @cached_property
    def raw(self) -> list[Sentence]:
        """Tagged sentences without trees."""
        words: Iterator[list[str]] = (sentence.forms for sentence in self.train[self.gold_sentences :])
        if self.treebank in RAW_TEXT:
            text = (self.folder / RAW_TEXT[self.treebank]).read_text(encoding="utf-8")
            words = (line.split() for line in text.splitlines())
        some = islice((one for one in words if MIN_WORDS <= len(one) <= MAX_WORDS), self.raw_sentences)
        return list(self.tagger.tag(map(Sentence.from_words, some)))

    @cached_property
    def settings(self) -> ParserSettings:
        return resolve(ParserOptions(self.model, projective=True), self.gold)

    def parser(self, sentences: Sequence[Sentence], seed: int) -> Parser:
        return Parser.train(sentences, options=replace(self.settings, seed=seed))

    def single(self, seed: int) -> Parser:
        if seed not in self.singles:
            self.singles[seed] = self.parser(self.gold, seed)
        return self.singles[seed]

    def averaged(self, seed: int) -> Parser:
        return averaged([self.single(seed + number) for number in range(AVERAGED)])

    def more_restarts(self, seed: int) -> Parser:
        scoring = self.settings.scoring
        more = replace(scoring, restarts=AVERAGED * scoring.restarts, epochs=AVERAGED * scoring.epochs)
        return Parser.train(self.gold, options=replace(self.settings, seed=seed, scoring=more))

    def own_trees(self, seed: int) -> Parser:
        return self.student(list(self.single(seed).parse(self.raw, confidence=False)), seed)

    def trees_of_average(self, seed: int) -> Parser:
        return self.student(self.automatic, seed)

    def confident_half(self, seed: int) -> Parser:
        ranked = sorted(self.automatic, key=mean_confidence, reverse=True)
        return self.student(ranked[: len(ranked) // 2], seed)

    @cached_property
    def automatic(self) -> list[Sentence]:
        return list(self.averaged(1).parse(self.raw))

    def student(self, automatic: Sequence[Sentence], seed: int) -> Parser:
        """A parser of gold and automatic trees, each about half of the words."""
        words = [sum(map(len, some)) for some in (self.gold, automatic)]
        return self.parser([*self.gold * max(1, round(words[1] / words[0])), *automatic], seed)


METHODS: dict[str, Callable[[Experiment, int], Parser]] = {
    "single": Experiment.single,
    "averaged": Experiment.averaged,
    "three times the restarts": Experiment.more_restarts,
    "own trees": Experiment.own_trees,
    "trees of an average": Experiment.trees_of_average,
    "confident half": Experiment.confident_half,
}


def averaged(parsers: Sequence[Parser]) -> Parser:
    """The parser with the mean of the weights; all were trained on the same sentences."""
    models = [parser.model for parser in parsers]
    return Parser(
        replace(
            models[0],
            pruner=mean_weights([model.pruner for model in models]),
            scorer=mean_weights([model.scorer for model in models]),
            labeller=mean_weights([model.labeller for model in models]),
        )
    )


def mean_weights(weights: Sequence[Weights]) -> Weights:
    total = np.zeros(len(weights[0].values), dtype=np.float32)
    for one in weights:
        total += one.values * np.float32(one.scale / len(weights))
    return Weights.of(total)


def mean_confidence(sentence: Sentence) -> float:
    """The mean confidence of the heads of a parsed sentence."""
    assert sentence.head_confidence is not None
    return float(sentence.head_confidence.mean())


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path, nargs="?")
    arguments.add_argument("--treebanks", nargs="*", default=TREEBANKS)
    arguments.add_argument("--gold", type=int, default=1000)
    arguments.add_argument("--raw", type=int, default=3000)
    arguments.add_argument("--seeds", nargs="*", type=int, default=[1, 2, 3])
    arguments.add_argument("--model", default="sib")
    arguments.add_argument("--methods", nargs="*", choices=METHODS, default=list(METHODS))
    arguments.add_argument("--jsonl", type=Path)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        if given.folder is None:
            given.folder, given.treebanks, given.seeds = generated(Path(scratch)), ["generated"], [1, 2]
            given.gold, given.raw = 40, 20
        print(f"{given.gold} gold trees, {given.raw} sentences of raw text, {given.model}, UAS / LAS on dev\n")
        print(f"{'treebank':20} {'method':24} {'UAS':>12} {'LAS':>12} {'CPU s':>6}", flush=True)
        for treebank in given.treebanks:
            experiment = Experiment(given.folder, treebank, given.gold, given.raw, given.model)
            for method in given.methods:
                print(row(treebank, method, list(runs_of(experiment, method, given.seeds, given.jsonl))), flush=True)


def runs_of(experiment: Experiment, method: str, seeds: Sequence[int], kept: Path | None) -> Iterator[Run]:
    """A method with every seed."""
    known = [Run(**json.loads(line)) for line in kept.read_text().splitlines()] if kept and kept.exists() else []
    done = {run.key: run for run in known}
    sizes = experiment.gold_sentences, experiment.raw_sentences, experiment.model
    for seed in seeds:
        run = done.get((experiment.treebank, method, *sizes, seed))
        if run is None:
            begin = process_time()
            parser = METHODS[method](experiment, seed)
            seconds = process_time() - begin
            scores = attachment(experiment.dev, list(parser.parse(experiment.dev, confidence=False)))
            run = Run(experiment.treebank, method, *sizes, seed, scores.uas, scores.las, round(seconds, 1))
            if kept:
                with kept.open("a") as file:
                    file.write(json.dumps(asdict(run)) + "\n")
        yield run


def row(treebank: str, method: str, runs: Sequence[Run]) -> str:
    """Means and half ranges of one method."""
    cells = f"{spread([run.uas for run in runs]):>12} {spread([run.las for run in runs]):>12}"
    return f"{treebank.removeprefix('ud/'):20} {method:24} {cells} {mean(run.seconds for run in runs):6.0f}"


def spread(values: Sequence[float]) -> str:
    return f"{mean(values):.2f}±{(max(values) - min(values)) / 2:.2f}"


if __name__ == "__main__":
    main()
