"""Table 2 of Koo et al. (2010) on a few small sentences."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.errors import InputError
from treewright.reproduce import koo2010


def test_the_exact_methods_are_exact_and_the_others_bounded_by_them() -> None:
    calls = []
    rows = koo2010.table2(instances=3, words=5, report=lambda done, total: calls.append((done, total)))
    assert [(row.model, row.method, row.encoding) for row in rows] == [
        (model, *method) for model in koo2010.MODELS for method in koo2010.METHODS
    ]
    total = 3 * len(rows)
    assert calls == [(done, total) for done in range(1, total + 1)]
    for row in rows:
        assert 0 <= row.exact <= 100
        assert row.seconds > 0
        if row.method in ("exact", "ILP"):
            assert (row.exact, row.best) == (100, 100)
        assert (row.agreed is not None) == row.method.startswith("DD")
    by_name = {(row.model, row.method): row for row in rows}
    assert by_name["Sib", "DD-5000"].exact >= by_name["Sib", "DD-250"].exact
    assert by_name["Sib", "DD-5000"].published_exact == 35.6
    assert by_name["G+S", "ILP"].published_seconds == 1.79
    assert by_name["Sib", "exact"].published_exact is None


@pytest.mark.parametrize(("scores", "low", "high"), [("normal", -1e9, 1e9), ("uniform", 0, 1)])
def test_sentences_depend_on_the_seed_alone(scores: str, low: float, high: float) -> None:
    drawn = [list(koo2010.sentences("G+S", 4, 2, scores=scores, seed=seed)) for seed in (1, 1, 2)]  # type: ignore[arg-type]
    for name in ("sib", "grand", "stop"):
        assert (drawn[0][1][name] == drawn[1][1][name]).all()
        assert (drawn[0][1][name] != drawn[2][1][name]).any()
        assert low <= drawn[0][0][name].min() < drawn[0][0][name].max() <= high
    assert not drawn[0][0]["arc"].any()
    assert np.shape(drawn[0][0]["stop"]) == (5, 5, 2)


def test_bad_sizes_are_named() -> None:
    with pytest.raises(InputError, match="instances is 0; give at least 1"):
        koo2010.table2(instances=0)


@pytest.mark.slow
def test_the_papers_order_of_methods_is_found_again() -> None:
    rows = {(row.model, row.method, row.encoding): row for row in koo2010.table2(instances=40)}
    for model in koo2010.MODELS:
        exact = {key[1:]: row.exact for key, row in rows.items() if key[0] == model}
        assert exact["DD-250", ""] <= exact["DD-5000", ""] < exact["ILP", "tight"] == exact["exact", ""] == 100
        assert exact["LP(S)", "product"] <= exact["LP(S)", "automaton"] <= exact["LP(M)", "automaton"]
    assert rows["G+S", "DD-5000", ""].exact < rows["Sib", "DD-5000", ""].exact < 60
    for model in koo2010.MODELS:
        assert rows[model, "exact", ""].seconds < rows[model, "ILP", "tight"].seconds / 15
