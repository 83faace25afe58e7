"""A grammar with a tagger: trained on trees, saved, and parsing with certificates; long sentences and given tags."""

from __future__ import annotations

from pathlib import Path

import pytest
from oracles.phrases import some_trees

import treewright as tw
from treewright.errors import InputError
from treewright.grammar import Collins, CollinsOptions, TreebankGrammar, trees_of
from treewright.joint import GrammarWithTagger, JointOptions
from treewright.joint.model import WEIGHTS
from treewright.joint.tagging import TREEBANK


@pytest.fixture(scope="module", params=["model 1", "treebank grammar"])
def model(request: pytest.FixtureRequest) -> GrammarWithTagger:
    options = CollinsOptions(min_count=1) if request.param == "model 1" else TREEBANK
    return GrammarWithTagger.train(
        some_trees(3, 40), some_trees(4, 5), grammar_options=options, options=JointOptions(weight=0.5)
    )


def test_sentences_are_parsed_with_certificates(model: GrammarWithTagger) -> None:
    for tree in trees_of(some_trees(3, 10))[0]:
        parse = model.parse(tree.leaves(), exact=True)
        assert parse.certified
        assert parse.words == tree.leaves()
        assert parse.weight == model.weight == 0.5


def test_the_weight_is_chosen_on_the_development_trees(model: GrammarWithTagger) -> None:
    assert model.best_weight(trees_of(some_trees(4, 5))[0]) in WEIGHTS


def test_a_saved_model_parses_as_before(model: GrammarWithTagger, tmp_path: Path) -> None:
    model.save(tmp_path / "joint.tw")
    again = tw.load(tmp_path / "joint.tw")
    assert isinstance(again, GrammarWithTagger)
    words = trees_of(some_trees(3, 1))[0][0].leaves()
    before, after = model.parse(words), again.parse(words)
    assert (before.tree, before.score, before.iterations) == (after.tree, after.score, after.iterations)


def test_given_tags_are_kept(model: GrammarWithTagger) -> None:
    tree = trees_of(some_trees(3, 1))[0][0]
    assert model.parse(tree.leaves(), tags=tree.tags(), partial=True).tags == tree.tags()


def test_brackets_of_a_text_have_the_tags_of_brackets_in_trees() -> None:
    text = "(S (NP (DT the) (NN dog) (PRN (-LRB- -LRB-) (NP (NN cat)) (-RRB- -RRB-))) (VP (VBZ sees)))"
    options = JointOptions(weight=1.0)
    model = GrammarWithTagger.train(
        [tw.Tree.parse(text)] * 10, grammar_options=CollinsOptions(min_count=1), options=options
    )
    words = ["the", "dog", "(", "cat", ")", "sees"]
    assert str(model.parse(words).tree) == text


def test_a_long_sentence_is_parsed_with_limits_and_the_result_says_so(model: GrammarWithTagger) -> None:
    words = [word for tree in trees_of(some_trees(3, 40))[0] for word in tree.leaves()][:24]
    found = model.parse(words, max_words=8)
    assert found.words == words
    if isinstance(model.grammar, Collins):
        assert found.given_up == "24 words are more than 8; the beam was narrowed to 4.61 nats"
        return
    assert not found.certified
    assert found.given_up.startswith("24 words were divided into")
    assert found.given_up.endswith("the tags are those of the tagger alone")


def test_a_weight_of_zero_is_refused() -> None:
    with pytest.raises(InputError, match="weight is 0; a model of weight 0 has no effect"):
        JointOptions(weight=0.0)


def test_the_grammar_of_the_model_is_that_of_the_same_trees(model: GrammarWithTagger) -> None:
    alone: Collins | TreebankGrammar
    if isinstance(model.grammar, Collins):
        alone = Collins.train(some_trees(3, 40), options=model.grammar.options)
    else:
        alone = TreebankGrammar.train(some_trees(3, 40), options=TREEBANK)
    words = trees_of(some_trees(3, 1))[0][0].leaves()
    assert alone.parse(words).score == model.grammar.parse(words).score
