"""A grammar and a tagger that agree on tags: the answer is that of an integer program and of enumeration."""

from __future__ import annotations

import math
from itertools import product
from random import Random

import numpy as np
import pytest
from oracles.collins import RULES
from oracles.phrases import WORDS, all_trees, some_trees
from oracles.programs import best_tagged_value

import treewright as tw
from treewright._core import ContextFree
from treewright.errors import InfeasibleError, InputError
from treewright.grammar import Collins, CollinsOptions, Markov, TreebankGrammar, TreebankOptions
from treewright.grammar.trees import prepare_tree
from treewright.joint import JointParse, Trigrams, agree_on_tags
from treewright.joint.taggers import ConsideredTags, SentenceTagger, TagVariables, tagged_sentences
from treewright.relax import Answer, relax
from treewright.tagger import Tagger

CLOSE = 1e-6  # of values of the integer program, whose tolerance is 1e-7


def some_models(seed: int, length: int) -> tuple[TreebankGrammar, Trigrams, list[str]]:
    grammar = TreebankGrammar.train(some_trees(seed), options=TreebankOptions(Markov(1, seed % 2), rare_count=1))
    random = np.random.default_rng(seed)
    tags = len(grammar.tags)
    tagger = Trigrams(grammar.tags, random.normal(size=(length, tags)), random.normal(size=(tags + 1, tags + 1, tags)))
    return grammar, tagger, Random(seed).choices(WORDS, k=length)


def value_of(tagger: Trigrams, names: list[str]) -> float:
    """The score of a tag sequence by definition."""
    tags = [len(tagger.tags)] * 2 + [list(tagger.tags).index(name) for name in names]
    return math.fsum(
        tagger.scores[i, tags[i + 2]] + tagger.trigram[tags[i], tags[i + 1], tags[i + 2]] for i in range(len(names))
    )


@pytest.mark.parametrize("seed", range(18))
def test_the_joint_optimum_is_that_of_the_integer_program(seed: int) -> None:
    length, weight = 1 + seed % 6, [0.5, 1.0, 2.0][seed % 3]
    grammar, tagger, words = some_models(seed, length)
    expected = best_tagged_value(grammar, tagger, words, weight)
    if expected == -math.inf:
        with pytest.raises(InfeasibleError, match="the grammar has no tree with tags that the tagger considers"):
            agree_on_tags(grammar, tagger, words, weight=weight)
        return
    agreement = agree_on_tags(grammar, tagger, words, weight=weight, exact=True)
    assert agreement.certified
    assert agreement.score == pytest.approx(expected, abs=CLOSE)
    relaxed = agree_on_tags(grammar, tagger, words, weight=weight)
    assert relaxed.score <= expected + CLOSE <= relaxed.bound + 2 * CLOSE
    if relaxed.certified:
        assert relaxed.score == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize("seed", range(8))
def test_the_score_is_that_of_the_tree_and_its_tags(seed: int) -> None:
    grammar, tagger, words = some_models(seed, 4)
    trees = [(value, tw.Tree.parse(text)) for value, text in all_trees(grammar, words)]
    if not trees:
        return
    totals = [value + value_of(tagger, tree.tags()) for value, tree in trees]
    agreement = agree_on_tags(grammar, tagger, words, exact=True)
    assert agreement.score == pytest.approx(max(totals))
    best = [tree for (_, tree), total in zip(trees, totals, strict=True) if total == pytest.approx(agreement.score)]
    assert agreement.tree in best


# -- model 1

MODEL_1_CASES = [("a b", 0), ("a b a", 1), ("b a b", 0), ("a c a", 2), ("a b a", 3), ("b a , b", 4)]


def model_1(seed: int, length: int) -> tuple[Collins, Trigrams]:
    """Model 1 with exact search, in which most words have several tags, and a tagger with random scores."""
    texts = [
        "(S (NP (N a)) (VP (V b)))",
        "(S (NP (N a) (N b)) (VP (V b) (NP (N a))))",
        "(S (NP (NP (N b)) (C c) (NP (N a))) (VP (V a)))",
        "(NP (NP (N b) (S (VP (V b)))) (, ,) (NP (N a)))",
    ]
    options = CollinsOptions(str(RULES), min_count=1, beam=None)
    grammar = Collins.train(list(map(tw.Tree.parse, texts)), options=options)
    random = np.random.default_rng(seed)
    tags = len(grammar.tags)
    scores, trigram = random.normal(0, 2, (length, tags)), random.normal(0, 2, (tags + 1, tags + 1, tags))
    return grammar, Trigrams(grammar.tags, scores, trigram)


