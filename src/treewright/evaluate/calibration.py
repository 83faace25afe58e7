"""Calibration: whether predictions with a confidence of 90 % are right 90 % of the time.

A reliability table puts the predictions into bins by their confidence. The expected calibration error (ECE; Naeini et
al. 2015) is the mean over all predictions of the difference between the mean confidence and the share of right ones in
their bin. AUC is the probability that a right prediction has a higher confidence than a wrong one, ties counted half.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.corpus import Sentence
from treewright.corpus.confidence import IN_MISC, read_confidence
from treewright.errors import InputError
from treewright.evaluate.alignment import align
from treewright.evaluate.attachment import Judgement
from treewright.evaluate.batches import Batches
from treewright.evaluate.columns import Flags
from treewright.evaluate.sources import Source, is_file

BINS = 10  # of equal width; not tuned
DOUBTFUL_SHARE = 0.1  # of all predictions: how many of the wrong ones are among the most doubtful; not tuned

TAGS = ("UPOS", "XPOS", "FEATS")

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Bin:
    """Predictions with a confidence from `low` to `high`: their number, mean confidence and share of right ones."""

    low: float
    high: float
    count: int
    confidence: float
    accuracy: float


@dataclass(frozen=True)
class Reliability:
    """How far confidence can be trusted. `found_wrong`: the share of all wrong predictions that are among the tenth
    with the lowest confidence; None without wrong ones, as is `auc` without both kinds."""

    count: int
    accuracy: float
    ece: float
    auc: float | None
    found_wrong: float | None
    bins: tuple[Bin, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return asdict(self)


def reliability(confidence: ArrayLike, right: ArrayLike) -> Reliability:
    """Compute the figures of predictions from the confidence of each, and whether it is right.

    >>> result = reliability(np.array([0.9, 0.9, 0.3, 0.8]), np.array([True, True, False, True]))
    >>> round(result.ece, 3), result.auc, [(group.count, group.accuracy) for group in result.bins]
    (0.175, 1.0, [(1, 0.0), (1, 1.0), (2, 1.0)])
    """
    confidence, right = np.asarray(confidence, dtype=np.float64), np.asarray(right, dtype=np.bool_)
    if confidence.shape != right.shape or right.ndim != 1:
        shapes = f"confidence has shape {confidence.shape}, right {right.shape}"
        raise InputError(f"{shapes}; give one number of each for each prediction")
    if not len(right):
        raise InputError("confidence and right are empty: there is no prediction with a confidence")
    numbers = np.minimum((confidence * BINS).astype(int), BINS - 1)
    bins = tuple(bin_of(number, confidence, right, numbers == number) for number in np.unique(numbers).tolist())
    ece = sum(group.count * abs(group.confidence - group.accuracy) for group in bins) / len(right)
    return Reliability(
        len(right), float(right.mean()), ece, area_under_curve(confidence, right), found_wrong(confidence, right), bins
    )


def bin_of(number: int, confidence: Numbers, right: Flags, member: Flags) -> Bin:
    """Summarise the predictions of one bin."""
    mean, accuracy = float(confidence[member].mean()), float(right[member].mean())
    return Bin(number / BINS, (number + 1) / BINS, int(member.sum()), mean, accuracy)


def area_under_curve(confidence: Numbers, right: Flags) -> float | None:
    """Compute AUC by the ranks of the right predictions (Mann and Whitney); equal confidences share a rank.

    >>> area_under_curve(np.array([0.1, 0.5, 0.5, 0.9]), np.array([False, True, False, True]))
    0.875
    """
    _, place, count = np.unique(confidence, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]
    rights = int(right.sum())
    wrongs = len(right) - rights
    if not rights or not wrongs:
        return None
    return float((rank[right].sum() - rights * (rights + 1) / 2) / (rights * wrongs))


def found_wrong(confidence: Numbers, right: Flags) -> float | None:
    """Return the share of the wrong predictions that are among the most doubtful tenth; of equals the first ones."""
    if right.all():
        return None
    first = np.argsort(confidence, kind="stable")[: round(DOUBTFUL_SHARE * len(right))]
    return float((~right[first]).sum() / (~right).sum())


def calibration(gold: Source, system: Source) -> dict[str, Reliability]:
    """Compute the reliability of a system's confidences, by name; words are aligned as for `evaluate`.

    "heads"; "labels", of the words whose head is right; "arcs", of heads and labels together, whose confidence is the
    product of both; "tags", of UPOS, XPOS and FEATS together, without those that the system leaves empty. Files have
    the confidences in MISC, as `treewright parse --confidence` writes them.

    >>> gold = [Sentence.from_words(["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"])]
    >>> parsed = gold[0].copy()
    >>> parsed.head_confidence = np.array([0.9, 0.7])
    >>> result = calibration(gold, [parsed])
    >>> list(result), result["heads"].accuracy, round(result["heads"].ece, 3)
    (['heads'], 1.0, 0.2)
    """
    columns = _Columns(is_file(system))
    for batch in Batches([gold, system], ["gold", "system"]):
        columns.add(Judgement(align(*batch.columns)), batch.sentences[1])
    kinds = columns.kinds()
    known = {
        name: reliability(values[~np.isnan(values)], right[~np.isnan(values)])
        for name, (values, right) in kinds.items()
        if not np.isnan(values).all()
    }
    if not known:
        raise InputError("the system's words have no confidence; `treewright parse --confidence` writes it into MISC")
    return known


class _Columns:
    """The confidences of all words that both sources have, and what is right of them."""

    def __init__(self, in_misc: bool) -> None:
        self.in_misc = in_misc
        self.confidence: dict[str, list[Numbers]] = {kind: [] for kind in IN_MISC}
        self.same: dict[str, list[Flags]] = {name: [] for name in ("head", "deprel", *TAGS)}
        self.tags: set[str] = set()  # columns that the system does not leave empty

    def add(self, judgement: Judgement, sentences: Sequence[Sentence]) -> None:
        """Add the words of a batch; words of a file have their confidences in MISC."""
        for sentence in sentences if self.in_misc else ():
            read_confidence(sentence)
        for kind, values in self.confidence.items():
            values.append(values_of(sentences, kind)[judgement.alignment.system_words])
        self.same["head"].append(judgement.same_head)
        self.same["deprel"].append(judgement.same_deprel)
        system = judgement.system.columns
        for name in TAGS:
            self.same[name].append(judgement.same_cells(name))
            if (system.cells[name] != system.vocabulary["_"]).any():
                self.tags.add(name)

    def kinds(self) -> dict[str, tuple[Numbers, Flags]]:
        """Return confidences and what is right, by name; NaN where there is none."""
        head, label, tag = (np.concatenate(values) for values in self.confidence.values())
        same = {name: np.concatenate(values) for name, values in self.same.items()}
        same_tags = np.all([same[name] for name in TAGS if name in self.tags] or [np.ones(len(tag), bool)], axis=0)
        return {
            "heads": (head, same["head"]),
            "labels": (np.where(same["head"], label, np.nan), same["deprel"]),
            "arcs": (head * label, same["head"] & same["deprel"]),
            "tags": (tag, same_tags),
        }


def values_of(sentences: Iterable[Sentence], kind: str) -> Numbers:
    """Return one entry a word; NaN where there is none."""
    values = [np.zeros(0)]
    for sentence in sentences:
        confidence = getattr(sentence, kind)
        values.append(np.full(len(sentence), np.nan) if confidence is None else confidence)
    return np.concatenate(values)
