"""The grid of self-training on a tiny treebank: every condition has its figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from treewright.errors import InputError
from treewright.reproduce.huang2010 import CONDITIONS, Sizes, grid

SUBJECTS = ("(PRP she)", "(DT the) (NN dog)", "(DT a) (NN man)")
OBJECTS = ("(NP (DT the) (NN cat))", "(NP (NP (DT a) (NN cat)) (PP (IN with) (NP (DT the) (NN dog))))")
TREES = [f"( (S (NP-SBJ {one}) (VP (VBD saw) {other}) (. .)))" for one in SUBJECTS for other in OBJECTS]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for part in ("train", "dev", "test"):
        (tmp_path / f"{part}.mrg").write_text("\n".join(TREES) + "\n")
    return tmp_path


def test_every_condition_has_a_row_and_a_curve(folder: Path) -> None:
    stages: list[str] = []
    rows, curves = grid(folder, Sizes(gold=4, raw=2, dev=3, test=3, grammars=2, rounds=1), stages.append)
    assert tuple(row.condition for row in rows) == tuple(curve.condition for curve in curves) == CONDITIONS
    for row, curve in zip(rows, curves, strict=True):
        assert 0 <= row.lowest <= row.best <= row.highest <= 100
        assert (row.raw_f1 is None) == (row.condition == "Regular")
        assert len(curve.products) == 2
        assert all(len(single) == 2 for single in curve.singles)
        assert curve.products[row.round] == max(curve.products)
    assert "raw text, by single" in stages
    assert "raw text, by product" in stages


def test_a_folder_without_trees_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no train\.mrg"):
        grid(tmp_path, Sizes(), print)
