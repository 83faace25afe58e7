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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from treewright.corpus.checks import check_iterable
from treewright.errors import InputError
from treewright.evaluate.alignment import align
from treewright.evaluate.attachment import Judgement, scores_of
from treewright.evaluate.batches import batches_of
from treewright.evaluate.bracketing import BracketEvaluation, Parameters, brackets
from treewright.evaluate.breakdown import BREAKDOWNS, break_down, merge_groups
from treewright.evaluate.calibration import Reliability, calibration, reliability
from treewright.evaluate.columns import Columns
from treewright.evaluate.scores import Evaluation, Score
from treewright.evaluate.significance import COMPARED, Comparison, differences_of
from treewright.evaluate.sources import Progress, Source, load

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
    subtypes: bool = False,
    skip_bad: bool = False,
    progress: Progress | None = None,
) -> Evaluation:
    """Measure how well a system's trees agree with the gold ones.

    gold, system: a path ("-" is standard input), an open file, or sentences. Both must hold the same characters, but
    for white space; tokens, words and sentences may differ and are aligned.
    by: "relation", "arc-length", "sentence-length" or "projectivity" adds a breakdown, `groups`; with subtypes
    it takes relations whole. punct=False leaves punctuation out of UAS, LAS, LAS+, UEM, LEM and the breakdown, as the
    CoNLL-X shared task did. skip_bad leaves out sentences that either file has wrong, in both. progress is called with
    the share of the work that is done.

    >>> from treewright.corpus import Sentence
    >>> gold = [Sentence.from_words(["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"])]
    >>> result = evaluate(gold, gold, by="relation")
    >>> result["LAS"].f1, [(group.key, group.las) for group in result.groups]
    (1.0, [('nsubj', 1.0), ('root', 1.0)])
    """
    if by is not None and by not in BREAKDOWNS:
        raise InputError(f"no breakdown by {by!r}; there are {', '.join(BREAKDOWNS)}")
    if skip_bad:
        columns, skipped = load([gold, system], ["gold", "system"], skip_bad=True, progress=progress)
        return evaluation_of([Judgement(align(*columns))], skipped, by=by, punct=punct, subtypes=subtypes)
    return evaluation_of(judge_batches(gold, system, progress), by=by, punct=punct, subtypes=subtypes)


def judge_batches(gold: Source, system: Source, progress: Progress | None) -> Iterator[Judgement]:
    """Align the words of both files batch by batch; call progress with the share that is done."""
    for of_gold, of_system, share in batches_of(gold, system):
        yield Judgement(align(of_gold, of_system))
        if progress:
            progress(share)


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
    columns, skipped = load([gold, a, b], ["gold", "a", "b"], skip_bad=skip_bad, progress=progress)
    of_a, of_b = (Judgement(align(columns[0], system)) for system in columns[1:])
    return Comparison(
        a=evaluation_of([of_a], skipped, punct=punct),
        b=evaluation_of([of_b], skipped, punct=punct),
        differences=differences_of(of_a, of_b, metrics, punct=punct, samples=samples, seed=seed),
        samples=samples,
        seed=seed,
    )


def evaluation_of(
    judgements: Iterable[Judgement],
    skipped: int = 0,
    *,
    by: str | None = None,
    punct: bool = True,
    subtypes: bool = False,
) -> Evaluation:
    """Add up the scores of the parts of a file."""
    scores: dict[str, Score] = {}
    groups, several_roots = [], (SeveralRoots(), SeveralRoots())
    for judgement in judgements:
        part = scores_of(judgement, punct=punct)
        scores = {name: scores[name] + score for name, score in part.items()} if scores else part
        if by:
            groups.append(break_down(judgement, by, punct=punct, subtypes=subtypes))
        for roots, side in zip(several_roots, (judgement.gold, judgement.system), strict=True):
            roots.count(side.columns)
    notes = [roots.note for roots in several_roots if roots.sentences]
    if skipped:
        notes.append(f"{skipped} bad sentence{'s' * (skipped > 1)} left out of both files")
    return Evaluation(scores, by, merge_groups(groups, by) if by else (), tuple(notes))


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
