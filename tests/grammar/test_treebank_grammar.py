"""Treebank grammars: charts equal the enumeration of all trees, under every option; files, words, bad input."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from oracles.phrases import TAGS, WORDS, all_trees, some_trees

import treewright as tw
from treewright.errors import InfeasibleError, InputError
from treewright.grammar import Markov, TreebankGrammar, TreebankOptions

CLOSE = 1e-9
OPTIONS = [Markov(), Markov(1, 1), Markov(2, 1, True)]


def some_grammar(seed: int, markov: Markov | None = None) -> TreebankGrammar:
    options = TreebankOptions(markov or OPTIONS[seed % len(OPTIONS)], rare_count=1)
    return TreebankGrammar.train(some_trees(seed), options=options)


def cases(count: int = 12) -> list[tuple[int, int]]:
    return [(seed, 1 + seed % 5) for seed in range(count)]


def sentence(seed: int, length: int) -> list[str]:
    return Random(seed).choices([*WORDS, "new"], k=length)


@pytest.mark.parametrize(("seed", "length"), cases(24))
def test_the_best_tree_is_the_best_of_all(seed: int, length: int) -> None:
    grammar, words = some_grammar(seed), sentence(seed, length)
    adjust = np.random.default_rng(seed).normal(size=(length, len(grammar.tags)))
    for given in (None, adjust):
        trees = all_trees(grammar, words, given)
        if not trees:
            with pytest.raises(InfeasibleError, match="the grammar has no tree for these words"):
                grammar.parse(words, adjust=given)
            continue
        parse = grammar.parse(words, adjust=given)
        assert parse.score == pytest.approx(trees[0][0], abs=CLOSE)
        assert str(parse.tree) in {text for value, text in trees if value > trees[0][0] - CLOSE}
        assert (parse.certified, parse.certificate, parse.gap, parse.given_up) == (True, "exact", 0.0, "")


@pytest.mark.parametrize(("seed", "length"), cases())
def test_the_k_best_trees_are_the_k_best_of_all(seed: int, length: int) -> None:
    grammar, words = some_grammar(seed), sentence(seed, length)
    trees = all_trees(grammar, words)
    for k in (1, 7, 2000):
        parses = grammar.kbest(words, k)
        assert [one.score for one in parses] == pytest.approx([value for value, _ in trees[:k]], abs=CLOSE)
        assert len({str(one.tree) for one in parses}) == len(parses) == min(k, len(trees))
    assert {str(one.tree) for one in parses} == {text for _, text in trees[:2000]} or len(trees) > 2000
    assert [one.certified for one in parses] == [one.score == parses[0].score for one in parses]


@pytest.mark.parametrize(("seed", "length"), cases())
def test_marginals_are_sums_over_all_trees(seed: int, length: int) -> None:
    grammar, words = some_grammar(seed), sentence(seed, length)
    trees = all_trees(grammar, words)
    if not trees:
        return
    found = grammar.marginals(words)
    log_partition = math.log(math.fsum(math.exp(value) for value, _ in trees))
    assert found.log_partition == pytest.approx(log_partition, abs=CLOSE)
    brackets: Counter[tuple[str, int, int]] = Counter()
    tags: Counter[tuple[int, str]] = Counter()
    for value, text in trees:
        tree = tw.Tree.parse(text)
        share = math.exp(value - log_partition)
        for span in set(tree.spans()):
            if span.label:
                brackets[span] += share  # type: ignore[assignment]
        for place, tag in enumerate(tree.tags()):
            tags[place, tag] += share  # type: ignore[assignment]
    for label in grammar.labels:
        for i in range(length):
            for j in range(i + 1, length + 1):
                assert found.bracket(label, i, j) == pytest.approx(brackets[label, i, j], abs=CLOSE)
    for place in range(length):
        for tag in grammar.tags:
            assert found.tag(place, tag) == pytest.approx(tags[place, tag], abs=CLOSE)


def test_sums_of_long_sentences_and_extreme_scores_are_in_logarithms() -> None:
    grammar = some_grammar(1, Markov())
    words = sentence(3, 6)
    plain = grammar.marginals(words)
    lowered = grammar.marginals(words, adjust=np.full((6, len(grammar.tags)), -900.0))
    assert lowered.log_partition == pytest.approx(plain.log_partition - 5400, rel=1e-12)
    assert np.allclose(lowered.brackets, plain.brackets, atol=CLOSE)
    uneven = np.zeros((6, len(grammar.tags)))
    uneven[0], uneven[5] = 800.0, -800.0
    assert np.allclose(grammar.marginals(words, adjust=uneven).brackets, plain.brackets, atol=CLOSE)


def meets(tree: tw.Tree, constraint: Any) -> bool:
    """Whether a tree has what a constraint names."""
    if len(constraint) == 3:
        return constraint in {tuple(span) for span in tree.spans()}
    if isinstance(constraint[1], str):
        return bool(tree.tags()[constraint[0]] == constraint[1])
    return constraint in {span[1:] for span in tree.spans() if span.label}


@pytest.mark.parametrize("seed", range(20))
def test_constraints_leave_the_trees_that_meet_them(seed: int) -> None:
    grammar, random = some_grammar(seed), Random(seed)
    words = sentence(seed, 4)
    trees = [(value, tw.Tree.parse(text)) for value, text in all_trees(grammar, words)]
    i = random.randrange(4)
    j = random.randrange(i + 1, 5)
    options: list[Any] = [(i, j), (random.choice(grammar.labels), i, j), (i, random.choice(grammar.tags))]
    for require, forbid in [([one], []) for one in options] + [([], [one]) for one in options] + [([], options)]:
        left = [
            (value, tree)
            for value, tree in trees
            if all(meets(tree, one) for one in require) and not any(meets(tree, one) for one in forbid)
        ]
        if any(isinstance(one[1], str) for one in require):  # a tag never seen with the word is allowed if required
            continue
        parses = grammar.kbest(words, 1, require=require, forbid=forbid)
        assert [one.score for one in parses] == pytest.approx([value for value, _ in left[:1]], abs=CLOSE)
        if left:
            total = math.log(math.fsum(math.exp(value) for value, _ in left))
            sums = grammar.marginals(words, require=require, forbid=forbid)
            assert sums.log_partition == pytest.approx(total, abs=CLOSE)


def test_given_tags_are_kept_also_if_the_word_was_never_seen_with_them() -> None:
    grammar = TreebankGrammar.train(
        [tw.Tree.parse("(S (NP (N fish)) (VP (V swim)))"), tw.Tree.parse("(S (NP (N we)) (VP (V fish)))")]
    )
    assert grammar.parse(["fish", "swim"], tags=["N", "V"]).tags == ["N", "V"]
    assert grammar.parse(["swim", "we"], tags=["N", "V"]).tags == ["N", "V"]
    assert grammar.parse(["swim", "fish"], tags=[None, "V"]).tags == ["N", "V"]


def test_crossing_required_spans_are_named() -> None:
    with pytest.raises(InfeasibleError, match=r"the required spans \(0, 2\) and \(1, 3\) cross; no tree has both"):
        some_grammar(1).parse(["a", "b", "c"], require=[(0, 2), (1, 3)])


@pytest.mark.parametrize(("seed", "length"), cases())
def test_a_partial_cover_has_the_fewest_trees(seed: int, length: int) -> None:
    grammar, words = some_grammar(seed), sentence(seed + 7, length)
    parse = grammar.parse(words, partial=True)
    assert parse.tree.leaves() == words
    if all_trees(grammar, words):
        assert parse.certified
        return
    assert not parse.certified
    assert parse.bound == math.inf
    parts = len(parse.tree.children)
    cover = f"{parts} phrases cover" if parts > 1 else "1 phrase covers"
    assert parse.given_up == f"no tree over the whole sentence, which {cover}"
    ends = [0]
    for part in parse.tree.children:
        assert isinstance(part, tw.Tree)
        ends.append(ends[-1] + len(part.leaves()))
    for cut in range(1, len(ends) - 1):  # no two neighbours are one phrase
        first, last = ends[cut - 1], ends[cut + 1]
        alone = [one for label in grammar.labels for one in phrases_over(grammar, words[first:last], label)]
        assert not alone


def phrases_over(grammar: TreebankGrammar, words: list[str], label: str) -> list[Any]:
    """Trees with a label at the top over some words, found with a grammar whose goal is free."""
    value, nodes = grammar.model.kernel.cover(np.ascontiguousarray(grammar.model.lexicon.scores(words)))
    return [nodes] if nodes[0][2] == len(words) and value > -math.inf else []


def test_a_sentence_of_300_words_is_divided_and_the_result_says_so() -> None:
    grammar = some_grammar(2, Markov())
    words = [word for _ in range(100) for word in ("a", "b", ",")]
    parse = grammar.parse(words, max_words=40)
    assert parse.tree.leaves() == words
    assert not parse.certified
    assert parse.given_up.startswith("300 words were divided into 8 parts before word 39, 78")
    assert parse.status == parse.given_up


def test_probabilities_of_rules_and_chains_sum_to_one() -> None:
    from treewright.grammar.model import relative

    model = some_grammar(4).model
    scores = relative(model.rule_counts, model.rules[:, 0])
    tops = np.array([chain[0] for chain in model.chains])
    for given, logs in ((model.rules[:, 0], scores), (tops, relative(model.chain_counts, tops))):
        sums = np.bincount(given, np.exp(logs))
        assert np.allclose(sums[sums > 0], 1)


def test_words_are_scored_by_the_formula_of_the_lexicon() -> None:
    trees = ["(S (D the) (N dog))", "(S (D the) (N cats))", "(S (D the) (V cats))", "(S (N dog) (V cats))"]
    options = TreebankOptions(rare_count=2)
    lexicon = TreebankGrammar.train([tw.Tree.parse(text) for text in trees], options=options).model.lexicon
    [the, dogs] = np.exp(lexicon.scores(["the", "dogs"]))
    counts = np.array([3.0, 3.0, 2.0])
    rare = np.array([0.0, 1.0, 0.0])  # D, N, V of dog; the others are seen three times
    assert the == pytest.approx((np.array([3.0, 0, 0]) + 0.1 * rare) / 3.1 * 3 / counts)
    assert dogs == pytest.approx((np.zeros(3) + 0.5 * rare) / 0.5 / counts)


def test_a_file_gives_the_same_grammar(tmp_path: Path) -> None:
    grammar = some_grammar(2)
    grammar.save(tmp_path / "some.tw")
    words = sentence(1, 4)
    for again in (TreebankGrammar.load(tmp_path / "some.tw"), pickle.loads(pickle.dumps(grammar))):
        assert [(str(one.tree), one.score) for one in again.kbest(words, 5)] == [
            (str(one.tree), one.score) for one in grammar.kbest(words, 5)
        ]
        assert repr(again) == repr(grammar)
    loaded = tw.load(tmp_path / "some.tw")
    assert isinstance(loaded, TreebankGrammar)


def test_a_grammar_of_a_file_is_that_of_its_trees(tmp_path: Path) -> None:
    path = tmp_path / "trees.mrg"
    path.write_text("".join(f"{tree}\n" for tree in some_trees(3)))
    assert repr(TreebankGrammar.train(path)) == repr(TreebankGrammar.train(some_trees(3)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: g.parse([]), "the sentence has no words"),
        (lambda g: g.parse("a b"), r"words is the text 'a b'; expected a list of words, as in \['a', 'b'\]"),
        (lambda g: g.parse(["a", ""]), r"words\[1\] is ''; expected a word"),
        (lambda g: g.parse(["a"], tags=["ZZ"]), "there is no tag 'ZZ' in the grammar; there are A B C"),
        (lambda g: g.parse(["a"], tags=[]), "tags has 0 entries for 1 words; give one a word, None where it is free"),
        (lambda g: g.parse(["a"], require=[("ZP", 0, 1)]), "there is no label 'ZP' in the grammar; there are"),
        (lambda g: g.parse(["a"], require=[(0, 2)]), r"require\[0\] is \(0, 2\); expected \(first, last\)"),
        (lambda g: g.parse(["a"], forbid=[(5, "A")]), r"forbid\[0\] is \(5, 'A'\); the sentence has the words 0 to 0"),
        (lambda g: g.parse(["a"], adjust=[[0.0]]), r"adjust has shape \(1, 1\); expected \(1, 3\)"),
        (lambda g: g.parse(["a"], adjust=[[math.nan, 0, 0]]), r"adjust\[0, 0\] is nan; write -inf to forbid a tag"),
        (lambda g: g.parse(["a"], tags=[3]), r"tags\[0\] is 3; expected a tag, or None where it is free"),
        (lambda g: g.parse(["a"], max_words=0), "max_words is 0; give at least 1"),
        (lambda g: g.marginals(["a"]).tag(1, "A"), "place is 1; expected the place of one of the 1 words"),
        (lambda g: g.kbest(["a"], 0), "k is 0, of type int; expected an int, at least 1"),
        (lambda g: TreebankGrammar.train([]), "there is no tree to train on"),
    ],
)
def test_bad_arguments_are_named(call: Callable[[TreebankGrammar], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(some_grammar(1, Markov()))


def test_a_word_without_an_allowed_tag_is_named() -> None:
    grammar = some_grammar(1, Markov())
    with pytest.raises(InfeasibleError, match=r"word 0 \('a'\) has no tag that is allowed"):
        grammar.parse(["a", "b"], forbid=[(0, tag) for tag in TAGS])


def test_training_names_a_bad_tree() -> None:
    with pytest.raises(InputError, match="<text>:1: unary cycle"):
        TreebankGrammar.train([tw.Tree.parse("(S (NP (S (A a))))")])
