"""Latent-variable grammars against enumeration of trees and substates, and laws of their training."""

from __future__ import annotations

import pickle
from collections import Counter
from itertools import pairwise
from itertools import product as combinations
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from treewright.corpus import Tree
from treewright.errors import InfeasibleError, InputError
from treewright.grammar import LatentGrammar, LatentOptions, TreebankGrammar, TreebankOptions, product
from treewright.grammar.counts import chain_below, symbol_of
from treewright.grammar.latent import MARKOV, Training
from treewright.grammar.latent_em import Learner, Substates
from treewright.grammar.latent_model import LatentModel, LatentSentence
from treewright.grammar.latent_trees import Vector
from treewright.grammar.trees import binarise_tree, prepare_tree
from treewright.learn import Report
from treewright.model.run import Run

RTOL = 1e-9
FLOAT32 = 1e-5  # weights of a finished grammar are stored as float32
TREES = [
    "( (S (NP-SBJ (DT the) (NN dog)) (VP (VBZ barks)) (. .)))",
    "( (S (NP-SBJ (PRP she)) (VP (VBD saw) (NP (DT the) (NN dog)) (PP (IN with) (NP (DT the) (NN glass)))) (. .)))",
    "( (S (NP-SBJ (NP (DT the) (NN man)) (PP (IN with) (NP (DT a) (NN dog)))) (VP (VBZ sleeps)) (. .)))",
    "( (S (NP-SBJ (PRP she)) (VP (VBD saw) (NP (DT the) (NN man))) (. .)))",
    "( (S (NP-SBJ (DT a) (NN man)) (VP (VBD saw) (NP (NP (DT a) (NN dog)) (PP (IN with) (NP (NN glass))))) (. .)))",
]
WORDS = ["she", "saw", "the", "dog", "with", "a", "glass", "."]


def parsed(texts: list[str]) -> list[Tree]:
    return [Tree.parse(text) for text in texts]


def learner_of(**options: float) -> Learner:
    trees = [prepare_tree(tree) for tree in parsed(TREES)]
    return Training(trees, None, [1.0] * len(trees), LatentOptions(**options), 1).learner  # type: ignore[arg-type]


def split_once(learner: Learner, noise: float = 0.5) -> Substates:
    return learner.split(learner.start(), noise, np.random.default_rng(1))


@pytest.fixture(scope="module")
def grammar() -> LatentGrammar:
    return LatentGrammar.train(parsed(TREES), rounds=2)


def test_likelihood_never_falls() -> None:
    learner, values = learner_of(), list[float]()
    learner.iterate(split_once(learner), 15, False, values.append)
    assert len(values) == 15
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(values))
    assert values[-1] > values[0] + 0.1


def test_split_without_noise_keeps_the_likelihood() -> None:
    learner = learner_of()
    before, after = learner.start(), split_once(learner, 0.0)
    values = [learner.expect(one, learner.word_weights(one, False)).log_likelihood for one in (before, after)]
    assert values[1] == pytest.approx(values[0], rel=RTOL)


def test_a_merge_of_identical_twins_loses_nothing_and_undoes_the_split() -> None:
    learner = learner_of()
    before, after = learner.start(), split_once(learner, 0.0)
    counts = learner.expect(after, learner.word_weights(after, False))
    assert np.abs(learner.merge_losses(after, counts)).max() < 1e-9
    merged = learner.join(after, learner.pairs(after), *learner.frequencies(after, counts))
    assert merged.states.tolist() == before.states.tolist()
    np.testing.assert_allclose(merged.rules, before.rules, rtol=RTOL)
    np.testing.assert_allclose(merged.chains, before.chains, rtol=RTOL)
    np.testing.assert_allclose(merged.word_counts, before.word_counts, rtol=RTOL)


def test_a_round_merges_half_of_the_splits() -> None:
    learner = learner_of(split_iterations=3, merge_iterations=1, smooth_iterations=1)
    before = learner.start()
    after = learner.round(before, 1, lambda value: None)
    pairs = len(before.states) - 1
    assert int(after.states.sum()) == 1 + 2 * pairs - pairs // 2


