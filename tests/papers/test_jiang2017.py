"""The tables of Jiang et al. (2017) on a treebank of a few sentences."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from oracles.treebank import treebank
from typer.testing import CliRunner

import treewright as tw
from treewright.cli.reproduce import app
from treewright.induce import InducedParser, InductionOptions, dmv
from treewright.induce.rules import Rules
from treewright.induce.tagged import TaggedCorpus, read_tagged
from treewright.papers.jiang2017 import (
    PUBLISHED,
    PUBLISHED_AVERAGE,
    SYSTEMS,
    Training,
    heads_among,
    mean_length,
    shares,
    train_systems,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data")
    (path / "Tiny").mkdir()
    for seed, part in enumerate(("train", "test")):
        tw.write(treebank(12, seed=seed), path / "Tiny" / f"{part}.conllu")
    return path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["jiang2017", *arguments, "--quiet"])
    assert result.exit_code == 0, result.output
    return result.stdout


METHODS = {"M": "convex-mst", "D": "lc-dmv", "D-J": "joint", "best": "best"}  # systems that `induce` trains too


def parsed_by(method: str, folder: Path) -> list[tw.Sentence]:
    parser = InducedParser.train(tw.read(folder / "Tiny" / "train.conllu"), options=InductionOptions(method=method))
    return list(parser.parse(tw.read(folder / "Tiny" / "test.conllu")))


def counted_accuracy(parsed: list[tw.Sentence], gold: list[tw.Sentence]) -> float:
    """Per cent of the words with their gold head. In these sentences punctuation has no modifiers."""
    pairs = [
        (int(one.heads[i]), int(other.heads[i]))
        for one, other in zip(parsed, gold, strict=True)
        for i, tag in enumerate(other.upos)
        if tag != "PUNCT"
    ]
    return 100 * sum(found == head for found, head in pairs) / len(pairs)


def test_table1_has_the_accuracy_that_is_counted_in_the_parses_of_each_method(folder: Path) -> None:
    row = json.loads(run("table1", str(folder), "--treebanks", "Tiny", "--json"))
    assert set(row["at_most_40"]) == set(SYSTEMS)
    gold = list(tw.read(folder / "Tiny" / "test.conllu"))
    for system, method in METHODS.items():
        assert row["at_most_40"][system] == pytest.approx(counted_accuracy(parsed_by(method, folder), gold), rel=1e-9)
    assert len(set(row["at_most_40"].values())) > 1
    assert row["published"] == {}


def test_thirty_rows_are_published_and_their_means_are_near_the_printed_averages() -> None:
    figures = np.array(list(PUBLISHED.values()))
    assert figures.shape == (30, 6)
    assert np.abs(figures.mean(axis=0) - PUBLISHED_AVERAGE[40]).max() < 0.75


@pytest.mark.parametrize("rules", ["universal", "noji", "ud"])
def test_the_rules_of_figure_1_are_those_of_the_set(folder: Path, rules: str) -> None:
    rows = json.loads(run("figure1", str(folder), "--treebank", "Tiny", "--rules", rules, "--json"))
    pairs = {(row["head"], row["modifier"]) for row in rows}
    assert (("ROOT", "VERB") in pairs) == (rules != "universal")
    assert (("VERB", "ADP") in pairs) == (rules != "noji")


def test_unknown_rules_are_refused(folder: Path) -> None:
    result = CliRunner().invoke(app, ["jiang2017", "table2", str(folder), "--treebank", "Tiny", "--rules", "mine"])
    assert "no rules 'mine'" in str(result.exception)


def test_refinement_raises_the_likelihood_of_the_dmv(folder: Path) -> None:
    corpus = read_tagged(tw.read(folder / "Tiny" / "train.conllu"), max_length=15)
    plain, refined = (train_systems(corpus, Training(refinement=n, weight=5.0), lambda done: None) for n in (0, 3))
    assert plain.options.joint.weight == refined.options.joint.weight == 5.0
    limits = plain.options.limits
    likelihood = [dmv.expectations(corpus, systems.together.dmv, limits)[0] for systems in (plain, refined)]
    assert likelihood[1] > likelihood[0]
    assert not np.array_equal(plain.together.weights, refined.together.weights)


def test_a_folder_without_treebanks_of_the_paper_is_an_error(folder: Path) -> None:
    result = CliRunner().invoke(app, ["jiang2017", "table1", str(folder)])
    assert "none of the paper's treebanks, such as English; or give --treebanks" in str(result.exception)


def test_the_average_stands_below(folder: Path) -> None:
    shown = run("table1", str(folder), "--treebanks", "Tiny,Tiny")
    cells = [line.split() for line in shown.splitlines()]
    (tiny, _), (mean,) = [[row[1:] for row in cells if row[:1] == [name]] for name in ("Tiny", "average")]
    assert tiny == mean
    assert len(mean) == len(SYSTEMS)
    assert ["treebank", *SYSTEMS] in cells


def test_table2_compares_arcs_with_gold(folder: Path) -> None:
    rows = json.loads(run("table2", str(folder), "--treebank", "Tiny", "--json"))
    assert [row["system"] for row in rows] == ["M", "M-J", "gold"]
    gold = list(tw.read(folder / "Tiny" / "test.conllu"))
    for row, parsed in ((rows[0], parsed_by("convex-mst", folder)), (rows[2], gold)):
        assert row["at_most_40"] == pytest.approx(counted_length(parsed), rel=1e-9)


def counted_length(sentences: list[tw.Sentence]) -> float:
    """The mean length of arcs between words. In these sentences punctuation is last, so no length includes it."""
    lengths = [
        abs(int(head) - number)
        for sentence in sentences
        for number, (head, tag) in enumerate(zip(sentence.heads, sentence.upos, strict=True), start=1)
        if tag != "PUNCT" and head > 0
    ]
    return sum(lengths) / len(lengths)


def test_figure1_prints_and_draws_the_rules(folder: Path, tmp_path: Path) -> None:
    shown = run("figure1", str(folder), "--treebank", "Tiny", "-o", str(tmp_path / "rules.svg"))
    assert "VERB -> NOUN" in shown
    assert "all rules" in shown
    drawn = (tmp_path / "rules.svg").read_text()
    assert drawn.count("VERB → NOUN") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["rules.svg"]


def test_lengths_and_shares_by_hand() -> None:
    corpus = TaggedCorpus(("DET", "NOUN", "VERB"), np.array([0, 1, 2, 2], np.int32), np.array([3, 4], np.int32))
    heads = np.array([2, 3, 0, 0], np.int32)
    assert mean_length(heads, corpus.lengths) == 1
    assert mean_length(np.array([3, 3, 0, 0], np.int32), corpus.lengths) == 1.5
    rules = Rules("mine", {"ROOT": ("VERB",), "NOUN": ("DET", "NUM"), "VERB": ("DET",)})
    found = {(row.head, row.modifier): row.percent["D"] for row in shares({"D": heads}, corpus, rules)}
    assert found == {("ROOT", "VERB"): 50, ("NOUN", "DET"): 25, ("VERB", "DET"): 0}


def test_heads_of_punctuation_are_passed_over() -> None:
    # 1 -> 2, 2 (punctuation) -> 3, 3 -> 0: word 1 goes to word 3.
    assert heads_among(np.array([0, 2], np.int32), np.array([2, 3, 0], np.int32)).tolist() == [2, 0]  # type: ignore[union-attr]
    assert heads_among(np.array([0], np.int32), np.array([2, 3, 2], np.int32)) is None  # a cycle of punctuation
    assert heads_among(np.array([0, 1], np.int32), np.array([-1, 0], np.int32)) is None
