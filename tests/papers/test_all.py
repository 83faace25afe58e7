"""One report of all papers."""

from __future__ import annotations

from pathlib import Path

import pytest
from oracles.treebank import enhanced_treebank
from typer.testing import CliRunner

import treewright as tw
from treewright.cli.reproduce import app
from treewright.papers import all as report_of_all
from treewright.papers.all import TABLES, Table, sections

TREES = [
    "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))) (. .))",
    "(S (NP (DT a) (NN cat)) (VP (VBZ sees) (NP (DT the) (NN dog)) (PP (IN with) (NP (DT a) (NN dog)))) (. .))",
    "(S (NP (DT the) (NN cat)) (VP (VBZ likes)) (. .))",
]


def test_a_section_has_the_command_and_what_it_prints(tmp_path: Path) -> None:
    tables = [Table("koo2010 table2 --length 3", "--instances 1"), Table("koo2010 free DATA", "--treebanks toy")]
    calls: list[tuple[str, int, int]] = []
    first, second = sections(tmp_path, tables, quick=True, report=lambda *step: calls.append(step))
    assert first.startswith(
        "## koo2010 table2\n\n`treewright reproduce koo2010 table2 --length 3 --instances 1`\n\n```\n"
    )
    assert "1 sentences of 3 words a model" in first
    assert "Not run: DATA/toy: no train.conllu or train.conll there" in second
    assert calls == [("koo2010 table2", 0, 2), ("koo2010 free", 1, 2)]


def test_the_report_is_written_after_each_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_of_all, "sections", lambda data, **how: iter(["## one\n", "## two\n"]))
    result = CliRunner().invoke(app, ["all", str(tmp_path), "-o", str(tmp_path / "report.md"), "--quick", "--quiet"])
    assert result.exit_code == 0, result.output
    written = (tmp_path / "report.md").read_text()
    assert written.startswith("# Tables of the papers\n\nTreewright")
    assert "quick form" in written
    assert written.endswith("## one\n\n## two\n")


@pytest.mark.slow
def test_every_table_runs_in_its_quick_form(tmp_path: Path) -> None:
    for name in ("native/Danish-DDT", "graphs/Danish-DDT", "ud/Hungarian-Szeged", "ud-1.4/English"):
        (tmp_path / name).mkdir(parents=True)
        for seed, split in enumerate(("train", "dev", "test")):
            tw.write(enhanced_treebank(40, seed=seed), tmp_path / name / f"{split}.conllu")
    for name, splits in (("CRAFT", ("train", "dev", "test")), ("English-GUM", ("train", "dev"))):
        (tmp_path / "trees" / name).mkdir(parents=True)
        for split in splits:
            (tmp_path / "trees" / name / f"{split}.mrg").write_text("\n".join(TREES * 20))
    for table, section in zip(TABLES, sections(tmp_path, quick=True), strict=True):
        assert "```" in section, f"{table.command}: {section}"
