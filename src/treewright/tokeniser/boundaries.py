"""Sentence ends: a log-linear classifier over tokens, after the text is cut into tokens.

It sees the words around each token end, how the training data writes and tags them, the distance to the marks around
it, and the line breaks that text.py keeps. The decision averages its log odds with those of the tokeniser's
character model, which sees other evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
from numpy.typing import NDArray

from treewright._core import template_features
from treewright.caching import cached_property
from treewright.corpus import Sentence
from treewright.corpus.offsets import surface_tokens
from treewright.corpus.typography import TABLE
from treewright.learn import AveragedCells, Learning, Stage, Weights
from treewright.tokeniser.casing import with_noisy_paragraphs
from treewright.tokeniser.characters import (
    SPACE,
    Hashes,
    Layout,
    Substrings,
    class_of,
    classes_of,
    codes_of,
    compile_templates,
    lower_letters,
)
from treewright.tokeniser.classifier import Decisions, classifier_stage
from treewright.tokeniser.representatives import EMOTICON
from treewright.tokeniser.rules import labels_by_rule
from treewright.tokeniser.text import PARAGRAPH, SENTENCE, Labels, Places, token_begins

LABELS = ("inside", "end")
NO_SPACE, BLANK, LINE, PARAGRAPH_END = range(4)  # what follows a token
WORD_COLUMNS = ("lower", "capital", "start", "end", "tag", "tags", "frequent")  # see WordTable

# Weight, threshold, views and the share of joined paragraphs were chosen in single runs on the
# development set of UD English-EWT 2.16 and on a fifth of its training documents (--held-out). F1 of sentences with one
# view and no joined paragraphs 90.6 and 90.9, with these settings 91.0 and 91.9.
TOKEN_WEIGHT = 2 / 3  # of the log odds of this model; the rest is that of the character model
THRESHOLD = 0.4  # the lowest probability at which a sentence ends

VIEWS = 4  # of the training text
MAX_ROWS = 1_000_000  # tokens of all views, to bound memory: about 400 bytes each; not tuned
JOIN_SHARE = 0.4  # of the blank lines are blanks in a view
ROWS_PER_STEP = 64  # tokens of one update; not tuned
LINE_SHARE = 0.25  # of the training paragraphs are written with a line for each sentence; not tuned
BREAK_SHARE = 0.002  # of the other blanks in these paragraphs are line breaks; not tuned

Spelling = dict[str, NDArray[np.uint64] | Places]  # by the names of atoms, a value for each token

ATOMS = (
    "form",  # in lower case
    "cased",  # the form as it is written
    "shape",  # classes of the first two characters and the last one, and the length
    "first",  # the class of the first character
    "suffix",  # three characters
    "gap",  # what follows
    "rule",  # the label by rule of its last character
    "capitals",  # whether it is written in capitals
    "since_paragraph",  # tokens since the start of the paragraph, in powers of two
    "until_paragraph",  # tokens until its end
    "since_stop",  # tokens since the last full stop, question or exclamation mark of the paragraph
    "until_stop",  # tokens until the next one
    "since_mark",  # the same for all punctuation
    "until_mark",
    "brackets",  # open brackets of the paragraph
    "quote",  # whether a quotation mark of the paragraph is open
    "lower_starts",  # whether the paragraph has a lower-case letter after a stop
    "capital_share",  # of the paragraph's tokens that begin with a capital, in fifths
    "stops",  # of the paragraph, up to two
    "repeats",  # whether the next form is that of the start of the paragraph, or after the last stop
    "same_shape",  # whether the next token has the same shape
    "opening",  # the form after the last stop
    *WORD_COLUMNS[:-1],
    "cased_tag",  # tag and casing
    "common",  # the form of a frequent word, tag and casing of another
)
# The place of a template and the order of its atoms enter the hash: a change needs a new FORMAT of the tokeniser.
TEMPLATES = (
    *("-2.form", "-1.form", "0.form", "1.form", "2.form", "3.form", "0.cased", "1.cased", "2.cased"),
    *("-1.shape", "0.shape", "1.shape", "2.shape", "0.suffix", "1.suffix", "0.suffix 1.suffix"),
    *("0.form 1.form", "-1.form 0.form", "1.form 2.form", "1.cased 2.cased", "0.form 1.cased"),
    *("-1.form 0.form 1.form", "0.form 1.form 2.form", "0.form 1.shape", "0.shape 1.form", "-1.form 0.form 1.shape"),
    *("-1.shape 0.shape 1.shape", "0.shape 1.shape 2.shape", "-1.shape 0.shape 1.shape 2.shape"),
    "-2.shape -1.shape 0.shape 1.shape 2.shape 3.shape",
    *("0.gap", "0.gap 0.form 1.first", "0.gap 0.first 1.first", "0.gap 1.form", "0.gap 0.first 1.shape"),
    *("0.first 1.first 0.since_paragraph", "0.first 1.first 0.until_paragraph", "0.first 1.first 0.since_stop"),
    *("0.first 1.first 0.until_stop", "0.first 1.first 0.since_mark 0.until_mark", "0.form 1.first 0.lower_starts"),
    *("0.form 1.first 0.brackets 0.quote", "0.first 1.first 0.capital_share 0.stops", "0.form 0.since_paragraph"),
    *("0.form 1.first 0.since_paragraph", "1.form 0.until_paragraph", "0.rule 1.first 0.gap", "0.rule 0.form"),
    *("0.rule 0.since_stop 1.first", "0.capitals 1.capitals 1.first 2.first"),
    *("0.lower 1.first 1.lower 1.capital", "0.first 1.first 1.capital 1.start", "0.form 1.first 1.capital"),
    *("0.first 1.first 1.capital 2.first 2.capital", "0.capital 1.capital 1.first 0.first", "0.end 1.start 1.first"),
    *("0.end 1.start 0.first 1.first 1.capital", "0.repeats 0.first 1.first", "0.repeats 1.form"),
    *("0.same_shape 0.shape", "0.opening 1.form", "0.first 0.end 1.first 1.lower 0.capital_share"),
    *("1.capital 1.first 2.first 0.since_stop", "0.lower 0.capital 0.first 1.first 1.lower 1.capital 2.first"),
    *("0.cased_tag", "1.cased_tag", "0.cased_tag 1.cased_tag", "-1.cased_tag 0.cased_tag 1.cased_tag"),
    *("0.cased_tag 1.cased_tag 2.cased_tag", "-1.cased_tag 0.cased_tag 1.cased_tag 2.cased_tag"),
    *("0.cased_tag 1.cased_tag 2.cased_tag 3.cased_tag", "-2.cased_tag -1.cased_tag 0.cased_tag 1.cased_tag"),
    "-2.cased_tag -1.cased_tag 0.cased_tag 1.cased_tag 2.cased_tag 3.cased_tag",
    *("0.common 1.common", "-1.common 0.common 1.common", "0.common 1.common 2.common"),
    *("-1.common 0.common 1.common 2.common", "0.tags 1.tags", "-1.tags 0.tags 1.tags", "0.tags 1.tags 2.tags"),
    *("1.cased_tag 2.cased_tag 3.cased_tag 4.cased_tag", "-3.cased_tag -2.cased_tag -1.cased_tag 0.cased_tag"),
    *("0.form 1.cased_tag 2.cased_tag", "0.cased_tag 1.cased_tag 0.since_stop"),
    "0.cased_tag 1.cased_tag 0.until_paragraph",
)
_ITEMS = compile_templates(TEMPLATES, ATOMS)

FIRST_EMOJI = 0x2600  # a symbol from this code point on is a picture

_CAPITAL, _LOWER, _DIGIT = class_of("A"), class_of("a"), class_of("1")
_FIRST_MARK = class_of("†")  # the classes of punctuation and symbols are the highest
_STOPS = [class_of(mark) for mark in ".!?…"]
_OPENING, _CLOSING = ([ord(mark) for mark in marks] for marks in ("([{", ")]}"))
MIN_COUNT = 2  # a word must occur so often to be in the table: in training each occurrence is described by the others
COMMON_COUNT = 100  # occurrences of a word that is described by its form; not tuned
_UNKNOWN_TAGS = 4  # kinds of unknown words: capital, lower case, digit, other
# Upper limits of the buckets of counts and shares, not tuned.
_COUNTS = (1, 2, 5, 20, 100)
_CAPITAL_SHARES = (0.01, 0.05, 0.2, 0.5, 0.8, 0.95)
_FREQUENT_LOWER, _RARE_CAPITAL = 3, 2  # buckets: written in lower case five times, with a capital in less than 5 %
_EDGE_SHARES = (0.001, 0.01, 0.03, 0.1, 0.25, 0.5)


@dataclass(frozen=True)
class Tokens:
    """The tokens of a canonical text: where they begin and end, and what follows each."""

    text: str
    begin: Places
    end: Places
    gap: Places

    @classmethod
    def of(cls, text: str, last: Places) -> Tokens:
        """Describe tokens by their last characters."""
        end = last + 1
        begin = token_begins(np.flatnonzero(classes_of(text) != SPACE), end)
        following = np.append(begin[1:], len(text))
        breaks = np.append(0, np.cumsum(codes_of(text) == ord("\n")))
        gap = np.minimum(following - end, 1) + np.minimum(breaks[following] - breaks[end], 2)
        return cls(text, begin, end, gap)

    @property
    def paragraphs(self) -> Places:
        """The first token of each paragraph, and the number of tokens."""
        last = np.flatnonzero(self.gap[:-1] == PARAGRAPH_END)
        return np.unique(np.concatenate([[0], last + 1, [len(self)]]))

    def __len__(self) -> int:
        return len(self.end)


@dataclass(frozen=True)
class WordTable:
    """How the training data writes and tags its words: a row of buckets for each form in lower case, by its hash.

    lower: how often it is written in lower case; capital: the share of capitals inside sentences; start, end: the share
    of occurrences at the start and the end of sentences; tag: its most frequent universal tag; tags: those that a tenth
    of its occurrences have; frequent: whether it occurs COMMON_COUNT times.
    """

    keys: NDArray[np.uint32]
    rows: NDArray[np.uint16]

    def is_lower(self, form: str) -> bool:
        """Whether a form in lower case is frequent, and has a capital almost only where sentences begin."""
        row = self.row_of(form)
        lower, capital = (0, 0) if row is None else self.rows[row, :2].tolist()
        return bool(lower >= _FREQUENT_LOWER and capital <= _RARE_CAPITAL)

    def row_of(self, form: str) -> int | None:
        """Return the row of a form in lower case, if it has one."""
        hashed = Substrings(codes_of(form)).of(np.array([0]), np.array([len(form)]))
        [row], [is_known] = self.look_up(keys_of(hashed))
        return int(row) if is_known else None

    def look_up(self, forms: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the row of each form, and whether it has one."""
        if not len(self.keys):
            return np.zeros(len(forms), dtype=np.int64), np.zeros(len(forms), dtype=np.bool_)
        row = np.minimum(np.searchsorted(self.keys, forms), len(self.keys) - 1)
        return row, self.keys[row] == forms


