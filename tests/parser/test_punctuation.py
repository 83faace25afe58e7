"""Punctuation in trees whose arcs cross: gaps that the guidelines forbid are found as `treewright check` finds them."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from oracles.trees import all_trees

import treewright as tw
from treewright.parser.punctuation import crossing_marks


def test_crossing_marks_are_those_that_check_reports() -> None:
    """All trees of five words in which the words 2 and 5 are punctuation without dependents."""
    marks = np.array([2, 5], dtype=np.int32)
    checked = 0
    for tree in all_trees(5):
        heads = np.array(tree, dtype=np.int32)
        if np.isin(heads, marks).any() or (heads[marks] == 0).any():
            continue
        sentence = tw.Sentence.from_words(
            ["a", ",", "b", "c", "."],
            upos=["X", "PUNCT", "X", "X", "PUNCT"],
            heads=heads[1:].tolist(),
            deprels=["root" if head == 0 else "punct" if m in marks else "dep" for m, head in enumerate(tree) if m],
        )
        findings = [finding for finding in tw.check([sentence], level=3) if finding.rule == "punct-crossing"]
        assert bool(findings) == bool(crossing_marks(heads, marks)), tree
        checked += 1
    assert checked > 50


@pytest.mark.parametrize(
    "options", [{}, {"all_arcs": True}, {"max_seconds": 1e-5}, {"all_arcs": True, "max_seconds": 1e-3}], ids=str
)
def test_crossing_trees_have_no_gaps_around_punctuation(options: dict[str, Any]) -> None:
    """Words at random, with the embedded model: over candidate arcs or all, and where the search runs out of time."""
    random = Random(3)
    words = ["the", "man", "who", "saw", "dog", "that", "ran", "of", "to", "house", "we", "left", ",", ";", "(", ")"]
    sentences = [tw.Sentence.from_words([*random.choices(words, k=20), "."]) for _ in range(40)]
    parsed = list(tw.load("en").parse(sentences, projective=False, **options))
    assert [finding for finding in tw.check(parsed, level=3) if finding.rule.startswith("punct-")] == []
    assert all(sentence.parse.bound >= sentence.parse.score for sentence in parsed)
