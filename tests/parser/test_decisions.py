"""Decisions of annotators: every set that some tree has is kept, the others are explained. All sets are enumerated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product

import pytest
from oracles.pipelines import pipeline
from oracles.treebank import treebank
from oracles.trees import all_trees

import treewright as tw
from treewright import trees
from treewright.corpus import Sentence
from treewright.parser import Completion, Labelling, Parser, ParserOptions, Pruning, Scoring
from treewright.pipeline import Pipeline

TOLERANCE = 1e-9  # relative, of values of trees
WORDS = ["the", "dog", "sees", ".", "songs"]
TAGS = ["DET", "NOUN", "VERB", "PUNCT", "NOUN"]  # punctuation inside: induced models leave it out of their trees
EVERY_ARC = ParserOptions(
    pruning=Pruning(bits=10, threshold=0.0, max_heads=10), scoring=Scoring(bits=12), labelling=Labelling(bits=10)
)
Model = Parser | Pipeline
Tree = tuple[int, ...]


@cache
def parser(projective: bool, root: str = "single") -> Parser:
    options = replace(EVERY_ARC, model="grand", projective=projective, root=root)
    return Parser.train(treebank(30, crossing=0.3), options=options)


def decision_sets(words: int) -> Iterator[list[int]]:
    """Every choice of heads, -1 for an open one; those with a word under itself are no CoNLL-U."""
    for heads in product(range(-1, words + 1), repeat=words):
        if all(head != word for word, head in enumerate(heads, 1)):
            yield list(heads)


def agreeing(heads: list[int], root: str = "single") -> list[Tree]:
    """The trees that have these heads."""
    return [
        tree
        for tree in all_trees(len(heads), root=root)
        if all(given in (-1, head) for given, head in zip(heads, tree[1:], strict=True))
    ]


def partial(heads: list[int]) -> Sentence:
    words = len(heads)
    return Sentence.from_words(WORDS[:words], upos=TAGS[:words], heads=heads)


def is_projective(tree: Tree) -> bool:
    return trees.is_projective(list(tree))


def completed(model: Model, sets: list[list[int]]) -> list[Completion]:
    return list(model.complete(map(partial, sets), on_error="skip"))


def check_kept_or_explained(found: Completion, heads: list[int], possible: list[Tree]) -> None:
    if not possible:
        assert found.problem is not None
        assert found.sentence.heads.tolist() == heads
        reasons = ("run in a circle", "are attached to the root; expected one", "cannot hold together")
        assert any(reason in str(found.problem) for reason in reasons)
        return
    assert found.problem is None
    assert (-1, *found.sentence.heads.tolist()) in possible


@pytest.mark.parametrize(
    ("words", "root"),
    [
        *((words, root) for words in (1, 2, 3) for root in ("single", "multi")),
        (4, "single"),
        pytest.param(4, "multi", marks=pytest.mark.slow),
        pytest.param(5, "single", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("projective", [True, False])
def test_a_parser_finds_the_best_tree_with_any_decisions_that_a_tree_has(
    words: int, root: str, projective: bool
) -> None:
    model, sets = parser(projective, root), list(decision_sets(words))
    parts = model.parts(partial(sets[0]), all_arcs=True)
    values = {tree: parts.value(list(tree)) for tree in all_trees(words, root=root)}
    for heads, found in zip(sets, completed(model, sets), strict=True):
        possible = agreeing(heads, root)
        check_kept_or_explained(found, heads, possible)
        if not possible:
            continue
        preferred = [tree for tree in possible if is_projective(tree)] if projective else possible
        assert found.crossing == (projective and not preferred)
        assert found.crossing == ("no projective tree" in found.note)
        assert found.parse is not None
        best = max(values[tree] for tree in preferred or possible)
        assert found.parse.score == pytest.approx(best, rel=TOLERANCE)
        assert found.parse.certified


@pytest.mark.parametrize("words", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_a_pipeline_keeps_any_decisions_that_a_tree_has(words: int) -> None:
    sets = list(decision_sets(words))
    for heads, found in zip(sets, completed(pipeline(), sets), strict=True):
        check_kept_or_explained(found, heads, agreeing(heads))


def test_arcs_that_fit_no_projective_tree_although_none_cross() -> None:
    [found] = parser(True).complete([partial([4, -1, -1, 2])])
    assert found.sentence.heads[[0, 3]].tolist() == [4, 2]
    assert found.crossing
    assert found.note == "no projective tree has all the heads given; completed with crossing arcs"


def test_an_impossible_set_is_explained_by_its_smallest_part() -> None:
    labels = tw.Sentence.from_words(["dogs", "often", "bark"], upos=["NOUN", "ADV", "VERB"], deprels=["nsubj"] * 3)
    with pytest.raises(tw.errors.FormatError, match=r"forbid \(0, 1\), forbid \(0, 2\) and forbid \(0, 3\) cannot"):
        list(parser(True).complete([labels]))
