"""Training a tagger: count the words, then train the weights of tags, then those of edit scripts (treewright.learn)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from treewright._core import TagModel, WordRows, lemma_key, surface_class, text_hash
from treewright.corpus import Sentence
from treewright.corpus.typography import canonical, with_canonical_forms
from treewright.errors import InputError
from treewright.learn import (
    AveragedCells,
    Calibration,
    Judgement,
    Learning,
    Numbers,
    Observer,
    Stage,
    State,
    Weights,
    run,
)
from treewright.learn.calibration import calibration_report, first_sentences, fit
from treewright.tagger.full_forms import Entry, lemma_scripts
from treewright.tagger.lexicon import Lexicon, Listing, Observation, by_count
from treewright.tagger.model import (
    NO_STEMS,
    LemmaWorker,
    Stems,
    Tag,
    TaggerModel,
    TagWorker,
    add_lemma_word,
    lemma_kernel,
    lemma_words,
    tag_kernel,
    tag_words,
)
from treewright.tagger.options import COLUMNS, TaggerOptions
from treewright.tagger.scripts import changes_start, dropped_at_end, script_of
from treewright.tagger.words import SHAPE, Indices
from treewright.tokeniser.casing import with_case_noise, without_capitals
from treewright.tokeniser.representatives import EMOTICON, emoticon_tag, with_representatives

NO_LEMMA = "_"
# Forms with an edit script that is suggested for unknown words, so that it is no exception; not tuned. One that changes
# the start of words needs more: rang -> ring must not make sang -> ring, but gespielt -> spielen is a rule.
MIN_SCRIPT_FORMS = 2
MIN_PREFIX_FORMS = 10
# Characters that a script drops at the end of any word; one that drops more is suggested for words that end with the
# same characters: children -> child must not make oxen -> o. Not tuned. But a script that drops many different endings
# is suggested for any word: in English-EWT and GUM at most 16, in Hungarian-Szeged 106, in Turkish-IMST 175. Lemmas of
# their development words right: Hungarian 92.7 without this, 93.2 with it; Turkish 89.9 and 92.2.
MAX_FREE_DROP = 2
MIN_FREE_ENDINGS = 30
MIN_EXCEPTION_COUNT = 2  # occurrences of a word with another script that keeps its lemma in other casing and features
LEMMAS_PER_STEP = 16  # words of one update of the lemmatiser; not tuned
# Of held-out words whose value of a column is not in the training data: beyond, the column is of another scheme. They
# are 44 % of the XPOS of the development set of Vietnamese-VTB, below 2 % in eleven other treebanks.
MAX_UNKNOWN = 0.2


@dataclass(frozen=True)
class Example:
    """The words of one update: rows of a word table and gold labels."""

    rows: Indices
    gold: Indices


def train(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence],
    options: TaggerOptions,
    lexicon: Sequence[Entry] = (),
    state: State | None = None,
    observer: Observer | None = None,
) -> TaggerModel:
    """Train a model on these sentences and a lexicon; the epoch with the best score on `dev` is kept."""
    check_treebank(sentences, options)
    sentences = as_looked_up(sentences, options)
    noisy = with_case_noise(sentences, options.case_noise, options.seed)  # lemmas are learned without noise
    described = [with_representatives(sentence) for sentence in noisy]
    model = collect_words(sentences, described, options, lexicon)
    stages = []
    if model.tags:
        stages.append(tag_stage(model, described, dev))
    if options.has_lemmas:
        stages.append(lemma_stage(model, sentences, dev))
    weights = run(stages, seed=options.seed, state=state, observer=observer)
    if "tags" in weights:
        model = replace(model, weights=Weights.of(weights["tags"]))
    if "lemmas" in weights:
        model = replace(model, lemma_weights=Weights.of(weights["lemmas"]))
    calibration = calibrate(model, dev)
    if calibration and observer and observer.report:
        observer.report(calibration_report({"tag": calibration}))
    return replace(model, calibration=calibration)


def retrain_lemmas(
    model: TaggerModel,
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence],
    lexicon: Sequence[Entry],
    state: State | None = None,
    observer: Observer | None = None,
) -> TaggerModel:
    """Train the lemmas of a model anew, on these sentences and a lexicon; tags and known stems stay as they are."""
    sentences = as_looked_up(sentences, model.options)
    scripts, lemmas = collect_lemmas(sentences, model.options, lexicon)
    model = replace(model, scripts=scripts, lemmas=lemmas)
    weights = run([lemma_stage(model, sentences, dev)], seed=model.options.seed, state=state, observer=observer)
    return replace(model, lemma_weights=Weights.of(weights["lemmas"]))


def as_looked_up(sentences: Iterable[Sentence], options: TaggerOptions) -> list[Sentence]:
    """Return the sentences with their forms in the spelling and the casing in which words are looked up."""
    spelled = [with_canonical_forms(with_canonical_lemmas(sentence)) for sentence in sentences]
    if not options.folds_capitals:
        return spelled
    return [sentence.with_columns(forms=without_capitals(sentence.forms)) for sentence in spelled]


def with_canonical_lemmas(sentence: Sentence) -> Sentence:
    """Return the sentence with lemmas in canonical spelling where they are the forms."""
    pairs = zip(sentence.forms, sentence.lemmas, strict=True)
    lemmas = [canonical(form) if lemma == form else lemma for form, lemma in pairs]
    return sentence if lemmas == sentence.lemmas else sentence.with_columns(lemmas=lemmas)


def calibrate(model: TaggerModel, dev: Sequence[Sentence]) -> Calibration | None:
    """Calibrate the probability of whole tags on held-out sentences, the first MAX_WORDS words of them.

    None without words, and if no column of them has the values of the training data.
    """
    if not model.tags or not any(len(sentence) for sentence in dev):
        return None
    worker, columns = TagWorker(model), model.options.tag_columns
    held = list(first_sentences(dev))
    gold = [tag for sentence in held for tag in tags_of(sentence, columns)]
    is_given = np.array([not is_open(tag, columns) for tag in gold], dtype=np.bool_)
    compared = comparable_columns(model.tags, [tag for tag, given in zip(gold, is_given, strict=True) if given])
    if not compared or not is_given.any():
        return None
    groups = [list(group) for _, group in groupby(held, worker.is_read)]
    numbers = np.concatenate([worker.decode(group, False, 1.0).tags for group in groups])
    pairs = zip((model.tags[number] for number in numbers.tolist()), gold, strict=True)
    right = np.array([all(tag[i] == true_tag[i] for i in compared) for tag, true_tag in pairs], dtype=np.bool_)

    def probabilities(temperature: float) -> NDArray[np.float64]:
        decoded = [worker.decode(group, True, temperature).confidence for group in groups]
        return np.asarray(np.concatenate([values for values in decoded if values is not None])[is_given])

    return fit(probabilities, right[is_given])


def comparable_columns(tags: Sequence[Tag], gold: Sequence[Tag]) -> list[int]:
    """Return the columns in which held-out tags have the values of the training data, but for MAX_UNKNOWN of the words.

    Treebanks exist whose parts follow different schemes of XPOS.
    """
    columns = []
    for column in range(len(tags[0])):
        known = {tag[column] for tag in tags}
        unknown = sum(tag[column] not in known for tag in gold)
        if unknown <= MAX_UNKNOWN * len(gold):
            columns.append(column)
    return columns


def check_treebank(sentences: Sequence[Sentence], options: TaggerOptions) -> None:
    """Refuse a treebank without words, and one without UPOS where it is to be learned."""
    if not any(len(sentence) for sentence in sentences):
        raise InputError("the training data has no sentences")
    if "upos" in options.columns and all(tag == "_" for sentence in sentences for tag in sentence.upos):
        raise InputError("the training data has only _ in UPOS; leave it out with --columns")


def tags_of(sentence: Sentence, columns: Sequence[str]) -> Iterator[Tag]:
    """Return the tag of each word: its values in these columns."""
    return zip(*(sentence.column(COLUMNS[name]) for name in columns), strict=True)


def is_open(tag: Tag, columns: Sequence[str]) -> bool:
    """Whether a tag is not given: UPOS is "_". In the other columns "_" is a value.

    >>> is_open(("_", "_"), ("upos", "feats")), is_open(("NOUN", "_"), ("upos", "feats")), is_open(("_",), ("feats",))
    (True, False, False)
    """
    return "upos" in columns and tag[columns.index("upos")] == "_"


def collect_words(
    sentences: Sequence[Sentence], described: Sequence[Sentence], options: TaggerOptions, lexicon: Sequence[Entry]
) -> TaggerModel:
    """Collect tags, scripts and words, without weights. `described` has the forms that describe words to the tagger."""
    columns = options.tag_columns
    words = list(tagged_words(described, options)) if columns else []
    tags = sorted({tag for _, tag in words})
    numbers = {tag: number for number, tag in enumerate(tags)}
    observations = (
        Observation(text_hash(form), surface_class(form.translate(SHAPE)), form.lower(), numbers[tag])
        for form, tag in words
    )
    scripts, lemmas = collect_lemmas(sentences, options, lexicon)
    known_stems = stems_of_forms(sentences, options)
    stem_tags_seen = {upos for pairs in known_stems.values() for _, upos in pairs}
    for entry in lexicon:
        if entry.upos in stem_tags_seen:
            known_stems.setdefault(entry.form, set()).add((entry.lemma.lower(), entry.upos))
    stems = Counter(pair for pairs in known_stems.values() for pair in pairs)
    stem_tags = sorted({upos for _, upos in stems})
    lists: dict[int, Counter[int]] = {}
    for (lemma, upos), forms in stems.items():
        lists.setdefault(text_hash(lemma), Counter())[stem_tags.index(upos)] += forms
    empty = Weights.of(np.zeros(1, dtype=np.float32))
    return TaggerModel(
        *(options, tuple(tags), Lexicon.of(observations), empty, scripts, lemmas, empty),
        *(Listing.of(lists), tuple(stem_tags)),
    )


def collect_lemmas(
    sentences: Sequence[Sentence], options: TaggerOptions, lexicon: Sequence[Entry]
) -> tuple[tuple[str, ...], Lexicon]:
    """Collect the scripts and the words with their scripts, of a treebank and of a lexicon; none without lemmas."""
    if not options.has_lemmas:
        return (), Lexicon.of([])
    scripts: dict[str, int] = {}
    observations = list(lemma_observations(sentences, scripts, options))
    forms_of: dict[int, set[str]] = {}
    for observation in observations:
        forms_of.setdefault(observation.label, set()).add(observation.form)
    min_suffix = {
        number: shortest_suffix(dropped, forms_of[number])
        for script, number in scripts.items()
        if (dropped := dropped_at_end(script)) is not None and len(forms_of[number]) >= min_forms(script)
    }
    feats_of: dict[str, set[str]] = {}
    for sentence in sentences:
        for upos, feats in zip(sentence.upos, sentence.feats, strict=True):
            feats_of.setdefault(upos, set()).add(feats)
    lemma_counts: dict[tuple[str, str], Counter[str]] = {}
    for (form, upos, _), lemma, _ in words_with_lemmas(sentences, scripts, options):
        lemma_counts.setdefault((form.lower(), upos), Counter())[lemma] += 1
    frequent = {word: counts.most_common(1)[0] for word, counts in lemma_counts.items()}
    exceptions = [
        Entry(form, upos, "_", lemma)
        for (form, upos), (lemma, count) in frequent.items()
        if count >= MIN_EXCEPTION_COUNT and scripts.get(script_of(form, lemma)) not in min_suffix
    ]
    words = lemma_scripts([*exceptions, *lexicon], feats_of, scripts)
    ends = [lemma.lower() for sentence in sentences for lemma in sentence.lemmas] + [entry.lemma for entry in lexicon]
    return tuple(scripts), Lexicon.of(observations, min_suffix).with_words(words).with_lemma_ends(ends)


def shortest_suffix(dropped: int, forms: Set[str]) -> int:
    """Return the length of the shortest suffix that suggests a script; dropped: what it drops at the end of forms.

    >>> shortest_suffix(3, {"walking", "talking"}), shortest_suffix(1, {"dogs"})
    (3, 0)
    """
    is_free = dropped <= MAX_FREE_DROP or len({form[-dropped:] for form in forms}) >= MIN_FREE_ENDINGS
    return 0 if is_free else dropped


def min_forms(script: str) -> int:
    """Return the number of forms with a script from which on it is suggested for unknown words."""
    return MIN_PREFIX_FORMS if changes_start(script) else MIN_SCRIPT_FORMS


def tagged_words(sentences: Sequence[Sentence], options: TaggerOptions) -> Iterator[tuple[str, Tag]]:
    """Yield each word that has a tag. If there is no emoticon, one is added with the tag of symbols and no other."""
    seen: Counter[Tag] = Counter()
    has_emoticon = False
    for sentence in sentences:
        for form, tag in zip(sentence.forms, tags_of(sentence, options.tag_columns), strict=True):
            if is_open(tag, options.tag_columns):
                continue
            seen[tag] += 1
            has_emoticon |= form == EMOTICON
            yield form, tag
    symbol = emoticon_tag(seen, options.tag_columns)
    if symbol is not None and not has_emoticon:
        yield from [(EMOTICON, symbol)] * max(options.min_known_count, 1)


def stems_of_forms(sentences: Sequence[Sentence], options: TaggerOptions) -> dict[str, set[tuple[str, str]]]:
    """Collect the lemmas of each form in lower case with their universal tags; a form replaces a missing lemma."""
    stems: dict[str, set[tuple[str, str]]] = {}
    for sentence in sentences:
        lemmas = sentence.lemmas if options.has_lemmas else sentence.forms
        for form, lemma, upos in zip(sentence.forms, lemmas, sentence.upos, strict=True):
            if "upos" in options.columns and upos == "_":
                continue
            stems.setdefault(form, set()).add(((form if lemma == "_" else lemma).lower(), upos))
    return stems


def own_stems(model: TaggerModel, sentences: Sequence[Sentence]) -> dict[str, Stems]:
    """Return what each form adds to the stems: rows of a lemma and the number of its tag."""
    numbers = {tag: number for number, tag in enumerate(model.stem_tags)}
    return {
        form: np.array(sorted((text_hash(lemma), numbers[upos]) for lemma, upos in pairs), dtype=np.uint32)
        for form, pairs in stems_of_forms(sentences, model.options).items()
    }


def lemma_observations(
    sentences: Sequence[Sentence], scripts: dict[str, int], options: TaggerOptions
) -> Iterator[Observation]:
    """Yield words and tags with their scripts, which are numbered in order of appearance."""
    for (form, upos, feats), script in scripts_of_words(sentences, scripts, options):
        tag = text_hash(upos)
        yield Observation(lemma_key(form, tag, text_hash(feats)), tag, form.lower(), script)


def scripts_of_words(
    sentences: Sequence[Sentence], scripts: dict[str, int], options: TaggerOptions
) -> Iterator[tuple[tuple[str, str, str], int]]:
    """Yield each word with its tag and the number of its script."""
    return ((word, number) for word, _, number in words_with_lemmas(sentences, scripts, options))


def words_with_lemmas(
    sentences: Sequence[Sentence], scripts: dict[str, int], options: TaggerOptions
) -> Iterator[tuple[tuple[str, str, str], str, int]]:
    """Yield each word with its tag, its lemma and the number of its script; new scripts are numbered.

    Words whose lemma or tag is open are left out. "_" is the lemma of "_", and of all words if no other has one.
    """
    known: dict[tuple[str, str], int] = {}
    has_lemmas = any(lemma != NO_LEMMA for sentence in sentences for lemma in sentence.lemmas)
    for sentence in sentences:
        columns = sentence.forms, sentence.lemmas, sentence.upos, sentence.feats
        for form, lemma, upos, feats in zip(*columns, strict=True):
            if (has_lemmas and lemma == NO_LEMMA != form) or ("upos" in options.columns and upos == "_"):
                continue
            number = known.get((form, lemma))
            if number is None:
                number = known[form, lemma] = scripts.setdefault(script_of(form, lemma), len(scripts))
            yield (form, upos, feats), lemma, number


def tag_stage(model: TaggerModel, sentences: Sequence[Sentence], dev: Sequence[Sentence]) -> Stage[AveragedCells]:
    """Train the weights of tags.

    A rare word is described without the current occurrence, in one row for each of its tags. Sentences may have words
    without a tag; those without any are left out.
    """
    options = model.options
    numbers = {tag: number for number, tag in enumerate(model.tags)}
    times = Counter(form for form, _ in tagged_words(sentences, options))
    stems_of = own_stems(model, sentences)
    words = tag_words(model)
    known: dict[tuple[str, int], int] = {}

    def row_of(form: str, label: int) -> int:
        left_out = label if times[form] < options.rare_count else -1  # -1 also for a word without a tag
        row = known.get((form, left_out))
        if row is None:
            stems = stems_of[form] if left_out >= 0 else NO_STEMS
            row = known[form, left_out] = words.add(form, form.lower(), form.translate(SHAPE), left_out, stems)
        return row

    examples = []
    for sentence in sentences:
        tags = tags_of(sentence, options.tag_columns)
        gold = [-1 if is_open(tag, options.tag_columns) else numbers[tag] for tag in tags]
        if gold and max(gold) < 0:
            continue
        rows = [row_of(form, label) for form, label in zip(sentence.forms, gold, strict=True)]
        examples.append(Example(np.array(rows, dtype=np.int32), np.array(gold, dtype=np.int32)))

    def judge(average: Numbers) -> Judgement:
        return judge_tags(replace(model, weights=Weights.of(average)), dev)

    kernel = tag_kernel(model.tags, options.tag_columns, options)
    stage = word_stage("tags", kernel, words, examples, options.tags)
    return replace(stage, judge=judge) if any(len(sentence) for sentence in dev) else stage


def judge_tags(model: TaggerModel, dev: Sequence[Sentence]) -> Judgement:
    """Compute the share of whole tags that are right, in per cent."""
    worker = TagWorker(model)
    right = total = 0
    for _, sentences in groupby(dev, worker.is_read):
        group = list(sentences)
        numbers = worker.tag(group, confidence=False).tags.tolist()
        gold = [tag for sentence in group for tag in tags_of(sentence, model.options.tag_columns)]
        right += sum(model.tags[number] == tag for number, tag in zip(numbers, gold, strict=True))
        total += sum(not is_open(tag, model.options.tag_columns) for tag in gold)
    accuracy = 100 * right / total if total else 0.0
    return Judgement(accuracy, {"accuracy": accuracy})


def lemma_stage(model: TaggerModel, sentences: Sequence[Sentence], dev: Sequence[Sentence]) -> Stage[AveragedCells]:
    """Train the weights of edit scripts: each form with its tag is one example, described without its own lemma."""
    options = model.options
    seen: dict[tuple[str, str, str], Counter[int]] = {}
    numbers = {script: number for number, script in enumerate(model.scripts)}
    for word, script in scripts_of_words(sentences, numbers, options):
        seen.setdefault(word, Counter())[script] += 1
    stems_of = own_stems(model, sentences)
    words = lemma_words(model)
    rows, gold = [], []
    for word, scripts in seen.items():
        script = by_count(scripts)[0]
        rows.append(add_lemma_word(words, model, word, script, stems_of.get(word[0], NO_STEMS)))
        gold.append(script)
    examples = []
    for first in range(0, len(rows), LEMMAS_PER_STEP):
        step = slice(first, first + LEMMAS_PER_STEP)
        examples.append(Example(np.array(rows[step], dtype=np.int32), np.array(gold[step], dtype=np.int32)))

    def judge(average: Numbers) -> Judgement:
        return judge_lemmas(replace(model, lemma_weights=Weights.of(average)), dev)

    stage = word_stage("lemmas", lemma_kernel(model.scripts, options.lemmas), words, examples, options.lemmas)
    has_lemmas = any(lemma != NO_LEMMA for sentence in dev for lemma in sentence.lemmas)
    return replace(stage, judge=judge) if has_lemmas else stage


def judge_lemmas(model: TaggerModel, dev: Sequence[Sentence]) -> Judgement:
    """Compute the share of lemmas that are right for the tags in `dev`, in per cent."""
    worker = LemmaWorker(model)
    right = total = 0
    for sentence in dev:
        pairs = [pair for pair in zip(worker.lemmas(sentence), sentence.lemmas, strict=True) if pair[1] != NO_LEMMA]
        right += sum(lemma == gold for lemma, gold in pairs)
        total += len(pairs)
    accuracy = 100 * right / total
    return Judgement(accuracy, {"lemma_accuracy": accuracy})


def word_stage(
    name: str, kernel: TagModel, table: WordRows, examples: Sequence[Example], settings: Learning
) -> Stage[AveragedCells]:
    """Make a stage whose examples are rows of a word table."""

    def learn(learner: AveragedCells, number: int) -> float:
        example = examples[number]
        return kernel.learn_words(
            *(table, example.rows, example.gold, learner.cells),
            *(learner.next_step(), settings.rate, settings.adagrad_epsilon, settings.margin),
        )

    return settings.stage(name, learn, range(len(examples)), sum(len(example.rows) for example in examples))
