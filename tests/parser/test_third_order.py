"""Bounds on the trees of the model "third": against all trees of short sentences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracles.treebank import treebank
from oracles.trees import all_trees

import treewright as tw
from treewright.errors import InputError
from treewright.parser import FactorOptions, Labelling, Parser, ParserOptions, Pruning, Scoring
from treewright.parser.model import Worker
from treewright.parser.third_order import third_order_parts

ROUNDING = 1e-6  # weights of factors are of single precision
OPTIONS = ParserOptions(
    model="third",
    projective=False,
    pruning=Pruning(bits=10, epochs=1, threshold=1e-9),
    scoring=Scoring(bits=12, epochs=1),
    labelling=Labelling(bits=10, epochs=1),
    factors=FactorOptions(bits=12, epochs=1),
)
SENTENCES = (
    "the/DET dog/NOUN sees/VERB a/DET house/NOUN",
    "dogs/NOUN see/VERB cats/NOUN",
    "a/DET house/NOUN of/ADP dogs/NOUN barks/VERB",
    "see/VERB the/DET dog/NOUN ,/PUNCT cats/NOUN",
)


@pytest.fixture(scope="module")
def third() -> Parser:
    return Parser.train(treebank(20), options=OPTIONS)


def test_the_bound_is_one_of_all_trees_by_the_scores_of_the_parser(third: Parser) -> None:
    worker = Worker(third.model)
    assert worker.tree_scorer is not None
    assert third.model.factors is not None
    for words in SENTENCES:
        forms, tags = zip(*(word.split("/") for word in words.split()), strict=True)
        sentence = tw.Sentence.from_words(list(forms), upos=list(tags))
        parts, trees = third.parts(sentence), np.array(all_trees(len(sentence)), dtype=np.int32)
        known = third_order_parts(worker, sentence, parts)  # opens the sentence
        factors = worker.tree_scorer.values(trees, *third.model.factors)
        values = factors + [parts.value(heads) for heads in trees]
        for heads, factor, value in zip(trees, factors, values, strict=True):
            if value > -np.inf:
                assert known.value(heads) == pytest.approx(factor, abs=ROUNDING)
        found = third.bounded_tree(sentence, max_nodes=50)
        assert found.bound >= values.max() - ROUNDING
        assert found.score == pytest.approx(values.max(), abs=ROUNDING)
        assert found.certified
        assert parts.core.arcs > len(sentence)  # there is a choice


def test_models_without_a_bound_are_refused(third: Parser) -> None:
    with pytest.raises(InputError, match="model 'grand' has no third-order parts"):
        third.without_factors().bounded_tree(tw.Sentence.from_words(["It", "rains"], upos=["PRON", "VERB"]))
    assert third.model.options.factors is not None
    settings = replace(third.model.options, factors=replace(third.model.options.factors, without=()))
    with pytest.raises(InputError, match="global features have no bound"):
        Parser(replace(third.model, options=settings)).bounded_tree(treebank(1)[0])
