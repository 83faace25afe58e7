"""The significance of a difference between two systems: the paired bootstrap.

Sentences are drawn with replacement from the gold file, as many as it has, and both systems are scored on what was
drawn. The p-value is the share of draws whose difference is as far from the one observed as that is from zero: how
often chance alone, with no true difference, would show as much (Efron and Tibshirani 1993; Koehn 2004;
Berg-Kirkpatrick et al. 2012). It is two-sided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.evaluate.attachment import Judgement, Measure, measures_of
from treewright.evaluate.scores import Evaluation, Score

Counts = NDArray[Any]  # float64: NumPy's types do not know that weighted counts are
CHUNK = 1 << 20  # sentences drawn at a time, to bound memory; not tuned
COMPARED = ("UPOS", "UAS", "LAS", "CLAS", "MLAS", "BLEX")


@dataclass(frozen=True)
class Difference:
    """By how much the second system's F1 is above the first's, with its 95 % interval and p-value."""

    name: str
    a: Score
    b: Score
    low: float
    high: float
    p_value: float

    @property
    def difference(self) -> float:
        """The F1 of b minus the F1 of a."""
        return self.b.f1 - self.a.f1

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain numbers."""
        return asdict(self) | {"a": self.a.as_dict(), "b": self.b.as_dict(), "difference": self.difference}


@dataclass(frozen=True)
class Comparison:
    """Two systems on the same gold file: the evaluation of each, and how they differ, by name of the score."""

    a: Evaluation
    b: Evaluation
    differences: dict[str, Difference]
    samples: int
    seed: int

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about the files, such as the sentences that were left out."""
        return tuple(dict.fromkeys(self.a.notes + self.b.notes))

    def __getitem__(self, name: str) -> Difference:
        if name not in self.differences:
            raise KeyError(f"{name!r}; there are {', '.join(self.differences)}")
        return self.differences[name]

    def as_dict(self) -> dict[str, Any]:
        """Return the differences as plain numbers."""
        return {
            "a": self.a.as_dict(),
            "b": self.b.as_dict(),
            "differences": [difference.as_dict() for difference in self.differences.values()],
            "samples": self.samples,
            "seed": self.seed,
        }


def counts_by_sentence(judgements: Sequence[Judgement], names: Sequence[str], *, punct: bool) -> Counts:
    """Count of each gold sentence, in columns for each score and system: 2 x correct, and gold + system.

    F1 is the quotient of the sums of these two.
    """
    measures = [measures_of(judgement, punct=punct) for judgement in judgements]
    for name in names:
        if name not in measures[0]:
            raise InputError(f"metrics has {name!r}, which is no score; there are {', '.join(measures[0])}")
    return np.column_stack(
        [
            column
            for name in names
            for judgement, by_name in zip(judgements, measures, strict=True)
            for column in by_sentence(judgement, by_name[name])
        ]
    )


def differences_of(
    a: Evaluation, b: Evaluation, names: Sequence[str], counts: Counts, *, samples: int, seed: int
) -> dict[str, Difference]:
    """Draw sentences; counts: from `counts_by_sentence`."""
    drawn = bootstrap(counts, samples, seed)
    differences = {}
    for i, name in enumerate(names):
        f1 = np.divide(drawn[:, 4 * i : 4 * i + 4 : 2], np.maximum(drawn[:, 4 * i + 1 : 4 * i + 4 : 2], 1))
        shifts = f1[:, 1] - f1[:, 0]
        low, high = np.quantile(shifts, [0.025, 0.975])
        score_a, score_b = a[name], b[name]
        observed = score_b.f1 - score_a.f1
        differences[name] = Difference(name, score_a, score_b, float(low), float(high), p_value(shifts, observed))
    return differences


def p_value(shifts: Counts, observed: float) -> float:
    """Return the share of the drawn differences, shifted to a mean of zero, that are as large as the observed one."""
    # Rounding must not make a draw that is exactly as far away seem nearer.
    extreme = int((np.abs(shifts - observed) >= abs(observed) - 1e-12).sum())
    return (extreme + 1) / (len(shifts) + 1)


def by_sentence(judgement: Judgement, measure: Measure) -> tuple[Counts, Counts]:
    """Count 2 x correct and gold + system of each gold sentence; a system word counts where gold has its text."""
    alignment = judgement.alignment
    sentences = alignment.gold.sentences
    ends = alignment.system.token_ends[alignment.system.token_of]
    of_system = np.searchsorted(alignment.gold.sentence_ends, ends)
    of_pairs = alignment.gold.sentence_of[alignment.gold_words]
    right: Counts = np.bincount(of_pairs, measure.right, minlength=sentences)
    gold: Counts = np.bincount(alignment.gold.sentence_of, measure.gold, minlength=sentences)
    system: Counts = np.bincount(of_system, measure.system, minlength=sentences)
    return 2 * right, gold + system


def bootstrap(counts: Counts, samples: int, seed: int) -> Counts:
    """Return the sums of counts over each of the drawn sets of sentences."""
    rng = np.random.default_rng(seed)
    sentences = len(counts)
    rows = max(1, CHUNK // sentences)
    sums = []
    for begin in range(0, samples, rows):
        size = min(rows, samples - begin)
        drawn = rng.integers(sentences, size=(size, sentences)) + sentences * np.arange(size)[:, None]
        times = np.bincount(drawn.ravel(), minlength=size * sentences).reshape(size, sentences)
        sums.append(times @ counts)
    return np.concatenate(sums)
