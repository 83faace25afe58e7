"""Tokens where spaces do not separate them: a sequence model over characters (Chinese, Japanese, Thai), or over
syllables that spaces separate (Vietnamese).

Each unit begins, continues or ends a token, or is one alone; a trigram model (core/text/tagger.hpp) chooses the best
sequence. Its features are the units around, their kinds, and the vocabulary of the treebank: the longest tokens that
begin, end or go on here, and how often each short sequence of units is a token where it occurs. In training, each token
is described by the other ones (leave-one-out), as tokens of new text are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from treewright._core import TagModel, template_features
from treewright.caching import cached_property
from treewright.learn import AveragedCells, Learning, Stage, Weights
from treewright.tokeniser.character_model import Batch, read_batches
from treewright.tokeniser.characters import (
    MARK,
    SPACE,
    Codes,
    Hashes,
    Layout,
    Substrings,
    class_of,
    classes_of,
    codes_of,
    compile_templates,
    lower_letters,
)
from treewright.tokeniser.classifier import Decisions, kernel_of
from treewright.tokeniser.counts import Counts
from treewright.tokeniser.text import INSIDE, TOKEN, Labels, Places, token_begins

POSITIONS = ("begin", "middle", "end", "single")  # of a unit in its token
BEGIN, MIDDLE, END, SINGLE = range(4)
MIN_UNSPACED_SHARE = 0.3  # of the tokens end between two letters where a text has no spaces; not tuned
# Tokens with a space inside, where a model decides whether spaces separate tokens: of Lithuanian-ALKSNIS 0.0097, F1 of
# tokens in development text 99.50 with the model and 98.54 without; of French-Sequoia (numbers) 0.0008, 99.54, 99.34.
MIN_SPACED_SHARE = 0.0005
MAX_TOKEN = 10  # units of a token that is looked up; not tuned
SUBSTRINGS = range(1, 5)  # units of substrings that are counted; not tuned
MIN_SEQUENCE = 30  # units that are decoded together, up to the next mark or space; not tuned
_SHARES = (1e-9, 0.1, 0.3, 0.6, 0.9)  # limits of the buckets of shares; not tuned
_COUNTS = (1, 2, 5)  # lower limits of the buckets of counts; not tuned
_FIRST_MARK = class_of("†")  # the classes of punctuation and symbols are the highest
_LETTERS = [class_of("A"), class_of("a"), class_of("好"), MARK]

ATOMS = (
    "char",  # the unit in lower case: its code point, or its hash
    "class",  # of the first character
    "begins",  # the length of the longest known token that begins here
    "ends",  # that ends here
    "covers",  # that has this unit
    *(f"from{length}" for length in SUBSTRINGS),  # how often the next units are a token: share and count
    *(f"upto{length}" for length in SUBSTRINGS),  # how often the last units are a token
)
# The place of a template and the order of its atoms enter the hash: a change needs a new FORMAT of the tokeniser.
TEMPLATES = (
    *("-3.char", "-2.char", "-1.char", "0.char", "1.char", "2.char", "3.char"),
    *("-3.char -2.char", "-2.char -1.char", "-1.char 0.char", "0.char 1.char", "1.char 2.char", "2.char 3.char"),
    *("-1.char 1.char", "-2.char 0.char", "0.char 2.char"),
    *("-2.char -1.char 0.char", "-1.char 0.char 1.char", "0.char 1.char 2.char"),
    *("-1.char 0.char 1.char 2.char", "-2.char -1.char 0.char 1.char"),
    *("-3.char -2.char -1.char 0.char", "0.char 1.char 2.char 3.char"),
    *("0.class", "0.class 1.class", "-1.class 0.class 1.class", "-2.class -1.class 0.class 1.class 2.class"),
    *("0.begins", "0.ends", "0.covers", "1.begins", "-1.ends", "2.begins", "-2.ends"),
    *("0.begins 0.ends", "0.ends 1.begins", "-1.ends 0.begins", "0.begins 0.ends 0.covers"),
    *("0.char 0.begins", "0.char 0.ends", "0.char 0.covers"),
    *("0.begins 0.ends -1.ends 1.begins", "0.ends 1.begins 0.covers 1.covers"),
    *("0.from1", "0.from2", "0.from3", "0.from4", "0.upto2", "0.upto3", "0.upto4"),
    *("0.from2 0.from3 0.from4", "0.upto2 0.upto3 0.upto4", "0.from1 0.from2 0.upto2", "0.from2 0.upto2"),
    *("1.from2 0.upto2", "1.from1 0.upto1", "1.from2 0.upto2 0.from2 -1.from2", "-1.from2 0.from2 1.from2"),
    *("0.from2 0.from3 0.upto2 0.upto3 0.from1", "-1.from2 -1.from3 0.from2 0.from3 1.from2 1.from3"),
)
_ITEMS = compile_templates(TEMPLATES, ATOMS)
_CHARACTER = TEMPLATES.index("0.char")  # is combined with the position of the previous unit


def is_unspaced(text: str, labels: Labels) -> bool:
    """Whether many tokens of a canonical text end between two letters.

    >>> is_unspaced("我们走", np.array([0, 1, 2])), is_unspaced("we go", np.array([0, 1, 0, 0, 2]))
    (True, False)
    """
    is_letter = np.isin(classes_of(text), _LETTERS)
    between = is_letter & np.append(is_letter[1:], False)[: len(text)]
    ends = labels != INSIDE
    return bool((ends & between).sum() > MIN_UNSPACED_SHARE * ends.sum())


def has_spaced_tokens(text: str, labels: Labels) -> bool:
    """Whether many tokens of a canonical text have a space inside.

    >>> has_spaced_tokens("học sinh", np.array([0, 0, 0, 0, 0, 0, 0, 2])), has_spaced_tokens("a b", np.array([1, 0, 2]))
    (True, False)
    """
    is_inner = (classes_of(text)[1:] == SPACE) & (labels[:-1] == INSIDE) & (classes_of(text)[:-1] != SPACE)
    return bool(is_inner.sum() > MIN_SPACED_SHARE * (labels != INSIDE).sum())


def cut_at_spaces(text: str, labels: Labels) -> Labels:
    """Return labels in which a token ends before each space as well.

    >>> cut_at_spaces("a b", np.array([0, 0, 2])).tolist()
    [1, 0, 2]
    """
    classes = classes_of(text)
    before_space = np.append(classes[1:] == SPACE, False)[: len(text)] & (classes != SPACE)
    return np.where(before_space, np.maximum(labels, TOKEN), labels)


@dataclass(frozen=True)
class Units:
    """The units of a batch, and those of them that belong to tokens, in the same order."""

    codes: Codes
    classes: NDArray[np.uint64]
    lengths: list[int]  # units of each piece of the batch
    rows: Places  # the units that belong to tokens
    last: NDArray[np.bool_]  # of these: whether a token must end here
    places: Places  # of these: the last character

    @classmethod
    def of(cls, batch: Batch, ends: Places | None) -> Units:
        """Return the characters of a batch, or the parts of the text that have these last characters."""
        text, final = batch.text, np.cumsum(batch.lengths) - 1
        codes, classes = lower_codes(text), classes_of(text)
        if ends is None:
            rows = np.flatnonzero(classes != SPACE)
            last = np.append(np.diff(rows) > 1, True)[: len(rows)] | np.isin(rows, final)
            return cls(codes, classes, batch.lengths, rows, last, rows)
        begins = token_begins(np.flatnonzero(classes != SPACE), ends + 1)
        counts = np.diff(np.searchsorted(ends, np.append(-1, final), side="right"))
        last = np.isin(np.arange(len(ends)), np.cumsum(counts) - 1)
        last |= np.append(codes_of(text), ord("\n"))[ends + 1] == ord("\n")
        hashes = Substrings(codes).of(begins, ends + 1)
        return cls(hashes, classes[begins], counts.tolist(), np.arange(len(ends)), last, ends)

    def spans(self, is_end: NDArray[np.bool_]) -> tuple[Places, Places]:
        """Return the first unit of each token and the one after its last; is_end: of each of `rows`."""
        ends = self.rows[is_end] + 1
        return token_begins(self.rows, ends), ends


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of a treebank, and how often its substrings occur."""

    tokens: Counts
    substrings: Counts

    @classmethod
    def of(cls, parts: Iterable[tuple[Units, NDArray[np.bool_]]]) -> Vocabulary:
        """Count the tokens of several batches, and the substrings that occur twice or more."""
        tokens: list[Hashes] = []
        substrings: list[Hashes] = []
        for units, is_end in parts:
            hashes = Substrings(units.codes)
            begins, ends = units.spans(is_end)
            short = ends - begins <= MAX_TOKEN
            tokens.append(hashes.of(begins[short], ends[short]))
            for length in SUBSTRINGS:
                at = np.arange(max(len(units.codes) - length + 1, 0))
                substrings.append(hashes.of(at, at + length))
        return cls(Counts.of(np.concatenate(tokens)), Counts.of(np.concatenate(substrings), 2))

    def atoms(self, codes: Codes, own: tuple[Places, Places] | None) -> dict[str, NDArray[np.int64]]:
        """Describe each place by the tokens and substrings around; own: the tokens of the text, in training."""
        n = len(codes)
        hashes = Substrings(codes)
        longest = {name: np.ones(n, dtype=np.int64) for name in ("begins", "ends", "covers")}
        values: dict[str, NDArray[np.int64]] = {}
        for length in range(1, MAX_TOKEN + 1):
            at = np.arange(max(n - length + 1, 0))
            strings = hashes.of(at, at + length)
            tokens = self.tokens.look_up(strings)
            if own is not None:
                tokens[own[0][own[1] - own[0] == length]] -= 1
            if length > 1:
                known = at[tokens > 0]
                longest["begins"][known] = longest["ends"][known + length - 1] = length
                for offset in range(length):
                    longest["covers"][known + offset] = length
            if length in SUBSTRINGS:
                bucket = self.buckets(strings, tokens, own is not None)
                missing = np.zeros(n - len(at), dtype=np.int64)
                values[f"from{length}"] = np.append(bucket, missing)
                values[f"upto{length}"] = np.append(missing, bucket)
        return {**longest, **values}

    def buckets(self, strings: Hashes, tokens: NDArray[np.int64], is_training: bool) -> NDArray[np.int64]:
        """Return the share of the occurrences of each substring that are tokens and their number, in buckets."""
        occurrences = self.substrings.look_up(strings) - is_training
        share = np.digitize(tokens / np.maximum(occurrences, 1), _SHARES)
        share[occurrences <= 0] = len(_SHARES) + 1
        return np.asarray(1 + share * (len(_COUNTS) + 1) + np.digitize(tokens, _COUNTS))


