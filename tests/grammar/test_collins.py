"""Collins' model 1 equals its definition: probabilities, the best tree and sums over all trees of short sentences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from oracles.collins import RULES as RULES_FILE
from oracles.collins import TREES, Definition, Node

from treewright.corpus import Tree
from treewright.errors import InfeasibleError
from treewright.grammar import Collins, CollinsOptions, HeadRules, collins_forest
from treewright.grammar.preparation import prepare, restore
from treewright.trees import is_projective

TOLERANCE = 1e-9
MAX_UNARY = 2
RULES = HeadRules.load(RULES_FILE)
SENTENCES = ["a", "a b", "b a", "a b a", "b c a", "a , b", "a c b a", "b , b a"]


@pytest.fixture(scope="module")
def grammar() -> Collins:
    options = CollinsOptions(str(RULES_FILE), min_count=1, beam=None)
    return Collins.train([Tree.parse(tree) for tree in TREES], options=options)


@pytest.fixture(scope="module")
def definition() -> Definition:
    trees = [prepare(Tree.parse(tree), RULES) for tree in TREES]
    return Definition([tree for tree in trees if tree], RULES, {})


@pytest.fixture(autouse=True)
def few_unaries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collins_forest, "MAX_UNARY", MAX_UNARY)


def without_base(root: Node) -> Tree:
    """The tree of a parse: base phrases unmarked."""
    return restore(root.tree(), RULES, root.tree().leaves(), [None] * len(root.tags()))


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_exact_parse_is_the_best_of_all_lexicalised_trees(
    sentence: str, grammar: Collins, definition: Definition
) -> None:
    words = sentence.split()
    trees = definition.all_trees(words, MAX_UNARY)
    parse = grammar.parse(words)
    best = max(map(definition.score, trees))
    assert parse.score == pytest.approx(best, abs=TOLERANCE)
    assert parse.certified
    assert parse.beam is None
    optimal = [root for root in trees if definition.score(root) > best - TOLERANCE]
    assert (parse.tree, parse.heads.tolist()) in [(without_base(root), root.heads()) for root in optimal]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_sum_over_the_forest_is_that_over_all_lexicalised_trees(
    sentence: str, grammar: Collins, definition: Definition
) -> None:
    words = sentence.split()
    total = math.fsum(math.exp(definition.score(root)) for root in definition.all_trees(words, MAX_UNARY))
    assert math.exp(grammar.forest(words).log_sum()) == pytest.approx(total, rel=TOLERANCE)


def test_sums_over_all_sentences_of_two_words_are_at_most_one(grammar: Collins) -> None:
    vocabulary = ["a", "b", "c", ","]
    sentences = [[first, second] for first in vocabulary for second in vocabulary] + [[word] for word in vocabulary]
    total = 0.0
    for words in sentences:
        try:
            total += math.exp(grammar.forest(words).log_sum())
        except InfeasibleError:
            continue
    assert 0 < total <= 1


@pytest.mark.parametrize("seed", range(5))
def test_adjusted_arcs_change_the_best_tree_as_they_change_scores(
    seed: int, grammar: Collins, definition: Definition
) -> None:
    words = ["b", ",", "b", "a"]
    adjust = np.random.default_rng(seed).normal(0, 5, (5, 5))
    values = [
        definition.score(root) + sum(adjust[h, m] for m, h in enumerate(root.heads()) if m)
        for root in definition.all_trees(words, MAX_UNARY)
    ]
    assert grammar.parse(words, adjust=adjust).score == pytest.approx(max(values), abs=TOLERANCE)


def test_required_and_forbidden_arcs_limit_the_trees(grammar: Collins, definition: Definition) -> None:
    words = ["a", "c", "b", "a"]
    trees = definition.all_trees(words, MAX_UNARY)
    for h, m in sorted({(h, m) for root in trees for m, h in enumerate(root.heads()) if m}):
        having = [definition.score(root) for root in trees if root.heads()[m] == h]
        lacking = [definition.score(root) for root in trees if root.heads()[m] != h]
        assert grammar.parse(words, require=[(h, m)]).score == pytest.approx(max(having), abs=TOLERANCE)
        if lacking:
            assert grammar.parse(words, forbid=[(h, m)]).score == pytest.approx(max(lacking), abs=TOLERANCE)


@pytest.mark.parametrize("beam", [0.5, 2.0, 8.0])
def test_a_parse_within_a_beam_says_so_and_is_not_better_than_the_exact_one(beam: float, grammar: Collins) -> None:
    for sentence in SENTENCES:
        exact = grammar.parse(sentence.split())
        pruned = grammar.parse(sentence.split(), beam=beam)
        assert pruned.score <= exact.score + TOLERANCE
        assert pruned.beam is not None
        assert pruned.status == "certified within the beam"
        assert "beam" in pruned.scope
        assert exact.scope == "all trees"


def test_dependencies_are_projective_with_one_root_also_with_dropped_words(grammar: Collins) -> None:
    for sentence in ["a b .", ". a . b", "b . c a . .", ". .", "a ."]:
        parse = grammar.parse(sentence.split())
        heads = parse.heads
        assert parse.tree.leaves() == sentence.split()
        assert (heads[1:] == 0).sum() == 1
        assert heads[0] == -1
        assert is_projective(heads)


def test_a_dropped_word_has_the_dropped_tag(grammar: Collins) -> None:
    parse = grammar.parse(["a", "b", "."])
    assert parse.tags[-1] == "."
    assert parse.tree.children[-1] == Tree(".", ["."])


def test_given_tags_are_kept(grammar: Collins) -> None:
    assert grammar.parse(["b", "a"], tags=["N", "V"]).tags == ["N", "V"]
    assert grammar.parse(["b", "a"], tags=["V", None]).tags[0] == "V"


def test_unknown_words_are_parsed(grammar: Collins) -> None:
    assert len(grammar.parse(["zebra", "b"]).tags) == 2


def test_a_saved_grammar_parses_as_before(grammar: Collins, tmp_path: object) -> None:
    path = f"{tmp_path}/g.tw"
    grammar.save(path)
    again = Collins.load(path)
    for sentence in SENTENCES:
        before, after = grammar.parse(sentence.split()), again.parse(sentence.split())
        assert (before.tree, before.score, before.heads.tolist()) == (after.tree, after.score, after.heads.tolist())


def test_a_sentence_without_a_tree_is_an_error_or_a_cover(grammar: Collins) -> None:
    words = [",", ",", ","]
    with pytest.raises(InfeasibleError, match="partial=True gives the fewest phrases"):
        grammar.parse(words)
    cover = grammar.parse(words, partial=True)
    assert cover.tree.leaves() == words
    assert not cover.certified
    assert cover.given_up == "no tree over the whole sentence; the fewest phrases cover it"


def test_the_beam_of_a_long_sentence_without_a_tree_is_not_widened(grammar: Collins) -> None:
    words = [","] * 6
    with pytest.raises(InfeasibleError, match=r"within a beam of 4\.61 nats, not widened for so many words"):
        grammar.parse(words, max_words=5)
    cover = grammar.parse(words, max_words=5, partial=True)
    assert cover.beam == pytest.approx(2 * math.log(10))
    assert cover.given_up == (
        "6 words are more than 5; the beam was narrowed to 4.61 nats; "
        "no tree over the whole sentence; the fewest phrases cover it"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tags": ["N"]}, "tags has 1 entries for 2 words"),
        ({"tags": ["N", "Z"]}, r"tags\[1\] is 'Z', a tag that the grammar does not have; it has"),
        ({"adjust": np.zeros((2, 2))}, r"adjust has shape \(2, 2\); expected \(3, 3\)"),
        ({"adjust": np.full((3, 3), np.nan)}, r"adjust\[0, 0\] is nan; write -inf"),
        ({"require": [(0, 5)]}, r"require\[0\] is \(0, 5\); expected an arc"),
        ({"beam": -1.0}, "beam is -1.0; expected a number of nats from 0 on"),
        ({"beam": "wide"}, "beam is 'wide'; expected"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, object], message: str, grammar: Collins) -> None:
    with pytest.raises(ValueError, match=message):
        grammar.parse(["a", "b"], **options)  # type: ignore[arg-type]


def test_a_long_sentence_has_a_narrower_beam_and_the_result_says_so(grammar: Collins) -> None:
    parse = grammar.parse(["a", "b"], max_words=1)
    assert parse.given_up == "2 words are more than 1; the beam was narrowed to 4.61 nats"
    assert parse.beam == pytest.approx(2 * math.log(10))
    assert grammar.parse(["a", "b"], max_words=1, beam=1.0).given_up == ""
