"""The grid of self-training on a tiny treebank: every condition has its figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from treewright.errors import InputError
from treewright.grammar import LatentGrammar, product
from treewright.grammar.kinds import scores_of
from treewright.papers import huang2010
from treewright.papers.huang2010 import CONDITIONS, Sizes, grid

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
        assert row.lowest <= row.best <= row.highest
        assert (row.raw_f1 is None) == (row.condition == "Regular")
        assert len(curve.products) == 2
        assert all(len(single) == 2 for single in curve.singles)
        assert curve.products[row.round] == max(curve.products)
    assert "raw text, by single" in stages
    assert "raw text, by product" in stages


def test_the_figures_of_a_row_are_those_of_its_grammars(folder: Path, tmp_path: Path) -> None:
    sizes, kept = Sizes(gold=4, raw=2, dev=3, test=3, grammars=2, rounds=1), tmp_path / "kept"
    [row], _ = grid(folder, sizes, print, ["Regular"], kept)
    gold = huang2010.data_of(folder, sizes).test
    grammars = [LatentGrammar.load(kept / f"Regular-{seed}-round-{row.round}.tw") for seed in (1, 2)]

    def f1(grammar: LatentGrammar) -> float:
        return 100 * scores_of(gold, [grammar.parse(tree.leaves()).tree for tree in gold]).brackets.f1

    singles = [f1(grammar) for grammar in grammars]
    assert (row.lowest, row.highest) == pytest.approx((min(singles), max(singles)))
    assert row.mean == pytest.approx(sum(singles) / 2)
    assert row.product == pytest.approx(f1(product(grammars)))
    one, other = ([grammar.parse(tree.leaves()).tree for tree in gold] for grammar in grammars)
    assert row.agreement == pytest.approx(100 * scores_of(one, other).brackets.f1)


def test_the_published_grid_takes_all_that_is_left_and_dev_is_divided_without_a_test_part(tmp_path: Path) -> None:
    for part in ("train", "dev"):
        (tmp_path / f"{part}.mrg").write_text("\n".join(TREES) + "\n")
    data = huang2010.data_of(tmp_path, replace(huang2010.SIZES["published"], gold=2))
    assert (len(data.gold), len(data.raw)) == (2, len(TREES) - 2)
    whole = [str(tree) for tree in data.gold + data.raw]
    assert [str(tree) for tree in data.dev] == whole[::2]
    assert [str(tree) for tree in data.test] == whole[1::2]


def test_a_folder_without_trees_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no train\.mrg"):
        grid(tmp_path, Sizes(), print)


def test_a_killed_grid_continues_from_what_it_kept(folder: Path, tmp_path: Path) -> None:
    sizes, kept = Sizes(gold=4, raw=2, dev=3, test=3, grammars=2, rounds=1), tmp_path / "kept"
    whole = grid(folder, sizes, print)

    def kill(stage: str) -> None:
        if stage == "ST-Prod, grammar 1":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grid(folder, sizes, kill, keep=kept)
    times = {path: path.stat().st_mtime_ns for path in kept.iterdir() if path.name != "grid.json"}
    assert {"Regular-1-round-0.tw", "raw-by-single.mrg", "ST-Reg-dev-brackets-round-1.json"} <= {
        path.name for path in times
    }
    assert grid(folder, sizes, print, keep=kept) == whole
    assert all(path.stat().st_mtime_ns == time for path, time in times.items())


def test_the_folder_of_another_grid_is_refused(folder: Path, tmp_path: Path) -> None:
    grid(folder, Sizes(4, 2, 3, 3, 1, 1), print, ["Regular"], tmp_path / "kept")
    with pytest.raises(InputError, match=r"the results of another grid: gold 4 \(now 3\), rounds 1 \(now 2\)"):
        grid(folder, Sizes(3, 2, 3, 3, 1, 2), print, ["Regular"], tmp_path / "kept")


def test_p_values_compare_with_the_row_above_and_with_regular(folder: Path) -> None:
    [regular, *others], _ = grid(folder, Sizes(4, 2, 3, 3, 1, 1), print)
    assert (regular.p_above, regular.p_regular, regular.p_product) == (None, None, None)
    for row in others:
        assert row.p_above is not None
        assert 0 < row.p_above <= 1
        assert row.p_regular == row.p_product  # a product of one
        assert row.agreement is None  # nothing to agree with


def test_an_unknown_condition_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no condition 'ST'; there are Regular, ST-Reg"):
        grid(tmp_path, Sizes(), print, ["ST"])