def lower_codes(text: str) -> Codes:
    """Return the code points of a text in lower case; all white space is a blank."""
    codes = codes_of(lower_letters(text))
    codes[classes_of(text) == SPACE] = ord(" ")
    return codes


@dataclass(frozen=True)
class Sequences:
    """The units of a batch with the positions that each may have, divided into sequences."""

    units: Units
    decisions: Decisions
    limits: list[int]  # of the sequences among the rows

    @classmethod
    def of(cls, units: Units, vocabulary: Vocabulary, is_end: NDArray[np.bool_] | None = None) -> Sequences:
        """Describe the units of a batch; is_end: whether a token ends at each, in training."""
        last = units.last
        allowed = np.ones((len(last), len(POSITIONS)), dtype=np.bool_)
        allowed[last, BEGIN] = allowed[last, MIDDLE] = False
        first = np.append(True, last[:-1])[: len(last)]
        allowed[first, MIDDLE] = allowed[first, END] = False
        if is_end is not None:
            allowed[np.arange(len(last)), positions_of(is_end)] = True  # a treebank may have a space in a token
        decisions = Decisions.among(features_of(units, vocabulary, is_end), allowed)
        final = np.isin(units.rows, np.cumsum(units.lengths) - 1)
        breaks = last | (units.classes[units.rows] >= _FIRST_MARK)
        return cls(units, decisions, sequence_limits(breaks, final))

    def steps(self) -> Iterator[slice]:
        """Yield the rows of each sequence."""
        for begin, end in pairwise(self.limits):
            yield slice(begin, end)


