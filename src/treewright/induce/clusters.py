"""Word classes from untagged text, used in place of tags (treewright.words.exchange finds them).

Punctuation marks are left out. Words that occur less than MIN_COUNT times are clustered by their shape: digits, capital
or not, and their ending. When parsing, unknown words get the class of their shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from treewright.corpus import Sentence
from treewright.evaluate.attachment import is_punctuation
from treewright.induce.tagged import PUNCTUATION
from treewright.words.exchange import Exchange, Ints
from treewright.words.shapes import shapes
from treewright.words.units import Units

MIN_COUNT = 2  # rarer words are represented by their shape; not tuned
MAX_FUNCTION_PERPLEXITY = 30.0  # classes whose words have at most this perplexity are function words; chosen on English
SWEEPS = 20  # maximum number of sweeps; not tuned


@dataclass(frozen=True)
class Clusters:
    """The class of each word and of each shape of rare words; names are C01, C02, ... by falling frequency."""

    names: tuple[str, ...]
    classes: dict[str, int]  # of words in lower case, and of shapes such as "<a-ing>"
    spread: tuple[float, ...]  # perplexity of the words of each class
    examples: tuple[tuple[str, ...], ...]  # most frequent words of each class

    def check_numbers(self) -> None:
        """Refuse numbers of classes that have no name."""
        if not all(0 <= number < len(self.names) for number in (0, *self.classes.values())):
            raise ValueError("clusters.classes has a number that is not that of a class")

    def tags_of(self, sentence: Sentence) -> list[str]:
        """Return the class of each word of a sentence; a token of nothing but punctuation marks is PUNCT."""
        return [PUNCTUATION if is_punctuation(form) else self.names[self.number(form)] for form in sentence.forms]

    def number(self, form: str) -> int:
        """Return the number of the class of a form."""
        for key in (form.lower(), *shapes(form)):
            if key in self.classes:
                return self.classes[key]
        return 0

    def function_classes(self) -> tuple[str, ...]:
        """Return the classes of few words, such as articles and prepositions; they are treated as function words."""
        return tuple(
            name for name, spread in zip(self.names, self.spread, strict=True) if spread <= MAX_FUNCTION_PERPLEXITY
        )


def cluster(
    sentences: Iterable[Sequence[str]],
    classes: int,
    *,
    sweeps: int = SWEEPS,
    report: Callable[[int, float], None] = lambda sweep, value: None,
) -> Clusters:
    """Find at most so many word classes of sentences, given as lists of forms, in at most so many sweeps.

    report(sweep, log likelihood a word) is called after each sweep.

    >>> cluster([["the", "dog", "barks"], ["the", "cat", "barks"]], 2).names
    ('C1', 'C2')
    """
    units = Units.of(([form for form in forms if not is_punctuation(form)] for forms in sentences), MIN_COUNT)
    exchange = Exchange(units, classes)
    for sweep in range(1, sweeps + 1):
        moved = exchange.sweep()
        report(sweep, exchange.value_a_word())
        if exchange.is_done(moved):
            break
    return name_classes(units, exchange.class_of[:-1], classes)


def name_classes(units: Units, class_of: Ints, classes: int) -> Clusters:
    """Number the classes by falling frequency; empty ones are dropped."""
    counts = units.counts[:-1]
    totals = np.bincount(class_of, counts, classes)
    order = [int(c) for c in np.argsort(-totals, kind="stable") if totals[c] > 0]
    number_of = {old: new for new, old in enumerate(order)}
    spread, examples = [], []
    for old in order:
        members = np.flatnonzero(class_of == old)
        share = counts[members] / totals[old]
        spread.append(float(np.exp(-(share * np.log(share)).sum())))
        examples.append(tuple(units.names[member] for member in members[:5]))
    return Clusters(
        tuple(f"C{number:0{len(str(len(order)))}}" for number in range(1, len(order) + 1)),
        {unit: number_of[int(c)] for unit, c in zip(units.names, class_of, strict=True)},
        tuple(spread),
        tuple(examples),
    )
