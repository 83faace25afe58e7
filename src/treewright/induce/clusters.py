"""Word classes from untagged text, where there are no tags: clusters whose bigrams say most about one another.

The objective is that of Brown et al. (1992), the likelihood of a class bigram model

    sum over classes g, h of  f(n(g, h))  -  2 sum over g of  f(n(g))  +  sum over words w of  f(n(w)),   f(n) = n log n

and it climbs by exchange (Kneser & Ney 1993; Martin, Liermann & Ney 1998): from the most frequent words each in a class
of its own and all others in one more, each word in turn moves to the class that gains most, until hardly any does. A
sweep costs O(V K (neighbours)) for V words and K classes.

Words seen less than twice are clustered by what they look like: digits, capitals or neither, and their ending.
Unknown words are classed in the same way when parsing.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.induce.tagged import PUNCTUATION

RARE = 2  # words seen less often are known by their looks
ENDING = 3  # letters at most
TOKENS_OF_AN_ENDING = 10  # rarer ones are too little to learn from
MOVES = 1e-3  # of the words: with fewer in a sweep it ends
FEW_WORDS = 30.0  # a class that is spread over no more words holds function words; chosen on English

SWEEPS = 20  # at most

Ints = NDArray[np.int64]


class HasForms(Protocol):
    """What clustering reads of a sentence."""

    @property
    def forms(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class Clusters:
    """Which class each word, or each look of a word, belongs to; names are C01, C02, ... by falling frequency."""

    names: tuple[str, ...]
    classes: dict[str, int]  # of words in lower case, and of looks such as "<a-ing>"
    spread: tuple[float, ...]  # of each class: over how many words it is spread (the perplexity of its words)
    examples: tuple[tuple[str, ...], ...]  # its most frequent words

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Clusters:
        """What `to_json` gave."""
        examples = tuple(tuple(words) for words in saved["examples"])
        return cls(tuple(saved["names"]), saved["classes"], tuple(saved["spread"]), examples)

    def to_json(self) -> dict[str, Any]:
        return {
            "names": list(self.names),
            "classes": self.classes,
            "spread": list(self.spread),
            "examples": [list(words) for words in self.examples],
        }

    def tags_of(self, sentence: HasForms) -> list[str]:
        """The class of each word; what has nothing but punctuation marks in it is PUNCT."""
        return [PUNCTUATION if is_punctuation(form) else self.names[self.number(form)] for form in sentence.forms]

    def number(self, form: str) -> int:
        for key in (form.lower(), *looks(form)):
            if key in self.classes:
                return self.classes[key]
        return 0

    def function_classes(self) -> tuple[str, ...]:
        """Classes that few words make up, as articles and prepositions do: they stand in for function words."""
        return tuple(name for name, spread in zip(self.names, self.spread, strict=True) if spread <= FEW_WORDS)


def is_punctuation(form: str) -> bool:
    """
    >>> is_punctuation("..."), is_punctuation("a.m.")
    (True, False)
    """
    return all(unicodedata.category(character).startswith("P") for character in form)


def looks(form: str) -> list[str]:
    """What a word looks like, most telling first.

    >>> looks("Running"), looks("1984")
    (['<A-ing>', '<A-ng>', '<A-g>', '<A>'], ['<0>'])
    """
    if any(character.isdigit() for character in form):
        return ["<0>"]
    shape = "A" if form[:1].isupper() else "a"
    endings = [form[-letters:].lower() for letters in range(min(ENDING, len(form) - 1), 0, -1)]
    return [*(f"<{shape}-{ending}>" for ending in endings), f"<{shape}>"]


def cluster(
    sentences: Iterable[Sequence[str]],
    classes: int,
    *,
    sweeps: int = SWEEPS,
    report: Callable[[int, float], None] = lambda sweep, value: None,
) -> Clusters:
    """Cluster the words of sentences given as forms; `report(sweep, log likelihood a word)`."""
    if classes < 2:
        raise InputError(f"{classes} classes of words are too few to say anything; ask for 2 or more")
    texts = [[form for form in forms if not is_punctuation(form)] for forms in sentences]
    units, numbered = units_of(texts)
    if len(units) <= classes:
        raise InputError(f"{classes} classes are asked for, but only {len(units)} different words are to be clustered")
    bigrams = Bigrams.of(numbered, len(units))
    found = Exchange(bigrams, classes)
    for sweep in range(1, sweeps + 1):
        moved = found.sweep()
        report(sweep, found.value() / bigrams.total)
        if moved <= MOVES * len(units):
            break
    return named(units, bigrams.counts, found.class_of, classes)


def units_of(texts: list[list[str]]) -> tuple[list[str], list[Ints]]:
    """What is clustered, most frequent first: words, and looks of rare ones; and each sentence as their numbers."""
    words = Counter(form.lower() for text in texts for form in text)
    rare = Counter(look for text in texts for form in text if words[form.lower()] < RARE for look in looks(form))

    def unit(form: str) -> str:
        if words[form.lower()] >= RARE:
            return form.lower()
        described = looks(form)
        return next((look for look in described[:-1] if rare[look] >= TOKENS_OF_AN_ENDING), described[-1])

    texts_of_units = [[unit(form) for form in text] for text in texts]
    counts = Counter(key for text in texts_of_units for key in text)
    units = sorted(counts, key=lambda key: (-counts[key], key))
    number_of = {key: number for number, key in enumerate(units)}
    return units, [np.array([number_of[key] for key in text], dtype=np.int64) for text in texts_of_units]


@dataclass(frozen=True)
class Bigrams:
    """Counts of units and of their neighbours; the edge of a sentence is one more unit, the last."""

    counts: Ints
    before: list[tuple[Ints, Ints]]  # of each unit: which others stand before it, how often
    after: list[tuple[Ints, Ints]]
    twice: Ints  # how often it follows itself
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
    """The classes so far, their bigrams, and the moves that raise the objective."""

    bigrams: Bigrams
    classes: int
    class_of: Ints = field(init=False)
    table: Ints = field(init=False)  # bigrams of classes; the edge of a sentence is the last class
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
        """Log likelihood of the words: of each class after the one before, of each word in its class."""
        return float(self.f[self.table].sum() - 2 * self.f[self.totals].sum() + self.f[self.bigrams.counts].sum())

    def sweep(self) -> int:
        """Move every unit to its best class, most frequent units first; how many moved."""
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
        if gains[best] <= gains[own] + 1e-9:  # a tie is no reason to move
            best = own
        self.shift(unit, best, before, after, 1)
        self.class_of[unit] = best
        return best != own

    def shift(self, unit: int, place: int, before: Ints, after: Ints, sign: int) -> None:
        """Take a unit out of a class (sign -1) or put it in."""
        self.table[:, place] += sign * before
        self.table[place, :] += sign * after
        self.table[place, place] += sign * self.bigrams.twice[unit]
        self.totals[place] += sign * self.bigrams.counts[unit]

    def gains(self, unit: int, before: Ints, after: Ints) -> NDArray[np.float64]:
        """What the objective gains with the unit in each class."""
        f, table, k = self.f, self.table, self.classes
        rows, columns = np.flatnonzero(before), np.flatnonzero(after)
        into, out_of = table[rows, :k], table[:k, columns]
        gain = (f[into + before[rows, None]] - f[into]).sum(axis=0)
        gain += (f[out_of + after[columns]] - f[out_of]).sum(axis=1)
        # The bigrams of a class with itself change by both, and by the unit following itself.
        diagonal, left, right = table.diagonal()[:k], before[:k], after[:k]
        gain += f[diagonal + left + right + self.bigrams.twice[unit]] + f[diagonal]
        gain -= f[diagonal + left] + f[diagonal + right]
        totals = self.totals[:k]
        gain -= 2 * (f[totals + self.bigrams.counts[unit]] - f[totals])
        return np.asarray(gain)


def named(units: list[str], counts: Ints, class_of: Ints, classes: int) -> Clusters:
    """Number the classes by falling frequency; those left without a word are dropped."""
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
