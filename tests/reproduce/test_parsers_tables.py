"""Tables that train parsers, on a treebank of a few sentences: the figures are there and make sense."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from treewright.cli.reproduce import app, table1_lines
from treewright.errors import InputError
from treewright.parser import Labelling, ParserOptions, Pruning, Scoring
from treewright.reproduce import jiang2017, koo2010_parsers

SAMPLE = Path(__file__).parents[2] / "examples" / "sample.conllu"


SMALL = ParserOptions(pruning=Pruning(bits=10), scoring=Scoring(bits=12, epochs=2), labelling=Labelling(bits=10))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "toy").mkdir()
    for split in ("train", "dev", "test"):
        shutil.copy(SAMPLE, tmp_path / "toy" / f"{split}.conllu")
    return tmp_path


def test_table1_decodes_by_both_methods(data: Path) -> None:
    result = CliRunner().invoke(app, ["koo2010", "table1", str(data), "--treebanks", "toy", "--quiet", "--json"])
    assert result.exit_code == 0, result.output
    row = json.loads(result.stdout)
    assert row["treebank"] == "toy"
    assert all(row["exact"][model]["certified"] == 100 for model in ("arc", "sib", "grand"))
    for model in ("sib", "grand"):
        assert 0 <= row["dual"][model]["agreed"] <= row["dual"][model]["certified"] <= 100
        assert row["dual"][model]["certified"] <= row["tightened"][model]["certified"] <= 100


def test_table1_prints_a_line_a_decoder() -> None:
    decodings = [koo2010_parsers.Decoding(uas, certified, 50.0, 0.01) for uas, certified in ((80, 100), (81.5, 90))]
    both, second = {"sib": decodings[0], "grand": decodings[1]}, {"sib": decodings[1], "grand": decodings[0]}
    row = koo2010_parsers.Row1("toy", {"arc": decodings[0], **both}, second, both, (1, 2, 3, 4, 5, 6, 7))
    assert table1_lines(row) == [
        ["toy", "exact", "80.00", "80.00", "81.50", "100.00", "90.00", "0.0100", "0.0100"],
        ["", "dd", "", "81.50", "80.00", "90.00", "100.00", "0.0100", "0.0100"],
        ["", "dd, tightened", "", "80.00", "81.50", "100.00", "90.00", "0.0100", "0.0100"],
        ["", "the paper's", "1", "2", "3", "4", "5", "6", "7"],
    ]


def test_table3_has_a_projective_column_beside_each(data: Path) -> None:
    [row] = koo2010_parsers.table3(data, ["toy"], options=SMALL)
    assert list(row.uas) == ["sib", "P-sib", "grand", "P-grand"]
    assert all(0 <= uas <= 100 for uas in row.uas.values())


@pytest.fixture
def curves(data: Path) -> koo2010_parsers.Curves:
    return koo2010_parsers.figures(data, "toy", limits=(5, 50), options=SMALL)


def test_curves_end_where_the_last_limit_is(curves: koo2010_parsers.Curves) -> None:
    assert curves.matches[-1] == 100
    assert (curves.certified[1:] >= curves.certified[:-1]).all()
    assert set(curves.recomputed) == {"sib", "grand"}


def test_figures_are_drawn_and_their_numbers_printed(
    curves: koo2010_parsers.Curves, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(koo2010_parsers, "figures", lambda *given, **options: curves)
    result = CliRunner().invoke(app, ["koo2010", "figures", "data", "-o", str(tmp_path / "pictures"), "--quiet"])
    assert result.exit_code == 0, result.output
    assert "as without limit" in result.stdout
    assert "automata recomputed, %" in (tmp_path / "pictures" / "figure3.svg").read_text()
    assert "limit on iterations" in (tmp_path / "pictures" / "figure4.svg").read_text()


def test_each_step_is_told_before_it_begins(data: Path) -> None:
    told: list[tuple[str, int, int]] = []
    list(koo2010_parsers.table3(data, ["toy"], sentences=5, options=SMALL, report=lambda *step: told.append(step)))
    assert told == [(f"toy: {name}", done, 4) for done, name in enumerate(("sib", "P-sib", "grand", "P-grand"))]


def test_a_treebank_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no train\.conllu or train\.conll there"):
        next(koo2010_parsers.table1(tmp_path, ["nowhere"]))


def test_six_systems_without_a_treebank(data: Path) -> None:
    result = CliRunner().invoke(app, ["jiang2017", "table1", str(data), "--treebanks", "toy", "--quiet"])
    assert result.exit_code == 0, result.output
    for system in jiang2017.SYSTEMS:
        assert system in result.stdout
