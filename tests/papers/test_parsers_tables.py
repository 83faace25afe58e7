"""Tables that train parsers, on a treebank of a few sentences: the figures are those counted in the parses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import treewright as tw
from treewright.cli.reproduce import app
from treewright.errors import InputError
from treewright.papers import koo2010
from treewright.parser import Labelling, Parser, ParserOptions, Pruning, Scoring

SAMPLE = Path(__file__).parents[2] / "examples" / "sample.conllu"


SMALL = ParserOptions(pruning=Pruning(bits=10), scoring=Scoring(bits=12, epochs=2), labelling=Labelling(bits=10))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "toy").mkdir()
    for split in ("train", "dev", "test"):
        shutil.copy(SAMPLE, tmp_path / "toy" / f"{split}.conllu")
    return tmp_path


@pytest.mark.slow
def test_table1_decodes_by_both_methods(data: Path) -> None:
    result = CliRunner().invoke(app, ["koo2010", "table1", str(data), "--treebanks", "toy", "--quiet", "--json"])
    assert result.exit_code == 0, result.output
    row = json.loads(result.stdout)
    assert row["treebank"] == "toy"
    assert all(row["exact"][model]["certified"] == 100 for model in ("arc", "sib", "grand"))
    for model in ("sib", "grand"):
        assert row["dual"][model]["agreed"] <= row["dual"][model]["certified"]
        assert row["dual"][model]["certified"] <= row["tightened"][model]["certified"]


def counted_uas(parser: Parser, **how: Any) -> tuple[float, list[list[int]]]:
    """Per cent of the sample's words with their gold head, and the trees."""
    gold = list(tw.read(SAMPLE))
    trees = [sentence.heads.tolist() for sentence in parser.parse(gold, max_seconds=None, **how)]
    pairs = [pair for tree, one in zip(trees, gold, strict=True) for pair in zip(tree, one.heads.tolist(), strict=True)]
    return 100 * sum(found == head for found, head in pairs) / len(pairs), trees


def test_a_decoding_counts_heads_and_certificates() -> None:
    def parsed(heads: list[int], certificate: Any) -> tw.Sentence:
        sentence = tw.Sentence.from_words(["w"] * len(heads), heads=heads)
        gap = 1.0 if certificate is None else 0.0
        nodes = np.array([-1, *heads], np.int32)
        sentence.parse = tw.decode.Parse(nodes, 0.0, gap, "dd", gap, evidence=certificate or "bound")
        return sentence

    found = [parsed([0, 1], "agreement"), parsed([2, 0], "bound"), parsed([0, 1, 1], None), parsed([0], "exact")]
    gold = [tw.Sentence.from_words(["w"] * len(heads), heads=heads) for heads in ([0, 1], [0, 1], [0, 1, 2], [0])]
    counted = koo2010.evaluate(found, gold, seconds=2.0)
    assert counted == koo2010.Decoding(uas=62.5, certified=75.0, agreed=25.0, seconds=0.5)


def test_table1_prints_a_line_a_decoder() -> None:
    decodings = [koo2010.Decoding(uas, certified, 50.0, 0.01) for uas, certified in ((80, 100), (81.5, 90))]
    both, second = {"sib": decodings[0], "grand": decodings[1]}, {"sib": decodings[1], "grand": decodings[0]}
    row = koo2010.Row1("toy", {"arc": decodings[0], **both}, second, both, (1, 2, 3, 4, 5, 6, 7))
    assert koo2010.table1_lines(row) == [
        ["toy", "exact", "80.00", "80.00", "81.50", "100.00", "90.00", "0.0100", "0.0100"],
        ["", "dd", "", "81.50", "80.00", "90.00", "100.00", "0.0100", "0.0100"],
        ["", "dd, tightened", "", "80.00", "81.50", "100.00", "90.00", "0.0100", "0.0100"],
        ["", "the paper's", "1", "2", "3", "4", "5", "6", "7"],
    ]


def test_table3_has_a_projective_column_beside_each(data: Path) -> None:
    [row] = koo2010.table3(data, ["toy"], options=SMALL)
    assert list(row.uas) == ["sib", "P-sib", "grand", "P-grand"]
    for name, uas in row.uas.items():
        model, projective = name.removeprefix("P-"), name.startswith("P-")
        parser = Parser.train(tw.read(SAMPLE), model=model, projective=projective, options=SMALL)
        assert uas == pytest.approx(counted_uas(parser, method="exact")[0], rel=1e-9)


@pytest.fixture
def curves(data: Path) -> koo2010.Curves:
    return koo2010.figures(data, "toy", limits=(5, 50), options=SMALL)


def test_curves_are_those_counted_with_each_limit(curves: koo2010.Curves) -> None:
    parser = Parser.train(tw.read(SAMPLE), model="sib", projective=False, options=SMALL)
    runs = [counted_uas(parser, method="dd", tighten=False, max_iterations=limit) for limit in (5, 50)]
    assert curves.uas.tolist() == pytest.approx([uas for uas, _ in runs], rel=1e-9)
    same = [one == last for one, last in zip(runs[0][1], runs[1][1], strict=True)]
    assert curves.matches.tolist() == pytest.approx([100 * sum(same) / len(same), 100], rel=1e-9)
    assert (curves.certified[1:] >= curves.certified[:-1]).all()
    assert set(curves.recomputed) == {"sib", "grand"}


def test_figures_are_drawn_and_their_numbers_printed(
    curves: koo2010.Curves, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(koo2010, "figures", lambda *given, **options: curves)
    result = CliRunner().invoke(app, ["koo2010", "figures", "data", "-o", str(tmp_path / "pictures"), "--quiet"])
    assert result.exit_code == 0, result.output
    assert "as without limit" in result.stdout
    assert "automata recomputed, %" in (tmp_path / "pictures" / "figure3.svg").read_text()
    assert "limit on iterations" in (tmp_path / "pictures" / "figure4.svg").read_text()


def test_each_step_is_reported_before_it_begins(data: Path) -> None:
    reported: list[tuple[str, int, int]] = []
    list(koo2010.table3(data, ["toy"], sentences=5, options=SMALL, report=lambda *step: reported.append(step)))
    assert reported == [(f"toy: {name}", done, 4) for done, name in enumerate(("sib", "P-sib", "grand", "P-grand"))]


def test_a_treebank_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no train\.conllu or train\.conll there"):
        next(koo2010.table1(tmp_path, ["nowhere"]))
