"""Completion by an induced parser: the best tree under its model that has the heads given.

The trees of the model are projective, and punctuation is not part of them. Decisions that no such tree has are kept all
the same: among all trees with them, the one that has the most arcs of the model's own tree is chosen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from treewright import decode
from treewright.corpus import Sentence
from treewright.corpus.document import checked_sentences
from treewright.errors import FormatError, InfeasibleError
from treewright.induce.model import InducedParser, Trees
from treewright.induce.tagged import words_of
from treewright.parser.completion import Completion, check_on_error, fill_in, impossible, untouched
from treewright.parser.decisions import OPEN, Arc, Decisions, check_single_root, is_projective_possible
from treewright.parser.label_rules import ROOT

NO_TREE_OF_THE_MODEL = (
    "no tree of the induced model has all the heads given; completed with the tree that has most of its arcs"
)


def complete(
    model: InducedParser,
    sentences: Iterable[Sentence],
    on_error: str,
    max_seconds: float,
    require: Sequence[Arc],
    forbid: Sequence[Arc],
) -> Iterator[Completion]:
    """Fill in each sentence; see `InducedParser.complete`."""
    check_on_error(on_error)
    is_raised = on_error == "raise"

    def complete_one(sentence: Sentence) -> Completion:
        try:
            return complete_sentence(model, sentence, max_seconds, require, forbid)
        except FormatError as error:
            if is_raised:
                raise
            return untouched(sentence, error)

    return map(complete_one, checked_sentences(sentences))


def complete_sentence(
    model: InducedParser, sentence: Sentence, max_seconds: float, further: Sequence[Arc], excluded: Sequence[Arc]
) -> Completion:
    """Fill in one sentence; its tree has the further arcs and none of the excluded ones."""
    sentence.check("partial")
    decided = Decisions.given(sentence, (ROOT,))
    check_single_root(sentence, decided)
    require, forbid, _ = decided.extended(further, excluded)
    note = ""
    try:
        allowed = allowed_arcs(model, sentence, require, forbid)
        tree, relations = best_tree(model, sentence, max_seconds, allowed)
    except InfeasibleError:
        note = NO_TREE_OF_THE_MODEL
        tree, relations = nearest_tree(model, sentence, max_seconds, require, forbid)
    heads = np.where(sentence.heads < 0, tree.heads, sentence.heads).astype(np.int32)
    labels = [new if old == OPEN else old for old, new in zip(sentence.deprels, relations, strict=True)]
    copy, open_heads, open_labels = fill_in(sentence, heads, labels)
    copy.parse, copy.head_confidence = model.result(replace(tree, heads=heads)), None
    unknown = np.full(len(sentence), np.nan)
    crossing = bool(note) and not is_projective_possible(len(sentence), {"require": require, "forbid": forbid})
    return Completion(copy, open_heads, open_labels, unknown, unknown, copy.parse, crossing, note)


def best_tree(
    model: InducedParser, sentence: Sentence, max_seconds: float, allowed: NDArray[np.float64]
) -> tuple[Trees, list[str]]:
    """Return the best tree within the limits of the model; without limits if there is none."""
    try:
        return model.tree(sentence, max_seconds, allowed)
    except InfeasibleError:
        limits = replace(model.options.limits, depth=0, leaves=())
        unlimited = replace(model, options=replace(model.options, limits=limits))
    return unlimited.tree(sentence, max_seconds, allowed)


def nearest_tree(
    model: InducedParser, sentence: Sentence, max_seconds: float, require: Sequence[Arc], forbid: Sequence[Arc]
) -> tuple[Trees, list[str]]:
    """Return the tree with the decisions that has most arcs of the model's own tree; of several, that of short arcs.

    It is none of the trees of the model, so that its value is -inf.
    """
    free, relations = model.tree(sentence, max_seconds)
    words = np.arange(len(sentence) + 1)
    distance = np.abs(words[:, None] - words) + (words[:, None] == 0) * len(sentence)  # the root is no neighbour
    arc = -distance / (2.0 * (len(sentence) + 1) ** 2)  # of all arcs together less than one
    arc[free.heads, words[1:]] += 1
    try:
        heads = decode.tree(arc, require=require, forbid=forbid).heads[1:]
    except InfeasibleError as error:
        raise impossible(sentence, error) from None
    labels = [
        label if head == old else ROOT if head == 0 else "dep"
        for label, head, old in zip(relations, heads, free.heads, strict=True)
    ]
    return Trees(heads, -math.inf, free.bound, is_best=False), labels


def allowed_arcs(
    model: InducedParser, sentence: Sentence, require: Sequence[Arc], forbid: Sequence[Arc]
) -> NDArray[np.float64]:
    """Return [h, m] over the words that the model analyses, punctuation left out: 0, or -inf where not allowed.

    An InfeasibleError says that decisions about punctuation are not those of a tree of the model.
    """
    positions = words_of(sentence, model.tags_of).positions.tolist()
    number = {0: 0} | {position + 1: index for index, position in enumerate(positions, start=1)}
    allowed = np.zeros((len(number), len(number)))
    if not positions and (require or forbid):
        raise InfeasibleError("every word is punctuation")
    for head, modifier in require:
        if modifier in number and head in number:
            others = np.arange(len(number)) != number[head]
            allowed[others, number[modifier]] = -np.inf
        elif modifier in number:
            raise InfeasibleError(f"word {modifier} is attached to punctuation (word {head})")
        elif head == 0:
            raise InfeasibleError(f"punctuation (word {modifier}) is attached to the root")
    for head, modifier in forbid:
        if modifier in number:
            allowed[number[head], number[modifier]] = -np.inf
    return allowed
