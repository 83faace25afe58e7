"""Tokens of text without spaces between words (Chinese, Japanese, Thai): a sequence model over characters.

Each character begins, continues or ends a token, or is one alone; a trigram model (core/text/tagger.hpp) chooses the
best sequence. Its features are the characters around, their kinds, and the vocabulary of the treebank: the longest
tokens that begin, end or go on here, and how often each short substring is a token where it occurs. In training, each
token is described by the other ones (leave-one-out), as tokens of new text are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright._core import TagModel
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
    combine_atoms,
    compile_template,
    lower_letters,
)
from treewright.tokeniser.classifier import Decisions, kernel_of
from treewright.tokeniser.counts import Counts
from treewright.tokeniser.text import INSIDE, TOKEN, Labels, Places, token_begins

POSITIONS = ("begin", "middle", "end", "single")  # of a character in its token
BEGIN, MIDDLE, END, SINGLE = range(4)
MIN_UNSPACED_SHARE = 0.3  # of the tokens end between two letters where a text has no spaces; not tuned
MAX_TOKEN = 10  # characters of a token that is looked up; not tuned
SUBSTRINGS = range(1, 5)  # characters of substrings that are counted; not tuned
MIN_SEQUENCE = 30  # characters that are decoded together, up to the next mark or space; not tuned
_SHARES = (1e-9, 0.1, 0.3, 0.6, 0.9)  # limits of the buckets of shares; not tuned
_COUNTS = (1, 2, 5)  # lower limits of the buckets of counts; not tuned
_FIRST_MARK = class_of("†")  # the classes of punctuation and symbols are the highest
_LETTERS = [class_of("A"), class_of("a"), class_of("好"), MARK]

ATOMS = (
    "char",  # in lower case
    "class",
    "begins",  # the length of the longest known token that begins here
    "ends",  # that ends here
    "covers",  # that has this character
    *(f"from{length}" for length in SUBSTRINGS),  # how often the next characters are a token: share and count
    *(f"upto{length}" for length in SUBSTRINGS),  # how often the last characters are a token
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
_TEMPLATES = tuple(compile_template(template, ATOMS) for template in TEMPLATES)
_CHARACTER = TEMPLATES.index("0.char")  # is combined with the position of the previous character


def is_unspaced(text: str, labels: Labels) -> bool:
    """Whether many tokens of a canonical text end between two letters.

    >>> is_unspaced("我们走", np.array([0, 1, 2])), is_unspaced("we go", np.array([0, 1, 0, 0, 2]))
    (True, False)
    """
    is_letter = np.isin(classes_of(text), _LETTERS)
    between = is_letter & np.append(is_letter[1:], False)[: len(text)]
    ends = labels != INSIDE
    return bool((ends & between).sum() > MIN_UNSPACED_SHARE * ends.sum())


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of a treebank, and how often its substrings occur."""

    tokens: Counts
    substrings: Counts

    @classmethod
    def of(cls, text: str, labels: Labels) -> Vocabulary:
        """Count the tokens of a canonical text by their labels, and the substrings that occur twice or more."""
        hashes = Substrings(lower_codes(text))
        begins, ends = spans_of(text, labels)
        short = ends - begins <= MAX_TOKEN
        places = [np.arange(len(text) - length + 1) for length in SUBSTRINGS]
        substrings = [hashes.of(at, at + length) for at, length in zip(places, SUBSTRINGS, strict=True)]
        return cls(Counts.of(hashes.of(begins[short], ends[short])), Counts.of(np.concatenate(substrings), 2))

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


def spans_of(text: str, labels: Labels) -> tuple[Places, Places]:
    """Return where the tokens of a text begin and end."""
    ends = np.flatnonzero(labels != INSIDE) + 1
    return token_begins(np.flatnonzero(classes_of(text) != SPACE), ends), ends


