"""The DMV: starts, EM, decoding."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from oracles.induction import CORPUS, KINDS

from treewright.errors import InputError
from treewright.induce import dmv
from treewright.induce.dmv import UNLIMITED, Limits


@pytest.mark.parametrize("name", dmv.INITIAL)
def test_starts_are_distributions(name: str) -> None:
    model = dmv.initial(name, CORPUS)
    assert model.root.sum() == pytest.approx(1, rel=1e-9)
    np.testing.assert_allclose(model.stop + model.go, 1, rtol=1e-9)
    np.testing.assert_allclose(model.attach.sum(axis=2), 1, rtol=1e-9)
    assert all((table >= 0).all() for table in model.tables())


def test_unknown_starts_are_answered_with_those_there_are() -> None:
    with pytest.raises(InputError, match="no initialisation 'magic'; there are uniform, klein-manning"):
        dmv.initial("magic", CORPUS)


@pytest.mark.parametrize("limits", [UNLIMITED, Limits(length_bias=0.0), Limits(depth=2, chunk=1, length_bias=0.0)])
@pytest.mark.parametrize("start", dmv.INITIAL)
def test_likelihood_never_falls(limits: Limits, start: str) -> None:
    values: list[float] = []
    dmv.fit(
        CORPUS,
        dmv.initial(start, CORPUS),
        limits,
        iterations=25,
        tolerance=-np.inf,
        report=lambda iteration, value: values.append(value),
    )
    assert len(values) == 25
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(values))


def test_function_words_take_no_modifiers_unless_there_is_nothing_else() -> None:
    model = dmv.fit(CORPUS, dmv.uniform(CORPUS), Limits(), iterations=60)
    heads, values = dmv.decode(CORPUS, model, Limits())
    assert np.isfinite(values).all()
    for span in list(CORPUS.spans())[:-1]:
        tags, tree = CORPUS.tags[span], heads[span]
        assert all(KINDS[tags[h - 1]] not in {"ADP", "DET"} for h in tree if h > 0)
    assert sorted(heads[list(CORPUS.spans())[-1]].tolist()) in ([0, 1], [0, 2])


def test_strong_length_bias_leaves_chains() -> None:
    heads, _ = dmv.decode(CORPUS, dmv.uniform(CORPUS), Limits(depth=0, length_bias=50.0, leaves=()))
    for span in CORPUS.spans():
        tree = heads[span]
        assert all(h == 0 or abs(h - m) == 1 for m, h in enumerate(tree.tolist(), start=1))