@dataclass(frozen=True)
class BoundaryModel:
    """Weights and words."""

    settings: Learning
    weights: Weights
    words: WordTable

    @cached_property
    def numbers(self) -> NDArray[np.float32]:
        """The weights as numbers."""
        return np.asarray(self.weights.values * np.float32(self.weights.scale), dtype=np.float32)

    def odds(self, tokens: Tokens, rule: Labels) -> NDArray[np.float64]:
        """Compute the log odds that a sentence ends after each token; rule: the labels by rule of the characters."""
        decisions = decide_ends(features_of(tokens, rule, self.words))
        chosen, confidence = decisions.classify(LABELS, self.settings, self.numbers)
        return log_odds(np.where(chosen == 1, confidence, 1 - confidence))


def decide_ends(features: NDArray[np.uint32]) -> Decisions:
    """Decide whether a sentence ends after each token."""
    first = np.zeros(len(features), dtype=np.int32)
    return Decisions.of(features, first, first + len(LABELS))


def log_odds(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithm of p / (1 - p), of finite size."""
    limited = np.clip(probability, 1e-6, 1 - 1e-6)
    return np.asarray(np.log(limited / (1 - limited)))


def combine_odds(characters: NDArray[np.float64], tokens: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Decide whether sentences end, from the log odds of both models."""
    odds = (1 - TOKEN_WEIGHT) * characters + TOKEN_WEIGHT * tokens
    return np.asarray(odds >= np.log(THRESHOLD / (1 - THRESHOLD)))


# -- features


def features_of(tokens: Tokens, rule: Labels, words: WordTable, columns: Places | None = None) -> NDArray[np.uint32]:
    """Return a row of hashed features for each token, which sees nothing of another paragraph.

    columns: the first ones of the word table for each token, in training.
    """
    spelled = _spelling(tokens)
    values = {
        **spelled,
        **_surroundings(tokens, spelled),
        **_words(spelled, words, columns),
        "gap": tokens.gap,
        "rule": rule[tokens.end - 1],
    }
    layout = Layout.of(np.diff(tokens.paragraphs).tolist())
    atoms = np.stack([layout.spread(np.asarray(values[atom]).astype(np.uint64) + np.uint64(1)) for atom in ATOMS])
    return template_features(atoms, _ITEMS, layout.places)


def _spelling(tokens: Tokens) -> Spelling:
    """Describe the letters of tokens. Emoji are described as the emoticon that treebanks have more often."""
    text, begin, end = tokens.text, tokens.begin, tokens.end
    if not text.isascii() and len(end):
        begin, end = begin.copy(), end.copy()
        is_emoji = (classes_of(text)[begin] == class_of("😀")) & (codes_of(text)[begin] >= FIRST_EMOJI)
        begin[is_emoji], end[is_emoji] = len(text), len(text) + len(EMOTICON)
        text += EMOTICON
    classes = classes_of(text).astype(np.int64)
    lower, cased = Substrings(codes_of(lower_letters(text))), Substrings(codes_of(text))
    length = end - begin
    first, last = classes[begin], classes[end - 1]
    second = np.where(length > 1, classes[np.minimum(begin + 1, len(text) - 1)], 0)
    shape = ((first * 64 + second) * 64 + last) * 4 + np.minimum(length, 3)
    return {
        "form": lower.of(begin, end),
        "cased": cased.of(begin, end),
        "suffix": lower.of(np.maximum(begin, end - 3), end),
        "shape": shape,
        "first": first,
        "capitals": (first == _CAPITAL) & (last == _CAPITAL) & (length > 1),
        "same_shape": np.append(shape[1:] == shape[:-1], False)[: len(shape)],
    }


def _surroundings(tokens: Tokens, spelled: Spelling) -> dict[str, Places]:
    """Describe where the tokens are in their paragraphs, and what is around them."""
    n = len(tokens)
    here = np.arange(n)
    first, form = spelled["first"], spelled["form"]
    bounds = tokens.paragraphs
    paragraph = np.searchsorted(bounds, here, side="right") - 1  # the number of each token's paragraph
    begin, end = bounds[paragraph], bounds[paragraph + 1] - 1
    is_stop, is_mark = np.isin(first, _STOPS), first >= _FIRST_MARK
    codes = codes_of(tokens.text)[tokens.begin]
    starts_low = np.append(False, is_stop[:-1] & (first[1:] == _LOWER))[:n]

    def inside(mask: NDArray[np.bool_]) -> Places:
        """Count the tokens of the paragraph with a property."""
        total = np.append(0, np.cumsum(mask))
        return np.asarray(total[end + 1] - total[begin])

    def so_far(change: Places) -> Places:
        """Return the sum over the tokens of the paragraph up to each."""
        total = np.append(0, np.cumsum(change))
        return np.asarray(total[1:] - total[begin])

    last_stop, next_stop = _nearest(is_stop, begin, end)
    last_mark, next_mark = _nearest(is_mark, begin, end)
    following = np.append(form[1:], np.uint64(0))[:n]
    after_stop = np.minimum(last_stop + 1, n - 1)
    brackets = so_far(np.isin(codes, _OPENING).astype(np.int64) - np.isin(codes, _CLOSING))
    return {
        "since_paragraph": _power(here - begin),
        "until_paragraph": _power(end - here),
        "since_stop": _power(here - last_stop),
        "until_stop": _power(next_stop - here),
        "since_mark": _power(here - last_mark),
        "until_mark": _power(next_mark - here),
        "brackets": np.clip(brackets, -1, 2) + 1,
        "quote": so_far((codes == ord('"')).astype(np.int64)) % 2,
        "lower_starts": np.minimum(inside(starts_low), 1),
        "capital_share": np.minimum(4, 5 * inside(first == _CAPITAL) // (end - begin + 1)),
        "stops": np.minimum(2, inside(is_stop)),
        "repeats": (following == form[begin]) + 2 * (following == form[after_stop]),
        "opening": form[after_stop],
    }


def _nearest(mask: NDArray[np.bool_], begin: Places, end: Places) -> tuple[Places, Places]:
    """Find the last token with a property before each token and the next after it, or the limits of the paragraph."""
    n = len(mask)
    here = np.arange(n)
    before = np.maximum.accumulate(np.append(-1, np.where(mask, here, -1)))[:n]
    after = np.minimum.accumulate(np.append(np.where(mask, here, n), n)[::-1])[::-1][1:]
    return np.maximum(before, begin - 1), np.minimum(after, end + 1)


def _power(distance: Places) -> Places:
    """Return a distance in powers of two."""
    return np.asarray(np.log2(np.maximum(distance, 0) + 1), dtype=np.int64)


def _words(spelled: Spelling, words: WordTable, columns: Places | None) -> Spelling:
    """Return the columns of the word table; unknown words have tags by their first characters."""
    form = np.asarray(spelled["form"], dtype=np.uint64)
    first = spelled["first"]
    row, is_known = words.look_up(keys_of(form))
    unknown = np.select([first == _CAPITAL, first == _LOWER, first == _DIGIT], [0, 1, 2], default=3)
    rows = words.rows[row].astype(np.int64) if len(words.rows) else np.zeros((len(form), len(WORD_COLUMNS)), np.int64)
    rows = np.where(is_known[:, None], rows, 0)
    if columns is not None:
        rows[:, : columns.shape[1]] = columns
    tag, tags = (np.where(is_known, rows[:, column], unknown) for column in (4, 5))
    is_common = rows[:, 6] == 1
    cased_tag = tag * 4 + (first == _CAPITAL) + 2 * np.asarray(spelled["capitals"], dtype=np.int64)
    return {
        **{name: rows[:, column] for column, name in enumerate(WORD_COLUMNS[:4])},
        "tag": tag,
        "tags": tags * 2 + (first == _CAPITAL),
        "cased_tag": cased_tag,
        "common": np.where(is_common, form, cased_tag.astype(np.uint64)),
    }


def keys_of(forms: Hashes) -> NDArray[np.uint32]:
    """Return the keys of forms in a WordTable."""
    return (forms >> np.uint64(32)).astype(np.uint32)


# -- training


def token_tags(sentences: Iterable[Sentence]) -> list[str]:
    """Return the universal tags of each visible token's words."""
    return [
        "+".join(sentence.upos[token.first - 1 : token.last])
        for sentence in sentences
        for token in surface_tokens(sentence)
        if token.form.translate(TABLE).strip()
    ]


@dataclass(frozen=True)
class BoundaryData:
    """What a boundary model is trained on: features of tokens and whether a sentence ends."""

    words: WordTable
    decisions: Decisions
    gold: Labels


def training_data(text: str, labels: Labels, tags: Sequence[str], case_noise: float, seed: int) -> BoundaryData:
    """Describe the canonical text of a treebank in views that differ in casing, line breaks and paragraphs.

    labels are those of the characters, tags those of the tokens. Each word is described by its other occurrences.
    """
    last = np.flatnonzero(labels)
    is_end = labels[last] == SENTENCE
    words, columns = describe_words(Tokens.of(text, last), is_end, tags)
    views = []
    for number in range(int(np.clip(MAX_ROWS // max(len(last), 1), 1, VIEWS))):
        joined, joined_labels = join_paragraphs(text, labels, seed + number)
        cased = with_noisy_paragraphs(joined, case_noise, seed + number)
        tokens = Tokens.of(cased, np.flatnonzero(joined_labels))
        lined = replace(tokens, gap=with_lines(tokens.gap, is_end, seed + number))
        views.append(features_of(lined, labels_by_rule(cased), words, columns))
    gold = np.tile(is_end.astype(np.int32), len(views))
    return BoundaryData(words, decide_ends(np.concatenate(views)), gold)


def boundary_stage(data: BoundaryData, settings: Learning) -> Stage[AveragedCells]:
    """Train the weights of a boundary model."""
    examples = [(data.decisions, data.gold)]
    return classifier_stage("boundaries", LABELS, examples, settings, ROWS_PER_STEP, size=len(data.gold))


def describe_words(tokens: Tokens, is_end: NDArray[np.bool_], tags: Sequence[str]) -> tuple[WordTable, Places]:
    """Describe the words of a treebank, and each token by the first columns without its own occurrence."""
    spelled = _spelling(tokens)
    is_capital = spelled["first"] == _CAPITAL
    is_start = np.append(True, is_end[:-1])[: len(is_end)]
    # The rows are occurrences: all, in lower case, with a capital inside a sentence, at its start, at its end.
    occurrences = np.stack(
        [np.ones_like(is_end), ~is_capital, is_capital & ~is_start, is_start, is_end], dtype=np.int64
    )
    forms, word_of = np.unique(keys_of(np.asarray(spelled["form"], dtype=np.uint64)), return_inverse=True)
    counts = np.stack([np.bincount(word_of[row == 1], minlength=len(forms)) for row in occurrences])
    return word_table(forms, counts, word_of, tags), buckets_of(counts[:, word_of] - occurrences)


def buckets_of(counts: Places) -> Places:
    """Return the first four columns of a WordTable from the counts of `describe_words`."""
    total, lower, capital_inside, start, end = counts
    inside = lower + capital_inside
    columns = [
        np.digitize(lower, _COUNTS),
        np.where(inside > 0, 1 + np.digitize(capital_inside / np.maximum(inside, 1), _CAPITAL_SHARES), 0),
        np.where(total > 0, 1 + np.digitize(start / np.maximum(total, 1), _EDGE_SHARES), 0),
        np.where(total > 0, 1 + np.digitize(end / np.maximum(total, 1), _EDGE_SHARES), 0),
    ]
    return np.stack(columns, axis=1)


def word_table(forms: NDArray[np.uint32], counts: Places, word_of: Places, tags: Sequence[str]) -> WordTable:
    """Return the words that occur at least MIN_COUNT times; word_of: the word of each token, tags: its tag."""
    tag_counts: list[Counter[str]] = [Counter() for _ in forms]
    for word, tag in zip(word_of.tolist(), tags, strict=True):
        tag_counts[word][tag] += 1
    frequent = [_frequent_tags(seen) for seen in tag_counts]
    numbered = [_number([tag for tag, _ in frequent]), _number([tags for _, tags in frequent])]
    total = counts[0]
    rows = np.column_stack([buckets_of(counts), *numbered, total >= COMMON_COUNT]).astype(np.uint16)
    return WordTable(forms[total >= MIN_COUNT], rows[total >= MIN_COUNT])


def _frequent_tags(counts: Counter[str]) -> tuple[str, str]:
    """Return the most frequent tag, and all tags that a tenth of the occurrences have."""
    tags = sorted(counts, key=lambda tag: (-counts[tag], tag))
    return tags[0], " ".join(sorted(tag for tag in tags if 10 * counts[tag] >= counts.total()))


def _number(values: Sequence[str]) -> list[int]:
    """Number the values in alphabetical order, after the numbers of unknown words."""
    numbers = {value: number for number, value in enumerate(sorted(set(values)), start=_UNKNOWN_TAGS)}
    return [numbers[value] for value in values]


def with_lines(gap: Places, is_end: NDArray[np.bool_], seed: int) -> Places:
    """Add line breaks to what follows the tokens: treebanks have none, but lists and verses do.

    In some paragraphs a line ends after each sentence and sometimes inside one.
    """
    random = Random(seed)
    lined = np.array(gap)
    has_lines = random.random() < LINE_SHARE
    for number, (space, end) in enumerate(zip(gap.tolist(), is_end.tolist(), strict=True)):
        if space == PARAGRAPH_END:
            has_lines = random.random() < LINE_SHARE
        elif space == BLANK and has_lines and (end or random.random() < BREAK_SHARE):
            lined[number] = LINE
    return lined


def join_paragraphs(text: str, labels: Labels, seed: int) -> tuple[str, Labels]:
    """Replace some blank lines of a canonical text by blanks, and return it with its labels.

    Headings and greetings without a full stop are paragraphs in most treebanks; in other text a sentence follows them.
    """
    paragraphs = text.split(PARAGRAPH)[:-1]
    is_joined = np.random.default_rng(seed).random(len(paragraphs) - 1) < JOIN_SHARE
    begins = np.cumsum([len(paragraph) + len(PARAGRAPH) for paragraph in paragraphs[:-1]], dtype=np.int64)
    kept = np.ones(len(text), dtype=np.bool_)
    kept[begins[is_joined] - 1] = False
    separators = [" " if joined else PARAGRAPH for joined in is_joined.tolist()]
    pieces = zip(paragraphs, [*separators, PARAGRAPH], strict=True)
    return "".join(paragraph + separator for paragraph, separator in pieces), labels[kept]
