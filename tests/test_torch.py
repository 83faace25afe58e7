"""The tree CRF for PyTorch against enumeration and finite differences; run where torch is installed."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from oracles.trees import all_trees, value

import treewright as tw

torch = pytest.importorskip("torch", reason="needs treewright[neural]")
crf = pytest.importorskip("treewright.torch")

LENGTHS = [4, 1, 3]
SHAPES = [(projective, root) for projective in (False, True) for root in ("single", "multi")]


def scores_of(*kinds: str, seed: int = 3) -> dict[str, Any]:
    """Random scores of a padded batch that can be differentiated."""
    rng = np.random.default_rng(seed)
    sizes = {"arc": (3, 5, 5), "sib": (3, 5, 5, 5), "grand": (3, 5, 5, 5), "stop": (3, 5, 5, 2)}
    return {kind: torch.tensor(rng.normal(size=sizes[kind]) / 2, requires_grad=True) for kind in kinds}


def unpadded(scores: dict[str, Any], sentence: int) -> dict[str, Any]:
    nodes = slice(LENGTHS[sentence] + 1)
    return {kind: table.detach().numpy()[sentence, nodes, nodes] for kind, table in scores.items()} | {
        kind: scores[kind].detach().numpy()[sentence, nodes, nodes, nodes] for kind in {"sib", "grand"} & scores.keys()
    }


def log_sum(scores: dict[str, Any], sentence: int, projective: bool, root: str) -> float:
    trees = all_trees(LENGTHS[sentence], projective=projective, root=root)
    return float(np.logaddexp.reduce([value(tree, **unpadded(scores, sentence)) for tree in trees]))


@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_log_partition_is_the_sum_over_all_trees(projective: bool, root: str) -> None:
    scores = scores_of("arc")
    partition = crf.log_partition(scores["arc"], torch.tensor(LENGTHS), projective=projective, root=root)
    assert partition.tolist() == pytest.approx([log_sum(scores, each, projective, root) for each in range(3)], rel=1e-9)


@pytest.mark.parametrize("kinds", [("sib",), ("grand",), ("stop",), ("sib", "grand", "stop")])
@pytest.mark.parametrize("root", ["single", "multi"])
def test_second_order_projective_sums_are_exact(kinds: tuple[str, ...], root: Any) -> None:
    scores = scores_of("arc", *kinds)
    partition = crf.log_partition(mask=torch.tensor(LENGTHS), projective=True, root=root, **scores)
    assert partition.tolist() == pytest.approx([log_sum(scores, each, True, root) for each in range(3)], rel=1e-9)


@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_the_gradient_of_first_order_sums(projective: bool, root: str) -> None:
    def log_partition(arc: Any) -> Any:
        return crf.log_partition(arc, torch.tensor(LENGTHS), projective=projective, root=root)

    assert torch.autograd.gradcheck(log_partition, [scores_of("arc")["arc"]])


@pytest.mark.parametrize("root", ["single", "multi"])
def test_the_gradient_of_second_order_projective_sums(root: str) -> None:
    def log_partition(*tables: Any) -> Any:
        given = dict(zip(("arc", "sib", "grand", "stop"), tables, strict=True))
        return crf.log_partition(mask=torch.tensor(LENGTHS), projective=True, root=root, **given)

    assert torch.autograd.gradcheck(log_partition, list(scores_of("arc", "sib", "grand", "stop").values()))


def test_the_gradient_of_crossing_second_order_sums_is_near_that_of_enumeration() -> None:
    scores = scores_of("arc", "sib", "grand", "stop")
    partition = crf.log_partition(mask=torch.tensor(LENGTHS), **scores)
    assert partition.tolist() == pytest.approx([log_sum(scores, each, False, "single") for each in range(3)], abs=0.1)
    partition.sum().backward()
    trees = list(all_trees(LENGTHS[0], projective=False))
    weights = np.exp([value(tree, **unpadded(scores, 0)) - log_sum(scores, 0, False, "single") for tree in trees])
    expected = np.zeros((5, 5))
    for tree, weight in zip(trees, weights, strict=True):
        expected[tree[1:], range(1, 5)] += weight
    assert scores["arc"].grad[0].numpy() == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize("projective", [False, True])
def test_marginals_are_the_gradient_and_zero_in_the_padding(projective: bool) -> None:
    arc = scores_of("arc")["arc"]
    mask = torch.arange(5) <= torch.tensor(LENGTHS)[:, None]
    found = crf.marginals(arc, mask, projective=projective)
    crf.log_partition(arc, mask, projective=projective).sum().backward()
    assert torch.equal(found, arc.grad)
    assert found[1].sum() == found[1, 0, 1] == 1
    assert found[0].sum(0)[1:].tolist() == pytest.approx([1] * 4, rel=1e-9)
    turned = crf.marginals(arc.transpose(1, 2), mask, projective=projective, head_first=False)
    assert torch.equal(turned.transpose(1, 2), found)


@pytest.mark.parametrize("kinds", [(), ("sib", "grand", "stop")])
@pytest.mark.parametrize(("projective", "root"), SHAPES)
def test_loss_is_the_negative_log_likelihood_of_a_word(kinds: tuple[str, ...], projective: bool, root: Any) -> None:
    scores = scores_of("arc", *kinds)
    heads = torch.tensor([[7, 2, 0, 2, 3], [0, 0, 9, 9, 9], [0, 3, 3, 0, -1]])
    lengths = torch.tensor(LENGTHS)
    options: dict[str, Any] = {"projective": projective, "root": root} | scores
    sums = crf.log_partition(mask=lengths, **options)
    values = []
    for sentence, words in enumerate(LENGTHS):
        tree = heads[sentence, : words + 1].tolist()
        values.append(value([-1, *tree[1:]], **unpadded(scores, sentence)))
    found = crf.log_probability(heads=heads, mask=lengths, **options)
    assert found.tolist() == pytest.approx((torch.tensor(values, dtype=torch.float64) - sums).tolist(), abs=1e-9)
    assert crf.loss(heads=heads, mask=lengths, **options).item() == pytest.approx(-found.sum().item() / 8, rel=1e-9)


@pytest.mark.parametrize("kinds", [(), ("sib", "grand", "stop")])
def test_the_gradient_of_the_loss(kinds: tuple[str, ...]) -> None:
    scores = scores_of("arc", *kinds)
    heads = torch.tensor([[0, 2, 0, 2, 3], [0, 0, 0, 0, 0], [0, 3, 3, 0, 0]])

    def loss(*tables: Any) -> Any:
        given = dict(zip(scores, tables, strict=True))
        return crf.loss(heads=heads, mask=torch.tensor(LENGTHS), projective=True, **given)

    assert torch.autograd.gradcheck(loss, list(scores.values()))


def test_float32_scores_have_float32_results_and_gradients() -> None:
    arc = scores_of("arc")["arc"].detach().float().requires_grad_()
    found = crf.loss(arc, torch.tensor([[0, 2, 0, 2, 3]] * 3))
    found.backward()
    assert found.dtype == arc.grad.dtype == torch.float32


def test_decoding_has_certificates() -> None:
    scores = scores_of("arc", "sib", "grand", "stop")
    for kinds in (("arc",), tuple(scores)):
        given = {kind: scores[kind] for kind in kinds}
        decoded = crf.decode(mask=torch.tensor(LENGTHS), **given)
        for sentence, parse in enumerate(decoded.parses):
            words = LENGTHS[sentence]
            trees = all_trees(words, projective=False)
            assert parse.certified
            assert parse.score == pytest.approx(max(value(tree, **unpadded(given, sentence)) for tree in trees))
            assert decoded.heads[sentence].tolist() == parse.heads.tolist() + [-1] * (4 - words)


def test_second_derivatives_are_refused() -> None:
    arc = scores_of("arc")["arc"]
    with pytest.raises(tw.errors.InputError, match="has first derivatives only"):
        crf.marginals(arc).sum().backward()
    [gradient] = torch.autograd.grad(crf.log_partition(arc).sum(), arc, create_graph=True)
    with pytest.raises(tw.errors.InputError, match=r"call detach\(\) on them, or leave out create_graph"):
        gradient.square().sum().backward()


@pytest.mark.parametrize(
    ("heads", "options", "message"),
    [
        ([0, 2, 1, 0, 0], {}, r"sentence 0 of the batch: heads has a cycle: 1 <- 2 <- 1"),
        ([0, 0, 0, 1, 1], {}, r"heads has 2 modifiers of the root: 1, 2; expected exactly one"),
        ([0, 9, 0, 1, 1], {}, r"heads\[1\] is 9; a head is between 0"),
        ([0, 3, 0, 2, 2], {"projective": True}, r"heads has crossing arcs; give projective=False"),
        ([0, 3, 0, 2], {}, r"heads is \(1, 4\); expected \(1, 5\): a head for each node, the root included"),
    ],
)
def test_heads_that_are_no_trees_are_refused(heads: list[int], options: dict[str, Any], message: str) -> None:
    with pytest.raises(tw.errors.InputError, match=message):
        crf.loss(torch.zeros(1, 5, 5), torch.tensor([heads]), **options)


def test_wrong_scores_and_masks_are_named() -> None:
    arc = torch.zeros(2, 3, 3)
    with pytest.raises(tw.errors.InputError, match=r"arc is \(3, 3\); expected a tensor .* arc\[None\] for one"):
        crf.marginals(arc[0])
    with pytest.raises(tw.errors.InputError, match=r"mask\[1\] has padding between words"):
        crf.marginals(arc, torch.tensor([[True, True, True], [True, False, True]]))
    with pytest.raises(tw.errors.InputError, match=r"mask is torch.int64 \(2, 3\); expected torch.bool \(2, 3\)"):
        crf.marginals(arc, torch.ones(2, 3, dtype=torch.int64))
    with pytest.raises(tw.errors.InputError, match="sentence 1 has 0 words; arc has room for 1 to 2"):
        crf.marginals(arc, torch.tensor([2, 0]))
    with pytest.raises(TypeError, match="unexpected keyword 'single_root'; expected sib, grand"):
        crf.marginals(arc, single_root=True)
    arc[1, 0, 1] = torch.nan
    with pytest.raises(tw.errors.InputError, match=r"batch\[1\]: arc\[0, 1\] is NaN"):
        crf.marginals(arc)
    arc[1, :, 1] = -torch.inf
    with pytest.raises(tw.errors.InfeasibleError, match=r"batch\[1\]: .*1"):
        crf.loss(arc, torch.tensor([[0, 0, 1]] * 2))


def test_a_missing_torch_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "treewright.torch")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(tw.errors.MissingExtra, match=r"needs the package torch: pip install 'treewright\[neural\]'$"):
        import_module("treewright.torch")