def sequence_limits(breaks: NDArray[np.bool_], final: NDArray[np.bool_]) -> list[int]:
    """Cut rows into sequences of at least MIN_SEQUENCE after breaks; none goes on after a final row.

    >>> sequence_limits(np.ones(70, dtype=np.bool_), np.arange(70) == 69)
    [0, 30, 60, 70]
    """
    limits = [0]
    for end in (np.flatnonzero(breaks | final) + 1).tolist():
        if end - limits[-1] >= MIN_SEQUENCE or final[end - 1]:
            limits.append(end)
    return limits if limits[-1] == len(breaks) else [*limits, len(breaks)]


def features_of(units: Units, vocabulary: Vocabulary, is_end: NDArray[np.bool_] | None) -> NDArray[np.uint32]:
    """Return a row of hashed features for each unit that belongs to a token; is_end: in training."""
    layout = Layout.of(units.lengths)
    codes = layout.spread(units.codes)
    codes[layout.gaps] = ord("\n")  # in no token; a code of 0 would not count in hashes
    own = None
    if is_end is not None:
        begins, ends = units.spans(is_end)
        own = layout.places[begins], layout.places[ends - 1] + 1
    values = {"char": codes, "class": layout.spread(units.classes), **vocabulary.atoms(codes, own)}
    table = np.stack([values[atom].astype(np.uint64) for atom in ATOMS])
    return template_features(table, _ITEMS, layout.places[units.rows])


