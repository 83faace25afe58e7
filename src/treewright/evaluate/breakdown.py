"""Scores by what words are: their relation, the length of their arc or sentence, whether their arc is projective.

A word counts in the group that its own file puts it in, so a group has gold words and system words; recall is over
the former, precision over the latter (McDonald and Nivre 2007).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from treewright import trees
from treewright.corpus.bytecells import Flags, Indices
from treewright.evaluate.attachment import Judgement, Side
from treewright.evaluate.columns import Columns
from treewright.evaluate.scores import Group

ARC_LENGTHS = (1, 2, 3, 7, 11, 21)  # where the groups begin; both tuples by convention
SENTENCE_LENGTHS = (1, 11, 21, 31, 41, 51)


@dataclass(frozen=True)
class Keys:
    """The group of each gold and each system word, and what the groups are called, in order."""

    gold: Indices
    system: Indices
    names: list[str]


def break_down(judgement: Judgement, by: str, *, punct: bool, subtypes: bool) -> tuple[Group, ...]:
    """One group a row. With subtypes, relations are taken whole."""
    keys = BREAKDOWNS[by](judgement, subtypes)
    found = judgement.alignment
    gold, system = judgement.gold, judgement.system
    heads = judgement.same_head
    arcs = heads & (judgement.same_deprel if subtypes else judgement.same_relation)
    if not punct:
        counted = ~gold.is_punctuation[found.gold_words]
        heads, arcs = heads & counted, arcs & counted

    def count(keys_of_words: Indices, which: Flags | Indices) -> list[int]:
        numbers: list[int] = np.bincount(keys_of_words[which], minlength=len(keys.names)).tolist()
        return numbers

    rows = zip(
        keys.names,
        count(keys.gold, every(gold, punct)),
        count(keys.system, every(system, punct)),
        count(keys.gold, found.gold_words[heads]),
        count(keys.gold, found.gold_words[arcs]),
        count(keys.system, found.system_words[heads]),
        count(keys.system, found.system_words[arcs]),
        strict=True,
    )
    return tuple(Group(*row) for row in rows if row[1] or row[2])


def every(side: Side, punct: bool) -> Flags:
    return np.ones(len(side.columns), bool) if punct else ~side.is_punctuation


def by_relation(judgement: Judgement, subtypes: bool) -> Keys:
    """The most frequent gold relations first."""
    gold, gold_names = relations_of(judgement.gold, subtypes)
    system, system_names = relations_of(judgement.system, subtypes)
    counts = dict.fromkeys([*gold_names, *system_names], 0)
    counts |= dict(zip(gold_names, np.bincount(gold, minlength=len(gold_names)).tolist(), strict=True))
    names = sorted(counts, key=lambda name: (-counts[name], name))
    number = {name: i for i, name in enumerate(names)}
    in_gold = np.array([number[name] for name in gold_names], np.int64)
    in_system = np.array([number[name] for name in system_names], np.int64)
    return Keys(in_gold[gold], in_system[system], names)


def relations_of(side: Side, subtypes: bool) -> tuple[Indices, list[str]]:
    return side.columns.deprels.codes() if subtypes else side.relation_codes


def by_arc_length(judgement: Judgement, subtypes: bool) -> Keys:
    def keys(columns: Columns) -> Indices:
        lengths = np.abs(columns.heads - np.arange(len(columns)))
        return np.where(columns.heads < 0, 0, np.searchsorted(ARC_LENGTHS, lengths, "right"))

    found = judgement.alignment
    return Keys(keys(found.gold), keys(found.system), ["root", *names_of(ARC_LENGTHS)])


def by_sentence_length(judgement: Judgement, subtypes: bool) -> Keys:
    def keys(columns: Columns) -> Indices:
        return np.searchsorted(SENTENCE_LENGTHS, columns.lengths[columns.sentence_of], "right") - 1

    found = judgement.alignment
    return Keys(keys(found.gold), keys(found.system), names_of(SENTENCE_LENGTHS))


def by_projectivity(judgement: Judgement, subtypes: bool) -> Keys:
    def keys(columns: Columns) -> Indices:
        # All sentences under one root are one tree: no arc of a word spans a word of another sentence.
        crossed = np.zeros(len(columns), bool)
        crossed[trees.nonprojective_arcs(trees.from_conll(columns.heads + 1)) - 1] = True
        in_sentence = np.bincount(columns.sentence_of, crossed, minlength=columns.sentences)[columns.sentence_of]
        return np.where(crossed, 2, np.where(in_sentence > 0, 1, 0))

    found = judgement.alignment
    names = ["in projective trees", "other projective arcs", "non-projective arcs"]
    return Keys(keys(found.gold), keys(found.system), names)


def names_of(begins: tuple[int, ...]) -> list[str]:
    """
    >>> names_of((1, 2, 4))
    ['1', '2-3', '4+']
    """
    names = [str(begin) if end == begin + 1 else f"{begin}-{end - 1}" for begin, end in pairwise(begins)]
    return [*names, f"{begins[-1]}+"]


BREAKDOWNS: dict[str, Callable[[Judgement, bool], Keys]] = {
    "relation": by_relation,
    "arc-length": by_arc_length,
    "sentence-length": by_sentence_length,
    "projectivity": by_projectivity,
}
