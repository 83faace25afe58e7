"""The result of an evaluation: counts, and precision, recall and F1 computed from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Score:
    """The number of gold items, of system items, and of those that both have.

    aligned counts the words that both files have, where the score is one over words.

    >>> score = Score(correct=3, gold=4, system=6)
    >>> score.precision, score.recall, score.f1
    (0.5, 0.75, 0.6)
    """

    correct: int
    gold: int
    system: int
    aligned: int | None = None

    def __add__(self, other: Score) -> Score:
        aligned = None if self.aligned is None or other.aligned is None else self.aligned + other.aligned
        return Score(self.correct + other.correct, self.gold + other.gold, self.system + other.system, aligned)

    @property
    def precision(self) -> float:
        """The share of the system's items that are correct."""
        return ratio(self.correct, self.system)

    @property
    def recall(self) -> float:
        """The share of the gold items that the system found."""
        return ratio(self.correct, self.gold)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return ratio(2 * self.correct, self.gold + self.system)

    @property
    def accuracy(self) -> float | None:
        """The share of the aligned words that are right; None for a score that is not over words."""
        return None if self.aligned is None else ratio(self.correct, self.aligned)

    def as_dict(self) -> dict[str, Any]:
        """Return the counts and shares as plain numbers."""
        shares = {"precision": self.precision, "recall": self.recall, "f1": self.f1, "accuracy": self.accuracy}
        return asdict(self) | shares


@dataclass(frozen=True)
class Group:
    """The words of one row of a breakdown: gold words by what they are in the gold file, system words likewise.

    Heads count right heads, arcs count right heads with the right relation.
    """

    key: str
    gold: int
    system: int
    gold_heads: int
    gold_arcs: int
    system_heads: int
    system_arcs: int

    def __add__(self, other: Group) -> Group:
        return Group(self.key, *(mine + more for mine, more in zip(self.counts, other.counts, strict=True)))

    @property
    def counts(self) -> tuple[int, int, int, int, int, int]:
        """All counts, in the order of the attributes."""
        heads_and_arcs = (self.gold_heads, self.gold_arcs, self.system_heads, self.system_arcs)
        return self.gold, self.system, *heads_and_arcs

    @property
    def uas(self) -> float:
        """Of the gold words of this group, the share with the right head."""
        return ratio(self.gold_heads, self.gold)

    @property
    def las(self) -> float:
        """Of the gold words of this group, the share with the right head and relation: labelled recall."""
        return ratio(self.gold_arcs, self.gold)

    @property
    def precision(self) -> float:
        """Of the system's words of this group, the share with the right head and relation."""
        return ratio(self.system_arcs, self.system)

    @property
    def f1(self) -> float:
        """The harmonic mean of labelled precision and recall."""
        return ratio(2 * self.precision * self.las, self.precision + self.las)

    def as_dict(self) -> dict[str, Any]:
        """Return the counts and shares as plain numbers."""
        return asdict(self) | {"uas": self.uas, "las": self.las, "precision": self.precision, "f1": self.f1}


@dataclass(frozen=True)
class Evaluation:
    """The scores of a system by name, with a breakdown if `by` was given.

    Read it as a mapping: evaluation["LAS"].f1. Names that end in "+" compare relations with their subtypes.
    """

    scores: dict[str, Score]
    by: str | None = None
    groups: tuple[Group, ...] = ()
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Score:
        if name not in self.scores:
            raise KeyError(f"{name!r}; there are {', '.join(self.scores)}")
        return self.scores[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, for JSON."""
        groups = {} if self.by is None else {"by": self.by, "groups": [group.as_dict() for group in self.groups]}
        scores = {name: score.as_dict() for name, score in self.scores.items()}
        return {"scores": scores, **groups, "notes": list(self.notes)}


def ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
