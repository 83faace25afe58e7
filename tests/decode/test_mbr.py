"""The tree with the most correct heads on average, against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.instances import distribution, random_instance, varied_instance

import treewright as tw
from treewright.errors import InfeasibleError

SHAPES = [(projective, root) for projective in (False, True) for root in ("single", "multi")]


@pytest.mark.parametrize(("projective", "root"), SHAPES)
@pytest.mark.parametrize("parts", ["", "sib", "grand", "sib grand stop"])
def test_no_tree_has_more_correct_heads_on_average(parts: str, projective: bool, root: str) -> None:
    feasible = 0
    losses = []
    for trial in range(10):
        instance = varied_instance(trial, parts=parts, root=root, projective=projective)
        truth = distribution(instance)
        if truth is None:
            with pytest.raises(InfeasibleError):
                tw.decode.mbr(instance.arc, **instance.arguments)
            continue
        feasible += 1
        parse = tw.decode.mbr(instance.arc, **instance.arguments)
        assert tuple(parse.heads.tolist()) in instance.trees()
        best = max(map(truth.correct_heads, instance.trees()))
        assert parse.method == "mbr"
        assert parse.certified == (projective or not parts)
        if parse.certified:
            assert parse.score == pytest.approx(best, abs=1e-6)
            assert truth.correct_heads(parse.heads) == pytest.approx(best, abs=1e-6)
            assert parse.gap <= 1e-12  # rounding only
        else:
            losses.append(best - truth.correct_heads(parse.heads))
            assert parse.bound == len(instance.arc) - 1  # the number of words
    assert feasible >= 7
    if projective or not parts:
        assert losses == []
    else:
        assert np.mean(losses) < 0.1  # heads a sentence; approximate marginals lose 0.0 to 0.05


def test_it_has_more_correct_heads_than_the_best_tree() -> None:
    gains = []
    for seed in range(30):
        instance = random_instance(seed, 4, projective=True)
        truth = distribution(instance)
        assert truth is not None
        parse = tw.decode.mbr(instance.arc, **instance.arguments)
        best = tw.decode.tree(instance.arc, **instance.arguments)
        gains.append(truth.correct_heads(parse.heads) - truth.correct_heads(best.heads))
    assert min(gains) >= -1e-6
    assert max(gains) > 0.01
