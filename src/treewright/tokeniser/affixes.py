"""Multiword tokens of unseen form: which of their first and last characters are words of their own.

A token is read as words before a stem, the stem, and words after it: Hebrew `ובבית` is `ו ב בית`, Portuguese `nesses`
is `em esses`. The multiword tokens of a treebank give the affixes, with the words that they stand for and the
characters that the stem has in their place. All readings of a token by these affixes are candidates. A log-linear model
chooses, by the affixes, the first and last characters of stem and token, and whether the stem occurs in other tokens.
In training, each form is described as if it were unseen: its own contribution to the stems is subtracted
(leave-one-out).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright._core import template_features
from treewright.caching import cached_property
from treewright.learn import AveragedCells, Learning, Stage, Weights
from treewright.learn.hashing import hashed
from treewright.tokeniser.characters import Codes, Hashes, Substrings, codes_of, compile_templates
from treewright.tokeniser.classifier import Decisions, classifier_stage
from treewright.tokeniser.counts import Counts
from treewright.tokeniser.multiwords import Multiwords, Words, cased_words
from treewright.tokeniser.text import Labels, Places

# Multiword forms, and the share of them that suffix rules split: English-EWT 446, 0.88, where a model finds the same
# words in development data; Turkish-IMST 786, 0.34; Portuguese-Bosque 603, 0; Wolof-WTB 88, 0, where it finds more.
MIN_MULTIWORD_FORMS = 50
MIN_RULE_SHARE = 0.8
MIN_AFFIX_FORMS = 2  # different multiword forms with an affix; not tuned
MAX_CANDIDATES = 64  # of a token; the first ones, which have the shortest affixes
FORMS_PER_STEP = 4  # token forms of one update; not tuned
AFFIX_LENGTHS = range(1, 5)  # of the atoms `start`, `end`, `token_start` and `token_end`; not tuned
RELATED_LENGTHS = range(3, 11)  # characters that a stem shares with another one; not tuned
MAX_LENGTH = 8  # of the atom `length`; not tuned
_COUNTS = (1, 2, 4)  # lower limits of the buckets of the atom `affixed`; not tuned

ATOMS = (
    "prefix",
    "suffix",
    "split",  # whether there is a prefix, and a suffix
    "words",  # before and after the stem
    "length",  # of the stem
    "alone",  # whether the stem is a token of the treebank
    "affixed",  # with how many affixes the stem occurs, in buckets
    "known",  # both of them, as whether or not
    "related",  # how many characters of the stem are not shared with the start of another stem, up to three
    "stem",
    *(f"start{length}" for length in AFFIX_LENGTHS),
    *(f"end{length}" for length in AFFIX_LENGTHS),
    *(f"token_start{length}" for length in AFFIX_LENGTHS),
    *(f"token_end{length}" for length in AFFIX_LENGTHS),
)
# The place of a template and the order of its atoms enter the hash: a change needs a new FORMAT of the tokeniser.
TEMPLATES = (
    *("prefix", "suffix", "prefix suffix", "words", "length split", "length prefix", "length suffix", "stem"),
    *("alone split", "affixed split", "known", "known prefix", "known suffix"),
    *("related length", "related prefix", "related suffix"),
    *chain.from_iterable((f"start{length} prefix", f"end{length} suffix") for length in AFFIX_LENGTHS),
    *chain.from_iterable((f"end{length} prefix", f"start{length} suffix") for length in AFFIX_LENGTHS[:3]),
    *chain.from_iterable((f"start{length}", f"end{length}") for length in AFFIX_LENGTHS[:3]),
    *chain.from_iterable((f"token_start{length} prefix", f"token_end{length} suffix") for length in AFFIX_LENGTHS),
)
_ITEMS = compile_templates([" ".join(f"0.{atom}" for atom in template.split()) for template in TEMPLATES], ATOMS)


class Affix(NamedTuple):
    """The first or last characters of a token, the words that they stand for, and the stem's characters there."""

    surface: str
    words: Words = ()
    stem: str = ""


