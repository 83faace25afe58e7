"""Names and options of the methods, and the attributes of a result."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from oracles.instances import random_scores
from oracles.trees import all_trees, value

import treewright as tw
from treewright.decode import METHODS, Parse
from treewright.decode.methods import solver
from treewright.errors import InfeasibleError, InputError

HEADS = np.array([-1, 0, 1], dtype=np.int32)


@pytest.mark.parametrize("method", METHODS)
def test_the_place_of_every_method_holds_a_function_of_a_problem(method: str) -> None:
    module, _, name = METHODS[method].partition(":")
    function = solver(method, {})
    assert (function.__module__, function.__name__) == (module, name)
    [first, *options] = inspect.signature(function).parameters.values()
    assert first.name == "problem"
    assert all(option.kind is option.KEYWORD_ONLY and option.default is not option.empty for option in options)


KINDS = {  # scores -> the exact method over projective trees, over all trees
    "arc": ("eisner", "chu-liu-edmonds"),
    "arc sib": ("sibling-eisner", "branch and bound"),
    "arc stop": ("sibling-eisner", "branch and bound"),
    "arc grand": ("grand-eisner", "branch and bound"),
    "arc sib grand stop": ("grand-eisner", "branch and bound"),
}


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("names", KINDS)
def test_one_choice_of_the_exact_algorithm_for_arrays_parts_and_batches(names: str, root: str) -> None:
    rng = np.random.default_rng(5)
    for projective, method in zip((True, False), KINDS[names], strict=True):
        scores = [random_scores(rng, n, names) for n in (1, 3, 5)]
        parts = [tw.decode.Parts.from_arrays(**one) for one in scores]
        options: dict[str, Any] = {"projective": projective, "root": root}
        batch = tw.decode.trees(parts, **options)
        for arrays, own, found in zip(scores, parts, batch, strict=True):
            best = max(value(tree, **arrays) for tree in all_trees(len(arrays["arc"]) - 1, **options))
            for parse in (tw.decode.tree(**arrays, **options), tw.decode.tree(own, **options), found):
                assert parse.method == method
                assert parse.certified
                assert parse.score == pytest.approx(best, rel=1e-9, abs=1e-9)
            alone = tw.decode.tree(own, **options)
            assert (found.heads.tolist(), found.score, found.bound) == (alone.heads.tolist(), alone.score, alone.bound)


def test_a_batch_may_mix_kinds_of_parts() -> None:
    rng = np.random.default_rng(8)
    parts = [tw.decode.Parts.from_arrays(**random_scores(rng, 5, names)) for names in [*KINDS, *KINDS]]
    for projective in (True, False):
        parses = tw.decode.trees(parts, projective=projective)
        alone = [tw.decode.tree(own, projective=projective) for own in parts]
        assert [parse.heads.tolist() for parse in parses] == [parse.heads.tolist() for parse in alone]
        assert [(parse.score, parse.method) for parse in parses] == [(parse.score, parse.method) for parse in alone]


def test_a_batch_refuses_what_one_sentence_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = tw.decode.Parts.from_arrays(**random_scores(np.random.default_rng(1), 5, "arc grand"))
    impossible = tw.decode.Parts(3, arcs=([1, 2], [2, 1], [1.0, 1.0]))
    with pytest.raises(InfeasibleError):
        tw.decode.trees([parts, impossible])
    with pytest.raises(InputError, match="method 'exact' has no option 'patience'"):
        tw.decode.trees([parts], patience=3)
    monkeypatch.setattr("treewright.decode.exact.LARGEST_CHART", 1000)
    with pytest.raises(InputError, match="the chart of 5 words with 25 candidate arcs would take"):
        tw.decode.trees([parts], projective=True)
    assert tw.decode.trees([parts], projective=False)[0].certified


def test_a_solver_is_found_once() -> None:
    assert solver("exact", {}) is solver("exact", {"max_nodes": 3})


def test_a_misspelt_option_answers_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"^method 'exact' has no option 'max_second'; it has max_seconds, max_nodes"):
        tw.decode.tree(np.zeros((3, 3)), max_second=1)  # type: ignore[call-arg]


def test_budgets_are_fine_where_none_is_needed() -> None:
    assert tw.decode.tree([[0, 9, 2], [0, 0, 7], [0, 3, 0]], max_seconds=0.001, max_nodes=1).certified


def test_a_parse_tells_what_it_is_worth() -> None:
    certain = Parse(HEADS, 16.0, 16.0, "eisner", 0.0, 2.0)
    assert (certain.bound, certain.gap, certain.certified, certain.certificate) == (16.0, 0.0, True, "exact")
    assert (certain.iterations, certain.nodes, certain.trace, certain.arcs) == (0, 0, None, None)
    assert repr(certain) == "Parse(heads=[-1, 0, 1], score=16, certified, method='eisner')"
    doubtful = Parse(HEADS, 16.0, 16.5, "dd", 0.5, iterations=5000)
    assert (doubtful.gap, doubtful.certified, doubtful.status) == (0.5, False, "gap 0.5")
    assert (certain.status, Parse(HEADS, 1.0, np.inf, "climb").status) == ("certified", "not certified")
    assert repr(doubtful) == "Parse(heads=[-1, 0, 1], score=16, gap <= 0.5, method='dd')"


@pytest.mark.parametrize("projective", [False, True], ids=["any", "projective"])
@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_keeps_the_constraints_and_its_word(method: str, root: str, projective: bool) -> None:
    """By enumeration: a tree that obeys the constraints and has its score, with a bound that no tree exceeds."""
    rng = np.random.default_rng([len(method), root == "single", projective])
    n = 4
    trees = all_trees(n, projective=projective, root=root)
    for case in range(12):
        arc = rng.normal(size=(n + 1, n + 1)) if case % 3 else rng.integers(-2, 3, size=(n + 1, n + 1)).astype(float)
        arrays: dict[str, Any] = {
            "sib": rng.normal(size=(n + 1,) * 3) if case % 4 in (1, 3) else None,
            "grand": rng.normal(size=(n + 1,) * 3) if case % 4 in (2, 3) else None,
            "stop": rng.normal(size=(n + 1, n + 1, 2)) if case % 4 == 3 else None,
        }
        model = trees[rng.integers(len(trees))]
        m, other = 1 + rng.permutation(n)[:2]
        require = [(model[m], int(m))]
        forbid = [(h, int(other)) for h in range(n + 1) if h not in (model[other], other)][: case % 3]
        values = {
            heads: value(heads, arc, **arrays)
            for heads in trees
            if all(heads[m] == h for h, m in require) and all(heads[m] != h for h, m in forbid)
        }
        best = max(values.values())
        question: dict[str, Any] = {
            "projective": projective,
            "root": root,
            "require": require,
            "forbid": forbid,
            "method": method,
        }
        for parse in (
            tw.decode.tree(arc, **arrays, **question),
            tw.decode.tree(tw.decode.Parts.from_arrays(arc, **arrays), **question),
        ):
            heads = tuple(parse.heads.tolist())
            assert heads in values
            assert parse.score == pytest.approx(values[heads], abs=1e-9)
            assert parse.bound >= best - 1e-6
            assert not parse.certified or parse.score == pytest.approx(best, abs=1e-6)
            assert parse.certified or method != "exact"
