"""Many sentences: the answers of one by one, in order, whatever the threads."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.decode import METHODS
from treewright.errors import InfeasibleError, InputError


def sentences(count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.normal(size=(n + 1, n + 1)) for n in rng.integers(1, 40, size=count)]


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_same_answers_as_one_by_one(threads: int, projective: bool) -> None:
    batch = sentences(150)
    parses = tw.decode.trees(batch, threads=threads, projective=projective)
    alone = [tw.decode.tree(arc, projective=projective) for arc in batch]
    assert [parse.heads.tolist() for parse in parses] == [parse.heads.tolist() for parse in alone]
    assert [parse.score for parse in parses] == [parse.score for parse in alone]


def test_kernels_from_many_threads_answer_as_from_one() -> None:
    batch = sentences(60)
    expected = [tw.decode.tree(arc).heads.tolist() for arc in batch]
    found: dict[int, list[list[int]]] = {}

    def work(name: int) -> None:
        found[name] = [tw.decode.tree(arc).heads.tolist() for arc in batch]

    workers = [threading.Thread(target=work, args=(name,)) for name in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(found[name] == expected for name in range(6))


def test_items_may_be_arrays_parts_and_mappings() -> None:
    arc = np.array([[0, 9, 2], [0, 0, 7], [0, 3, 0]])
    parts = tw.decode.Parts.from_arrays(arc)
    items: list[Any] = [arc, parts, {"arc": arc, "require": [(0, 2)]}, {"arc": parts, "root": "multi"}]
    parses = tw.decode.trees(iter(items), projective=True)
    assert [parse.heads.tolist() for parse in parses] == [[-1, 0, 1], [-1, 0, 1], [-1, 2, 0], [-1, 0, 1]]
    assert {parse.method for parse in parses} == {"eisner"}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_answers_as_one_by_one(method: str) -> None:
    rng = np.random.default_rng(3)
    batch: list[dict[str, Any]] = [
        {"arc": rng.normal(size=(n + 1, n + 1)), "sib": rng.normal(size=(n + 1, n + 1, n + 1))}
        for n in rng.integers(2, 7, size=12)
    ]
    alone = [tw.decode.tree(**item, method=method) for item in batch]
    for threads in (1, 3):
        parses = tw.decode.trees(batch, threads=threads, method=method)
        assert [parse.heads.tolist() for parse in parses] == [parse.heads.tolist() for parse in alone]
        assert [parse.score for parse in parses] == [parse.score for parse in alone]
        assert [parse.bound for parse in parses] == [parse.bound for parse in alone]


def test_an_empty_batch() -> None:
    assert list(tw.decode.trees([])) == []


@pytest.mark.parametrize("threads", [1, 3])
def test_errors_name_the_sentence(threads: int) -> None:
    batch = sentences(20)
    batch[13][0, 1] = np.nan
    with pytest.raises(InputError, match=r"^batch\[13\]: arc\[0, 1\] is NaN"):
        tw.decode.trees(batch, threads=threads)
    two_heads = {"arc": np.zeros((3, 3)), "require": [(0, 1), (2, 1)]}
    with pytest.raises(InfeasibleError, match=r"^batch\[1\]: there is no such tree") as caught:
        tw.decode.trees([batch[0], two_heads], threads=threads)
    assert caught.value.constraints == ("require (0, 1)", "require (2, 1)")
    assert caught.value.conflict == [(0, 1), (2, 1)]


def test_there_must_be_a_thread() -> None:
    with pytest.raises(InputError, match=r"^threads is 0; give at least 1$"):
        tw.decode.trees([], threads=0)


def layouts(arc: np.ndarray) -> dict[str, np.ndarray]:
    """The same numbers in memory of every layout."""
    nodes = len(arc)
    spaced, shifted = np.zeros((2 * nodes, 2 * nodes)), np.zeros(8 * nodes * nodes + 3, dtype=np.uint8)
    spaced[::2, ::2] = arc
    misaligned = shifted[3:].view(np.float64).reshape(nodes, nodes)
    misaligned[:] = arc
    read_only = arc.copy()
    read_only.flags.writeable = False
    return {
        "C order": arc,
        "Fortran order": np.asfortranarray(arc),
        "every other cell": spaced[::2, ::2],
        "reversed": arc[::-1, ::-1].copy()[::-1, ::-1],
        "other byte order": arc.astype(">f8"),
        "misaligned": misaligned,
        "read-only": read_only,
        "unpickled": pickle.loads(pickle.dumps(arc)),
        "float32": arc.astype(np.float32).astype(np.float64),
        "subclass": arc.view(np.recarray),
    }


def test_every_layout_of_memory_is_read_alike() -> None:
    for nodes in (2, 3, 6, 19, 20, 33):
        arc = np.random.default_rng(nodes).normal(size=(nodes, nodes)).astype(np.float32).astype(np.float64)
        expected = tw.decode.tree(arc.tolist())
        given = layouts(arc)
        found = [*(tw.decode.tree(array) for array in given.values()), *tw.decode.trees(list(given.values()))]
        for name, parse in zip([*given, *given], found, strict=True):
            assert parse.heads.tolist() == expected.heads.tolist(), name
            assert parse.score == expected.score, name


def test_the_heads_of_a_tree_are_an_ordinary_array() -> None:
    batch = sentences(3)
    for parse in (tw.decode.tree(batch[0]), *tw.decode.trees(batch)):
        assert parse.heads.dtype == np.int32
        assert parse.heads.flags.c_contiguous
        assert parse.heads.flags.writeable
    parses = tw.decode.trees(batch)
    kept = parses[1].heads
    expected = kept.tolist()
    del parses, parse
    assert kept.tolist() == expected  # the memory outlives the other trees
