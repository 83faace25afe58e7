"""Names and options of the methods, and what a result tells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.trees import all_trees, value

import treewright as tw
from treewright.decode import METHODS, Parse
from treewright.decode.methods import EXACT, solver
from treewright.errors import InputError

HEADS = np.array([-1, 0, 1], dtype=np.int32)


def test_every_method_is_a_place() -> None:
    for place in [*METHODS.values(), *EXACT.values()]:
        module, _, name = place.partition(":")
        assert module.startswith("treewright.decode.")
        assert name.isidentifier()


def test_a_solver_is_found_once() -> None:
    assert solver("exact", {}) is solver("exact", {"max_nodes": 3})


def test_a_misspelt_option_answers_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"^method 'exact' has no option 'max_second'; it has max_seconds, max_nodes"):
        tw.decode.tree(np.zeros((3, 3)), max_second=1)


def test_budgets_are_fine_where_none_is_needed() -> None:
    assert tw.decode.tree([[0, 9, 2], [0, 0, 7], [0, 3, 0]], max_seconds=0.001, max_nodes=1).certified


def test_a_parse_tells_what_it_is_worth() -> None:
    certain = Parse.exact(HEADS, 16.0, "eisner")
    assert (certain.bound, certain.gap, certain.certified, certain.certificate) == (16.0, 0.0, True, "exact")
    assert (certain.iterations, certain.nodes, certain.trace, certain.arcs) == (0, 0, None, None)
    assert repr(certain) == "Parse(heads=[-1, 0, 1], score=16, certified, method='eisner')"
    doubtful = Parse(HEADS, 16.0, 16.5, "dd", certificate=None, iterations=5000)
    assert (doubtful.gap, doubtful.certified, doubtful.worth) == (0.5, False, "gap 0.5")
    assert (certain.worth, Parse(HEADS, 1.0, np.inf, "climb", None).worth) == ("certified", "not certified")
    assert repr(doubtful) == "Parse(heads=[-1, 0, 1], score=16, gap <= 0.5, method='dd')"
    with pytest.raises(AttributeError):
        certain.score = 3.0  # type: ignore[misc]


@pytest.mark.parametrize("projective", [False, True], ids=["any", "projective"])
@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_keeps_the_constraints_and_its_word(method: str, root: str, projective: bool) -> None:
    """By enumeration: a tree of the kind asked for, worth its score, with a bound no tree exceeds."""
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