@dataclass(frozen=True)
class Sequences:
    """The visible characters of a batch with the positions that each may have, divided into sequences."""

    places: Places
    decisions: Decisions
    limits: list[int]  # of the sequences among the rows

    @classmethod
    def of(cls, batch: Batch, vocabulary: Vocabulary, gold: Labels | None = None) -> Sequences:
        """Describe the characters of a batch; gold: their labels, in training."""
        classes = classes_of(batch.text)
        places = np.flatnonzero(classes != SPACE)
        final = np.isin(places, np.cumsum(batch.lengths) - 1)
        last = np.append(np.diff(places) > 1, True)[: len(places)] | final  # white space or nothing follows
        allowed = np.ones((len(places), len(POSITIONS)), dtype=np.bool_)
        allowed[last, BEGIN] = allowed[last, MIDDLE] = False
        first = np.append(True, last[:-1])[: len(places)]
        allowed[first, MIDDLE] = allowed[first, END] = False
        layout = Layout.of(batch.lengths)
        own = None if gold is None else tuple(layout.places[at] for at in spans_of(batch.text, gold))
        decisions = Decisions.among(features_of(batch.text, vocabulary, layout, own, places), allowed)
        breaks = last | (classes[places] >= _FIRST_MARK)
        return cls(places, decisions, sequence_limits(breaks, final))

    def steps(self) -> Iterator[slice]:
        """Yield the rows of each sequence."""
        for begin, end in zip(self.limits[:-1], self.limits[1:], strict=True):
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


def features_of(
    text: str, vocabulary: Vocabulary, layout: Layout, own: tuple[Places, ...] | None, places: Places
) -> NDArray[np.uint32]:
    """Return a row of hashed features for each of these characters."""
    codes = layout.spread(lower_codes(text))
    codes[layout.gaps] = ord("\n")  # in no token; a code of 0 would not count in hashes
    known = vocabulary.atoms(codes, None if own is None else (own[0], own[1]))
    values = {"char": codes, "class": layout.spread(classes_of(text)), **known}
    table = np.stack([values[atom].astype(np.uint64) for atom in ATOMS])
    return combine_atoms(table, _TEMPLATES, layout.places[places])


def positions_of(places: Places, labels: Labels) -> Labels:
    """Return the position of each visible character in its token.

    >>> positions_of(np.arange(4), np.array([0, 0, 1, 2])).tolist()
    [0, 1, 2, 3]
    """
    end = labels[places] != INSIDE
    begin = np.append(True, end[:-1])[: len(end)]
    return np.select([begin & end, begin, end], [SINGLE, BEGIN, END], default=MIDDLE).astype(np.int32)


@dataclass(frozen=True)
class Segmenter:
    """The vocabulary of a treebank, and the weights that cut text into tokens."""

    settings: Learning
    vocabulary: Vocabulary
    weights: Weights

    @cached_property
    def numbers(self) -> NDArray[np.float32]:
        """The weights as numbers."""
        return np.asarray(self.weights.values * np.float32(self.weights.scale), dtype=np.float32)

    def token_ends(self, batch: Batch) -> Places:
        """Find the last characters of the tokens of a batch."""
        sequences = Sequences.of(batch, self.vocabulary)
        kernel, table = sequence_kernel(self.settings), sequences.decisions
        ends = []
        for rows in sequences.steps():
            positions = kernel.decode(
                table.features, table.begin, table.pool, table.rows[rows], self.numbers, None, False
            )[0]
            ends.append(sequences.places[rows][positions >= END])
        return np.concatenate([np.zeros(0, dtype=np.int64), *ends])


def set_token_ends(labels: Labels, ends: Places) -> None:
    """Set the token ends of a text; a sentence ends where one did if a token still ends there."""
    kept = np.maximum(labels[ends], TOKEN)
    labels[:] = INSIDE
    labels[ends] = kept


def sequence_kernel(settings: Learning) -> TagModel:
    """Return the kernel that chooses the best sequence of positions."""
    return kernel_of(POSITIONS, len(TEMPLATES), settings, word_feature=_CHARACTER)


def segment_stage(text: str, labels: Labels, untrained: Segmenter) -> Stage[AveragedCells]:
    """Train the weights of a segmenter on a canonical text and the labels of its characters."""
    settings = untrained.settings
    kernel = sequence_kernel(settings)
    steps: list[tuple[Decisions, NDArray[np.int32], Labels]] = []
    for batch in read_batches(text):
        gold = labels[batch.span]
        sequences = Sequences.of(batch, untrained.vocabulary, gold)
        positions = positions_of(sequences.places, gold)
        decisions = sequences.decisions
        steps += [(decisions, decisions.rows[rows], positions[rows]) for rows in sequences.steps()]

    def learn(learner: AveragedCells, number: int) -> float:
        table, rows, positions = steps[number]
        return kernel.learn(
            *(table.features, table.begin, table.pool, rows, positions),
            *(learner.cells, learner.next_step(), settings.rate, settings.adagrad_epsilon, settings.margin),
        )

    return settings.stage("segments", learn, range(len(steps)), len(text))
