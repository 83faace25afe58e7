"""Tables that train parsers, on a treebank of a few sentences: the figures are those counted in the parses."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.instances import random_instance
from oracles.programs import head_value
from typer.testing import CliRunner

import treewright as tw
from treewright.cli.reproduce import app
from treewright.errors import InputError
from treewright.papers import koo2010, koo2010_programs
from treewright.papers.feature_sets import templates_of
from treewright.parser import Labelling, Parser, ParserOptions, Pruning, Scoring

SAMPLE = Path(__file__).parents[2] / "examples" / "sample.conllu"


SMALL = ParserOptions(pruning=Pruning(bits=10), scoring=Scoring(bits=18, epochs=5), labelling=Labelling(bits=10))


@pytest.fixture(autouse=True)
def small_models(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "slow" not in request.keywords:
        for module in (koo2010, koo2010_programs):
            monkeypatch.setattr(module, "trained", small_parser)


def small_parser(train: Sequence[tw.Sentence], model: str, learner: str, features: str = "standard") -> Parser:
    options = replace(SMALL, model=model, learner=learner, projective=False)
    return Parser.train(train, options=options, templates=templates_of(features, model))


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
    seconds = {"arc": 0.1, "sib": 0.2, "grand": 0.3}
    row = koo2010.Row1("toy", {"arc": decodings[0], **both}, second, both, seconds, (1, 2, 3, 4, 5, 6, 7))
    assert koo2010.table1_lines(row) == [
        ["toy", "exact", "80.00", "80.00", "81.50", "", "", "100.00", "90.00", "0.0100", "0.0100"],
        ["", "dd", "", "81.50", "80.00", "50.00", "50.00", "90.00", "100.00", "0.0100", "0.0100"],
        ["", "dd, tightened", "", "80.00", "81.50", "50.00", "50.00", "100.00", "90.00", "0.0100", "0.0100"],
        ["", "the paper's", "1", "2", "3", "4", "5", "", "", "6", "7"],
        ["", "training", "", "", "", "", "", "", "", "0.2000", "0.3000"],
    ]


def test_table3_has_a_projective_column_beside_each(data: Path) -> None:
    [row] = koo2010.table3(data, ["toy"], learner="perceptron")
    assert list(row.uas) == ["sib", "P-sib", "grand", "P-grand"]
    for name, uas in row.uas.items():
        parser = small_parser(list(tw.read(SAMPLE)), name.removeprefix("P-"), "perceptron")
        assert uas == pytest.approx(counted_uas(parser, projective=name.startswith("P-"))[0], rel=1e-9)


def test_free_automata_choose_the_best_sets_of_modifiers(data: Path) -> None:
    [row] = koo2010.free_automata(data, ["toy"])
    parser = small_parser(list(tw.read(SAMPLE)), "sib", "perceptron")
    right = chosen = words = 0
    for sentence in tw.read(SAMPLE):
        arcs = koo2010.free_arcs(parser.parts(sentence))
        chosen, words = chosen + len(arcs), words + len(sentence)
        right += len(set(arcs) & {(head, m) for m, head in enumerate(sentence.heads.tolist(), start=1)})
    assert [row.precision, row.recall] == pytest.approx([100 * right / chosen, 100 * right / words])


def test_the_arcs_of_free_automata_are_the_best_subsets() -> None:
    for seed in range(5):
        instance = random_instance(seed, 4, parts="sib stop")
        scores = {"arc": instance.arc, **instance.scores}
        arcs = koo2010.free_arcs(tw.decode.Parts.from_arrays(instance.arc, **instance.scores))
        for h in range(5):
            others = [m for m in range(1, 5) if m != h]
            subsets = [list(s) for size in range(len(others) + 1) for s in combinations(others, size)]
            best = max(subsets, key=lambda modifiers: head_value(scores, h, modifiers))
            assert sorted(m for head, m in arcs if head == h) == best


def test_trained_models_are_decoded_by_every_method(data: Path) -> None:
    rows = list(koo2010_programs.table2_trained(data, "toy", words=14, instances=3))
    assert [(row.model, row.method, row.encoding) for row in rows] == [
        (model, *method) for model in koo2010_programs.AUTOMATA for method in koo2010_programs.METHODS
    ]
    for row in rows:
        if row.method in ("exact", "ILP"):
            assert row.integral == 100
    exact = {row.model: row.uas for row in rows if row.method == "exact"}
    assert all(row.uas == exact[row.model] for row in rows if row.integral == 100)


@pytest.fixture
def curves(data: Path) -> koo2010.Curves:
    return koo2010.figures(data, "toy", limits=(5, 50))


def test_curves_are_those_counted_with_each_limit(curves: koo2010.Curves) -> None:
    parser = small_parser(list(tw.read(SAMPLE)), "sib", "perceptron")
    runs = [counted_uas(parser, method="dd", published=True, max_iterations=limit) for limit in (5, 50)]
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
    list(koo2010.table3(data, ["toy"], sentences=5, report=lambda *step: reported.append(step)))
    assert reported == [("toy: sib", 0, 2), ("toy: grand", 1, 2)]


def test_a_treebank_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no train\.conllu or train\.conll there"):
        next(koo2010.table1(tmp_path, ["nowhere"]))