def test_probabilities_of_each_substate_sum_to_one() -> None:
    learner = learner_of()
    found = learner.iterate(split_once(learner), 3, True, lambda value: None)
    for weights, begins, symbols in (
        (found.rules, learner.rule_begins(found.states), learner.rule_symbols[:, 0]),
        (found.chains, learner.chain_begins(found.states), learner.chain_rows[:, 0]),
    ):
        for symbol in set(symbols.tolist()):
            own = [weights[begins[n] : begins[n + 1]] for n in np.flatnonzero(symbols == symbol)]
            totals = sum(one.reshape(found.states[symbol], -1).sum(axis=1) for one in own)
            np.testing.assert_allclose(totals, 1, rtol=RTOL)
    words = np.bincount(learner.word_states(found), learner.word_weights(found, False))
    np.testing.assert_allclose(words[words > 0], 1, rtol=RTOL)
    assert (words > 0).sum() == 2 * len(learner.table.model.preterminals)


def probability(model: LatentModel, tree: Tree, words: list[str]) -> float:
    """P(tree, words) as a sum over all assignments of substates to its nodes, each a product of rule weights."""
    plain, states = model.plain, model.states
    symbols = {symbol: number for number, symbol in enumerate(plain.symbols)}
    rule_number = {tuple(rule): number for number, rule in enumerate(plain.rules.tolist())}
    rule_at = np.concatenate([[0], np.cumsum(states.astype(int)[plain.rules].prod(axis=1))])
    sizes = [states[c[0]] * (1 if len(c) == 1 else states[c[-1]]) for c in plain.chains]
    chain_at = np.concatenate([[0], np.cumsum(sizes)])
    emission = np.exp(model.lexicon.scores(words))
    first_state = dict(
        zip(plain.preterminals.tolist(), np.concatenate([[0], np.cumsum(states[plain.preterminals])]), strict=False)
    )
    place = [0]

    def inside(node: Tree) -> Vector:
        below = list(chain_below(node))
        chain = tuple(symbols[symbol_of(one)] for one in below)
        top, bottom = chain[0], chain[-1]
        base = np.zeros(states[bottom])
        if below[-1].is_preterminal():
            for x in range(states[bottom]):
                base[x] = emission[place[0], first_state[bottom] + x]
            place[0] += 1
        else:
            left, right = (child for child in below[-1].children if isinstance(child, Tree))
            number = rule_number[bottom, symbols[symbol_of(left)], symbols[symbol_of(right)]]
            sides = inside(left), inside(right)
            for x, y, z in combinations(range(states[bottom]), *(range(len(side)) for side in sides)):
                at = rule_at[number] + (x * len(sides[0]) + y) * len(sides[1]) + z
                base[x] += model.rules[at] * sides[0][y] * sides[1][z]
        at = chain_at[plain.chains.index(chain)]
        found = np.zeros(states[top])
        for x in range(states[top]):
            if len(chain) == 1:
                found[x] = model.chains[at + x] * base[x]
            else:
                for y in range(states[bottom]):
                    found[x] += model.chains[at + x * states[bottom] + y] * base[y]
        return found

    return float(inside(binarise_tree(tree, MARKOV))[0])


def all_trees(words: list[str]) -> list[Tree]:
    plain = TreebankGrammar.train(parsed(TREES), options=TreebankOptions(MARKOV))
    return [prepare_tree(parse.tree) for parse in plain.kbest(words, 10_000)]


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_sums_equal_enumeration_over_trees_and_substates(rounds: int) -> None:
    grammar = LatentGrammar.train(parsed(TREES), rounds=rounds)
    trees = all_trees(WORDS)
    weights = np.array([probability(grammar.models[0], tree, WORDS) for tree in trees])
    assert len(trees) > 50
    marginals = grammar.marginals(WORDS, exact=True)
    assert marginals.log_partition == pytest.approx(np.log(weights.sum()), rel=1e-6)
    expected: Counter[tuple[str, int, int]] = Counter()
    for tree, weight in zip(trees, weights / weights.sum(), strict=True):
        for span in set(tree.spans()):
            expected[span] += weight
    for label, first, last in [("NP", 2, 4), ("NP", 2, 7), ("PP", 4, 7), ("VP", 1, 7), ("S", 0, 8)]:
        assert marginals.bracket(label, first, last) == pytest.approx(expected[label, first, last], abs=FLOAT32)
    np.testing.assert_allclose(marginals.tags.sum(axis=1), 1, rtol=1e-6)


