"""The table of treebanks has the form that it should have, and names lead to its rows."""

from __future__ import annotations

import re

import pytest
from oracles.pages import DOCS, table_of

from treewright.errors import InputError
from treewright.languages.catalogue import find_treebank, match_treebank, treebanks

LICENCE = re.compile(r"CC BY(-NC)?(-SA|-ND)? \d\.\d|CC0 1\.0|PD|LGPL-LR|GNU GPL 3\.0")


def test_the_table_has_sixty_languages_and_every_treebank_once() -> None:
    assert len({entry.code for entry in treebanks()}) >= 60
    assert len({entry.treebank for entry in treebanks()}) == len(treebanks())
    assert len({entry.files for entry in treebanks()}) == len(treebanks())


@pytest.mark.parametrize("entry", treebanks(), ids=lambda entry: entry.treebank)
def test_a_row_has_the_form_of_the_release(entry: object) -> None:
    row = find_treebank(entry.treebank)  # type: ignore[attr-defined]
    assert re.fullmatch(r"[a-z]{2,3}", row.code)
    language, _, name = row.treebank.partition("-")
    assert row.files == f"{'no' if language == 'Norwegian' else row.code}_{name.lower()}"
    assert row.language.startswith(language.replace("_", " "))
    assert re.fullmatch(r"2\.\d+", row.release)
    assert LICENCE.fullmatch(row.licence)
    assert row.words is None or 1000 <= row.words < 2_000_000
    assert set(row.published) in (set(), {"Words", "UPOS", "UAS", "LAS"})
    if row.published:
        assert 100 >= row.published["Words"] >= row.published["UPOS"] > row.published["UAS"] > row.published["LAS"] > 30


def test_rows_of_a_language_stand_together_and_free_treebanks_come_first() -> None:
    codes = [entry.code for entry in treebanks()]
    assert codes == sorted(codes)
    for entry, following in zip(treebanks(), treebanks()[1:], strict=False):
        if entry.code == following.code:
            assert entry.language == following.language
            assert entry.is_free or not following.is_free


def test_names_of_languages_and_treebanks_lead_to_rows() -> None:
    assert find_treebank("DE") is find_treebank("german") is find_treebank("UD_German-GSD") is find_treebank("de_gsd")
    assert find_treebank("fr", "gsd").treebank == "French-GSD"
    assert find_treebank("old church slavonic").code == "cu"
    assert match_treebank("news") is None


def test_unknown_names_are_answered_with_close_ones() -> None:
    with pytest.raises(InputError, match=r"^Germann: no language .*did you mean German\?.*models --available"):
        find_treebank("Germann")
    with pytest.raises(InputError, match=r"--treebank HDT: .* there is French-Sequoia, French-GSD"):
        find_treebank("fr", "HDT")


def test_the_page_lists_the_table() -> None:
    rows = [
        (
            f"`{entry.code}`",
            entry.language,
            entry.treebank,
            entry.licence,
            f"{entry.words:,}" if entry.words else "–",
            f"{entry.published['LAS']:.1f}" if entry.published else "–",
        )
        for entry in treebanks()
    ]
    assert [tuple(row) for row in table_of(DOCS / "languages.md", "code")] == rows
    languages = len({entry.code for entry in treebanks()})
    assert f"one of {languages - 1} other languages" in (DOCS / "languages.md").read_text(encoding="utf-8")
