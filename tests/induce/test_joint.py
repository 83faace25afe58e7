"""Joint decoding of the DMV and arc scores: optimal trees, the weight between the models, and the limits."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.induction import CORPUS, KINDS, corpus_of, depth, probability, projective_trees

import treewright as tw
from treewright.induce import dmv, joint
from treewright.induce.dmv import DmvParameters, Limits
from treewright.induce.tagged import TaggedCorpus


def random_parameters(seed: int) -> DmvParameters:
    random = np.random.default_rng(seed)
    k = len(KINDS)
    return DmvParameters(*(random.random(shape) for shape in (k, (k, 2, 2), (k, 2, 2), (k, 2, k)))).normalised()


def random_scores(words: int, seed: int) -> np.ndarray:
    scores = np.random.default_rng(seed).normal(size=(words + 1, words + 1))
    scores[:, 0] = -np.inf
    np.fill_diagonal(scores, -np.inf)
    return scores


def test_joint_decoding_follows_the_model_of_larger_weight() -> None:
    """With a weight near zero the joint tree is the best of the DMV, with a large one the best for the arc scores."""
    parameters = random_parameters(0)
    arc_scores = [random_scores(length, seed) for seed, length in enumerate(CORPUS.lengths.tolist())]
    by_dmv, _ = dmv.decode(CORPUS, parameters, dmv.UNLIMITED)
    by_arcs = np.concatenate([tw.decode.tree(scores, projective=True).heads[1:] for scores in arc_scores])
    for weight, expected in ((1e-6, by_dmv), (1e6, by_arcs)):
        found = joint.decode_jointly(
            CORPUS, parameters, dmv.UNLIMITED, arc_scores, joint.JointOptions(weight=weight, iterations=200)
        )
        assert found.certified_share == 1
        np.testing.assert_array_equal(found.generative, expected)


def test_with_the_balanced_weight_both_models_lose_the_same() -> None:
    parameters = dmv.fit(CORPUS, dmv.klein_manning(CORPUS), dmv.UNLIMITED, iterations=3)
    random = np.random.default_rng(1)
    arc_scores = [random.normal(size=(length + 1, length + 1)) for length in CORPUS.lengths.tolist()]
    weight = joint.balanced_weight(CORPUS, parameters, dmv.UNLIMITED, arc_scores)
    by_dmv, _ = dmv.decode(CORPUS, parameters, dmv.UNLIMITED)
    by_arcs = np.concatenate([tw.decode.tree(scores, projective=True).heads[1:] for scores in arc_scores])

    def log_probability(heads: np.ndarray) -> float:
        counts = dmv.counts_of(CORPUS, heads).tables()
        return sum(float((n * np.log(p)).sum()) for n, p in zip(counts, parameters.tables(), strict=True))

    def score(heads: np.ndarray) -> float:
        spans = zip(CORPUS.spans(), arc_scores, strict=True)
        return sum(float(scores[heads[span], np.arange(1, len(scores))].sum()) for span, scores in spans)

    lost_by_dmv = log_probability(by_dmv) - log_probability(by_arcs)
    assert weight * (score(by_arcs) - score(by_dmv)) == pytest.approx(lost_by_dmv, rel=1e-6)


def test_a_certified_tree_is_the_best_of_all_trees_and_the_bound_holds_for_the_others() -> None:
    sentence, limits = corpus_of("NOUN VERB DET NOUN NOUN"), Limits(length_bias=0.2, leaves=())
    trees = [tree for tree in projective_trees(5) if depth(tree, limits.chunk) <= limits.depth]
    certified = 0
    for seed in range(8):
        parameters, scores = random_parameters(seed), random_scores(5, seed)
        found = joint.decode_jointly(sentence, parameters, limits, [scores], joint.JointOptions(weight=2.0))
        values = {}
        for tree in trees:
            likely = probability(tree, sentence.tags.tolist(), *parameters.tables(), limits.length_weight())
            arcs = 2.0 * sum(float(scores[tree[m], m]) for m in range(1, 6))
            values[tree] = float(np.log(likely)) + arcs
        best = max(values.values())
        assert found.value - 1e-9 <= best <= found.bound + 1e-9
        if found.certified:
            certified += 1
            assert values[(-1, *found.generative.tolist())] == pytest.approx(best, rel=1e-9)
    assert certified >= 4


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("limits", [dmv.UNLIMITED, Limits(length_bias=0.7)])
def test_the_range_of_values_bounds_the_difference_of_any_two_trees(seed: int, limits: Limits) -> None:
    sentence, parameters = corpus_of("NOUN VERB NOUN DET NOUN"), random_parameters(seed)
    tags, tables = sentence.tags.tolist(), parameters.tables()
    values = np.log([probability(tree, tags, *tables, limits.length_weight()) for tree in projective_trees(5)])
    bound = dmv.value_range(sentence, parameters, limits)
    assert values.max() - values.min() <= bound < np.inf
    one_word = corpus_of("NOUN")
    assert dmv.value_range(one_word, DmvParameters(*map(np.ones_like, tables)), limits) == 0


@pytest.mark.parametrize("seed", range(5))
def test_the_nearest_tree_shares_most_arcs_and_is_the_most_probable_of_those(seed: int) -> None:
    sentence, parameters, limits = corpus_of("DET NOUN VERB DET NOUN"), random_parameters(seed), Limits()
    target = np.random.default_rng(seed).permutation([2, 0, 1, 5, 3]).astype(np.int32)
    target = np.where(target == np.arange(1, 6), 0, target).astype(np.int32)
    go = parameters.go.copy()
    go[[KINDS.index(tag) for tag in KINDS if tag in limits.leaves]] = 0
    tags, weight = sentence.tags.tolist(), limits.length_weight()
    ranked = []
    for tree in projective_trees(5):
        likely = probability(tree, tags, parameters.root, parameters.stop, go, parameters.attach, weight)
        if likely > 0 and depth(tree, limits.chunk) <= limits.depth:
            ranked.append((int((np.array(tree[1:]) == target).sum()), float(np.log(likely)), list(tree[1:])))
    shared, value, heads = max(ranked)
    found, found_value = joint.nearest_tree(sentence, parameters, limits, target)
    assert found.tolist() == heads
    assert int((found == target).sum()) == shared
    assert found_value == pytest.approx(value, rel=1e-9)


def two_chains(words: int) -> tuple[TaggedCorpus, DmvParameters]:
    """A DMV with two trees: the chain from the first word, of probability near 1, and the one from the last word.

    Every word has a tag of its own and takes its neighbours only; an arc to the left has the probability 1e-300.
    """
    kinds = tuple(f"T{i}" for i in range(words))
    root, attach = np.zeros(words), np.zeros((words, 2, words))
    root[[0, -1]] = 0.5
    for i in range(1, words):
        attach[i - 1, 1, i] = 1.0
        attach[i, 0, i - 1] = 1e-300
    half = np.full((words, 2, 2), 0.5)
    sentence = TaggedCorpus(kinds, np.arange(words, dtype=np.int32), np.array([words], dtype=np.int32))
    return sentence, DmvParameters(root, half, half, attach)


def test_the_nearest_tree_is_found_where_it_is_10000_nats_an_arc_less_probable() -> None:
    """A bonus of 1e4 for each of the two shared arcs is less than the 39 * 690 nats that the other chain gains."""
    words = 40
    sentence, parameters = two_chains(words)
    star = np.full(words, words, dtype=np.int32)  # every word modifies the last one
    star[-1] = 0
    from_last = [*range(2, words + 1), 0]
    heads, value = joint.nearest_tree(sentence, parameters, dmv.UNLIMITED, star)
    assert heads.tolist() == from_last
    stops_and_go = (3 * words - 1) * np.log(0.5)
    assert value == pytest.approx(np.log(0.5) + stops_and_go + (words - 1) * np.log(1e-300), rel=1e-9)


@pytest.mark.parametrize("words", [20, 120])
def test_every_further_iteration_lowers_the_bound_of_short_and_long_sentences(words: int) -> None:
    random = np.random.default_rng(words)
    sentence = corpus_of(" ".join(random.choice(KINDS, words)))
    parameters, scores = random_parameters(1), random_scores(words, 1)
    bounds = [
        joint.decode_jointly(
            sentence, parameters, Limits(), [scores], joint.JointOptions(weight=3.0, iterations=iterations)
        ).bound
        for iterations in (1, 5, 20)
    ]
    assert bounds[0] > bounds[1] > bounds[2]


def test_no_time_leaves_one_iteration() -> None:
    sentence, parameters, scores = corpus_of("NOUN VERB " * 10), random_parameters(2), random_scores(20, 2)

    def bound(iterations: int, seconds: float) -> float:
        options = joint.JointOptions(weight=3.0, iterations=iterations)
        return joint.decode_jointly(sentence, parameters, Limits(), [scores], options, seconds).bound

    assert bound(50, 0.0) == bound(1, 60.0) > bound(50, 60.0)


def test_joint_decoding_needs_a_weight() -> None:
    with pytest.raises(ValueError, match="joint decoding needs a weight; balanced_weight computes one"):
        joint.decode_jointly(CORPUS, random_parameters(0), dmv.UNLIMITED, [], joint.JointOptions())
