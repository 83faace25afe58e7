"""Training a tagger: count the words, then learn the weights of tags, then those of edit scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._core import TagModel, WordRows, lemma_key, surface_class, text_hash
from treewright.corpus import Sentence
from treewright.errors import InputError
from treewright.learn import Weights
from treewright.tagger.lexicon import Lexicon, Listing, Observation, by_count
from treewright.tagger.model import (
    NO_STEMS,
    Model,
    Stems,
    Tag,
    TagHashes,
    TagWorker,
    lemma_kernel,
    lemma_words,
    tag_kernel,
    tag_words,
)
from treewright.tagger.options import COLUMNS, Learning, Options
from treewright.tagger.scripts import script_of
from treewright.tagger.words import KINDS, Indices

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
        Observation(text_hash(form), surface_class(form.translate(KINDS)), form.lower(), numbers[tag])
        for sentence in sentences
        if columns
        for form, tag in zip(sentence.forms, tags_of(sentence, columns), strict=True)
    )
    scripts: dict[str, int] = {}
    lemmas = list(lemma_observations(sentences, scripts)) if options.has_lemmas else []
    stems = Counter(pair for pairs in stems_of_forms(sentences, options).values() for pair in pairs)
    stem_tags = sorted({upos for _, upos in stems})
    lists: dict[int, Counter[int]] = {}
    for (lemma, upos), forms in stems.items():
        lists.setdefault(text_hash(lemma), Counter())[stem_tags.index(upos)] += forms
    empty = Weights.of(np.zeros(1, dtype=np.float32))
    lexicons = Lexicon.of(words), Lexicon.of(lemmas)
    return Model(
        *(options, tuple(tags), lexicons[0], empty, tuple(scripts), lexicons[1], empty),
        *(Listing.of(lists), tuple(stem_tags)),
    )


def stems_of_forms(sentences: Sequence[Sentence], options: Options) -> dict[str, set[tuple[str, str]]]:
    """The lemmas of each form in lower case, with their universal tags; forms stand for lemmas that are not told."""
    found: dict[str, set[tuple[str, str]]] = {}
    for sentence in sentences:
        lemmas = sentence.lemmas if options.has_lemmas else sentence.forms
        for form, lemma, upos in zip(sentence.forms, lemmas, sentence.upos, strict=True):
            found.setdefault(form, set()).add(((form if lemma == "_" else lemma).lower(), upos))
    return found


def own_stems(model: Model, sentences: Sequence[Sentence]) -> dict[str, Stems]:
    """What each form adds to the stems, as the core takes it."""
    numbers = {tag: number for number, tag in enumerate(model.stem_tags)}
    return {
        form: np.array(sorted((text_hash(lemma), numbers[upos]) for lemma, upos in pairs), dtype=np.uint32)
        for form, pairs in stems_of_forms(sentences, model.options).items()
    }


def lemma_observations(sentences: Sequence[Sentence], scripts: dict[str, int]) -> Iterator[Observation]:
    """Words and tags with their scripts, which are numbered as they come."""
    tags = TagHashes(())
    for (form, upos, feats), script in scripts_of_words(sentences, scripts):
        tag = tags.of(upos, feats)
        yield Observation(lemma_key(form, tag.upos, tag.feats), tag.upos, form.lower(), script)


def scripts_of_words(
    sentences: Sequence[Sentence], scripts: dict[str, int]
) -> Iterator[tuple[tuple[str, str, str], int]]:
    """Each word with its tag, and the number of its script; new scripts are numbered."""
    known: dict[tuple[str, str], int] = {}
    for sentence in sentences:
        columns = sentence.forms, sentence.lemmas, sentence.upos, sentence.feats
        for form, lemma, upos, feats in zip(*columns, strict=True):
            number = known.get((form, lemma))
            if number is None:
                number = known[form, lemma] = scripts.setdefault(script_of(form, lemma), len(scripts))
            yield (form, upos, feats), number


def train_tags(
    model: Model,
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence],
    report: Callable[[Report], None],
    progress: Progress | None,
) -> Weights:
    """The weights of tags. Rare words are described as if this occurrence were not there, one row for each tag."""
    options = model.options
    numbers = {tag: number for number, tag in enumerate(model.tags)}
    times = Counter(form for sentence in sentences for form in sentence.forms)
    own = own_stems(model, sentences)
    words = tag_words(model)
    known: dict[tuple[str, int], int] = {}

    def row_of(form: str, label: int) -> int:
        left_out = label if times[form] < options.rare else -1
        row = known.get((form, left_out))
        if row is None:
            mine = own[form] if left_out >= 0 else NO_STEMS
            row = known[form, left_out] = words.add(form, form.lower(), form.translate(KINDS), left_out, mine)
        return row

    examples = []
    for sentence in sentences:
        gold = [numbers[tag] for tag in tags_of(sentence, options.tag_columns)]
        rows = [row_of(form, label) for form, label in zip(sentence.forms, gold, strict=True)]
        examples.append(Example(np.array(rows, dtype=np.int32), np.array(gold, dtype=np.int32)))

    def judge(weights: Weights) -> float | None:
        judged = TagWorker(replace(model, weights=weights))
        right = total = 0
        for sentence in dev:
            found = judged.tag(sentence.forms, confidence=False).tags.tolist()
            pairs = zip(found, tags_of(sentence, options.tag_columns), strict=True)
            right += sum(model.tags[a] == b for a, b in pairs)
            total += len(sentence)
        return 100 * right / total if total else None

    kernel = tag_kernel(model.tags, options.tag_columns, options)
    return learn("tags", kernel, words, examples, options.tags, options.seed, judge, report, progress)


def train_lemmas(
    model: Model, sentences: Sequence[Sentence], report: Callable[[Report], None], progress: Progress | None
) -> Weights:
    """The weights of edit scripts: each form with its tag is one example, described as if it were not there."""
    options = model.options
    seen: dict[tuple[str, str, str], Counter[int]] = {}
    for word, script in scripts_of_words(sentences, {script: number for number, script in enumerate(model.scripts)}):
        seen.setdefault(word, Counter())[script] += 1
    own = own_stems(model, sentences)
    tags = TagHashes(model.stem_tags)
    words = lemma_words(model)
    rows, gold = [], []
    for (form, upos, feats), scripts in seen.items():
        script = by_count(scripts)[0]
        tag = tags.of(upos, feats)
        rows.append(words.add(form, form.lower(), form.translate(KINDS), *tag, script, own[form]))
        gold.append(script)
    examples = [
        Example(np.array(rows[first : first + 16], dtype=np.int32), np.array(gold[first : first + 16], dtype=np.int32))
        for first in range(0, len(rows), 16)
    ]
    kernel = lemma_kernel(model.scripts, options.lemmas)
    return learn("lemmas", kernel, words, examples, options.lemmas, options.seed, None, report, progress)


def learn(
    stage: str,
    kernel: TagModel,
    table: WordRows,
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
    best, best_score, steps = Weights.of(cells[:, 0]), -1.0, 0
    for epoch in range(rules.epochs):
        loss = 0.0
        order = np.random.default_rng([seed, epoch, *stage.encode()]).permutation(len(examples))
        for done, number in enumerate(order.tolist()):
            if progress:
                progress(stage, epoch, done, len(examples))
            example = examples[number]
            steps += 1
            loss += kernel.learn_words(
                *(table, example.rows, example.gold, cells),
                *(float(steps), rules.rate, rules.floor, rules.cost),
            )
        weights = Weights.of(np.asarray(cells[:, 0] - cells[:, 3] / np.float32(steps + 1), dtype=np.float32))
        score = judge(weights) if judge else None
        if score is None or score > best_score:
            best, best_score = weights, score or 0.0
        report(Report(stage, epoch + 1, rules.epochs, loss / max(words, 1), score))
    return best