def rules_of(tree: Tree) -> list[object]:
    """The chains, rules and tags of a tree with their places."""
    found: list[object] = []

    def walk(node: Tree, first: int) -> int:
        below = list(chain_below(node))
        chain = tuple(symbol_of(one) for one in below)
        if below[-1].is_preterminal():
            found.extend([("chain", chain, first, first + 1), ("tag", chain[-1], first)])
            return first + 1
        left, right = (child for child in below[-1].children if isinstance(child, Tree))
        middle = walk(left, first)
        last = walk(right, middle)
        found.extend(
            [("chain", chain, first, last), ("rule", chain[-1], symbol_of(left), symbol_of(right), first, middle, last)]
        )
        return last

    walk(binarise_tree(tree, MARKOV), 0)
    return found


@pytest.mark.parametrize("rounds", [0, 1])
def test_max_rule_is_the_highest_product_of_rule_probabilities(rounds: int) -> None:
    grammar = LatentGrammar.train(parsed(TREES), rounds=rounds)
    trees = all_trees(WORDS)
    weights = np.array([probability(grammar.models[0], tree, WORDS) for tree in trees])
    posterior: Counter[object] = Counter()
    for tree, weight in zip(trees, weights / weights.sum(), strict=True):
        for rule in rules_of(tree):
            posterior[rule] += weight
    scores = [sum(np.log(max(posterior[rule], 1e-10)) for rule in rules_of(tree)) for tree in trees]
    parse = grammar.parse(WORDS, exact=True)
    assert parse.score == pytest.approx(max(scores), abs=1e-4)
    assert prepare_tree(parse.tree) == trees[int(np.argmax(scores))]


def test_coarse_levels_without_thresholds_change_nothing(grammar: LatentGrammar) -> None:
    [model] = grammar.models
    sentence = LatentSentence(model, WORDS)
    sums = [model.kernel.sums(sentence.weights, [limit] * 2, 0.0) for limit in (-np.inf, -600.0)]
    assert sums[0].log_total == pytest.approx(sums[1].log_total, rel=RTOL)
    begins, numbers = (
        np.arange(len(model.plain.chains) + 1, dtype=np.int32),
        np.arange(len(model.plain.chains), dtype=np.int32),
    )
    brackets, pruned_brackets = (each.brackets(begins, numbers, len(numbers)) for each in sums)
    np.testing.assert_allclose(brackets, pruned_brackets, atol=1e-12)
    np.testing.assert_allclose(sums[0].tags(), sums[1].tags(), atol=1e-12)


def test_the_product_of_a_grammar_with_itself_finds_the_same_tree(grammar: LatentGrammar) -> None:
    twice = product([grammar, grammar])
    assert twice.parse(WORDS).tree == grammar.parse(WORDS).tree
    assert twice.parse(WORDS).score == pytest.approx(2 * grammar.parse(WORDS).score, abs=1e-9)


def test_a_product_of_grammars_with_different_labels_finds_a_tree(grammar: LatentGrammar) -> None:
    other = LatentGrammar.train(parsed(["(S (NP (NNP Ann)) (VP (VBZ sings) (ADVP (RB well))))"]), rounds=1)
    assert (
        product([grammar, other]).parse(["the", "dog", "barks", "."]).tree
        == grammar.parse(["the", "dog", "barks", "."]).tree
    )


def test_threads_and_seeds(tmp_path: Path) -> None:
    files = []
    for number, (threads, seed) in enumerate([(1, 1), (3, 1), (1, 2)]):
        LatentGrammar.train(parsed(TREES), rounds=2, seed=seed, threads=threads).save(tmp_path / f"{number}.tw")
        files.append((tmp_path / f"{number}.tw").read_bytes())
    assert files[0] == files[1] != files[2]


def test_a_weight_of_two_is_the_tree_twice() -> None:
    trees = [prepare_tree(tree) for tree in parsed(TREES)]
    weighted = Training(trees, None, [2, 1, 1, 1, 1], LatentOptions(rounds=1), 1).run(Run())
    twice = LatentGrammar.train([trees[0], *trees], rounds=1)
    np.testing.assert_allclose(weighted.models[0].rules, twice.models[0].rules, atol=FLOAT32)
    np.testing.assert_allclose(weighted.models[0].chains, twice.models[0].chains, atol=FLOAT32)


def test_constraints_hold(grammar: LatentGrammar) -> None:
    assert ("NP", 2, 7) in grammar.parse(WORDS, require=[("NP", 2, 7)]).spans
    assert ("NP", 2, 7) not in grammar.parse(WORDS, forbid=[("NP", 2, 7)]).spans
    assert grammar.parse(WORDS, tags=["NN", *[None] * 7]).tags[0] == "NN"
    assert grammar.parse(WORDS, forbid=[(0, "PRP")]).tags[0] == "NN"
    with pytest.raises(InfeasibleError, match="cross"):
        grammar.parse(WORDS, require=[(0, 2), (1, 3)])


