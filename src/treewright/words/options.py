"""The options of learning word classes and vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from treewright.checks import Count, Positive, Range


@dataclass(frozen=True)
class WordsOptions:
    """How word classes and vectors are learned from text. Zero classes, or a size of zero: none are learned."""

    classes: Annotated[int, Range(0, 1 << 14)] = 1000
    size: Annotated[int, Range(0, 1 << 12)] = 64  # numbers of a vector
    min_count: Positive = 2  # rarer words are represented by their shape
    sweeps: Positive = 20  # maximum number of sweeps of the exchange algorithm
    seed: Count = 1
