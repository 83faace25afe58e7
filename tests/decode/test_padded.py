"""Padded batches and scores [modifier, head]: the answers of one sentence at a time, errors kept to their sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.trees import all_trees, value

import treewright as tw
from treewright.errors import InfeasibleError, InputError

LENGTHS = [3, 1, 4, 2, 4, 3, 1, 2, 4, 3, 2, 4]  # more than one chunk of a thread
SHAPES = [(projective, root) for projective in (False, True) for root in ("single", "multi")]


def scores(lengths: list[int], *, axes: int = 2) -> NDArray[np.float64]:
    """Normal scores; NaN in the padding, which must not be read."""
    nodes = max(lengths) + 1
    drawn = np.random.default_rng(7).normal(size=(len(lengths),) + (nodes,) * axes)
    for item, words in zip(drawn, lengths, strict=True):
        for axis in range(axes):
            np.moveaxis(item, axis, 0)[words + 1 :] = np.nan
    return drawn


def one(batch: NDArray[np.float64], place: int) -> NDArray[np.float64]:
    nodes = LENGTHS[place] + 1
    return np.asarray(batch[place][(slice(nodes),) * (batch.ndim - 1)])


def truth(arc: NDArray[np.float64], projective: bool, root: str) -> tuple[NDArray[np.float64], dict[Any, float]]:
    """Marginals and the value of each tree, by enumeration."""
    trees = {tree: value(tree, arc) for tree in all_trees(len(arc) - 1, projective=projective, root=root)}
    total = sum(np.exp(score) for score in trees.values())
    marginal = np.zeros_like(arc)
    for tree, score in trees.items():
        marginal[list(tree[1:]), range(1, len(arc))] += np.exp(score) / total
    return marginal, trees


@pytest.mark.parametrize(("projective", "root"), SHAPES)
@pytest.mark.parametrize("head_first", [True, False])
@pytest.mark.parametrize("threads", [1, 3])
def test_padded_results_are_those_of_enumeration(projective: bool, root: str, head_first: bool, threads: int) -> None:
    batch = scores(LENGTHS)
    given = batch if head_first else batch.swapaxes(1, 2)
    options: dict[str, Any] = {"projective": projective, "root": root, "head_first": head_first, "threads": threads}
    parses = tw.decode.trees(given, lengths=LENGTHS, **options)
    marginals = tw.decode.batched(tw.decode.marginals, given, lengths=LENGTHS, **options)
    log_z = tw.decode.batched(tw.decode.log_partition, given, lengths=LENGTHS, **options)
    lists = tw.decode.batched(tw.decode.kbest, given, k=3, lengths=LENGTHS, **options)
    for place in range(len(LENGTHS)):
        expected, values = truth(one(batch, place), projective, root)
        assert values[tuple(parses[place].heads.tolist())] == max(values.values())
        assert parses[place].score == pytest.approx(max(values.values()))
        found = marginals[place] if head_first else marginals[place].T
        np.testing.assert_allclose(found, expected, atol=1e-12)
        assert log_z[place] == pytest.approx(np.log(np.exp(list(values.values())).sum()))
        best = sorted(values.values(), reverse=True)[:3]
        assert [parse.score for parse in lists[place]] == pytest.approx(best)


@pytest.mark.parametrize(("projective", "root"), SHAPES)
@pytest.mark.parametrize("head_first", [True, False])
def test_padded_results_have_the_same_bits_as_single_ones(projective: bool, root: str, head_first: bool) -> None:
    batch = scores(LENGTHS)
    given = batch if head_first else batch.swapaxes(1, 2)
    options: dict[str, Any] = {"projective": projective, "root": root}
    for threads in (1, 2, 5):
        shared = {**options, "head_first": head_first, "threads": threads, "lengths": LENGTHS}
        parses, marginals = tw.decode.trees(given, **shared), tw.decode.batched(tw.decode.marginals, given, **shared)
        log_z = tw.decode.batched(tw.decode.log_partition, given, **shared)
        for place in range(len(LENGTHS)):
            arc = one(batch, place)
            alone = tw.decode.tree(arc, **options)
            assert parses[place].heads.tolist() == alone.heads.tolist()
            assert parses[place].score == alone.score
            assert (parses[place].bound, parses[place].method) == (alone.bound, alone.method)
            found = marginals[place] if head_first else marginals[place].T
            assert (found == tw.decode.marginals(arc, **options)).all()
            assert log_z[place] == tw.decode.log_partition(arc, **options)


def test_second_order_scores_and_constraints_hold_in_padded_batches() -> None:
    batch, sib, stop = scores(LENGTHS), scores(LENGTHS, axes=3), scores(LENGTHS, axes=3)[..., :2]
    stop[np.isnan(stop)] = 0.0
    options: dict[str, Any] = {"projective": True, "forbid": [(0, 1)], "root": "multi"}
    shared = {**options, "sib": sib, "stop": stop, "lengths": LENGTHS, "errors": "return"}
    parses: Any = tw.decode.trees(batch, **shared)
    marginals: list[Any] = tw.decode.batched(tw.decode.marginals, batch, **shared)
    for place, words in enumerate(LENGTHS):
        if words == 1:
            assert isinstance(parses[place], InfeasibleError)
            assert isinstance(marginals[place], InfeasibleError)
            continue
        nodes = words + 1
        parts: dict[str, Any] = {"sib": one(sib, place), "stop": stop[place, :nodes, :nodes]}
        assert parses[place].score == tw.decode.tree(one(batch, place), **parts, **options).score
        alone = tw.decode.marginals(one(batch, place), **parts, **options)
        assert (marginals[place] == alone).all()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("padded", [True, False])
def test_an_error_of_one_sentence_leaves_the_others(threads: int, padded: bool) -> None:
    batch = np.random.default_rng(1).normal(size=(12, 4, 4))
    batch[2, 1, 3] = np.nan
    batch[7, :, 2] = -np.inf
    options: dict[str, Any] = {"threads": threads} | ({"lengths": [3] * 12} if padded else {})
    parses: Any = tw.decode.trees(batch, errors="return", **options)
    assert [place for place, parse in enumerate(parses) if isinstance(parse, InputError)] == [2, 7]
    assert str(parses[2]).startswith("batch[2]: arc[1, 3] is NaN")
    assert isinstance(parses[7], InfeasibleError)
    assert str(parses[7]).startswith("batch[7]: there is no such tree: arc[:, 2] is -inf")
    with pytest.raises(InputError, match=r"^batch\[2\]: arc\[1, 3\] is NaN.*\(and 1 more: see `failed`\)$") as caught:
        tw.decode.trees(batch, **options)
    assert sorted(caught.value.failed) == [2, 7]
    for place, parse in enumerate(caught.value.results):
        if place in (2, 7):
            assert parse is None
        else:
            assert parse.heads.tolist() == tw.decode.tree(batch[place]).heads.tolist()


def test_an_error_of_one_sentence_leaves_the_sums_of_the_others() -> None:
    batch = np.random.default_rng(1).normal(size=(3, 4, 4))
    batch[1, 3, 1] = np.inf
    lengths = [3, 3, 4]
    functions: tuple[Any, ...] = (tw.decode.marginals, tw.decode.log_partition)
    for function in functions:
        for projective in (False, True):
            options: dict[str, Any] = {"lengths": lengths, "projective": projective, "head_first": False}
            found: list[Any] = tw.decode.batched(function, batch, **options, errors="return")
            assert np.isfinite(found[0]).all()
            assert str(found[1]).startswith("batch[1]: arc[3, 1] is +inf")
            assert str(found[2]) == "batch[2]: lengths[2] is 4; the array holds sentences of 1 to 3 words"
            with pytest.raises(InputError, match=r"^batch\[1\]: ") as caught:
                tw.decode.batched(function, batch, **options)
            np.testing.assert_array_equal(caught.value.results[0], found[0])
            assert caught.value.results[1:] == [None, None]


def test_every_function_takes_modifier_first_scores() -> None:
    rng = np.random.default_rng(3)
    arc, sib = rng.normal(size=(5, 5)), rng.normal(size=(5, 5, 5))
    turned: dict[str, Any] = {"head_first": False}
    decode = tw.decode
    for options in ({}, {"sib": sib}, {"require": [(2, 1)], "forbid": [(0, 3)]}, {"method": "dd"}):
        given: dict[str, Any] = options
        assert decode.tree(arc.T, **turned, **given).heads.tolist() == decode.tree(arc, **given).heads.tolist()
    for function in (decode.marginals, decode.reduced_costs):
        assert (function(arc.T, **turned) == function(arc).T).all()
    for sums in (decode.log_partition, decode.entropy):
        assert sums(arc.T, sib=sib, projective=True, **turned) == sums(arc, sib=sib, projective=True)
    assert decode.mbr(arc.T, **turned).heads.tolist() == decode.mbr(arc).heads.tolist()
    assert (decode.sample(arc.T, 5, seed=2, **turned) == decode.sample(arc, 5, seed=2)).all()
    assert decode.why_not(arc.T, 2, 1, **turned).loss == decode.why_not(arc, 2, 1).loss
    assert decode.count_optima(arc.T, **turned) == decode.count_optima(arc)
    assert (decode.graph(arc.T, **turned).arcs == decode.graph(arc).arcs).all()
    assert decode.Parts.from_arrays(arc.T, **turned).value([-1, 0, 1, 1, 2]) == pytest.approx(
        arc[0, 1] + arc[1, 2] + arc[1, 3] + arc[2, 4]
    )
    kept: dict[str, Any] = {"threshold": 0.1, "max_heads": 2}
    assert decode.candidates(arc.T, **kept, **turned).head.tolist() == decode.candidates(arc, **kept).head.tolist()
    for k in (1, 5):
        trees = [[parse.heads.tolist() for parse in found] for found in (decode.kbest(arc, k),)]
        assert [parse.heads.tolist() for parse in decode.kbest(arc.T, k, **turned)] == trees[0]


def test_errors_of_modifier_first_scores_name_the_cell_of_the_caller() -> None:
    arc = np.zeros((4, 4))
    arc[3, 1] = np.nan
    with pytest.raises(InputError, match=r"^arc\[3, 1\] is NaN"):
        tw.decode.tree(arc, head_first=False)
    with pytest.raises(InputError, match=r"^head_first=False is for an array arc; a Parts names the head"):
        tw.decode.tree(tw.decode.Parts.from_arrays(np.zeros((3, 3))), head_first=False)


class OnlyDlpack:
    """A tensor of another library: it offers its memory by DLPack alone."""

    def __init__(self, array: NDArray[np.float64]) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_arrays_with_dlpack_are_read_in_place() -> None:
    batch = np.random.default_rng(1).normal(size=(3, 4, 4))
    tensor: Any = OnlyDlpack(batch)
    parses = tw.decode.trees(tensor, lengths=np.array([3, 3, 3]))
    assert [parse.heads.tolist() for parse in parses] == [tw.decode.tree(arc).heads.tolist() for arc in batch]
    assert np.shares_memory(tw.decode.arrays.float_array(tensor, "arc"), batch)


def test_a_batch_without_sentences() -> None:
    empty, none = np.zeros((0, 4, 4)), np.zeros(0, dtype=int)
    assert list(tw.decode.trees(empty, lengths=none)) == []
    assert tw.decode.batched(tw.decode.marginals, empty, lengths=none) == []


def test_batches_of_the_wrong_shape_are_refused() -> None:
    batch = np.zeros((2, 4, 4))
    with pytest.raises(InputError, match=r"^there are 1 lengths for 2 sentences; give one a sentence$"):
        tw.decode.trees(batch, lengths=[3])
    with pytest.raises(InputError, match=r"^arc has shape \(4, 4\), expected \[sentence, n \+ 1, n \+ 1\]"):
        tw.decode.batched(tw.decode.marginals, batch[0], lengths=[3])
    with pytest.raises(InputError, match=r"^arc has shape \(2, 4, 4\), expected .*; for a padded batch give lengths"):
        tw.decode.marginals(batch)
    with pytest.raises(InputError, match=r"^sib has shape \(4, 4, 4\), expected \(2, 4, 4, 4\): padded to the size"):
        tw.decode.trees(batch, lengths=[3, 3], sib=np.zeros((4, 4, 4)))
    with pytest.raises(InputError, match=r"^lengths has an index column of dtype float64; give whole numbers$"):
        tw.decode.trees(batch, lengths=[3.0, 3.0])
    errors: Any = "ignore"
    with pytest.raises(InputError, match=r"^errors is 'ignore'; it is 'raise' or 'return'$"):
        tw.decode.trees(batch, lengths=[3, 3], errors=errors)
    with pytest.raises(InputError, match=r"^threads is 0; give at least 1$"):
        tw.decode.batched(tw.decode.marginals, batch, lengths=[3, 3], threads=0)
