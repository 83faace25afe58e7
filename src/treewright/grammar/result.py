"""What a grammar returns: a tree with its value and certificate, and probabilities of brackets and tags."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import Span, Tree
from treewright.decode.result import TOLERANCE, Certificate, Certified
from treewright.errors import InputError


@dataclass(frozen=True)
class PhraseParse(Certified):
    """A phrase-structure tree, its value, and an upper bound on the value of every tree under the same constraints.

    evidence says what bound and gap rest on: "exact" (the chart is exact), "agreement" or "bound" (dual decomposition).
    given_up says what was not searched, in words; it is empty when the search was complete.
    A certificate is about the scores of the grammar: a certified tree may still be wrong.
    """

    tree: Tree
    score: float
    bound: float
    method: str = "cky"
    gap: float = math.nan  # no tree is better by more; bound - score unless given
    spread: float = 0.0  # the scale of the differences between scores
    tolerance: float = TOLERANCE  # of the gap, relative to the spread
    evidence: Certificate = "exact"
    iterations: int = 0  # of a dual method
    given_up: str = ""

    def __post_init__(self) -> None:
        if math.isnan(self.gap):
            object.__setattr__(self, "gap", self.bound - self.score)

    @property
    def words(self) -> list[str]:
        """The words of the tree."""
        return self.tree.leaves()

    @property
    def tags(self) -> list[str]:
        """The tag of each word."""
        return self.tree.tags()

    @property
    def spans(self) -> list[Span]:
        """Label and ends of each phrase, parents first."""
        return self.tree.spans()

    @property
    def status(self) -> str:
        """The certificate in words, or what is missing for it."""
        if self.certified:
            return "certified"
        return self.given_up or (f"gap {self.gap:.4g}" if self.gap < float("inf") else "not certified")

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "tree": str(self.tree),
            "words": self.words,
            "tags": self.tags,
            "spans": [list(span) for span in self.spans],
            "score": self.score,
            "bound": self.bound if np.isfinite(self.bound) else None,
            "certified": self.certified,
            "certificate": self.certificate,
            "iterations": self.iterations,
            "given_up": self.given_up,
        }

    def _repr_svg_(self) -> str:
        return self.tree._repr_svg_()

    def __repr__(self) -> str:
        return f"PhraseParse({self.tree!r}, score={self.score:.6g}, {self.status}, method={self.method!r})"


@dataclass(frozen=True, eq=False)
class BracketMarginals:
    """Probabilities under exp(score) over all trees: of a label over words, and of a tag of a word.

    brackets[l, i, j] is that of labels[l] over the words i to j - 1; tags[i, t] that of tag_names[t] for word i.
    """

    labels: tuple[str, ...]
    brackets: NDArray[np.float64]
    tag_names: tuple[str, ...]
    tags: NDArray[np.float64]
    log_partition: float

    def bracket(self, label: str, first: int, last: int) -> float:
        """Return the probability of a label over the words first to last - 1."""
        words = len(self.tags)
        if not 0 <= first < last <= words:
            raise InputError(f"first is {first} and last is {last}; expected 0 <= first < last <= {words}, the words")
        return float(self.brackets[number_of(label, self.labels, "label"), first, last])

    def tag(self, place: int, tag: str) -> float:
        """Return the probability of a tag of the word at a place, counted from 0."""
        if not 0 <= place < len(self.tags):
            raise InputError(f"place is {place}; expected the place of one of the {len(self.tags)} words, from 0")
        return float(self.tags[place, number_of(tag, self.tag_names, "tag")])


def number_of(name: str, names: Iterable[str], what: str) -> int:
    """Return the place of a name; an error lists the names there are."""
    places = {other: place for place, other in enumerate(names)}
    if name not in places:
        raise InputError(f"there is no {what} {name!r} in the grammar; there are {' '.join(sorted(places))}")
    return places[name]
