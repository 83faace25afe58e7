"""The tables of Rush et al. (2010) on a treebank of a toy language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from treewright.cli.app import app
from treewright.corpus import Tree
from treewright.reproduce.rush2010 import LIMITS, SYSTEMS, checked_folder

TREES = [
    "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))) (. .))",
    "(S (NP (NP (DT the) (NN dog)) (PP (IN with) (NP (DT a) (NN cat)))) (VP (VBZ sees)) (. .))",
    "(S (NP (DT a) (NN cat)) (VP (VBZ sees) (NP (DT the) (NN dog)) (PP (IN with) (NP (DT a) (NN dog)))) (. .))",
    "(S (NP (DT the) (NN cat)) (VP (VBZ likes)) (. .))",
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "toy"
    folder.mkdir()
    for part, times in (("train", 6), ("dev", 1), ("test", 1)):
        (folder / f"{part}.mrg").write_text("\n".join(str(Tree.parse(tree)) for tree in TREES * times))
    return folder.parent


def run(*arguments: str) -> object:
    result = CliRunner().invoke(app, ["reproduce", "rush2010", *arguments, "--treebank", "toy", "--quiet", "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_table_2_has_the_three_systems_beside_the_published_figures(data: Path) -> None:
    rows = run("table2", str(data))
    assert isinstance(rows, list)
    assert [row["system"] for row in rows] == list(SYSTEMS)
    for row in rows:
        assert 0 <= row["f1"] <= 100
        assert len(row["published"]) == 4
    assert rows[0]["p_value"] is None
    assert 0 < rows[2]["p_value"] <= 1


def test_shares_of_table_1_sum_to_all_sentences(data: Path) -> None:
    found = run("table1", str(data), "--part", "dev")
    assert isinstance(found, dict)
    assert sum(found["ours"].values()) == pytest.approx(100)


def test_the_curve_of_figure_5_ends_with_the_trees_of_the_highest_limit(data: Path) -> None:
    rows = run("figure5", str(data), "--test-sentences", "3")
    assert isinstance(rows, list)
    assert [row["limit"] for row in rows] == list(LIMITS)
    assert rows[-1]["same"] == 100
    certified = [row["certified"] for row in rows]
    assert certified == sorted(certified)


def test_a_folder_without_trees_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no train.mrg; DATA is a folder with treebanks"):
        checked_folder(tmp_path, "toy")
