"""Model 1 and dependencies that agree on arcs: optimal by an integer program, certificates are never wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from oracles.collins import RULES, TREES
from oracles.programs import best_joint_value
from oracles.trees import all_trees

from treewright.corpus import Tree
from treewright.decode import Parts
from treewright.grammar import Collins, CollinsOptions
from treewright.grammar.collins_forest import ParseForest
from treewright.joint import agree_on_arcs
from treewright.joint.arcs import ArcVariables, DependencyOracle, PhraseOracle

TOLERANCE = 1e-6
SENTENCES = ["a b", "a b a", "b c a b", "a b a , b", "a b c a b a", "b a , b a b"]


@pytest.fixture(scope="module")
def grammar() -> Collins:
    options = CollinsOptions(str(RULES), min_count=1, beam=None)
    return Collins.train([Tree.parse(tree) for tree in TREES[:5]], options=options)


def random_parts(forest: ParseForest, seed: int, spread: float) -> Parts:
    """Random first- and second-order scores over the arcs of a forest."""
    arcs = ArcVariables.of(forest)
    rng = np.random.default_rng(seed)
    nodes = arcs.words + 1
    scores = np.full((nodes, nodes), -np.inf)
    scores[arcs.head, arcs.modifier] = rng.normal(0, spread, arcs.count)
    sib, grand = rng.normal(0, spread, (2, nodes, nodes, nodes))
    return Parts.from_arrays(scores, sib, grand)


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("seed", range(4))
def test_exact_joint_parses_are_optimal_by_the_integer_program(sentence: str, seed: int, grammar: Collins) -> None:
    forest = grammar.forest(sentence.split())
    parts = random_parts(forest, seed, 3.0)
    best = best_joint_value(forest, parts, 0.7)
    agreement = agree_on_arcs(forest, parts, weight=0.7, exact=True)
    assert agreement.certified
    assert agreement.score == pytest.approx(best, abs=TOLERANCE)


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("seed", range(4))
def test_a_certificate_is_given_only_to_the_optimum_and_the_bound_holds(
    sentence: str, seed: int, grammar: Collins
) -> None:
    forest = grammar.forest(sentence.split())
    parts = random_parts(forest, seed, 3.0)
    best = best_joint_value(forest, parts, 1.0)
    for iterations in (1, 3, 50):
        agreement = agree_on_arcs(forest, parts, max_iterations=iterations)
        assert agreement.bound >= best - TOLERANCE
        assert agreement.score <= best + TOLERANCE
        if agreement.certified:
            assert agreement.score == pytest.approx(best, abs=TOLERANCE)


def test_a_split_gives_certificates_that_more_iterations_do_not_give(grammar: Collins) -> None:
    closed = 0
    for seed in range(40):
        forest = grammar.forest(SENTENCES[-1].split())
        parts = random_parts(forest, seed, 3.0)
        alone = agree_on_arcs(forest, parts, max_iterations=300, split_after=None)
        agreement = agree_on_arcs(forest, parts, max_iterations=50)
        assert alone.nodes == 1
        assert len(agreement.disagreements) <= agreement.iterations <= 50
        assert agreement.score >= alone.score - TOLERANCE
        if alone.certified or not agreement.certified:
            continue
        closed += 1
        assert agreement.nodes > 1
        assert agreement.score == pytest.approx(best_joint_value(forest, parts, 1.0), abs=TOLERANCE)
    assert closed > 0


def test_the_score_is_the_sum_of_both_models(grammar: Collins) -> None:
    forest = grammar.forest(["a", "b", "a"])
    parts = random_parts(forest, 1, 2.0)
    agreement = agree_on_arcs(forest, parts, weight=0.5, exact=True)
    arcs = ArcVariables.of(forest)
    alone = PhraseOracle(arcs, np.ones(arcs.count, dtype=bool), forest).score(arcs.assignment(agreement.heads))
    assert agreement.score == pytest.approx(alone + 0.5 * parts.value(agreement.heads), abs=TOLERANCE)


def test_without_dependency_scores_the_first_iteration_has_the_parse_of_the_grammar(grammar: Collins) -> None:
    words = ["a", "b", "c", "a", "b", "a"]
    forest = grammar.forest(words)
    arcs = ArcVariables.of(forest)
    scores = np.full((7, 7), -np.inf)
    scores[arcs.head, arcs.modifier] = 0.0
    agreement = agree_on_arcs(forest, Parts.from_arrays(scores), max_iterations=1)
    assert agreement.certified
    assert agreement.iterations == 1
    assert agreement.tree == grammar.parse(words).tree


def test_two_runs_have_the_same_iterations(grammar: Collins) -> None:
    forest = grammar.forest(["b", "a", ",", "b", "a", "b"])
    parts = random_parts(forest, 3, 3.0)
    first, second = agree_on_arcs(forest, parts), agree_on_arcs(forest, parts)
    assert (first.iterations, first.score, first.disagreements) == (
        second.iterations,
        second.score,
        second.disagreements,
    )


def test_the_result_is_relative_to_the_beam_and_says_so(grammar: Collins) -> None:
    forest = grammar.forest(["a", "b", "a"], beam=3.0)
    agreement = agree_on_arcs(forest, random_parts(forest, 0, 1.0), exact=True)
    assert agreement.beam is not None
    assert "beam" in agreement.scope
    assert agreement.status == "certified within the beam"


@pytest.mark.parametrize("seed", range(3))
def test_restricted_oracles_have_the_best_structures_with_the_fixed_arcs(seed: int, grammar: Collins) -> None:
    forest = grammar.forest(["a", "b", "a"])
    parts = random_parts(forest, seed, 2.0)
    arcs = ArcVariables.of(forest)
    every = np.ones(arcs.count, dtype=bool)
    trees = [np.array(tree, dtype=np.int32) for tree in all_trees(3, projective=True, root="single")]
    for variable in range(arcs.count):
        for on in (True, False):
            fits = [tree for tree in trees if (tree[arcs.modifier[variable]] == arcs.head[variable]) == on]
            value = max((parts.value(tree) for tree in fits), default=-math.inf)
            oracle = DependencyOracle(arcs, every, parts).restrict({variable: on})
            assert oracle.solve(np.zeros(arcs.count)).value == pytest.approx(value, abs=TOLERANCE)
