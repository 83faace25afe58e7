"""Attachment scores, brackets, graphs, breakdowns, significance.

The figures of the Universal Dependencies evaluation agree with those of the official script to the last digit.

>>> from treewright.corpus import Sentence
>>> gold = [Sentence.from_words(["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"])]
>>> system = [Sentence.from_words(["Dogs", "bark"], heads=[2, 0], deprels=["obj", "root"])]
>>> result = evaluate(gold, system)
>>> result["UAS"].f1, result["LAS"].f1
(1.0, 0.5)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treewright.corpus.checks import check_iterable
from treewright.errors import InputError
from treewright.evaluate.alignment import align
from treewright.evaluate.attachment import Judgement, scores_of
from treewright.evaluate.batches import Batches
from treewright.evaluate.bracketing import BracketEvaluation, Parameters, brackets
from treewright.evaluate.breakdown import BREAKDOWNS, break_down, merge_groups
from treewright.evaluate.calibration import Reliability, calibration, reliability
from treewright.evaluate.columns import Columns
from treewright.evaluate.scores import Evaluation, Group, Score
from treewright.evaluate.significance import COMPARED, Comparison, counts_by_sentence, differences_of
from treewright.evaluate.sources import Progress, Source

__all__ = [
    "BracketEvaluation", "Comparison", "Evaluation", "Parameters", "Reliability", "Score", "brackets", "calibration",
    "compare", "evaluate", "reliability",
]  # fmt: skip


def evaluate(
    gold: Source,
    system: Source,
    *,
    by: str | None = None,
    punct: bool = True,
    skip_bad: bool = False,
    progress: Progress | None = None,
) -> Evaluation:
    """Measure how well a system's trees agree with the gold ones.

    gold, system: a path ("-" is standard input), an open file, or sentences. Both must hold the same characters, but
    for white space; tokens, words and sentences may differ and are aligned.
    by: "relation", "arc-length", "sentence-length" or "projectivity" adds a breakdown, `groups`.
    punct=False leaves punctuation out of UAS, LAS, LAS+, UEM, LEM and the breakdown, as the CoNLL-X shared task did.
    skip_bad leaves out sentences that either file has wrong, in both. progress is called with the share of the work
    that is done.

    >>> from treewright.corpus import Sentence
    >>> gold = [Sentence.from_words(["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"])]
    >>> result = evaluate(gold, gold, by="relation")
    >>> result["LAS"].f1, [(group.key, group.las) for group in result.groups]
    (1.0, [('nsubj', 1.0), ('root', 1.0)])
    """
    if by is not None and by not in BREAKDOWNS:
        raise InputError(f"no breakdown by {by!r}; there are {', '.join(BREAKDOWNS)}")
    batches = Batches([gold, system], ["gold", "system"], skip_bad=skip_bad)
    total = Total(by=by, punct=punct)
    for batch in batches:
        total.add(Judgement(align(*batch.columns)))
        if progress:
            progress(batch.share)
    return total.evaluation(batches.skipped)


def compare(
    gold: Source,
    a: Source,
    b: Source,
    *,
    metrics: Sequence[str] = COMPARED,
    samples: int = 10_000,
    seed: int = 0,
    punct: bool = True,
    skip_bad: bool = False,
    progress: Progress | None = None,
) -> Comparison:
    """Measure by how much system b is better than system a, and whether that may be chance: the paired bootstrap.

    gold, a, b, punct and skip_bad are as in `evaluate`. metrics are the names of the scores to compare. samples is the
    number of draws, seed determines them. The result is a mapping: comparison["LAS"] is a Difference.

    >>> from treewright.corpus import Sentence
    >>> gold = [Sentence.from_words(["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"])]
    >>> compare(gold, gold, gold)["LAS"].p_value
    1.0
    """
    if samples < 1:
        raise InputError(f"samples is {samples}; expected at least 1")
    if seed < 0:
        raise InputError(f"seed is {seed}; expected at least 0")
    check_iterable(metrics, "a list of names of scores", "metrics")
    if not len(metrics):
        raise InputError("metrics is empty; give the names of the scores to compare")
    batches = Batches([gold, a, b], ["gold", "a", "b"], skip_bad=skip_bad)
    totals, counts = (Total(punct=punct), Total(punct=punct)), []
    for batch in batches:
        judgements = [Judgement(align(batch.columns[0], system)) for system in batch.columns[1:]]
        for total, judgement in zip(totals, judgements, strict=True):
            total.add(judgement)
        counts.append(counts_by_sentence(judgements, metrics, punct=punct))
        if progress:
            progress(batch.share)
    of_a, of_b = (total.evaluation(batches.skipped) for total in totals)
    return Comparison(
        a=of_a,
        b=of_b,
        differences=differences_of(of_a, of_b, metrics, np.concatenate(counts), samples=samples, seed=seed),
        samples=samples,
        seed=seed,
    )


class Total:
    """The scores of the batches of a file, added up."""

    def __init__(self, *, by: str | None = None, punct: bool = True) -> None:
        self.by, self.punct = by, punct
        self.scores: dict[str, Score] = {}
        self.groups: list[tuple[Group, ...]] = []
        self.several_roots = SeveralRoots(), SeveralRoots()

    def add(self, judgement: Judgement) -> None:
        """Add the scores of a batch."""
        part = scores_of(judgement, punct=self.punct)
        self.scores = {name: self.scores[name] + score for name, score in part.items()} if self.scores else part
        if self.by:
            self.groups.append(break_down(judgement, self.by, punct=self.punct))
        for roots, side in zip(self.several_roots, (judgement.gold, judgement.system), strict=True):
            roots.count(side.columns)

    def evaluation(self, skipped: int) -> Evaluation:
        """Return the scores of all batches; skipped sentences are noted."""
        notes = [roots.note for roots in self.several_roots if roots.sentences]
        if skipped:
            notes.append(f"{skipped} bad sentence{'s' * (skipped > 1)} left out of both files")
        groups = merge_groups(self.groups, self.by) if self.by else ()
        return Evaluation(self.scores, self.by, groups, tuple(notes))


@dataclass
class SeveralRoots:
    """The sentences of a file with several roots: the official script refuses such a file."""

    sentences: int = 0
    first_place: str = ""

    def count(self, columns: Columns) -> None:
        """Count the sentences of a part of the file."""
        sentences = columns.sentence_of[columns.heads < 0]
        several = sentences[1:][sentences[1:] == sentences[:-1]]
        if len(several) and not self.sentences:
            self.first_place = columns.place(columns.lines[columns.first[several[0]]])
        self.sentences += len(set(several.tolist()))

    @property
    def note(self) -> str:
        """The note for the user."""
        sentences_with = f"{self.sentences} sentence{'s' * (self.sentences > 1)} with several roots"
        return f"{sentences_with}, the first at {self.first_place}: the official script stops there"
