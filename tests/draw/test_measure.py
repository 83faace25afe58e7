"""Widths of text, and text that must not reach a terminal or an XML file as it is."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rich.cells import cell_len

from treewright.draw.measure import RIGHT_TO_LEFT_MARK, clean, clip, clusters, columns, is_right_to_left, pixels


@pytest.mark.parametrize(
    ("text", "wide"),
    [
        ("", 0),
        ("dog", 3),
        ("naïve", 5),
        ("nai\u0308ve", 5),
        ("日本語", 6),
        ("ﾊﾝ", 2),
        ("한국", 4),
        ("שלום", 4),
        ("शक्ति", 3),  # the vowel sign is drawn in the cell of its consonant
    ]
    + [("👍", 2), ("👍🏽", 2), ("👩‍👩‍👧", 2), ("🇵🇹", 2), ("❤️", 2), ("❤", 1), ("می‌خواهم", 7)],
)
def test_columns_of_a_terminal(text: str, wide: int) -> None:
    assert columns(text) == wide


def test_columns_of_a_character_are_those_of_rich() -> None:
    letters = [chr(code) for code in (*range(0x300, 0xD7A4), *range(0x1F300, 0x1F600))]
    assert [letter for letter in letters if columns(letter) != cell_len(letter)] == []


def test_a_spacing_mark_has_pixels_and_no_column_of_its_own() -> None:
    assert columns("का") == columns("क") == 1
    assert pixels("का", 16) > pixels("क", 16)


def test_pixels_grow_with_text_and_size() -> None:
    assert pixels("i", 16) < pixels("m", 16) < pixels("mi", 16)
    assert pixels("word", 32) == pytest.approx(2 * pixels("word", 16), abs=1)
    assert pixels("é", 16) == pixels("e\u0301", 16) == pixels("e", 16)
    assert pixels("日", 20) == 20


@given(st.text(), st.text())
def test_widths_are_those_of_the_parts(one: str, other: str) -> None:
    joined = clusters(one + " " + other)
    assert "".join(joined) == one + " " + other
    assume(" " in joined)  # a mark at the start of the second text joins the space
    assert columns(one + " " + other) == columns(one) + 1 + columns(other)


@given(st.text())
def test_clean_text_has_no_controls_and_no_overrides_of_direction(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned) == len(text)
    assert not {unicodedata.category(char) for char in cleaned} & {"Cc", "Cs", "Zl", "Zp"}
    assert not {unicodedata.bidirectional(char) for char in cleaned} & {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI"}
    cleaned.encode()


def test_controls_are_shown() -> None:
    assert clean("a\x00\x1b[2J\x7f\n\t\x9b\u2028") == "a␀␛[2J␡␊␉\ufffd\ufffd"
    assert clean("zero\u200cwidth joiners\u200dstay") == "zero\u200cwidth joiners\u200dstay"


@given(st.text(), st.integers(1, 20))
def test_clipped_text_fits_and_begins_as_it_did(text: str, limit: int) -> None:
    clipped = clip(text, limit)
    assert columns(clipped) <= limit
    assert text.startswith(clipped.removesuffix(RIGHT_TO_LEFT_MARK).removesuffix("…"))
    assert (clipped == text) == (columns(text) <= limit)


def test_direction_is_that_of_most_words() -> None:
    assert is_right_to_left(["שלום", "PDF", "עולם", "!"])
    assert not is_right_to_left(["The", "word", "שלום", "2"])
    assert not is_right_to_left(["...", "12"])


def test_the_ellipsis_of_a_right_to_left_word_stands_at_its_left() -> None:
    """By the bidirectional algorithm a neutral character between two right-to-left ones takes their direction."""
    shown = clip("ئاسماننىكۆپكۈك", 6)
    kept, ellipsis, mark = shown[:-2], shown[-2], shown[-1]
    assert (columns(shown), ellipsis) == (6, "…")
    assert {unicodedata.bidirectional(char) for char in kept} == {"AL"}
    assert unicodedata.bidirectional(mark) == "R"
    assert clip("antidisestablishmentarianism", 8)[-1] == "…"
