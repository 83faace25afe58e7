"""Scores by what words are: their relation, the length of their arc or sentence, whether their arc is projective.

A word counts in the group that its own file puts it in, so a group has gold words and system words; recall is over
the former, precision over the latter (McDonald and Nivre 2007).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from treewright import trees
from treewright.evaluate.attachment import Judgement, Side
from treewright.evaluate.columns import Columns, Flags, Indices
from treewright.evaluate.scores import Group

ARC_LENGTHS = (1, 2, 3, 7, 11, 21)  # where the groups begin; neither is tuned
SENTENCE_LENGTHS = (1, 11, 21, 31, 41, 51)


@dataclass(frozen=True)
class Keys:
    """The group of each gold and each system word, and what the groups are called, in order."""

    gold: Indices
    system: Indices
    names: list[str]


def break_down(judgement: Judgement, by: str, *, punct: bool) -> tuple[Group, ...]:
    """Count the words of each group, also of empty ones."""
    keys = BREAKDOWNS[by](judgement)
    alignment = judgement.alignment
    gold, system = judgement.gold, judgement.system
    heads = judgement.same_head
    arcs = heads & judgement.same_relation
    if not punct:
        counted = ~gold.is_punctuation[alignment.gold_words]
        heads, arcs = heads & counted, arcs & counted

    def count(keys_of_words: Indices, which: Flags | Indices) -> list[int]:
        numbers: list[int] = np.bincount(keys_of_words[which], minlength=len(keys.names)).tolist()
        return numbers

    rows = zip(
        keys.names,
        count(keys.gold, every(gold, punct)),
        count(keys.system, every(system, punct)),
        count(keys.gold, alignment.gold_words[heads]),
        count(keys.gold, alignment.gold_words[arcs]),
        count(keys.system, alignment.system_words[heads]),
        count(keys.system, alignment.system_words[arcs]),
        strict=True,
    )
    return tuple(Group(*row) for row in rows)


def merge_groups(parts: Iterable[tuple[Group, ...]], by: str) -> tuple[Group, ...]:
    """Add up the groups of the parts of a file, broken down by `by`; leave out empty ones."""
    total: dict[str, Group] = {}
    for groups in parts:
        for group in groups:
            total[group.key] = total[group.key] + group if group.key in total else group
    merged = [group for group in total.values() if group.gold or group.system]
    return tuple(sorted(merged, key=lambda group: (-group.gold, group.key)) if by == "relation" else merged)


def every(side: Side, punct: bool) -> Flags:
    return np.ones(len(side.columns), bool) if punct else ~side.is_punctuation


def by_relation(judgement: Judgement) -> Keys:
    """Group by relation, the most frequent gold relations first."""
    gold, system = judgement.gold.relations, judgement.system.relations
    texts = judgement.alignment.gold.vocabulary.texts
    counts = np.bincount(gold, minlength=len(texts)).tolist()
    used: list[int] = np.unique(np.concatenate([gold, system])).tolist()
    order = sorted(used, key=lambda relation: (-counts[relation], texts[relation]))
    rank = np.zeros(len(texts), np.int64)
    rank[order] = np.arange(len(order))
    return Keys(rank[gold], rank[system], [texts[relation] for relation in order])


def by_arc_length(judgement: Judgement) -> Keys:
    def keys(columns: Columns) -> Indices:
        lengths = np.abs(columns.heads - np.arange(len(columns)))
        return np.where(columns.heads < 0, 0, np.searchsorted(ARC_LENGTHS, lengths, "right"))

    return Keys(keys(judgement.gold.columns), keys(judgement.system.columns), ["root", *names_of(ARC_LENGTHS)])


def by_sentence_length(judgement: Judgement) -> Keys:
    def keys(columns: Columns) -> Indices:
        return np.searchsorted(SENTENCE_LENGTHS, columns.lengths[columns.sentence_of], "right") - 1

    return Keys(keys(judgement.gold.columns), keys(judgement.system.columns), names_of(SENTENCE_LENGTHS))


def by_projectivity(judgement: Judgement) -> Keys:
    def keys(columns: Columns) -> Indices:
        # All sentences under one root are one tree: no arc of a word spans a word of another sentence.
        crossed = np.zeros(len(columns), bool)
        crossed[trees.nonprojective_arcs(trees.from_conll(columns.heads + 1)) - 1] = True
        in_sentence = np.bincount(columns.sentence_of, crossed, minlength=columns.sentences)[columns.sentence_of]
        return np.where(crossed, 2, np.where(in_sentence > 0, 1, 0))

    names = ["in projective trees", "other projective arcs", "non-projective arcs"]
    return Keys(keys(judgement.gold.columns), keys(judgement.system.columns), names)


def names_of(begins: tuple[int, ...]) -> list[str]:
    """
    >>> names_of((1, 2, 4))
    ['1', '2-3', '4+']
    """
    names = [str(begin) if end == begin + 1 else f"{begin}-{end - 1}" for begin, end in pairwise(begins)]
    return [*names, f"{begins[-1]}+"]


BREAKDOWNS: dict[str, Callable[[Judgement], Keys]] = {
    "relation": by_relation,
    "arc-length": by_arc_length,
    "sentence-length": by_sentence_length,
    "projectivity": by_projectivity,
}