def positions_of(is_end: NDArray[np.bool_]) -> Labels:
    """Return the position of each unit in its token.

    >>> positions_of(np.array([False, False, True, True])).tolist()
    [0, 1, 2, 3]
    """
    is_begin = np.append(True, is_end[:-1])[: len(is_end)]
    return np.select([is_begin & is_end, is_begin, is_end], [SINGLE, BEGIN, END], default=MIDDLE).astype(np.int32)


@dataclass(frozen=True)
class Segmenter:
    """The vocabulary of a treebank, and the weights that cut text into tokens or join its parts."""

    settings: Learning
    joins: bool  # whether it joins the tokens of the character model; otherwise it cuts text at any character
    vocabulary: Vocabulary
    weights: Weights

    @cached_property
    def numbers(self) -> NDArray[np.float32]:
        """The weights as numbers."""
        return np.asarray(self.weights.values * np.float32(self.weights.scale), dtype=np.float32)

    def set_token_ends(self, batch: Batch, labels: Labels) -> None:
        """Find the tokens of a batch and label them; a sentence ends where one did if a token still ends there."""
        ends = self.token_ends(batch, labels)
        kept = np.maximum(labels[ends], TOKEN)
        labels[:] = INSIDE
        labels[ends] = kept

    def token_ends(self, batch: Batch, labels: Labels) -> Places:
        """Find the last characters of the tokens of a batch; labels: of the parts to join."""
        units = Units.of(batch, np.flatnonzero(labels != INSIDE) if self.joins else None)
        sequences = Sequences.of(units, self.vocabulary)
        kernel, table = sequence_kernel(self.settings), sequences.decisions
        is_end = units.last.copy()
        for rows in sequences.steps():
            positions, _, _ = kernel.decode(
                table.features, table.begin, table.pool, table.rows[rows], self.numbers, None, False
            )
            is_end[rows] = positions >= END
        return np.asarray(units.places[is_end])


def sequence_kernel(settings: Learning) -> TagModel:
    """Return the kernel that chooses the best sequence of positions."""
    return kernel_of(POSITIONS, len(TEMPLATES), settings, word_feature=_CHARACTER)


def segment_stage(
    text: str, labels: Labels, settings: Learning, *, joins: bool
) -> tuple[Segmenter, Stage[AveragedCells]]:
    """Count the vocabulary of a canonical text with labels, and train the weights; joins: see `Segmenter`."""
    kernel = sequence_kernel(settings)
    parts = [unit_ends(batch, labels[batch.span], joins) for batch in read_batches(text)]
    vocabulary = Vocabulary.of(parts)
    steps: list[tuple[Decisions, NDArray[np.int32], Labels]] = []
    for units, is_end in parts:
        sequences = Sequences.of(units, vocabulary, is_end)
        decisions, positions = sequences.decisions, positions_of(is_end)
        steps += [(decisions, decisions.rows[rows], positions[rows]) for rows in sequences.steps()]

    def learn(learner: AveragedCells, number: int) -> float:
        table, rows, positions = steps[number]
        return kernel.learn(
            *(table.features, table.begin, table.pool, rows, positions),
            *(learner.cells, learner.next_step(), settings.rate, settings.adagrad_epsilon, settings.margin),
        )

    untrained = Segmenter(settings, joins, vocabulary, Weights.zeros(settings.bits))
    return untrained, settings.stage("segments", learn, range(len(steps)), len(text))


def unit_ends(batch: Batch, labels: Labels, joins: bool) -> tuple[Units, NDArray[np.bool_]]:
    """Return the units of a batch with gold labels, and whether a token ends at each."""
    units = Units.of(batch, np.flatnonzero(cut_at_spaces(batch.text, labels) != INSIDE) if joins else None)
    return units, labels[units.places] != INSIDE
