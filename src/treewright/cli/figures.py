"""Figures of a trained model from raw text, for the commands that train."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.corpus import Sentence
from treewright.evaluate import evaluate

GRAPH_FIGURES = ("ELAS", "EULAS", "Extra")
TREE_FIGURES = ("UAS", "LAS")
FIGURES = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", *TREE_FIGURES)  # from raw text


def f1_figures(gold: Sequence[Sentence], parsed: Sequence[Sentence], names: Sequence[str]) -> dict[str, float]:
    """Return F1 in per cent, as the official script counts it."""

    scores = evaluate(gold, parsed).scores
    return {name: 100 * scores[name].f1 for name in names}


def sentences_to_judge(dev: Sequence[Sentence]) -> tuple[Sequence[Sentence], Sequence[str]]:
    """Return the development sentences with complete trees, and the figures that they give.

    If none is complete, all of them are returned, with open heads set to the root so that they can be compared, and
    the figures are those without trees.
    """
    complete = [sentence for sentence in dev if -1 not in sentence.head_numbers()]
    if complete:
        return complete, FIGURES
    filled = [sentence.with_columns(heads=sentence.heads.clip(min=0)) for sentence in dev]
    return filled, [name for name in FIGURES if name not in TREE_FIGURES]
