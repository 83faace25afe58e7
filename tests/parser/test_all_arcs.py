"""A certificate over the candidate arcs or over all arcs, decided by enumeration and by the unpruned model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from oracles.pipelines import TINY
from oracles.treebank import treebank
from oracles.trees import all_trees

import treewright as tw
from treewright.corpus import Sentence
from treewright.parser import Parser, worker

WORDS = Sentence.from_words(["the", "dog", "sees", "a", "song"], upos=["DET", "NOUN", "VERB", "DET", "NOUN"])


@pytest.fixture(scope="module", params=["arc", "sib", "grand"])
def trained(request: pytest.FixtureRequest) -> Parser:
    return Parser.train(treebank(60, crossing=0.3), options=replace(TINY, model=request.param))


@pytest.fixture(scope="module", params=[True, False], ids=["projective", "crossing"])
def parser(request: pytest.FixtureRequest, trained: Parser) -> Parser:
    """Pruned so hard that trees of the model are lost."""
    pruning = replace(trained.options.pruning, threshold=0.5, max_heads=1)
    options = replace(trained.options, projective=request.param, pruning=pruning)
    return Parser(replace(trained.model, options=options))


def unpruned(parser: Parser) -> Parser:
    pruning = replace(parser.options.pruning, threshold=0.0, max_heads=1000)
    return Parser(replace(parser.model, options=replace(parser.options, pruning=pruning)))


def shuffled(sentence: Sentence, seed: int) -> Sentence:
    """The words in another order, on which pruner and scorer of a small model differ."""
    order = np.random.default_rng(seed).permutation(len(sentence))
    return Sentence.from_words(
        [sentence.forms[place] for place in order], upos=[sentence.upos[place] for place in order]
    )


def test_over_all_arcs_the_best_of_all_trees_is_certified(parser: Parser) -> None:
    [found] = parser.parse([WORDS], all_arcs=True)
    parts = parser.parts(WORDS, all_arcs=True)
    best = max(parts.value(tree) for tree in all_trees(5, projective=parser.model.projective))
    assert found.parse.certified
    assert found.parse.score == pytest.approx(best, rel=1e-12)
    assert found.parse.scope == "all arcs"


def test_all_arcs_is_the_model_without_pruning(parser: Parser) -> None:
    bank = treebank(12, seed=7, crossing=0.3)
    every = list(parser.parse(bank, all_arcs=True))
    assert [str(one) for one in every] == [str(one) for one in unpruned(parser).parse(bank)]
    assert {one.parse.scope for one in every} == {"all arcs"}
    pruned = list(parser.parse(bank))
    assert {one.parse.scope for one in pruned} == {"candidate arcs"}
    assert all(one.parse.score <= other.parse.score + 1e-9 for one, other in zip(pruned, every, strict=True))


def test_pruning_loses_trees_that_all_arcs_finds(trained: Parser) -> None:
    pruning = replace(trained.options.pruning, threshold=1.0, max_heads=1)
    strict = Parser(replace(trained.model, options=replace(trained.options, pruning=pruning)))
    bank = [shuffled(sentence, seed) for seed, sentence in enumerate(treebank(40, seed=8))]
    pairs = zip(strict.parse(bank), strict.parse(bank, all_arcs=True), strict=True)
    assert any(one.parse.score < other.parse.score - 1e-9 for one, other in pairs)


def test_a_search_over_all_arcs_that_ends_early_has_no_lower_value_and_a_bound(trained: Parser) -> None:
    if trained.options.model == "arc":
        return  # has no search
    bank = [shuffled(sentence, seed) for seed, sentence in enumerate(treebank(10, seed=9))]
    options: dict[str, Any] = {"projective": False, "max_seconds": 0}
    for pruned, every, best in zip(
        trained.parse(bank, **options),
        trained.parse(bank, all_arcs=True, **options),
        trained.parse(bank, all_arcs=True, projective=False),
        strict=True,
    ):
        assert every.parse.score >= pruned.parse.score - 1e-9
        assert every.parse.bound >= best.parse.score - 1e-9
        assert every.parse.score == pytest.approx(trained.parts(every, all_arcs=True).value(every.parse.heads))
        assert every.heads.tolist() == every.parse.heads[1:].tolist()


def test_the_scope_is_all_arcs_where_nothing_was_removed(parser: Parser) -> None:
    [word] = parser.parse([Sentence.from_words(["dog"], upos=["NOUN"])])
    assert word.parse.scope == "all arcs"
    bank = treebank(3, seed=9)
    assert {one.parse.scope for one in unpruned(parser).parse(bank)} == {"candidate arcs"}  # no dependents of marks
    without_rules = replace(parser.options, label_rules=False)
    free = unpruned(Parser(replace(parser.model, options=without_rules)))
    assert {one.parse.scope for one in free.parse(bank)} == {"all arcs"}


def test_a_sentence_that_is_too_long_for_all_arcs_is_pruned_and_says_so(
    parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "MAX_WORDS_ALL_ARCS", 4)
    [found] = parser.parse([WORDS], all_arcs=True)
    assert found.parse.scope == "candidate arcs"


def test_every_text_of_a_certificate_names_its_scope(parser: Parser) -> None:
    from treewright.pipeline.certificate import certificate_line, set_certificate

    for all_arcs, scope in ((False, "candidate arcs"), (True, "all arcs")):
        [found] = parser.parse([WORDS], all_arcs=all_arcs)
        set_certificate(found, found.parse)
        assert found.comment("treewright") == "certified"
        assert certificate_line(found) == f"certified: the model's best tree over {scope}; it may still be wrong"
        assert found.to_dict()["certified_over"] == scope
        assert f"certified: the model's best tree over {scope}; it may still be wrong" in tw.draw.html([found])
        found.parse = None  # type: ignore[assignment]  # as read from a file, whose comment does not name the scope
        assert "certified: the model's best tree over the arcs that it considered" in tw.draw.html([found])


def test_why_not_and_k_best_trees_have_a_scope(parser: Parser) -> None:
    assert parser.why_not(WORDS, head=3, modifier=1).best.parse.scope == "candidate arcs"
    [found] = parser.kbest([WORDS], 1)
    assert {tree.parse.scope for tree in found} == {"candidate arcs"}
