"""Questions under constraints: required and forbidden arcs, and heads that are decided in the sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from oracles.pipelines import TINY, pipeline
from oracles.treebank import treebank
from oracles.trees import all_trees

from treewright.corpus import Sentence
from treewright.errors import InfeasibleError
from treewright.parser import Parser

WORDS = ["the", "dog", "sees", "a", "song"]
SENTENCE = Sentence.from_words(WORDS, upos=["DET", "NOUN", "VERB", "DET", "NOUN"])
REQUIRE, FORBID = [(3, 4)], [(2, 1), (3, 5)]


@pytest.fixture(scope="module", params=[True, False], ids=["projective", "crossing"])
def parser(request: pytest.FixtureRequest) -> Parser:
    """Every arc is a candidate."""
    pruning = replace(TINY.pruning, threshold=0.0, max_heads=1000)
    options = replace(TINY, model="grand", pruning=pruning, projective=request.param)
    return Parser.train(treebank(60, crossing=0.3), options=options)


def values(parser: Parser, require: list[tuple[int, int]], forbid: list[tuple[int, int]]) -> list[float]:
    """The values of all trees with these arcs, the best first."""
    parts = parser.parts(SENTENCE)
    trees = all_trees(5, projective=parser.model.projective)
    kept = [tree for tree in trees if all(tree[m] == h for h, m in require) and all(tree[m] != h for h, m in forbid)]
    return sorted(map(parts.value, kept), reverse=True)


def test_the_k_best_trees_have_the_arcs(parser: Parser) -> None:
    [found] = parser.kbest([SENTENCE], 5, require=REQUIRE, forbid=FORBID)
    assert [tree.parse.score for tree in found] == pytest.approx(values(parser, REQUIRE, FORBID)[:5], abs=1e-9)
    partial = SENTENCE.with_columns(heads=[-1, -1, -1, 3, -1])
    [decided] = parser.kbest([partial], 5, forbid=FORBID)
    assert [tree.heads.tolist() for tree in decided] == [tree.heads.tolist() for tree in found]
    assert sum(found.probabilities) <= 1 + 1e-9


def test_the_cost_of_an_arc_is_given_the_others(parser: Parser) -> None:
    best = values(parser, REQUIRE, FORBID)[0]
    answer = parser.why_not(SENTENCE, head=3, modifier=1, require=REQUIRE, forbid=FORBID)
    assert answer.best.parse.score == pytest.approx(best, abs=1e-9)
    assert answer.loss == pytest.approx(best - values(parser, [*REQUIRE, (3, 1)], FORBID)[0], abs=1e-9)
    with pytest.raises(InfeasibleError) as caught:
        parser.why_not(SENTENCE, head=5, modifier=4, require=REQUIRE)
    assert caught.value.conflict == [(3, 4), (5, 4)]


def test_a_decided_head_is_respected_but_for_the_word_that_is_asked_about(parser: Parser) -> None:
    partial = SENTENCE.with_columns(heads=[-1, -1, -1, 3, -1], deprels=["_", "_", "_", "new", "_"])
    decided = [(3, 4)]
    for head in (0, 3, 5):
        expected = values(parser, decided, [])[0] - values(parser, [*decided, (head, 1)], [])[0]
        assert parser.why_not(partial, head=head, modifier=1).loss == pytest.approx(expected, abs=1e-9)
    answer = parser.why_not(partial, head=5, modifier=4)
    assert answer.best.heads[3] == 3
    assert answer.best.deprels[3] == "new"
    assert answer.loss == pytest.approx(values(parser, decided, [])[0] - values(parser, [(5, 4)], [])[0], abs=1e-9)
    alternatives = parser.alternatives(partial, 4, count=10)
    assert {one.head for one in alternatives} == {0, 1, 2, 5}
    assert all(one.label != "new" for one in alternatives)
    other = parser.alternatives(partial, 1, count=10, forbid=[(2, 1), (5, 1)])
    assert {one.head for one in other}.isdisjoint({1, 2, 5})


def test_a_whole_tree_decides_nothing(parser: Parser) -> None:
    [parsed] = parser.parse([SENTENCE])
    wrong = parsed.with_columns(heads=[0, 1, 1, 1, 1])
    for question in (parsed, wrong):
        assert parser.why_not(question, head=3, modifier=1).best.heads.tolist() == parsed.heads.tolist()
        [[first]] = parser.kbest([question], 1)
        assert first.heads.tolist() == parsed.heads.tolist()


def test_decisions_that_no_projective_tree_has_are_kept(parser: Parser) -> None:
    partial = SENTENCE.with_columns(heads=[3, -1, -1, 2, -1])
    [[first]] = parser.kbest([partial], 1)
    assert first.heads[[0, 3]].tolist() == [3, 2]
    assert parser.alternatives(partial, 5).best.heads[[0, 3]].tolist() == [3, 2]


def test_completion_takes_further_arcs(parser: Parser) -> None:
    partial = SENTENCE.with_columns(heads=[-1, -1, -1, 3, -1])
    [found] = parser.complete([partial], require=[(5, 1)], forbid=[(3, 5)])
    assert found.sentence.parse.score == pytest.approx(values(parser, [(3, 4), (5, 1)], [(3, 5)])[0], abs=1e-9)
    assert found.open_heads.tolist() == [True, True, True, False, True]


def test_pipelines_pass_the_arcs_on() -> None:
    nlp = pipeline()
    text = "The old dog sees a house."
    [parsed] = nlp(text)
    own = int(parsed.heads[1])
    [[best]] = nlp.kbest(text, 1, forbid=[(own, 2)])
    assert best.heads[1] != own
    assert own not in [one.head for one in nlp.alternatives(best, 2, forbid=[(own, 2)], count=10)]
    assert nlp.why_not(parsed, head=6, modifier=2, require=[(6, 1)]).best.heads[0] == 6
    [completed] = nlp.complete([Sentence.from_words(parsed.forms)], require=[(6, 1)])
    assert completed.sentence.heads[0] == 6


def test_a_model_of_outermost_grandchildren_keeps_crossing_decisions_without_their_scores() -> None:
    outer = Parser.train(treebank(40), options=replace(TINY, model="outer"))
    partial = SENTENCE.with_columns(heads=[3, -1, -1, 2, -1])
    [found] = outer.complete([partial])
    assert found.sentence.heads[[0, 3]].tolist() == [3, 2]
    assert found.note.endswith(
        "scores of grandchildren, which model outer has for projective trees only, were left out"
    )
    [[first]] = outer.kbest([partial], 1)
    assert first.heads.tolist() == found.sentence.heads.tolist()
    assert outer.alternatives(partial, 5).best.heads.tolist() == found.sentence.heads.tolist()
    with pytest.raises(InfeasibleError, match=r"projective=True cannot hold together, for the two arcs cross"):
        outer.why_not(SENTENCE.with_columns(heads=[3, -1, -1, -1, -1]), head=2, modifier=4)