NO_AFFIX = Affix("")
Reading = tuple[Affix, Affix]  # prefix and suffix
UNSPLIT = (NO_AFFIX, NO_AFFIX)


def reading_of(form: str, words: Words) -> Reading:
    """Find the affixes of a token; the stem is the word that has the longest part in common with the token.

    >>> reading_of("nesses", ("em", "esses"))
    (Affix(surface='n', words=('em',), stem=''), Affix(surface='', words=(), stem=''))
    >>> reading_of("dámelo", ("da", "me", "lo"))
    (Affix(surface='dá', words=('da',), stem=''), Affix(surface='lo', words=('lo',), stem=''))
    """
    if words == (form,):
        return UNSPLIT
    matches = [SequenceMatcher(None, form, word, autojunk=False).find_longest_match() for word in words]
    place, (begin, start, size) = max(enumerate(matches), key=lambda match: match[1].size)
    prefix = Affix(form[:begin], words[:place], words[place][:start])
    return prefix, Affix(form[begin + size :], words[place + 1 :], words[place][start + size :])


def stem_of(form: str, reading: Reading) -> str:
    """Return the stem of a token.

    >>> stem_of("nesses", (Affix("n", ("em",)), NO_AFFIX))
    'esses'
    """
    prefix, suffix = reading
    return prefix.stem + form[len(prefix.surface) : len(form) - len(suffix.surface)] + suffix.stem


@dataclass(frozen=True)
class AffixTable:
    """The affixes of a treebank."""

    prefixes: tuple[Affix, ...]
    suffixes: tuple[Affix, ...]

    @classmethod
    def of(cls, readings: Iterable[Reading]) -> AffixTable:
        """Collect the affixes of several forms."""
        counts = [Counter(affixes) for affixes in zip(*readings, strict=True)]
        return cls(*(tuple(sorted(a for a in count if count[a] >= MIN_AFFIX_FORMS)) for count in counts))

    @cached_property
    def by_surface(self) -> tuple[dict[str, list[Affix]], dict[str, list[Affix]]]:
        """Prefixes and suffixes by their characters in tokens."""
        tables: tuple[dict[str, list[Affix]], ...] = ({}, {})
        for table, affixes in zip(tables, (self.prefixes, self.suffixes), strict=True):
            for affix in affixes:
                table.setdefault(affix.surface, []).append(affix)
        return tables[0], tables[1]

    def readings(self, form: str) -> list[Reading]:
        """List the readings of a token, the unsplit one first.

        >>> table = AffixTable((NO_AFFIX, Affix("n", ("em",))), (NO_AFFIX,))
        >>> [stem_of("nada", reading) for reading in table.readings("nada")]
        ['nada', 'ada']
        """
        before, after = self.by_surface
        prefixes = [prefix for length in range(len(form)) for prefix in before.get(form[:length], ())]
        suffixes = [suffix for length in range(len(form)) for suffix in after.get(form[len(form) - length :], ())]
        readings = [
            (prefix, suffix)
            for prefix in prefixes
            for suffix in suffixes
            if len(prefix.surface) + len(suffix.surface) < len(form) and (prefix, suffix) != UNSPLIT
        ]
        return [UNSPLIT, *readings][:MAX_CANDIDATES]


class Strings:
    """Hashes of the starts and ends of several strings."""

    def __init__(self, strings: Sequence[str]) -> None:
        self.lengths = np.array(list(map(len, strings)), dtype=np.int64)
        self.ends = np.cumsum(self.lengths)
        self.begins = self.ends - self.lengths
        codes: Codes = codes_of("".join(strings))
        self.substrings = Substrings(codes)

    def whole(self) -> Hashes:
        """Return the hashes of the strings."""
        return self.substrings.of(self.begins, self.ends)

    def starts(self, length: int) -> Hashes:
        """Return the hashes of the first characters; a shorter string is taken whole."""
        return self.substrings.of(self.begins, np.minimum(self.begins + length, self.ends))

    def tails(self, length: int) -> Hashes:
        """Return the hashes of the last characters."""
        return self.substrings.of(np.maximum(self.ends - length, self.begins), self.ends)


