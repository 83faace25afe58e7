"""Punctuation in trees whose arcs cross: gaps that the guidelines forbid are found as `treewright check` finds them."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray
from oracles.trees import all_trees

import treewright as tw
from treewright.parser.punctuation import attach_marks, crossing_marks


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


def test_moved_marks_make_no_gaps_and_are_as_high_as_possible() -> None:
    """All trees of up to five words, with any of the words without dependents as punctuation."""
    tried = moved = 0
    for tree in (tree for words in (2, 3, 4, 5) for tree in all_trees(words)):
        heads = np.array(tree, dtype=np.int32)
        leaves = [word for word in range(1, len(tree)) if word not in tree and tree[word] > 0]
        for marks in chain.from_iterable(combinations(leaves, count) for count in range(1, len(leaves) + 1)):
            of_marks = np.array(marks, dtype=np.int32)
            crossing = [mark for _, mark in crossing_marks(heads, of_marks)]
            clean = attach_marks(heads, of_marks, crossing)
            assert crossing_marks(clean, of_marks) == []
            assert crossing_marks(attach_marks(heads, of_marks, marks), of_marks) == []
            assert all(clean[word] == heads[word] for word in range(1, len(tree)) if word not in crossing)
            tw.trees.check_tree(clean)
            if len(crossing) == 1:
                assert depth_of(clean, crossing[0]) == min(depths_without_gaps(heads, of_marks, crossing[0]))
                moved += 1
            tried += 1
    assert tried > 2000
    assert moved > 500


def depth_of(heads: NDArray[np.int32], word: int) -> int:
    return int(tw.trees.depths(heads)[word])


def depths_without_gaps(heads: NDArray[np.int32], marks: NDArray[np.int32], mark: int) -> list[int]:
    """The depth of a mark below each word, but other marks, where there are no gaps, by definition."""
    others = [word for word in range(1, len(heads)) if word not in marks]
    trees = [np.where(np.arange(len(heads)) == mark, head, heads).astype(np.int32) for head in others]
    return [depth_of(tree, mark) for tree in trees if not crossing_marks(tree, marks)]


def test_forbidden_arcs_are_not_made() -> None:
    heads, mark = np.array([-1, 2, 0, 2, 1], dtype=np.int32), np.array([4], dtype=np.int32)
    assert attach_marks(heads, mark, [4]).tolist() == [-1, 2, 0, 2, 2]
    assert attach_marks(heads, mark, [4], [(2, 4)]).tolist() == [-1, 2, 0, 2, 3]
    assert attach_marks(heads, mark, [4], [(2, 4), (3, 4)]).tolist() == heads.tolist()
