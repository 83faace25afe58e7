"""Completion by an induced parser: the best tree under its model that has the heads given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from treewright.corpus import Sentence
from treewright.corpus.document import checked_sentences
from treewright.errors import FormatError, InfeasibleError
from treewright.induce.model import Found, InducedParser
from treewright.induce.tagged import words_of
from treewright.parser.completion import OPEN, ROOT, Completion, checked_on_error, decisions, filled_in, untouched

Arc = tuple[int, int]  # head, modifier


def complete(
    model: InducedParser, sentences: Iterable[Sentence], on_error: str, max_seconds: float
) -> Iterator[Completion]:
    """Each sentence filled in; see `InducedParser.complete`."""
    is_raised = checked_on_error(on_error) == "raise"

    def complete_one(sentence: Sentence) -> Completion:
        try:
            return completed(model, sentence, max_seconds)
        except FormatError as error:
            if is_raised:
                raise
            return untouched(sentence, error)

    return map(complete_one, checked_sentences(sentences))


def completed(model: InducedParser, sentence: Sentence, max_seconds: float) -> Completion:
    """One sentence."""
    sentence.check("partial")
    require, forbid = decisions(sentence, "single", (ROOT,))
    allowed = allowed_arcs(model, sentence, require, forbid)
    found, relations = best_tree(model, sentence, max_seconds, allowed)
    heads = np.where(sentence.heads < 0, found.heads, sentence.heads).astype(np.int32)
    labels = [new if old == OPEN else old for old, new in zip(sentence.deprels, relations, strict=True)]
    copy, open_heads, open_labels = filled_in(sentence, heads, labels)
    copy.parse, copy.head_confidence = model.result(replace(found, heads=heads)), None
    unknown = np.full(len(sentence), np.nan)
    return Completion(copy, open_heads, open_labels, unknown, unknown, copy.parse)


def best_tree(
    model: InducedParser, sentence: Sentence, max_seconds: float, allowed: NDArray[np.float64]
) -> tuple[Found, list[str]]:
    """The best tree within the limits of the model; without limits if there is none."""
    try:
        return model.tree(sentence, max_seconds, allowed)
    except InfeasibleError:
        limits = replace(model.options.limits, depth=0, leaves=())
        unlimited = replace(model, options=replace(model.options, limits=limits))
    try:
        return unlimited.tree(sentence, max_seconds, allowed)
    except InfeasibleError:
        problem = "no projective tree has all the heads given, and an induced model has projective trees only"
        raise FormatError(sentence.source, sentence.line, problem) from None


def allowed_arcs(
    model: InducedParser, sentence: Sentence, require: Iterable[Arc], forbid: Iterable[Arc]
) -> NDArray[np.float64]:
    """[h, m] over the words that the model analyses, which punctuation is not among: 0, or -inf where not allowed."""
    positions = words_of(sentence, model.tags_of).positions.tolist()
    number = {0: 0} | {position + 1: place for place, position in enumerate(positions, start=1)}
    allowed = np.zeros((len(number), len(number)))
    for head, modifier in require:
        if modifier in number and head in number:
            others = np.arange(len(number)) != number[head]
            allowed[others, number[modifier]] = -np.inf
        elif modifier in number:
            problem = f"word {modifier} is attached to punctuation (word {head})"
            raise refused(sentence, modifier, problem)
        elif head == 0 and positions:
            raise refused(sentence, modifier, f"punctuation (word {modifier}) is attached to the root")
    for head, modifier in forbid:
        if modifier in number:
            allowed[number[head], number[modifier]] = -np.inf
    return allowed


def refused(sentence: Sentence, word: int, problem: str) -> FormatError:
    """The error for a decision that an induced model cannot keep."""
    remedy = "an induced model leaves punctuation out of its trees: give another head, or leave it open"
    return FormatError(sentence.source, sentence.line_of(word), f"{problem}; {remedy}")