COUNTS = ("alone", "affixed", "related")


@dataclass(frozen=True)
class StemTable:
    """The stems of a treebank, counted by token forms."""

    alone: Counts  # forms that are not split
    affixed: Counts  # stems of forms that are split
    related: Counts  # starts of all stems

    @classmethod
    def of(cls, readings: Mapping[str, Reading]) -> StemTable:
        """Count the stems of the forms of a treebank."""
        stems = Strings([stem_of(form, reading) for form, reading in readings.items()])
        is_alone = np.array([reading == UNSPLIT for reading in readings.values()], dtype=np.bool_)
        starts = [stems.starts(length)[stems.lengths >= length] for length in RELATED_LENGTHS]
        hashes = stems.whole()
        return cls(Counts.of(hashes[is_alone]), Counts.of(hashes[~is_alone]), Counts.of(np.concatenate(starts)))


@dataclass(frozen=True)
class Candidates:
    """All readings of several forms: those of form i are readings[begin[i] : begin[i + 1]]."""

    forms: Sequence[str]
    readings: list[Reading]
    begin: Places

    @classmethod
    def of(cls, table: AffixTable, forms: Sequence[str]) -> Candidates:
        """List the readings of each form."""
        readings = [table.readings(form) for form in forms]
        begin = np.cumsum([0, *map(len, readings)])
        return cls(forms, list(chain.from_iterable(readings)), begin)

    def features(self, stems: StemTable, gold: Sequence[Reading] | None = None) -> NDArray[np.uint32]:
        """Return a row of hashed features for each reading; gold: the readings of the forms, in training."""
        owner = np.repeat(np.arange(len(self.forms)), np.diff(self.begin))
        tokens = Strings([self.forms[number] for number in owner.tolist()])
        strings = [stem_of(self.forms[at], reading) for at, reading in zip(owner.tolist(), self.readings, strict=True)]
        stem = Strings(strings)
        own = None if gold is None else Own.of(self.forms, gold, owner)
        alone, affixed, related = count_stems(stem, stems, own)
        prefix, suffix = (np.array(list(map(hash_of_affix, side))) for side in zip(*self.readings, strict=True))
        no_affix = hash_of_affix(NO_AFFIX)
        values = {
            "prefix": prefix,
            "suffix": suffix,
            "split": (prefix != no_affix) + 2 * (suffix != no_affix),
            "words": np.array([len(before.words) * 16 + len(after.words) for before, after in self.readings]),
            "length": np.minimum(stem.lengths, MAX_LENGTH),
            "alone": alone > 0,
            "affixed": np.digitize(affixed, _COUNTS),
            "known": (alone > 0) + 2 * (affixed > 0),
            "related": np.where(related > 0, np.minimum(stem.lengths - related, 3) + 1, 0),
            "stem": stem.whole(),
        }
        for length in AFFIX_LENGTHS:
            values[f"start{length}"], values[f"end{length}"] = stem.starts(length), stem.tails(length)
            values[f"token_start{length}"], values[f"token_end{length}"] = tokens.starts(length), tokens.tails(length)
        table = np.stack([values[atom].astype(np.uint64) for atom in ATOMS])
        return template_features(table, _ITEMS, np.arange(len(self.readings), dtype=np.int64))

    def decisions(self, features: NDArray[np.uint32]) -> Decisions:
        """Decide between the readings of each form."""
        return Decisions.between(np.diff(self.begin).astype(np.int32), features)


@dataclass(frozen=True)
class Own:
    """What the form of each candidate contributed to the stems, to leave it out in training."""

    is_alone: NDArray[np.bool_]
    stems: Strings

    @classmethod
    def of(cls, forms: Sequence[str], gold: Sequence[Reading], owner: Places) -> Own:
        """Return the contribution of each form to each of its candidates."""
        stems = [stem_of(form, reading) for form, reading in zip(forms, gold, strict=True)]
        is_alone = np.array([reading == UNSPLIT for reading in gold], dtype=np.bool_)
        return cls(is_alone[owner], Strings([stems[number] for number in owner.tolist()]))