def test_files_and_pickles_keep_the_grammar(grammar: LatentGrammar, tmp_path: Path) -> None:
    pair = product([grammar, LatentGrammar.train(parsed(TREES), rounds=1, seed=5)])
    for found in (grammar, pair):
        found.save(tmp_path / "latent.tw")
        loaded = tw.load(tmp_path / "latent.tw")
        assert isinstance(loaded, LatentGrammar)
        for copy in (loaded, pickle.loads(pickle.dumps(found))):
            assert copy.parse(WORDS) == found.parse(WORDS)
            assert repr(copy) == repr(found)


class StopError(Exception):
    pass


@pytest.mark.parametrize("members", [1, 2])
def test_a_resumed_training_ends_with_the_same_file(tmp_path: Path, members: int) -> None:
    trees, dev = parsed(TREES), parsed(TREES[:2])
    reports: list[Report] = []
    whole = LatentGrammar.train(trees, dev, rounds=2, product=members, report=reports.append)
    assert [one.epoch for one in reports] == [0, 1, 2] * members
    assert all({"log likelihood a word", "f1", "tags"} <= set(one.figures) for one in reports)

    def stop(report: Report) -> None:
        if report.epoch == 1:
            raise StopError

    checkpoint = tmp_path / "model.checkpoint"
    with pytest.raises(StopError):
        LatentGrammar.train(trees, dev, rounds=2, product=members, report=stop, checkpoint=checkpoint)
    with pytest.raises(InputError, match="interrupted here"):
        LatentGrammar.train(trees, dev, rounds=2, product=members, checkpoint=checkpoint)
    rest: list[Report] = []
    resumed = LatentGrammar.train(
        trees, dev, rounds=2, product=members, report=rest.append, checkpoint=checkpoint, resume=True
    )
    assert len(rest) == len(reports) - 1
    for number, found in enumerate((whole, resumed)):
        found.save(tmp_path / f"{number}.tw")
    assert (tmp_path / "0.tw").read_bytes() == (tmp_path / "1.tw").read_bytes()


def test_confidence_is_between_zero_and_one_for_every_phrase() -> None:
    grammar = LatentGrammar.train(parsed(TREES), parsed(TREES[:3]), rounds=1)
    parse = grammar.parse(WORDS)
    assert len(parse.confidence) == len(parse.spans)
    assert all(0 <= value <= 1 for value in parse.confidence)
    assert parse.to_json()["confidence"]


@pytest.mark.parametrize(
    "texts",
    [
        ["(S (NP (PRP it)) (VP (VBZ rains)))"],
        ["(S (NP (PRP it)) (VP (VBZ rains)))"] * 3,
        ["(S (NP (PRP it)) (VP (VBZ rains)))", "(X (UH oh))"],
        ["(S (PRP it) (VBZ rains))"],
        ["(NN dog)"],
    ],
    ids=["single tree", "identical trees", "a label on one word", "no unary rules", "a word alone"],
)
def test_small_treebanks_give_a_grammar_that_has_their_trees(texts: list[str]) -> None:
    grammar = LatentGrammar.train(parsed(texts), rounds=3)
    assert grammar.parse(Tree.parse(texts[0]).leaves()).tree == Tree.parse(texts[0])


def test_a_sentence_without_a_tree() -> None:
    grammar = LatentGrammar.train(parsed(["(S (PRP it) (VBZ rains))"]), rounds=1)
    with pytest.raises(InfeasibleError, match="no tree for these words"):
        grammar.parse(["it", "rains", "it"])
    parse = grammar.parse(["it", "rains", "it"], partial=True)
    assert "covers" in parse.given_up or "cover" in parse.given_up


def test_wrong_arguments_are_named(grammar: LatentGrammar) -> None:
    with pytest.raises(InputError, match="no tree to train on"):
        LatentGrammar.train([])
    with pytest.raises(ValueError, match="rounds is 9"):
        LatentGrammar.train(parsed(TREES), rounds=9)
    with pytest.raises(InputError, match="at least one grammar"):
        product([])
    with pytest.raises(InputError, match="words is the text 'she saw'; expected a list of words"):
        grammar.parse("she saw")
