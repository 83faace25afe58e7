"""Table 2 of Koo et al. (2010) on a few small sentences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.trees import all_trees, value

import treewright as tw
from treewright.errors import InputError
from treewright.papers import koo2010_programs

DIRECT = ("DD-5000", "DD-250", "exact")  # methods without a program to encode


def test_shares_are_those_counted_against_the_best_of_all_trees() -> None:
    rows = {(row.model, row.method): row for row in koo2010_programs.table2(instances=4, words=4, seed=3)}
    trees = all_trees(4, root="multi")
    for model in koo2010_programs.AUTOMATA:
        instances: list[dict[str, Any]] = list(koo2010_programs.sentences(model, 4, 4, seed=3))
        best = [max(value(tree, **arrays) for tree in trees) for arrays in instances]
        for method in DIRECT:
            parses = [
                tw.decode.tree(**arrays, root="multi", **koo2010_programs.METHODS[method, ""]) for arrays in instances
            ]
            found = [value(parse.heads, **arrays) for parse, arrays in zip(parses, instances, strict=True)]
            is_best = [one > top - 1e-6 for one, top in zip(found, best, strict=True)]
            row = rows[model, method]
            assert row.best == 100 * sum(is_best) / 4
            assert row.exact == 100 * sum(parse.certified for parse in parses) / 4
            assert all(top for parse, top in zip(parses, is_best, strict=True) if parse.certified)


def test_the_exact_methods_are_exact_and_the_others_bounded_by_them() -> None:
    calls = []
    rows = koo2010_programs.table2(instances=3, words=5, report=lambda done, total: calls.append((done, total)))
    assert [(row.model, row.method, row.encoding) for row in rows] == [
        (model, *method) for model in koo2010_programs.AUTOMATA for method in koo2010_programs.METHODS
    ]
    total = 3 * len(rows)
    assert calls == [(done, total) for done in range(1, total + 1)]
    for row in rows:
        assert row.exact <= row.best
        if row.method in ("exact", "ILP"):
            assert (row.exact, row.best) == (100, 100)
        assert (row.agreed is not None) == row.method.startswith("DD")
    by_name = {(row.model, row.method): row for row in rows}
    assert by_name["Sib", "DD-5000"].exact >= by_name["Sib", "DD-250"].exact
    assert by_name["Sib", "DD-5000"].published_exact == 35.6
    assert by_name["G+S", "ILP"].published_seconds == 1.79
    assert by_name["Sib", "exact"].published_exact is None


@pytest.mark.parametrize(("scores", "mean", "deviation"), [("normal", 0, 1), ("uniform", 0.5, 12**-0.5)])
def test_sentences_depend_on_the_seed_alone(scores: str, mean: float, deviation: float) -> None:
    drawn = [list(koo2010_programs.sentences("G+S", 4, 2, scores=scores, seed=seed)) for seed in (1, 1, 2)]  # type: ignore[arg-type]
    for name in ("sib", "grand", "stop"):
        assert (drawn[0][1][name] == drawn[1][1][name]).all()
        assert (drawn[0][1][name] != drawn[2][1][name]).any()
    every = np.concatenate([arrays[name].ravel() for arrays in drawn[0] for name in ("sib", "grand", "stop")])
    assert every.mean() == pytest.approx(mean, abs=4 * deviation / len(every) ** 0.5)
    assert every.std() == pytest.approx(deviation, rel=0.15)
    assert not drawn[0][0]["arc"].any()
    assert np.shape(drawn[0][0]["stop"]) == (5, 5, 2)


def test_bad_sizes_are_named() -> None:
    with pytest.raises(InputError, match="instances is 0; give at least 1"):
        koo2010_programs.table2(instances=0)


@pytest.mark.slow
def test_the_papers_order_of_methods_is_found_again() -> None:
    rows = {(row.model, row.method, row.encoding): row for row in koo2010_programs.table2(instances=40)}
    for model in koo2010_programs.AUTOMATA:
        exact = {key[1:]: row.exact for key, row in rows.items() if key[0] == model}
        assert exact["DD-250", ""] <= exact["DD-5000", ""] < exact["ILP", "tight"] == exact["exact", ""] == 100
        assert exact["LP(S)", "product"] <= exact["LP(S)", "automaton"] <= exact["LP(M)", "automaton"]
    assert rows["G+S", "DD-5000", ""].exact < rows["Sib", "DD-5000", ""].exact < 60
    for model in koo2010_programs.AUTOMATA:
        assert rows[model, "exact", ""].seconds < rows[model, "ILP", "tight"].seconds / 15
