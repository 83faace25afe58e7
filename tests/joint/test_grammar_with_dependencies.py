"""A grammar with dependencies: trained on trees, saved, and parsing with certificates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from treewright.corpus import Tree
from treewright.grammar import Collins, CollinsOptions
from treewright.joint import GrammarWithDependencies, JointOptions
from treewright.joint.dependencies import dependency_sentences
from treewright.joint.model import WEIGHTS
from treewright.joint.taggers import ConsideredTags, SentenceTagger
from treewright.tagger import Tagger, TaggerOptions

NOUNS, VERBS = ["dog", "cat", "bird", "man"], ["sees", "likes", "hears"]


def treebank(seed: int, count: int) -> list[Tree]:
    rng = np.random.default_rng(seed)

    def noun_phrase() -> str:
        phrase = f"(NP (DT the) (NN {rng.choice(NOUNS)}))"
        return phrase if rng.random() < 0.6 else f"(NP {phrase} (PP (IN with) (NP (DT a) (NN {rng.choice(NOUNS)}))))"

    def sentence() -> str:
        verb = f"(VBZ {rng.choice(VERBS)}) {noun_phrase()}"
        extra = " (PP (IN with) (NP (DT a) (NN stick)))" if rng.random() < 0.3 else ""
        return f"(S {noun_phrase()} (VP {verb}{extra}) (. .))"

    return [Tree.parse(sentence()) for _ in range(count)]


@pytest.fixture(scope="module")
def model() -> GrammarWithDependencies:
    options = CollinsOptions(min_count=1)
    return GrammarWithDependencies.train(
        treebank(0, 60), treebank(1, 10), grammar_options=options, options=JointOptions(weight=0.5)
    )


def test_the_parser_is_trained_on_the_dependencies_of_the_grammars_head_rules(model: GrammarWithDependencies) -> None:
    [sentence] = dependency_sentences(
        [Tree.parse("(S (NP (DT the) (NN dog)) (VP (VBZ sees)) (. .))")], model.grammar.rules
    )
    assert sentence.forms == ["the", "dog", "sees"]
    assert sentence.heads.tolist() == [2, 3, 0]
    assert model.parser.model.projective
    assert model.parser.model.root == "single"


def test_trees_of_the_same_language_are_parsed_with_certificates(model: GrammarWithDependencies) -> None:
    for tree in treebank(2, 10):
        parse = model.parse(tree.leaves())
        assert parse.certified
        assert parse.tree.leaves() == tree.leaves()
        assert parse.weight == model.weight
        assert (parse.heads[1:] == 0).sum() == 1


def test_the_joint_score_is_at_least_that_of_the_grammars_tree(model: GrammarWithDependencies) -> None:
    for tree in treebank(3, 5):
        problem = model.problem(tree.leaves())
        assert problem.parts is not None
        alone, joint = problem.grammar_parse(), problem.parse(0.5, exact=True)
        node = [0, *(place + 1 for place in problem.forest.sentence.kept)]
        heads = [-1] + [node.index(int(alone.heads[m])) for m in node[1:]]
        assert joint.score >= alone.score + 0.5 * problem.parts.value(heads) - 1e-6


def test_a_saved_model_parses_as_before(model: GrammarWithDependencies, tmp_path: Path) -> None:
    model.save(tmp_path / "joint.tw")
    again = GrammarWithDependencies.load(tmp_path / "joint.tw")
    words = treebank(5, 1)[0].leaves()
    before, after = model.parse(words), again.parse(words)
    assert (before.tree, before.score, before.iterations) == (after.tree, after.score, after.iterations)


def test_the_weight_is_chosen_on_the_development_trees(model: GrammarWithDependencies) -> None:
    from treewright.grammar import trees_of

    assert model.best_weight(trees_of(treebank(6, 5))[0]) in WEIGHTS


def test_a_sentence_of_dropped_words_has_a_parse(model: GrammarWithDependencies) -> None:
    assert model.parse(["."]).tree == Tree("", [Tree(".", ["."])])


def test_given_tags_are_kept(model: GrammarWithDependencies) -> None:
    words = ["the", "dog", "sees", "the", "cat"]
    assert model.parse(words, tags=["DT", "NN", "VBZ", "DT", "NN"]).tags == ["DT", "NN", "VBZ", "DT", "NN"]


def test_unknown_words_have_tags_that_the_tagger_considers_if_there_is_a_tree(model: GrammarWithDependencies) -> None:
    condition = "with tags that the tagger considers for unknown words"
    words = ["the", "zebra", "sees", "the", "cat", "."]
    assert model.parse(words).scope.endswith(condition)
    sentences = dependency_sentences(treebank(0, 60), model.grammar.rules)
    for candidates, has_tree in ((1, False), (3, True)):
        tagger = Tagger.train(sentences, options=TaggerOptions(columns=("xpos",), max_candidates=candidates))
        narrow = GrammarWithDependencies(model.grammar, tagger, model.parser, model.weight)
        considered = ConsideredTags(SentenceTagger(tagger, words[:-1]), 5).by_word()
        sentence = narrow.problem(words).forest.sentence
        names = [{model.grammar.symbols.name(tag) for tag in tags} for tags in sentence.allowed]
        assert names[4] == {"NN"}  # the only tag that the grammar has for a known word
        assert names[1] == (set(considered[1]) if has_tree else {"DT", "IN", "NN", "VBZ"})
        assert narrow.parse(words).scope.endswith(condition) == has_tree


def test_one_tree_is_too_few() -> None:
    with pytest.raises(ValueError, match="not enough trees to train on"):
        GrammarWithDependencies.train(treebank(0, 1))


def test_the_grammar_of_the_model_is_model_1_of_the_same_trees(model: GrammarWithDependencies) -> None:
    alone = Collins.train(treebank(0, 60), options=CollinsOptions(min_count=1))
    words = treebank(7, 1)[0].leaves()
    assert alone.parse(words).score == model.grammar.parse(words).score
