"""Sums over trees in padded batches: marginals are the derivative of the log partition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.decode.sums.marginals import padded_marginals, part_marginals

LENGTHS = [3, 1, 2]


@pytest.mark.parametrize("projective", [False, True])
def test_marginals_are_the_gradient_of_log_partition_in_a_padded_batch(projective: bool) -> None:
    scores = np.random.default_rng(2).normal(size=(3, 4, 4))
    options: dict[str, Any] = {"lengths": LENGTHS, "head_first": False, "projective": projective}
    marginals = tw.decode.batched(tw.decode.marginals, scores, **options)
    step = 1e-5  # the error of central differences, about step squared, is below the tolerance
    for cell in np.ndindex(*scores.shape):
        item, m, h = cell
        above, below = scores.copy(), scores.copy()
        above[cell] += step
        below[cell] -= step
        sums = [tw.decode.batched(tw.decode.log_partition, changed, **options)[item] for changed in (above, below)]
        is_read = m <= LENGTHS[item] and h <= LENGTHS[item]
        assert (sums[0] - sums[1]) / (2 * step) == pytest.approx(marginals[item][m, h] if is_read else 0.0, abs=1e-8)


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("projective", [False, True])
def test_one_call_has_the_sums_of_each_sentence(projective: bool, root: str) -> None:
    scores = np.random.default_rng(4).normal(size=(3, 4, 4))
    lengths = np.array(LENGTHS, dtype=np.int32)
    log_partitions, marginals = padded_marginals(scores, lengths, projective=projective, root=root)
    for place, words in enumerate(LENGTHS):
        arc = scores[place, : words + 1, : words + 1]
        assert log_partitions[place] == tw.decode.log_partition(arc, projective=projective, root=root)
        assert (
            marginals[place, : words + 1, : words + 1] == tw.decode.marginals(arc, projective=projective, root=root)
        ).all()
        assert marginals[place].sum() == pytest.approx(words)


def test_a_wrong_score_in_a_padded_batch_is_named() -> None:
    scores, lengths = np.zeros((2, 3, 3)), np.array([2, 2], dtype=np.int32)
    scores[1, 2, 1] = np.nan
    with pytest.raises(tw.errors.InputError, match=r"batch\[1\]: arc\[2, 1\] is NaN"):
        padded_marginals(scores, lengths)
    with pytest.raises(ValueError, match="lengths must fit arc"):
        padded_marginals(scores, np.array([2, 3], dtype=np.int32))


@pytest.mark.parametrize("projective", [False, True])
def test_the_marginals_of_all_parts_of_a_word_sum_to_one(projective: bool) -> None:
    rng = np.random.default_rng(5)
    arc, sib, grand, stop = (rng.normal(size=size) / 2 for size in ((5, 5), (5, 5, 5), (5, 5, 5), (5, 5, 2)))
    found = part_marginals(arc, sib=sib, grand=grand, stop=stop, projective=projective)
    assert found.sib is not None
    assert found.grand is not None
    assert found.stop is not None
    assert found.exact == projective
    tolerance = 1e-9 if projective else 0.1  # beliefs of different parts agree in the limit only
    assert found.arc == pytest.approx(tw.decode.marginals(arc, sib=sib, grand=grand, stop=stop, projective=projective))
    assert found.sib.sum(axis=2) == pytest.approx(found.arc, abs=tolerance)  # a modifier has one inner neighbour
    assert found.grand.sum(axis=0)[1:] == pytest.approx(found.arc[1:], abs=tolerance)  # a head has one head
    assert found.stop.sum(axis=1)[1:] == pytest.approx(np.ones((4, 2)), abs=tolerance)  # a side ends once
