"""Training a tagger: count the words, then learn the weights of tags, then those of edit scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._core import TagModel
from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.tagger.lexicon import Lexicon, Observation
from treewright.tagger.model import (
    LEMMA_ATOMS,
    Model,
    Tag,
    TagWorker,
    Weights,
    lemma_atoms,
    lemma_candidates,
    lemma_group,
    lemma_kernel,
)
from treewright.tagger.options import COLUMNS, Learning, Options
from treewright.tagger.scripts import script_of
from treewright.tagger.words import Description, Indices, WordTable, kind

Progress = Callable[[str, int, int, int], None]  # stage, epochs done, sentences of this one done, of how many


@dataclass(frozen=True)
class Report:
    """How far training is, at the end of an epoch."""

    stage: str
    epoch: int  # counted from 1
    epochs: int
    loss: float  # mean over words
    accuracy: float | None = None  # of whole tags on the development set, in per cent


@dataclass(frozen=True)
class Example:
    """A sentence, or all words at once for lemmas: rows of a word table and gold labels."""

    rows: Indices
    gold: Indices


def train(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence],
    options: Options,
    report: Callable[[Report], None] | None = None,
    progress: Progress | None = None,
) -> Model:
    """A model of these sentences; on `dev` epochs are compared and the best kept."""
    check_treebank(sentences, options)
    model = untrained(sentences, options)
    told = report or (lambda _: None)
    if model.tags:
        model = replace(model, weights=train_tags(model, sentences, dev, told, progress))
    if options.has_lemmas:
        model = replace(model, lemma_weights=train_lemmas(model, sentences, told, progress))
    return model


def check_treebank(sentences: Sequence[Sentence], options: Options) -> None:
    """There must be words, with something in each column that is to be learned."""
    if not any(len(sentence) for sentence in sentences):
        raise InputError("the training data has no sentences")
    for name in options.columns:
        if all(cell == "_" for sentence in sentences for cell in sentence.column(COLUMNS[name])) and name == "upos":
            raise InputError(f"the training data has only _ in {COLUMNS[name]}; leave it out with --columns")


def tags_of(sentence: Sentence, columns: Sequence[str]) -> Iterator[Tag]:
    """The tag of each word: its values in these columns."""
    return zip(*(sentence.column(COLUMNS[name]) for name in columns), strict=True)


def untrained(sentences: Sequence[Sentence], options: Options) -> Model:
    """Tags, scripts and words, all weights zero."""
    columns = options.tag_columns
    tags = sorted({tag for sentence in sentences for tag in tags_of(sentence, columns)}) if columns else []
    numbers = {tag: number for number, tag in enumerate(tags)}
    words = (
        Observation(form, kind(form), form.lower(), numbers[tag])
        for sentence in sentences
        if columns
        for form, tag in zip(sentence.forms, tags_of(sentence, columns), strict=True)
    )
    scripts: dict[str, int] = {}
    lemmas = list(lemma_observations(sentences, scripts)) if options.has_lemmas else []
    empty = np.zeros(1, dtype=np.float32)
    lexicons = Lexicon.of(words), Lexicon.of(lemmas)
    return Model(options, tuple(tags), lexicons[0], empty, tuple(scripts), lexicons[1], empty)


def lemma_observations(sentences: Sequence[Sentence], scripts: dict[str, int]) -> Iterator[Observation]:
    """Words and tags with their scripts, which are numbered as they come."""
    known: dict[tuple[str, str], int] = {}
    for sentence in sentences:
        for form, lemma, upos, feats in zip(
            sentence.forms, sentence.lemmas, sentence.upos, sentence.feats, strict=True
        ):
            number = known.get((form, lemma))
            if number is None:
                script = script_of(form, lemma)
                number = known[form, lemma] = scripts.setdefault(script, len(scripts))
            yield Observation(f"{form}\t{upos}\t{feats}", lemma_group(upos), form.lower(), number)


def train_tags(
    model: Model,
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence],
    report: Callable[[Report], None],
    progress: Progress | None,
) -> Weights:
    """The weights of tags."""
    columns = model.options.tag_columns
    numbers = {tag: number for number, tag in enumerate(model.tags)}
    worker = TagWorker(model, learns=True)
    examples = []
    for sentence in sentences:
        gold = np.array([numbers[tag] for tag in tags_of(sentence, columns)], dtype=np.int32)
        examples.append(Example(worker.words.rows(sentence.forms), gold))

    def judge(weights: Weights) -> float | None:
        judged = TagWorker(replace(model, weights=weights))
        right = words = 0
        for sentence in dev:
            found = judged.tag(sentence.forms, confidence=False).tags.tolist()
            right += sum(model.tags[a] == b for a, b in zip(found, tags_of(sentence, columns), strict=True))
            words += len(sentence)
        return 100 * right / words if words else None

    return learn(
        "tags", worker.kernel, worker.words, examples, model.options.tags, model.options.seed, judge, report, progress
    )


def train_lemmas(
    model: Model, sentences: Sequence[Sentence], report: Callable[[Report], None], progress: Progress | None
) -> Weights:
    """The weights of edit scripts: each form with its tag is one example."""
    gold_of = {key: seen.labels[0] for key, seen in model.lemmas.words.items()}

    def describe(key: str) -> Description:
        form, upos, feats = key.split("\t")
        candidates = lemma_candidates(model.lemmas, model.scripts, form, upos)
        gold = gold_of[key]
        return lemma_atoms(form, upos, feats), candidates if gold in candidates else (*candidates, gold)

    table = WordTable(len(LEMMA_ATOMS), describe)
    keys = list(gold_of)
    examples = []
    for first in range(0, len(keys), 16):
        some = keys[first : first + 16]
        examples.append(Example(table.rows(some), np.array([gold_of[key] for key in some], dtype=np.int32)))
    kernel = lemma_kernel(model.scripts, model.options.lemmas)
    return learn("lemmas", kernel, table, examples, model.options.lemmas, model.options.seed, None, report, progress)


def learn(
    stage: str,
    kernel: TagModel,
    table: WordTable,
    examples: Sequence[Example],
    rules: Learning,
    seed: int,
    judge: Callable[[Weights], float | None] | None,
    report: Callable[[Report], None],
    progress: Progress | None,
) -> Weights:
    """Epochs over the examples, in an order that depends on seed, stage and epoch alone; the best average."""
    cells: NDArray[Any] = np.zeros((1 << rules.bits, 4), dtype=np.float32)
    words = sum(len(example.rows) for example in examples)
    best, best_score, steps = cells[:, 0], -1.0, 0
    for epoch in range(rules.epochs):
        loss = 0.0
        order = np.random.default_rng([seed, epoch, *stage.encode()]).permutation(len(examples))
        for done, number in enumerate(order.tolist()):
            if progress:
                progress(stage, epoch, done, len(examples))
            example = examples[number]
            steps += 1
            loss += kernel.learn(
                *(table.atoms, table.begin, table.pool, example.rows, example.gold, cells),
                *(float(steps), rules.rate, rules.floor, rules.cost),
            )
        weights = np.asarray(cells[:, 0] - cells[:, 3] / np.float32(steps + 1), dtype=np.float32)
        score = judge(weights) if judge else None
        if score is None or score > best_score:
            best, best_score = weights, score or 0.0
        report(Report(stage, epoch + 1, rules.epochs, loss / max(words, 1), score))
    return best