def best_with_tags(grammar: Collins, tagger: Trigrams, words: list[str], weight: float) -> float:
    """The best sum over all tag sequences, each with its best tree."""
    best = -math.inf
    for names in product(grammar.tags, repeat=len(words)):
        try:
            tree = grammar.parse(words, tags=names)
        except InfeasibleError:
            continue
        best = max(best, tree.score + weight * value_of(tagger, list(names)))
    return best


@pytest.mark.parametrize(("sentence", "seed"), MODEL_1_CASES)
def test_model_1_and_a_tagger_find_the_best_of_all_tag_sequences(sentence: str, seed: int) -> None:
    words, weight = sentence.split(), [0.5, 1.0, 2.0][seed % 3]
    grammar, tagger = model_1(seed, len(words))
    expected = best_with_tags(grammar, tagger, words, weight)
    agreement = agree_on_tags(grammar, tagger, words, weight=weight, exact=True)
    assert isinstance(agreement, JointParse)
    assert agreement.certified
    assert agreement.score == pytest.approx(expected, abs=CLOSE)
    assert agreement.scope == "all trees with tags that the tagger considers"
    relaxed = agree_on_tags(grammar, tagger, words, weight=weight)
    assert relaxed.score <= expected + CLOSE <= relaxed.bound + 2 * CLOSE


def test_model_1_leaves_out_the_words_that_the_tagger_takes_for_full_stops() -> None:
    trees = [tw.Tree.parse("(S (NP (PRP it)) (VP (VBZ rains)) (. .))")]
    grammar = Collins.train(trees, options=CollinsOptions(min_count=1))
    names = list(grammar.tags)
    scores = np.zeros((3, len(names)))
    scores[2, names.index(".")] = 5.0
    tagger = Trigrams(names, scores, np.zeros((len(names) + 1, len(names) + 1, len(names))))
    agreement = agree_on_tags(grammar, tagger, ["it", "rains", "!"])
    assert str(agreement.tree) == "(S (NP (PRP it)) (VP (VBZ rains)) (. !))"
    assert agreement.certified
    only = agree_on_tags(grammar, Trigrams(names, scores[2:], tagger.trigram), ["!"])
    assert only.tags == ["."]


def test_given_tags_of_model_1_are_kept_even_if_the_tagger_does_not_consider_them() -> None:
    grammar, tagger = model_1(1, 3)
    scores = tagger.scores.copy()
    scores[1, list(grammar.tags).index("N")] = -np.inf
    other = Trigrams(tagger.tags, scores, tagger.trigram)
    assert agree_on_tags(grammar, other, ["a", "b", "a"], tags=[None, "N", None]).tags[1] == "N"


def test_adjustments_of_tags_are_added_to_the_scores_of_model_1() -> None:
    grammar, tagger = model_1(2, 3)
    words = ["a", "b", "a"]
    found = grammar.forest(words).best_of_kept(np.zeros((4, 4)), np.ascontiguousarray(tagger.scores))
    totals = []
    for names in product(grammar.tags, repeat=3):
        try:
            added = sum(tagger.scores[i, list(grammar.tags).index(name)] for i, name in enumerate(names))
            totals.append(grammar.parse(words, tags=names).score + added)
        except InfeasibleError:
            continue
    assert found.score == pytest.approx(max(totals), abs=CLOSE)
    with pytest.raises(ValueError, match="tag_adjustment must have a row a word and a column a tag"):
        grammar.forest(words).best_of_kept(np.zeros((4, 4)), np.zeros((2, 2)))


# -- any grammar


def test_a_tagger_without_scores_agrees_at_once() -> None:
    grammar, tagger, words = some_models(1, 4)
    flat = Trigrams(tagger.tags, np.zeros_like(tagger.scores), np.zeros_like(tagger.trigram))
    found, alone = agree_on_tags(grammar, flat, words), grammar.parse(words)
    assert found.certified
    assert found.score == pytest.approx(alone.score)


def test_two_runs_are_the_same() -> None:
    grammar, tagger, words = some_models(4, 5)
    first, second = (agree_on_tags(grammar, tagger, words) for _ in range(2))
    assert (first.iterations, first.score, str(first.tree)) == (second.iterations, second.score, str(second.tree))


