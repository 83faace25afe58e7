"""Completion by induced parsers: the best of all projective trees with the heads given, decided by enumeration."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from oracles.pipelines import pipeline
from oracles.treebank import treebank
from oracles.trees import all_trees

import treewright as tw
from treewright.errors import InputError
from treewright.induce import InducedParser, InductionOptions
from treewright.induce.dmv import UNLIMITED
from treewright.parser import rank
from treewright.pipeline import Pipeline

WORDS = tw.Sentence.from_words(
    ["the", "dog", "sees", "a", "song", "."], upos=["DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"]
)


@pytest.fixture(scope="module", params=["dmv", "lc-dmv", "convex-mst", "joint", "best"])
def model(request: pytest.FixtureRequest) -> InducedParser:
    options = InductionOptions(method=request.param, iterations=3, limits=UNLIMITED)
    return InducedParser.train(treebank(30), options=options)


def value_of(model: InducedParser, tree: tuple[int, ...]) -> float:
    """The value of one tree of the five words: that of the best tree when all other arcs are forbidden."""
    allowed = np.full((6, 6), -np.inf)
    allowed[list(tree[1:]), range(1, 6)] = 0.0
    return model.tree(WORDS, allowed=allowed)[0].value


def partial(heads: list[int]) -> tw.Sentence:
    return WORDS.with_columns(heads=heads, deprels=["_"] * 6)


def test_the_best_of_all_trees_with_the_heads_given(model: InducedParser) -> None:
    values = {tree: value_of(model, tree) for tree in all_trees(5, projective=True)}
    for word, head in product(range(1, 6), range(6)):
        if head == word:
            continue
        given = [-1] * 6
        given[word - 1] = head
        [found] = model.complete([partial(given)])
        best = max(value for tree, value in values.items() if tree[word] == head)
        assert found.sentence.heads[word - 1] == head
        assert found.parse is not None
        assert found.parse.bound >= best - 1e-9
        if found.parse.certified:
            assert values[(-1, *found.sentence.heads.tolist()[:5])] == pytest.approx(best, rel=1e-9)


def test_everything_open_is_parsing(model: InducedParser) -> None:
    bank = [one.with_columns(heads=[-1] * len(one), deprels=["_"] * len(one)) for one in treebank(6, seed=1)]
    for parsed, found in zip(model.parse(bank), model.complete(bank), strict=True):
        assert str(found.sentence) == str(parsed)


def test_heads_and_relations_that_are_given_stay(model: InducedParser) -> None:
    given = WORDS.with_columns(heads=[2, -1, -1, -1, -1, 3], deprels=["det", "_", "_", "_", "obj", "punct"])
    [found] = model.complete([given])
    assert found.sentence.heads[[0, 5]].tolist() == [2, 3]
    assert [found.sentence.deprels[place] for place in (0, 4, 5)] == ["det", "obj", "punct"]
    assert found.open_heads.tolist() == [False, True, True, True, True, False]
    assert np.isnan(found.confidence).all()


def test_limits_are_lifted_for_heads_that_they_exclude() -> None:
    model = InducedParser.train(treebank(20), options=InductionOptions(method="lc-dmv", iterations=2))
    [found] = model.complete([partial([-1, 1, -1, -1, -1, -1])])  # a determiner is a leaf within the limits
    assert found.sentence.heads[1] == 1


@pytest.mark.parametrize(
    ("heads", "crossing"),
    [
        ([-1, 6, -1, -1, -1, -1], False),  # a word below punctuation
        ([-1, -1, -1, -1, -1, 0], False),  # punctuation below the root
        ([3, 4, -1, -1, -1, -1], True),
    ],
)
def test_decisions_that_no_tree_of_the_model_has_are_kept(
    heads: list[int], crossing: bool, model: InducedParser
) -> None:
    [found] = model.complete([partial(heads)])
    assert found.note.startswith("no tree of the induced model has all the heads given")
    assert found.crossing == crossing
    assert found.parse is not None
    assert not found.parse.certified
    tree = found.sentence.heads.tolist()
    assert tw.trees.is_tree(tw.trees.from_conll(tree), root="single")
    [own] = model.parse([WORDS])
    same = sum(one == other for one, other in zip(tree, own.heads.tolist(), strict=True))
    agreeing = [
        other[1:]
        for other in all_trees(5)
        if all(given in (-1, head) for given, head in zip(heads[:5], other[1:], strict=True))
    ]
    if heads[5] < 0 and 6 not in heads:  # full stop as it was: the tree nearest to that of the model, by enumeration
        assert same == max(sum(map(int.__eq__, other, own.heads.tolist())) for other in agreeing) + 1


def test_arguments_without_a_meaning_are_refused(model: InducedParser) -> None:
    with pytest.raises(InputError, match="leave out root='multi'"):
        model.complete([WORDS], root="multi")
    with pytest.raises(InputError, match="leave out --method and --nonprojective"):
        model.complete([WORDS], method="dd")
    with pytest.raises(InputError, match="on_error is 'ignore'; expected 'raise' or 'skip'"):
        model.complete([WORDS], on_error="ignore")
    with pytest.raises(InputError, match="an induced model has no probabilities of heads"):
        rank(model.complete([partial([-1] * 6)]))


def test_a_pipeline_with_an_induced_parser_completes(model: InducedParser, tmp_path: Path) -> None:
    nlp = Pipeline(tw.tokeniser.Tokeniser(), pipeline().tagger, model)
    [found] = nlp.complete([tw.Sentence.from_words(WORDS.forms, heads=[2, -1, -1, -1, -1, -1])])
    assert found.sentence.heads[0] == 2
