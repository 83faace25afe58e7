"""The options of learning word classes and vectors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from treewright.checks import Checked, Count, Positive, Range

CLASSES = 1000  # the number of Koo, Carreras & Collins (2008), who parse with Brown clusters
SIZE = 64  # chosen among 32, 64 and 128 by benchmarks/words.py DATA --settings sizes
WORDS_A_CLASS = 10  # at least, on average, where the text is small; not tuned
MAX_CLASSES, MAX_SIZE = 1 << 12, 1 << 12  # the tree of classes needs the cube of their number of steps


@dataclass(frozen=True)
class WordsOptions(Checked):
    """How word classes and vectors are learned from text. Zero classes, or a size of zero: none are learned.

    By default there are 1,000 classes and vectors of 64 numbers, but no more than a tenth of the different words.
    """

    classes: Annotated[int, Range(0, MAX_CLASSES)] | None = None
    size: Annotated[int, Range(0, MAX_SIZE)] | None = None  # numbers of a vector
    min_count: Positive = 2  # rarer words are represented by their shape
    sweeps: Positive = 20  # maximum number of sweeps of the exchange algorithm
    seed: Count = 1


def resolve(options: WordsOptions, words: int) -> WordsOptions:
    """Choose the numbers that are left open for a text of so many different words.

    >>> options = resolve(WordsOptions(), 300)
    >>> options.classes, options.size
    (30, 30)
    """
    limit = max(words // WORDS_A_CLASS, 2)
    classes = min(CLASSES, limit) if options.classes is None else options.classes
    size = min(SIZE, limit) if options.size is None else options.size
    return replace(options, classes=classes, size=size)