class FractionalGrammar:
    """Appendix A of the paper in the chart of a grammar: X -> A X, X -> A B and X -> B A have score 0, others -1."""

    def __init__(self) -> None:
        a, b, x, tag_a, tag_b = range(5)
        free = {(x, a, x), (x, a, b), (x, b, a)}
        rules = [(p, q, r) for p in (a, b, x) for q in (a, b, x) for r in (a, b, x)]
        goals = [(5, a), (5, b), (5, x)]
        chains = [(a, tag_a), (b, tag_b), (a, a), (b, b), (x, x), *goals]
        self.chains = chains
        self.kernel = ContextFree(
            6,
            5,
            np.array(rules, dtype=np.int32),
            np.array([0.0 if rule in free else -1.0 for rule in rules]),
            np.array(chains, dtype=np.int32),
            np.zeros(len(chains)),
            np.array([tag_a, tag_b], dtype=np.int32),
            np.ones(6, dtype=bool),
        )
        self.keys = np.arange(6)
        self.variables = TagVariables(np.repeat(np.arange(3), 2), np.tile(np.arange(2), 3), np.zeros((3, 2), bool))

    def solve(self, multipliers: np.ndarray) -> Answer:
        value, nodes = self.kernel.parse(multipliers.reshape(3, 2))
        words = nodes[nodes[:, 2] - nodes[:, 1] == 1]
        tags = [self.chains[chain][1] - 3 for chain, _, _ in words.tolist()]
        return Answer(value, self.variables.assignment(tags), tags)

    def score(self, assignment: np.ndarray) -> float:
        return self.solve(np.where(assignment > 0, 0.0, -np.inf)).value


class FractionalTagger(FractionalGrammar):
    """Its tagger: A A A and A B B have score 0, others -1."""

    def solve(self, multipliers: np.ndarray) -> Answer:
        sequences = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
        rows = np.array([self.variables.assignment(tags) for tags in sequences])
        scores = [0.0 if tags in {(0, 0, 0), (0, 1, 1)} else -1.0 for tags in sequences]
        values = np.array([score + multipliers[row > 0].sum() for score, row in zip(scores, rows, strict=True)])
        best = int(values.argmax())
        return Answer(float(values[best]), rows[best], sequences[best])


def test_the_fractional_example_of_the_paper_is_never_certified() -> None:
    relaxed = relax([FractionalGrammar(), FractionalTagger()], max_iterations=500)
    assert not relaxed.certified
    assert relaxed.bound == pytest.approx(0, abs=1e-3)
    assert relaxed.value == -1


def test_the_tags_that_a_tagger_considers_are_found() -> None:
    sentences = [tw.Sentence.from_words(["a", "b"], xpos=["X", "Y"]), tw.Sentence.from_words(["a"], xpos=["Z"])]
    tagger = Tagger.train(sentences, columns=["xpos"])
    scorer = SentenceTagger(tagger, ["a", "b"])
    found = ConsideredTags(scorer, 2).flags
    for place in range(2):
        for tag in range(len(scorer.tags)):
            only = np.zeros((2, len(scorer.tags)))
            only[place] = np.where(np.arange(len(scorer.tags)) == tag, 0.0, -np.inf)
            assert found[place, tag] == (scorer.best(only)[1] > -math.inf)


def test_a_trained_tagger_and_a_grammar_agree() -> None:
    trees = [prepare_tree(tree) for tree in some_trees(3, 20)]
    grammar = TreebankGrammar.train(trees)
    tagger = Tagger.train(tagged_sentences(trees), columns=["xpos"])
    for tree in trees[:5]:
        agreement = agree_on_tags(grammar, tagger, tree.leaves(), exact=True)
        assert agreement.certified
        assert agreement.words == tree.leaves()


def test_bad_arguments_are_named() -> None:
    grammar, tagger, words = some_models(1, 3)
    with pytest.raises(InputError, match="the sentence has no words"):
        agree_on_tags(grammar, tagger, [])
    both = Tagger.train([tw.Sentence.from_words(["a"], upos=["X"], xpos=["A"])], columns=["upos", "xpos"])
    with pytest.raises(InputError, match="the tagger fills several columns; train it with"):
        agree_on_tags(grammar, both, words)
    other = Trigrams(["Q"], np.zeros((3, 1)), np.zeros((2, 2, 1)))
    with pytest.raises(InfeasibleError, match="no tree with tags that the tagger considers"):
        agree_on_tags(grammar, other, words)
    alone = agree_on_tags(grammar, other, words, partial=True)
    assert not alone.certified
    assert alone.given_up
