"""The feature sets of the papers: what their templates join, and that parsers are trained with them."""

from __future__ import annotations

from pathlib import Path

import pytest
from oracles.treebank import treebank
from typer.testing import CliRunner

import treewright as tw
from treewright.cli.reproduce import app
from treewright.errors import InputError
from treewright.features.templates import items_of, part_tables
from treewright.papers.feature_sets import FEATURE_SETS, templates_of
from treewright.parser import Labelling, Parser, ParserOptions, Pruning, Scoring

SMALL = ParserOptions(pruning=Pruning(bits=10), scoring=Scoring(bits=14, epochs=2), labelling=Labelling(bits=10))


def words_of(template: str) -> set[str]:
    """The roles whose form a template has."""
    return {item.role for item in items_of(template, "ghsmb") if item.atom == "form"}


def test_siblings_of_mcdonald_and_pereira_join_pairs_of_words_and_the_tags_of_three() -> None:
    siblings = FEATURE_SETS["mcdonald2006"].sibling
    assert len(siblings) == 5
    assert all(len(words_of(template)) <= 2 for template in siblings)
    triples = [template for template in siblings if len({item.role for item in items_of(template, "hsm")}) == 3]
    assert triples == ["h.xpos s.xpos m.xpos"]


def test_siblings_and_grandparents_of_carreras_are_the_same_nine_conjunctions() -> None:
    templates = FEATURE_SETS["carreras2007"]
    assert len(templates.sibling) == len(templates.grandparent) == 9
    renamed = {"g": "h", "h": "m", "m": "s"}  # h of the paper is g here, its m is h, its third word is m
    conjunctions = [
        {frozenset((roles.get(item.role, item.role), item.atom) for item in items_of(text, "ghsm")) for text in given}
        for given, roles in ((templates.sibling, {}), (templates.grandparent, renamed))
    ]
    assert conjunctions[0] == conjunctions[1]


def test_sets_differ_in_the_scored_parts_alone() -> None:
    sets = list(FEATURE_SETS.values())
    assert len({templates.arc for templates in sets}) == len({templates.sibling for templates in sets}) == 3
    for name in ("pruner", "label", "factors", "tensor"):
        assert len({getattr(templates, name) for templates in sets}) == 1
    for templates in sets:
        tables = part_tables(templates, siblings=True, grandparents=bool(templates.grandparent))
        assert sum(table.templates for table in tables) >= 20


@pytest.mark.parametrize("features", FEATURE_SETS)
def test_a_parser_is_trained_with_them_and_keeps_them(features: str, tmp_path: Path) -> None:
    model = "sib" if features == "mcdonald2006" else "grand"
    parser = Parser.train(treebank(10), model=model, options=SMALL, templates=templates_of(features, model))
    parser.save(tmp_path / "parser.tw")
    kept = Parser.load(tmp_path / "parser.tw").model.templates
    assert kept.arc == FEATURE_SETS[features].arc
    assert kept.sibling == FEATURE_SETS[features].sibling


def test_a_model_without_features_is_refused_before_training(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the features mcdonald2006 have no grandparents"):
        templates_of("mcdonald2006", "grand")
    (tmp_path / "toy").mkdir()
    for split in ("train", "dev", "test"):
        tw.write(treebank(5), tmp_path / "toy" / f"{split}.conllu")
    arguments = ["koo2010", "table3", str(tmp_path), "--treebanks", "toy", "--features", "mcdonald2006", "--quiet"]
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, InputError)
    assert "have no grandparents" in str(result.exception)


def test_the_tables_of_mcdonald_and_pereira_take_their_features(tmp_path: Path) -> None:
    (tmp_path / "toy").mkdir()
    for split in ("train", "dev", "test"):
        tw.write(treebank(6), tmp_path / "toy" / f"{split}.conllu")
    arguments = ["mcdonald2006", "table1", str(tmp_path), "--treebank", "toy", "--features", "mcdonald2006", "--quiet"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "second order" in result.stdout