def count_stems(
    stem: Strings, stems: StemTable, own: Own | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count the forms with each stem, unsplit and split, and find how many characters it shares with another one."""
    hashes = stem.whole()
    alone, affixed = stems.alone.look_up(hashes), stems.affixed.look_up(hashes)
    if own:
        is_own = own.stems.whole() == hashes
        alone, affixed = alone - (is_own & own.is_alone), affixed - (is_own & ~own.is_alone)
    related = np.zeros(len(hashes), dtype=np.int64)
    for length in RELATED_LENGTHS:
        starts = stem.starts(length)
        counts = stems.related.look_up(starts)
        if own:
            counts -= (own.stems.starts(length) == starts) & (own.stems.lengths >= length)
        related[(counts > 0) & (stem.lengths >= length)] = length
    return alone, affixed, related


def hash_of_affix(affix: Affix) -> int:
    """Return a hash of an affix."""
    return hashed("\t".join([affix.surface, affix.stem, *affix.words]))


@dataclass(frozen=True)
class AffixModel:
    """The affixes and stems of a treebank, and the weights that choose between readings."""

    settings: Learning
    affixes: AffixTable
    stems: StemTable
    weights: Weights

    @cached_property
    def numbers(self) -> NDArray[np.float32]:
        """The weights as numbers."""
        return np.asarray(self.weights.values * np.float32(self.weights.scale), dtype=np.float32)

    def split(self, forms: Sequence[str]) -> list[Words]:
        """Split forms in canonical spelling and lower case; a form that is one word in the treebank stays."""
        words: list[Words] = [(form,) for form in forms]
        unseen = np.flatnonzero(self.stems.alone.look_up(Strings(forms).whole()) == 0).tolist()
        if unseen:
            candidates = Candidates.of(self.affixes, [forms[number] for number in unseen])
            decisions = candidates.decisions(candidates.features(self.stems))
            chosen, _ = decisions.classify(READINGS, self.settings, self.numbers)
            for number, at in zip(unseen, (candidates.begin[:-1] + chosen).tolist(), strict=True):
                prefix, suffix = reading = candidates.readings[at]
                words[number] = (*prefix.words, stem_of(forms[number], reading), *suffix.words)
        return words


READINGS = ("reading",) * MAX_CANDIDATES  # candidates differ by their features alone


def needs_affixes(words_of: Mapping[str, Words], rules: Multiwords) -> bool:
    """Whether a treebank has many multiword forms, and the rules for their suffixes split too few of them.

    >>> needs_affixes({"du": ("de", "le")}, Multiwords())
    False
    """
    multiword = {form: words for form, words in words_of.items() if len(words) > 1}
    unlisted = Multiwords({}, rules.suffixes)
    right = sum(cased_words(form, words) == unlisted.words(form) for form, words in multiword.items())
    return len(multiword) >= MIN_MULTIWORD_FORMS and right < MIN_RULE_SHARE * len(multiword)


def affix_stage(words_of: Mapping[str, Words], settings: Learning) -> tuple[AffixModel, Stage[AveragedCells]]:
    """Collect affixes and stems from the forms of a treebank with their words, and train the weights."""
    readings = {form: reading_of(form, words) for form, words in words_of.items()}
    affixes, stems = AffixTable.of(readings.values()), StemTable.of(readings)
    listed = {form: affixes.readings(form) for form in readings}
    learnable = [form for form in readings if readings[form] in listed[form] and len(listed[form]) > 1]
    labels: Labels = np.array([listed[form].index(readings[form]) for form in learnable], dtype=np.int32)
    candidates = Candidates.of(affixes, learnable)
    features = candidates.features(stems, [readings[form] for form in learnable])
    data = [(candidates.decisions(features), labels)]
    untrained = AffixModel(settings, affixes, stems, Weights.zeros(settings.bits))
    return untrained, classifier_stage("multiwords", READINGS, data, settings, FORMS_PER_STEP, size=len(labels))
