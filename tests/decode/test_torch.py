"""The torch layer of examples/torch_crf.py against enumeration and finite differences; run where torch is installed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.trees import all_trees, value

import treewright as tw

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
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


@pytest.mark.parametrize("projective", [False, True])
def test_log_likelihood_of_the_torch_layer(projective: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    torch_crf = pytest.importorskip("torch_crf")
    monkeypatch.delitem(sys.modules, "torch_crf")
    drawn = np.random.default_rng(2).normal(size=(3, 4, 4))
    scores = torch.tensor(drawn, requires_grad=True)
    heads, lengths = torch.tensor([[-1, 2, 0, 2], [-1, 0, -1, -1], [-1, 0, 1, -1]]), torch.tensor(LENGTHS)
    found = torch_crf.log_likelihood(scores, heads, lengths, projective=projective)
    for place, words in enumerate(LENGTHS):
        arc = drawn[place, : words + 1, : words + 1].T
        total = sum(np.exp(value(tree, arc)) for tree in all_trees(words, projective=projective))
        expected = value(heads[place, : words + 1].tolist(), arc) - np.log(total)
        assert found[place].item() == pytest.approx(expected)
    assert torch.autograd.gradcheck(lambda given: torch_crf.log_likelihood(given, heads, lengths), scores)
