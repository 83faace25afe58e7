"""Punctuation in trees whose arcs cross: gaps that the guidelines forbid are found as `treewright check` finds them."""

from __future__ import annotations

import numpy as np
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
