"""Word classes from untagged text, used in place of tags: clusters by the likelihood of a class bigram model.

The objective is that of Brown et al. (1992), the likelihood of a class bigram model

    sum over classes g, h of  f(n(g, h))  -  2 sum over g of  f(n(g))  +  sum over words w of  f(n(w)),   f(n) = n log n

maximised by the exchange algorithm (Kneser & Ney 1993; Martin, Liermann & Ney 1998). At the start each of the most
frequent words has a class of its own and all others are in one more; then each word in turn moves to the class with the
largest gain, until few words move. A sweep costs O(V K (neighbours)) for V words and K classes.

Words that occur less than MIN_COUNT times are clustered by their shape: digits, capital or not, and their ending. When
parsing, unknown words get the class of their shape.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.calls import checked, explained_methods
from treewright.checks import read_plain
from treewright.errors import InputError
from treewright.induce.tagged import PUNCTUATION

MIN_COUNT = 2  # rarer words are represented by their shape; by convention
MAX_ENDING = 3  # letters of an ending in a shape; by convention
MIN_ENDING_TOKENS = 10  # a shape with an ending is used if so many rare words have it; by convention
MIN_MOVED_SHARE = 1e-3  # the search ends when a sweep moves no more of the words; by convention
MAX_FUNCTION_PERPLEXITY = 30.0  # classes whose words have at most this perplexity are function words; chosen on English
SWEEPS = 20  # maximum number of sweeps; by convention

Ints = NDArray[np.int64]


class HasForms(Protocol):
    """The part of a sentence that clustering reads."""

    @property
    def forms(self) -> Sequence[str]: ...


@explained_methods
@dataclass(frozen=True)
class Clusters:
    """The class of each word and of each shape of rare words; names are C01, C02, ... by falling frequency."""

    names: tuple[str, ...]
    classes: dict[str, int]  # of words in lower case, and of shapes such as "<a-ing>"
    spread: tuple[float, ...]  # perplexity of the words of each class
    examples: tuple[tuple[str, ...], ...]  # most frequent words of each class

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Clusters:
        """Clusters from the dictionary that `to_json` returned."""
        return read_plain(saved, cls, "clusters")

    def check_numbers(self) -> None:
        """Refuse numbers of classes that have no name."""
        if not all(0 <= number < len(self.names) for number in (0, *self.classes.values())):
            raise ValueError("clusters.classes has a number that is not that of a class")

    def to_json(self) -> dict[str, Any]:
        """Plain values for the header of a model file; `from_json` is the inverse."""
        return {
            "names": list(self.names),
            "classes": self.classes,
            "spread": list(self.spread),
            "examples": [list(words) for words in self.examples],
        }

    def tags_of(self, sentence: HasForms) -> list[str]:
        """The class of each word of a sentence; a token of nothing but punctuation marks is PUNCT."""
        return [PUNCTUATION if is_punctuation(form) else self.names[self.number(form)] for form in sentence.forms]

    def number(self, form: str) -> int:
        """The number of the class of a form."""
        for key in (form.lower(), *shapes(form)):
            if key in self.classes:
                return self.classes[key]
        return 0

    def function_classes(self) -> tuple[str, ...]:
        """Classes of few words, such as articles and prepositions; they are treated as function words."""
        return tuple(
            name for name, spread in zip(self.names, self.spread, strict=True) if spread <= MAX_FUNCTION_PERPLEXITY
        )


def is_punctuation(form: str) -> bool:
    """
    >>> is_punctuation("..."), is_punctuation("a.m.")
    (True, False)
    """
    return all(unicodedata.category(character).startswith("P") for character in form)


def shapes(form: str) -> list[str]:
    """The shapes of a word, the most specific first.

    >>> shapes("Running"), shapes("1984")
    (['<A-ing>', '<A-ng>', '<A-g>', '<A>'], ['<0>'])
    """
    if any(character.isdigit() for character in form):
        return ["<0>"]
    shape = "A" if form[:1].isupper() else "a"
    endings = [form[-letters:].lower() for letters in range(min(MAX_ENDING, len(form) - 1), 0, -1)]
    return [*(f"<{shape}-{ending}>" for ending in endings), f"<{shape}>"]


@checked
def cluster(
    sentences: Iterable[Sequence[str]],
    classes: int,
    *,
    sweeps: int = SWEEPS,
    report: Callable[[int, float], None] = lambda sweep, value: None,
) -> Clusters:
    """Word classes of sentences given as lists of forms: at most so many classes, found in at most so many sweeps.

    report(sweep, log likelihood a word) is called after each sweep.

    >>> found = cluster([["the", "dog", "barks"], ["the", "cat", "barks"]], 2)
    >>> found.names
    ('C1', 'C2')
    """
    if classes < 2:
        raise InputError(f"{classes} word classes are too few; give 2 or more")
    texts = [[form for form in forms if not is_punctuation(form)] for forms in sentences]
    units, numbered = units_of(texts)
    if len(units) <= classes:
        raise InputError(f"{classes} word classes are too many for {len(units)} different words")
    bigrams = Bigrams.of(numbered, len(units))
    found = Exchange(bigrams, classes)
    for sweep in range(1, sweeps + 1):
        moved = found.sweep()
        report(sweep, found.value() / bigrams.total)
        if moved <= MIN_MOVED_SHARE * len(units):
            break
    return named(units, bigrams.counts, found.class_of, classes)


def units_of(texts: list[list[str]]) -> tuple[list[str], list[Ints]]:
    """The units to cluster, by falling frequency (words, shapes of rare words), and the sentences as unit numbers."""
    words = Counter(form.lower() for text in texts for form in text)
    rare = Counter(
        shape for text in texts for form in text if words[form.lower()] < MIN_COUNT for shape in shapes(form)
    )

    def unit(form: str) -> str:
        if words[form.lower()] >= MIN_COUNT:
            return form.lower()
        described = shapes(form)
        return next((shape for shape in described[:-1] if rare[shape] >= MIN_ENDING_TOKENS), described[-1])

    texts_of_units = [[unit(form) for form in text] for text in texts]
    counts = Counter(key for text in texts_of_units for key in text)
    units = sorted(counts, key=lambda key: (-counts[key], key))
    number_of = {key: number for number, key in enumerate(units)}
    return units, [np.array([number_of[key] for key in text], dtype=np.int64) for text in texts_of_units]


@dataclass(frozen=True)
class Bigrams:
    """Counts of units and of their bigrams; the boundary of a sentence is one more unit, the last."""

    counts: Ints
    before: list[tuple[Ints, Ints]]  # the other units before each unit, and their counts
    after: list[tuple[Ints, Ints]]
    twice: Ints  # how often each unit follows itself
    total: int

    @classmethod
    def of(cls, texts: list[Ints], units: int) -> Bigrams:
        edge = np.array([units], dtype=np.int64)
        flat = np.concatenate([part for text in texts if len(text) for part in (edge, text)] + [edge])
        pairs, often = np.unique(flat[:-1] * (units + 1) + flat[1:], return_counts=True)
        first, second = pairs // (units + 1), pairs % (units + 1)
        twice = np.zeros(units + 1, dtype=np.int64)
        np.add.at(twice, first[first == second], often[first == second])
        different = first != second
        first, second, often = first[different], second[different], often[different]
        return cls(
            np.bincount(flat[1:], minlength=units + 1),
            grouped(second, first, often, units + 1),
            grouped(first, second, often, units + 1),
            twice,
            len(flat) - 1,
        )


def grouped(by: Ints, others: Ints, often: Ints, units: int) -> list[tuple[Ints, Ints]]:
    order = np.argsort(by, kind="stable")
    ends = np.searchsorted(by[order], np.arange(1, units))
    return list(zip(np.split(others[order], ends), np.split(often[order], ends), strict=True))


@dataclass
class Exchange:
    """The current classes, their bigram counts, and the moves that raise the objective."""

    bigrams: Bigrams
    classes: int
    class_of: Ints = field(init=False)
    table: Ints = field(init=False)  # counts of class bigrams; the boundary of a sentence is the last class
    totals: Ints = field(init=False)
    f: NDArray[np.float64] = field(init=False)  # n log n

    def __post_init__(self) -> None:
        units = len(self.bigrams.counts)
        self.class_of = np.minimum(np.arange(units), self.classes - 1)
        self.class_of[-1] = self.classes
        self.table = np.zeros((self.classes + 1, self.classes + 1), dtype=np.int64)
        for unit in range(units):
            others, often = self.bigrams.after[unit]
            np.add.at(self.table[self.class_of[unit]], self.class_of[others], often)
            self.table[self.class_of[unit], self.class_of[unit]] += self.bigrams.twice[unit]
        self.totals = np.bincount(self.class_of, self.bigrams.counts).astype(np.int64)
        n = np.arange(self.bigrams.total + 1, dtype=np.float64)
        self.f = n * np.log(np.maximum(n, 1))

    def value(self) -> float:
        """Log likelihood of the corpus: each class given the previous one, each word given its class."""
        return float(self.f[self.table].sum() - 2 * self.f[self.totals].sum() + self.f[self.bigrams.counts].sum())

    def sweep(self) -> int:
        """Move every unit to its best class, most frequent units first; returns how many moved."""
        return sum(self.move(unit) for unit in range(len(self.class_of) - 1))

    def move(self, unit: int) -> bool:
        before, after = (
            np.bincount(self.class_of[others], often, self.classes + 1).astype(np.int64)
            for others, often in (self.bigrams.before[unit], self.bigrams.after[unit])
        )
        own = int(self.class_of[unit])
        self.shift(unit, own, before, after, -1)
        gains = self.gains(unit, before, after)
        best = int(gains.argmax())
        if gains[best] <= gains[own] + 1e-9:  # a unit stays where another class is no better
            best = own
        self.shift(unit, best, before, after, 1)
        self.class_of[unit] = best
        return best != own

    def shift(self, unit: int, place: int, before: Ints, after: Ints, sign: int) -> None:
        """Remove a unit from a class (sign -1) or add it (sign 1)."""
        self.table[:, place] += sign * before
        self.table[place, :] += sign * after
        self.table[place, place] += sign * self.bigrams.twice[unit]
        self.totals[place] += sign * self.bigrams.counts[unit]

    def gains(self, unit: int, before: Ints, after: Ints) -> NDArray[np.float64]:
        """The gain of the objective with the unit in each class."""
        f, table, k = self.f, self.table, self.classes
        rows, columns = np.flatnonzero(before), np.flatnonzero(after)
        into, out_of = table[rows, :k], table[:k, columns]
        gain = (f[into + before[rows, None]] - f[into]).sum(axis=0)
        gain += (f[out_of + after[columns]] - f[out_of]).sum(axis=1)
        # The bigram of a class with itself changes by left and right neighbours, and by the unit following itself.
        diagonal, left, right = table.diagonal()[:k], before[:k], after[:k]
        gain += f[diagonal + left + right + self.bigrams.twice[unit]] + f[diagonal]
        gain -= f[diagonal + left] + f[diagonal + right]
        totals = self.totals[:k]
        gain -= 2 * (f[totals + self.bigrams.counts[unit]] - f[totals])
        return np.asarray(gain)


def named(units: list[str], counts: Ints, class_of: Ints, classes: int) -> Clusters:
    """Number the classes by falling frequency; empty ones are dropped."""
    counts, class_of = counts[:-1], class_of[:-1]
    totals = np.bincount(class_of, counts, classes)
    order = [int(c) for c in np.argsort(-totals, kind="stable") if totals[c] > 0]
    number_of = {old: new for new, old in enumerate(order)}
    spread, examples = [], []
    for old in order:
        members = np.flatnonzero(class_of == old)
        share = counts[members] / totals[old]
        spread.append(float(np.exp(-(share * np.log(share)).sum())))
        examples.append(tuple(units[member] for member in members[:5]))
    return Clusters(
        tuple(f"C{number:0{len(str(len(order)))}}" for number in range(1, len(order) + 1)),
        {unit: number_of[int(c)] for unit, c in zip(units, class_of, strict=True)},
        tuple(spread),
        tuple(examples),
    )
