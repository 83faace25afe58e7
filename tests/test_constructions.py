"""The sentences of data/constructions: valid trees, and nothing that is trained on is tested."""

from __future__ import annotations

from pathlib import Path

import treewright as tw

FOLDER = Path(__file__).parents[1] / "data" / "constructions"
ORDINARY = Path(__file__).parent / "data" / "ordinary.conllu"


def texts(path: Path) -> list[str]:
    return [str(sentence.text) for sentence in tw.read(path)]


def test_the_files_are_valid() -> None:
    for name, least in (("train.conllu", 400), ("held_out.conllu", 60)):
        assert list(tw.check(FOLDER / name)) == []
        assert len(set(texts(FOLDER / name))) == len(texts(FOLDER / name)) >= least


def test_no_sentence_is_both_trained_on_and_tested() -> None:
    assert set(texts(FOLDER / "train.conllu")).isdisjoint([*texts(FOLDER / "held_out.conllu"), *texts(ORDINARY)])


def test_the_table_counts_the_sentences() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name, column in (("train.conllu", -3), ("held_out.conllu", -2)):
        counts: dict[str, int] = {}
        for sentence in tw.read(FOLDER / name):
            kind = str(sentence.comment("sent_id")).split("-")[-2]
            counts[kind] = counts.get(kind, 0) + 1
        rows = {row.split("`")[1]: row.split("|")[column].strip() for row in page.splitlines() if row.startswith("| `")}
        assert {kind: int(count) for kind, count in rows.items() if count != "–"} == counts
